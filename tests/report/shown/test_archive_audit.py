"""What the audit of an archive shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.past import PastGroup, past_comparisons, reach
from detectable.study.audit.archive_audit import ArchiveAudit
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.results import NAN
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.archive_audit()) == [
        *("Verdict", "chart comparisons", "Text", "groups", "chart power", "power"),
        *("comparisons", "Text", "Methods", "Repeat"),
    ]
    without = results.archive_audit(target_difference=NAN)
    assert "power" not in shown(without)
    assert "chart power" not in shown(without)


def test_verdict() -> None:
    assert block_of(results.archive_audit(), "Verdict") == Verdict(
        status="info",
        headline="12 of 43 past comparisons (28%) were significant at 0.05.",
        detail=(
            "From 2.25 on, differences were found 95% of the time (9 comparisons); the median "
            "difference was 1.50.",
            "Paired by rater and item, the same judgments decide 21 of 43 (49%), from 1.75 on 95% of "
            "the time, and need 1,050 judgments per system instead of 2,050.",
        ),
    )


def test_limits() -> None:
    assert block_of(results.archive_audit(), "Text") == Text(
        "limits",
        "What past comparisons could have shown",
        "If the true difference is 1.50, the median of the archive, 88% of the comparisons had less "
        "than 80% power; half would have it with 2,050 judgments per system (the median was 512).",
    )


def test_the_table_of_groups() -> None:
    table = table_of(results.archive_audit(), "groups")
    assert (table.title, table.breaks, table.folded) == (
        "Past comparisons, rank-sum of all judgments, α = 0.05",
        (1,),
        False,
    )
    assert columns(table) == [
        "group: language, name",
        "significant: significant / sign., count",
        "total: of, count",
        "observed_mde: observed MDE / MDE, number",
        "above: above, count",
        "above_interval: sign. above, shares, keep 3",
        "median_difference: median diff. / median, number, keep 2",
        "paired_significant: paired sign. / paired, count",
        "paired_mde: paired MDE / MDE, number",
        "paired_above: above, count, keep 4",
    ]
    assert rows(table) == [
        "all | 12 | 43 | 2.25 | 9 | [50, 88]% | 1.50 | 21 | 1.75 | 18",
        "en-de | 12 | 40 | 2.25 | 9 | [50, 88]% | 1.50 | 21 | 1.75 | 18",
        "de-en | 0 | 3 | none | 0 | – | 0.75 | 0 | none | 0",
    ]
    assert csv_lines(table)[0].startswith(
        "group,significant,total,observed_mde,above,above_int"
    )
    assert csv_lines(table)[3] == "de-en,0,3,,0,,,0.75,0,,0"


def test_the_table_of_power() -> None:
    table = table_of(results.archive_audit(), "power")
    assert table.title == "Power to see 1.50 (80% asked for; medians per group)"
    assert columns(table) == [
        "group: language, name",
        "n: judgments, number, keep 2",
        "detectable: detectable, number",
        "underpowered: underpowered / under, share",
        "budget: budget, count",
        "paired_detectable: detectable if paired / paired, number, keep 2",
        "paired_underpowered: underpowered if paired / under, share, keep 3",
        "paired_budget: budget if paired / budget, count, keep 2",
    ]
    assert rows(table) == [
        "all | 512 | 3.12 | 88% | 2,050 | 2.50 | 50% | 1,050",
        "en-de | 512 | 3.12 | 88% | 2,100 | 2.50 | 50% | 1,100",
        "de-en | 1,200 | 1.25 | 0% | 640 | 3.12 | 88% | 2,100",
    ]


def test_without_pairing_and_groups() -> None:
    whole = results.group_audit(group="all")
    made = results.archive_audit(groups=(whole,), overall=whole, by=None, test="reported")
    table = table_of(made, "groups")
    assert table.title == "Past comparisons, as reported, α = 0.05"
    assert rows(table) == ["all | 12 | 40 | 2.25 | 9 | [50, 88]% | 1.50"]
    assert table.breaks == ()
    assert rows(table_of(made, "power")) == ["all | 512 | 3.12 | 88% | 2,100"]


def test_a_group_that_could_not_be_paired() -> None:
    made = results.archive_audit()
    made = replace(made, groups=(replace(made.groups[0], paired=None),))
    assert rows(table_of(made, "groups"))[1].endswith("1.50 | – | none | –")


def test_notes_and_repeat() -> None:
    assert Text(
        role="note", title="Notes", points=(("plain", "One campaign left out."),)
    ) in blocks_of(results.archive_audit())
    assert block_of(results.archive_audit(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_the_table_of_comparisons() -> None:
    table = table_of(results.archive_audit(), "comparisons")
    assert table.folded
    assert columns(table) == [
        "group: language, name",
        "difference: difference, signed number",
        "p_value: p, p",
        "standard_error: SE, number, keep 2",
        "n: judgments, number, keep 2",
        "paired_difference: paired, signed number, keep 3",
        "paired_p_value: paired p, p, keep 3",
        "paired_standard_error: paired SE, number, keep 4",
    ]
    assert rows(table)[0] == "en-de | +0.10 | .5000 | 0.62 | 512 | +0.23 | .2500 | 0.50"
    assert rows(table)[-2].startswith("de-en | −0.75")
    assert len(table.rows) == 43
    made = results.archive_audit(by=None)
    alone = replace(made, past=replace(made.past, paired=None))
    assert [column.key for column in table_of(alone, "comparisons").columns] == [
        *("difference", "p_value", "standard_error", "n")
    ]
    assert table_of(alone, "comparisons").title == "Every past comparison"


def _chart(result: ArchiveAudit, name: str = "comparisons") -> Chart:
    made = block_of(result, f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_comparisons() -> None:
    chart = _chart(results.archive_audit())
    assert (chart.key, chart.twin) == (True, "comparisons")
    # Of .1 to 4.0, and .25, .75 and 1.25, those below 2.25.
    assert (
        chart.title == "Differences from 2.25 on were found; 58% of 43 differences were smaller"
    )
    assert chart.caption == (
        "● significant at 0.05, ○ not. Tick: observed detectable difference, from which on 95% were "
        "significant; in brackets: how many it stands on."
    )
    assert chart.alt == (
        f"{chart.title}. en-de: 12 of 40 significant, from 2.25 on (9 above). de-en: 0 of 3 "
        "significant, no detectable difference."
    )
    drawn = chart.make(720)["layer"][0]["data"]["values"]
    assert sum(dot["significant"] for dot in drawn) == 12
    assert min(dot["size"] for dot in drawn if dot["significant"]) == pytest.approx(2.9)
    assert len(drawn) == 43


def test_the_chart_without_groups_or_without_a_detectable_difference() -> None:
    whole = replace(results.archive_audit().overall, observed_mde=None)
    chart = _chart(results.archive_audit(by=None, overall=whole, alpha=0.001))
    assert chart.title == "Not even the largest of 43 differences was significant"
    assert chart.caption.startswith("● significant at 0.001")
    assert "all: 12 of 43 significant, no detectable difference." in chart.alt
    drawn = chart.make(720)["layer"][0]["data"]["values"]
    assert not any(dot["significant"] for dot in drawn)


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


def test_methods() -> None:
    assert block_of(results.archive_audit(), "Methods") == Methods(
        "We looked back at 43 past comparisons, tested by a rank-sum test of all judgments of both "
        "systems at α = 0.05 (Wei et al., 2022): 12 were significant. The observed detectable "
        "difference, from which on 95% of the comparisons were significant, is 2.25 (9 comparisons "
        "above it). If the true difference is 1.50, the median of the archive, 88% of the "
        "comparisons had less than 80% power; half would have it with 2,050 judgments per system "
        "(the median was 512).",
        ("wei-etal-2022",),
    )
    made: Any = block_of(results.archive_audit(test="reported"), "Methods")
    assert "tested as reported at α = 0.05" in made.paragraph


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
