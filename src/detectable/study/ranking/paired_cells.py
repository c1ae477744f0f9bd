"""Which judgments of two systems can be set against each other: same item, same rater."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.human.cells import Cells
from detectable.data.human.paired_units import PairedUnits

Matching: TypeAlias = Literal["rater", "item", "none"]
Pairs: TypeAlias = Sequence[tuple[int, int]]

ENOUGH = 0.5  # of the items of a pair must be matched, for every pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """For every pair, the share of the smaller system's items that are matched."""

    rater: FloatArray | None  # by a rater who judged the item of both; None without raters
    item: FloatArray


def item_differences(scores: FloatArray, pairs: Pairs) -> FloatArray:
    """Return differences of segment scores on items that both systems have."""
    first, second = np.array(pairs).T
    found: FloatArray = scores[:, first] - scores[:, second]
    return found


def rater_differences(cells: Cells, pairs: Pairs) -> PairedUnits:
    """Return the differences of items within raters, pair by pair."""
    names = [(cells.systems[a], cells.systems[b]) for a, b in pairs]
    return cells.matched(names).units("item")


def overlap(n_judgments: IntArray, cells: Cells | None, pairs: Pairs) -> Overlap:
    """Return how far the design allows pairing; scores play no part in it."""
    judged = n_judgments > 0
    first, second = np.array(pairs).T
    smaller = np.minimum(judged[:, first].sum(axis=0), judged[:, second].sum(axis=0))
    both = (judged[:, first] & judged[:, second]).sum(axis=0)
    by_rater = None
    if cells is not None:
        by_rater = np.diff(rater_differences(cells, pairs).starts) / smaller
    return Overlap(rater=by_rater, item=both / smaller)


def choose_matching(shares: Overlap, *, within_raters: bool, paired: bool) -> Matching:
    """Return one level for the whole ranking: the strictest that the design allows.

    Pairing within raters where, for every pair of systems, at least half of the items were
    judged for both by one rater; else pairing of items where at least half are shared; else
    none. A test that must pair (`paired`) takes items however few they are.
    """
    if within_raters and shares.rater is not None and shares.rater.min() >= ENOUGH:
        return "rater"
    if paired or shares.item.min() >= ENOUGH:
        return "item"
    return "none"


def refuse_without_overlap(
    differences: FloatArray, pairs: Pairs, systems: tuple[str, ...], test: str
) -> None:
    """Stop where two systems share fewer than two units, for a paired test."""
    n = np.isfinite(differences).sum(axis=0)
    few = [
        f"{systems[a]} and {systems[b]}" for (a, b), k in zip(pairs, n, strict=True) if k < 2
    ]
    if few:
        raise DataError(
            f"`test={test!r}` compares systems on shared items, and {listing(few, most=3)} share "
            "fewer than two. Use test='rank-sum', which does not pair."
        )
