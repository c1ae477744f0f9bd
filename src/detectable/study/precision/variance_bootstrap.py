"""Cluster bootstrap of a decomposition of variance: additive sums and a matrix product."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import JudgmentUnit
from detectable.core.execute import run_blocks
from detectable.core.interval import Interval
from detectable.core.progress import Progress, silent
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.judgments import Judgments
from detectable.kernels.resample import bootstrap_sums
from detectable.study.precision.rater_cells import combined_codes
from detectable.study.precision.variance_sums import COLUMNS, Sums

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
