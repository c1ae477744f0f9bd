"""All pairs of systems of an archive of campaigns: matched judgments, and all of them."""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments
from detectable.data.human.matched import Matched, Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRows:
    """All judgments of each system in each campaign (slot), matched or not, sorted by slot."""

    starts: IntArray  # of each slot
    value: IntArray  # position in `values`
    item: IntArray
    rater: IntArray | None
    values: FloatArray  # the different scores, rising

    @classmethod
    def of(cls, cells: Cells, slots: Slots) -> "SlotRows":
        """Sort the judgments of cells by slot."""
        slot = np.repeat(slots.of_cell, np.diff(cells.starts))
        order = np.argsort(slot, kind="stable")
        rows = cells.rows[order]
        values, value = _unique_scores(cells.columns.value[rows])
        rater = cells.columns.rater
        return cls(
            starts=np.searchsorted(slot[order], np.arange(slots.system.size + 1)),
            value=value,
            item=cells.columns.item.codes[rows],
            rater=None if rater is None else rater.codes[rows],
            values=values,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPairs:
    """All pairs within each campaign: what their systems have in common, and all they have."""

    matched: Matched
    first: IntArray  # slots of each pair
    second: IntArray
    rows: SlotRows
    notes: tuple[str, ...]

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return self.matched.n_pairs

    @property
    def document(self) -> IntArray | None:
        """The document of each item."""
        return self.matched.cells.document


def matched_pairs(judgments: Judgments) -> MatchedPairs:
    """Pair all systems within each campaign and match what the same rater gave the same item."""
    cells = judgments.cells()
    matched = cells.matched()
    if not matched.n_pairs:
        raise DataError(
            f"{judgments.path or 'the judgments'}: no campaign has two systems to compare. "
            "Name the column of the campaign only if its systems were judged together."
        )
    slots = matched.slots
    return MatchedPairs(
        matched=matched,
        first=slots.find(matched.campaign, matched.first),
        second=slots.find(matched.campaign, matched.second),
        rows=SlotRows.of(cells, slots),
        notes=(*cells.notes, *_single(slots.n_systems)),
    )


def _unique_scores(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different scores and the position of each; whole numbers need no sorting."""
    low, high = float(scores.min()), float(scores.max())
    if high - low < 1 << 16 and bool((scores == np.rint(scores)).all()):
        codes = (scores - low).astype(np.int64)
        present = np.bincount(codes) > 0
        position = (np.cumsum(present) - 1).astype(np.int64)
        return low + np.flatnonzero(present).astype(np.float64), position[codes]
    values, inverse = np.unique(scores, return_inverse=True)
    return values, inverse.astype(np.int64)


def _single(n_systems: IntArray) -> tuple[str, ...]:
    alone = int((n_systems == 1).sum())
    return (
        (f"{count(alone, 'campaign')} with one system: nothing to compare.",) if alone else ()
    )
