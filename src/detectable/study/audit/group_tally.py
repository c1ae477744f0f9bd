"""What a group of past comparisons decided, and what it could have detected."""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.delta import detectable_shifts, median_unbiased
from detectable.inference.observed_mde import observed_mde
from detectable.study.audit.past_comparisons import SeenDifferences


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTally:
    """One group of comparisons, by one test.

    Attributes
    ----------
    group : str
        Its name.
    significant, total : int
        Comparisons that were significant, and all that were tested.
    observed_mde : float or None
        Smallest difference from which on 95 % of the comparisons were significant, by the
        first-failure rule of `observed_mde`; None where the largest was not significant.
    above : int
        Comparisons with at least that difference: what the number stands on.
    above_interval : Interval or None
        Wilson's interval of the share of significant ones among them.
    median_difference : float
        Median size of a difference.
    n : float
        Median number of judgments per system, or items.
    detectable : float
        Median over comparisons of the difference that each could detect with the power asked
        for, from its own standard error; nan where no standard error is known.
    underpowered : float
        Share of the comparisons with a known standard error that have less than that power if
        the true difference is the target.
    budget : int or None
        Judgments per system with which half of the comparisons would have that power.
    """

    group: str
    significant: int
    total: int
    observed_mde: float | None
    above: int
    above_interval: Interval | None
    median_difference: float
    n: float
    detectable: float
    underpowered: float
    budget: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is asked of all groups: level, power, and the difference that is to be seen."""

    alpha: float
    power: float
    target: float  # nan where there is none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Limits:
    """What each comparison could detect, and the judgments that it needs for the target."""

    aim: Aim
    detectable: FloatArray = field(repr=False)
    needed: FloatArray = field(repr=False)

    @classmethod
    def of(cls, seen: SeenDifferences, aim: Aim) -> "Limits":
        """Work them out for all comparisons at once."""
        return cls(
            aim=aim,
            detectable=detectable_differences(seen, alpha=aim.alpha, power=aim.power),
            needed=needed_judgments(seen, alpha=aim.alpha, power=aim.power, target=aim.target),
        )


def detectable_differences(seen: SeenDifferences, *, alpha: float, power: float) -> FloatArray:
    r"""Return the difference that each comparison detects with a given power.

    :math:`\delta_i = \lambda_{\nu_i} s_i`, with :math:`s_i` the median-unbiased standard error of the
    comparison (`inference.delta.median_unbiased`) and :math:`\lambda_\nu` the noncentrality at which a two-sided t test with :math:`\nu` degrees
    of freedom has the power. The observed difference has no part in it.
    """
    error, df = _typical_errors(seen), seen.df
    known = error > 0.0  # two systems with the same scores throughout say nothing about noise
    found = np.full(error.shape, np.nan)
    found[known] = detectable_shifts(df[known], alpha=alpha, power=power) * error[known]
    return found


def needed_judgments(
    seen: SeenDifferences, *, alpha: float, power: float, target: float
) -> FloatArray:
    r"""Return the judgments per system with which each comparison detects a difference.

    A standard error falls with the square root of the judgments, so that comparison i, with
    :math:`n_i` judgments per system, needs

    .. math:: m_i = n_i \Bigl[ \Bigl(\frac{(z_{1-\alpha/2} + z_\pi)\, s_i}{\Delta}\Bigr)^2
              + \frac{z_{1-\alpha/2}^2}{2 \nu_i} \Bigr].

    The last term is what the estimation of the standard error costs [1]_. All comparisons are
    given the same true difference :math:`\Delta`: their own observed ones are not used, since
    power at an observed difference only restates its p-value [2]_.

    References
    ----------
    .. [1] Guenther (1981), "Sample size formulas for normal theory T tests", The American
       Statistician 35(4), 243–244.
    .. [2] Hoenig and Heisey (2001), "The abuse of power", The American Statistician 55(1), 19–24.
    """
    from scipy.special import ndtri

    level, wanted = float(ndtri(1.0 - 0.5 * alpha)), float(ndtri(power))
    error = _typical_errors(seen)
    error[~(error > 0.0)] = np.nan
    ratio = np.square((level + wanted) * error / target) + 0.5 * level**2 / seen.df
    needed: FloatArray = seen.n * ratio
    return needed


def _typical_errors(seen: SeenDifferences) -> FloatArray:
    different, place = np.unique(seen.df, return_inverse=True)
    factors = np.array([median_unbiased(1.0, df) for df in different.tolist()])
    found: FloatArray = seen.standard_error * factors[place]
    return found


def tally(group: str, seen: SeenDifferences, limits: Limits, rows: IntArray) -> GroupTally:
    """Return what the comparisons in some rows, at least one, decided and could detect."""
    aim = limits.aim
    found = observed_mde(seen.difference[rows], seen.p_value[rows] < aim.alpha, alpha=aim.alpha)
    detectable, needed = limits.detectable[rows], limits.needed[rows]
    detectable, needed = detectable[~np.isnan(detectable)], needed[~np.isnan(needed)]
    return GroupTally(
        group=group,
        significant=found.n_significant,
        total=found.n_comparisons,
        observed_mde=found.effect,
        above=found.n_above,
        above_interval=found.share_interval,
        median_difference=found.median_difference,
        n=float(np.median(seen.n[rows])),
        detectable=float(np.median(detectable)) if detectable.size else math.nan,
        underpowered=_share_above(detectable, aim.target),
        budget=math.ceil(float(np.median(needed))) if needed.size else None,
    )


def _share_above(limits: FloatArray, target: float) -> float:
    if not limits.size or math.isnan(target):
        return math.nan
    return float(np.mean(limits > target))
