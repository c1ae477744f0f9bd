"""Runs as a sample: a difference whose error covers new sentences and new runs (Clark 2011)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from detectable.core.choices import RunVariance
from detectable.inference.delta import Estimate
from detectable.inference.run_spread import deviation
from detectable.inference.runs_power import RunNoise, detectable_over_runs
from detectable.inference.sample import Sample

_MOST_RUNS = 1 << 20  # where the search for a number of runs gives up


@dataclass(frozen=True, slots=True)
class RandomRuns:
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
