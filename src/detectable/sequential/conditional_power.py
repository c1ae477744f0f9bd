"""The chance of a significant end, given what has been seen so far."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.errors import InputError
from detectable.kernels.distributions.normal import normal_below, normal_quantile
from detectable.sequential.operating import stop_chances
from detectable.sequential.recursion import Stops


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

    stops = Stops(
        tuple(rest),
        tuple(map(given, z_upper[stage:], information[stage:])),
        tuple(map(given, lower[stage:], information[stage:])),
    )
    chances = stop_chances(stops, drift)
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
