"""What the audit of a benchmark shows."""

from collections.abc import Callable, Iterator
from typing import Any

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, notes, table
from detectable.study.audit.benchmark_audit import BenchmarkAudit


def show(result: BenchmarkAudit) -> Iterator[Block]:
    """Show which tasks can still support a comparison, and how past claims stand."""
    first, *rest = result.sentences()
    lost = any(task.support == "no" for task in result.tasks)
    yield Verdict("warning" if lost else "info", first, (" ".join(rest),))
    yield tasks(result)
    if result.look_back:
        yield look_back(result)
    yield from notes(result.notes)
    yield Repeat(str(result.signature))


def tasks(result: BenchmarkAudit) -> Table:
    """Return one row per task, in points of accuracy."""
    columns = (
        Column("task", "task", "name"),
        Column("n_items", "items", "count"),
        Column("best", "best", digits=1, of=_points("best")),
        Column("mde", "MDE", of=_points("mde"), none="none"),
        Column("mde_normal", "MDE, normal", of=_points("mde_normal"), none="none", keep=3),
        Column("n_claims", "claims", "count", keep=2),
        Column("mean_improvement", "mean claim", of=_points("mean_improvement"), short="mean"),
        Column("predicted_improvement", "next", of=_points("predicted_improvement")),
        Column("support", "can show it", "text", short="shows"),
    )
    note = (
        f"In points. MDE: smallest improvement seen with {result.power:.0%} power, none where the "
        "best leaves less. Next: improvement to be expected of the next system."
    )
    return table("tasks", "What each task can show", columns, result.tasks, note=note)


def look_back(result: BenchmarkAudit) -> Table:
    """Return the shares of past claims, by both forms of the test."""
    columns = (
        Column("method", "McNemar", "text"),
        Column("n_claims", "claims", "count"),
        Column("powered", "powered", "share", digits=1),
        Column("underpowered", "underpowered", "share", digits=1, short="under"),
        Column("significant", "significant", "share", digits=1, short="sign."),
        Column("powered_and_significant", "both", "share", digits=1),
        Column(
            "significant_among_powered",
            "significant of powered",
            "share",
            digits=1,
            short="of powered",
        ),
    )
    note = "Each claim at the gain that the other claims predict for it."
    return table("look-back", "Past claims", columns, result.look_back, note=note)


def _points(field: str) -> Callable[[Any], float | None]:
    def value(row: Any) -> float | None:
        fraction = getattr(row, field)
        return None if fraction is None else 100.0 * fraction

    return value
