r"""Exact looks for paired differences: spend α over the sign flips themselves.

If the systems do not differ, the sign of each unit's difference is a coin flip. Signs are drawn
once for every unit, so each flip has a path :math:`|S_1|, |S_2|, \dots` over the looks, as the
data have one. At look k the largest paths are rejected until :math:`\lfloor f(t_k) (B + 1)
\rfloor` have been rejected in all, where f spends α; a rejected path plays no further part. The
data are one of B + 1 paths that no one could tell apart, so they are rejected by look k with
chance at most :math:`f(t_k)`: exactly, whatever the distribution and however few the units.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.types import FloatArray

N_FLIPS = 9_999
_SLACK = 1e-10  # sums that agree to this share of the largest are ties


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLook:
    """One look of the exact test.

    Attributes
    ----------
    rejected : bool
        Whether the data's own path reaches the bound at this look.
    statistic : float
        The sum of the differences.
    bound : float
        The smallest sum (in size, if two-sided) that was rejected at this look; infinite if none
        was.
    spent : float
        Share of all paths that are rejected so far.
    p_value : float
        Over all looks: the share of paths that were rejected before, or are at least as large
        now. Valid if this is the look of the stop, or the last one.
    """

    rejected: bool
    statistic: float
    bound: float
    spent: float
    p_value: float


def sign_flip_looks(
    looks: Sequence[tuple[Sequence[str], FloatArray]],
    spent: Sequence[float],
    *,
    seed: int,
    sided: int = 2,
    n_flips: int = N_FLIPS,
) -> list[FlipLook]:
    """Return the decisions of the exact test at every look so far.

    Parameters
    ----------
    looks : sequence of (names, differences)
        The units that each look saw, with their differences at that look. A unit is what is
        independent: an item, or a document with its differences summed.
    spent : sequence of float
        Cumulative α at each look, of both sides together if there are two.
    seed : int
        Of the signs. The signs of a unit follow from the seed and its name, so that they stay the
        same at every look, in whatever order the data come.
    sided : {1, 2}
        A one-sided test orders the paths by their sum and not by its size.

    Examples
    --------
    >>> names = [str(i) for i in range(12)]
    >>> looks = [(names[:6], np.ones(6)), (names, np.ones(12))]
    >>> [look.rejected for look in sign_flip_looks(looks, [0.02, 0.05], seed=1)]
    [False, True]
    """
    n_flips = check.repetitions(n_flips, "n_flips", minimum=19)
    open_paths = np.ones(n_flips + 1, dtype=bool)
    signs: dict[str, NDArray[np.int8]] = {}
    answers = []
    for (names, differences), alpha in zip(looks, spent, strict=True):
        for name in names:
            if name not in signs:
                signs[name] = _signs(seed, name, n_flips)
        table = np.stack([signs[name] for name in names])
        size = np.concatenate([[differences.sum()], differences @ table])  # the data come first
        if sided == 2:
            size = np.abs(size)
        allowed = math.floor(alpha * (n_flips + 1) + 1e-9) - int((~open_paths).sum())
        bound = _bound(size, open_paths, allowed)
        out = open_paths & (size >= bound)
        answers.append(
            FlipLook(
                # Also where the path was rejected before at this level: a family of pairs may raise
                # the level of a pair between two looks, and then asks about the present one.
                rejected=bool(size[0] >= bound),
                statistic=float(differences.sum()),
                bound=bound,
                spent=float((~open_paths | out).mean()),
                p_value=float((~open_paths | (size >= size[0] - _slack(size))).mean()),
            )
        )
        open_paths &= ~out
    return answers


def _bound(size: FloatArray, open_paths: NDArray[np.bool_], allowed: int) -> float:
    """Return the smallest size such that at most `allowed` open paths reach it."""
    ordered = np.sort(size[open_paths])[::-1]
    if allowed < 1 or ordered.size == 0:
        return math.inf
    if allowed >= ordered.size:
        return -math.inf
    slack = _slack(ordered)
    # All paths tied with the first that is too many stay in: ties go against rejection.
    above = ordered[ordered > ordered[allowed] + slack]
    return float(above[-1]) - slack if above.size else math.inf


def _slack(size: FloatArray) -> float:
    return _SLACK * max(float(np.abs(size).max()), 1e-300)


def _signs(seed: int, name: str, n_flips: int) -> NDArray[np.int8]:
    digest = hashlib.blake2b(name.encode(), digest_size=8, key=str(seed).encode()[:64]).digest()
    generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
    bits = np.unpackbits(np.frombuffer(generator.bytes(-(-n_flips // 8)), np.uint8))
    return (2 * bits[:n_flips].astype(np.int8) - 1).astype(np.int8)
