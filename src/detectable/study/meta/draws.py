"""Draws of segments for intervals, and swaps of segments between two metrics for tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from detectable.core.execute import Engine, run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.inference.few_units import enumerable
from detectable.inference.sign_patterns import sign_patterns

_CELLS = 8_000_000  # weights that lie in memory at once
_ROUNDING = 1e-10  # statistics this close are equal


class Weighted(Protocol):
    """A statistic of weighted segments and systems."""

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return it for every row of weights."""

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return what a metric that says nothing gets."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    statistics: tuple[Weighted, ...]
    cluster: IntArray  # of each segment
    n_clusters: int
    n_systems: int  # 0: systems are not drawn


def bootstrap_draws(
    statistics: Sequence[Weighted],
    cluster: IntArray,
    *,
    n_systems: int,
    n_resamples: int,
    engine: Engine,
) -> FloatArray:
    """Return values and floors of statistics over draws with replacement: (resamples, 2, k).

    All statistics see the same draws. Where systems are drawn too, an output counts the product of
    both weights, which errs on the safe side.

    References
    ----------
    Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 386–411.
    """
    payload = _Drawn(tuple(statistics), cluster, int(cluster.max()) + 1, n_systems)
    work = blocks(n_resamples, engine.rng)
    found = run_blocks(
        _bootstrap,
        payload,
        work,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
        step="bootstrap",
    )
    return np.concatenate(found)


def _bootstrap(payload: _Drawn, block: Block) -> FloatArray:
    # A generator for each of the two, so that the answer does not depend on the batches.
    of_items, of_systems = block.rng.spawn(2)
    n, step = payload.n_clusters, max(1, _CELLS // payload.cluster.size)
    found = np.empty((block.rows, 2, len(payload.statistics)))
    for start in range(0, block.rows, step):
        rows = min(step, block.rows - start)
        items = _counts(rows, n, of_items)[:, payload.cluster]
        drawn = _counts(rows, payload.n_systems, of_systems) if payload.n_systems else None
        for k, statistic in enumerate(payload.statistics):
            found[start : start + rows, 0, k] = statistic.values(items, drawn)
            found[start : start + rows, 1, k] = statistic.floors(items, drawn)
    return found


def _counts(rows: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each of n was drawn, n draws in every row."""
    drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Swapped:
    """The difference of two metrics under swaps of whole segments or documents."""

    observed: float
    null: FloatArray
    exact: bool  # all patterns were counted; otherwise drawn

    @property
    def p_value(self) -> float:
        """Two-sided, (1 + c)/(1 + R); the data are one of the patterns."""
        known = self.null[np.isfinite(self.null)]
        room = _ROUNDING * max(1.0, abs(self.observed))
        extreme = int((np.abs(known) >= abs(self.observed) - room).sum())
        return (1.0 + extreme) / (1.0 + known.size)

    @property
    def standard_error(self) -> float:
        """Of the difference if the metrics are equally good."""
        return float(np.sqrt(np.nanmean(np.square(self.null)))) if self.null.size else np.nan


class Swaps(Protocol):
    """Two metrics, standardised, whose segments can be swapped."""

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the difference of their statistics for rows of 0 and 1: segments swapped."""


@dataclass(frozen=True, slots=True)
class WeightSwaps:
    """Swaps as weights of 0 and 1 on all segments twice: of the first metric, and of the second."""

    both: Weighted

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the first metric's statistic less the second's."""
        kept = 1.0 - taken
        first = self.both.values(np.concatenate([kept, taken], axis=1))
        second = self.both.values(np.concatenate([taken, kept], axis=1))
        difference: FloatArray = first - second
        return difference


@dataclass(frozen=True, slots=True)
class _Swapping:
    both: Swaps
    cluster: IntArray
    n_clusters: int


def swap_draws(both: Swaps, cluster: IntArray, *, n_resamples: int, engine: Engine) -> Swapped:
    """Swap what two metrics gave whole clusters of segments, all systems at once.

    If the metrics are equally good, either could have given the scores of a segment. Scores of
    different systems for one segment belong together: swapping them one by one, as PERM-BOTH does,
    takes what two metrics share about a segment for agreement of many, and finds differences
    between equal metrics in 30% of cases at .05.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics
    using resampling methods", TACL 9, arXiv:2104.00054 (PERM-BOTH, swaps by cells).
    """
    n_clusters = int(cluster.max()) + 1
    payload = _Swapping(both, cluster, n_clusters)
    observed = float(_difference(payload, np.zeros((1, n_clusters), np.int64))[0])
    if enumerable(n_clusters):
        found = [_difference(payload, taken) for taken in sign_patterns(n_clusters)]
        return Swapped(observed, np.concatenate(found), exact=True)
    found = run_blocks(
        _swap,
        payload,
        blocks(n_resamples, engine.rng),
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
        step="swaps",
    )
    return Swapped(observed, np.concatenate(found), exact=False)


def _swap(payload: _Swapping, block: Block) -> FloatArray:
    found = []
    step = max(1, _CELLS // payload.cluster.size)
    for start in range(0, block.rows, step):
        rows = min(step, block.rows - start)
        taken = block.rng.integers(0, 2, (rows, payload.n_clusters))
        found.append(_difference(payload, taken))
    return np.concatenate(found)


def _difference(payload: _Swapping, taken: IntArray) -> FloatArray:
    return payload.both.swapped(taken[:, payload.cluster].astype(np.float64))
