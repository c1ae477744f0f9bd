"""Pairs of systems, and the cells that both systems of a pair have."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import UnitName
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.human.cells import Cells
from detectable.data.human.paired_units import PairedUnits
from detectable.kernels.matching import match_cells, mean_by_item

_LARGE = 1 << 24  # slots beyond which they are found by sorting


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """Matched cells, sorted by pair, item and rater; those of pair p: ``starts[p] … [p + 1]``.

    Attributes
    ----------
    campaign, first, second : array of int
        Of each pair: the campaign and the two systems, positions in the names of `cells`.
    item, rater : array of int
        Of each matched cell. `rater` is None where cells are of items.
    score_first, score_second : array
        The means of the two matched cells.
    left, right : array of int
        Which two cells they are.
    n_judgments : array of int
        Judgments behind the matched cells of each pair, both systems together.
    unmatched : array of int
        Judgments of the two systems that have no partner.
    slots : Slots
        The systems of each campaign.
    """

    cells: Cells
    campaign: IntArray
    first: IntArray
    second: IntArray
    starts: IntArray
    item: IntArray
    rater: IntArray | None
    score_first: FloatArray
    score_second: FloatArray
    left: IntArray
    right: IntArray
    n_judgments: IntArray
    unmatched: IntArray
    slots: "Slots" = field(repr=False)

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.first.size)

    def names(self, pair: int) -> tuple[str, str]:
        """Return the two systems of a pair."""
        systems = self.cells.systems
        return systems[int(self.first[pair])], systems[int(self.second[pair])]

    def units(self, unit: UnitName = "item") -> PairedUnits:
        """Return the differences first − second, and the cluster of each.

        Parameters
        ----------
        unit : {'item', 'document', 'rater'}
            What is independent. The difference of an item is the mean, over the raters who
            judged it for both systems, of their score of the first less their score of the
            second: whatever a rater adds to all scores is gone. With raters as the clusters
            each item of a rater stays a unit.
        """
        self.refuse_unknown(unit)
        cells, first, second = self.cells, self.score_first, self.score_second
        starts, item, d = self.starts, self.item, first - second
        if unit == "rater" and self.rater is not None:
            cluster, clusters = self.rater, cells.raters or ()
        else:
            starts, item, first, second, d = mean_by_item(starts, item, first, second)
            cluster, clusters = item, cells.items
            if unit == "document" and cells.document is not None:
                cluster, clusters = cells.document[item], cells.documents or ()
        return PairedUnits(
            unit=unit,
            starts=starts,
            d=d,
            first=first,
            second=second,
            item=item,
            cluster=cluster,
            clusters=clusters,
            items=cells.items,
        )

    def swapped(self, sides: NDArray[np.bool_]) -> "Matched":
        """Return matched cells in which some have changed sides."""
        first, second = self.score_first, self.score_second
        return replace(
            self,
            score_first=np.where(sides, second, first),
            score_second=np.where(sides, first, second),
        )

    def refuse_unknown(self, unit: UnitName) -> None:
        """Stop where the data do not name what is to be independent."""
        check.literal(unit, UnitName, "unit")
        known = {"item": self.item, "document": self.cells.document, "rater": self.rater}
        if known[unit] is None:
            raise InputError(
                f"`unit` must be known for every judgment; there is no {unit}. "
                "Give the column that names it."
            )


def unmatched_note(most: int) -> tuple[str, ...]:
    """Say how many judgments have no partner, of the pair that has most of them."""
    if not most:
        return ()
    return (
        f"Up to {count(most, 'judgment')} of a pair without a partner on the same item and by "
        "the same rater left out.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The systems of each campaign, numbered campaign by campaign."""

    campaign: IntArray  # of each slot
    system: IntArray
    of_cell: IntArray  # the slot of each cell
    base: IntArray  # first slot of each campaign
    n_systems: IntArray  # of each campaign

    @classmethod
    def of(cls, cells: Cells) -> "Slots":
        """Find the systems that have cells."""
        width = len(cells.systems)
        key = cells.campaign * width + cells.system
        size = len(cells.campaigns) * width
        if size <= _LARGE:
            present = np.zeros(size, dtype=bool)
            present[key] = True
            slots = np.flatnonzero(present)
            of_cell = (np.cumsum(present) - 1)[key]
        else:
            slots, of_cell = np.unique(key, return_inverse=True)
        campaign, system = np.divmod(slots, width)
        n_systems = np.bincount(campaign, minlength=len(cells.campaigns))
        return cls(
            campaign=campaign,
            system=system,
            of_cell=of_cell.astype(np.int64),
            base=np.cumsum(n_systems) - n_systems,
            n_systems=n_systems,
        )

    def find(self, campaign: IntArray, system: IntArray) -> IntArray:
        """Return the slots of systems in campaigns."""
        width = int(self.system.max()) + 1
        at: IntArray = np.searchsorted(
            self.campaign * width + self.system, campaign * width + system
        )
        return at


def match(cells: Cells, pairs: Sequence[tuple[str, str]] | None) -> Matched:
    """Match the cells of the pairs, or of all pairs of every campaign."""
    slots = Slots.of(cells)
    one, other = _all_pairs(slots) if pairs is None else _named_pairs(cells, slots, pairs)
    starts, left, right = match_cells(cells.group, slots.of_cell, slots.campaign, one, other)
    judgments = np.bincount(slots.of_cell, cells.n, minlength=slots.system.size)
    weight = np.concatenate([[0], np.cumsum(cells.n[left] + cells.n[right])])
    used = np.diff(weight[starts])
    return Matched(
        cells=cells,
        campaign=slots.campaign[one],
        first=slots.system[one],
        second=slots.system[other],
        starts=starts,
        item=cells.item[left],
        rater=None if cells.rater is None else cells.rater[left],
        score_first=cells.mean[left],
        score_second=cells.mean[right],
        left=left,
        right=right,
        n_judgments=used,
        unmatched=(judgments[one] + judgments[other]).astype(np.int64) - used,
        slots=slots,
    )


def _all_pairs(slots: Slots) -> tuple[IntArray, IntArray]:
    """Return the slots of all pairs, campaign by campaign."""
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, k in zip(slots.base.tolist(), slots.n_systems.tolist(), strict=True):
        i, j = np.triu_indices(k, 1)
        first.append(start + i)
        second.append(start + j)
    return np.concatenate(first), np.concatenate(second)


def _named_pairs(
    cells: Cells, slots: Slots, pairs: Sequence[tuple[str, str]]
) -> tuple[IntArray, IntArray]:
    """Return the slots of the pairs, campaign by campaign, in the order given."""
    position = {name: code for code, name in enumerate(cells.systems)}
    for name in {name: None for pair in pairs for name in pair}:
        if name not in position:
            raise DataError(
                f"{cells.judgments.path or 'the judgments'}: there is no judgment of the system "
                f"{name!r}; found {listing(list(cells.systems), most=10)}."
            )
    if len({frozenset(pair) for pair in pairs}) < len(pairs) or any(a == b for a, b in pairs):
        raise InputError(f"`pairs` must name different systems, each pair once; got {pairs!r}.")
    codes = np.array([(position[a], position[b]) for a, b in pairs], dtype=np.int64)
    width = len(cells.systems)
    key = slots.campaign * width + slots.system
    wanted = np.arange(len(cells.campaigns))[:, None, None] * width + codes.reshape(-1, 2)
    at: IntArray = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    there: NDArray[np.bool_] = (key[at] == wanted).all(axis=2)
    first, second = at[there].T
    return first, second
