"""Differences of two systems, and what they are independent by: items, documents or raters."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import UnitName
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.kernels.exact_mean import exact_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedUnits:
    """Differences first − second, sorted by pair and item; pair p: ``starts[p] … [p + 1]``.

    Attributes
    ----------
    d : array
        The differences.
    first, second : array
        Mean scores of the two systems in each unit.
    item, cluster : array of int
        Of each unit. The clusters are items, documents or raters, as `unit` says.
    clusters : tuple of str
        Names of the clusters.
    """

    unit: UnitName
    starts: IntArray
    d: FloatArray
    first: FloatArray
    second: FloatArray
    item: IntArray
    cluster: IntArray
    clusters: tuple[str, ...]
    items: tuple[str, ...]

    @property
    def n_clusters(self) -> int:
        """The number of clusters that have a name; some pairs may lack some of them."""
        return len(self.clusters)

    def mean(self, pair: int = 0) -> float:
        """Return the mean difference of a pair: the same to the last bit in any order."""
        return exact_mean(self.d[self.starts[pair] : self.starts[pair + 1]])

    def names(self) -> tuple[str, ...]:
        """Return what each unit is called: its item, or its item and rater."""
        labels = [self.items[code] for code in self.item.tolist()]
        if self.unit == "rater":
            raters = [self.clusters[code] for code in self.cluster.tolist()]
            labels = [f"{item}:{rater}" for item, rater in zip(labels, raters, strict=True)]
        return tuple(labels)

    def cluster_factor(self) -> Factor:
        """Return the cluster of each unit as a column of names, of those that have units."""
        every = Factor(name=self.unit, levels=self.clusters, codes=self.cluster)
        return every.take(np.arange(self.cluster.size))

    def table(self) -> FloatArray:
        """Return the difference of every item (row) and pair (column), NaN where there is none.

        Only where each item is one unit.
        """
        pair = np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))
        found = np.full((len(self.items), self.starts.size - 1), np.nan)
        found[self.item, pair] = self.d
        return found
