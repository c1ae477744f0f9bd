"""One score per translation and rater: what noise and agreement are computed from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments

_LARGEST = 2.0**62  # keys up to here are sorted as one number
_PAIRS = 1 << 20  # pairs of cells in a block, but for one rater; does not change the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCells:
    """Scores sorted by translation, one per rater; a translation is a system's item.

    Attributes
    ----------
    score : array
        The rater's score; the mean, or the first, where a rater scored a translation again.
    translation, rater : array of int
        Codes. Translations are numbered in the order in which they are sorted here.
    start : array of int
        Where each translation begins.
    size : array of int
        How many raters scored it.
    row : array of int
        The first judgment of the cell, of those that count.
    cell : array of int
        The cell of each of these judgments.
    """

    score: FloatArray
    translation: IntArray
    rater: IntArray
    start: IntArray
    size: IntArray
    row: IntArray
    cell: IntArray

    @property
    def n_translations(self) -> int:
        """The number of different translations."""
        return int(self.size.size)

    def pairs(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Give the cells of every two raters of one translation, first and second.

        They come in blocks, each with all that some raters share with raters after them: 1,600
        raters of one item are a million pairs. In a block those come first whose cells are next
        to each other.
        """
        after = (self.start + self.size)[self.translation] - np.arange(self.score.size) - 1
        of_rater = np.bincount(self.rater, after).astype(np.int64)
        block = (np.cumsum(of_rater) - of_rater)[self.rater] // _PAIRS
        order = np.argsort(block, kind="stable")
        for cells in np.split(order, np.flatnonzero(np.diff(block[order])) + 1):
            n = after[cells]
            lag = np.arange(int(n.sum())) - np.repeat(np.cumsum(n) - n, n) + 1
            near = np.argsort(lag, kind="stable")
            first = np.repeat(cells, n)[near]
            yield first, first + lag[near]


def system_codes(judgments: Judgments) -> IntArray:
    """Return the number of the system within its campaign and language of each row."""
    given = (judgments.campaign, judgments.language, judgments.system)
    return combined_codes(*(column for column in given if column is not None))


def combined_codes(*columns: Factor) -> IntArray:
    """Return the number of the combination in each row, in no particular order.

    One sort of one key. `cross_codes` also puts the numbers in order; it is the way out where the
    key would not fit into 64 bits.
    """
    sizes = [column.n_levels for column in columns]
    if float(np.prod(np.array(sizes, dtype=np.float64))) >= _LARGEST:
        return cross_codes(*columns)[0]
    key = columns[0].codes
    for column in columns[1:]:
        key = key * column.n_levels + column.codes
    return np.unique(key, return_inverse=True)[1]


def rater_cells(cells: Cells) -> RaterCells:
    """Return the cells sorted by translation, so that its raters stand side by side."""
    cells.judgments.column("rater")  # says so if there are none
    rater = cells.item if cells.rater is None else cells.rater
    order = _by_translation(cells)
    campaign, system, item = (
        part[order] for part in (cells.campaign, cells.system, cells.item)
    )
    steps = [np.diff(part, prepend=-1) != 0 for part in (campaign, system, item)]
    start = np.flatnonzero(np.logical_or.reduce(steps))
    size = np.diff(start, append=order.size)
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    cell = np.empty(cells.rows.size, dtype=np.int64)
    cell[cells.rows] = np.repeat(position, np.diff(cells.starts))
    return RaterCells(
        score=cells.mean[order],
        translation=np.repeat(np.arange(start.size), size),
        rater=rater[order],
        start=start,
        size=size,
        row=cells.row[order],
        cell=cell,
    )


def _by_translation(cells: Cells) -> IntArray:
    """Return the order of campaign, system, item; raters of a translation keep theirs."""
    n_systems, n_items = len(cells.systems), len(cells.items)
    if float(len(cells.campaigns)) * n_systems * n_items >= _LARGEST:
        return np.lexsort((cells.item, cells.system, cells.campaign))
    key = (cells.campaign * n_systems + cells.system) * n_items + cells.item
    return np.argsort(key, kind="stable")
