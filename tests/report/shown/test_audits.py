"""What the audit of an archive shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.past import PastGroup, past_comparisons, reach
from detectable.study.audit.archive_audit import ArchiveAudit
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check, check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of


def _chart(result: ArchiveAudit, name: str = "comparisons") -> Chart:
    made = block_of(result, f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_a_comparison_without_a_p_value_is_not_drawn() -> None:
    made = results.archive_audit()
    p_value = made.past.tested.p_value.copy()
    p_value[:5] = NAN
    seen = replace(made.past.tested, p_value=p_value)
    chart = _chart(replace(made, past=replace(made.past, tested=seen)))
    assert len(chart.make(720)["layer"][0]["data"]["values"]) == 38


def _many(n: int, names: int) -> ArchiveAudit:
    made = results.archive_audit()
    groups = [f"{LONG}-{i}" if i % 2 else f"{JAPANESE}{i}" for i in range(names)]
    labels = tuple(groups[i % names] for i in range(n))
    size = np.arange(n) / n * 4.0
    seen = results._seen("rank-sum", size, np.where(size > 2.0, 0.01, 0.5), 0.5)
    past = replace(made.past, tested=seen, paired=None, labels={"language": labels})
    tallies = tuple(replace(made.groups[0], group=group) for group in groups)
    return replace(made, past=past, groups=tallies)


def test_many_comparisons_are_counted_in_bars() -> None:
    result = _many(1300, 13)
    chart = _chart(result)
    assert chart.caption.startswith(
        "Bars: how many comparisons, each group on a height of its own;"
    )
    assert chart.caption.endswith("The 12 largest of 13 groups.")
    bars = chart.make(720)["layer"][0]["data"]["values"]
    assert min(bar["to"] for bar in bars if bar["significant"]) > 2.0
    assert max(bar["size"] for bar in bars if not bar["significant"]) <= 2.0
    assert len(chart.make(720)["layer"][1]["data"]["values"]) == 12
    assert len(bars) < 1000
    check(blocks_of(result))


def test_few_comparisons_with_long_names_can_be_read() -> None:
    check(blocks_of(_many(60, 12)))


def test_far_differences_stand_at_the_end_of_the_axis() -> None:
    group = PastGroup("a", [0.1 * i for i in range(1, 100)] + [500.0], [False] * 100, 8.0, 5)
    end = reach([group])
    assert 8.0 < end < 20.0
    drawn = past_comparisons([group], digits=2, width=720)
    sizes = [dot["size"] for dot in drawn["layer"][0]["data"]["values"]]
    assert max(sizes) == end
    assert f"over {end:g} drawn at {end:g}" in str(drawn)


def test_the_chart_of_power() -> None:
    chart = _chart(results.archive_audit(), "power")
    assert (chart.key, chart.twin) == (False, "power")
    assert chart.title == (
        "88% of past comparisons had less than 80% power for a difference of 1.50; 50% if paired"
    )
    assert chart.alt == f"{chart.title}. The median comparison detects 3.12."
    first, second = chart.make(720)["vconcat"]
    assert first["title"]["text"] == ["As published"]
    assert second["title"]["text"] == ["Paired by rater and item"]
    for panel, error in ((first, 0.625), (second, 0.5)):
        bars = panel["layer"][0]["data"]["values"]
        assert sum(bar["n"] for bar in bars) == 43
        # 80 % power needs 2.83 standard errors with 100 degrees of freedom.
        below = sum(2.8297 * e <= 1.5 for e in np.linspace(error, 2 * error, 43))
        assert sum(bar["n"] for bar in bars if bar["good"]) == below


def test_a_difference_of_the_detectable_size_is_not_smaller() -> None:
    whole = replace(results.archive_audit().overall, observed_mde=2.5)
    made = results.archive_audit(overall=whole)
    seen = replace(made.past.tested, difference=np.array([2.5, -2.5, 2.0, 3.0] + [9.0] * 39))
    chart = _chart(replace(made, past=replace(made.past, tested=seen)))
    assert chart.title.endswith("; 2% of 43 differences were smaller")  # one of them


def test_the_axis_ends_at_a_round_number_beyond_nearly_all() -> None:
    sizes = [0.1 * i for i in range(1, 101)]
    plain = PastGroup("a", sizes, [False] * 100, None, 0)
    assert reach([plain]) == 10.0  # 95 of 100 lie below 9.6
    marked = PastGroup("a", sizes, [False] * 100, 9.9, 2)
    assert reach([marked]) == 15.0  # beyond the tick, by a tenth
    assert reach([PastGroup("a", [0.0], [False], None, 0)]) == 1.0


# --- What the audit of a benchmark shows, against one made by hand ---


def _chart_of_benchmark_audit(name: str = "tasks", **changes: Any) -> Chart:
    made = block_of(results.benchmark_audit(**changes), f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_other_tasks() -> None:
    tasks = tuple(
        results.task_audit(task=name, mde=mde, predicted_improvement=NAN)
        for name, mde in ((LONG, 0.02), (JAPANESE, 0.005), ("c", 0.01))
    )
    chart = _chart_of_benchmark_audit(tasks=tasks, claims=(), power=0.9)
    assert chart.title == "Improvements of 0.50 to 2.00 points can be seen"
    assert chart.caption == "Grey: too small to be seen. 90% power, α = 0.05."
    check(blocks_of(results.benchmark_audit(tasks=tasks)))
    none = _chart_of_benchmark_audit(tasks=(results.task_audit(),))
    assert none.title == "None of 1 task can show any improvement"


def test_what_is_drawn_of_tasks() -> None:
    layers = _chart_of_benchmark_audit().make(720)["layer"]
    bars, _, claims, following = (one["data"]["values"] for one in layers[:4])
    assert [bar["to"] for bar in bars] == [pytest.approx(1.75 * 1.03), pytest.approx(0.375)]
    assert claims == [
        {"row": 0, "from": pytest.approx(1.75), "significant": False},
        {"row": 1, "from": pytest.approx(1.25), "significant": False},
        {"row": 1, "from": pytest.approx(-0.5), "significant": False},
    ]
    assert following == [
        {"row": 0, "from": -0.25},
        {"row": 1, "from": pytest.approx(0.225)},
    ]


# --- What the audit of a survey shows, against one made by hand ---


def _chart_of_survey_audit(**changes: Any) -> Chart:
    made = block_of(results.survey_audit(**changes), "chart studies")
    assert isinstance(made, Chart)
    return made


def test_what_is_drawn_of_studies() -> None:
    _, assumed, curve, dots = _chart_of_survey_audit().make(720)["layer"]
    assert assumed["encoding"]["y"] == {"datum": 0.0625}
    assert curve["data"]["values"] == [
        {"n": 20.0, "effect": 0.0625 * 4.75},
        {"n": 850.0, "effect": 0.0625 * 1.25},
    ]
    assert dots["data"]["values"][0] == {"n": 20.0, "effect": 0.5}
    assert len(dots["data"]["values"]) == 7
    quiet = _chart_of_survey_audit(bands=(results.size_band(type_m=NAN),))
    assert quiet.caption == "A dot is a study."
    assert len(quiet.make(720)["layer"]) == 2


def test_of_very_many_studies_a_part_is_drawn() -> None:
    n = 1201
    chart = _chart_of_survey_audit(
        sizes=np.arange(1.0, n + 1.0), effects=np.linspace(-1.0, 1.0, n)
    )
    assert chart.caption.startswith("A dot is a study; a part of them is drawn.")
    assert len(chart.make(720)["layer"][-1]["data"]["values"]) == 401
    check_readable(chart)
