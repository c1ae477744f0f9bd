"""Items that were chosen: coverage and mean squared errors on WMT23, equal systems, looks, and groups."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.sampling import draw, probabilities, weighted_mean
from detectable.inference.shares import JudgedGroup, grouped_share
from detectable.inference.standard_errors import cluster_mean
from detectable.sequential.design import design
from detectable.sequential.look_statistic import paired_mean
from detectable.study.selection.guard import size_measure
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates
from tests.gold_select import wmt23

SHARE = 0.3  # of the reading time
RANDOM, METRIC, CHOSEN = "random", "random, with the metric", "`select`, with the metric"
IGNORED = "`select`, weights ignored"
PAIR, ANY = "a pair, with the metric", "any of 15 pairs, Holm"
GROUPS, WEIGHTED_T, PLAIN = (
    "`control_variates`, groups",
    "weighted mean, t",
    "plain mean of labels",
)
LANGUAGES = ("zh-en", "en-de", "he-en")
_PAIRS = 12  # of each data set; all are tried over data sets
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class Pool:
    """Lines or documents of one language pair, and with which probabilities they are drawn."""

    language: str
    by_document: bool

    @property
    def label(self) -> str:
        return f"{self.language}, {'documents' if self.by_document else 'lines'}"


@cache
def _sizes(pool: Pool) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the unit of each line, its cost, and the probabilities of a choice."""
    data = wmt23(pool.language)
    unit = data.unit if pool.by_document else np.arange(len(data.items))
    cost = np.bincount(unit, 0.5 + 0.5 * data.length / data.length.mean()).astype(np.float64)
    size = size_measure(data.metric, data.length, unit, cost)
    return unit, cost, probabilities(size, cost, SHARE * float(cost.sum()))


POOLS = tuple(Pool(language, whole) for whole in (False, True) for language in LANGUAGES)


def _errors(pool: Pool, rng: np.random.Generator) -> FloatArray:
    """Return whether intervals hold the pool's difference, and squared errors, of every method."""
    data = wmt23(pool.language)
    unit, _, chosen = _sizes(pool)
    pairs = list(combinations(range(len(data.systems)), 2))
    some = [pairs[i] for i in rng.permutation(len(pairs))[:_PAIRS]]
    found = np.zeros((4, 2, len(some)))
    even = np.full(chosen.size, SHARE)
    draws = [draw(even, rng), draw(chosen, rng)]
    for column, (a, b) in enumerate(some):
        d, f = data.human[a] - data.human[b], data.metric[a] - data.metric[b]
        truth = d.mean()
        for row, (probability, drawn, ignored) in enumerate(
            ((even, draws[0], False), (chosen, draws[1], False), (even, draws[1], True))
        ):
            human = np.where(np.isin(unit, drawn), d, np.nan)
            fit = weighted_mean(
                human,
                f,
                (1.0 / probability)[unit],
                clusters=unit,
                target="test-set",
                quality_share=1.0,
            )
            made = (
                [fit.plain, fit.adjusted]
                if row == 0
                else [fit.plain if ignored else fit.adjusted]
            )
            for k, one in enumerate(made):
                held = one.interval(LEVEL)
                place = row + k if row == 0 else row + 1
                found[place, :, column] = truth in held, (one.value - truth) ** 2
    means: FloatArray = found.mean(axis=2)
    return means


ROWS = (RANDOM, METRIC, CHOSEN, IGNORED)


def on_wmt23(effort: Effort) -> tuple[Rates, Rates]:
    """Return coverage of the pool's differences, and squared errors over those of a random draw."""
    held = [effort.repeat(_errors, pool, f"selection {pool.label}") for pool in POOLS]
    means = np.stack([one.mean(axis=0) for one in held], axis=-1)  # rows, kinds, pools
    columns = tuple(pool.label for pool in POOLS)
    title = (
        "WMT23, MetricX-23-QE, 30 % of the reading time: intervals hold the pool's difference"
    )
    ratios = means[:, 1] / means[0, 1]
    return (
        Rates(title, ROWS, columns, means[:, 0], effort.trials, LEVEL, kind="coverage"),
        Rates(
            "The same: mean squared error over that of a random draw without metric",
            ROWS,
            columns,
            ratios,
            effort.trials,
            kind="plain",
        ),
    )


# --- Equal systems, documents drawn with replacement ---


@dataclass(frozen=True, slots=True)
class Equal:
    """Systems of one language pair whose outputs are exchanged at random within documents."""

    language: str
    n_documents: int

    @property
    def label(self) -> str:
        return f"{self.language}, {self.n_documents} documents"


EQUAL = (Equal("he-en", 60), Equal("en-de", 100))


