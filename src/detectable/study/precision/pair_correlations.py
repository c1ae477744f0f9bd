"""Correlations of every two raters on what both of them judged, without a loop over pairs."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.study.precision.rater_cells import RaterCells


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Two raters and how their scores go together."""

    rater: str
    other: str
    n_translations: int  # judged by both
    pearson: float  # NaN where one of them gave a single score throughout
    spearman: float
    mean_difference: float  # rater - other: who is the milder


def pair_correlations(
    cells: RaterCells, names: tuple[str, ...], min_overlap: int
) -> tuple[tuple[RaterPair, ...], int]:
    """Return pairs of raters with enough translations in common, and how many have too few."""
    first, second = cells.pairs()
    # Cells of a translation are sorted by rater, so a pair always has the same order.
    key = cells.rater[first] * len(names) + cells.rater[second]
    pair, group = np.unique(key, return_inverse=True)
    size = np.bincount(group)
    enough = size >= min_overlap
    rows = enough[group]
    group = (np.cumsum(enough) - 1)[group[rows]]
    x, y = cells.score[first[rows]], cells.score[second[rows]]
    kept, n = pair[enough], size[enough]
    if not kept.size:
        return (), int(pair.size)
    pearson = grouped_correlation(x, y, group, n)
    spearman = grouped_correlation(_ranks(x, group), _ranks(y, group), group, n)
    milder = np.bincount(group, x - y) / n
    order = np.lexsort((kept, -n))
    found = tuple(
        RaterPair(
            rater=names[int(kept[i]) // len(names)],
            other=names[int(kept[i]) % len(names)],
            n_translations=int(n[i]),
            pearson=float(pearson[i]),
            spearman=float(spearman[i]),
            mean_difference=float(milder[i]),
        )
        for i in order.tolist()
    )
    return found, int((~enough).sum())


def grouped_correlation(
    x: FloatArray, y: FloatArray, group: IntArray, size: IntArray
) -> FloatArray:
    """Return Pearson's correlation within each group; NaN where one side does not vary."""
    dx = x - (np.bincount(group, x) / size)[group]
    dy = y - (np.bincount(group, y) / size)[group]
    xx, yy, xy = (np.bincount(group, part) for part in (dx * dx, dy * dy, dx * dy))
    spread = np.sqrt(xx * yy)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(spread > 0.0, xy / spread, np.nan)
    return np.clip(found, -1.0, 1.0)


def _ranks(values: FloatArray, group: IntArray) -> FloatArray:
    """Return mid-ranks within each group, up to a constant of the group."""
    order = np.lexsort((values, group))
    v, g = values[order], group[order]
    new = np.ones(v.size, dtype=bool)
    new[1:] = (v[1:] != v[:-1]) | (g[1:] != g[:-1])
    run = np.cumsum(new) - 1
    start = np.flatnonzero(new)
    middle = start + (np.diff(start, append=v.size) - 1) / 2.0
    ranks = np.empty(v.size)
    ranks[order] = middle[run]
    return ranks
