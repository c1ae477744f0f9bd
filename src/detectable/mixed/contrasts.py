"""Fixed effects in words: means of systems, and differences with their tests."""

from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.delta import Estimate
from detectable.inference.multiplicity import holm
from detectable.mixed.design import Design
from detectable.mixed.solution import Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean rating of one system, over raters and items like those at hand."""

    system: str
    mean: float
    standard_error: float
    df: float
    interval: Interval
    n_ratings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemContrast:
    """One system against another, or the effect of one unit of a numeric system."""

    system: str
    baseline: str | None  # None for the effect of a number
    estimate: float  # system − baseline, or change per unit
    standard_error: float
    df: float  # Satterthwaite
    t: float
    p_value: float
    p_adjusted: float  # Holm over all contrasts of the fit
    interval: Interval  # of this contrast alone

    def detectable(self, *, alpha: float, power: float) -> float:
        """Return the smallest true effect that such data find with the given power.

        From the noncentral t distribution, whose second tail is left out: finding an effect
        with the wrong sign is not finding it.
        """
        found = Estimate(self.estimate, self.standard_error, self.df)
        return found.detectable(alpha=alpha, power=power)


def system_means(design: Design, solution: Solution, alpha: float) -> tuple[SystemMean, ...]:
    """Return the estimated mean of every system."""
    counts = np.bincount(design.system, minlength=len(design.systems))
    means = []
    for name, row, n in zip(design.systems, design.fixed_rows(), counts, strict=True):
        estimate, error, df = _estimate(solution, row)
        means.append(
            SystemMean(
                system=name,
                mean=estimate,
                standard_error=error,
                df=df,
                interval=_interval(estimate, error, df, 1.0 - alpha),
                n_ratings=int(n),
            )
        )
    return tuple(means)


def system_contrasts(
    design: Design, solution: Solution, baseline: str | None, alpha: float
) -> tuple[SystemContrast, ...]:
    """Return all differences to `baseline`, or without one all pairs of systems."""
    from scipy.special import stdtr

    rows = design.fixed_rows()
    found = []
    for system, other in pairs(design, baseline):
        row = np.array([0.0, 1.0])
        if other is not None:
            row = rows[design.systems.index(system)] - rows[design.systems.index(other)]
        estimate, error, df = _estimate(solution, row)
        found.append((system, other, estimate, error, df))
    ts = [estimate / error for *_, estimate, error, _ in found]
    ps = [2.0 * float(stdtr(df, -abs(t))) for t, (*_, df) in zip(ts, found, strict=True)]
    return tuple(
        SystemContrast(
            system=system,
            baseline=other,
            estimate=estimate,
            standard_error=error,
            df=df,
            t=t,
            p_value=p,
            p_adjusted=adjusted,
            interval=_interval(estimate, error, df, 1.0 - alpha),
        )
        for (system, other, estimate, error, df), t, p, adjusted in zip(
            found, ts, ps, holm(np.array(ps)).tolist(), strict=True
        )
    )


def pairs(design: Design, baseline: str | None) -> list[tuple[str, str | None]]:
    """Return which systems are compared with which."""
    if design.numeric:
        return [("1 unit", None)]
    names = design.systems
    if baseline is not None:
        return [(name, baseline) for name in names if name != baseline]
    return [(b, a) for i, a in enumerate(names) for b in names[i + 1 :]]


def _estimate(solution: Solution, row: FloatArray) -> tuple[float, float, float]:
    error = float(np.sqrt(row @ solution.covariance @ row))
    return float(row @ solution.coefficients), error, solution.satterthwaite(row)


def _interval(estimate: float, error: float, df: float, level: float) -> Interval:
    from scipy.special import stdtrit

    half = float(stdtrit(df, 0.5 + level / 2.0)) * error
    return Interval(estimate - half, estimate + half, level)
