"""Which items are judged at all, and by whom: evenly, and some of them twice."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from heapq import heapify, heapreplace
from itertools import cycle

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.study.tasks.result import Pool


def draw_rows(
    rows: Sequence[int],
    documents: Sequence[str] | None,
    n: int,
    rng: np.random.Generator,
) -> tuple[tuple[int, ...], int]:
    """Return `n` of the rows in order, or as many whole documents as reach `n`, and how many.

    Documents come in random order, whatever their length, until `n` lines are reached, and the
    last one is taken whole. Without documents every row is one of its own.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> draw_rows(range(6), ["a", "a", "b", "b", "c", "c"], 3, rng)
    ((0, 1, 2, 3), 2)
    """
    lines: dict[str | int, list[int]] = {}
    for row in rows:
        lines.setdefault(row if documents is None else documents[row], []).append(row)
    whole = list(lines.values())
    taken: list[int] = []
    n_drawn = 0
    for index in rng.permutation(len(whole)).tolist():
        if len(taken) >= n:
            break
        taken += whole[index]
        n_drawn += 1
    return tuple(sorted(taken)), n_drawn


def sample_items(pool: Pool, n_items: int | None, rng: np.random.Generator) -> Pool:
    """Return the pool cut to a sample of its lines, and a note that says what was taken."""
    if n_items is None:
        return pool
    if n_items > pool.n_rows:
        raise InputError(
            f"`n_items` must be at most {pool.n_rows:,}, the lines of the corpus; got "
            f"{n_items:,}."
        )
    documents = pool.corpus.documents
    rows, n_drawn = draw_rows(pool.rows, documents, n_items, rng)
    taken = f"{len(rows):,} of {count(pool.n_rows, 'line')} were drawn"
    if documents is None:
        note = f"{taken}, each by itself, since no documents are known."
    else:
        note = (
            f"{taken}: {n_drawn:,} whole of {count(len(set(documents)), 'document')}, until "
            f"{n_items:,} lines were reached."
        )
    return replace(pool, rows=rows, notes=(*pool.notes, note))


def rows_judged_twice(pool: Pool, overlap: float, rng: np.random.Generator) -> frozenset[int]:
    """Return the lines that a second rater judges too: that share of them at least."""
    if not overlap:
        return frozenset()
    n = math.ceil(overlap * pool.n_rows - 1e-9)  # 0.1 of 240 is 24 lines, rounding aside
    return frozenset(draw_rows(pool.rows, pool.corpus.documents, n, rng)[0])


# --- Share items out to raters: evenly, and some of them to two ---


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
