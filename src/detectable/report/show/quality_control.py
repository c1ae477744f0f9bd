"""What quality control of raters shows."""

import math
from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, notes, opening, table
from detectable.study.raters.quality_result import QualityControl, RaterQuality

_ORDER = {"bad": 0, "untestable": 1, "good": 2}


def show(result: QualityControl) -> Iterator[Block]:
    """Show who passes, what luck and power have to do with it, and every rater."""
    yield opening("info", result.summary())
    yield raters(result)
    yield from notes(result.notes)
    yield Repeat(str(result.signature))


def raters(result: QualityControl) -> Table:
    """Return one row per rater, the most doubtful first."""
    statistic = "t" if result.test == "paired-t" else "z"
    columns = (
        Column("rater", "rater", "name"),
        Column("verdict", "verdict", "text"),
        Column("p_value", "p", "p"),
        Column(statistic, statistic, keep=4),
        Column("n_pairs", "pairs", "count", keep=2),
        Column("mean_difference", "difference", digits=1, sign=True, short="diff."),
        Column("power", "power", keep=3),
        Column("remarks", "flags and reasons", "text", short="remarks", of=_remarks),
    )
    rows = sorted(result.raters, key=_doubt)
    return table("raters", "Raters, the most doubtful first", columns, rows)


def _doubt(row: RaterQuality) -> tuple[int, float, str]:
    return _ORDER[row.verdict], 0.0 if math.isnan(row.p_value) else -row.p_value, row.rater


def _remarks(row: RaterQuality) -> str | None:
    reasons = [row.reason] if row.reason else []
    return "; ".join([*reasons, *row.flags]) or None
