r"""Tries of one candidate against one baseline: rerunning until it is green is testing many times.

Three tries at .05 are one at .14. Whoever wants to be allowed to try again says so beforehand, and
then the j-th try is tested at :math:`\alpha 2^{-j}`, which adds up to α over any number of tries.
The same scores are the same try, however often they are gated.
"""

from collections.abc import Mapping
from typing import NamedTuple

from detectable.core import check
from detectable.core.errors import InputError

_MOST = 10  # tries: α is then below a thousandth of itself


class Attempt(NamedTuple):
    """Which try this is, and all tries so far with this one."""

    number: int
    tried: dict[str, tuple[str, ...]]


def level(alpha: float, attempt: int | None) -> float:
    """Return the level at which a try is tested; α itself where tries are not counted.

    Examples
    --------
    >>> level(0.05, None), level(0.05, 1), level(0.05, 3)
    (0.05, 0.025, 0.00625)
    """
    if attempt is None:
        return alpha
    if check.positive_int(attempt, "attempt") > _MOST:
        raise InputError(
            f"`attempt` must be at most {_MOST}; got {attempt}. Accept or drop the candidate."
        )
    return alpha * 0.5**attempt


def counted(
    tried: Mapping[str, tuple[str, ...]], candidate: str, scores_sha256: str
) -> Attempt:
    """Return the number of a try, which is new unless these scores were tried before.

    Examples
    --------
    >>> first = counted({}, "B", "aa")
    >>> first.number, counted(first.tried, "B", "bb").number, counted(first.tried, "B", "aa").number
    (1, 2, 1)
    """
    known = tried.get(candidate, ())
    if scores_sha256 in known:
        return Attempt(known.index(scores_sha256) + 1, dict(tried))
    return Attempt(len(known) + 1, {**tried, candidate: (*known, scores_sha256)})
