"""What annotation tasks show."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from detectable.report.blocks import Block, Column, Repeat, Table, notes, opening, table
from detectable.study.tasks.result import Tasks
from detectable.study.tasks.rows import TaskRow

_KINDS = {
    "system": "outputs",
    "degraded": "degraded",
    "repeat": "repeated",
    "reference": "references",
}


def show(tasks: Tasks) -> Iterator[Block]:
    """Show what is handed out, the controls, what each rater gets, and how early pairs come."""
    yield opening("info", tasks.summary())
    yield raters(tasks)
    yield systems(tasks)
    if tasks.n_pairs:
        yield arrival(tasks)
    yield from notes(tasks.notes)
    yield Repeat(str(tasks.signature))


def raters(tasks: Tasks) -> Table:
    """Return what each rater gets."""
    work: dict[str, list[TaskRow]] = {}
    for row in tasks.rows:
        work.setdefault(row.rater, []).append(row)
    columns = [
        Column("rater", "rater", "name", of=lambda one: one[0]),
        Column("tasks", "tasks", "count", of=lambda one: len({row.task for row in one[1]})),
        Column("texts", "texts", "count", of=lambda one: len(one[1])),
    ]
    columns += [
        Column(title, title, "count", of=partial(_number, kind))
        for kind, title in _KINDS.items()
    ]
    return table("raters", "Work of each rater", columns, work.items())


def systems(tasks: Tasks) -> Table:
    """Return the degraded copies of each system, and how evenly raters see them."""
    raters_of: dict[str, Counter[str]] = {}
    for row in tasks.rows:
        raters_of.setdefault(row.rater, Counter())[row.system] += row.kind == "degraded"
    own = list(raters_of.values())
    columns = [
        Column("system", "system", "name", of=lambda one: one[0]),
        Column("degraded", "degraded", "count", of=lambda one: one[1]),
        Column("fewest", "fewest", "count", of=lambda one: min(seen[one[0]] for seen in own)),
        Column("most", "most", "count", of=lambda one: max(seen[one[0]] for seen in own)),
    ]
    title = "Degraded copies of each system, and the fewest and most that one rater sees"
    return table("degraded", title, columns, tasks.degraded_by_system.items())


def arrival(tasks: Tasks) -> Table:
    """Return how many pairs are complete after a share of the work."""
    columns = [
        Column("share", "work", "share", digits=0),
        Column("n_pairs", "pairs", "count"),
        Column(
            "complete",
            "complete",
            "share",
            digits=0,
            of=lambda one: one.n_pairs / tasks.n_pairs,
        ),
    ]
    title = "Pairs of outputs that one rater has judged, after a share of the work"
    return table("arrival", title, columns, tasks.arrival)


def _number(kind: str, work: tuple[str, list[TaskRow]]) -> int:
    return sum(row.kind == kind for row in work[1])
