"""What a replay of stopping procedures shows."""

from collections.abc import Iterator

from detectable.report.blocks import (
    DATA_ONLY,
    Block,
    Column,
    Repeat,
    Table,
    notes,
    opening,
    table,
)
from detectable.study.archive.procedure_savings import ProcedureRow, ProcedureSavings


def show(result: ProcedureSavings) -> Iterator[Block]:
    """Show who saves most, and power and judgments of every procedure at every budget."""
    yield opening("info", result.summary().removesuffix(" ".join(result.notes)).rstrip())
    yield savings(result)
    yield from notes(result.notes)
    yield Repeat(str(result.signature))


def _planned(row: ProcedureRow) -> str:
    return f"{row.budget:,} judgments planned"


def savings(result: ProcedureSavings) -> Table:
    """Return one row per budget and procedure: power, judgments, and what is saved.

    «Errs» is the chance to find a difference where there is none. A procedure that errs more
    often than the fixed test has no saving.
    """
    errors = dict(zip(result.procedures, result.type_one_errors, strict=True))
    unfair = result.unfair()
    fair = {
        (one.procedure, one.budget): one
        for one in result.savings
        if one.procedure not in unfair and one.judgments is not None
    }
    rows = [result.row(name, budget) for budget in result.budgets for name in result.procedures]

    def needed(row: ProcedureRow) -> float | None:
        one = fair.get((row.procedure, row.budget))
        return None if one is None else one.judgments

    def error(row: ProcedureRow) -> float | None:
        one = fair.get((row.procedure, row.budget))
        return None if one is None else one.judgments_error

    def saved(row: ProcedureRow) -> float | None:
        one = fair.get((row.procedure, row.budget))
        return None if one is None else one.saving

    columns = (
        Column("planned", "planned", "name", of=_planned),
        Column("budget", "budget", "count", keep=DATA_ONLY),
        Column("procedure", "procedure", "name"),
        Column("errs", "errs", "share", digits=1, keep=2, of=lambda row: errors[row.procedure]),
        Column("power", "power", digits=3),
        Column("judgments", "spent", digits=0),
        Column("needed", "to equal fixed", digits=0, of=needed, short="to equal", keep=2),
        Column("needed_error", "±", digits=0, of=error, keep=3),
        Column("saving", "saved", "share", digits=1, of=saved),
    )
    steps = range(len(result.procedures), len(rows), len(result.procedures))
    title = f"Power and judgments ({result.n_comparisons:,} comparisons, both systems together)"
    return table("savings", title, columns, rows, breaks=tuple(steps))
