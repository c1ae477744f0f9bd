r"""The smallest difference that a test over units and few runs finds.

With two or three runs the estimated variance between runs is mostly noise. The usual MDE, standard
error times the shift of a noncentral t, takes it as known: half of all users read a number that is
far too small, because a variance of few degrees of freedom mostly lies below its mean, and the
critical value of the next data set moves with it. Effects of that size were found in 60 to 75 % of
cases instead of 80.

Here the power is that of the very test. The variance of one run, :math:`s^2_{test}`, is first made
median-unbiased (`inference.delta.median_unbiased`), and so is that of the units,

.. math:: \tau^2 = s^2_{test} \cdot \nu / \chi^2_{\nu}(\tfrac12),

in sum over both systems never below the noise of units. Then the next data set is integrated over:
unit variance and run variances fall as multiples of chi-square, every combination has its own
standard error and, by Satterthwaite, its own critical value t, and

.. math:: P(\Delta) = E\,\Phi\bigl((\Delta - t\,\hat V^{1/2}) / V^{1/2}\bigr).

The mean is over midpoints of equal probability. Measured in docs/calibration.md. With two runs of
equally stable systems it is a little cautious (.83 to .87): one degree of freedom cannot tell that
they are equally stable, and a test of unequal variances has fewer degrees of freedom.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.delta import Estimate, median_unbiased

_UNIT_POINTS = 6  # unit variances are well known
_RUN_POINTS = 24
_SURE = 40.0  # standard errors beyond which a normal variable never lies


@dataclass(frozen=True, slots=True)
class RunNoise:
    """What is known of the runs of one system.

    Attributes
    ----------
    n_runs : int
    s2_test : float
        Variance of the scores of the runs.
    between, within : float
        The part of it that is beyond the noise of units, and that noise.
    df : float
        Degrees of freedom of `s2_test`.
    shared : bool
        One variance for all systems, so that those of two of them are the same.
    """

    n_runs: int
    s2_test: float
    between: float
    within: float
    df: float
    shared: bool

    def typical(self, df: float) -> float:
        """Return the variance of a run, median-unbiased; by chance it may be below `within`."""
        return median_unbiased(math.sqrt(self.s2_test), df) ** 2


def detectable_over_runs(
    units: Estimate,
    noise: tuple[RunNoise, RunNoise],
    *,
    alpha: float,
    power: float,
    n_runs: int | None = None,
) -> float:
    """Return the smallest true difference that a two-sided test over units and runs finds.

    Parameters
    ----------
    units : Estimate
        The difference with its error over units, noise of so many runs included.
    n_runs : int, optional
        With so many runs of each system instead. What is known of their variance stays.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, stdtrit

    shared = noise[0].shared
    known = noise[0].df if shared else noise[0].df + noise[1].df
    runs = np.array([part.n_runs if n_runs is None else n_runs for part in noise])
    within = np.array([part.within for part in noise])
    excess = _excess(np.array([p.typical(known) for p in noise]) - within, runs)
    old = np.array([part.n_runs for part in noise])
    items = units.typical_error**2
    if n_runs is not None:
        items = max(0.0, items - float((within / old).sum())) + float((within / runs).sum())
    if not items + float(excess.sum()) > 0.0:
        # Units without any spread, and shortfall as large as excess: the test goes by the excess.
        excess = np.array([part.between for part in noise])
    total = within + excess
    truth = math.sqrt(items + float((excess / runs).sum()))
    if not (truth > 0.0 and math.isfinite(truth)):
        return math.nan

    # Axes of all arrays: unit variance, variance of the first system's runs, of the second's.
    unit = (items * _multiples(units.df, _UNIT_POINTS))[:, None, None]
    dfs = [part.df if n_runs is None else _grown(part, n_runs) for part in noise]
    first = _multiples(dfs[0], _RUN_POINTS)[None, :, None]
    second = first if shared else _multiples(dfs[1], _RUN_POINTS)[None, None, :]
    drawn = [total[0] * first, total[1] * second]
    beyond = [np.maximum(0.0, d - w) / r for d, w, r in zip(drawn, within, runs, strict=True)]
    error2 = unit + beyond[0] + beyond[1]
    spread = [d / r for d, r in zip(drawn, runs, strict=True)]
    runs_part = (
        (spread[0] + spread[1]) ** 2 / dfs[0]
        if shared
        else spread[0] ** 2 / dfs[0] + spread[1] ** 2 / dfs[1]
    )
    # Without any noise of units a draw may have no spread at all; real data never do.
    varies = error2 > 0.0
    df = np.where(varies, error2**2, 1.0) / np.where(
        varies, unit**2 / units.df + runs_part, 1.0
    )
    # Never fewer degrees of freedom than the least known variance has, as in the test itself.
    df = np.maximum(df, min(units.df, *dfs))
    reach = np.sort((-stdtrit(df, alpha / 2.0) * np.sqrt(error2) / truth).ravel())
    # In true standard errors: where so many data sets are surely found, and so many surely not.
    last = reach.size - 1
    low = float(reach[min(last, math.floor(power * reach.size))]) - _SURE
    high = float(reach[min(last, math.ceil(power * reach.size))]) + _SURE
    if not math.isfinite(high):
        return math.nan
    shift = brentq(lambda x: float(ndtr(x - reach).mean()) - power, low, high, maxiter=500)
    return truth * float(shift)


def _excess(beyond: FloatArray, runs: IntArray) -> FloatArray:
    """Return what the runs of either system add to the noise of units; together never below 0.

    A chance shortfall of one system makes up for the excess of the other. Cut one by one, two of
    them would add noise where runs do not differ at all.
    """
    above = np.maximum(0.0, beyond)
    sum_above = float((above / runs).sum())
    if not sum_above > 0.0:
        return above
    together = max(0.0, float((beyond / runs).sum()))
    found: FloatArray = above * (together / sum_above)
    return found


def _grown(part: RunNoise, n_runs: int) -> float:
    """Return the degrees of freedom that so many runs would give."""
    return part.df * (n_runs - 1.0) / (part.n_runs - 1.0) if part.n_runs > 1 else n_runs - 1.0


@functools.lru_cache(maxsize=256)
def _multiples(df: float, n: int) -> FloatArray:
    """Return chi-square over its degrees of freedom at midpoints of equal probability."""
    from scipy.special import gammaincinv

    found: FloatArray = 2.0 * gammaincinv(0.5 * df, (np.arange(n) + 0.5) / n) / df
    return found
