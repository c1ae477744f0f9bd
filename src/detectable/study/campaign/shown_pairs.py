"""Which two systems stand beside each other, where raters choose between texts."""

from collections.abc import Sequence
from itertools import combinations

Pair = tuple[str, str]


def shown_pairs(systems: Sequence[str], baseline: str = "") -> list[Pair]:
    """Return the pairs of a part: each with the baseline, or all of them without one.

    Every pair is a page of its own, so all pairs of k systems take k (k − 1) / 2 pages of every
    part, and pairs with a baseline k − 1. No pair is left out or drawn: a choice between two
    systems says nothing certain about a third.

    Examples
    --------
    >>> shown_pairs(["A", "B", "C"])
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    >>> shown_pairs(["A", "B", "C"], "B")
    [('A', 'B'), ('B', 'C')]
    """
    return [pair for pair in combinations(systems, 2) if not baseline or baseline in pair]
