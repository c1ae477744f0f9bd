"""What a replay of stopping procedures shows, with its picture."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.wording import capital, count, number, significant
from detectable.report import blocks
from detectable.report.charts.savings import (
    BySize,
    SizePart,
    Spending,
    power_by_part,
    powers_of_each,
    spent_by_size,
)
from detectable.report.charts.savings import savings as savings_chart
from detectable.study.archive.procedure_savings import (
    ProcedureRow,
    ProcedureSavings,
    SameCost,
    SizeRow,
    spoken_budget,
)

_GROUPS = 24  # dots of a line by size

_OPTIMISTIC = (
    "Resampling takes every observed difference for the true one, and observed differences are "
    "on average too large: the powers are optimistic. The savings compare procedures on the same "
    "draws, but hold only for differences as large as these."
)


def show_procedure_savings(result: ProcedureSavings) -> Iterator[blocks.Block]:
    """Show who saves most, and power and judgments of every procedure at every budget."""
    headline, more = _findings(result)
    yield blocks.Verdict("info", headline, (more,))
    yield from savings_charts(result)
    yield from size_charts(result)
    yield blocks.Text("limits", "What this does not show", _OPTIMISTIC)
    yield savings(result)
    yield from _by_size(result)
    yield from _checks(result)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def _checks(result: ProcedureSavings) -> Iterator[blocks.Text]:
    """Say how often each procedure finds a difference where there is none."""
    unfair = result.unfair()
    points: list[tuple[blocks.Mark, str]] = []
    fair = [
        f"{name} {error:.1%}"
        for name, error in zip(result.procedures, result.type_one_errors, strict=True)
        if name not in unfair
    ]
    if fair:
        points.append(("ok", f"Finds a difference where there is none: {', '.join(fair)}."))
    points += [("look", warning) for warning in _warnings(result)]
    yield blocks.Text("checks", "Error rates", points=tuple(points))


def _methods(result: ProcedureSavings) -> blocks.Methods:
    kind = "paired comparisons" if result.paired else "comparisons"
    budgets = f"{min(result.budgets):,} to {max(result.budgets):,} judgments"
    if len(result.budgets) == 1:
        budgets = f"{result.budgets[0]:,} judgments"
    best = result.best()
    found = ""
    if best is not None and best.judgments is not None and best.saving is not None:
        less = "fewer" if best.saving >= 0.0 else "more"
        found = (
            f" To equal the fixed test of {best.budget:,} judgments, {best.procedure} needed "
            f"{best.judgments:,.0f} ({abs(best.saving):.0%} {less})."
        )
    return blocks.Methods(
        f"We replayed {result.n_comparisons:,} past {kind} under "
        f"{count(len(result.procedures), 'stopping procedure')} with {budgets} planned, by drawing "
        f"from their own judgments {count(result.n_repeats, 'time')} each (after Wei et al., "
        f"2022).{found}",
        ("wei-etal-2022",),
    )


def _planned(row: ProcedureRow) -> str:
    return f"{row.budget:,} judgments planned"


def savings(result: ProcedureSavings) -> blocks.Table:
    """Return one row per budget and procedure: power, judgments, and what is saved.

    “Errs” is the chance to find a difference where there is none. A procedure that errs more
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
        blocks.Column("planned", "planned", "name", of=_planned),
        blocks.Column("budget", "budget", "count", keep=blocks.DATA_ONLY),
        blocks.Column("procedure", "procedure", "name"),
        blocks.Column(
            "errs", "errs", "share", digits=1, keep=2, of=lambda row: errors[row.procedure]
        ),
        blocks.Column("power", "power", digits=3),
        blocks.Column("judgments", "spent", digits=0),
        blocks.Column(
            "needed", "to equal fixed", digits=0, of=needed, short="to equal", keep=2
        ),
        blocks.Column("needed_error", "±", digits=0, of=error, keep=3),
        blocks.Column("saving", "saved", "share", digits=1, of=saved),
    )
    steps = range(len(result.procedures), len(rows), len(result.procedures))
    title = f"Power and judgments ({result.n_comparisons:,} comparisons, both systems together)"
    return blocks.table("savings", title, columns, rows, breaks=tuple(steps))


