"""Several runs of a system: how far they spread, and a difference that covers new runs (Clark 2011)."""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from detectable.core.choices import RunVariance
from detectable.core.types import FloatArray, IntArray
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate, estimate, median_unbiased


class RunSpread(NamedTuple):
    """Scores of the runs of one system and the three standard deviations of clark2011.

    Attributes
    ----------
    runs : array
        Corpus score of each run.
    s_test : float
        Standard deviation of the scores over runs (nan with one run).
    s_sel : float
        Standard error from the choice of test sentences, averaged over runs. MultEval
        estimates it by bootstrap; the influence values give it in closed form.
    s_dev : float
        Standard deviation of the development scores (nan when they are not given).
    median_run : int
        The run to read by hand; of an even number, the higher of the two in the middle.
    """

    runs: FloatArray
    s_test: float
    s_sel: float
    s_dev: float
    median_run: int


def run_spread(
    sample: Sample, system: int, *, dev_scores: FloatArray | None = None
) -> RunSpread:
    """Return the spread over the runs of one system.

    References
    ----------
    Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical machine
    translation: controlling for optimizer instability", ACL, section 4.
    """
    scores = sample.run_scores(system)
    errors = [
        estimate(float(score), influence).standard_error
        for score, influence in zip(scores, sample.influence(system), strict=True)
    ]
    return RunSpread(
        runs=scores,
        s_test=deviation(scores),
        s_sel=float(np.mean(errors)),
        s_dev=math.nan if dev_scores is None else deviation(dev_scores),
        median_run=median_run(scores),
    )


