"""What the audit of a benchmark shows, against one made by hand."""

from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.results import NAN
from tests.report.shown.shown import block_of


def _chart(name: str = "tasks", **changes: Any) -> Chart:
    made = block_of(results.benchmark_audit(**changes), f"chart {name}")
    assert isinstance(made, Chart)
    return made


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
