"""Approximate randomization: swap the outputs of two systems and compare again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.rng import Block, resolve
from detectable.core.same import same
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.inference.few_units import enumerable, sign_patterns
from detectable.inference.sample import Sample, same_units
from detectable.inference.standard_errors import Estimate, robust_variance
from detectable.inference.swaps import (
    ROUNDING,
    Questions,
    SwapRequest,
    Swaps,
    Tally,
    drawn_swaps,
    merge,
    patterns_within,
    tally,
)
from detectable.kernels.resample import Values, compact, half_sums, weighted_sums
from detectable.metrics.base import Metric

if TYPE_CHECKING:
    from concurrent.futures import Executor

_PLAIN = SwapRequest()
_DATA = 4.0 * float(np.finfo(np.float64).eps)  # scores are rounded before we see them
_CELLS = 1 << 18  # statistics of swapped pairs in memory at a time; does not change the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomization(Result):
    """Score differences under swaps; one row per pair, one column per metric.

    Attributes
    ----------
    differences : array of shape (pairs, metrics)
        Score of the pooled runs, system − baseline.
    p_values : array of shape (pairs, metrics)
        Two-sided, never below 1 / (n_resamples + 1).
    n_resamples : int
        Swaps other than the data themselves: drawn, or all of them if `exact`.
    swaps : Swaps
        Corrected p-values, intervals and margins; its columns are pairs × metrics.
    """

    differences: FloatArray
    p_values: FloatArray
    n_resamples: int
    exact: bool
    swaps: Swaps = field(repr=False, compare=False, metadata={"bulk": "array"})

    def __eq__(self, other: object) -> bool:
        return same(self, other)  # == of arrays is an array


class _Payload(NamedTuple):
    metrics: tuple[Metric, ...]
    values: list[Values]  # per metric: (units, systems · k)
    totals: list[FloatArray]  # per metric: (systems, k)
    system: IntArray
    baseline: IntArray
    questions: Questions


def randomization_test(
    samples: tuple[Sample, ...],
    pairs: tuple[tuple[int, int], ...],
    *,
    request: SwapRequest = _PLAIN,
    n_resamples: int = 9_999,
    rng: Seed = None,
    n_jobs: int = 1,
    executor: "Executor | None" = None,
    progress: Progress = silent,
) -> Randomization:
    r"""Test pairs of systems by swapping their outputs, unit by unit.

    If two systems do not differ, the outputs of each unit could as well have come from the
    other one. With :math:`R` random swaps of all units,

    .. math:: p = \frac{1 + \#\{r : |d_r| \ge |d|\}}{1 + R}, \qquad
              d = g\Bigl(\sum_i A_i\Bigr) - g\Bigl(\sum_i B_i\Bigr).

    Equality counts as at least as extreme, so a system compared with its copy has p = 1, and
    p is never zero [1]_. All metrics and all pairs see the same swaps, so that corrections know
    how far they depend on each other. With few units all swaps are counted instead of drawn
    (`inference.few_units`), and p is exact.

    **Ties.** Two differences are equal if they agree to 1e-10 of the score of the absolute
    statistics, for means of the mean :math:`|A_i - B_i|`, or to the rounding of the scores
    themselves. There is no absolute floor, so that p does not depend on the unit of the scores;
    nor, for means, on a constant added to all of them, because the swaps are of differences.

    **Several runs.** All runs of a unit are swapped together: the runs share their sentences,
    so they are not further independent sentences. MultEval [2]_ swaps run by run, and finds
    one run copied three times significantly different from the other system's three copies.

    Parameters
    ----------
    samples : tuple of Sample
        One per metric, over the same systems and units.
    pairs : tuple of (int, int)
        Positions of (system, baseline) in ``samples[0].systems``.
    n_resamples : int
        Number of swaps, :math:`R`, where they are drawn.
    request : SwapRequest
        What else to count. Its columns are pair · metrics + metric.

    References
    ----------
    .. [1] Phipson and Smyth (2010), "Permutation p-values should never be zero",
       Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [2] Clark, Dyer, Lavie and Smith (2011), "Better hypothesis testing for statistical
       machine translation: controlling for optimizer instability", ACL.
    """
    units = same_units(samples)
    n_resamples = check.repetitions(n_resamples, "n_resamples")
    exact = enumerable(units) and not request.draw
    n_resamples = 2 ** (units - 1) - 1 if exact else n_resamples
    generator, seed = resolve(rng)
    payload = _payload(
        samples,
        pairs,
        request,
        n_kept=patterns_within(2.0 * request.alpha, n_resamples) + 1,
    )
    if exact:
        parts = [_counted(payload, taken) for taken in sign_patterns(units)]
        counted = merge(payload.questions, parts)
        swaps = Swaps(questions=payload.questions, counted=counted, exact=True)
    else:
        swaps = drawn_swaps(
            _drawn,
            payload,
            payload.questions,
            n_resamples=n_resamples,
            levels=(2.0 * request.alpha, 2.0 * request.alpha / request.tests),
            engine=Engine(generator, seed, None, n_jobs, executor, progress),
            step="approximate randomization",
        )
    shape = len(pairs), len(samples)
    settings: dict[str, str | int | float] = {"n": units, "R": "all" if exact else n_resamples}
    return Randomization(
        differences=payload.questions.observed.reshape(shape),
        p_values=swaps.p_values().reshape(shape),
        n_resamples=n_resamples,
        exact=exact,
        swaps=swaps,
        signature=Signature("randomization", settings, None if exact else seed),
    )


def observed_differences(
    metrics: tuple[Metric, ...], totals: list[FloatArray], pairs: tuple[tuple[int, int], ...]
) -> FloatArray:
    """Return score differences system − baseline, one row per pair, one column per metric."""
    system, baseline = np.array(pairs).T
    scores = [metric.score(total) for metric, total in zip(metrics, totals, strict=True)]
    return np.stack([s[system] - s[baseline] for s in scores], axis=-1)


def _payload(
    samples: tuple[Sample, ...],
    pairs: tuple[tuple[int, int], ...],
    request: SwapRequest,
    *,
    n_kept: int,
) -> _Payload:
    system, baseline = np.array(pairs).T
    centred, slack = [], []
    for sample in samples:
        given = sample.pooled()
        tables = sample.metric.centred(given)
        data, summed = (
            _size(sample.metric, table, system, baseline) for table in (given, tables)
        )
        centred.append(tables)
        slack.append(ROUNDING * summed + _DATA * data)
    metrics = tuple(sample.metric for sample in samples)
    totals = [tables.sum(axis=1, dtype=np.float64) for tables in centred]
    size = len(pairs) * len(samples)
    questions = Questions(
        observed=observed_differences(metrics, totals, pairs).ravel(),
        slack=np.stack(slack, axis=-1).ravel(),
        scale=np.ones(size) if request.scale is None else request.scale.ravel(),
        families=request.families,
        margins=np.full(size, np.nan) if request.margins is None else request.margins.ravel(),
        n_kept=n_kept,
        strict=request.strict,
        keep_null=request.keep_null,
    )
    return _Payload(
        metrics=metrics,
        values=[compact(side_by_side(tables)) for tables in centred],
        totals=totals,
        system=system,
        baseline=baseline,
        questions=questions,
    )


def side_by_side(tables: NDArray[Any]) -> NDArray[Any]:
    """Turn (outputs, units, k) into (units, outputs · k)."""
    outputs, units, k = tables.shape
    return np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(units, outputs * k)


def _size(
    metric: Metric, tables: NDArray[Any], system: IntArray, baseline: IntArray
) -> FloatArray:
    """Return how large the summed statistics of a pair are, as a score.

    Without their signs: rounding grows with what is added up, not with the sum that is left.
    """
    scores = np.abs(metric.score(np.abs(tables).sum(axis=1, dtype=np.float64)))
    return np.fmax(scores[system], scores[baseline])


def _drawn(payload: _Payload, block: Block) -> Tally:
    """Swap at random, `block.rows` times."""
    return _swapped(payload, half_sums(payload.values, block.rows, block.rng))


def _counted(payload: _Payload, taken: NDArray[np.int64]) -> Tally:
    """Swap as the rows of `taken` say."""
    return _swapped(payload, weighted_sums(taken, payload.values))


def _swapped(payload: _Payload, halves: list[FloatArray]) -> Tally:
    """Count over swaps, given the sums over the units that change sides.

    A few swaps at a time: the statistics of all pairs of forty systems, scored for a thousand swaps
    at once, would fill a gigabyte, and wait for memory more than they compute.
    """
    rows, n_pairs = len(halves[0]), payload.system.size
    step = max(1, _CELLS // (n_pairs * max(total.shape[1] for total in payload.totals)))
    parts = [
        _few_swapped(payload, [half[start : start + step] for half in halves])
        for start in range(0, rows, step)
    ]
    return parts[0] if len(parts) == 1 else merge(payload.questions, parts)


def _few_swapped(payload: _Payload, halves: list[FloatArray]) -> Tally:
    """Score swaps and count over them.

    A swapped system is its own rest and the other system's half. The scores of halves and rests
    are those of systems, not of pairs, so that intervals cost next to nothing.
    """
    whole: list[FloatArray] = []
    inside: list[FloatArray] = []
    outside: list[FloatArray] = []
    system, baseline = payload.system, payload.baseline
    for metric, half, total in zip(payload.metrics, halves, payload.totals, strict=True):
        # Statistics lie before swaps and systems in memory, as scores read them: one by one.
        own = np.ascontiguousarray(half.reshape(len(half), *total.shape).transpose(2, 0, 1))
        rest = total.T[:, None] - own
        first = own[..., baseline] + rest[..., system]
        second = own[..., system] + rest[..., baseline]
        whole.append(_scores(metric, first) - _scores(metric, second))
        for sums, found in ((own, inside), (rest, outside)):
            taken = np.any(sums, axis=(0, 2))[:, None]  # any unit on this side
            scores = np.where(taken, _scores(metric, sums), np.nan)
            found.append(scores[:, system] - scores[:, baseline])
    rows = len(whole[0])
    columns = [np.stack(part, axis=-1).reshape(rows, -1) for part in (whole, inside, outside)]
    return tally(payload.questions, columns[0], (columns[1], columns[2]))


def _scores(metric: Metric, sums: FloatArray) -> FloatArray:
    """Return the scores of sums with their statistics on the first axis."""
    return metric.score(np.moveaxis(sums, 0, -1))


# --- What each unit adds to a difference of two systems, whatever the metric ---
#
# For a mean, unit g adds :math:`D_g`, its sum of differences over n. For any other score of sums,
# with :math:`\psi_g` the influence of the unit on the difference d and :math:`h_g` its share of the
# reference words, it adds :math:`D_g = \psi_g + h_g d`. All formulas for means then hold: the parts
# add up to d, and swapping units changes the signs of their parts.

# Where units differ by the same amount but for rounding, a t test would take the rounding for their
# spread, and be certain. Influences are known to about 1e-10, scores to their own rounding.
_SAME = 1e-9


class SwapParts(NamedTuple):
    """A difference, what each unit adds to it, and the share of each unit.

    Attributes
    ----------
    value : float
        The difference.
    parts, shares : array of shape (units,)
        They add up to `value` and to 1.
    """

    value: float
    parts: FloatArray
    shares: FloatArray

    @property
    def scale(self) -> float:
        """The root of the sum of squares, which no swap changes."""
        return math.sqrt(float(np.square(self.parts).sum()))

    @property
    def differing(self) -> FloatArray:
        """What units add in which the systems differ: swapping the others changes nothing."""
        sizes = np.abs(self.parts)
        found: FloatArray = self.parts[sizes > _SAME * sizes.max(initial=0.0)]
        return found

    @property
    def n_differing(self) -> int:
        """Units in which the systems differ."""
        return self.differing.size

    def estimate(self) -> Estimate:
        """Return the difference with its CR2 standard error and degrees of freedom."""
        if self.parts.size < 2:
            return Estimate(self.value, math.nan, math.nan)
        variance, df = robust_variance(self.parts - self.shares * self.value, self.shares)
        return Estimate(self.value, math.sqrt(float(variance)), float(df))

    def without_unit(self, unit: int) -> "SwapParts":
        """Return the same without one unit: the others count for more."""
        rest = 1.0 - self.shares[unit]
        parts, shares = (np.delete(x, unit) / rest for x in (self.parts, self.shares))
        return SwapParts(float(parts.sum()), parts, shares)

    def left_out(self) -> FloatArray:
        """Return the difference without each unit."""
        with np.errstate(divide="ignore", invalid="ignore"):  # a unit may be all there is
            found: FloatArray = (self.value - self.parts) / (1.0 - self.shares)
        return found

    def interval(self, critical: float, level: float) -> Interval:
        r"""Return all values that the statistic T would not reject at a critical value c.

        .. math:: (d - \theta)^2 < c^2 \sum_g (D_g - \theta h_g)^2

        a quadratic in :math:`\theta`. With equal shares it is :math:`d \pm t_c\, s`, where
        :math:`t_c = c \sqrt{(G - 1) / (G - c^2)}`. It is unbounded where
        :math:`c^2 \sum_g h_g^2 \ge 1`.
        """
        square = critical**2
        a = 1.0 - square * float(np.square(self.shares).sum())
        if not a > 0.0:
            return Interval(-math.inf, math.inf, level)
        b = self.value - square * float((self.parts * self.shares).sum())
        c = self.value**2 - square * float(np.square(self.parts).sum())
        root = math.sqrt(max(0.0, b * b - a * c))
        return Interval((b - root) / a, (b + root) / a, level)


@dataclass(frozen=True, slots=True)
class PairParts(Sequence[SwapParts]):
    """The parts of the differences of pairs of systems, each made when it is asked for.

    The parts of all pairs of fifty systems under three metrics would fill a gigabyte; those of the
    systems are few, and every pair is made of two.

    Attributes
    ----------
    pairs : sequence of (int, int)
    influence, shares : mapping of int to array of shape (units,)
        Of each system: what its units add to its score, without their shares of it, and these.
    score : mapping of int to float
    alike : tuple of bool
        Of each pair: whether all units differ by the same amount, but for rounding.
    """

    pairs: Sequence[tuple[int, int]]
    influence: Mapping[int, FloatArray]
    shares: Mapping[int, FloatArray]
    score: Mapping[int, float]
    alike: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, place: int) -> SwapParts: ...

    @overload
    def __getitem__(self, place: slice) -> list[SwapParts]: ...

    def __getitem__(self, place: int | slice) -> SwapParts | list[SwapParts]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        system, baseline = self.pairs[place]
        share = 0.5 * (self.shares[system] + self.shares[baseline])
        value = self.score[system] - self.score[baseline]
        if self.alike[place]:
            return SwapParts(value, share * value, share)
        influences = self.influence[system] - self.influence[baseline]
        return SwapParts(value, influences + share * value, share)

    def of_systems(self) -> tuple[FloatArray, FloatArray]:
        """Return all parts as a product: (units, columns) of systems, (columns, pairs)."""
        at = {system: k for k, system in enumerate(self.influence)}
        shares = list(self.shares.values())
        if all(np.array_equal(share, shares[0]) for share in shares):  # as those of means are
            shares = shares[:1]
        mix = np.zeros((len(at) + len(shares), len(self)))
        for place, pair in enumerate(self.pairs):
            value = self.score[pair[0]] - self.score[pair[1]]
            for system, sign in zip(pair, (1.0, -1.0), strict=True):
                mix[at[system], place] = 0.0 if self.alike[place] else sign
                mix[len(at) + min(at[system], len(shares) - 1), place] += 0.5 * value
        return np.stack([*self.influence.values(), *shares], axis=1), mix


@dataclass(frozen=True, slots=True)
class MetricParts(Sequence[list[SwapParts]]):
    """The same by pair and metric: ``parts[pair][metric]``."""

    metrics: tuple[PairParts, ...]

    def __len__(self) -> int:
        return len(self.metrics[0])

    @overload
    def __getitem__(self, place: int) -> list[SwapParts]: ...

    @overload
    def __getitem__(self, place: slice) -> list[list[SwapParts]]: ...

    def __getitem__(self, place: int | slice) -> list[SwapParts] | list[list[SwapParts]]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return [parts[place] for parts in self.metrics]

    def of(self, columns: IntArray) -> Iterator[SwapParts]:
        """Yield those of some columns, which are pair · metrics + metric."""
        for pair, metric in zip(*np.divmod(columns, len(self.metrics)), strict=True):
            yield self.metrics[metric][pair]

    def of_systems(self, columns: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the same as a product; see `PairParts.of_systems`."""
        pairs, metrics = np.divmod(columns, len(self.metrics))
        values, mixes = [], []
        for metric in np.unique(metrics).tolist():
            value, mix = self.metrics[metric].of_systems()
            values.append(value)
            mixes.append(np.where(metrics == metric, mix[:, pairs], 0.0))
        return np.concatenate(values, axis=1), np.concatenate(mixes)


def swap_parts(sample: Sample, pairs: Sequence[tuple[int, int]]) -> PairParts:
    """Return the parts of the difference of mean scores over runs, for pairs of systems."""
    used = sorted({system for pair in pairs for system in pair})
    influence = {s: sample.influence(s).mean(axis=0) for s in used}
    score = {s: sample.score(s) for s in used}
    alike = []
    for system, baseline in pairs:
        influences = influence[system] - influence[baseline]
        size = max(abs(score[system]), abs(score[baseline]))
        least = _SAME * abs(score[system] - score[baseline]) + _DATA * size
        alike.append(float(np.square(influences).sum()) ** 0.5 <= least)
    shares = {s: sample.shares(s) for s in used}
    return PairParts(pairs, influence, shares, score, tuple(alike))
