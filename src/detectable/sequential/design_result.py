"""Designs with looks: what they need, what they save, and their boundaries at any look."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Result
from detectable.core.types import ArrayLike
from detectable.core.wording import number
from detectable.kernels.distributions import normal_below
from detectable.sequential import boundaries
from detectable.sequential.families import Family, spending_families
from detectable.sequential.futility import BetaDesign, Futility, beta_spending_bounds
from detectable.sequential.stagewise import repeated_p_value

_SAME = 1e-9  # look times that differ by less are the same
_NEAREST = 0.999e-5  # two looks any nearer are one, and would take minutes to separate


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedN:
    """Expected sample without an effect, and at half, once and 1.5 times the planned effect."""

    h0: float
    half: float
    full: float
    one_and_half: float

    def times(self, factor: float) -> "ExpectedN":
        """Return the same in another unit."""
        return ExpectedN(
            h0=factor * self.h0,
            half=factor * self.half,
            full=factor * self.full,
            one_and_half=factor * self.one_and_half,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallAlpha:
    """Chance of a false rejection over all looks."""

    futility_ignored: float
    futility_obeyed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FutilityCost:
    """What a design does if every advice to stop for futility is followed."""

    power: float  # at the planned effect
    expected_n: ExpectedN  # in units of the maximum
    inflation: float  # of the sample that keeps the planned power nevertheless


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """Boundaries at the looks that took place."""

    information: tuple[float, ...]
    z: tuple[float, ...]
    z_lower: tuple[float, ...] | None
    nominal_p: tuple[float, ...]
    alpha_spent: tuple[float, ...]
    futility: tuple[float | None, ...]
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Result):
    """A group-sequential design.

    `power`, `inflation` and `expected_n` ignore futility while it is only advice; what happens
    if the advice is always followed stands in `with_futility`. Binding futility and β-spending
    are counted everywhere, and `with_futility` is then None.

    Two-sided tests stop where ``abs(Z) >= z`` and, for futility, where ``abs(Z) < futility``;
    one-sided tests where ``Z >= z`` and ``Z < futility``.
    """

    family: str
    parameter: float | None
    sided: int
    alpha: float
    power: float  # planned
    information: tuple[float, ...]
    z: tuple[float, ...]
    z_lower: tuple[float, ...] | None
    nominal_p: tuple[float, ...]
    alpha_spent: tuple[float, ...]  # cumulative, both sides
    futility: tuple[float | None, ...]
    futility_rule: str
    binding: bool
    overall_alpha: OverallAlpha
    drift: float  # at which the planned power is reached
    inflation: float  # maximum sample over that of a test without looks
    expected_n: ExpectedN  # in units of the maximum
    expected_n_over_fixed: ExpectedN  # in units of the sample of a test without looks
    with_futility: FutilityCost | None
    characteristics: tuple[boundaries.OperatingPoint, ...]
    n_max: int | None = None  # items per system
    items: tuple[int, ...] | None = None  # per system, at every look
    expected_items: ExpectedN | None = None
    notes: tuple[str, ...] = ()
    rule: Futility = field(repr=False, metadata={"bulk": "private"})
    design_drift: float = field(
        repr=False, metadata={"bulk": "private"}
    )  # if futility is ignored

    def family_in_words(self) -> str:
        """Return the name of the family, with its parameter."""
        return self._family.describe()

    @property
    def stops(self) -> boundaries.Stops:
        """Where the design stops, futility included."""
        inside = [self._interval(bound) for bound in self.futility]
        return boundaries.symmetric_stops(
            self.information, self.z, sided=self.sided, inside=inside
        )

    @property
    def counts_futility(self) -> bool:
        """Whether `power`, `inflation` and `expected_n` count stops for futility."""
        return self.binding or self.rule.counted

    def at_drift(self, drift: float) -> boundaries.OperatingPoint:
        """Return power, expected sample and stopping chances at a drift.

        The drift is the expected statistic at full information: effect over its standard error
        with the maximum sample.
        """
        at = check.vector([drift], "drift")
        return points_at(self.stops, at, counts_futility=self.counts_futility)[0]

    def spend(self, t: float) -> float:
        """Return the part of alpha, of both sides, spent up to the share `t`."""
        return self.sided * self._family.cumulative((t,), self.alpha / self.sided)[0]

    def boundaries_for(
        self, information: Sequence[float], *, final: bool = False
    ) -> Boundaries:
        """Return the boundaries at the looks that took place so far.

        Parameters
        ----------
        information : sequence of float
            Shares of the planned maximum at all looks so far, increasing.
        final : bool
            Declare the last of them the last look: it spends all that is left of alpha, whether
            it comes before or after the planned end. The covariance uses the actual times.
        """
        times = check_times(information, "information")
        if times[-1] > 1.0 + _SAME and not final:
            raise InputError(
                f"`information` must be at most 1 before the final look; got {times[-1]:g}. "
                "Declare the look final."
            )
        if len(times) > 1 and times[-2] > 1.0 - _SAME:
            raise InputError(
                f"`information` must be below 1 at all but the last look; got {times[-2]:g}. "
                "Nothing is left to spend after 1."
            )
        last = final or times[-1] >= 1.0 - _SAME
        z, futility = self._bounds_at(times, last=last)
        lower = None if self.sided == 1 else tuple(-u for u in z)
        inside = [self._interval(bound) for bound in futility]
        stops = boundaries.symmetric_stops(times, z, sided=self.sided, inside=inside)
        return Boundaries(
            information=times,
            z=z,
            z_lower=lower,
            nominal_p=nominal_p(z, self.sided),
            alpha_spent=spent_by(stops, obeyed=self.binding),
            futility=futility,
            final=last,
        )

    def repeated_p(
        self, information: Sequence[float], z: float, *, final: bool = False
    ) -> float:
        """Return the repeated p-value at the last of the looks so far.

        The smallest alpha at which a design of this family would have stopped there. It is valid
        at every look and for every reason to stop, also after a stop for futility; it never
        counts on futility, not even where that is binding.
        """
        times = check_times(information, "information")
        last = final or times[-1] >= 1.0 - _SAME
        planned = times
        if not self._family.spends:
            self._check_planned(times, last=last)
            planned = self.information

        def boundary(alpha: float) -> float:
            upper = self._family.boundary(
                planned, alpha, sided=self.sided, final=last and planned is times
            )
            return upper[len(times) - 1]

        return repeated_p_value(abs(z) if self.sided == 2 else z, boundary)

    @property
    def _family(self) -> Family:
        return Family(self.family, self.parameter)

    def _interval(self, bound: float | None) -> tuple[float, float] | None:
        if bound is None:
            return None
        return (-bound, bound) if self.sided == 2 else (-math.inf, bound)

    def _bound(self, t: float) -> tuple[float, float] | None:
        return self.rule.bound(
            t, critical=self.z[-1], drift=self.design_drift, sided=self.sided
        )

    def _bounds_at(
        self, times: tuple[float, ...], *, last: bool
    ) -> tuple[tuple[float, ...], tuple[float | None, ...]]:
        """Return boundary and futility bound at every look that took place."""
        ending = len(times) - 1 if last else len(times)
        inside = [self._bound(t) if k < ending else None for k, t in enumerate(times)]
        futility = [None if inner is None else inner[1] for inner in inside]
        if not self._family.spends:
            self._check_planned(times, last=last)
            z = self.z[: len(times)]
        else:
            z = self._family.boundary(
                times,
                self.alpha,
                sided=self.sided,
                inside=inside if self.binding else (),
                final=last,
            )
        if self.rule.rule == "beta-spending":
            found = self._beta_at(times, z, last=last)
            z = found.upper
            bounds = [None if a == -math.inf else a for a in found.lower]
            futility = [bounds[k] if k < ending else None for k in range(len(times))]
        elif not self.binding:  # advice that leaves no room is none
            futility = [
                None if bound is None or bound >= u else bound
                for bound, u in zip(futility, z, strict=True)
            ]
        return z, tuple(futility)

    def _beta_at(
        self, times: tuple[float, ...], z: tuple[float, ...], *, last: bool
    ) -> BetaDesign:
        level = self.alpha / self.sided
        return beta_spending_bounds(
            times,
            self._family.cumulative(times, level, final=last) if self.binding else (),
            [self.rule.spending.spent(1.0 - self.power, t) for t in times],
            drift=self.drift,
            upper=None if self.binding else z,
        )

    def _check_planned(self, times: tuple[float, ...], *, last: bool) -> None:
        planned = self.information[: len(times)]
        early_end = last and len(times) < len(self.information)
        same = len(planned) == len(times) and all(
            abs(a - b) < _SAME for a, b in zip(planned, times, strict=True)
        )
        if early_end or not same:
            raise InputError(
                f"`information` must be the planned {_shares(self.information)} for the family "
                f"{self.family}; got {_shares(times)}. For looks at other times choose "
                f"{spending_families()} before the evaluation starts."
            )


def check_times(information: Sequence[float], name: str) -> tuple[float, ...]:
    """Return look times as floats, refusing what is not positive, finite and increasing."""
    times = tuple(float(t) for t in information)
    if not times:
        raise InputError(f"`{name}` must hold at least one look; got none.")
    wrong = next((t for t in times if not math.isfinite(t) or t <= 0.0), None)
    if wrong is not None:
        raise InputError(f"`{name}` must hold shares above 0; got {wrong:g}.")
    for before, after in itertools.pairwise(times):
        if after <= before:
            raise InputError(
                f"`{name}` must increase from look to look; got {after:g} after {before:g}."
            )
        if after - before < _NEAREST:
            raise InputError(
                f"`{name}` must lie 0.00001 apart or more; got {before!r} and {after!r}. "
                "Treat them as one look."
            )
    return times


def nominal_p(z: Sequence[float], sided: int) -> tuple[float, ...]:
    """Return the p-values that belong to boundaries, as if there were one look."""
    return tuple(sided * normal_below(-u) for u in z)


def spent_by(stops: boundaries.Stops, *, obeyed: bool) -> tuple[float, ...]:
    """Return the error spent up to every look, both sides together."""
    chances = boundaries.stop_chances(stops if obeyed else stops.without_inside(), 0.0)
    return tuple((chances.up + chances.down)[0].cumsum().tolist())


def points_at(
    stops: boundaries.Stops, drifts: ArrayLike, *, counts_futility: bool
) -> tuple[boundaries.OperatingPoint, ...]:
    """Return what a design does at every drift, with and without its advice on futility."""
    at = np.asarray(drifts, dtype=np.float64)
    if not any(inner is not None for inner in stops.inside):
        return tuple(boundaries.operating_points(stops.without_inside(), at))
    obeyed = boundaries.operating_points(stops, at)
    if counts_futility:
        return tuple(obeyed)
    ignored = boundaries.operating_points(stops.without_inside(), at)
    return tuple(replace(a, with_futility=b) for a, b in zip(ignored, obeyed, strict=True))


def expected_n(points: Sequence[boundaries.OperatingPoint]) -> ExpectedN:
    """Return the expected samples at the four drifts, in their order."""
    h0, half, full, more = (point.expected_n for point in points)
    return ExpectedN(h0=h0, half=half, full=full, one_and_half=more)


def _shares(times: Sequence[float]) -> str:
    return ", ".join(number(t, digits=4).rstrip("0").rstrip(".") for t in times)
