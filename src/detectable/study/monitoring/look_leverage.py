"""One document or one rater on whose account a plan stops."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.claim import WithoutRater
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import number
from detectable.data.factor import Factor
from detectable.study.monitoring.ledger import PairLook, digits_of, evidence_of
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.look_tests import bet_without, decided_without
from detectable.study.monitoring.planned import UNPAIRED

_FEWEST = 3  # with two of them, one is left, which says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeftOut:
    """What is left out of a look: a document or a rater."""

    kind: str
    name: str
    share: float  # of the comparisons of the pair
    rows: NDArray[np.bool_]  # its judgments


def influential(
    context: LookContext, rows: Sequence[PairLook], states: Mapping[str, Any]
) -> tuple[str, ...]:
    """Say which decisions of this look one document or one rater has made.

    Every pair that is decided is tested again at the same boundary without the document, and
    without the rater, that moves its mean difference most. Samples that share no items have no
    such differences, and a mixed model has the effects of both in it: nothing is said of them.

    Parameters
    ----------
    states : mapping
        Of the bets after this look; empty in a plan with boundaries.
    """
    if context.plan.test in UNPAIRED or context.plan.test == "mixed":
        return ()
    said = []
    for row in rows:
        if row.verdict == "undecided" or not row.tested:
            continue
        for out in _movers(context, row):
            after = _again(context, row, out, states)
            if after is not None and after.verdict != row.verdict:
                said.append(_sentence(context, out, after))
    return tuple(said)


def _again(
    context: LookContext, row: PairLook, out: _LeftOut, states: Mapping[str, Any]
) -> PairLook | None:
    """Test the rest; None where it is too little for a test."""
    rest = context.without(out.rows)
    try:
        if context.plan.anytime:
            return bet_without(context, rest, row, states)
        return decided_without(context, rest, row)
    except DataError:
        return None


def _movers(context: LookContext, row: PairLook) -> Iterator[_LeftOut]:
    """Yield the document and the rater without which the mean difference moves most."""
    cells, judgments = context.cells, context.judgments
    matched = cells.matched([row.pair])
    d, item, rater = matched.score_first - matched.score_second, matched.item, matched.rater
    left = WithoutRater.of(item, d, len(cells.items))
    judged = left.judged > 0
    mean = float(left.mean[judged].mean())
    if cells.document is not None and judgments.document is not None:
        moved = _means_without(cells.document[judged], left.mean[judged]) - mean
        names, held = cells.documents or (), cells.document[item]
        yield from _largest("document", judgments.document, names, moved, held)
    if rater is not None and judgments.rater is not None:
        if context.unit == "rater":  # which counts comparisons, not items
            moved = _means_without(rater, d) - float(d.mean())
        else:
            rest = judged.sum() - np.bincount(rater, weights=left.alone)
            sums = left.mean.sum() + np.bincount(rater, weights=left.change)
            moved = sums / np.where(rest > 0.0, rest, np.nan) - mean
        yield from _largest("rater", judgments.rater, cells.raters or (), moved, rater)


def _means_without(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of the values of all other groups; NaN where there are none."""
    rest = values.size - np.bincount(groups)
    sums = values.sum() - np.bincount(groups, weights=values)
    found: FloatArray = sums / np.where(rest > 0, rest, np.nan)
    return found


def _largest(
    kind: str, column: Factor, names: tuple[str, ...], moved: FloatArray, held: IntArray
) -> Iterator[_LeftOut]:
    """Yield the group without which the mean moves most, of three and more.

    Parameters
    ----------
    held : array of int
        The group of every comparison.
    """
    counts = np.bincount(held, minlength=moved.size)
    known = np.where(counts > 0, np.abs(moved), np.nan)
    if np.isfinite(known).sum() < _FEWEST:
        return
    at = int(np.nanargmax(known))
    yield _LeftOut(
        kind=kind,
        name=names[at],
        share=float(counts[at] / held.size),
        rows=column.codes == column.levels.index(names[at]),
    )


def _sentence(context: LookContext, out: _LeftOut, after: PairLook) -> str:
    would = "undecided" if after.verdict == "undecided" else f"“{after.verdict}”"
    shown = number(after.estimate, digits=digits_of(after.scale), sign=True)
    return (
        f"Without {out.kind} {out.name} ({out.share:.0%} of the comparisons) {after.system} − "
        f"{after.baseline} would be {would} at look {context.number} ({shown}; "
        f"{evidence_of(after)})."
    )
