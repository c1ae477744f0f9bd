"""Numbers and sentences of a gate that its text, Markdown, JUnit and annotations share."""

import math

from detectable.core.wording import count, decimals, listing, number, p_statement, significant
from detectable.study.gate.result import FEWEST_CLUSTERS, Gate, GateRow

_RULES = {
    "non-inferiority": "non-inferiority margin",
    "superiority": "superiority",
    "no-regression": "no-regression, tolerance",
}


def digits_of(gate: Gate) -> dict[str, int]:
    """Return how many decimals the scores of every metric need: three for shares, two for points.

    Of all metrics at once, for every row asks, and there may be thousands.
    """
    largest: dict[str, float] = {}
    for row in gate.rows:
        largest[row.metric] = max(largest.get(row.metric, 0.0), abs(row.old), abs(row.new))
    return {metric: _digits(size, gate.margin.get(metric)) for metric, size in largest.items()}


def _digits(largest: float, margin: float | None) -> int:
    digits = 3 if largest <= 2.0 else 2 if largest <= 200.0 else 1
    return digits if margin is None else max(digits, min(decimals(margin) + 1, 6))


def short(value: float, *, digits: int = 3, sign: bool = False) -> str:
    """Return a number without the zero before its point, as tables of shares have it.

    Examples
    --------
    >>> short(0.6291), short(-0.0048, sign=True), short(1.5, digits=1)
    ('.629', '−.005', '1.5')
    """
    text = number(value, digits=digits, sign=sign)
    for before in ("0.", "+0.", "−0."):
        if text.startswith(before) and digits:
            return before[:-2] + text[len(before) - 1 :]
    return text


def level_of(gate: Gate) -> str:
    """Return the level of the intervals in percent.

    Examples
    --------
    >>> f"{100 * (1 - 2 * 0.05):.6g}"
    '90'
    """
    return f"{100.0 * (1.0 - 2.0 * gate.alpha):.6g}"


def setting(gate: Gate) -> str:
    """Say what was gated against what, by which rule, on how much."""
    first = [row for row in gate.rows if row.metric == gate.rows[0].metric]
    n = sum(row.n_items for row in first)
    k = sorted(
        {round(row.samples_new, 1) for row in first}
        | {round(row.samples_old, 1) for row in first}
    )
    size = count(n, "question")
    if k[-1] > 1.0:
        size += f" × {k[0]:g} samples" if len(k) == 1 else f" × {k[0]:g} to {k[-1]:g} samples"
    groups = sum(row.n_clusters for row in first)
    parts = [
        f"{gate.system} against baseline {gate.baseline}",
        ", ".join(gate.metrics),
        _rule(gate),
        f"α = {short_alpha(gate.alpha)} one-sided",
        size,
    ]
    if groups < n:
        parts.append(count(groups, "group"))
    if gate.attempt is not None:
        parts.append(f"attempt {gate.attempt}")
    return ", ".join(parts)


def _rule(gate: Gate) -> str:
    words = _RULES[gate.rule]
    if not gate.margin:
        return words
    if len(set(gate.margin.values())) == 1:
        return f"{words} {significant(next(iter(gate.margin.values())))}"
    each = " ".join(f"{name} {significant(value)}" for name, value in gate.margin.items())
    return f"{words}s {each}"


def short_alpha(alpha: float) -> str:
    """Return a level without the zero before its point.

    Examples
    --------
    >>> short_alpha(0.05), short_alpha(0.0125)
    ('.05', '.0125')
    """
    return f"{alpha:.6g}".removeprefix("0")


def interval_of(row: GateRow, digits: int) -> str:
    """Return ``−.005 … +.121``, or a dash where nothing is known."""
    if math.isnan(row.interval.low):
        return "–"
    low, high = (
        short(end, digits=digits, sign=True) for end in (row.interval.low, row.interval.high)
    )
    return f"{low} … {high}"


def outcome_of(row: GateRow) -> str:
    """Return the outcome, marked where it does not decide."""
    return f"{row.outcome} (watched)" if row.watched else row.outcome


