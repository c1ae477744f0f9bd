"""For every rater the pairs of an ordinary item and its degraded copy."""

from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import cross_codes
from detectable.data.human.judgments import KINDS, Judgments

_ORDINARY, _DEGRADED = KINDS.index("system"), KINDS.index("degraded")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPairs:
    """Scores of ordinary items and of their degraded copies, pair by pair.

    Attributes
    ----------
    rater : array of int
        Position of the rater among the levels of the judgments' raters, sorted.
    original, degraded : array
        The two scores of each pair.
    n_degraded : array of int
        Judgments of degraded copies by each rater, with a partner or without.
    notes : tuple of str
        What found no partner, and what was averaged.
    """

    rater: IntArray
    original: FloatArray
    degraded: FloatArray
    n_degraded: IntArray
    notes: tuple[str, ...] = field(default=())

    def of(self, rater: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores of originals and of degraded copies of one rater."""
        first, last = np.searchsorted(self.rater, [rater, rater + 1])
        return self.original[first:last], self.degraded[first:last]


def pair_up(judgments: Judgments) -> RaterPairs:
    """Match each degraded copy with the ordinary item by the same rater in the same task.

    Same means: the same rater, campaign, language pair, wave, task, system and item, as far as
    the data name them. A score given several times under one such key is averaged first.
    """
    raters = judgments.column("rater")
    if not judgments.is_kind("degraded").any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no item is degraded, so nothing shows who "
            "read carefully. Give the column of the kind of each item (--column kind=…), or "
            "collect with controls (detectable tasks)."
        )
    given = [getattr(judgments, role) for role in ("campaign", "language", "wave", "task")]
    columns = [column for column in given if column is not None]
    codes, first = cross_codes(raters, *columns, judgments.system, judgments.item)
    original, n_original = _means(codes, judgments, _ORDINARY, first.size)
    degraded, n_degraded = _means(codes, judgments, _DEGRADED, first.size)
    both = (n_original > 0) & (n_degraded > 0)
    who = raters.codes[first]
    order = np.flatnonzero(both)
    order = order[np.argsort(who[order], kind="stable")]
    alone = (n_degraded > 0) & (n_original == 0)
    repeated = int((both & ((n_original > 1) | (n_degraded > 1))).sum())
    return RaterPairs(
        rater=who[order],
        original=original[order],
        degraded=degraded[order],
        n_degraded=np.bincount(
            raters.codes[judgments.kind == _DEGRADED], minlength=raters.n_levels
        ),
        notes=(*_alone_note(judgments, first[alone]), *_average_note(repeated)),
    )


def _means(
    codes: IntArray, judgments: Judgments, kind: int, size: int
) -> tuple[FloatArray, IntArray]:
    """Return the mean score and the number of judgments of a kind under every key."""
    rows = judgments.kind == kind
    n = np.bincount(codes[rows], minlength=size)
    sums = np.bincount(codes[rows], weights=judgments.score[rows], minlength=size)
    return sums / np.maximum(n, 1), n


def _alone_note(judgments: Judgments, rows: IntArray) -> tuple[str, ...]:
    if not rows.size:
        return ()
    raters = judgments.column("rater")
    names = [
        f"{judgments.system.label(row)} item {judgments.item.label(row)} by {raters.label(row)}"
        for row in rows[:3].tolist()
    ]
    named = listing(names) if rows.size <= 3 else f"{', '.join(names)}, …"
    return (
        f"{count(int(rows.size), 'degraded copy', 'degraded copies')} left out: the same rater "
        f"judged no ordinary item of that name in the same task ({named}).",
    )


def _average_note(repeated: int) -> tuple[str, ...]:
    if not repeated:
        return ()
    pairs = count(repeated, "pair")
    return (f"{pairs} had several scores for the item or its copy; they were averaged first.",)
