"""A row per metric with its interval, and every two metrics with their test."""

import itertools
import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from detectable.core.choices import MetaStatistic, PairStatistic, words
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import decide
from detectable.inference.agreeing_interval import agreeing_interval
from detectable.inference.multiplicity import holm
from detectable.kernels.distributions.normal import normal_quantile
from detectable.kernels.distributions.student import t_quantile
from detectable.study.meta.draws import Swapped, Swaps, WeightSwaps, bootstrap_draws, swap_draws
from detectable.study.meta.naive import cell_swap_p, williams_p
from detectable.study.meta.pair_forms import FormSwaps, PairForms
from detectable.study.meta.result import Above, MetaRow, MetricDifference
from detectable.study.meta.segment_statistics import GroupValues, SegmentLevel
from detectable.study.meta.settings import MetaSettings
from detectable.study.meta.system_statistics import SystemLevel
from detectable.study.meta.table import MetaTable

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
        self, statistic: MetaStatistic, metric: FloatArray
    ) -> SystemLevel | SegmentLevel:
        """Return the statistic of one metric as a function of weights."""
        human, asked = self.table.human, self.asked
        if asked.level == "system":
            return SystemLevel(human, metric, statistic)
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
        made = [self.measure(statistic, self.table.metrics[name]) for name in names]
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
        swaps = [self._swapped(statistic, rows[a], rows[b]) for a, b in chosen]
        corrected = holm(np.array([one.p_value for one in swaps]))
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
                metric=first,
                other=second,
                statistic=statistic,
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

    def _swapped(self, statistic: MetaStatistic, first: MetaRow, second: MetaRow) -> Swapped:
        return swap_draws(
            self._swaps(statistic, first.metric, second.metric),
            self.cluster,
            n_resamples=self.n_resamples,
            engine=self.engine,
        )

    def _swaps(self, statistic: MetaStatistic, first: str, second: str) -> Swaps:
        raw = [self.table.metrics[name] for name in (first, second)]
        average, undefined = self.asked.average_by, self.asked.undefined or "skip"
        if average == "item" and statistic != "acc-eq":
            # Values of segments do not change with the scale, and a given ε is on the metric's own.
            values = [self.measure(statistic, metric).by_item for metric in raw]  # type: ignore[union-attr]
            return WeightSwaps(GroupValues(np.concatenate(values), undefined))
        human = np.concatenate([self.table.human, self.table.human], axis=1)
        metric = np.concatenate([_standard(values) for values in raw], axis=1)
        if self.asked.level == "system":
            return WeightSwaps(SystemLevel(human, metric, statistic))
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
