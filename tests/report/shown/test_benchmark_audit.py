"""What the audit of a benchmark shows, against one made by hand."""

from typing import Any

import pytest

from detectable.report.blocks import Chart, Methods, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.results import NAN
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    made = results.benchmark_audit()
    assert shown(made) == [
        *("Verdict", "chart tasks", "Text", "tasks", "chart power", "look-back", "claims"),
        *("Text", "Methods", "Repeat"),
    ]
    alone = results.benchmark_audit(look_back=(), notes=(), claims=())
    assert shown(alone) == ["Verdict", "chart tasks", "Text", "tasks", "Methods", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.benchmark_audit(), "Verdict") == Verdict(
        status="warning",
        headline="1 of 2 tasks can no longer show the improvement that is typically claimed: small.",
        detail=(
            "1 more cannot show the smaller one that is to be expected next: large.",
            "Of 14 past claims 50.0% had at least 80% power for the gain to be expected (50.0% were "
            "underpowered), 37.5% would have been significant, 25.0% were both.",
        ),
    )
    fine = results.benchmark_audit(tasks=(results.task_audit(support="yes"),))
    verdict = block_of(fine, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.status == "info"


def test_the_table_of_tasks() -> None:
    table = table_of(results.benchmark_audit(), "tasks")
    assert columns(table) == [
        "task: task, name",
        "n_items: items, count",
        "best: best, number",
        "mde: MDE, number",
        "mde_normal: MDE, normal, number, keep 3",
        "n_claims: claims, count, keep 2",
        "mean_improvement: mean claim / mean, number",
        "predicted_improvement: next, number",
        "support: can show it / shows, text",
    ]
    assert rows(table) == [
        "small | 277 | 91.8 | none | 5.25 | 4 | 1.75 | −0.25 | no",
        "large | 40,430 | 87.5 | 0.38 | 0.35 | 10 | 1.25 | 0.22 | not the next",
    ]
    assert csv_lines(table)[1].startswith("small,277,91.75,,5.25,4,1.75")


def test_the_table_of_past_claims() -> None:
    table = table_of(results.benchmark_audit(), "look-back")
    assert columns(table)[1:4] == [
        "n_claims: claims, count",
        "powered: powered, share, keep 2",
        "underpowered: underpowered / under, share",
    ]
    assert rows(table) == [
        "exact | 14 | 50.0% | 50.0% | 37.5% | 25.0% | 12.5%",
        "normal | 14 | 50.0% | 50.0% | 62.5% | 25.0% | 12.5%",
    ]


def test_limits() -> None:
    assert block_of(results.benchmark_audit(), "Text") == Text(
        "limits",
        "What each task could show",
        "On 2 of 2 tasks the improvement to be expected next is too small to be seen with 80% power: "
        "small, large. Agreement of two systems: prior glue, the default (80% power, α = 0.05).",
    )
    able = results.task_audit(mde=0.01, predicted_improvement=0.02)
    unknown = results.task_audit(predicted_improvement=NAN)
    said = block_of(results.benchmark_audit(tasks=(able, unknown)), "Text")
    assert isinstance(said, Text)
    assert said.text.startswith("On 0 of 1 task the improvement to be expected next")
    assert "power. Agreement" in said.text


def test_the_table_of_claims() -> None:
    table = table_of(results.benchmark_audit(), "claims")
    assert columns(table) == [
        "task: task, name",
        "before: to beat, number",
        "gain: claim, signed number",
        "predicted: to be expected / expected, signed number",
        "power: power, number, keep 2",
        "significant: significant / sign., text",
    ]
    assert rows(table) == [
        "small | 90.0 | +1.75 | +1.00 | 0.12 | no",
        "large | 87.5 | +1.25 | +0.20 | 0.88 | no",
        "large | 90.0 | −0.50 | – | – | –",
    ]
    assert not table.folded
    yes = (results.past_claim(significant=True),) * 13
    many = table_of(results.benchmark_audit(claims=yes), "claims")
    assert many.folded
    assert rows(many)[0].endswith("| yes")


def _chart(name: str = "tasks", **changes: Any) -> Chart:
    made = block_of(results.benchmark_audit(**changes), f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_tasks() -> None:
    chart = _chart()
    assert (chart.key, chart.twin) == (True, "tasks")
    assert chart.title == "Improvements of 0.38 points can be seen; on 1 task none can"
    assert chart.caption == (
        "Grey: too small to be seen. ● past claim that would have been significant, ○ other. Orange "
        "tick: what is to be expected next. 80% power, α = 0.05."
    )
    assert chart.alt == (
        f"{chart.title}. Smallest improvement seen, in points: small: none of 277 items. large: 0.38 "
        "of 40,430 items."
    )


def test_the_chart_of_other_tasks() -> None:
    tasks = tuple(
        results.task_audit(task=name, mde=mde, predicted_improvement=NAN)
        for name, mde in ((LONG, 0.02), (JAPANESE, 0.005), ("c", 0.01))
    )
    chart = _chart(tasks=tasks, claims=(), power=0.9)
    assert chart.title == "Improvements of 0.50 to 2.00 points can be seen"
    assert chart.caption == "Grey: too small to be seen. 90% power, α = 0.05."
    check(blocks_of(results.benchmark_audit(tasks=tasks)))
    none = _chart(tasks=(results.task_audit(),))
    assert none.title == "None of 1 task can show any improvement"


def test_what_is_drawn_of_tasks() -> None:
    layers = _chart().make(720)["layer"]
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


def test_the_chart_of_power() -> None:
    chart = _chart("power")
    assert chart.twin == "claims"
    assert (
        chart.title
        == "50% of 14 past claims had less than 80% power for the gain to be expected"
    )
    assert chart.alt == f"{chart.title}. The median power is 0.88."
    [panel] = chart.make(720)["vconcat"]
    bars = panel["layer"][0]["data"]["values"]
    assert [(bar["n"], bar["good"]) for bar in bars] == [(1, False), (1, True)]
    assert bars[0]["from"] <= 0.125 <= bars[0]["to"] + 0.01
    assert "chart power" not in shown(results.benchmark_audit(claims=()))


def test_methods() -> None:
    assert block_of(results.benchmark_audit(), "Methods") == Methods(
        "For 2 tasks we computed the smallest improvement over the best system that McNemar's exact "
        "test shows with 80% power at α = 0.05 (Card et al., 2020), taking how often two systems "
        "agree from prior glue, the default. Improvements of 0.38 points can be seen; on 1 task none "
        "can. Of 14 past claims, 50.0% had less power than that for the gain which a regression on "
        "the other claims predicts.",
        ("card-etal-2020",),
    )