def _by_size(result: ProcedureSavings) -> Iterator[blocks.Table]:
    """Yield what the procedures do for differences of each size; the pictures' numbers."""
    if not _has_sizes(result):
        return
    procedure = blocks.Column("procedure", "procedure", "name")
    power = blocks.Column("power", "power", digits=3)
    spent = blocks.Column("judgments", "spent", digits=0)
    saved = blocks.Column("saving", "saved", "share", digits=1)
    low = blocks.Column("low", "from", keep=blocks.DATA_ONLY)
    high = blocks.Column("high", "below", keep=blocks.DATA_ONLY)
    many = blocks.Column("comparisons", "comparisons", "count", keep=blocks.DATA_ONLY)
    budget = blocks.Column("budget", "budget", "count", keep=blocks.DATA_ONLY)
    size = blocks.Column("size", "difference", "name", of=_size)
    wide = len(result.procedures)
    yield blocks.table(
        "sizes",
        f"By size of the true difference, {result.sizes[0].budget:,} judgments planned",
        (size, low, high, many, budget, procedure, power, spent, saved),
        result.sizes,
        breaks=tuple(range(wide, len(result.sizes), wide)),
        folded=True,
    )
    part = blocks.Column("part", "difference", "name", of=lambda row: _part(result, row))
    yield blocks.table(
        "parts",
        "Large and small differences",
        (
            part,
            low,
            high,
            many,
            blocks.Column("budget", "planned", "count"),
            procedure,
            power,
            spent,
            saved,
        ),
        result.parts,
        breaks=tuple(
            k
            for k in range(1, len(result.parts))
            if _part(result, result.parts[k]) != _part(result, result.parts[k - 1])
        ),
        folded=True,
    )


def _has_sizes(result: ProcedureSavings) -> bool:
    return len(result.sizes) > 0 and result.tallies.differences.size > 1


def _size(row: SizeRow) -> str:
    return f"{_range(row)} ({count(row.comparisons, 'comparison')})"


def _range(row: SizeRow) -> str:
    if row.high is None:
        return f"{row.low:g} or more"
    return f"below {row.high:g}" if row.low == 0.0 else f"{row.low:g} to {row.high:g}"


def _part(result: ProcedureSavings, row: SizeRow) -> str:
    if row.high is None and row.low == 0.0:
        return f"all ({count(row.comparisons, 'comparison')})"
    cut = significant(result.large or 0.0)
    what = f"below {cut}" if row.low == 0.0 else f"{cut} or more"
    return f"{what} ({count(row.comparisons, 'comparison')})"


# --- The pictures of what stopping procedures save ---


def savings_charts(result: ProcedureSavings) -> Iterator[blocks.Chart]:
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
    yield blocks.Chart(
        "savings",
        title,
        _caption(result),
        f"{title}. {_told(result)}",
        partial(savings_chart, procedures),
        "savings",
        key=True,
    )


def size_charts(result: ProcedureSavings) -> Iterator[blocks.Chart]:
    """Yield power and judgments by the size of the true difference (figures 4 to 6 of wei2022)."""
    if not _has_sizes(result):
        return
    sizes = np.abs(result.tallies.differences)
    cost = result.same_cost()
    if cost is not None:
        yield _powers(result, cost)
    yield _spent(result, sizes)
    if result.large is not None and len(result.budgets) > 1:
        yield _parts(result, sizes)


def _powers(result: ProcedureSavings, cost: SameCost) -> blocks.Chart:
    fixed, _ = result.each(str(result.reference), cost.fixed)
    other, _ = result.each(cost.procedure, cost.budget)
    more, less = int((other > fixed).sum()), int((other < fixed).sum())
    title = (
        f"For about {cost.fixed:,} judgments “{cost.procedure}” has more power in {more:,} "
        f"comparisons and less in {less:,}"
    )
    caption = (
        f"A dot per comparison; equal ones fall together. {cost.budget:,} judgments are planned, and "
        f"{cost.judgments:,.0f} collected on average. Above the line: more power than the fixed test."
    )
    names = (
        f"power, {result.reference} at {cost.fixed:,}",
        f"power, {cost.procedure} at {cost.budget:,}",
    )
    told = f"Average power {fixed.mean():.1%} and {other.mean():.1%}."
    draw = partial(powers_of_each, fixed.tolist(), other.tolist(), names=names)
    return blocks.Chart("powers", title, caption, f"{title}. {told}", draw, "sizes")


def _spent(result: ProcedureSavings, sizes: FloatArray) -> blocks.Chart:
    budget = result.sizes[0].budget
    unfair = result.unfair()
    lines = tuple(
        BySize(name, _averages(sizes, result.each(name, budget)[1]), fair=name not in unfair)
        for name in result.procedures
    )
    early = [name for name in result.procedures if name not in (*unfair, result.reference)]
    rows = [row for row in result.sizes if row.procedure == (early or result.procedures)[-1]]
    first, last = rows[0], rows[-1]
    title = (
        f"Of {budget:,} planned “{first.procedure}” collects {first.judgments:,.0f} where the "
        f"difference is {_range(first)}, {last.judgments:,.0f} where it is {_range(last)}"
    )
    caption = (
        f"Average number of judgments of both systems, {budget:,} planned, by the true difference: "
        "a dot for each group of comparisons of about the same size."
    )
    told = "; ".join(f"{_range(row)}: {row.judgments:,.0f}" for row in rows)
    draw = partial(spent_by_size, lines, planned=budget)
    return blocks.Chart("spent", title, caption, f"{title}. {told}.", draw, "sizes")


