"""A row per metric with its interval, every two metrics with their test, and what usual tests say."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.contrast import Family
from detectable.core.choices import MetaStatistic, PairStatistic, words
from detectable.core.execute import Engine, run_blocks
from detectable.core.interval import Interval
from detectable.core.rng import BLOCK, Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import decide
from detectable.inference.correlation import pearson, williams
from detectable.inference.few_units import enumerable, sign_patterns
from detectable.inference.standard_errors import agreeing_interval
from detectable.kernels.distributions import normal_quantile, t_quantile
from detectable.study.meta.result import Above, MetaRow, MetricDifference
from detectable.study.meta.settings import MetaSettings
from detectable.study.meta.statistics import (
    FormSwaps,
    GroupSums,
    PairForms,
    PairPValues,
    SegmentLevel,
    SumSwaps,
    SystemLevel,
    SystemSums,
)
from detectable.study.meta.table import MetaTable

_CELLS = 8_000_000  # weights that lie in memory at once
_DRAW_ROUNDING = 1e-10  # statistics this close are equal


class Weighted(Protocol):
    """A statistic of weighted segments and systems."""

    def values(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return it for every row of weights."""

    def floors(self, items: FloatArray, systems: FloatArray | None = None) -> FloatArray:
        """Return the score of an uninformative metric."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    statistics: tuple[Weighted, ...]
    cluster: IntArray  # of each segment
    n_clusters: int
    n_systems: int  # 0: systems are not drawn


def bootstrap_draws(
    statistics: Sequence[Weighted],
    cluster: IntArray,
    *,
    n_systems: int,
    n_resamples: int,
    engine: Engine,
) -> FloatArray:
    """Return values and floors of statistics over draws with replacement: (resamples, 2, k).

    All statistics see the same draws. Where systems are drawn too, an output counts the product of
    both weights, which errs on the safe side.

    References
    ----------
    Owen (2007), "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 386–411.
    """
    payload = _Drawn(tuple(statistics), cluster, int(cluster.max()) + 1, n_systems)
    work = blocks(n_resamples, engine.rng)
    found = run_blocks(
        _bootstrap,
        payload,
        work,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
        step="bootstrap",
    )
    return np.concatenate(found)


def _bootstrap(payload: _Drawn, block: Block) -> FloatArray:
    # A generator for each of the two, so that the answer does not depend on the batches.
    of_items, of_systems = block.rng.spawn(2)
    n, step = payload.n_clusters, max(1, _CELLS // payload.cluster.size)
    found = np.empty((block.rows, 2, len(payload.statistics)))
    for start in range(0, block.rows, step):
        rows = min(step, block.rows - start)
        items = _counts(rows, n, of_items)[:, payload.cluster]
        drawn = _counts(rows, payload.n_systems, of_systems) if payload.n_systems else None
        for k, statistic in enumerate(payload.statistics):
            found[start : start + rows, 0, k] = statistic.values(items, drawn)
            found[start : start + rows, 1, k] = statistic.floors(items, drawn)
    return found


def _counts(rows: int, n: int, rng: np.random.Generator) -> FloatArray:
    """Return how often each of n was drawn, n draws in every row."""
    drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Swapped:
    """The difference of two metrics under swaps of whole segments or documents."""

    observed: float
    null: FloatArray
    exact: bool  # all patterns were counted; otherwise drawn

    @property
    def p_value(self) -> float:
        """Two-sided, (1 + c)/(1 + R); the data are one of the patterns."""
        known = self.null[np.isfinite(self.null)]
        room = _DRAW_ROUNDING * max(1.0, abs(self.observed))
        extreme = int((np.abs(known) >= abs(self.observed) - room).sum())
        return (1.0 + extreme) / (1.0 + known.size)

    @property
    def standard_error(self) -> float:
        """Of the difference if the metrics are equally good."""
        return float(np.sqrt(np.nanmean(np.square(self.null)))) if self.null.size else np.nan


class Swaps(Protocol):
    """Pairs of metrics, standardised, whose segments can be swapped."""

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the differences of their statistics, (rows, pairs), for segments swapped (1)."""


@dataclass(frozen=True, slots=True)
class WeightSwaps:
    """Swaps as weights of 0 and 1 on all segments twice: of the first metric, and of the second."""

    both: Weighted

    def swapped(self, taken: FloatArray) -> FloatArray:
        """Return the first metric's statistic less the second's: (rows, 1)."""
        kept = 1.0 - taken
        first = self.both.values(np.concatenate([kept, taken], axis=1))
        second = self.both.values(np.concatenate([taken, kept], axis=1))
        return (first - second)[:, None]


@dataclass(frozen=True, slots=True)
class _Swapping:
    metrics: Swaps
    cluster: IntArray
    n_clusters: int


