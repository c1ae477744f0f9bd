"""What a gate shows, against one made by hand."""

import functools
from typing import Any, cast

from detectable.report.blocks_of import blocks_of
from detectable.report.charts.forest import Panel
from detectable.report.shown.gate import differences
from detectable.study.gate.result import GateRow
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.results import gate_row


def test_the_picture_is_readable() -> None:
    check(blocks_of(results.gate()))
    many = tuple(
        gate_row(f"a-task-with-a-rather-long-name-{i}", outcome=outcome)
        for i, outcome in enumerate(("pass", "fail", "inconclusive") * 8)
    )
    check(blocks_of(results.gate(rows=many)))
    two = tuple(gate_row(t, metric=m) for m in ("accuracy", "f1") for t in ("math", "code"))
    check(blocks_of(results.gate(rows=two, margin={"accuracy": 0.05, "f1": 0.05})))


def test_tasks_with_metrics_of_their_own_are_all_drawn() -> None:
    rows = (gate_row("math", metric="accuracy"), gate_row("code", metric="f1"))
    found = results.gate(rows=rows, margin={"accuracy": 0.05, "f1": 0.05})
    check(blocks_of(found))
    (chart,) = differences(found)
    for width in (360, 720):
        panels = chart.make(width)["vconcat"]
        assert [panel["title"]["text"] for panel in panels] == ["accuracy", "f1"]


def test_better_is_right_also_where_lower_is_better() -> None:
    def panel(row: GateRow) -> Panel:
        (chart,) = differences(results.gate(rows=(row,), margin={"accuracy": 0.05}))
        ((found,),) = cast("functools.partial[Any]", chart.draw).args
        return cast("Panel", found)

    lower = panel(gate_row(old=30.0, new=29.0, difference=-1.0, higher_is_better=False))
    assert (lower.reverse, lower.margins) == (True, (0.05,))
    higher = panel(gate_row())
    assert (higher.reverse, higher.margins) == (False, (-0.05,))
