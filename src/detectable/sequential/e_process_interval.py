"""All differences that the bets have not yet refuted: an exact band that may be watched."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.wording import count, interval, number
from detectable.sequential.e_process import (
    BETS,
    Bounds,
    check_bets,
    check_bounds,
    check_differences,
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

    def summary(self) -> str:
        """Say the interval in one sentence."""
        zero = "without" if 0.0 not in self.interval else "with"
        text = (
            f"mean difference {number(self.estimate, sign=True)}, "
            f"{1.0 - self.alpha:.0%} band {interval(self.interval, sign=True)} "
            f"({zero} 0), exact at any time, after {count(self.n, 'judgment')}"
        )
        return "; ".join([text, *self.notes]) + "."


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