def _drawn(
    world: Equal, n_systems: int, share: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Return human and metric scores of a new pool, its units, and their probabilities."""
    data = wmt23(world.language)
    order = np.argsort(-data.human.mean(axis=1))
    keep = order[np.linspace(0, len(order) - 1, n_systems).astype(int)]
    lines = [np.flatnonzero(data.unit == k) for k in range(int(data.unit.max()) + 1)]
    pick = rng.integers(0, len(lines), world.n_documents)
    at = np.concatenate([lines[k] for k in pick])
    unit = np.repeat(np.arange(world.n_documents), [lines[k].size for k in pick])
    turn = np.stack([rng.permutation(n_systems) for _ in range(world.n_documents)])[unit].T
    human = np.take_along_axis(data.human[np.ix_(keep, at)], turn, axis=0)
    metric = np.take_along_axis(data.metric[np.ix_(keep, at)], turn, axis=0)
    length = data.length[at]
    cost = np.bincount(unit, 0.5 + 0.5 * length / length.mean()).astype(np.float64)
    size = size_measure(metric, length, unit, cost)
    return human, metric, unit, probabilities(size, cost, share * float(cost.sum()))


def _told_apart(world: Equal, rng: np.random.Generator) -> FloatArray:
    human, metric, unit, probability = _drawn(world, 6, SHARE, rng)
    judged = np.isin(unit, draw(probability, rng))
    p = []
    for a, b in combinations(range(6), 2):
        d = np.where(judged, human[a] - human[b], np.nan)
        fit = weighted_mean(d, metric[a] - metric[b], (1.0 / probability)[unit], clusters=unit)
        p.append(fit.adjusted.p_value())
    found = np.array(p)
    return np.array([(found <= ALPHA).mean(), float(found.min() * found.size <= ALPHA)])


def equal_systems(effort: Effort) -> Rates:
    """Equal systems that differ significantly."""
    held = [effort.repeat(_told_apart, one, f"selected equal {one.label}") for one in EQUAL]
    title = "Equal systems, chosen documents of a pool drawn with replacement: any pair differs significantly"
    shares = np.stack([one.mean(axis=0) for one in held], axis=-1)
    columns = tuple(one.label for one in EQUAL)
    return Rates(title, (PAIR, ANY), columns, shares, effort.trials)


LOOKS = (Equal("he-en", 92), Equal("en-de", 100))


def _stops(world: Equal, rng: np.random.Generator) -> FloatArray:
    human, _, unit, probability = _drawn(world, 2, 0.5, rng)
    order = rng.permutation(draw(probability, rng))
    bounds = design("hsd", looks=_LOOKS, gamma=-4.0).z
    for look, bound in enumerate(bounds, start=1):
        seen = np.isin(unit, order[: max(4, round(order.size * look / _LOOKS))])
        weights = (1.0 / probability)[unit][seen]
        found = paired_mean((human[0] - human[1])[seen], unit[seen], weights=weights)
        if abs(found.z) >= float(bound):
            return np.array([1.0])
    return np.array([0.0])


def looks(effort: Effort) -> Rates:
    """Five looks at two equal systems."""
    held = [effort.repeat(_stops, one, f"selected looks {one.label}") for one in LOOKS]
    title = "Two equal systems, five looks (HSD −4) at chosen documents: stopped for one"
    shares = np.stack([one.mean(axis=0) for one in held], axis=-1)
    columns = tuple(one.label for one in LOOKS)
    return Rates(title, ("`look`, paired-mean",), columns, shares, effort.trials)


# --- All failures and some passes ---


@dataclass(frozen=True, slots=True)
class Failures:
    """How many items, how many of them a judge fails, and how often people agree."""

    n: int
    failed: float
    ones_failed: float
    ones_passed: float
    take: float

    @property
    def label(self) -> str:
        return f"{self.n:,}, {self.failed:.0%} fail, {self.ones_passed:.1%} of passes, {self.take:.0%} taken"


FAILURES = (
    Failures(1000, 0.15, 0.7, 0.04, 0.2),
    Failures(1000, 0.15, 0.7, 0.005, 0.2),
    Failures(300, 0.15, 0.7, 0.04, 0.2),
    Failures(1000, 0.05, 0.9, 0.02, 0.1),
    Failures(200, 0.1, 0.9, 0.02, 0.2),
)


def _share_held(world: Failures, rng: np.random.Generator) -> FloatArray:
    truth = world.failed * world.ones_failed + (1.0 - world.failed) * world.ones_passed
    fails = rng.random(world.n) < world.failed
    ones = rng.random(world.n) < np.where(fails, world.ones_failed, world.ones_passed)
    n = max(2, round(world.take * int((~fails).sum())))
    taken = rng.choice(np.flatnonzero(~fails), n, replace=False)
    groups = [
        JudgedGroup(int(fails.sum()), int(fails.sum()), int(ones[fails].sum())),
        JudgedGroup(int((~fails).sum()), n, int(ones[taken].sum())),
    ]
    _, limits = grouped_share(groups, alpha=ALPHA)
    rows = np.concatenate([np.flatnonzero(fails), taken])
    weights = np.where(fails, 1.0, (~fails).sum() / n)[rows]
    labels = ones[rows].astype(np.float64)
    by_t = cluster_mean(labels, None, weights).interval(LEVEL)
    plain = cluster_mean(labels).interval(LEVEL)
    return np.array([float(truth in one) for one in (limits, by_t, plain)])


def failures(effort: Effort) -> Rates:
    """Return how often the true share is held."""
    held = [
        effort.repeat(_share_held, one, f"selected failures {one.label}") for one in FAILURES
    ]
    title = "All failures and some passes: intervals hold the true share"
    shares = np.stack([one.mean(axis=0) for one in held], axis=-1)
    columns = tuple(one.label for one in FAILURES)
    return Rates(
        title,
        (GROUPS, WEIGHTED_T, PLAIN),
        columns,
        shares,
        effort.trials,
        LEVEL,
        kind="coverage",
    )
