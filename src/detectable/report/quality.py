"""Quality control of raters as tables."""

import math

from detectable.core.wording import number, p_value
from detectable.report.table import Column, Table
from detectable.study.raters.quality_result import QualityControl, RaterQuality

_ORDER = {"bad": 0, "untestable": 1, "good": 2}


def raters_table(result: QualityControl, *, most: int | None = 20) -> Table:
    """Return one row per rater, the most doubtful first; `most` rows, or all with None."""
    rows = sorted(result.raters, key=_doubt)
    shown = rows if most is None else rows[:most]
    statistic = "t" if result.test == "paired-t" else "z"
    title = "Raters, the most doubtful first"
    if len(shown) < len(rows):
        title += f" ({len(shown):,} of {len(rows):,})"
    columns = (
        Column("rater", "left"),
        Column("verdict", "left"),
        Column("p"),
        Column(statistic),
        Column("pairs"),
        Column("difference"),
        Column("power"),
        Column("flags and reasons", "left"),
    )
    return Table(title, columns, tuple(_cells(row, statistic) for row in shown))


def _doubt(row: RaterQuality) -> tuple[int, float, str]:
    return _ORDER[row.verdict], 0.0 if math.isnan(row.p_value) else -row.p_value, row.rater


def _cells(row: RaterQuality, statistic: str) -> tuple[str, ...]:
    remarks = [row.reason] if row.reason else []
    return (
        row.rater,
        row.verdict,
        p_value(row.p_value),
        number(row.t if statistic == "t" else row.z),
        f"{row.n_pairs:,}",
        number(row.mean_difference, digits=1, sign=True),
        number(row.power),
        "; ".join([*remarks, *row.flags]) or "–",
    )
