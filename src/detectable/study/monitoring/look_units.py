"""Judgments of two systems as what one look compares: differences or samples."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import UnitName
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments
from detectable.data.human.paired_units import PairedUnits


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUnits:
    """Differences system − baseline on what both were judged on."""

    paired: PairedUnits
    n_judgments: int  # rows behind them
    unmatched: int  # rows of the two systems that have no partner

    @property
    def names(self) -> tuple[str, ...]:
        """What each difference is called: its item, or its item and rater."""
        return self.paired.names()

    @property
    def differences(self) -> FloatArray:
        """The differences, by item."""
        return self.paired.d

    @property
    def clusters(self) -> Factor | None:
        """The document or rater of each difference, if they are the clusters."""
        return None if self.paired.unit == "item" else self.paired.cluster_factor()

    def are_ends_of(self, scale: tuple[float, float]) -> bool:
        """Say whether all scores are the lowest or the highest possible one: wrong or right."""
        return bool(np.isin([self.paired.first, self.paired.second], scale).all())

    def bets(self) -> "Bets":
        """Return what an anytime-valid test bets on: items, or documents with their means.

        A document counts with the mean difference of its items, not with their sum. The mean of
        differences within the bounds lies within the same bounds. A sum does so only after division
        by the largest number of items that a document can have, which nobody knows before the data
        and which would make almost every bet a timid one. The price: documents count alike, so the
        null hypothesis is that the expected mean difference *of a document* is 0. Over items
        that is the same wherever length has nothing to do with the difference.
        """
        clusters = self.clusters
        if clusters is None:
            ones = np.ones(self.differences.size, dtype=np.int64)
            return Bets(names=self.names, values=self.differences, n_items=ones)
        sizes = np.bincount(clusters.codes, minlength=len(clusters.levels))
        sums = np.bincount(clusters.codes, weights=self.differences)
        # Rounding may carry a mean of equal differences beyond the largest of them.
        low, high = float(self.differences.min()), float(self.differences.max())
        means: FloatArray = np.clip(sums / sizes, low, high)
        return Bets(names=clusters.levels, values=means, n_items=sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets:
    """What can be bet on, one bet each."""

    names: tuple[str, ...]
    values: FloatArray
    n_items: IntArray  # behind each value


def planned_cells(judgments: Judgments) -> Cells:
    """Return the cells of a look.

    The judgments of a plan may come in several campaigns, one after the other: an item is then
    known by its name, as in the ledger.
    """
    return judgments.cells(across_campaigns=True)


def look_units(cells: Cells, system: str, baseline: str, *, unit: UnitName) -> LookUnits:
    """Return the differences of two systems, within raters where raters are known.

    A plan by preference has one difference per item too: above 0 a win, below a loss. Several
    raters of an item make one comparison, which goes to the majority: raters agree more often
    than coins do, so to count each of them would overstate the evidence.
    """
    matched = cells.matched([(system, baseline)])
    if not matched.item.size:
        raise DataError(
            f"{cells.judgments.path or 'the judgments'}: no rater judged {system!r} and "
            f"{baseline!r} on the same item, so nothing is paired. Give both systems of an item "
            "to one rater, or plan an unpaired test (rank-sum, two-means)."
        )
    return LookUnits(
        paired=matched.units(unit),
        n_judgments=int(matched.n_judgments[0]),
        unmatched=int(matched.unmatched[0]),
    )


def two_samples(cells: Cells, system: str, baseline: str) -> tuple[FloatArray, FloatArray]:
    """Return the scores of two systems, all judgments of an item averaged first."""
    means = cells.table()
    samples = [means[:, cells.systems.index(name)] for name in (system, baseline)]
    first, second = (sample[np.isfinite(sample)] for sample in samples)
    return first, second
