"""The table of the pairs of a comparison: differences, intervals, p-values and verdicts."""

import math
from collections.abc import Callable, Sequence

from detectable.core.interval import Interval
from detectable.core.wording import visible
from detectable.report.blocks import DATA_ONLY, LONG, Column, Table, table
from detectable.report.claimed_pairs import interval_label, mde_label, p_label, p_of_verdict
from detectable.report.papers.tested import comparison_test
from detectable.study.comparison.pair import PairComparison
from detectable.study.comparison.result import Comparison


def pairs(result: Comparison) -> Table:
    """Return differences with verdicts."""
    corrected = result.correction != "none" and result.family_size > 1
    claimed = result.claim == "better" and bool(result.margin)

    def digits(pair: PairComparison) -> int:
        return result.digits(pair.metric)

    columns = (
        Column("metric", "metric", "name", of=lambda pair: result.label(pair.metric)),
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("difference", "difference", digits=digits, sign=True, short="diff."),
        Column(
            "interval",
            interval_label(result, corrected=corrected),
            "interval",
            digits=digits,
            sign=True,
            short=interval_label(result, corrected=False),
            help=_interval_help(result, corrected=corrected),
        ),
        Column("interval_level", "interval level", digits=2, keep=DATA_ONLY),
        Column("interval_alone", "interval alone", "interval", digits=digits, keep=DATA_ONLY),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted",
            p_label(result.correction, corrected=corrected),
            "p",
            keep=DATA_ONLY if claimed else 1,
            help="for the number of tests; the verdict goes by it" if corrected else "",
        ),
        Column("p_equivalence", "p equivalence", "p", keep=DATA_ONLY),
        Column(
            "p",
            p_label(result.correction, corrected=corrected),
            "p",
            of=p_of_verdict,
            help="of what the verdict says",
        )
        if claimed
        else None,
        Column("attainable_p", "smallest p", "p", keep=DATA_ONLY),
        Column(
            "mde",
            mde_label(result),
            digits=lambda pair: visible(pair.mde, digits(pair)),
            keep=3,
            help="smallest true difference that is found with this power"
            if result.claim == "better"
            else "smallest margin that equal systems are shown to keep with this power",
        ),
        *_run_columns(result, digits),
        Column("p_by_document", "p by documents", "p", keep=2)
        if any(pair.p_by_document == pair.p_by_document for pair in result.pairs)
        else None,
        Column("units_needed", f"{result.unit_word}s needed", "count", keep=DATA_ONLY),
        Column("runs_needed", "runs needed", "count", keep=DATA_ONLY),
        Column("verdict", "verdict", "verdict"),
    )
    order = [about["metric"] for about in result.metrics]
    rows = sorted(result.pairs, key=lambda pair: order.index(pair.metric))
    return table(
        "pairs",
        "Differences",
        columns,
        rows,
        breaks=breaks([pair.metric for pair in rows]),
        folded=len(rows) > LONG and (bool(result.groups) or len(rows) > 2 * LONG),
        caption=_caption(result, interval_label(result, corrected=corrected)),
    )


def _caption(result: Comparison, interval: str) -> str:
    """Return what a paper says of the pairs; a name in all rows is in no column there."""
    baselines = {pair.baseline for pair in result.pairs}
    against = f" to {baselines.pop()}" if len(baselines) == 1 else ""
    return f"Differences{against}, {interval} ({comparison_test(result)})."


def breaks(names: Sequence[str]) -> list[int]:
    """Return the rows before which a table is broken: where another name begins."""
    return [i for i in range(1, len(names)) if names[i] != names[i - 1]]


def _interval_help(result: Comparison, *, corrected: bool) -> str:
    about = "it holds 0 if and only if p is above the level"
    if result.claim != "better":
        about = f"both sides of the margin at {result.alpha:g}"
    return f"corrected like p; {about}" if corrected else about


def _run_columns(
    result: Comparison, digits: Callable[[PairComparison], int]
) -> tuple[Column, ...]:
    """Return the other claim about runs: that which the verdict is not about."""
    if all(pair.these_runs is None for pair in result.pairs):
        return ()
    name = "these_runs" if result.runs == "random" else "new_runs"
    label = "these runs" if result.runs == "random" else "new runs"

    def interval(pair: PairComparison) -> Interval | None:
        claim = getattr(pair, name)
        return None if claim is None else claim.interval

    def p(pair: PairComparison) -> float:
        claim = getattr(pair, name)
        return math.nan if claim is None else claim.p_adjusted

    return (
        Column(
            f"{name}_interval", label, "interval", digits=digits, sign=True, keep=2, of=interval
        ),
        Column(f"{name}_p", f"p, {label}", "p", keep=2, of=p),
    )
