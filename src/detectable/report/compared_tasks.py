"""The tables of a comparison about its parts: a row per task, and the noise of samples."""

from collections.abc import Iterator

from detectable.core.wording import listing, number, visible
from detectable.report.blocks import DATA_ONLY, LONG, Column, Table, table
from detectable.report.claimed_pairs import interval_label
from detectable.report.compared_pairs import breaks
from detectable.study.comparison.result import Comparison
from detectable.study.comparison.task_table import TaskRow

_CORRECTIONS = {"holm": "Holm", "benjamini-hochberg": "Benjamini–Hochberg", "none": "no"}
_SHORT = {"holm": "Holm", "benjamini-hochberg": "BH"}


def tasks(result: Comparison) -> Iterator[Table]:
    """Yield a row for every task, metric and pair, where there are tasks."""
    found = result.tasks
    if found is None:
        return

    def digits(row: TaskRow) -> int:
        return result.digits(row.metric)

    corrected = found.correction != "none"
    several = len(result.pairs) // len(result.metrics) > 1
    columns = (
        Column("metric", "metric", "name", of=lambda row: result.label(row.metric)),
        Column("system", "system", "name") if several else None,
        Column("baseline", "against", "name", keep=2) if several else None,
        Column("task", "task", "name"),
        Column("n_segments", "n", "count", keep=2, help="segments of the task"),
        Column("n_units", f"{result.unit_word}s", "count", keep=DATA_ONLY),
        Column("baseline_score", "baseline", digits=digits, keep=3),
        Column("score", "system", digits=digits, keep=3),
        Column("difference", "difference", digits=digits, sign=True, short="diff."),
        Column(
            "interval",
            f"{interval_label(result, corrected=False)}{', all tasks together' if corrected else ''}",
            "interval",
            digits=digits,
            sign=True,
            short=interval_label(result, corrected=False),
            help="by t over the units of the task, corrected for all tasks"
            if corrected
            else "by t over the units of the task",
        ),
        Column("standard_error", "SE", digits=digits, keep=DATA_ONLY),
        Column("df", "df", digits=1, keep=DATA_ONLY),
        Column("p_value", "p alone", "p", keep=DATA_ONLY),
        Column(
            "p_adjusted",
            f"p ({_SHORT[found.correction]})" if corrected else "p",
            "p",
            help=f"{_CORRECTIONS[found.correction]} correction over tasks",
        ),
        Column(
            "mde",
            f"MDE {result.power:.0%}",
            digits=lambda row: visible(row.mde, digits(row)),
            keep=3,
            help="smallest true difference that is found in this task with this power",
        ),
        Column(
            "weight", "weight", digits=3, keep=DATA_ONLY if found.weighting == "macro" else 2
        ),
        Column("verdict", "verdict", "verdict"),
    )
    groups = [f"{row.metric} {row.system} {row.baseline}" for row in found.rows]
    yield table(
        "tasks",
        "Tasks",
        columns,
        found.rows,
        breaks=breaks(groups),
        folded=len(found.rows) > LONG,
        caption=f"Differences by task, by t over {result.unit_word}s, "
        f"{_CORRECTIONS[found.correction]} correction over tasks.",
    )


def samples(result: Comparison) -> Iterator[Table]:
    """Yield what is known about the samples of every system, where items have several."""
    found = result.samples
    if found is None:
        return
    digits = result.digits(result.metrics[0]["metric"])
    clusters = any(row.n_clusters is not None for row in found.systems)
    lost = any(row.missing_share > 0.0 for row in found.systems)
    columns = (
        Column("system", "system", "name"),
        Column("score", "mean of items", digits=digits, keep=DATA_ONLY),
        Column("n_items", "items", "count", keep=4),
        Column("n_samples", "samples", "count"),
        Column("fewest", "fewest", "count", keep=DATA_ONLY),
        Column("most", "most", "count", keep=DATA_ONLY),
        Column(
            "missing",
            "% lost",
            of=lambda row: 100 * row.missing_share,
            digits=1,
        )
        if lost
        else None,
        Column("standard_error", "SE items", digits=digits, help="for other items like these"),
        Column(
            "standard_error_clusters",
            "SE documents",
            digits=digits,
            keep=2,
            help="for other documents, with C/(C − 1)",
        )
        if clusters
        else None,
        Column(
            "standard_error_these",
            "SE these items",
            digits=digits,
            keep=2,
            help="for other samples of these very items",
        ),
        Column(
            "standard_error_rows",
            "SE rows (wrong)",
            digits=digits,
            keep=DATA_ONLY,
            help="samples counted as further items",
        ),
        Column("variance_items", "variance: items", digits=digits, short="var. items", keep=3),
        Column(
            "variance_samples", "variance: samples", digits=digits, short="var. samples", keep=3
        ),
    )
    yield table("samples", "Samples", columns, found.systems, note=_floor(result))


def _floor(result: Comparison) -> str:
    """Say what more samples cannot do."""
    found = result.samples
    if found is None or result.claim != "better" or not 0 < len(found.pairs) <= LONG:
        return ""
    known = [pair for pair in found.pairs if pair.mde_many_samples == pair.mde_many_samples]
    said = [
        f"{number(pair.mde_many_samples, digits=visible(pair.mde_many_samples, result.digits(pair.metric)))} "
        f"{result.label(pair.metric)} ({pair.system} − {pair.baseline})"
        for pair in known
    ]
    if not said:
        return ""
    return (
        f"More samples of these items find no less than {listing(said, most=3)} with "
        f"{result.power:.0%} power: beyond it only more items help."
    )
