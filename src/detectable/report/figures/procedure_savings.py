"""The picture of what stopping procedures save."""

from collections.abc import Iterator
from functools import partial

from detectable.report.blocks import Chart
from detectable.report.charts.savings import Spending, savings
from detectable.study.archive.procedure_savings import ProcedureSavings


def savings_charts(result: ProcedureSavings) -> Iterator[Chart]:
    """Yield what is spent and found, where there are two budgets or more."""
    if len(result.budgets) < 2:
        return
    unfair = result.unfair()
    procedures = tuple(
        Spending(
            name,
            tuple(
                (
                    float(budget),
                    result.row(name, budget).judgments,
                    result.row(name, budget).power,
                )
                for budget in sorted(result.budgets)
            ),
            fair=name not in unfair,
        )
        for name in result.procedures
    )
    title = savings_title(result)
    yield Chart(
        "savings",
        title,
        _caption(result),
        f"{title}. {_told(result)}",
        partial(_drawn, procedures),
        "savings",
        key=True,
    )


def _drawn(procedures: tuple[Spending, ...], width: int) -> dict[str, object]:
    return savings(procedures, width=width)


def savings_title(result: ProcedureSavings) -> str:
    """Say how few judgments find as much as the fixed test, at the budget of the verdict."""
    best = result.best()
    if best is None or best.judgments is None or (best.saving or 0.0) <= 0.0:
        most = max(result.budgets)
        fair = [name for name in result.procedures if name not in result.unfair()]
        least = min((result.row(name, most) for name in fair), key=lambda r: r.judgments)
        return (
            f"Of {most:,} planned judgments {least.procedure} spends {least.judgments:,.0f}, with "
            f"{least.power:.0%} power"
        )
    return (
        f"{best.judgments:,.0f} judgments under «{best.procedure}» find what the fixed test finds "
        f"with {best.budget:,}"
    )


def _caption(result: ProcedureSavings) -> str:
    parts = ["A line per procedure, a dot per budget."]
    unfair = result.unfair()
    if unfair:
        parts.append("Grey dots: errs more often than the fixed test, so no rival.")
    return " ".join(parts)


def _told(result: ProcedureSavings) -> str:
    most = max(result.budgets)
    told = [
        f"{row.procedure} {row.judgments:,.0f} with {row.power:.0%} power"
        for row in (result.row(name, most) for name in result.procedures)
    ]
    return f"Spent of {most:,} planned judgments: {'; '.join(told)}."
