"""Which items are judged at all, and which of them by a second rater: whole documents."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count
from detectable.study.tasks.rows import Pool


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
