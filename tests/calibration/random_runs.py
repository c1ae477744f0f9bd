"""Runs as a random sample: two-way t test, its power, its equivalence test and intervals."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.runs import RandomRuns, random_runs
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from tests.calibration.compared import compared
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates
from tests.calibration.nulls import (
    Texts,
    close_outputs,
    draw_units,
    en_de,
    middle_outputs,
    permute_outputs,
)
from tests.calibration.rates import by_units

POWER = 0.80
RUNS = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class Pool:
    """Outputs from which runs are drawn; `permuted` removes whatever tells the runs apart."""

    name: str
    texts: Texts
    n_runs: int
    permuted: bool = False

    @property
    def label(self) -> str:
        return f"{self.name}, {self.n_runs} runs"


def pools() -> list[Pool]:
    """Return all pools with as many runs of two systems as they can serve."""
    texts = en_de()
    close = texts.outputs(close_outputs(texts, 7))
    named = [
        ("all 20 systems", texts, False),
        ("middle 12", texts.outputs(middle_outputs(texts, 12)), False),
        ("7 close ones", close, False),
        ("7 close ones, no run effect", close, True),
    ]
    return [
        Pool(name, pool, n_runs, permuted)
        for name, pool, permuted in named
        for n_runs in RUNS
        if 2 * n_runs <= pool.n_outputs
    ]


@dataclass(frozen=True, slots=True)
class RunDraws:
    """Differences of systems whose runs come from one pool: the true difference is zero."""

    pool: Pool
    estimates: FloatArray  # (trials, random · fixed · remainder, metrics, value · error · df)
    mdes: FloatArray  # (trials, metrics), as the two-way test states them

    def two_way(self, metric: int, *, shift: float = 0.0) -> list[Estimate]:
        """Return the two-way estimates, with a true difference of `shift` planted."""
        return [Estimate(v + shift, e, df) for v, e, df in self.estimates[:, 0, metric]]

    def fixed(self, metric: int) -> list[Estimate]:
        """Return the estimates that take the runs as fixed."""
        return [Estimate(*row) for row in self.estimates[:, 1, metric]]

    def remainder(self, metric: int) -> list[Estimate]:
        """Return two-way estimates with degrees of freedom from what is left of s²_test."""
        return [Estimate(*row) for row in self.estimates[:, 2, metric]]

    def stated(self, metric: int) -> FloatArray:
        """Return the detectable differences that the data sets would have stated."""
        found: FloatArray = self.mdes[:, metric]
        return found


def draw_runs(effort: Effort, pool: Pool) -> RunDraws:
    """Draw runs without replacement for both systems, and segments with replacement."""
    drawn = effort.repeat(_draw_runs, pool, f"random runs, {pool.label}")
    return RunDraws(pool, drawn[:, :3], drawn[:, 3, :, 0])


def _draw_runs(pool: Pool, rng: np.random.Generator) -> FloatArray:
    chosen = pool.texts.random_outputs(2 * pool.n_runs, rng)
    drawn = draw_units(chosen, pool.texts.n_units, rng)
    runs = permute_outputs(drawn, rng) if pool.permuted else drawn
    samples = runs.samples(pool.n_runs, pool.n_runs)
    two_way = [_two_way(sample) for sample in samples]
    mdes = [cell.detectable(alpha=ALPHA, power=POWER) for cell in two_way]
    kinds = [
        [cell.estimate for cell in two_way],
        [by_units(sample) for sample in samples],
        [_remainder(sample) for sample in samples],
        [Estimate(mde, np.nan, np.nan) for mde in mdes],
    ]
    return np.array([[[e.value, e.standard_error, e.df] for e in row] for row in kinds])


def _two_way(sample: Sample) -> RandomRuns:
    return random_runs(sample, [(1, 0)], [by_units(sample)])[0]


def _remainder(sample: Sample) -> Estimate:
    """Return the two-way estimate as it would be had `random_runs` trusted its run variance.

    The textbook rule puts the estimated run variance into Satterthwaite's formula; `random_runs`
    puts s²_test there, and this is the reason.
    """
    units, two_way = by_units(sample), _two_way(sample).estimate
    noise = units.standard_error**4 / units.df
    for system in (0, 1):
        scores, influence = sample.run_scores(system), sample.influence(system)
        within = influence.var(axis=0, ddof=1).sum()
        share = max(0.0, scores.var(ddof=1) - within) / scores.size
        noise += share**2 / (scores.size - 1.0)
    return Estimate(two_way.value, two_way.standard_error, two_way.standard_error**4 / noise)


def false_alarms(drawn: list[RunDraws]) -> Rates:
    """Return the type I error of the two-way test, and of the test that takes runs as fixed."""
    labels, trials = drawn[0].pool.texts.labels, len(drawn[0].estimates)
    metrics = range(len(labels))
    shares = [
        [
            *(_share([e.p_value() for e in one.two_way(m)]) for m in metrics),
            *(_share([e.p_value() for e in one.fixed(m)]) for m in metrics),
        ]
        for one in drawn
    ]
    columns = (
        *(f"random: {label}" for label in labels),
        *(f"fixed: {label}" for label in labels),
    )
    rows = tuple(one.pool.label for one in drawn)
    title = "Runs from one pool, segments resampled (WMT21 en-de)"
    return Rates(title, rows, columns, np.array(shares), trials)


def remainder_alarms(drawn: list[RunDraws]) -> Rates:
    """Return the type I error with the textbook rule for degrees of freedom."""
    shares = [
        [
            _share([e.p_value() for e in one.remainder(m)])
            for m in range(len(one.pool.texts.labels))
        ]
        for one in drawn
    ]
    title = "Degrees of freedom from the estimated run variance (not ours)"
    return _by_metric(title, drawn, shares, ALPHA)


def detections(drawn: list[RunDraws]) -> Rates:
    """Return how often a difference as large as the median stated MDE is found."""
    shares = [
        [
            _share([e.p_value() for e in one.two_way(m, shift=float(np.median(one.stated(m))))])
            for m in range(len(one.pool.texts.labels))
        ]
        for one in drawn
    ]
    return _by_metric("Share of data sets that find their median MDE", drawn, shares, POWER)


def false_equivalence(drawn: list[RunDraws]) -> Rates:
    """Return how often a difference just at the margin is called equivalent.

    The margin is the median detectable difference, and the true difference is equal to it.
    """
    shares = []
    for one in drawn:
        margins = [float(np.median(one.stated(m))) for m in range(len(one.pool.texts.labels))]
        shares.append(
            [
                _share([e.equivalence_p(margin) for e in one.two_way(m, shift=margin)])
                for m, margin in enumerate(margins)
            ]
        )
    return _by_metric("True difference at the margin: called equivalent", drawn, shares, ALPHA)


def _by_metric(
    title: str, drawn: list[RunDraws], shares: list[list[float]], nominal: float
) -> Rates:
    return Rates(
        f"{title}, runs random (WMT21 en-de)",
        tuple(one.pool.label for one in drawn),
        drawn[0].pool.texts.labels,
        np.array(shares),
        len(drawn[0].estimates),
        nominal,
    )


def _share(p_values: list[float]) -> float:
    return float(np.mean(np.array(p_values) <= ALPHA))


@dataclass(frozen=True, slots=True)
class ScoreIntervals:
    """Intervals of a mean score over random runs."""

    rates: Rates  # how often they hold the mean score of the pool
    width: Rates  # median half-width over the half-width that would hold it 95 % of the time


def score_intervals(effort: Effort) -> ScoreIntervals:
    """Make the intervals that `compare` states for one system when runs are random."""
    texts = en_de()
    truth = texts.scores().mean(axis=0)
    rows = tuple(f"all 20 systems, {n_runs} runs" for n_runs in RUNS)
    held, width = [], []
    for n_runs in RUNS:
        pool = Pool("all 20 systems", texts, n_runs)
        ends = effort.repeat(_score_interval, pool, f"score of one system, {n_runs} runs")
        low, high = ends[..., 0], ends[..., 1]
        off = np.abs((low + high) / 2.0 - truth)
        held.append(((low <= truth) & (truth <= high)).mean(axis=0))
        width.append(np.median(high - low, axis=0) / 2.0 / np.quantile(off, LEVEL, axis=0))
    where, trials = "runs random (WMT21 en-de)", effort.trials
    return ScoreIntervals(
        Rates(
            f"Score of one system, {where}", rows, texts.labels, np.array(held), trials, LEVEL
        ),
        Rates(
            f"Width over needed width, {where}", rows, texts.labels, np.array(width), trials, 1
        ),
    )


def _score_interval(pool: Pool, rng: np.random.Generator) -> FloatArray:
    """Return the ends of the first system's interval under each metric."""
    runs = pool.texts.random_outputs(2 * pool.n_runs, rng)
    drawn = draw_units(runs, pool.texts.n_units, rng)
    result = compared(
        drawn, pool.n_runs, pool.n_runs, rng=rng, runs="random", correction="none"
    )
    rows = [row for row in result.systems if row.system == "A"]
    return np.array([row.interval.to_json() for row in rows])
