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

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.errors import InputError
from detectable.kernels.distributions import normal_below
from detectable.sequential.design import design
from detectable.sequential.families import family_row, spending_families
from detectable.sequential.look_boundary import look_boundaries
from detectable.sequential.stagewise import (
    overrun_inference,
    repeated_p_value,
    stagewise_inference,
)

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


def _boundaries(family: str, alpha: float, times: Sequence[float]) -> tuple[float, ...]:
    made = design(family, alpha=alpha, sided=1, looks=_PLANNED, futility="none")
    return look_boundaries(made, times, final=True).z


def predictive_power(z: float, t: float, critical: float) -> float:
    r"""Return the chance of reaching a critical value at the end, given z at the share t.

    With a flat prior, :math:`\Phi((z/\sqrt t - u) \sqrt{t/(1 - t)})`.

    Examples
    --------
    >>> round(predictive_power(2.0, 0.5, 1.77), 3)
    0.856
    """
    if t >= 1.0:
        return float(z >= critical)
    return float(normal_below((z / math.sqrt(t) - critical) * math.sqrt(t / (1.0 - t))))


# --- After the stop: what all data say, the prefix that decided and what was begun by then ---


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterPrefix:
    """One side of an evaluation that has stopped.

    Attributes
    ----------
    p_value : float
        Over all looks.
    bound : float
        The z for which a repeated limit holds.
    drift_limit : float or None
        Of the stagewise ordering: the smallest drift that is not rejected, over the whole schedule;
        None where the repeated limit is the one that holds.
    """

    p_value: float
    bound: float
    drift_limit: float | None


def after_prefix(
    looks: PrefixLooks, stage: int, *, share: float, z: float, side: Side, decided: bool
) -> AfterPrefix:
    """Return p-value and limit of one side, with all data.

    On the side that decided, and on both at the planned end, outcomes are ordered by stage, and the
    look of the stop is replaced by one with all data (see `overrun_inference`). On the other side,
    and after an end for any other reason, the repeated p-value and limit hold.

    Parameters
    ----------
    looks : PrefixLooks
        As planned, or up to a declared end.
    stage : int
        The look of the stop, from 1.
    share : float
        Of the schedule that has an answer now, at least that of the look.
    z : float
        The statistic of this side with all data: positive for the claim.
    decided : bool
        Whether the ordering by stage holds for this side.
    """
    bounds = (looks.z if side == "pass" else looks.z_fail)[:stage]
    alpha = looks.alpha if side == "pass" else looks.alpha_fail
    times = looks.times[:stage]
    level = 1.0 - 2.0 * alpha
    late = share > times[-1] + 1e-9
    bound = bounds[-1]
    found = None
    if late:
        found, bound = overrun_inference(
            times, bounds, None, overrun_information=share, z=z, level=level
        )
    elif decided:
        found = stagewise_inference(times, bounds, None, stage, z, level=level)
    if decided and found is not None:
        return AfterPrefix(
            p_value=found.p_one_sided, bound=bound, drift_limit=found.interval.low
        )

    def boundary(level: float) -> float:
        return _boundaries(looks.family, level, (*times[:-1], share))[-1]

    return AfterPrefix(p_value=repeated_p_value(z, boundary), bound=bound, drift_limit=None)
