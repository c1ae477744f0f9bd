"""Clusters of a ranking: where the line between better and worse systems may be drawn."""

import itertools
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import ClusterRule
from detectable.inference.grouping import rank_groups

Beats: TypeAlias = NDArray[np.bool_]


def cluster(beats: Beats, rule: ClusterRule = "all-pairs") -> list[list[int]]:
    r"""Split systems, ordered from best to worst, into clusters.

    With n systems and :math:`w_i` significant wins of the i-th over any other system, a line is
    drawn below rank i if

    ``all-pairs``
        every system above beats every system below;
    ``wmt-last``
        :math:`w_i = n - i`. This is what WMT published until 2022: it looks at the last system
        above the line only, so a line may separate systems that were not told apart (WMT21
        German–English: ranks 4 and 5 of 20);
    ``min-wins``
        :math:`\min_{j \le i} w_j = n - i`, as in Appraise;
    ``rank-ranges``
        no rank range reaches over the line, with ranges walked from neighbour to neighbour
        until the first significant difference (WMT25).

    Parameters
    ----------
    beats : array of shape (systems, systems)
        ``beats[i, j]``: the i-th system is significantly better than the j-th; systems in the
        order of their scores, best first.

    Examples
    --------
    >>> beats = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> cluster(beats), cluster(beats, "wmt-last")
    ([[0, 1, 2, 3]], [[0, 1], [2, 3]])
    """
    check.literal(rule, ClusterRule, "rule")
    n = len(beats)
    if rule == "all-pairs":
        return rank_groups(list(range(n)), beats)
    wins = beats.sum(axis=1)
    if rule == "wmt-last":
        ends = [i for i in range(1, n) if wins[i - 1] == n - i]
    elif rule == "min-wins":
        ends = [i for i in range(1, n) if wins[:i].min() == n - i]
    else:
        low, high = walked_ranges(beats)
        ends = [i for i in range(1, n) if max(high[:i]) <= i and min(low[i:]) > i]
    bounds = [0, *ends, n]
    return [list(range(a, b)) for a, b in itertools.pairwise(bounds)]


def rank_ranges(beats: Beats, rule: ClusterRule = "all-pairs") -> tuple[list[int], list[int]]:
    """Return the best and the worst rank that each system may have: losses + 1, n − wins."""
    if rule == "rank-ranges":
        return walked_ranges(beats)
    n = len(beats)
    low = (beats.sum(axis=0) + 1).tolist()
    high = (n - beats.sum(axis=1)).tolist()
    return low, high


def walked_ranges(beats: Beats) -> tuple[list[int], list[int]]:
    """Return rank ranges that end at the first significant difference, as WMT25 has them."""
    n = len(beats)
    low, high = [], []
    for i in range(n):
        above = next((j for j in range(i - 1, -1, -1) if beats[j, i]), -1)
        below = next((j for j in range(i + 1, n) if beats[i, j]), n)
        low.append(above + 2)
        high.append(below)
    return low, high
