"""The statistics of one or more metrics, document by document: what grows as documents are added.

All curves of «the score on the first k documents» are made from this one arrangement.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.sample import Sample, same_units
from detectable.metrics.base import Metric


@dataclass(frozen=True)
class Documents:
    """Segments sorted by document, and the samples of all metrics in that order.

    Attributes
    ----------
    names : tuple of str
        Documents, in the order in which they are added.
    starts : array of int of shape (documents + 1,)
        Segments of document d: ``starts[d] … starts[d + 1]``.
    samples : tuple of Sample
        By segment, one per metric; the same segments in all of them.
    """

    names: tuple[str, ...]
    starts: IntArray
    samples: tuple[Sample, ...]

    @classmethod
    def build(
        cls, samples: tuple[Sample, ...], documents: IntArray, names: tuple[str, ...]
    ) -> "Documents":
        """Sort the segments by document: 0, 1, … in `documents`, each at least once."""
        if documents.size != same_units(samples):
            raise InputError(
                f"`documents` must name the document of each of the {same_units(samples)} "
                f"segments; got {documents.size}."
            )
        order = np.argsort(documents, kind="stable")
        sizes = np.bincount(documents, minlength=len(names))
        kept = tuple(
            Sample(s.metric, s.systems, s.runs, s.statistics[:, order]) for s in samples
        )
        return cls(names, np.concatenate([[0], np.cumsum(sizes)]), kept)

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.names)

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return int(self.starts[-1])

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.samples[0].systems

    @cached_property
    def sizes(self) -> IntArray:
        """The number of segments of each document."""
        return np.diff(self.starts)

    @cached_property
    def of_segment(self) -> IntArray:
        """The document of each segment."""
        return np.repeat(np.arange(self.n_documents), self.sizes)

    def sums(self, metric: int) -> FloatArray:
        """Return the statistics of each document: (outputs, documents, k)."""
        table = self.samples[metric].statistics
        sums: FloatArray = np.add.reduceat(table, self.starts[:-1], axis=1)
        return sums

    def influence(self, metric: int, system: int) -> FloatArray:
        """Return the influence value of each segment on a system's score, the mean of its runs."""
        found: FloatArray = self.samples[metric].influence(system).mean(axis=0)
        return found


def known_scores(metric: Metric, sums: FloatArray) -> FloatArray:
    """Return scores of sums, nan where all sums are zero: no metric has a score of nothing."""
    empty: NDArray[np.bool_] = np.asarray(~sums.any(axis=-1))
    if not empty.any():
        return metric.score(sums)
    return np.where(empty, np.nan, metric.score(np.where(empty[..., None], 1.0, sums)))


def mean_of_runs(scores: FloatArray, runs: tuple[int, ...]) -> FloatArray:
    """Return the score of each system, the mean of its runs, over the last axis."""
    starts = np.cumsum([0, *runs[:-1]])
    means: FloatArray = np.add.reduceat(scores, starts, axis=-1) / np.array(runs)
    return means


def document_grid(n_documents: int, *, most: int = 24) -> IntArray:
    """Return numbers of documents to look at: all of them, or about `most` evenly on a log scale.

    Examples
    --------
    >>> document_grid(5).tolist(), document_grid(1000, most=6).tolist()
    ([1, 2, 3, 4, 5], [1, 4, 16, 63, 251, 1000])
    """
    if n_documents <= most:
        return np.arange(1, n_documents + 1)
    return np.unique(np.rint(np.geomspace(1, n_documents, most)).astype(np.int64))
