"""Rank groups: which systems can be told apart."""

import numpy as np
from numpy.typing import NDArray


def rank_groups(order: list[int], better: NDArray[np.bool_]) -> list[list[int]]:
    """Split an ordered list of systems where everyone above beats everyone below.

    Parameters
    ----------
    order : list of int
        Systems from best to worst.
    better : array of shape (systems, systems)
        ``better[i, j]``: system i is significantly better than system j.

    Examples
    --------
    >>> beats = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> rank_groups([0, 1, 2], beats)
    [[0, 1], [2]]
    """
    groups: list[list[int]] = [[]]
    for position, system in enumerate(order):
        above, below = order[:position], order[position:]
        if above and all(better[i, j] for i in above for j in below):
            groups.append([])
        groups[-1].append(system)
    return groups
