"""Numbers and sentences of a gate that its text, Markdown, JUnit and annotations share."""

import math
from collections.abc import Sequence

from detectable.core.wording import count, decimals, listing, number, p_statement, significant
from detectable.report.blocks import Percent
from detectable.study.gate.relative import TOP_SHARE
from detectable.study.gate.result import FEWEST_CLUSTERS, Gate, GateRow

_RULES = {
    "non-inferiority": "non-inferiority margin",
    "superiority": "superiority",
    "no-regression": "no-regression, tolerance",
}


_SMALL = 0.01  # scores that three decimals would not show


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
    if 0.0 < largest < _SMALL:
        digits = 2 - math.floor(
            math.log10(largest)
        )  # costs of a sample are thousandths of a dollar
    return digits if margin is None else max(digits, min(decimals(margin) + 1, 6))


def shown(row: GateRow, value: float) -> float:
    """Return a number of a row: where its margin is a share of the old score, one in percent."""
    return Percent(value) if row.relative else value


def margin_of(row: GateRow) -> str:
    """Return the margin of a row, as it was typed."""
    return _margin_text(row.margin, relative=row.relative)


def _margin_text(margin: float, *, relative: bool) -> str:
    return f"{significant(100.0 * margin)}%" if relative else significant(margin)


def short(value: float, *, digits: int = 3, sign: bool = False) -> str:
    """Return a number without the zero before its point, as tables of shares have it.

    Examples
    --------
    >>> short(0.6291), short(-0.0048, sign=True), short(1.5, digits=1)
    ('.629', '−.005', '1.5')
    """
    if isinstance(value, Percent):
        return f"{number(100.0 * value, digits=1, sign=sign)}%"
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
    first = tasks_once(gate.rows)
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
        ", ".join(dict.fromkeys(row.metric for row in gate.rows if row.method != "mover")),
        _rule(gate),
        f"α = {short_alpha(gate.alpha)} one-sided",
        size,
    ]
    if groups < n:
        parts.append(count(groups, "group"))
    if gate.attempt is not None:
        parts.append(f"attempt {gate.attempt}")
    return ", ".join(parts)


def tasks_once(rows: Sequence[GateRow]) -> list[GateRow]:
    """Return one row for every task, whatever metrics it has; none of its parts, nor of a mean."""
    known: dict[str, GateRow] = {}
    for row in rows:
        if not row.slice and row.method != "mover":
            known.setdefault(row.task, row)
    return list(known.values())


def margins_of(gate: Gate) -> dict[str, str]:
    """Return the margins, as they were typed."""
    shares = {row.metric for row in gate.rows if row.relative}
    return {
        name: _margin_text(value, relative=name in shares)
        for name, value in gate.margin.items()
    }


def _rule(gate: Gate) -> str:
    words, margins = _RULES[gate.rule], margins_of(gate)
    if not margins:
        return words
    if len(set(margins.values())) == 1:
        return f"{words} {next(iter(margins.values()))}"
    each = " ".join(f"{name} {value}" for name, value in margins.items())
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
        short(shown(row, end), digits=digits, sign=True)
        for end in (row.interval.low, row.interval.high)
    )
    return f"{low} … {high}"


def outcome_of(row: GateRow, *, marked: bool = True) -> str:
    """Return the outcome, marked where it does not decide."""
    if row.untested:
        return "too few"
    return f"{row.outcome} (watched)" if row.watched and marked else row.outcome


def in_brackets(row: GateRow, digits: int) -> str:
    """Return ``−.060 [−.090, −.020], margin .05``, for one line about a row."""
    value = short(shown(row, row.difference), digits=digits, sign=True)
    if math.isnan(row.interval.low):
        found = value
    else:
        low, high = (
            short(shown(row, x), digits=digits, sign=True)
            for x in (row.interval.low, row.interval.high)
        )
        found = f"{value} [{low}, {high}]"
    if math.isnan(row.margin):
        return found
    if row.relative:
        return f"{found}, margin {margin_of(row)}"
    return f"{found}, margin {short(row.margin, digits=decimals(row.margin))}"


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
    # One model has several versions, and its log names the model.
    same = gate.system == gate.baseline
    new, old = ("New", "the baseline") if same else (gate.system, gate.baseline)
    if gate.outcome == "fail":
        return f"Gate: fail. {new} is worse than {old} on {named}."
    if gate.outcome == "inconclusive":
        return f"Gate: inconclusive. These questions cannot tell on {named}."
    many = f" on all {len(rows)} rows" if len(rows) > 1 else ""
    if gate.decide == "overall":
        others = [row for row in rows[:-1] if row.relative]
        beside = f" and {listing(gate.labels(others))}" if others else ""
        many = f" in the {rows[-1].task}{beside}"
    if gate.rule == "superiority":
        return f"Gate: pass. {new} is better than {old}{many}."
    if gate.rule == "no-regression":
        return (
            f"Gate: pass. No loss{'' if same else f' of {new}'} against {old} was found{many}, "
            "and one that matters would have been."
        )
    known = margins_of(gate)
    margins = listing(
        list(dict.fromkeys(known.get(row.metric) or margin_of(row) for row in rows))
    )
    return f"Gate: pass. {new} is not worse than {old} by more than {margins}{many}."


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


def why(gate: Gate, row: GateRow) -> str:  # noqa: C901 (one reason after another)
    """Say why a row that did not pass did not, and what would help."""
    if row.is_inferior(gate.alpha):
        return (
            f"the loss is shown to be larger than {margin_of(row)} "
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
    if row.top_share > TOP_SHARE and row.p_margin <= gate.alpha:
        return f"one question holds {row.top_share:.0%} of the spread, so a pass is not trusted"
    size = count(row.n_items, "question")
    if row.n_clusters < row.n_items and row.method != "mover":
        size += f" in {count(row.n_clusters, 'group')}"
    if math.isnan(row.margin_passable) or row.n_needed is None:
        return size
    often = "4 times in 5" if gate.power == 0.8 else f"with a chance of {gate.power:.0%}"
    if gate.rule == "no-regression":
        return (
            f"{size}; it would have seen a loss of {_seen(row)} or more "
            f"{often}, not one of {margin_of(row)}. About {row.n_needed:,} questions "
            "would"
        )
    if row.n_needed <= row.n_items:
        return f"{size}; an unchanged system would pass {often}"
    return (
        f"{size}. About {row.n_needed:,} questions (or a margin of "
        f"{_said(row, row.margin_passable)}) would pass {often} if nothing changed"
    )


def _seen(row: GateRow) -> str:
    return _margin_text(row.margin_passable, relative=row.relative)


def _said(row: GateRow, margin: float) -> str:
    if row.relative:
        return f"{number(100.0 * margin, digits=1)}%"
    return number(margin, digits=3)
