"""For every rater the pairs of an ordinary item and its degraded copy."""

from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.judgment_names import KINDS, Kind
from detectable.data.human.judgments import Judgments

_KINDS: tuple[Kind, Kind] = ("system", "degraded")


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
    # A copy belongs to the item of its system, seen in one wave and task; kinds are compared.
    given = [judgments.item, judgments.system, judgments.wave, judgments.task]
    codes, first = cross_codes(*(column for column in given if column is not None))
    cells = judgments.cells(
        kinds=_KINDS,
        item=Factor(name="item", levels=("",) * first.size, codes=codes),  # needs no names
        system=Factor(name="kind", levels=KINDS, codes=judgments.kind),
    )
    matched = cells.matched([_KINDS] if set(_KINDS) <= set(cells.systems) else ())
    row = np.flatnonzero(judgments.is_kind(*_KINDS))[cells.row]
    who = raters.codes[row]
    order = np.argsort(who[matched.left], kind="stable")
    alone = cells.system == cells.systems.index("degraded")
    alone[matched.right] = False
    repeated = (cells.n[matched.left] > 1) | (cells.n[matched.right] > 1)
    return RaterPairs(
        rater=who[matched.left][order],
        original=matched.score_first[order],
        degraded=matched.score_second[order],
        n_degraded=np.bincount(
            raters.codes[judgments.is_kind("degraded")], minlength=raters.n_levels
        ),
        notes=(
            *_alone_note(judgments, np.sort(row[alone])),
            *_average_note(int(repeated.sum())),
        ),
    )


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