def swap_draws(
    metrics: Swaps, cluster: IntArray, *, n_resamples: int, engine: Engine
) -> list[Swapped]:
    """Swap what two metrics gave whole clusters of segments, all systems at once.

    Every pair sees the same swaps.

    If the metrics are equally good, either could have given the scores of a segment. Scores of
    different systems for one segment belong together: swapping them one by one, as PERM-BOTH does,
    takes what two metrics share about a segment for agreement of many, and finds differences
    between equal metrics in 30% of cases at .05.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics
    using resampling methods", TACL 9, arXiv:2104.00054 (PERM-BOTH, swaps by cells).
    """
    n_clusters = int(cluster.max()) + 1
    payload = _Swapping(metrics, cluster, n_clusters)
    observed = _differences(payload, np.zeros((1, n_clusters), np.int64))[0].tolist()
    exact = enumerable(n_clusters)
    found = (
        [_differences(payload, taken) for taken in sign_patterns(n_clusters)]
        if exact
        else run_blocks(
            _swap,
            payload,
            blocks(n_resamples, engine.rng),
            n_jobs=engine.n_jobs,
            executor=engine.executor,
            progress=engine.progress,
            step="swaps",
        )
    )
    null = np.concatenate(found).T.copy()
    return [Swapped(one, own, exact=exact) for one, own in zip(observed, null, strict=True)]


