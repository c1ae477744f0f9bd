"""Which judgments of two systems can be set against each other: same item, same rater."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.human.cell_blocks import CellBlocks
from detectable.data.human.matched import Matched

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


@dataclass(frozen=True, slots=True)
class PairedBlock:
    """What raters gave both systems of pairs, on the items of one block.

    Attributes
    ----------
    first : int
        The number of the first item.
    n_items : int
        Items of the block.
    columns : array of int
        Which of the pairs the matched ones are: a block may lack a system.
    matched : Matched
    """

    first: int
    n_items: int
    columns: IntArray
    matched: Matched

    @property
    def items(self) -> slice:
        """Where the items of the block stand among all."""
        return slice(self.first, self.first + self.n_items)


def paired_blocks(blocks: CellBlocks, pairs: Pairs) -> Iterator[PairedBlock]:
    """Match the cells of the pairs, block by block."""
    names = [(blocks.systems[a], blocks.systems[b]) for a, b in pairs]
    place = {pair: number for number, pair in enumerate(pairs)}
    for first, cells in blocks:
        matched = cells.matched(names)
        found = zip(matched.first.tolist(), matched.second.tolist(), strict=True)
        columns = np.array([place[pair] for pair in found], dtype=np.int64)
        yield PairedBlock(first, len(cells.items), columns, matched)


def rater_differences(blocks: CellBlocks, pairs: Pairs) -> FloatArray:
    """Return the difference of every item (row) and pair (column) within raters, NaN without."""
    found = np.full((blocks.n_items, len(pairs)), np.nan)
    for block in paired_blocks(blocks, pairs):
        found[block.items, block.columns] = block.matched.units("item").table()
    return found


def overlap(n_judgments: IntArray, blocks: CellBlocks | None, pairs: Pairs) -> Overlap:
    """Return how far the design allows pairing; scores play no part in it."""
    judged = n_judgments > 0
    first, second = np.array(pairs).T
    smaller = np.minimum(judged[:, first].sum(axis=0), judged[:, second].sum(axis=0))
    both = (judged[:, first] & judged[:, second]).sum(axis=0)
    by_rater = None
    if blocks is not None:
        n_items = np.zeros(len(pairs), dtype=np.int64)
        for block in paired_blocks(blocks, pairs):
            n_items[block.columns] += np.diff(block.matched.units("item").starts)
        by_rater = n_items / smaller
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