def _averages(sizes: FloatArray, spent: FloatArray) -> tuple[tuple[float, float], ...]:
    """Return average size and judgments of groups of neighbours, the last the largest."""
    order = np.argsort(sizes, kind="stable")
    groups = np.array_split(order, min(_GROUPS, sizes.size))
    return tuple((float(sizes[g].mean()), float(spent[g].mean())) for g in groups)


def _parts(result: ProcedureSavings, sizes: FloatArray) -> blocks.Chart:
    unfair, large = result.unfair(), result.large or 0.0
    chosen = {
        (0.0, None): np.ones(sizes.shape, np.bool_),
        (large, None): sizes >= large,
        (0.0, large): sizes < large,
    }
    parts = []
    for (low, high), those in chosen.items():
        rows = [row for row in result.parts if (row.low, row.high) == (low, high)]
        if not rows:
            continue
        procedures = tuple(
            Spending(
                name,
                tuple(
                    (float(row.budget), row.judgments, row.power)
                    for row in rows
                    if row.procedure == name
                ),
                fair=name not in unfair,
            )
            for name in result.procedures
        )
        parts.append(
            SizePart(capital(_part(result, rows[0])), procedures, sizes[those].tolist())
        )
    title = _parts_title(result)
    told = "; ".join(
        f"{_part(result, row)}, {row.procedure}: {row.power:.0%} for {row.judgments:,.0f}"
        for row in result.parts
        if row.budget == result.sizes[0].budget
    )
    caption = (
        "Higher at the same number of judgments is better. Below: how many comparisons have a true "
        "difference of each size; the last bar holds all beyond."
    )
    draw = partial(power_by_part, tuple(parts))
    return blocks.Chart("sizes", title, caption, f"{title}. {told}.", draw, "parts")


def _parts_title(result: ProcedureSavings) -> str:
    """Say what early stopping saves on large and on small differences, at the shown budget."""
    cut = significant(result.large or 0.0)
    cost = result.same_cost()
    budget = result.sizes[0].budget
    saved = {
        row.low > 0.0: row.saving
        for row in result.parts
        if cost is not None
        and (row.procedure, row.budget) == (cost.procedure, budget)
        and (row.low > 0.0 or row.high is not None)
    }
    large, small = saved.get(True), saved.get(False)
    if cost is None or large is None or small is None:
        return f"Power for what is spent on differences of {cut} or more, and below"
    return (
        f"Against {budget:,} fixed judgments “{cost.procedure}” {_saves(large)} for differences of "
        f"{cut} or more, {_saves(small)} below"
    )


def _saves(share: float) -> str:
    return f"{'saves' if share >= 0.0 else 'costs'} {abs(share):.0%}"


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
        f"{best.judgments:,.0f} judgments under “{best.procedure}” find what the fixed test finds "
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


def _warnings(result: ProcedureSavings) -> list[str]:
    """Return a sentence for each procedure that errs too often to be compared."""
    return [
        f"{name!r} is no rival: it finds a difference in {error:.1%} of the evaluations "
        "that have none."
        for name, error in result.unfair().items()
    ]


def _findings(result: ProcedureSavings) -> tuple[str, str]:
    """Say which procedure saves most, and what the others need."""
    kind = "paired comparison" if result.paired else "comparison"
    head = f"{count(result.n_comparisons, kind)}, {count(result.n_repeats, 'repetition')} each"
    unfair = result.unfair()
    done = [(one.saving, one) for one in result.savings if one.procedure not in unfair]
    fair = [(saving, one) for saving, one in done if saving is not None]
    if not fair:
        spoken = [
            f"{row.procedure!r} finds a difference in {row.power:.1%} with "
            f"{row.judgments:,.0f} judgments"
            for row in result.rows
            if row.budget == result.budgets[-1]
        ]
        return f"{head}.", f"Of {result.budgets[-1]:,} planned, {', '.join(spoken)}."
    budget = spoken_budget([one for _, one in fair])
    here = sorted((pair for pair in fair if pair[1].budget == budget), key=lambda x: -x[0])
    saved, best = here[0]
    verdict = (
        f"{best.procedure!r} saves {saved:.1%} of the judgments"
        if saved > 0.0
        else "Nothing saves judgments"
    )
    needs = [
        f"{one.procedure!r} {one.judgments:,.0f}{_error(one.judgments_error)} judgments "
        f"({number(-100.0 * saving, digits=1, sign=True)}%)"
        for saving, one in here
    ]
    return (
        f"{verdict} against the fixed test of {budget:,} ({head}).",
        f"The fixed test finds a difference in {best.power:.1%} of the evaluations; to equal "
        f"it need on average: {', '.join(needs)}.",
    )


def say_procedure_savings(result: ProcedureSavings) -> str:
    """Say which procedure saves most, what the others need, and what to beware of."""
    return " ".join([*_findings(result), *_warnings(result), _OPTIMISTIC, *result.notes])


def _error(standard_error: float | None) -> str:
    return "" if standard_error is None else f" ± {number(standard_error, digits=0)}"
