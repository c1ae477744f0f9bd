"""Equivalence and non-inferiority with interim looks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core import check
from detectable.core.choices import MarginClaim
from detectable.core.errors import InputError
from detectable.kernels.distributions import normal_quantile
from detectable.sequential.boundaries import Stops, increasing_root, stop_chances
from detectable.sequential.design_result import check_times
from detectable.sequential.families import Family


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginCharacteristics:
    """What a group-sequential equivalence or non-inferiority test needs and does."""

    claim: MarginClaim
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
    power: float = 0.8,
    claim: MarginClaim = "equivalent",
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
    claim : {'equivalent', 'non-inferior'}
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
    (2.9565, 1.0206)
    """
    times = check_times(information, "information")
    if times[-1] != 1.0:
        raise InputError(f"`information` must end with 1, the last look; got {times[-1]:g}.")
    level = check.probability(alpha, "alpha")
    wanted = check.probability(power, "power")
    check.literal(claim, MarginClaim, "claim")
    bounds = family.boundary(times, level, sided=1)

    def stops(margin: float) -> Stops:
        return margin_stops(times, bounds, margin, both=claim == "equivalent")

    fixed = _fixed(level, wanted, claim)
    margin = increasing_root(
        lambda m: _claimed(stops(m), 0.0) - wanted, 1.05 * fixed, low=0.5 * fixed
    )
    at_zero = stop_chances(stops(margin), 0.0)
    ends = at_zero.anywhere()[0]
    expected = sum(t * p for t, p in zip(times, ends.tolist(), strict=True))
    inflation = (margin / fixed) ** 2
    claims = (at_zero.inside + at_zero.up)[0]
    return MarginCharacteristics(
        claim=claim,
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


def _fixed(alpha: float, power: float, claim: MarginClaim) -> float:
    """Return the margin drift of a test without interim looks."""
    missed = 0.5 * (1.0 - power) if claim == "equivalent" else 1.0 - power
    return -normal_quantile(alpha) - normal_quantile(missed)


def margin_stops(
    times: tuple[float, ...], bounds: tuple[float, ...], margin: float, *, both: bool
) -> Stops:
    """Return the region of the claim, for Z with the true difference as its drift.

    `margin` is the margin drift; `both` sides of it must be excluded for equivalence.
    """
    never = (math.inf,) * len(times)
    lower = (-math.inf,) * len(times)
    reach = [margin * math.sqrt(t) - c for t, c in zip(times, bounds, strict=True)]
    if not both:
        return Stops(times, tuple(-r for r in reach), lower)
    inside = tuple((-r, r) if r > 0.0 else None for r in reach)
    return Stops(times, never, lower, inside)


def _claimed(stops: Stops, drift: float) -> float:
    chances = stop_chances(stops, drift)
    return float((chances.inside + chances.up).sum())
