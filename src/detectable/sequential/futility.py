"""When to give up: conditional power, predictive power, β-spending."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from detectable.core import check
from detectable.core.choices import FutilityRule
from detectable.core.errors import ConvergenceError, InputError
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.sequential import boundaries
from detectable.sequential.families import DEFAULT_BETA_FAMILY, Family, spending_names

_ALIASES = {"p>0.5": "p>.5", "p-above-half": "p>.5"}  # a shell takes > for itself

_SPENDING = Family(DEFAULT_BETA_FAMILY)


@dataclass(frozen=True, slots=True)
class Futility:
    """A rule for stopping because a significant result has become unlikely.

    ============================  ===========================================================
    ``none``                      never
    ``p>.5``                      the nominal p-value is above .5, at every interim look [1]_
    ``conditional-power``         the chance of a significant end, if the effect is what it
                                  seems now, is below `threshold`
    ``conditional-power-design``  the same, if the effect is the one planned for
    ``predictive-power``          the same, averaged over what the data say about the effect
    ``beta-spending``             the planned miss rate is spent over the looks like α
                                  (one-sided tests)
    ============================  ===========================================================

    A two-sided test stops for futility where Z is near zero on both sides, a one-sided one
    where it is low.

    The default, predictive power below .05, costs about one point of power with ten looks and
    saves 30 % of the judgments where there is no effect. Conditional power at the current trend
    takes early noise for a trend: below .10 at ten looks it costs six points.

    Parameters
    ----------
    rule : str
        Which of them.
    threshold : float, optional
        Chance of success below which the three power rules stop: by default .05 for
        ``predictive-power`` and .10 for the others.
    earliest : float
        Share of the information before which the three power rules are silent: early on the
        trend is mostly noise.
    spending : Family
        How ``beta-spending`` spends the miss rate.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT, on interim evaluation.
    """

    rule: FutilityRule = "predictive-power"
    threshold: float | None = None
    earliest: float = 0.35
    spending: Family = _SPENDING

    def __post_init__(self) -> None:
        check.literal(self.rule, FutilityRule, "futility")
        object.__setattr__(self, "rule", _ALIASES.get(self.rule, self.rule))
        check.one_of(self.spending.name, spending_names(), "spending")
        if self.threshold is not None:
            check.probability(self.threshold, "futility_threshold")
        if not 0.0 <= self.earliest < 1.0:
            raise InputError(
                f"`futility_from` must be at least 0 and below 1; got {self.earliest!r}. It is "
                "the share of the information before which futility is not looked at."
            )

    @property
    def chance(self) -> float:
        """The threshold in use."""
        if self.threshold is not None:
            return self.threshold
        return 0.05 if self.rule == "predictive-power" else 0.10

    @property
    def counted(self) -> bool:
        """Whether the planned power already counts these stops."""
        return self.rule == "beta-spending"

    def bound(
        self, t: float, *, critical: float, drift: float, sided: int
    ) -> tuple[float, float] | None:
        """Return the interval of Z that stops at an interim look, or None.

        Parameters
        ----------
        t : float
            Share of the information at the look.
        critical : float
            Critical value of the last look.
        drift : float
            The planned drift, for ``conditional-power-design``.
        sided : {1, 2}
            Sides of the test.
        """
        limit = self._limit(t, critical=critical, drift=drift, sided=sided)
        if limit == -math.inf or (sided == 2 and limit <= 0.0):
            return None
        return (-limit, limit) if sided == 2 else (-math.inf, limit)

    def _limit(self, t: float, *, critical: float, drift: float, sided: int) -> float:
        if self.rule in ("none", "beta-spending"):
            return -math.inf
        if self.rule == "p>.5":
            return -normal_quantile(0.5 / sided)
        if t < self.earliest:
            return -math.inf
        if self.rule == "predictive-power":
            return predictive_power_bound(t, critical, self.chance)
        planned = drift if self.rule == "conditional-power-design" else None
        return conditional_power_bound(t, critical, self.chance, drift=planned)

    def describe(self) -> str:
        """Say the rule in a few words."""
        since = f" (from {self.earliest:.0%} of the information)"
        below = f"below {self.chance:.3g}"
        return {
            "none": "none",
            "p>.5": "nominal p above .5",
            "conditional-power": f"conditional power at the current trend {below}{since}",
            "conditional-power-design": f"conditional power at the planned effect {below}{since}",
            "predictive-power": f"predictive power {below}{since}",
            "beta-spending": f"β-spending ({self.spending.name})",
        }[self.rule]


def resolve_futility(value: "str | Futility | None") -> Futility:
    """Return the rule that a user named; None is the default rule."""
    if value is None:
        return Futility()
    if isinstance(value, Futility):
        return value
    return Futility(cast(FutilityRule, _ALIASES.get(value, value)))


# --- Futility by β-spending: the planned miss rate is spent over the looks, like α ---

_NOTHING = 1e-16


@dataclass(frozen=True, slots=True)
class BetaDesign:
    """Boundaries on both sides of a one-sided test, and the drift they were made for."""

    upper: tuple[float, ...]
    lower: tuple[float, ...]  # the last equals the last of `upper`
    drift: float


@dataclass(frozen=True, slots=True)
class _Plan:
    information: Sequence[float]
    alpha_spent: Sequence[float]
    beta_spent: Sequence[float]
    upper: Sequence[float] | None  # given where futility is not binding
    grid: boundaries.Grid


def beta_spending_design(
    information: Sequence[float],
    alpha_spent: Sequence[float],
    beta_spent: Sequence[float],
    *,
    upper: Sequence[float] | None = None,
) -> BetaDesign:
    r"""Return the bounds that spend α without an effect and β at the drift, and that drift.

    The lower bounds :math:`a_k` solve

    .. math:: P_d(\text{no stop before } k, Z_k < a_k) = b_k - b_{k-1},

    and the drift d is the one at which the last of them meets the upper boundary.

    Parameters
    ----------
    information, alpha_spent, beta_spent : sequence of float
        The looks, and both errors spent up to each of them.
    upper : sequence of float, optional
        Upper boundary that ignores futility (non-binding). Without it the upper boundary counts
        on the futility stops (binding).

    References
    ----------
    Pampallona, Tsiatis and Kim (2001), "Interim monitoring of group sequential trials using
    spending functions for the type I and type II error probabilities", Drug Information Journal
    35(4), 1113–1121.
    """
    alpha, beta = alpha_spent[-1], beta_spent[-1]
    fixed = -normal_quantile(alpha) - normal_quantile(beta)
    grid = boundaries.grid_for(len(information)).covering(0.0, math.ceil(2.0 * fixed))
    plan = _Plan(information, alpha_spent, beta_spent, upper, grid)
    drift = boundaries.increasing_root(
        lambda d: _build(plan, d)[1], 1.05 * fixed, low=0.9 * fixed
    )
    design, residual = _build(plan, drift)
    if abs(residual) > 1e-6:
        raise ConvergenceError(
            "No drift lets the futility bounds meet the boundary at the last look: they cross "
            "before. Spend less of the miss rate early."
        )
    return design


def beta_spending_bounds(
    information: Sequence[float],
    alpha_spent: Sequence[float],
    beta_spent: Sequence[float],
    *,
    drift: float,
    upper: Sequence[float] | None = None,
) -> BetaDesign:
    """Return the bounds at the looks so far, for a drift fixed before.

    The arguments are those of `beta_spending_design`. A lower bound never exceeds the upper one.
    """
    grid = boundaries.grid_for(len(information)).covering(0.0, math.ceil(drift))
    plan = _Plan(information, alpha_spent, beta_spent, upper, grid)
    return _walk(plan, drift, len(information))[0]


def _build(plan: _Plan, drift: float) -> tuple[BetaDesign, float]:
    """Return the bounds for a drift, and the miss rate that is left over at the last look."""
    interim, paths = _walk(plan, drift, len(plan.information) - 1)
    if any(a >= u for a, u in zip(interim.lower, interim.upper, strict=True)):
        return interim, 1.0  # the bounds have met too early: the drift is too large
    last = _upper(plan, paths, interim.upper)
    missed = float(paths.below(plan.information[-1], last, drift))
    spent = max(
        (b for b, a in zip(plan.beta_spent, interim.lower, strict=False) if a > -math.inf),
        default=0.0,
    )
    residual = plan.beta_spent[-1] - spent - missed
    return BetaDesign((*interim.upper, last), (*interim.lower, last), drift), residual


def _walk(plan: _Plan, drift: float, looks: int) -> tuple[BetaDesign, boundaries.Paths]:
    """Return the bounds at the first looks, and the paths that go on after them."""
    times, paths, spent = plan.information, boundaries.ORIGIN, 0.0
    upper, lower = list[float](), list[float]()
    for look in range(looks):
        upper.append(_upper(plan, paths, upper))
        bound, spent = _lower(plan, paths, upper, spent, drift)
        lower.append(min(bound, upper[look]))
        if bound >= upper[look]:  # nothing goes on
            break
        if look + 1 < len(times):
            region = ((bound, upper[look]),)
            paths = paths.advance(times[look], region, times[look + 1], plan.grid)
    return BetaDesign(tuple(upper), tuple(lower), drift), paths


def _upper(plan: _Plan, paths: boundaries.Paths, before: Sequence[float]) -> float:
    """Return the upper bound at the look after those `before`."""
    look = len(before)
    if plan.upper is not None:
        return plan.upper[look]
    spent = max(
        (a for a, u in zip(plan.alpha_spent, before, strict=False) if u < math.inf), default=0.0
    )
    increment = plan.alpha_spent[look] - spent
    if increment < _NOTHING:
        return math.inf
    return boundaries.upper_crossing(paths, plan.information[look], increment)


def _lower(
    plan: _Plan, paths: boundaries.Paths, upper: Sequence[float], spent: float, drift: float
) -> tuple[float, float]:
    """Return the lower bound at the look of the last `upper`, and what is spent after it."""
    look = len(upper) - 1
    increment = plan.beta_spent[look] - spent
    if increment < _NOTHING:
        return -math.inf, spent
    t = plan.information[look]
    if float(paths.below(t, upper[look], drift)) <= increment:
        return upper[look], plan.beta_spent[look]  # all that do not reject give up
    return boundaries.lower_crossing(paths, t, increment, drift), plan.beta_spent[look]


# --- The chance of a significant end, given what has been seen so far ---


def conditional_power(
    z: float, t: float, critical: float, *, drift: float | None = None
) -> float:
    r"""Return the chance that the last look is significant upwards, given Z = z at share t.

    .. math:: \Phi\left(\frac{z \sqrt t + d (1 - t) - c}{\sqrt{1 - t}}\right).

    Without `drift` it is the current trend, :math:`d = z / \sqrt t`. Interim looks in between
    are left out; `conditional_rejection` counts them.

    References
    ----------
    Lachin (2005), "A review of methods for futility stopping based on conditional power",
    Statistics in Medicine 24(18), 2747–2764.

    Examples
    --------
    >>> round(conditional_power(0.67449, 1 / 3, 2.289478), 4)
    0.0848
    """
    assumed = z / math.sqrt(t) if drift is None else drift
    return normal_below(
        (z * math.sqrt(t) + assumed * (1.0 - t) - critical) / math.sqrt(1.0 - t)
    )


def predictive_power(z: float, t: float, critical: float) -> float:
    r"""Return conditional power averaged over a flat posterior of the drift.

    .. math:: \Phi\left(\frac{z - c \sqrt t}{\sqrt{1 - t}}\right).

    References
    ----------
    Spiegelhalter, Freedman and Blackburn (1986), "Monitoring clinical trials: conditional or
    predictive power?", Controlled Clinical Trials 7(1), 8–17.

    Examples
    --------
    >>> round(predictive_power(0.67449, 1 / 3, 2.289478), 4)
    0.2139
    """
    return normal_below((z - critical * math.sqrt(t)) / math.sqrt(1.0 - t))


def conditional_power_bound(
    t: float, critical: float, threshold: float, *, drift: float | None = None
) -> float:
    """Return the z at which conditional power equals `threshold`."""
    needed = critical + normal_quantile(threshold) * math.sqrt(1.0 - t)
    if drift is None:
        return math.sqrt(t) * needed
    return (needed - drift * (1.0 - t)) / math.sqrt(t)


def predictive_power_bound(t: float, critical: float, threshold: float) -> float:
    """Return the z at which predictive power equals `threshold`."""
    return critical * math.sqrt(t) + normal_quantile(threshold) * math.sqrt(1.0 - t)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalRejection:
    """The chance to reject at the looks still to come, given what has been seen."""

    upward: float
    downward: float

    @property
    def either(self) -> float:
        """Chance to reject on either side."""
        return self.upward + self.downward


def conditional_rejection(
    information: Sequence[float],
    z_upper: Sequence[float],
    z_lower: Sequence[float] | None,
    *,
    stage: int,
    z: float,
    drift: float = 0.0,
) -> ConditionalRejection:
    r"""Return the chance to reject at a later look, given Z = z at look `stage`, still going.

    After look k the rest is a design of its own on the information :math:`s_j = t_j - t_k`, with
    the boundaries :math:`(u_j \sqrt{t_j} - z \sqrt{t_k}) / \sqrt{s_j}`. All interim looks count.
    Without drift this is the conditional error (see `conditional_error`).

    Parameters
    ----------
    information, z_upper, z_lower : sequence of float
        All planned looks and their boundaries; `z_lower` is None for one-sided tests.
    stage : int
        The look at which `z` was seen, counted from 1.
    z : float
        The statistic there.
    drift : float
        The drift assumed for the rest.
    """
    if not 1 <= stage < len(information):
        raise InputError(
            f"`stage` must be an interim look, from 1 to {len(information) - 1}; got {stage}. "
            "After the last look nothing is left."
        )
    if z >= z_upper[stage - 1] or (z_lower is not None and z <= z_lower[stage - 1]):
        raise InputError(
            f"`z` must lie inside the boundaries of look {stage}; got {z:g}. The evaluation has "
            "stopped there."
        )
    now = information[stage - 1]
    rest = [t - now for t in information[stage:]]
    seen = z * math.sqrt(now)
    lower = z_lower or [-math.inf] * len(information)

    def given(bound: float, t: float) -> float:
        return (bound * math.sqrt(t) - seen) / math.sqrt(t - now)

    stops = boundaries.Stops(
        tuple(rest),
        tuple(map(given, z_upper[stage:], information[stage:])),
        tuple(map(given, lower[stage:], information[stage:])),
    )
    chances = boundaries.stop_chances(stops, drift)
    return ConditionalRejection(
        upward=float(chances.up.sum()), downward=float(chances.down.sum())
    )


def conditional_error(
    information: Sequence[float],
    z_upper: Sequence[float],
    z_lower: Sequence[float] | None,
    *,
    stage: int,
    z: float,
) -> ConditionalRejection:
    r"""Return the error that is left for new data: :math:`P_0(\text{reject later} \mid Z_k = z)`.

    Whoever wants to go on beyond the planned maximum, or to change the plan after having seen
    the data, may test the *new* data at this level, in any way that was not chosen by them; the
    overall error stays α. For a two-sided test take `upward` for a new test of the upper side
    and `downward` for one of the lower.

    References
    ----------
    Müller and Schäfer (2001), "Adaptive group sequential designs for clinical trials: combining
    the advantages of adaptive and of classical group sequential approaches", Biometrics 57(3),
    886–891.

    Examples
    --------
    >>> left = conditional_error((0.5, 1.0), (2.797, 1.977), None, stage=1, z=1.2)
    >>> round(left.upward, 4)
    0.0553
    """
    return conditional_rejection(information, z_upper, z_lower, stage=stage, z=z)
