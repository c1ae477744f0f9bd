"""Share items out to raters: evenly, and some of them to two."""

from collections.abc import Collection, Iterator, Sequence
from heapq import heapify, heapreplace
from itertools import cycle

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count


def share_items(
    rows: Sequence[int], twice: Collection[int], n_raters: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return the items of each rater in random order, those of `twice` with two raters.

    Nobody gets an item twice. Items that two judge go to every pair of raters in turn, as games
    are set in a tournament: any two raters have equally many in common, but for one. The other
    items make loads equal: nobody has more than one item more than another (two, where fewer
    items than raters are left for that).

    Examples
    --------
    >>> share_items(range(4), {0}, 2, np.random.default_rng(1))
    [[3, 0, 1], [2, 0]]
    """
    order = [rows[i] for i in rng.permutation(len(rows)).tolist()]
    shares: list[list[int]] = [[] for _ in range(n_raters)]
    both = [row for row in order if row in twice]
    for row, pair in zip(both, cycle(_rounds(n_raters)), strict=False):
        for rater in pair:
            shares[rater].append(row)
    loads = [(len(share), rater) for rater, share in enumerate(shares)]
    heapify(loads)
    for row in (row for row in order if row not in twice):
        load, rater = loads[0]  # who has least, the first of several
        shares[rater].append(row)
        heapreplace(loads, (load + 1, rater))
    return [[own[i] for i in rng.permutation(len(own)).tolist()] for own in shares]


def _rounds(n: int) -> Iterator[tuple[int, int]]:
    """Yield all pairs of n in rounds in which nobody comes twice (the circle method).

    One by one: of a thousand raters there are half a million pairs, and few are needed.

    Examples
    --------
    >>> list(_rounds(4))
    [(0, 3), (1, 2), (0, 2), (3, 1), (0, 1), (2, 3)]
    """
    seats: list[int | None] = [*range(n), *([None] if n % 2 else [])]
    for _ in range(len(seats) - 1):
        for one, two in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if one is not None and two is not None:
                yield one, two
        seats = [seats[0], seats[-1], *seats[1:-1]]


def check_raters(raters: int | None, most: int, what: str, *, overlap: bool) -> None:
    """Refuse more raters than there is work for, and one rater where two are to agree."""
    if raters is None:
        return
    if raters > most:
        raise InputError(
            f"`raters` must be at most {most}: there are {count(most, what)} to share out; "
            f"got {raters}."
        )
    if overlap and raters < 2:
        raise InputError(
            f"`raters` must be at least 2 for an overlap; got {raters}. A second rater has to "
            "judge the same items."
        )
