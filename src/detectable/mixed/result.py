"""What a fitted mixed model says: means of systems, and differences with their tests."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast, Family
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import WORKING, Result, to_json
from detectable.core.types import FloatArray
from detectable.core.verdict import Verdict, decide
from detectable.inference.standard_errors import Estimate
from detectable.mixed.design import Design
from detectable.mixed.equations import Solution
from detectable.mixed.model import Model


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
class SystemContrast(Contrast):
    """One system against another, or the effect of one unit of a numeric system (`baseline` None).

    P-values are corrected by Holm over all contrasts of the fit; degrees of freedom are
    Satterthwaite's, the interval is of this contrast alone.
    """

    LAYOUT = "system baseline estimate standard_error df t p_value p_adjusted interval"
    estimate = Alias[float]("difference")

    baseline: str | None  # type: ignore[assignment]  # here alone it may be missing
    t: float

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
        found.append((system, other, *_estimate(solution, row)))
    ts = [estimate / error for *_, estimate, error, _ in found]
    ps = [2.0 * float(stdtr(df, -abs(t))) for t, (*_, df) in zip(ts, found, strict=True)]
    corrected = Family(alpha=alpha).adjusted(np.array(ps)).tolist()
    return tuple(
        SystemContrast(
            system=system,
            baseline=other,
            difference=estimate,
            standard_error=error,
            df=df,
            t=t,
            p_value=p,
            p_adjusted=adjusted,
            interval=_interval(estimate, error, df, 1.0 - alpha),
        )
        for (system, other, estimate, error, df), t, p, adjusted in zip(
            found, ts, ps, corrected, strict=True
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


# --- What a fitted mixed model says ---

_NOT_SAVED: Any = None
POWER = 0.8  # at which summaries state what could have been seen


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponent:
    """The spread of one kind of random effect."""

    name: str  # rater intercept, item slope, residual, …
    variance: float
    sd: float
    share: float  # of the sum of all components


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualSummary:
    """Residuals after fixed and predicted effects, in units of the residual SD."""

    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedFit(Result):
    """A mixed model with crossed raters and items."""

    contrasts: tuple[SystemContrast, ...]
    systems: tuple[SystemMean, ...]
    components: tuple[VarianceComponent, ...]  # the residual is last
    criterion: float  # −2 × (restricted) log-likelihood
    log_likelihood: float
    reml: bool
    singular: bool  # whether a component is zero
    n_ratings: int
    groups: Mapping[str, int]  # raters, items, documents
    slopes: tuple[str, ...]
    residuals: ResidualSummary
    alpha: float
    method: str
    notes: tuple[str, ...] = ()
    # In the notation of lme4, to be read; programs find the same effects in `components`.
    formula: str = field(default="", repr=False, metadata={"bulk": "private"})
    # What the fit was made of; None in one from a file, which holds no ratings: `require_data`.
    model: Model = field(default=_NOT_SAVED, repr=False, compare=False, metadata=WORKING)
    solution: Solution = field(default=_NOT_SAVED, repr=False, compare=False, metadata=WORKING)

    @property
    def estimate(self) -> float:
        """The difference of two systems or the effect of a number; nan with several."""
        return self._only("estimate")

    @property
    def standard_error(self) -> float:
        """Of `estimate`."""
        return self._only("standard_error")

    @property
    def df(self) -> float:
        """Of `estimate`, by Satterthwaite's method."""
        return self._only("df")

    @property
    def t(self) -> float:
        """Of `estimate`."""
        return self._only("t")

    @property
    def p_value(self) -> float:
        """Of `estimate`, two-sided."""
        return self._only("p_value")

    @property
    def interval(self) -> Interval | None:
        """Of `estimate`; None with several contrasts."""
        return self.contrasts[0].interval if len(self.contrasts) == 1 else None

    def verdict(self, contrast: SystemContrast) -> Verdict:
        """Return what is shown of a contrast, by its corrected p-value.

        Whether a high rating is good depends on what was asked: a system is only rated above.
        """
        return decide(
            contrast.estimate, p=contrast.p_adjusted, alpha=self.alpha, higher_is_better=None
        )

    def joint_interval(self, contrast: SystemContrast) -> Interval:
        """Return the interval that holds together with those of all other contrasts."""
        m = len(self.contrasts)
        if m == 1:
            return contrast.interval
        found = Estimate(contrast.estimate, contrast.standard_error, contrast.df)
        return Family(alpha=self.alpha).joint_interval(found, contrast.p_adjusted, m)

    def detectable(self, contrast: SystemContrast) -> float:
        """Return the smallest true difference that such data find with 80% power."""
        return contrast.detectable(alpha=self.alpha / len(self.contrasts), power=POWER)

    def require_data(self) -> None:
        """Refuse a fit that was loaded from a file where the ratings themselves are needed."""
        if self.model is _NOT_SAVED:
            raise InputError(
                "`fit` was loaded from a file, which does not hold its ratings. Fit them again."
            )

    def component(self, name: str) -> VarianceComponent:
        """Return a variance component by name, such as ``"rater slope"``."""
        found = {component.name: component for component in self.components}
        if name not in found:
            raise InputError(f"there is no component {name!r}. Known: {', '.join(found)}.")
        return found[name]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; a single contrast is repeated at the top."""
        plain = Result.to_dict(self)
        if len(self.contrasts) > 1:
            return plain
        names = ("estimate", "standard_error", "df", "t", "p_value", "interval")
        return {**{name: to_json(getattr(self, name)) for name in names}, **plain}

    def _only(self, name: str) -> float:
        return float(getattr(self.contrasts[0], name)) if len(self.contrasts) == 1 else math.nan