def median_run(scores: FloatArray) -> int:
    """Return the run in the middle; of an even number, the higher of the two there.

    Examples
    --------
    >>> median_run(np.array([18.54, 18.46, 18.58])), median_run(np.array([1.0, 3.0]))
    (0, 1)
    """
    return int(np.argsort(scores, kind="stable")[len(scores) // 2])


def deviation(scores: FloatArray) -> float:
    """Return the standard deviation over runs; not a number with one."""
    return float(scores.std(ddof=1)) if scores.size > 1 else math.nan


# --- The smallest difference that a test over units and few runs finds ---
#
# With two or three runs the estimated variance between runs is mostly noise. The usual MDE, standard
# error times the shift of a noncentral t, takes it as known: half of all users read a number that is
# far too small, because a variance of few degrees of freedom mostly lies below its mean, and the
# critical value of the next data set moves with it. Effects of that size were found in 60 to 75 % of
# cases instead of 80.
#
# Here the power is that of the very test. The variance of one run, :math:`s^2_{test}`, is first made
# median-unbiased (`inference.standard_errors.median_unbiased`), and so is that of the units,
#
# .. math:: \tau^2 = s^2_{test} \cdot \nu / \chi^2_{\nu}(\tfrac12),
#
# in sum over both systems never below the noise of units. Then the next data set is integrated over:
# unit variance and run variances fall as multiples of chi-square, every combination has its own
# standard error and, by Satterthwaite, its own critical value t, and
#
# .. math:: P(\Delta) = E\,\Phi\bigl((\Delta - t\,\hat V^{1/2}) / V^{1/2}\bigr).
#
# The mean is over midpoints of equal probability. Measured in docs/calibration.md. With two runs of
# equally stable systems it is a little cautious (.83 to .87): one degree of freedom cannot tell that
# they are equally stable, and a test of unequal variances has fewer degrees of freedom.

_UNIT_POINTS = 6  # unit variances are well known
_RUN_POINTS = 24
_SURE = 40.0  # standard errors beyond which a normal variable never lies


class RunNoise(NamedTuple):
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
    # In true standard errors: limits within which that many data sets are found.
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


# --- Runs as a sample: a difference whose error covers new sentences and new runs (Clark 2011) ---

_MOST_RUNS = 1 << 20  # where the search for a number of runs gives up


class RandomRuns(NamedTuple):
    """A difference when runs are a sample from all runs that might have been made.

    Attributes
    ----------
    estimate : Estimate
        Difference of mean scores; its error covers new sentences *and* new runs.
    item_variance : float
        Variance from the choice of units that remains with infinitely many runs.
    run_variances : tuple of float
        Variance that one run adds, for each of the two systems; R runs add a share of 1/R.
    n_units : int
        Units behind `item_variance`.
    units, noise
        What the error is made of: the difference with the runs at hand, and what is known of the
        runs of either system.
    """

    estimate: Estimate
    item_variance: float
    run_variances: tuple[float, float]
    n_units: int
    units: Estimate
    noise: tuple[RunNoise, RunNoise]

    def detectable(self, *, alpha: float, power: float, n_runs: int | None = None) -> float:
        """Return the smallest true difference that the test finds, with so many runs of each.

        Not a number where nothing varies: there is nothing to tell by.
        """
        if not self.estimate.standard_error > 0.0:
            return math.nan
        return detectable_over_runs(
            self.units, self.noise, alpha=alpha, power=power, n_runs=n_runs
        )

    def runs_needed(self, effect: float, *, alpha: float, power: float) -> int | None:
        """Return the runs of each system that make `effect` detectable, or None.

        None means that no number of runs suffices: the test set itself is too small.
        """

        def suffices(n_runs: int) -> bool:
            # Not a number, where nothing varies, is never enough.
            return self.detectable(alpha=alpha, power=power, n_runs=n_runs) <= abs(effect)

        high = 2
        while not suffices(high):
            high *= 2
            if high > _MOST_RUNS:
                return None
        low = max(2, high // 2)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if suffices(middle) else (middle + 1, high)
        return high


def random_runs(
    sample: Sample,
    pairs: Sequence[tuple[int, int]],
    units: Sequence[Estimate],
    *,
    variance: RunVariance = "own",
) -> list[RandomRuns]:
    r"""Estimate differences with units *and* runs as random (two-way).

    The score of run r is :math:`\theta + u_r + \sum_i (\alpha_i + \varepsilon_{ir})`: a run
    effect, unit effects that all runs share, and what is left. The variance of a difference
    of means over :math:`R` runs is then

    .. math:: V = V_{units} + \sum_{s} \frac{\sigma^2_{u,s}}{R_s}, \qquad
              \sigma^2_{u,s} = \max\Bigl(0,\; s^2_{test,s} - \sum_i
              \frac{\operatorname{Var}_r \psi_{ir}}{1 - h_i}\Bigr),

    where :math:`V_{units}` comes from influence values averaged over runs (it contains
    :math:`\varepsilon/R` once; the subtraction keeps it from being counted twice). Degrees of
    freedom by Satterthwaite, from those of the units and :math:`R_s-1` runs. They use
    :math:`s^2_{test}` before the subtraction: with two or three runs the remainder is often cut
    to zero by chance, and pretending to know it well would reject a true null up to 11 % of
    the time at .05 (measured on runs drawn as in docs/calibration.md).

    A system with one run is given the mean run variance of the others, and their degrees of
    freedom: nothing else is known about it.

    Parameters
    ----------
    units : sequence of Estimate
        The difference of each pair with the error that comes from the units.
    variance : {'own', 'pooled'}
        Each system's own variance between runs, or one for all systems. Pooling finds more with
        two or three runs (80 % power instead of 65), and where one system is three times as
        unstable as the others it errs in 13 to 16 % of cases instead of 5.

    References
    ----------
    Clark et al. (2011) name the need and use a pooled test instead; the decomposition is the
    two-way one of Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2).
    """
    parts = _all_parts(sample, variance)
    return [
        _two_way(sample.n_units, unit, (parts[system], parts[baseline]))
        for (system, baseline), unit in zip(pairs, units, strict=True)
    ]


def _two_way(n_units: int, units: Estimate, parts: tuple[RunNoise, RunNoise]) -> RandomRuns:
    unit_variance = units.standard_error**2
    total = unit_variance + sum(part.between / part.n_runs for part in parts)
    noise = unit_variance**2 / units.df
    if parts[0].shared:
        noise += sum(part.s2_test / part.n_runs for part in parts) ** 2 / parts[0].df
    else:
        noise += sum((part.s2_test / part.n_runs) ** 2 / part.df for part in parts)
    leftover = sum(part.within / part.n_runs for part in parts)
    # No sum of variances has fewer degrees of freedom than the least known of them. Without that
    # bound, runs that differ less than their units by chance would bring df to nearly zero.
    least = min(units.df, *(part.df for part in parts))
    df = max(least, total**2 / noise) if noise > 0 else units.df
    return RandomRuns(
        estimate=Estimate(units.value, math.sqrt(total), df),
        item_variance=max(0.0, unit_variance - leftover),
        run_variances=(
            parts[0].between + parts[0].within,
            parts[1].between + parts[1].within,
        ),
        n_units=n_units,
        units=units,
        noise=parts,
    )


def _all_parts(sample: Sample, variance: RunVariance) -> list[RunNoise]:
    found: list[RunNoise | None] = []
    for system, n_runs in enumerate(sample.runs):
        if n_runs < 2:
            found.append(None)
            continue
        s2_test = deviation(sample.run_scores(system)) ** 2
        # Centred influence values miss 1/n of the spread of a unit over runs, or its share of the
        # score: dividing by the rest makes the variance of a run unbiased, as that of lme4 is.
        spread = sample.influence(system).var(axis=0, ddof=1)
        within = float((spread / (1.0 - sample.shares(system))).sum())
        between = max(0.0, s2_test - within)
        found.append(RunNoise(n_runs, s2_test, between, within, n_runs - 1.0, shared=False))
    known = [part for part in found if part is not None]
    df = sum(part.df for part in known)

    def mean(values: Sequence[float]) -> float:
        return sum(v * part.df for v, part in zip(values, known, strict=True)) / df

    s2_test, within = mean([p.s2_test for p in known]), mean([p.within for p in known])
    # Pooled before it is cut at zero: a chance shortfall of one system makes up for the excess
    # of another.
    between = max(0.0, s2_test - within)
    if variance == "pooled":
        return [
            RunNoise(n_runs, s2_test, between, within, df, shared=True)
            for n_runs in sample.runs
        ]
    return [
        part or RunNoise(1, s2_test, mean([p.between for p in known]), within, df, shared=False)
        for part in found
    ]