def _swap(payload: _Swapping, block: Block) -> FloatArray:
    found = []
    step = max(1, _CELLS // payload.cluster.size)
    if isinstance(payload.metrics, SumSwaps):
        step = min(step, payload.metrics.most_rows)
    for start in range(0, block.rows, step):
        rows = min(step, block.rows - start)
        taken = block.rng.integers(0, 2, (rows, payload.n_clusters))
        found.append(_differences(payload, taken))
    return np.concatenate(found)


def _differences(payload: _Swapping, taken: IntArray) -> FloatArray:
    return payload.metrics.swapped(taken[:, payload.cluster].astype(np.float64))


# --- A row per metric with its interval, and every two metrics with their test ---

_POWER = 0.8
_ROUNDING = 1e-9  # what is this small is rounding: a height above the floor, a standard error
_NO_VALUE = 0.1  # share of draws without a value from which there is no interval


@dataclass(frozen=True, slots=True)
class Measuring:
    """The data, the question and where random numbers come from."""

    table: MetaTable
    asked: MetaSettings
    cluster: IntArray
    alpha: float
    n_resamples: int
    engine: Engine
    halves: NDArray[np.bool_] | None

    @property
    def n_clusters(self) -> int:
        """How many segments or documents are drawn."""
        return int(self.cluster.max()) + 1

    @property
    def df(self) -> int:
        """Degrees of freedom of intervals: of the fewer, where systems are drawn too."""
        systems = len(self.table.systems) - 1
        return (
            min(self.n_clusters - 1, systems)
            if self.asked.draw_systems
            else self.n_clusters - 1
        )

    def measure(
        self, statistic: MetaStatistic, metric: FloatArray, people: PairPValues | None = None
    ) -> SystemLevel | SegmentLevel:
        """Return the statistic of one metric as a function of weights."""
        human, asked = self.table.human, self.asked
        if asked.level == "system":
            return SystemLevel(human, metric, statistic, people)
        given = asked.epsilon if isinstance(asked.epsilon, float) else 0.0
        return SegmentLevel(
            human,
            metric,
            statistic,
            asked.average_by or "item",
            asked.undefined or "skip",
            given,
            self.halves if statistic == "acc-eq" else None,
        )

    def rows(self, statistic: MetaStatistic) -> tuple[list[MetaRow], FloatArray]:
        """Return a row per metric, and the draws: (resamples, 2, metrics)."""
        names = list(self.table.metrics)
        people = PairPValues(self.table.human)
        made = [self.measure(statistic, self.table.metrics[name], people) for name in names]
        draws = bootstrap_draws(
            made,
            self.cluster,
            n_systems=len(self.table.systems) if self.asked.draw_systems else 0,
            n_resamples=self.n_resamples,
            engine=self.engine,
        )
        found = [
            self._row(name, statistic, one, draws[:, :, k])
            for k, (name, one) in enumerate(zip(names, made, strict=True))
        ]
        return found, draws

    def _row(
        self,
        name: str,
        statistic: MetaStatistic,
        measure: SystemLevel | SegmentLevel,
        draws: FloatArray,
    ) -> MetaRow:
        ones = np.ones((1, self.cluster.size))
        value, floor = float(measure.values(ones)[0]), float(measure.floors(ones)[0])
        if isinstance(measure, SegmentLevel) and statistic == "acc-eq" and self.halves is None:
            value = measure.calibration.best()[0]  # over all thresholds, not those of the draws
        if self.asked.pair_p == "permutation" and isinstance(measure, SystemLevel):
            value = measure.permuted(self.n_resamples, self.engine.rng)
        groups, lost = (1, 0) if isinstance(measure, SystemLevel) else measure.groups()
        excess = self.error(draws[:, 0] - draws[:, 1])
        return MetaRow(
            metric=name,
            statistic=statistic,
            level=self.asked.level,
            value=value,
            interval=self.interval(value, draws[:, 0], _range(statistic)),
            floor=floor,
            above_floor=_above(value - floor, excess * self._quantile()),
            epsilon=self._epsilon(measure, statistic),
            n_groups=groups,
            n_undefined=lost,
            negated=name in self.table.turned,
        )

    def _epsilon(
        self, measure: SystemLevel | SegmentLevel, statistic: MetaStatistic
    ) -> float | None:
        if isinstance(measure, SystemLevel) or statistic not in ("acc-eq", "acc23", "tau23"):
            return None
        if statistic != "acc-eq":
            return measure.epsilon
        return None if self.halves is not None else measure.calibration.best()[1]

    def _quantile(self) -> float:
        return t_quantile(1.0 - self.alpha / 2.0, self.df) if self.df > 0 else math.nan

    def error(self, draws: FloatArray) -> float:
        """Return the standard error; draws of few clusters spread too little by (C − 1)/C."""
        known = draws[np.isfinite(draws)]
        if known.size < (1.0 - _NO_VALUE) * draws.size or self.df < 1:
            return math.nan
        return float(known.std(ddof=1)) * math.sqrt(self.n_clusters / (self.n_clusters - 1))

    def interval(
        self, value: float, draws: FloatArray, limits: tuple[float, float]
    ) -> Interval | None:
        """Return the value ± t standard errors of the bootstrap, within what is possible."""
        half = self._quantile() * self.error(draws)
        if math.isnan(value + half):
            return None
        low, high = max(limits[0], value - half), min(limits[1], value + half)
        return Interval(low, high, 1.0 - self.alpha)

    def pairs(
        self,
        statistic: MetaStatistic,
        rows: list[MetaRow],
        draws: FloatArray,
        baseline: str | None,
    ) -> list[tuple[MetricDifference, Swapped]]:
        """Test every two metrics, or all against one."""
        chosen = [
            (a, b)
            for a, b in itertools.combinations(range(len(rows)), 2)
            if baseline is None or baseline in (rows[a].metric, rows[b].metric)
            if not math.isnan(rows[a].value + rows[b].value)
        ]
        if not chosen:
            return []
        swaps = self._swapped(statistic, [row.metric for row in rows], chosen)
        family = Family(alpha=self.alpha)
        corrected = family.adjusted(np.array([one.p_value for one in swaps]))
        level = self.alpha / (2.0 * len(chosen))
        factor = normal_quantile(1.0 - level) + normal_quantile(_POWER)
        found = []
        for (a, b), one, p in zip(chosen, swaps, corrected.tolist(), strict=True):
            first, second = rows[a].metric, rows[b].metric
            difference = rows[a].value - rows[b].value
            ends = self.interval(difference, draws[:, 0, a] - draws[:, 0, b], (-2.0, 2.0))
            if ends is not None:
                ends = agreeing_interval(ends, difference, rejected=p <= self.alpha)
            naive = self._naive(statistic, first, second)
            row = MetricDifference(
                system=first,
                baseline=second,
                measure=statistic,
                difference=difference,
                interval=ends,
                p_value=one.p_value,
                p_adjusted=p,
                verdict=decide(difference, p=p, alpha=self.alpha),
                mde=factor * one.standard_error
                if one.standard_error > _ROUNDING
                else math.nan,  # swaps that change nothing show no difference
                p_cells=naive[0],
                p_williams=naive[1],
            )
            found.append((row, one))
        return found

    def _swapped(
        self, statistic: MetaStatistic, names: list[str], chosen: list[tuple[int, int]]
    ) -> list[Swapped]:
        return [
            one
            for swaps in self._swaps(statistic, names, chosen)
            for one in swap_draws(
                swaps, self.cluster, n_resamples=self.n_resamples, engine=self.engine
            )
        ]

    def _swaps(
        self, statistic: MetaStatistic, names: list[str], chosen: list[tuple[int, int]]
    ) -> Iterator[Swaps]:
        """Give the swaps of all pairs together, where there are such sums, else pair by pair."""
        shared = self._sums(statistic, names, chosen)
        if shared is not None:
            yield shared
            return
        for a, b in chosen:
            yield self._of_two(statistic, names[a], names[b])

    def _sums(
        self, statistic: MetaStatistic, names: list[str], chosen: list[tuple[int, int]]
    ) -> SumSwaps | None:
        """Return all pairs at once, where the statistic follows from sums over segments."""
        raw = [self.table.metrics[name] for name in names]
        if self.asked.level == "system":
            of = SystemSums.of(self.table.human, statistic)
            return SumSwaps(of, tuple(_standard(values) for values in raw), tuple(chosen))
        if self.asked.average_by != "item" or statistic == "acc-eq":
            return None
        # Values of segments do not change with the scale, and a given ε is on the metric's own.
        values = [self.measure(statistic, metric).by_item for metric in raw]  # type: ignore[union-attr]
        of_groups = GroupSums(self.asked.undefined or "skip")
        return SumSwaps(of_groups, tuple(values), tuple(chosen))

    def _of_two(self, statistic: MetaStatistic, first: str, second: str) -> Swaps:
        raw = [self.table.metrics[name] for name in (first, second)]
        average, undefined = self.asked.average_by, self.asked.undefined or "skip"
        human = np.concatenate([self.table.human, self.table.human], axis=1)
        metric = np.concatenate([_standard(values) for values in raw], axis=1)
        if average != "item" and statistic in words(PairStatistic):
            pairs = cast("PairStatistic", statistic)
            rows = (
                [slice(None)]
                if average == "none"
                else [slice(s, s + 1) for s in range(len(human))]
            )
            forms = tuple(PairForms.of(human[row], metric[row], pairs) for row in rows)
            return FormSwaps(forms, undefined == "zero")
        halves = None if self.halves is None else np.tile(self.halves, 2)
        return WeightSwaps(
            SegmentLevel(human, metric, statistic, average or "item", undefined, halves=halves)
        )

    def _naive(self, statistic: MetaStatistic, first: str, second: str) -> tuple[float, float]:
        if statistic != "pearson" or self.asked.average_by != "none":
            return math.nan, math.nan
        known = np.isfinite(self.table.human)
        human, one, other = (
            values[known]
            for values in (
                self.table.human,
                self.table.metrics[first],
                self.table.metrics[second],
            )
        )
        [child] = self.engine.rng.spawn(1)
        p = cell_swap_p(human, one, other, n_resamples=self.n_resamples, rng=child)
        return p, williams_p(human, one, other)


def _range(statistic: MetaStatistic) -> tuple[float, float]:
    accuracy = statistic in ("spa", "pairwise-accuracy", "acc23", "acc-eq")
    return (0.0, 1.0) if accuracy else (-1.0, 1.0)


def _above(excess: float, half: float) -> Above:
    if not excess > _ROUNDING:  # NaN is not above either
        return "no"
    return "yes" if excess - half > 0.0 else "undecided"


def _standard(metric: FloatArray) -> FloatArray:
    known = metric[np.isfinite(metric)]
    spread = float(known.std())
    scaled: FloatArray = (metric - known.mean()) / (spread if spread > 0.0 else 1.0)
    return scaled


# --- What the usual tests between two metrics would have said, for the correlation of all outputs ---

_NAIVE_CELLS = 4_000_000
_NAIVE_ROUNDING = 1e-10


def cell_swap_p(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Return PERM-BOTH's p-value, two-sided: every output is swapped by itself.

    Outputs of systems for one segment are not independent of each other, so it is far too small:
    see `swap_draws`.

    Parameters
    ----------
    human, first, second : vectors
        Of all outputs.
    """
    h, x, y = (_standard_scores(values) for values in (human, first, second))
    parts = np.stack([x, x * x, h * x], axis=1), np.stack([y, y * y, h * y], axis=1)
    start, step = [part.sum(axis=0) for part in parts], parts[1] - parts[0]
    observed = float(pearson(h, x) - pearson(h, y))
    extreme, room = 0, _NAIVE_ROUNDING * max(1.0, abs(observed))
    rows = max(1, min(BLOCK, _NAIVE_CELLS // h.size))
    for begin in range(0, n_resamples, rows):
        n = min(rows, n_resamples - begin)
        moved = rng.integers(0, 2, (n, h.size)).astype(np.float64) @ step
        gap = _correlation(start[0] + moved, h.size) - _correlation(start[1] - moved, h.size)
        extreme += int((np.abs(gap) >= abs(observed) - room).sum())
    return (1.0 + extreme) / (1.0 + n_resamples)


def williams_p(human: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Return Williams' p-value, two-sided, with all outputs as independent."""
    r = [float(pearson(a, b)) for a, b in ((first, human), (second, human), (first, second))]
    one = williams(r[0], r[1], r[2], human.size)
    return 2.0 * min(one, 1.0 - one)


def _standard_scores(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean()
    spread = float(centred.std())
    return centred / spread if spread > 0.0 else centred


def _correlation(sums: FloatArray, n: int) -> FloatArray:
    """Return the correlation with standardised human scores from sums of m, m² and hm."""
    m, mm, hm = sums.T
    spread = np.sqrt(np.maximum(mm / n - np.square(m / n), 1e-300))
    found: FloatArray = hm / n / spread
    return found
