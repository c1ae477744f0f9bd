"""Bands that may be watched all the time: exact by betting, and around a running mean."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import Verdict
from detectable.core.wording import count
from detectable.sequential.e_process import (
    BETS,
    Bounds,
    check_bets,
    check_bounds,
    check_differences,
    require_kind,
    score_differences,
)

_STEPS = 1000  # default step of the grid: the range of the scores over this
_FINEST = 1_000_000  # more candidates than this would not fit in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingBand(Result):
    """An exact confidence sequence for the mean difference of bounded scores."""

    interval: Interval  # after the last judgment; never widens
    estimate: float
    n: int
    step: float  # of the grid, in points; both bounds are rounded outwards to it
    alpha: float
    bounds: Bounds
    notes: tuple[str, ...] = ()
    low: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    high: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})


def betting_band(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    bounds: Bounds = (0.0, 100.0),
    alpha: float = 0.05,
    bets: Sequence[float] = BETS,
    step: float | None = None,
) -> BettingBand:
    r"""Return all mean differences that the bets have not refuted, after each judgment.

    For a candidate m (in units of the range) the one-sided wealths are

    .. math:: E^{\pm}_t(m) = \frac1J \sum_j \prod_{i \le t}
              \Bigl(1 \pm \frac{\lambda_j}{1 + |m|} (x_i - m)\Bigr),

    so that at m = 0 these are the e-values of `EProcess`. The lower bound is the largest m with
    :math:`\max_{s \le t} E^+_s(m) \ge 2/\alpha`, the upper bound the smallest with
    :math:`\max_{s \le t} E^-_s(m) \ge 2/\alpha`. Because :math:`E^+(m)` falls and
    :math:`E^-(m)` rises in m, each bound errs with chance at most α/2 at any time, also between
    the points of the grid [1]_. A band without 0 implies that `e_process` has decided; the
    converse can fail for a few judgments, since E counts both sides.

    Parameters
    ----------
    a, b, bounds, alpha, bets
        As for `e_process`.
    step : float, optional
        Distance of the candidates in points. Default: the range of the scores over 1,000. Time
        grows with the number of candidates inside the band, which soon is small.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by
       betting", Journal of the Royal Statistical Society B 86(1), 1–27, section 4. They take the
       larger of two hedged wealths; two one-sided bounds are always an interval.

    Examples
    --------
    >>> band = betting_band([80, 90, 75, 95] * 50, [60, 65, 70, 70] * 50)
    >>> band.interval.low > 0.0
    True
    """
    bounds, alpha = check_bounds(bounds), check.probability(alpha, "alpha")
    stakes = np.array(check_bets(bets))
    span = bounds[1] - bounds[0]
    step = _check_step(step, span)
    if b is None:
        taken = check.vector(a, "a")
        check_differences(taken, bounds)
    else:
        taken = score_differences(a, b, bounds)
    from detectable.kernels import betting

    half = max(1, math.floor(span / step))
    grid: FloatArray = np.arange(-half, half + 1, dtype=np.float64) * (step / span)
    low, high = span * betting.betting_band(taken / span, stakes, grid, math.log(2.0 / alpha))
    stuck = high[-1] - low[-1] <= 1.5 * step
    settings: dict[str, str | int | float] = {
        "n": taken.size,
        "bounds": f"{bounds[0]:g}..{bounds[1]:g}",
        "step": step,
    }
    return BettingBand(
        interval=Interval(float(low[-1]), float(high[-1]), 1.0 - alpha),
        estimate=float(taken.mean()),
        n=taken.size,
        step=step,
        alpha=alpha,
        bounds=bounds,
        notes=(f"no wider than the step of {step:g}: take a smaller one",) if stuck else (),
        low=low,
        high=high,
        signature=Signature("betting-band", {**settings, "alpha": alpha}),
    )


def _check_step(step: float | None, span: float) -> float:
    if step is None:
        return span / _STEPS
    step = check.positive(step, "step")
    if not span / _FINEST <= step <= span:
        raise InputError(
            f"`step` must lie between {span / _FINEST:g} and {span:g}, the range of the scores; "
            f"got {step!r}."
        )
    return step


# --- A band around the running mean that may be watched all the time, for any scale ---

BURN_IN = 50
_ROUNDING = 1e-9  # of a sum of squares, by value

_STATE = {"alpha", "tightest_at", "burn_in", "unit", "moments", "decided_at", "verdict"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceBand(Result):
    """The band now, and whether it has ever left 0 out."""

    verdict: Verdict  # fixed when the band first leaves 0 out
    estimate: float  # mean difference; too large on average after an early stop
    interval: Interval | None  # None within the burn-in, or while all values are equal
    n: int
    decided_at: int | None
    alpha: float
    tightest_at: float  # sample size at which the band is as narrow as it can be
    burn_in: int
    unit: str = "judgment"  # what one value is
    notes: tuple[str, ...] = ()
    mean: FloatArray | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "array"}
    )
    low: FloatArray | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "array"}
    )
    high: FloatArray | None = field(
        default=None, repr=False, compare=False, metadata={"bulk": "array"}
    )


class ConfidenceSequence:
    r"""An asymptotic confidence sequence for a mean, value by value.

    With running mean :math:`\bar x_t` and standard deviation :math:`s_t` (Welford, t − 1),

    .. math:: \bar x_t \pm s_t \sqrt{\frac{2 (t r^2 + 1)}{t^2 r^2}
              \log\frac{\sqrt{t r^2 + 1}}{\alpha}}, \qquad
              r^2 = \frac{-W_{-1}(-\alpha^2 / e) - 1}{t^*},

    with Lambert's W [1]_. The chance that the band ever leaves the true mean out tends to at most
    α as the burn-in grows. It is the boundary of the sequential probability ratio test with a
    normal mixture, at any scale, for scores without bounds and for every estimator that is a mean
    of independent values. r sets where the band is narrowest, and nothing else.

    Parameters
    ----------
    n_planned : int, optional
        How many values are planned; the band is narrowest at half of them.
    tightest_at : float, optional
        :math:`t^*` itself, instead of `n_planned`. Either is chosen before the data.
    alpha : float
        Chance that the band ever leaves the true mean out.
    burn_in : int
        No band before this many values.
    unit : str
        What one value is, for the words. Judgments that share a document or a rater are not
        independent: give one value per cluster (its sum, or its mean where clusters are alike).

    References
    ----------
    .. [1] Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), "Time-uniform central limit
       theory and asymptotic confidence sequences", Annals of Statistics 52(6), 2613–2640,
       Theorem 2.2 and appendix B.2.

    Examples
    --------
    >>> band = ConfidenceSequence(n_planned=400)
    >>> band.update_many([3.0, -1.0] * 100).interval
    Interval(low=0.569..., high=1.430..., level=0.95)
    >>> ConfidenceSequence.from_dict(band.to_dict()).result() == band.result()
    True
    """

    def __init__(
        self,
        *,
        n_planned: int | None = None,
        tightest_at: float | None = None,
        alpha: float = 0.05,
        burn_in: int = BURN_IN,
        unit: str = "judgment",
    ) -> None:
        self.alpha = check.probability(alpha, "alpha")
        self.tightest_at = _tightest(n_planned, tightest_at)
        self.burn_in = check.positive_int(burn_in, "burn_in", minimum=2)
        self.unit = unit
        self.decided_at: int | None = None
        self.verdict: Verdict = "undecided"
        self._r2 = mixture_rate(self.alpha) / self.tightest_at
        self._moments = np.zeros(3)  # count, mean, sum of squares about it

    @property
    def n(self) -> int:
        """Values so far."""
        return int(self._moments[0])

    def update(self, value: float) -> Interval | None:
        """Take one value (a difference, first minus second) and return the band."""
        return self.update_many([value]).interval

    def update_many(self, values: ArrayLike) -> ConfidenceBand:
        """Take values in the order in which they came; the result has the band after each."""
        taken = check.vector(values, "values")
        from detectable.kernels.betting import moments_path

        seen = self.n
        mean, variance = moments_path(taken, self._moments)
        low, high = self._band(seen + np.arange(1.0, taken.size + 1.0), mean, variance)
        outside = np.flatnonzero((low > 0.0) | (high < 0.0))
        if self.decided_at is None and outside.size:
            self.decided_at = seen + int(outside[0]) + 1
            self.verdict = "better" if low[outside[0]] > 0.0 else "worse"
        return self._result(mean, low, high)

    def result(self) -> ConfidenceBand:
        """Return what is known now."""
        n, mean, squares = self._moments
        if n == 0:
            return self._result(None, None, None)
        means, variances = np.array([mean]), np.array([squares / (n - 1) if n > 1 else np.nan])
        low, high = self._band(np.array([n]), means, variances)
        return self._result(means, low, high, keep_path=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON values; `from_dict` goes on from it as if nothing happened."""
        return {
            "kind": "ConfidenceSequence",
            "alpha": self.alpha,
            "tightest_at": self.tightest_at,
            "burn_in": self.burn_in,
            "unit": self.unit,
            "moments": self._moments.tolist(),
            "decided_at": self.decided_at,
            "verdict": self.verdict,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> "ConfidenceSequence":
        """Return the sequence that wrote `state`."""
        require_kind(state, "ConfidenceSequence", _STATE)
        options = {name: state[name] for name in ("tightest_at", "alpha", "burn_in", "unit")}
        sequence = cls(**options)
        sequence._moments = np.array(state["moments"], dtype=np.float64)
        sequence.decided_at, sequence.verdict = state["decided_at"], state["verdict"]
        return sequence

    def _band(
        self, t: FloatArray, mean: FloatArray, variance: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the bounds; infinite within the burn-in and while all values are equal."""
        # Equal values say nothing about their spread: a band of no width would decide on them.
        known = (t >= self.burn_in) & (variance > 0.0)
        width = np.sqrt(np.where(known, variance, 0.0)) * mixture_radius(
            t, r2=self._r2, alpha=self.alpha
        )
        return np.where(known, mean - width, -np.inf), np.where(known, mean + width, np.inf)

    def _result(
        self,
        mean: FloatArray | None,
        low: FloatArray | None,
        high: FloatArray | None,
        *,
        keep_path: bool = True,
    ) -> ConfidenceBand:
        now = None
        if low is not None and high is not None and math.isfinite(low[-1]):
            now = Interval(float(low[-1]), float(high[-1]), 1.0 - self.alpha)
        settings = {"n": self.n, "t*": self.tightest_at, "burn-in": self.burn_in}
        return ConfidenceBand(
            verdict=self.verdict,
            estimate=math.nan if mean is None else float(mean[-1]),
            interval=now,
            n=self.n,
            decided_at=self.decided_at,
            alpha=self.alpha,
            tightest_at=self.tightest_at,
            burn_in=self.burn_in,
            unit=self.unit,
            notes=self._notes(now),
            mean=mean if keep_path else None,
            low=low if keep_path else None,
            high=high if keep_path else None,
            signature=Signature(
                "asymptotic-confidence-sequence", {**settings, "alpha": self.alpha}
            ),
        )

    def _notes(self, now: Interval | None) -> tuple[str, ...]:
        found = []
        if now is not None and self.decided_at is not None and 0.0 in now:
            found.append(
                f"the decision of {self.unit} {self.decided_at:,} stands; the band of today came "
                "later and covers 0 again, so the difference may be small"
            )
        if now is not None and self._only_0_and_1():
            found.append(
                "all values are 0 or 1: the band of a rate of a tenth and less, or nine tenths and "
                "more, misses it in about 10 % of cases; `betting_band(values, bounds=(0, 1))` is "
                "exact"
            )
        if now is not None:
            return tuple(found)
        if self.n < self.burn_in:
            return (f"the first {count(self.burn_in, self.unit)} are not judged",)
        return ("all values are equal so far, so their spread is unknown",)

    def _only_0_and_1(self) -> bool:
        """Return whether the squares add up to what the values do, as those of 0 and 1 alone."""
        n, mean, squares = self._moments
        return bool(
            0.0 < mean < 1.0 and abs(squares - n * mean * (1.0 - mean)) <= _ROUNDING * n
        )


def confidence_sequence(
    values: ArrayLike,
    *,
    n_planned: int | None = None,
    tightest_at: float | None = None,
    alpha: float = 0.05,
    burn_in: int = BURN_IN,
    unit: str = "judgment",
) -> ConfidenceBand:
    """Return the band around the running mean after each value: `ConfidenceSequence` on an array.

    Parameters
    ----------
    values : array_like of shape (n,)
        Differences first minus second in the order in which they came, or one value per cluster.
    n_planned, tightest_at, alpha, burn_in, unit
        As for `ConfidenceSequence`.

    Examples
    --------
    >>> result = confidence_sequence([3.0, -1.0] * 100, n_planned=400)
    >>> print(result.summary())
    better, decided at judgment 50 of 200: mean difference +1.00, 95% band [+0.57, +1.43], at any
    time and for large samples.
    """
    sequence = ConfidenceSequence(
        n_planned=n_planned, tightest_at=tightest_at, alpha=alpha, burn_in=burn_in, unit=unit
    )
    return sequence.update_many(values)


def mixture_rate(alpha: float) -> float:
    r"""Return :math:`r^2 t^* = -W_{-1}(-\alpha^2 / e) - 1`, for which the band is narrowest at t*.

    Examples
    --------
    >>> round(mixture_rate(0.05), 4)
    8.212
    """
    from scipy.special import lambertw

    return float(-lambertw(-(alpha**2) / math.e, -1).real - 1.0)


def mixture_radius(t: FloatArray, *, r2: float, alpha: float) -> FloatArray:
    """Return half the width of the band in standard deviations of one value."""
    grown = t * r2 + 1.0
    # log(sqrt(grown)/α) in parts that cannot overflow.
    radius: FloatArray = np.sqrt(
        2.0 * grown / (t * t * r2) * (0.5 * np.log(grown) - math.log(alpha))
    )
    return radius


def _tightest(n_planned: int | None, tightest_at: float | None) -> float:
    if (n_planned is None) == (tightest_at is None):
        raise InputError(
            "`n_planned` or `tightest_at` must be given, and not both: where the band is to be "
            "narrowest must be fixed before the data."
        )
    if n_planned is not None:
        return check.positive_int(n_planned, "n_planned") / 2.0
    return check.positive(float(tightest_at or 0.0), "tightest_at")
