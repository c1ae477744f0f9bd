"""Stopping procedures as a table."""

from detectable.core.wording import number
from detectable.report.table import Column, Table
from detectable.study.archive.procedure_savings import ProcedureSavings, Saving


def savings_table(result: ProcedureSavings) -> Table:
    """Return one row per budget and procedure: power, judgments, and what is saved.

    «Errs» is the chance to find a difference where there is none. A procedure that errs more
    often than the fixed test has no saving.
    """
    columns = (
        Column("procedure", "left"),
        Column("errs"),
        Column("planned"),
        Column("power"),
        Column("spent"),
        Column("to equal fixed"),
        Column("saved"),
    )
    savings = {(one.procedure, one.budget): one for one in result.savings}
    errors = dict(zip(result.procedures, result.type_one_errors, strict=True))
    unfair = result.unfair()
    rows = []
    for budget in result.budgets:
        for name in result.procedures:
            row = result.row(name, budget)
            one = None if name in unfair else savings.get((name, budget))
            rows.append(
                (
                    name,
                    f"{errors[name]:.1%}",
                    f"{budget:,}",
                    f"{row.power:.3f}".lstrip("0"),
                    f"{row.judgments:,.0f}",
                    *_equal(one),
                )
            )
    title = f"Power and judgments ({result.n_comparisons:,} comparisons, both systems together)"
    return Table(title, columns, tuple(rows))


def _equal(one: Saving | None) -> tuple[str, str]:
    if one is None or one.judgments is None or one.saving is None:
        return "–", "–"
    error = number(one.judgments_error, digits=0)
    return f"{one.judgments:,.0f} ± {error}", f"{one.saving:.1%}"