def in_brackets(row: GateRow, digits: int) -> str:
    """Return ``−.060 [−.090, −.020], margin .05``, for one line about a row."""
    value = short(row.difference, digits=digits, sign=True)
    if math.isnan(row.interval.low):
        shown = value
    else:
        low, high = (
            short(x, digits=digits, sign=True) for x in (row.interval.low, row.interval.high)
        )
        shown = f"{value} [{low}, {high}]"
    if math.isnan(row.margin):
        return shown
    return f"{shown}, margin {short(row.margin, digits=decimals(row.margin))}"


def about(gate: Gate, row: GateRow, digits: int) -> str:
    """Say in one line what a row found, and why it did not pass."""
    found = in_brackets(row, digits)
    if row.outcome == "pass":
        return found
    return f"{found}: {why(gate, row)}."


def say_gate(gate: Gate) -> str:
    """Say the outcome, and which rows it is due to."""
    return " ".join((headline(gate), *details(gate)))


def headline(gate: Gate) -> str:
    """Say the outcome in one sentence."""
    rows = [row for row in gate.deciding if row.outcome == gate.outcome]
    named = listing(gate.labels(rows))
    if gate.outcome == "fail":
        return f"Gate: fail. {gate.system} is worse than {gate.baseline} on {named}."
    if gate.outcome == "inconclusive":
        return f"Gate: inconclusive. These questions cannot tell on {named}."
    many = f" on all {len(rows)} rows" if len(rows) > 1 else ""
    if gate.rule == "superiority":
        return f"Gate: pass. {gate.system} is better than {gate.baseline}{many}."
    if gate.rule == "no-regression":
        return (
            f"Gate: pass. No loss of {gate.system} against {gate.baseline} was found{many}, "
            "and one that matters would have been."
        )
    margins = listing([significant(margin) for margin in dict.fromkeys(gate.margin.values())])
    return (
        f"Gate: pass. {gate.system} is not worse than {gate.baseline} by more than "
        f"{margins}{many}."
    )


def details(gate: Gate) -> tuple[str, ...]:
    """Say one sentence about every deciding row that needs one."""
    said = []
    rows = gate.deciding
    for row, name in zip(rows, gate.labels(rows), strict=True):
        if row.outcome == "inconclusive":
            said.append(f"{name} cannot tell: {why(gate, row)}.")
        elif row.outcome == "fail":
            said.append(
                f"{name} fails: {number(row.old, digits=3)} before, "
                f"{number(row.new, digits=3)} now; {why(gate, row)}."
            )
        elif gate.rule == "non-inferiority" and row.is_within(gate.alpha):
            said.append(f"{name} is worse, though by less than the margin.")
    return tuple(said)


def why(gate: Gate, row: GateRow) -> str:
    """Say why a row that did not pass did not, and what would help."""
    if row.is_inferior(gate.alpha):
        return (
            f"the loss is shown to be larger than {significant(row.margin)} "
            f"({p_statement(row.p_inferior)})"
        )
    if row.outcome == "fail":
        return f"a loss is shown ({p_statement(row.p_worse_adjusted)})"
    if row.n_clusters == 1:
        alone = (
            "there is one question" if row.n_items == 1 else "all questions are in one group"
        )
        return f"{alone}, so nothing is known about chance"
    if math.isnan(row.margin_passable) and row.unchanged:
        return "every question has the same difference, so nothing is known about its spread"
    if row.too_few:
        what = "question" if row.n_clusters == row.n_items else "group"
        return f"{count(row.n_clusters, what)} are too few to pass; {FEWEST_CLUSTERS} are the least"
    size = count(row.n_items, "question")
    if row.n_clusters < row.n_items:
        size += f" in {count(row.n_clusters, 'group')}"
    if math.isnan(row.margin_passable) or row.n_needed is None:
        return size
    often = "4 times in 5" if gate.power == 0.8 else f"with a chance of {gate.power:.0%}"
    if gate.rule == "no-regression":
        return (
            f"{size}; it would have seen a loss of {significant(row.margin_passable)} or more "
            f"{often}, not one of {significant(row.margin)}. About {row.n_needed:,} questions "
            "would"
        )
    if row.n_needed <= row.n_items:
        return f"{size}; an unchanged system would pass {often}"
    return (
        f"{size}. About {row.n_needed:,} questions (or a margin of "
        f"{number(row.margin_passable, digits=3)}) would pass {often} if nothing changed"
    )
