"""What each half alone concludes about every pair of systems."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectable.core.verdict import Verdict, opposite
from detectable.study.comparison.result import Comparison
from detectable.study.ranking.ranking import Ranking

DECIDED = ("better", "worse", "higher", "lower")


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What one half says of the first of two systems against the second."""

    verdict: Verdict
    mde: float


@dataclass(frozen=True, slots=True)
class Concluded:
    """The verdict on every pair of systems under one measure, and their groups, on one half."""

    pairs: Mapping[tuple[str, str], PairVerdict]
    clusters: tuple[tuple[str, ...], ...]

    def of(self, first: str, second: str) -> PairVerdict:
        """Return the verdict on `first` against `second`, whichever way it was tested.

        Examples
        --------
        >>> found = Concluded({("A", "B"): PairVerdict("better", 2.0)}, (("A",), ("B",)))
        >>> found.of("B", "A").verdict
        'worse'
        """
        if (first, second) in self.pairs:
            return self.pairs[first, second]
        found = self.pairs[second, first]
        return PairVerdict(opposite(found.verdict), found.mde)

    @property
    def told_apart(self) -> int:
        """Pairs with a verdict."""
        return sum(pair.verdict in DECIDED for pair in self.pairs.values())

    @property
    def median_mde(self) -> float:
        """The median over pairs of what would reliably have been found; nan where nothing."""
        known = [pair.mde for pair in self.pairs.values() if not math.isnan(pair.mde)]
        return float(np.median(known)) if known else math.nan


def of_ranking(ranking: Ranking) -> Concluded:
    """Return what a ranking of judgments concludes."""
    pairs = {
        (row.better, row.worse): PairVerdict(row.verdict, row.mde) for row in ranking.pairs
    }
    return Concluded(pairs, ranking.clusters)


def of_comparison(comparison: Comparison, metric: str) -> Concluded:
    """Return what a comparison of texts concludes under one metric."""
    pairs = {
        (row.system, row.baseline): PairVerdict(row.verdict, row.mde)
        for row in comparison.pairs
        if row.metric == metric
    }
    return Concluded(pairs, comparison.groups.get(metric, ()))
