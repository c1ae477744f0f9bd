"""Is the detectable difference honest, and is equivalence claimed too often."""

import itertools
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.inference.standard_errors import Estimate, estimate
from tests.calibration.effort import ALPHA, Effort, Rates
from tests.calibration.nulls import Texts, draw_units, en_de, ru_en
from tests.calibration.rates import AR, DELTA, by_units, delta_p, randomization_p, rejected

POWER = 0.80


@dataclass(frozen=True, slots=True)
class Task:
    """A pair of systems, and the units that make their true difference just detectable."""

    pair: tuple[int, int]
    n_units: int
    difference: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Tasks under one metric."""

    texts: Texts
    tasks: list[Task]


def plan(texts: Texts, metric: int, *, fewest: int, most: int) -> Plan:
    """Return all pairs that need between `fewest` and `most` units to be told apart."""
    one = Texts(
        (texts.labels[metric],), (texts.metrics[metric],), (texts.values[metric],), texts.units
    )
    sample = one.samples(*(1,) * texts.n_outputs)[0]
    tasks = []
    for pair in itertools.combinations(range(texts.n_outputs), 2):
        truth = by_units(sample, pair[1], pair[0])
        if truth.value == 0.0:
            continue  # no number of units tells them apart
        needed = truth.units_needed(truth.value, sample.n_units, alpha=ALPHA, power=POWER)
        if fewest <= needed <= most:
            tasks.append(Task(pair, needed, truth.value))
    return Plan(one, tasks)


@dataclass(frozen=True, slots=True)
class Detected:
    """What happens when the true difference is the detectable one."""

    rates: Rates  # how often each test finds it
    stated: Rates  # stated MDE over true difference: 10 %, 50 % and 90 % quantile
    n_pairs: tuple[int, ...]


def at_detectable(effort: Effort) -> Detected:
    """Give each pair the sample size at which its true difference is its MDE."""
    plans = {
        f"segments: {label}": plan(en_de(), m, fewest=100, most=3000)
        for m, label in enumerate(en_de().labels)
    } | {
        f"documents: {label}": plan(ru_en(), m, fewest=30, most=400)
        for m, label in enumerate(ru_en().labels)
    }
    drawn = [effort.repeat(_detect, p, f"power, {name}") for name, p in plans.items()]
    shares = np.stack([hits[:, :2].mean(axis=0) for hits in drawn], axis=-1)
    quantiles = np.stack([np.quantile(hits[:, 2], [0.1, 0.5, 0.9]) for hits in drawn], axis=-1)
    columns = tuple(plans)
    title = "True difference = detectable difference: found by"
    return Detected(
        Rates(title, (DELTA, AR), columns, shares, effort.trials, POWER),
        Rates(
            "Stated MDE over true MDE",
            ("10 % quantile", "median", "90 % quantile"),
            columns,
            quantiles,
            effort.trials,
            1.0,
        ),
        tuple(len(p.tasks) for p in plans.values()),
    )


def _detect(plan: Plan, rng: np.random.Generator) -> FloatArray:
    task = plan.tasks[rng.integers(len(plan.tasks))]
    drawn = draw_units(plan.texts.outputs(np.array(task.pair)), task.n_units, rng)
    samples = drawn.samples(1, 1)
    stated = by_units(samples[0]).detectable(alpha=ALPHA, power=POWER)
    hits = rejected(delta_p(samples), randomization_p(samples, rng))
    return np.array([*hits[:, 0], stated / abs(task.difference)])


@dataclass(frozen=True, slots=True)
class PairDraws:
    """All pairs of systems tested on many samples of segments.

    Attributes
    ----------
    found, equivalent : array of shape (trials, pairs, metrics)
        1 where the t test rejects, and where equivalence is claimed with the true difference as
        the margin.
    ratio : array of shape (pairs, metrics)
        True difference over true standard error.
    """

    labels: tuple[str, ...]
    n_units: int
    found: FloatArray
    equivalent: FloatArray
    ratio: FloatArray

    def predicted(self) -> FloatArray:
        """Return the power that the standard error promises."""
        from scipy.special import ndtr

        critical = 1.959963984540054
        power: FloatArray = ndtr(self.ratio - critical) + ndtr(-self.ratio - critical)
        return power


@dataclass(frozen=True, slots=True)
class _Population:
    texts: Texts
    n_units: int
    differences: FloatArray  # (pairs, metrics)


def all_pairs(effort: Effort, *, n_units: int) -> PairDraws:
    """Test every pair of the 20 systems on samples of `n_units` segments."""
    texts = en_de()
    truth = _estimates(texts)
    value = np.array([[e.value for e in row] for row in truth])
    error = np.array([[e.standard_error for e in row] for row in truth])
    payload = _Population(texts, n_units, value)
    drawn = effort.repeat(_all_pairs, payload, f"all pairs, {n_units} segments")
    error *= np.sqrt(texts.n_units / n_units)
    return PairDraws(texts.labels, n_units, drawn[:, 0], drawn[:, 1], np.abs(value) / error)


def _all_pairs(population: _Population, rng: np.random.Generator) -> FloatArray:
    found = _estimates(draw_units(population.texts, population.n_units, rng))
    p_values = [[e.p_value() for e in row] for row in found]
    p_equivalent = [
        [e.equivalence_p(abs(d)) for e, d in zip(row, differences, strict=True)]
        for row, differences in zip(found, population.differences, strict=True)
    ]
    return rejected(np.array(p_values), np.array(p_equivalent))


def _estimates(texts: Texts) -> list[list[Estimate]]:
    """Return the difference of every pair under every metric, with n − 1 degrees of freedom."""
    scores = texts.scores()
    samples = texts.samples(*(1,) * texts.n_outputs)
    influence = [
        np.concatenate([sample.influence(s) for s in range(texts.n_outputs)])
        for sample in samples
    ]
    return [
        [
            estimate(float(scores[b, m] - scores[a, m]), values[b] - values[a])
            for m, values in enumerate(influence)
        ]
        for a, b in itertools.combinations(range(texts.n_outputs), 2)
    ]


@dataclass(frozen=True, slots=True)
class Binned:
    """Pairs in bins, one row per bin and metric."""

    title: str
    labels: tuple[str, ...]  # of the bins
    metrics: tuple[str, ...]
    n_pairs: FloatArray  # (bins, metrics)
    expected: FloatArray
    measured: FloatArray
    errors: FloatArray  # standard errors of `measured`
    trials: int


def power_by_prediction(drawn: PairDraws) -> Binned:
    """Compare predicted with measured power, in bins of predicted power."""
    edges = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0])
    predicted = drawn.predicted()
    return _binned("Power of the t test", drawn, edges, predicted, drawn.found, predicted)


def equivalence_by_margin(drawn: PairDraws) -> Binned:
    """Return the share of false claims of equivalence, by margin over standard error."""
    edges = np.array([0.0, 1.0, 2.0, 3.0, 5.0, np.inf])
    nominal = np.full_like(drawn.ratio, ALPHA)
    title = "False claims of equivalence, by margin over standard error"
    return _binned(title, drawn, edges, drawn.ratio, drawn.equivalent, nominal)


def _binned(
    title: str,
    drawn: PairDraws,
    edges: FloatArray,
    by: FloatArray,
    hits: FloatArray,
    expected: FloatArray,
) -> Binned:
    cells = np.full((4, len(edges) - 1, len(drawn.labels)), np.nan)
    for i, m in itertools.product(range(len(edges) - 1), range(len(drawn.labels))):
        inside = (edges[i] <= by[:, m]) & ((by[:, m] < edges[i + 1]) | (i == len(edges) - 2))
        cells[0, i, m] = inside.sum()
        if inside.any():
            # Pairs of one sample depend on each other; samples do not.
            shares = hits[:, inside, m].mean(axis=1)
            error = shares.std(ddof=1) / np.sqrt(len(shares))
            cells[1:, i, m] = expected[inside, m].mean(), shares.mean(), error
    labels = tuple(
        f"{low:g} to {high:g}" if np.isfinite(high) else f"above {low:g}"
        for low, high in itertools.pairwise(edges)
    )
    full = f"{title} ({drawn.n_units} segments of WMT21 en-de)"
    n_pairs, mean, measured, errors = cells
    return Binned(full, labels, drawn.labels, n_pairs, mean, measured, errors, len(hits))
