r"""Looks at prefixes of a schedule: their boundaries, when one decides, and what holds afterwards.

Samples of an evaluation come in the random order of a schedule, and every planned look is at a prefix
of it: the first twentieth, the first two, and so on, from 30 samples on. A *pass* shows that the loss
is smaller than the margin, at level α; a *fail* shows a loss, at level α/T for T tasks. Both are
one-sided and spend by the same family (Hwang, Shih and DeCani with γ = −4).

A fail stops only where a pass has become unlikely too: with :math:`z_M` the statistic against the
margin at the share t, and :math:`u_K` its last boundary,

.. math:: \Phi\bigl((z_M / \sqrt t - u_K) \sqrt{t / (1 - t)}\bigr) < .05,

the predictive power with a flat prior [1]_. Otherwise a small loss within the margin would stop as a
fail before it could pass.

References
----------
.. [1] Jennison and Turnbull (2000), "Group sequential methods", section 10.3.
"""

import functools
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.sequential.design import design
from detectable.sequential.design_result import Design
from detectable.sequential.families import family_row, spending_families
from detectable.sequential.look_statistic import look_boundaries
from detectable.sequential.stagewise import by_stage

Side: TypeAlias = Literal["pass", "fail"]

FIRST = 30  # samples before which nobody looks
UNLIKELY = 0.05  # predictive power below which a claim is given up
FUTILE_FROM = 0.35  # the share from which on giving up is advised
_PLANNED = 10  # looks of the design that lends its spending function; any number is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixLooks:
    """Planned looks at a schedule of samples, and their boundaries.

    Attributes
    ----------
    total : int
        Samples of the whole schedule.
    at : tuple of int
        The prefixes, in samples; the last is the whole.
    z, z_fail : tuple of float
        What the statistic against the margin must reach for a pass, and minus that of a loss for a
        fail.
    alpha, alpha_fail : float
        The one-sided levels.
    family : str
        That spends them.
    """

    total: int
    at: tuple[int, ...]
    z: tuple[float, ...]
    z_fail: tuple[float, ...]
    alpha: float
    alpha_fail: float
    family: str

    @property
    def times(self) -> tuple[float, ...]:
        """The looks as shares of the schedule."""
        return tuple(n / self.total for n in self.at)

    @classmethod
    def of(
        cls,
        total: int,
        *,
        alpha: float = 0.05,
        alpha_fail: float | None = None,
        looks: int = 20,
        first: int = FIRST,
        family: str = "hsd",
    ) -> "PrefixLooks":
        """Return the looks at a schedule of so many samples.

        Examples
        --------
        >>> made = PrefixLooks.of(120, alpha_fail=0.025)
        >>> made.at[:3], round(made.z[0], 3), round(made.z_fail[0], 3)
        ((30, 36, 42), 2.947, 3.155)
        """
        if not family_row(family).spends:
            raise InputError(
                f"`family` must be one that takes looks at any time, {spending_families()}; got "
                f"{family!r}."
            )
        # Half to even, as numpy rounds: at 30 samples and 20 looks the prefixes stay the same.
        grid = sorted({round(total * k / looks) for k in range(1, looks + 1)})
        at = tuple(n for n in grid if n >= min(first, total))
        times = tuple(n / total for n in at)
        fail = alpha if alpha_fail is None else alpha_fail
        return cls(
            total=total,
            at=at,
            z=_boundaries(family, alpha, times),
            z_fail=_boundaries(family, fail, times),
            alpha=alpha,
            alpha_fail=fail,
            family=family,
        )

    def ended_at(self, n: int) -> "PrefixLooks":
        """Return the looks up to a prefix that was declared the last: it spends what is left."""
        at = (*(one for one in self.at if one < n), n)
        times = tuple(one / self.total for one in at)
        return PrefixLooks(
            total=self.total,
            at=at,
            z=_boundaries(self.family, self.alpha, times),
            z_fail=_boundaries(self.family, self.alpha_fail, times),
            alpha=self.alpha,
            alpha_fail=self.alpha_fail,
            family=self.family,
        )


