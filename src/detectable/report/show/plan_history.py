"""What a plan with all its looks shows."""

from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict
from detectable.report.show.look import pairs
from detectable.study.monitoring.plan_history import PlanHistory


def show(history: PlanHistory) -> Iterator[Block]:
    """Show what was planned, and every look so far."""
    first, *others = history.summary().splitlines()
    yield Verdict("info", first, tuple(others))
    if history.looks:
        yield _with_time(history)
    yield Repeat(str(history.signature))


def _with_time(history: PlanHistory) -> Table:
    made = pairs("Looks", history.looks, look=lambda row: row.look, of=lambda row: row.pair)
    time = Column("time", "time", "text", keep=9)
    rows = tuple(
        (*cells, row.time) for cells, row in zip(made.rows, history.looks, strict=True)
    )
    return Table("looks", made.title, (*made.columns, time), rows)
