"""All pairs of systems of an archive of campaigns, with the judgments that both have."""

from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.human.judgments import Judgments

_LARGEST = float(1 << 62)  # keys up to here are sorted as one number


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedPairs:
    """Pairs of systems within campaigns; what two systems have in common is matched.

    A slot is a system in a campaign. Matched cells are sorted by pair, item and rater; those of
    pair p are ``starts[p] … starts[p + 1]``. Rows are sorted by slot.
    """

    campaigns: tuple[str, ...]
    systems: tuple[str, ...]
    slot_campaign: IntArray
    slot_system: IntArray
    first: IntArray  # slots of each pair
    second: IntArray
    row_starts: IntArray  # of each slot
    row_value: IntArray  # position in `values`
    row_item: IntArray
    row_rater: IntArray | None
    values: FloatArray  # the different scores, rising
    starts: IntArray
    item: IntArray  # of each matched cell
    rater: IntArray | None
    score_first: FloatArray  # mean of the repeats of a cell
    score_second: FloatArray
    matched_judgments: IntArray  # of each pair, both systems together
    document: IntArray | None  # of each item
    n_items: int
    n_raters: int
    notes: tuple[str, ...]

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.first.size)


def matched_pairs(judgments: Judgments) -> MatchedPairs:
    """Pair all systems within each campaign and match what the same rater gave the same item.

    Rows of kind system and repeat count; a rater's repeats of a cell are averaged. Without
    raters, all judgments of an item of a system are averaged.
    """
    from detectable.kernels.pairing import match_cells

    rows, notes = _rows(judgments)
    campaign, campaigns = _campaigns(rows)
    slots, slot = _unique(campaign * rows.system.n_levels + rows.system.codes)
    slot_campaign, slot_system = np.divmod(slots, rows.system.n_levels)
    n_systems = np.bincount(slot_campaign, minlength=len(campaigns))
    n_pairs = n_systems * (n_systems - 1) // 2
    total = int(n_pairs.sum())
    if total == 0:
        raise DataError(
            f"{judgments.path or 'the judgments'}: no campaign has two systems to compare. "
            "Name the column of the campaign only if its systems were judged together."
        )
    base = np.cumsum(n_systems) - n_systems
    pair_base = np.cumsum(n_pairs) - n_pairs
    local = slot - base[campaign]
    cells = _cells(rows, campaign, local, int(n_systems.max()))
    in_campaign = slot_campaign
    starts, left, right = match_cells(
        cells.group,
        slot[cells.row],
        base[in_campaign],
        n_systems[in_campaign],
        pair_base[in_campaign],
        total,
    )
    first, second = _pairs(base, n_systems)
    order = np.argsort(slot, kind="stable")
    values, row_value = _unique_scores(rows.score[order])
    rater = None if rows.rater is None else rows.rater.codes
    weight = np.concatenate([[0], np.cumsum(cells.size[left] + cells.size[right])])
    return MatchedPairs(
        campaigns=campaigns,
        systems=rows.system.levels,
        slot_campaign=slot_campaign,
        slot_system=slot_system,
        first=first,
        second=second,
        row_starts=np.searchsorted(slot[order], np.arange(slots.size + 1)),
        row_value=row_value,
        row_item=rows.item.codes[order],
        row_rater=None if rater is None else rater[order],
        values=values,
        starts=starts,
        item=rows.item.codes[cells.row[left]],
        rater=None if rater is None else rater[cells.row[left]],
        score_first=cells.mean[left],
        score_second=cells.mean[right],
        matched_judgments=np.diff(weight[starts]),
        document=_document_of_item(rows),
        n_items=rows.item.n_levels,
        n_raters=0 if rows.rater is None else rows.rater.n_levels,
        notes=(*notes, *_single(n_systems)),
    )


@dataclass(frozen=True, slots=True)
class _Cells:
    """What one rater gave one item of one system, sorted by campaign, item, rater and system."""

    row: IntArray  # one row of each cell
    group: IntArray  # equal for the cells of one campaign, item and rater
    mean: FloatArray
    size: IntArray


def _rows(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    ordinary = judgments.is_kind("system", "repeat")
    left_out = int((~ordinary).sum())
    if not left_out:
        return judgments, ()
    return judgments.take(ordinary), (
        f"{count(left_out, 'judgment')} of degraded items or references left out.",
    )


def _campaigns(rows: Judgments) -> tuple[IntArray, tuple[str, ...]]:
    campaign = rows.by_campaign()
    if campaign is None:
        return np.zeros(rows.n_judgments, dtype=np.int64), ("",)
    return campaign.codes, campaign.levels


def _unique(keys: IntArray) -> tuple[IntArray, IntArray]:
    values, inverse = np.unique(keys, return_inverse=True)
    return values, inverse.astype(np.int64)


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


def _cells(rows: Judgments, campaign: IntArray, local: IntArray, most: int) -> _Cells:
    item, n_items = rows.item.codes, rows.item.n_levels
    rater = np.zeros_like(item) if rows.rater is None else rows.rater.codes
    n_raters = 1 if rows.rater is None else rows.rater.n_levels
    if (float(campaign.max()) + 1.0) * n_items * n_raters * most < _LARGEST:
        key = ((campaign * n_items + item) * n_raters + rater) * most + local
        order = np.argsort(key, kind="stable")
        key = key[order]
        new = np.flatnonzero(np.diff(key, prepend=-1))
        group = key[new] // most
    else:
        order = np.lexsort((local, rater, item, campaign))
        columns = [column[order] for column in (campaign, item, rater, local)]
        steps = [np.diff(column, prepend=-1) != 0 for column in columns]
        other_group = np.logical_or.reduce(steps[:3])
        new = np.flatnonzero(other_group | steps[3])
        group = np.cumsum(other_group)[new]
    size = np.diff(np.append(new, order.size))
    mean = np.add.reduceat(rows.score[order], new) / size
    return _Cells(row=order[new], group=group, mean=mean, size=size)


def _pairs(base: IntArray, n_systems: IntArray) -> tuple[IntArray, IntArray]:
    """Return the slots of all pairs, campaign by campaign."""
    first, second = [], []
    for start, k in zip(base.tolist(), n_systems.tolist(), strict=True):
        i, j = np.triu_indices(k, 1)
        first.append(start + i)
        second.append(start + j)
    return np.concatenate(first), np.concatenate(second)


def _document_of_item(rows: Judgments) -> IntArray | None:
    """Return the document of each item: items are named within documents, so there is one."""
    if rows.document is None:
        return None
    document = np.zeros(rows.item.n_levels, dtype=np.int64)
    document[rows.item.codes] = rows.document.codes
    return document


def _single(n_systems: IntArray) -> tuple[str, ...]:
    alone = int((n_systems == 1).sum())
    return (
        (f"{count(alone, 'campaign')} with one system: nothing to compare.",) if alone else ()
    )
