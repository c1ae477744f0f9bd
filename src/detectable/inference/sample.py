"""The statistics of one metric for every run of every system, unit by unit."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.metrics.base import Metric

_DOCUMENTS = 1 << 10  # whose segments are added up together


class Sample(NamedTuple):
    """What all tests work on. A unit is what is drawn independently: a segment or a document.

    Attributes
    ----------
    metric : Metric
        Turns sums of statistics into scores.
    systems : tuple of str
        Names, in the order of `statistics`.
    runs : tuple of int
        Number of runs of each system.
    statistics : array of shape (sum of runs, units, k)
        Runs of the first system first. Doubles, or small integers where there are many units and
        all numbers are whole: what is summed over units is summed in double precision.
    """

    metric: Metric
    systems: tuple[str, ...]
    runs: tuple[int, ...]
    statistics: NDArray[Any]

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.statistics.shape[1])

    def of(self, system: int) -> NDArray[Any]:
        """Return the statistics of all runs of a system, shape (runs, units, k)."""
        start = sum(self.runs[:system])
        return self.statistics[start : start + self.runs[system]]

    def run_scores(self, system: int) -> FloatArray:
        """Return the corpus score of each run."""
        return self.metric.score(self.of(system).sum(axis=1, dtype=np.float64))

    def score(self, system: int) -> float:
        """Return the mean over runs of the corpus score."""
        return float(self.run_scores(system).mean())

    def influence(self, system: int) -> FloatArray:
        """Return the influence values of each run, shape (runs, units)."""
        return np.stack([self.metric.influence(run) for run in self.of(system)])

    def shares(self, system: int) -> FloatArray:
        """Return the share of each unit in the score, averaged over runs; they add up to 1."""
        sizes = self.metric.sizes(self.of(system)).mean(axis=0)
        total = sizes.sum()
        # Without any word to weigh by, units weigh alike.
        found: FloatArray = sizes / total if total > 0 else np.full(sizes.size, 1 / sizes.size)
        return found

    def pooled(self) -> NDArray[Any]:
        """Return one table per system with its runs taken together: (systems, units, k).

        With equal numbers of runs the statistics are summed, so they stay whole numbers and a
        single run stays as it is; otherwise they are averaged, to weigh the systems equally.
        """
        if set(self.runs) == {1}:
            return self.statistics
        equal = len(set(self.runs)) == 1
        kind = np.promote_types(self.statistics.dtype, np.int32)
        tables = [self.of(s).sum(axis=0, dtype=kind) for s in range(len(self.systems))]
        if equal:
            return np.stack(tables)
        return np.stack([table / runs for table, runs in zip(tables, self.runs, strict=True)])

    def first_runs(self, systems: Collection[int]) -> "Sample":
        """Return the sample with the first run only of some systems."""
        kept = [
            self.of(s)[:1] if s in systems else self.of(s) for s in range(len(self.systems))
        ]
        runs = tuple(len(table) for table in kept)
        return Sample(self.metric, self.systems, runs, np.concatenate(kept))

    def by_document(self, documents: IntArray) -> "Sample":
        """Return the sample with segments added up by document (0, 1, … in `documents`)."""
        order = np.argsort(documents, kind="stable")
        _, starts = np.unique(documents[order], return_index=True)
        if self.statistics.dtype == np.float64:
            sums = np.add.reduceat(self.statistics[:, order], starts, axis=1)
            return Sample(self.metric, self.systems, self.runs, sums)
        # Small integers of many segments: some documents at a time, so that few are doubles.
        ends = np.append(starts[1:], order.size)
        sums = np.empty((len(self.statistics), starts.size, self.statistics.shape[-1]))
        for first in range(0, starts.size, _DOCUMENTS):
            these = slice(first, first + _DOCUMENTS)
            begin = starts[these]
            part = self.statistics[:, order[begin[0] : ends[these][-1]]]
            np.add.reduceat(
                part.astype(np.float64), begin - begin[0], axis=1, out=sums[:, these]
            )
        return Sample(self.metric, self.systems, self.runs, sums)


def same_units(samples: tuple[Sample, ...]) -> int:
    """Return the number of units that all samples share, or raise."""
    sizes = {sample.n_units for sample in samples}
    if len(sizes) != 1:
        raise InputError(
            f"all metrics must be computed on the same units; got {sorted(sizes)}."
        )
    return sizes.pop()
