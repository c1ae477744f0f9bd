"""Scores of different items, matched in the order in which they came."""

from dataclasses import dataclass, field

from detectable.core import check
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.wording import count
from detectable.sequential.e_process import Bounds, check_bounds, check_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedPairs(Result):
    """Differences of scores matched in order, and what waits for a partner."""

    differences: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    rest_a: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    rest_b: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    n_pairs: int
    n_left_a: int
    n_left_b: int
    notes: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say how many pairs there are and how many scores are left over."""
        return "; ".join([count(self.n_pairs, "pair") + " in order of arrival", *self.notes])


def pair_in_order(a: ArrayLike, b: ArrayLike, *, bounds: Bounds = (0.0, 100.0)) -> OrderedPairs:
    """Match the i-th score of one system with the i-th score of the other.

    For means nothing is lost against a comparison of the two samples, as long as both systems get
    about as many judgments. The order must not depend on the scores: draw it before scoring.

    Parameters
    ----------
    a, b : array_like
        Scores in order of arrival. They need not be equally many; either may be empty.
    bounds : (float, float)
        The lowest and the highest score that the scale allows.

    Returns
    -------
    OrderedPairs
        `rest_a` and `rest_b` hold what is left over. Put it before the next scores that arrive.

    Examples
    --------
    >>> pairs = pair_in_order([80, 70, 90], [75, 72])
    >>> pairs.differences.tolist(), pairs.n_left_a
    ([5.0, -2.0], 1)
    >>> pairs.summary()
    '2 pairs in order of arrival; 1 score of the first system waits for a partner'
    """
    first, second = check.vector(a, "a", min_size=0), check.vector(b, "b", min_size=0)
    bounds = check_bounds(bounds)
    check_scores(first, bounds, "a")
    check_scores(second, bounds, "b")
    n = min(first.size, second.size)
    rest_a, rest_b = first[n:], second[n:]
    return OrderedPairs(
        differences=first[:n] - second[:n],
        rest_a=rest_a,
        rest_b=rest_b,
        n_pairs=n,
        n_left_a=rest_a.size,
        n_left_b=rest_b.size,
        notes=_waiting(rest_a.size, "first") + _waiting(rest_b.size, "second"),
        signature=Signature("pair-in-order", {"n": n}),
    )


def _waiting(left: int, which: str) -> tuple[str, ...]:
    if not left:
        return ()
    return (
        f"{count(left, 'score')} of the {which} system "
        f"{'waits' if left == 1 else 'wait'} for a partner",
    )
