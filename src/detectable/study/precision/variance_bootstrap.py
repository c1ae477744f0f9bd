"""Cluster bootstrap of a decomposition of variance: additive sums and a matrix product."""

import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.choices import JudgmentUnit, Pooled
from detectable.core.errors import DataError
from detectable.core.execute import run_blocks
from detectable.core.interval import Interval
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments
from detectable.kernels.resample import bootstrap_sums
from detectable.study.precision.rater_cells import (
    RaterCells,
    combined_codes,
    rater_cells,
    system_codes,
)

# Columns of the sums, in this order.
COLUMNS = (
    "judgments",  # weight of the total: one per score of a rater, repeats taken together
    "squares",  # about the mean, scaled so that squares / judgments is the total variance
    "between",  # squares between raters, about the mean of the translation
    "between_df",
    "products",  # mean over pairs of raters of a translation, about the mean of its group
    "repeated",  # translations with two raters or more, each counted once
    "again",  # squares between repeats by the same rater
    "again_df",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Parts of the estimators per cell, ready to be added up by cluster."""

    judgments: Judgments  # one per cell: the rater's first score, or the mean of them
    cells: RaterCells
    squares: FloatArray  # per cell, in the order of `judgments`
    residual: FloatArray  # per cell, about the mean of its group
    products_offset: float  # what centring takes from a product, on average
    again: FloatArray  # per cell: squares between the rater's own repeats
    again_df: FloatArray  # per cell: repeats - 1
    again_correlation: float
    n_systems: int  # of all campaigns and languages

    def by(self, cluster: IntArray) -> FloatArray:
        """Return the columns `COLUMNS` summed by a cluster that contains whole translations."""
        size, start = self.cells.size, self.cells.start
        mean = np.add.reduceat(self.cells.score, start) / size
        off = np.square(self.cells.score - np.repeat(mean, size))
        between = np.add.reduceat(off, start)
        total = np.add.reduceat(self.residual, start)
        squares = np.add.reduceat(np.square(self.residual), start)
        several = size > 1
        pairs = size * np.maximum(size - 1.0, 1.0)
        products = several * ((np.square(total) - squares) / pairs + self.products_offset)
        of_cell = cluster[self.cells.row]
        of_translation = of_cell[start]
        parts = (
            *((cluster, values) for values in (np.ones(cluster.size), self.squares)),
            *((of_translation, v) for v in (between, size - 1.0, products, several)),
            *((of_cell, values) for values in (self.again, self.again_df)),
        )
        n = int(cluster.max()) + 1
        columns = [np.bincount(where, values, minlength=n) for where, values in parts]
        return np.stack(columns, axis=1)


def variance_sums(source: Cells, *, pooled: Pooled) -> Sums:
    """Centre the scores and square what is to be squared.

    Total, noise and covariance are of the same scores, one per translation and rater. A total of
    single judgments beside a noise of averages would call quality what averaging took from the
    noise.
    """
    judgments = source.judgments
    cells = rater_cells(source)
    again, again_df, correlation = _own_repeats(judgments.score, cells)
    if again_df.any():
        score = judgments.score.copy()
        score[cells.row] = cells.score
        judgments = replace(judgments, score=score).take(np.sort(cells.row))
        cells = rater_cells(judgments.cells())  # the same cells in the same order
    n = judgments.n_judgments
    system = system_codes(judgments)
    group = np.zeros(n, np.int64) if pooled == "all" else system
    size = np.bincount(group)
    mean = np.bincount(group, judgments.score) / size
    deviation = judgments.score - mean[group]
    if pooled == "mean-of-systems":
        # A system with one judgment has no variance, so it takes no part in the mean.
        several = size > 1
        weight = np.where(several, n / (several.sum() * np.maximum(size - 1.0, 1.0)), 0.0)
    else:
        if n == size.size:
            raise DataError(
                f"{judgments.path or 'the data'}: every system has one judgment, so nothing varies "
                "within a system. Judge more items of each."
            )
        weight = np.full(size.size, n / (n - size.size))
    residual = cells.score - mean[group[cells.row]]
    return Sums(
        judgments=judgments,
        cells=cells,
        squares=np.square(deviation) * weight[group],
        residual=residual,
        products_offset=_offset(cells, residual, group),
        again=again,
        again_df=again_df,
        again_correlation=correlation,
        n_systems=int(system.max()) + 1,
    )


def _offset(cells: RaterCells, residual: FloatArray, group: IntArray) -> float:
    """Return the mean variance of the group means: centring at them takes it from a product.

    With y about its estimated mean, E[(y₁ − ȳ)(y₂ − ȳ)] = cov − var(ȳ). Groups are weighted by
    their translations with several raters.
    """
    of = group[cells.row[cells.start]]
    total = np.square(np.add.reduceat(residual, cells.start))
    n = np.bincount(group)
    variance = np.bincount(of, total, minlength=n.size) / np.square(n)
    items = np.bincount(of, minlength=n.size)
    variance *= items / np.maximum(items - 1.0, 1.0)
    repeated = np.bincount(of, cells.size > 1, minlength=n.size)
    return float((variance * repeated).sum() / repeated.sum()) if repeated.any() else 0.0


def _own_repeats(score: FloatArray, cells: RaterCells) -> tuple[FloatArray, FloatArray, float]:
    """Return squares and degrees of freedom between a rater's own repeats, and their correlation.

    The correlation is the intraclass one: which of two judgments came first does not matter.
    """
    size = np.bincount(cells.cell)
    mean = np.bincount(cells.cell, score) / size
    off = np.square(score - mean[cells.cell])
    squares = np.bincount(cells.cell, off).astype(np.float64)
    degrees = (size - 1.0).astype(np.float64)
    repeated = size > 1
    if not repeated.any():
        return squares, degrees, math.nan
    centred = score - score[repeated[cells.cell]].mean()
    sums = np.bincount(cells.cell, centred)[repeated]
    own = np.bincount(cells.cell, np.square(centred))[repeated]
    spread = float((own * (size[repeated] - 1)).sum())
    correlation = float((np.square(sums) - own).sum()) / spread if spread else math.nan
    return squares, degrees, correlation


# --- Cluster bootstrap of a decomposition of variance: additive sums and a matrix product ---

# With more clusters than this, they are dealt at random into that many groups, which are
# resampled: the spread between groups has the same expectation, and is known to about 2 %.
GROUPS = 1024


@dataclass(frozen=True, slots=True)
class Moments:
    """Variances and covariances, of the sample or of every resample."""

    total: FloatArray
    noise: FloatArray
    covariance: FloatArray
    intra: FloatArray

    @classmethod
    def of(cls, sums: FloatArray) -> "Moments":
        """Divide the sums that belong together; nothing over nothing is not a number."""
        column = dict(zip(COLUMNS, np.moveaxis(sums, -1, 0), strict=True))
        with np.errstate(invalid="ignore", divide="ignore"):
            return cls(
                column["squares"] / column["judgments"],
                column["between"] / column["between_df"],
                column["products"] / column["repeated"],
                column["again"] / column["again_df"],
            )

    def share_by_difference(self) -> FloatArray:
        """Return 1 - noise / total."""
        return 1.0 - self.noise / self.total

    def share_by_covariance(self) -> FloatArray:
        """Return covariance / total."""
        return self.covariance / self.total


@dataclass(frozen=True, slots=True)
class _RaterPayload:
    linear: FloatArray  # (groups, columns)
    forms: FloatArray  # (4, groups, groups): between, between_df, products, repeated


def unit_codes(judgments: Judgments, unit: JudgmentUnit) -> tuple[str, IntArray]:
    """Return what is resampled, and its number for every row."""
    if unit == "rater":
        return "rater", judgments.column("rater").codes
    if unit == "auto":
        unit = "item" if judgments.document is None else "document"
    named = judgments.column(unit)
    outer = [part for part in (judgments.campaign, judgments.language) if part is not None]
    return unit, combined_codes(*outer, named)


def bootstrap_moments(
    sums: Sums,
    cluster: IntArray,
    *,
    raters: bool,
    n_resamples: int,
    generator: np.random.Generator,
    progress: Progress = silent,
) -> Moments:
    """Draw clusters with replacement and decompose the variance of every resample.

    Means of systems stay at their estimates: their error moves a variance in the second order
    only, and everything else is additive. Where raters are drawn, a pair of raters counts as
    often as both were drawn (their product), and a rater is never paired with a copy of itself.
    """
    n = int(cluster.max()) + 1
    group = cluster
    if n > GROUPS:
        group = (generator.permutation(n) % GROUPS)[cluster]
    work = blocks(n_resamples, generator)
    step = "bootstrap"
    if raters:
        payload = _rater_payload(sums, group)
        drawn = run_blocks(_rater_block, payload, work, progress=progress, step=step)
    else:
        drawn = run_blocks(_block, sums.by(group), work, progress=progress, step=step)
    return Moments.of(np.concatenate(drawn))


def _block(columns: FloatArray, block: Block) -> FloatArray:
    return bootstrap_sums([columns], block.rows, block.rng)[0]


def _rater_payload(sums: Sums, group: IntArray) -> _RaterPayload:
    cells = sums.cells
    n = int(group.max()) + 1
    linear = np.zeros((n, len(COLUMNS)))
    of_cell = group[cells.row]
    rows = {"judgments": (group, np.ones(group.size)), "squares": (group, sums.squares)}
    rows |= {"again": (of_cell, sums.again), "again_df": (of_cell, sums.again_df)}
    for name, (where, values) in rows.items():
        linear[:, COLUMNS.index(name)] = np.bincount(where, values, minlength=n)
    first, second = cells.pairs()
    k = cells.size[np.searchsorted(cells.start, first, side="right") - 1]
    share = 2.0 / (k * (k - 1.0))  # of a pair in its translation
    a, b = of_cell[first], of_cell[second]
    # Squares about a mean are squares of differences: Σ (h - h̄)² = Σ_{j<l} (h_j - h_l)² / k.
    parts = (
        np.square(cells.score[first] - cells.score[second]) / k,
        2.0 / k,
        (sums.residual[first] * sums.residual[second] + sums.products_offset) * share,
        share,
    )
    forms = [np.bincount(a * n + b, part, minlength=n * n).reshape(n, n) for part in parts]
    return _RaterPayload(linear, np.stack(forms))


def _rater_block(payload: _RaterPayload, block: Block) -> FloatArray:
    n = len(payload.linear)
    drawn = block.rng.integers(0, n, (block.rows, n)) + n * np.arange(block.rows)[:, None]
    taken = np.bincount(drawn.ravel(), minlength=block.rows * n).reshape(block.rows, n)
    weights = taken.astype(np.float64)
    sums: FloatArray = weights @ payload.linear
    for position, form in zip(range(2, 6), payload.forms, strict=True):
        # Two raters dealt into one group were drawn together, not twice over.
        own = np.diag(form)
        product = (weights @ (form - np.diag(own)) * weights).sum(axis=1)
        sums[:, position] = product + weights @ own
    return sums


def percentile(draws: FloatArray, level: float) -> Interval | None:
    """Return the percentile interval, or None where a tenth of the resamples have no value."""
    known = draws[np.isfinite(draws)]
    if known.size < 0.9 * draws.size:
        return None
    low, high = np.quantile(known, [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Interval(float(low), float(high), level)
