"""Who can be compared with whom: the graph of wins, and its strong components."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import IntArray


def strong_components(beats: NDArray[np.bool_]) -> list[list[int]]:
    r"""Return the strongly connected components of a graph, those that nobody beats first.

    `beats[i, j]` says that i won or tied against j at least once. Strengths of Bradley and Terry
    have finite estimates if and only if the graph is strongly connected: however the systems are
    split in two, each half has won or tied against the other [1]_. By Tarjan's algorithm [2]_,
    without recursion.

    References
    ----------
    .. [1] Ford (1957), "Solution of a ranking problem from binary comparisons", American
       Mathematical Monthly 64(8), 28–33.
    .. [2] Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM Journal on
       Computing 1(2), 146–160.

    Examples
    --------
    >>> beats = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]], dtype=bool)
    >>> strong_components(beats)
    [[0], [1, 2]]
    """
    n = len(beats)
    after = [np.flatnonzero(row).tolist() for row in beats]
    number, lowest = [-1] * n, [0] * n
    waiting: list[int] = []
    on_stack = [False] * n
    found: list[list[int]] = []
    seen = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        path: list[tuple[int, int]] = [(root, 0)]
        while path:
            node, step = path.pop()
            if step == 0:
                number[node] = lowest[node] = seen
                seen += 1
                waiting.append(node)
                on_stack[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[after[node][step - 1]])
            while step < len(after[node]):
                other = after[node][step]
                step += 1
                if number[other] < 0:
                    path += [(node, step), (other, 0)]
                    break
                if on_stack[other]:
                    lowest[node] = min(lowest[node], number[other])
            else:
                if lowest[node] == number[node]:
                    cut = waiting.index(node)
                    found.append(sorted(waiting[cut:]))
                    for member in waiting[cut:]:
                        on_stack[member] = False
                    del waiting[cut:]
    return found[::-1]  # Tarjan finds a component after all that it beats


def separate_parts(met: NDArray[np.bool_]) -> list[list[int]]:
    """Return the groups of systems between which there was no battle at all, largest first.

    Examples
    --------
    >>> met = np.zeros((3, 3), dtype=bool)
    >>> met[0, 2] = met[2, 0] = True
    >>> separate_parts(met)
    [[0, 2], [1]]
    """
    parts = strong_components(met | met.T)
    return sorted(parts, key=lambda part: (-len(part), part))


def reaches(beats: NDArray[np.bool_], start: Sequence[int]) -> NDArray[np.bool_]:
    """Return whom some systems beat, directly or through others; they themselves included."""
    seen = np.zeros(len(beats), dtype=bool)
    seen[list(start)] = True
    while True:
        further = seen | beats[seen].any(axis=0)
        if (further == seen).all():
            return seen
        seen = further


def wins_between(
    a: IntArray, b: IntArray, outcome: NDArray[np.float64], n: int
) -> NDArray[np.bool_]:
    """Return who won or tied against whom at least once, as a matrix."""
    beats = np.zeros(n * n, dtype=bool)
    beats[(a * n + b)[outcome > 0.0]] = True
    beats[(b * n + a)[outcome < 1.0]] = True
    return beats.reshape(n, n)