@functools.lru_cache(maxsize=256)  # every task of a suite asks for the same again and again
def _boundaries(family: str, alpha: float, times: tuple[float, ...]) -> tuple[float, ...]:
    return look_boundaries(_design(family, alpha), times, final=True).z


def _design(family: str, alpha: float) -> Design:
    return design(family, alpha=alpha, sided=1, looks=_PLANNED, futility="none")


def predictive_power(z: float, t: float, critical: float) -> float:
    r"""Return the chance of reaching a critical value at the end, given z at the share t.

    With a flat prior, :math:`\Phi((z/\sqrt t - u) \sqrt{t/(1 - t)})`.

    Examples
    --------
    >>> round(predictive_power(2.0, 0.5, 1.77), 3)
    0.855
    """
    if t >= 1.0:
        return float(z >= critical)
    return float(normal_below((z / math.sqrt(t) - critical) * math.sqrt(t / (1.0 - t))))


# --- After the stop: what all data say, the prefix that decided and what was begun by then ---


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedLooks:
    """Where the looks at a schedule ended.

    Attributes
    ----------
    looks : PrefixLooks
        As planned, or up to a declared end.
    stage : int
        The look of the stop, from 1; 0 where none took place.
    share : float
        Of the schedule that has an answer by now.
    decided : {'pass', 'fail'} or None
        The side that crossed its boundary.
    """

    looks: PrefixLooks
    stage: int
    share: float
    decided: Side | None

    @property
    def at_the_end(self) -> bool:
        """Whether it went on to its last look."""
        return self.stage == len(self.looks.at)

    @property
    def _times(self) -> tuple[float, ...]:
        """The looks that took place, the last with all data."""
        *before, last = self.looks.times[: self.stage]
        # A look may decide before its prefix is whole, and what had not begun by then is not run.
        own = self.share > (before[-1] if before else 0.0)
        return (*before, min(self.share, 1.0) if own else last)

    def is_ordered(self, side: Side) -> bool:
        """Whether outcomes of a side are ordered by their look: it decided, or nothing did."""
        return self.decided == side or (self.decided is None and self.at_the_end)

    def by_stage(self, side: Side, z: float, *, alpha: float) -> tuple[float, float]:
        """Return the p-value of a side that is ordered, and the smallest drift that α leaves.

        Parameters
        ----------
        z : float
            The statistic of all data, positive for the claim.
        """
        bounds = self.looks.z if side == "pass" else self.looks.z_fail
        found = by_stage(self._times, bounds[: self.stage - 1], z, level=1.0 - 2.0 * alpha)
        return found.p_one_sided, found.interval.low * math.sqrt(self._times[-1])

    @property
    def _part(self) -> float:
        """The part of α that the look of the stop had to spend."""
        made = _design(self.looks.family, self.looks.alpha)
        times = self.looks.times[: self.stage]
        spent = [made.spend(t) / made.alpha for t in times]
        if self.at_the_end:
            spent[-1] = 1.0
        return spent[-1] - (spent[-2] if len(spent) > 1 else 0.0)

    def bound(self, alpha: float) -> float:
        r"""Return the z of a limit that holds for any reason to stop, at a level.

        The look of the stop, with all data in its place, is tested at the part :math:`\Delta f` of α
        that it had to spend: the sum over all looks is α, whatever they know of each other. That is
        stricter than a repeated limit, and needs no recursion.
        """
        return normal_quantile(1.0 - alpha * self._part)

    def any_stop_p(self, z: float) -> float:
        """Return the smallest level at which z reaches that limit."""
        return min(1.0, float(normal_below(-z)) / self._part)


# --- Exact looks for paired differences: spend α over the sign flips themselves ---
#
# If the systems do not differ, the sign of each unit's difference is a coin flip. Signs are drawn
# once for every unit, so each flip has a path :math:`|S_1|, |S_2|, \dots` over the looks, as the
# data have one. At look k the largest paths are rejected until :math:`\lfloor f(t_k) (B + 1)
# \rfloor` have been rejected in all, where f spends α; a rejected path plays no further part. The
# data are one of B + 1 indistinguishable paths, so they are rejected by look k with
# chance at most :math:`f(t_k)`: exactly, whatever the distribution and however few the units.

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
