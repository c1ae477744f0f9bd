"""Equivalence and non-inferiority with interim looks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.sequential.design_result import check_times
from detectable.sequential.families import Family
from detectable.sequential.operating import increasing_root, stop_chances
from detectable.sequential.recursion import Stops
from detectable.sequential.repeated import repeated_interval

Goal: TypeAlias = Literal["equivalence", "non-inferiority"]
Verdict: TypeAlias = Literal["better", "worse", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginCharacteristics:
    """What a group-sequential equivalence or non-inferiority test needs and does."""

    goal: Goal
    margin_drift: float  # margin times the root of the maximum information
    fixed_margin_drift: float  # the same for a test without interim looks
    inflation: float  # maximum sample over that of a test without looks
    expected_n: float  # if the systems are equal, in units of the maximum
    expected_n_over_fixed: float
    power: float  # if the systems are equal
    type_one_error: float  # if the true difference is exactly the margin
    z: tuple[float, ...]  # one-sided boundary at every look
    stop: tuple[float, ...]  # chance of the claim at every look, if the systems are equal


def margin_characteristics(
    family: Family,
    information: Sequence[float],
    *,
    alpha: float = 0.05,
    power: float = 0.9,
    goal: Goal = "equivalence",
) -> MarginCharacteristics:
    r"""Return the sample that a margin test with looks needs, and what it does with it.

    Equivalence within ±Δ is claimed at the first look at which both one-sided tests at level α
    have crossed their boundary :math:`c_k`, that is, at which

    .. math:: |\hat\theta_k| \le \Delta - c_k / \sqrt{I_k}.

    If the true difference is Δ, that implies that one of them has crossed, so that α holds. With
    :math:`M = \Delta \sqrt{I_{max}}`, the `margin_drift`, the claim is
    :math:`|Z_k| \le M \sqrt{t_k} - c_k`: no claim is possible while the right side is negative.
    Non-inferiority is the lower half, :math:`\hat\theta_k - c_k / \sqrt{I_k} \ge -\Delta`.

    Parameters
    ----------
    family : Family
        Family of the one-sided boundaries.
    information : sequence of float
        Shares of the maximum at which to look, the last 1.
    alpha : float
        Level of each one-sided test.
    power : float
        Power if the systems are equal.
    goal : {'equivalence', 'non-inferiority'}
        What is to be claimed.

    References
    ----------
    Jennison and Turnbull (1993), "Sequential equivalence testing and repeated confidence
    intervals, with applications to normal and binary responses", Biometrics 49(1), 31–43.
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.

    Examples
    --------
    >>> found = margin_characteristics(Family("ld-obf"), (1 / 3, 2 / 3, 1))
    >>> round(found.margin_drift, 4), round(found.inflation, 4)
    (3.3191, 1.0179)
    """
    times = check_times(information, "information")
    if times[-1] != 1.0:
        raise InputError(f"`information` must end with 1, the last look; got {times[-1]:g}.")
    level = check.probability(alpha, "alpha")
    wanted = check.probability(power, "power")
    check.literal(goal, Goal, "goal")
    bounds = family.boundary(times, level, sided=1)

    def stops(margin: float) -> Stops:
        return _stops(times, bounds, margin, goal)

    fixed = _fixed(level, wanted, goal)
    margin = increasing_root(
        lambda m: _claimed(stops(m), 0.0) - wanted, 1.05 * fixed, low=0.5 * fixed
    )
    at_zero = stop_chances(stops(margin), 0.0)
    ends = at_zero.anywhere()[0]
    expected = sum(t * p for t, p in zip(times, ends.tolist(), strict=True))
    inflation = (margin / fixed) ** 2
    claims = (at_zero.inside + at_zero.up)[0]
    return MarginCharacteristics(
        goal=goal,
        margin_drift=margin,
        fixed_margin_drift=fixed,
        inflation=inflation,
        expected_n=expected,
        expected_n_over_fixed=inflation * expected,
        power=float(claims.sum()),
        type_one_error=_claimed(stops(margin), -margin),
        z=bounds,
        stop=tuple(claims.tolist()),
    )


def _fixed(alpha: float, power: float, goal: Goal) -> float:
    """Return the margin drift of a test without interim looks."""
    from scipy.special import ndtri

    missed = 0.5 * (1.0 - power) if goal == "equivalence" else 1.0 - power
    return float(-ndtri(alpha) - ndtri(missed))


def _stops(
    times: tuple[float, ...], bounds: tuple[float, ...], margin: float, goal: Goal
) -> Stops:
    """Return the region of the claim, for Z with the true difference as its drift."""
    never = (math.inf,) * len(times)
    lower = (-math.inf,) * len(times)
    reach = [margin * math.sqrt(t) - c for t, c in zip(times, bounds, strict=True)]
    if goal == "non-inferiority":
        return Stops(times, tuple(-r for r in reach), lower)
    inside = tuple((-r, r) if r > 0.0 else None for r in reach)
    return Stops(times, never, lower, inside)


def _claimed(stops: Stops, drift: float) -> float:
    chances = stop_chances(stops, drift)
    return float((chances.inside + chances.up).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginDecision:
    """What one look allows to say, from repeated intervals."""

    verdict: Verdict
    within_margin: bool  # the difference is shown to be smaller than the margin
    not_worse: bool  # shown not to be worse by the margin
    interval: Interval  # repeated interval for the difference
    margin_interval: Interval  # repeated interval for the two one-sided tests
    margin: float


def decide(
    estimate: float,
    standard_error: float,
    *,
    margin: float,
    z_bound: float,
    z_margin: float,
    alpha: float = 0.05,
) -> MarginDecision:
    """Decide about a difference and about equivalence at one look.

    ``better`` and ``worse`` come from the two-sided repeated interval, ``equivalent`` from the
    interval with the one-sided boundary lying inside ±margin; a difference may be shown and
    still be within the margin. Anything else is ``undecided``, also after a stop for futility.
    The two claims need no common alpha: no difference and a difference beyond the margin cannot
    both be true, so that each false claim has its own α.

    Parameters
    ----------
    estimate, standard_error : float
        The difference at the look and its standard error.
    margin : float
        The largest difference that does not matter, fixed before the data.
    z_bound : float
        Boundary of the two-sided test at this look.
    z_margin : float
        Boundary of the one-sided margin tests at this look.
    alpha : float
        Level of the two-sided test and of each margin test, recorded in the intervals.

    Examples
    --------
    >>> decide(0.4, 0.5, margin=2.0, z_bound=2.06, z_margin=1.75).verdict
    'equivalent'
    """
    width = check.positive(margin, "margin")
    shown = repeated_interval(estimate, standard_error, z_bound, level=1.0 - alpha).interval
    inner = repeated_interval(
        estimate, standard_error, z_margin, level=1.0 - 2.0 * alpha
    ).interval
    within = -width <= inner.low and inner.high <= width
    verdict: Verdict = "equivalent" if within else "undecided"
    if shown.low >= 0.0:  # at the boundary counts, as in the test
        verdict = "better"
    elif shown.high <= 0.0:
        verdict = "worse"
    return MarginDecision(
        verdict=verdict,
        within_margin=within,
        not_worse=inner.low >= -width,
        interval=shown,
        margin_interval=inner,
        margin=width,
    )
