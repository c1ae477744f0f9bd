"""Cells of two systems, matched, and the raters of an item averaged.

A cell is what one rater gave one item of one system. The systems of a campaign have neighbouring
numbers («slots»). Cells come sorted by campaign, item, rater and slot, so that the systems that
can be compared stand side by side. What belongs to pair p is ``starts[p] … starts[p + 1]``.
"""

import numpy as np

from detectable.core.types import FloatArray, IntArray


def match_cells(
    group: IntArray, slot: IntArray, campaign: IntArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the cells that both systems of each pair have: starts, first cell, second cell.

    Parameters
    ----------
    group : array of shape (cells,)
        Equal for neighbouring cells of one campaign, item and rater.
    slot : array of shape (cells,)
        The system, rising within a group.
    campaign : array of shape (slots,)
        The campaign of a slot; slots are sorted by it.
    first, second : arrays of shape (pairs,)
        The slots of each pair, two of one campaign, in either order.
    """
    pair_of, row = _pair_table(campaign, first, second)
    ahead, behind, pair = [], [], []
    lag = 1
    # Cells that have a neighbour of their group at this distance.
    while (here := np.flatnonzero(group[lag:] == group[:-lag])).size:
        found = pair_of[row[slot[here]] + slot[here + lag]]
        wanted = found >= 0
        if not wanted.all():
            here, found = here[wanted], found[wanted]
        ahead.append(here)
        behind.append(here + lag)
        pair.append(found)
        lag += 1
    left, right, number = (
        np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (ahead, behind, pair)
    )
    order = np.argsort(number * np.int64(group.size) + left, kind="stable")
    left, right, number = left[order], right[order], number[order]
    starts = np.searchsorted(number, np.arange(first.size + 1))
    turned = (first > second)[number]
    if turned.any():
        left, right = np.where(turned, right, left), np.where(turned, left, right)
    return starts, left, right


def _pair_table(
    campaign: IntArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the pair of every two slots of a campaign (−1: none), and where to find it.

    The entry of slots i < j is ``row[i] + j``.
    """
    sizes = np.bincount(campaign)
    begins = (np.cumsum(sizes) - sizes)[campaign]
    width = sizes[campaign]
    squares = sizes * sizes
    base = (np.cumsum(squares) - squares)[campaign] - begins * width - begins
    row = base + np.arange(campaign.size) * width
    table = np.full(int(squares.sum()), -1, dtype=np.int64)
    low, high = np.minimum(first, second), np.maximum(first, second)
    table[row[low] + high] = np.arange(first.size)
    return table, row


def means_of_runs(values: FloatArray, size: IntArray) -> FloatArray:
    """Return the mean of each run of so many neighbouring values, added up from left to right.

    Examples
    --------
    >>> means_of_runs(np.array([1.0, 3.0, 7.0]), np.array([2, 1])).tolist()
    [2.0, 7.0]
    """
    run = np.repeat(np.arange(size.size), size)
    return np.bincount(run, values, minlength=size.size) / size


def mean_by_item(
    starts: IntArray, item: IntArray, first: FloatArray, second: FloatArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """Average the raters of each item of a pair: starts, item, first, second, difference.

    Cells of one item must be neighbours within a pair. The difference is the mean of the raters'
    differences, which are small numbers where their scores are not.
    """
    if not item.size:
        nothing = np.zeros(0)
        return starts.copy(), item.copy(), nothing, nothing, nothing
    new = np.diff(item, prepend=-1) != 0
    new[starts[:-1][starts[:-1] < item.size]] = True
    begins = np.flatnonzero(new)
    size = np.diff(begins, append=item.size)
    means = [means_of_runs(part, size) for part in (first, second, first - second)]
    return np.searchsorted(begins, starts), item[begins], means[0], means[1], means[2]
