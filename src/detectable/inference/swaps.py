"""Run the swaps of a test block by block, and keep no more of them than is asked for.

A test that Holm corrects for 561 pairs draws 561,000 swaps. Its corrected intervals need the 50 most
extreme ends of each pair among all of them; the interval of one pair by itself needs the 500 most
extreme of ten thousand. So the first ten thousand keep what a single pair needs, and the others
only what the correction does.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from detectable.core.execute import Engine, run_blocks
from detectable.core.interval import Interval
from detectable.core.result import ADDED
from detectable.core.rng import BLOCK, Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.resample import step_down

ROUNDING = 1e-10  # differences that agree to this share of what is summed are ties
_WHOLE = 1e-9  # of a product that is whole but for rounding


def patterns_within(alpha: float, n_resamples: int) -> int:
    """Return how many of R + 1 patterns a test at a level rejects: k = ⌊α (R + 1)⌋.

    Examples
    --------
    >>> patterns_within(0.05, 9_999), patterns_within(0.05, 18)
    (500, 0)
    """
    return math.floor(alpha * (n_resamples + 1.0) + _WHOLE)


class SwapRequest(NamedTuple):
    """What a test by swaps should count beside the p-value of every pair.

    Attributes
    ----------
    alpha : float
        Intervals can be asked for at up to twice this level.
    tests : int
        Intervals are asked for at this level, and at its share of so many tests.
    families : tuple of array of int
        Columns that are corrected together by max-T.
    scale : array or None
        What max-T divides the difference of each column by; see `inference.randomization`.
    margins : array or None
        Also test differences against ± these; NaN where there is none.
    draw : bool
        Draw swaps even where all could be counted.
    strict : bool
        Count a tie as less extreme, as other tools do; for the p-values of pairs only.
    keep_null : bool
        Keep all differences under swaps, for rules of other tools.
    """

    alpha: float = 0.05
    tests: int = 1
    families: tuple[IntArray, ...] = ()
    scale: FloatArray | None = None
    margins: FloatArray | None = None
    draw: bool = False
    strict: bool = False
    keep_null: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What to count; all of it is known before the first swap.

    Attributes
    ----------
    observed, slack : array of shape (columns,)
        Differences, and from where on two of them are ties.
    scale : array of shape (columns,)
        What T is divided by; 0 where nothing differs.
    families : tuple of array of int
        Columns that are corrected together.
    margins : array of shape (columns,)
        NaN where there is none.
    n_kept : int
        Ends of half-sample intervals to keep, on either side.
    strict : bool
        Whether a tie is less extreme.
    keep_null : bool
        Whether to return every difference.
    """

    observed: FloatArray
    slack: FloatArray
    scale: FloatArray
    families: tuple[IntArray, ...]
    margins: FloatArray
    n_kept: int
    strict: bool = False
    keep_null: bool = False

    @property
    def of_halves(self) -> bool:
        """Whether intervals or margins are asked for, which are counted from halves."""
        return self.n_kept > 0 or bool(np.isfinite(self.margins).any())

    def beyond(self, differences: FloatArray) -> IntArray:
        """Count the differences that are at least as extreme as those observed."""
        sizes, observed = np.abs(differences), np.abs(self.observed)
        extreme = sizes > observed if self.strict else sizes >= observed - self.slack
        counts: IntArray = extreme.sum(axis=0)
        return counts

    def statistic(self, differences: FloatArray) -> FloatArray:
        """Return |T|; 0 where nothing differs."""
        known = self.scale > 0.0
        return np.where(known, np.abs(differences) / np.where(known, self.scale, 1.0), 0.0)

    def order(self, family: IntArray) -> IntArray:
        """Return the columns of a family from the most to the least extreme."""
        ordered: IntArray = family[
            np.argsort(-self.statistic(self.observed)[family], kind="stable")
        ]
        return ordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over some swaps; `merge` adds two of them up."""

    rows: int
    extreme: IntArray
    stepped: tuple[IntArray, ...]  # by family, in its order
    largest: FloatArray  # (rows, families)
    lowest: FloatArray  # (kept, columns): the smallest L
    highest: FloatArray  # the largest U
    # Halves, swapped ones and the others alike, that are at most −margin and at least +margin. Files
    # of earlier versions count a pattern once, which is the same unless the difference is beyond.
    below: IntArray
    above: IntArray
    null: FloatArray | None = field(metadata={"draws": True})
    # Those that are at least −margin and at most +margin.
    above_low: IntArray | None = field(default=None, metadata=ADDED)
    below_high: IntArray | None = field(default=None, metadata=ADDED)


Joint = tuple[tuple[IntArray, ...], FloatArray]  # see `Tally`: stepped, largest


def joint(questions: Questions, differences: FloatArray) -> Joint:
    """Count what all columns of a family are needed for: how far the largest statistic reaches."""
    stepped, largest = [], np.zeros((len(differences), len(questions.families)))
    if not questions.families:
        return (), largest
    observed = questions.statistic(questions.observed)
    known = questions.scale > 0.0
    room = np.where(known, questions.slack / np.where(known, questions.scale, 1.0), 0.0)
    for f, family in enumerate(questions.families):
        order = questions.order(family)
        counts, largest[:, f] = step_down(
            differences, order, questions.scale[order], (observed - room)[order]
        )
        stepped.append(counts)
    return tuple(stepped), largest


def tally(
    questions: Questions,
    differences: FloatArray,
    halves: tuple[FloatArray, FloatArray] | None = None,
) -> Tally:
    """Count over the swaps of one block.

    Parameters
    ----------
    differences : array of shape (rows, columns)
    halves : two arrays of shape (rows, columns), optional
        Differences on the swapped units and on the others; not a number where there is none. Only
        where `Questions.of_halves`.
    """
    stepped, largest = joint(questions, differences)
    extreme = questions.beyond(differences)
    if halves is None:
        none, no_ends = np.zeros_like(extreme), np.zeros((0, extreme.size))
        return Tally(
            rows=len(differences),
            extreme=extreme,
            stepped=stepped,
            largest=largest,
            lowest=no_ends,
            highest=no_ends,
            below=none,
            above=none,
            null=differences if questions.keep_null else None,
            above_low=none,
            below_high=none,
        )
    low, high = _ends(*halves)
    margins, slack = questions.margins, questions.slack

    def count(sign: float, bound: FloatArray) -> IntArray:
        """Count the halves on one side of a bound; one without units may lie anywhere."""
        found: IntArray = sum(  # a comparison with no margin is false
            ((sign * half <= sign * bound + slack) | np.isnan(half)).sum(axis=0)
            for half in halves
        )
        return found

    return Tally(
        rows=len(differences),
        extreme=extreme,
        stepped=stepped,
        largest=largest,
        lowest=_fewer(low, questions.n_kept),
        highest=-_fewer(-high, questions.n_kept),
        below=count(1.0, -margins),
        above=count(-1.0, margins),
        null=differences if questions.keep_null else None,
        above_low=count(-1.0, -margins),
        below_high=count(1.0, margins),
    )


def _ends(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper difference of two halves; an empty half says nothing."""
    unknown = np.isnan(first) | np.isnan(second)
    low = np.where(unknown, -np.inf, np.minimum(first, second))
    return low, np.where(unknown, np.inf, np.maximum(first, second))


def _fewer(values: FloatArray, k: int) -> FloatArray:
    """Return at least the k smallest of each column: cut only where most of them go."""
    return values if len(values) < 2 * k else _smallest(values, k)


def _smallest(values: FloatArray, k: int) -> FloatArray:
    """Return the k smallest of each column, in any order; all, where there are fewer."""
    if k >= len(values):
        return values
    kept: FloatArray = np.partition(values, k, axis=0)[:k].copy()
    return kept


def merge(questions: Questions, parts: Sequence[Tally]) -> Tally:
    """Add up the counts of several blocks."""
    kept = questions.n_kept
    nulls = [part.null for part in parts if part.null is not None]
    return Tally(
        rows=sum(part.rows for part in parts),
        extreme=np.sum([part.extreme for part in parts], axis=0),
        stepped=tuple(
            np.sum([part.stepped[f] for part in parts], axis=0)
            for f in range(len(questions.families))
        ),
        largest=np.concatenate([part.largest for part in parts]),
        lowest=_smallest(np.concatenate([part.lowest for part in parts]), kept),
        highest=-_smallest(np.concatenate([-part.highest for part in parts]), kept),
        below=np.sum([part.below for part in parts], axis=0),
        above=np.sum([part.above for part in parts], axis=0),
        above_low=_added_up([part.above_low for part in parts]),
        below_high=_added_up([part.below_high for part in parts]),
        null=np.concatenate(nulls) if nulls else None,
    )


def _added_up(counts: Sequence[IntArray | None]) -> IntArray | None:
    known = [one for one in counts if one is not None]
    return np.sum(known, axis=0) if len(known) == len(counts) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """All that the swaps of a test have shown; columns in the order of `questions`.

    Attributes
    ----------
    counted : Tally
        Over all swaps but the observed pattern.
    exact : bool
        Whether these are all there are.
    first : Tally or None
        Over the first ten thousand, where there are far more: for intervals of one pair by itself,
        which need no more. Their ends among half a million swaps of 561 pairs would not fit into
        memory.
    """

    questions: Questions
    counted: Tally
    exact: bool
    first: Tally | None = None

    @property
    def n_resamples(self) -> int:
        """Swaps other than the observed pattern."""
        return self.counted.rows

    def null(self) -> FloatArray:
        """Return all differences under swaps, (swaps, columns), if they were kept."""
        if self.counted.null is None:
            raise ValueError("the differences under swaps were not kept")
        return self.counted.null

    def p_values(self) -> FloatArray:
        """Return the two-sided p-value of every column by itself."""
        return (self.counted.extreme.astype(np.float64) + 1.0) / (self.n_resamples + 1.0)

    def p_max_t(self) -> FloatArray:
        """Return step-down max-T adjusted p-values; not a number for columns of no family."""
        adjusted = np.full(self.questions.observed.size, np.nan)
        for family, stepped in zip(self.questions.families, self.counted.stepped, strict=True):
            p = (stepped + 1.0) / (self.n_resamples + 1.0)
            adjusted[self.questions.order(family)] = np.maximum.accumulate(p)
        return adjusted

    def critical(self, family: int, alpha: float) -> float:
        """Return the largest T of a family that α of all patterns reach; infinite if none may."""
        k = patterns_within(alpha, self.n_resamples)
        if k == 0:
            return math.inf
        columns = self.questions.families[family]
        own = self.questions.statistic(self.questions.observed)[columns].max()
        every = np.append(self.counted.largest[:, family], own)
        return float(np.partition(every, every.size - k)[every.size - k])

    def interval(self, column: int, alpha: float) -> Interval:
        """Return the half-sample interval of one column, at level 1 − α.

        Raises
        ------
        ValueError
            If fewer ends were kept than the level needs.
        """
        low, high = self._ends(alpha, slice(column, column + 1))[:, 0].tolist()
        return Interval(low, high, 1.0 - alpha)

    def ends(self, alpha: float) -> FloatArray:
        """Return the intervals of all columns at level 1 − α: lower and upper ends, two rows."""
        return self._ends(alpha, slice(None))

    def _ends(self, alpha: float, columns: slice) -> FloatArray:
        counted, k = self.counted, patterns_within(alpha, self.n_resamples)
        if k == 0:
            n = self.questions.observed[columns].size
            return np.array([[-math.inf] * n, [math.inf] * n])
        if self.first is not None and k > len(counted.lowest):
            counted, k = self.first, patterns_within(alpha, self.first.rows)
        low, high = counted.lowest[:, columns], counted.highest[:, columns]
        if k > len(low):
            raise ValueError(f"{k} ends are needed and {len(low)} were kept")
        return np.stack(
            [
                np.partition(low, k - 1, axis=0)[k - 1],
                -np.partition(-high, k - 1, axis=0)[k - 1],
            ]
        )

    def p_above(self) -> FloatArray:
        """Return the one-sided p-values of “above −margin”; not a number without a margin."""
        return self._one_sided(self.counted.below, 1.0, -1.0)

    def p_below(self) -> FloatArray:
        """Return the one-sided p-values of “below +margin”."""
        return self._one_sided(self.counted.above, -1.0, 1.0)

    def p_beyond_low(self) -> FloatArray:
        """Return the one-sided p-values of “below −margin”."""
        return self._one_sided(self.counted.above_low, -1.0, -1.0)

    def p_beyond_high(self) -> FloatArray:
        """Return the one-sided p-values of “above +margin”."""
        return self._one_sided(self.counted.below_high, 1.0, 1.0)

    def _one_sided(self, counts: IntArray | None, sign: float, side: float) -> FloatArray:
        r"""Return the p-values of a bound, by both mirror images of every pattern.

        A pattern parts the units into those that are swapped and the others, with differences
        :math:`N_r` and :math:`P_r`; the observed pattern has all units on one side. Of “the
        difference is at most −M”,

        .. math:: p = \frac{1 + [d \le -M] + \sum_r ([N_r \le -M] + [P_r \le -M])}{2 (R + 1)},

        which runs from 1 / (2(R + 1)) to 1. Where d is above −M, at most one of each two is not.
        """
        questions = self.questions
        if counts is None:  # a file of an earlier version
            return np.full(questions.margins.size, np.nan)
        bound = side * questions.margins
        own = sign * questions.observed <= sign * bound + questions.slack
        p = 0.5 * (counts + 1.0 + own) / (self.n_resamples + 1.0)
        return np.where(np.isnan(bound), np.nan, p)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapsOfMany(Swaps):
    """What the swaps of very many columns have shown, without the ends of all their swaps.

    Attributes
    ----------
    ends_at : mapping of float to array of shape (2, columns)
        The intervals, for the levels α that were asked for.
    """

    ends_at: Mapping[float, FloatArray]

    def interval(self, column: int, alpha: float) -> Interval:
        """Return the half-sample interval of one column, at a level that was asked for."""
        if alpha not in self.ends_at:
            raise ValueError(f"no ends were kept for the level {alpha}")
        low, high = self.ends_at[alpha][:, column].tolist()
        return Interval(low, high, 1.0 - alpha)


# --- Run the swaps of a test block by block, and keep no more of them than is asked for ---
#
# A test that Holm corrects for 561 pairs draws 561,000 swaps. Its corrected intervals need the 50 most
# extreme ends of each pair among all of them; the interval of one pair by itself needs the 500 most
# extreme of ten thousand. So the first ten thousand keep what a single pair needs, and the others
# only what the correction does.

_FIRST = 10  # blocks of 1,024 swaps
_AT_ONCE = 64  # blocks whose tallies are held side by side, at most
_HELD = 1 << 22  # ends of intervals in these tallies; does not change the answer

Payload = TypeVar("Payload")  # a dataclass with a field `questions`


def drawn_swaps(
    task: Callable[[Payload, Block], Tally],
    payload: Payload,
    questions: Questions,
    *,
    n_resamples: int,
    levels: tuple[float, float],
    engine: Engine,
    step: str,
    work: Sequence[Block] | None = None,
) -> Swaps:
    """Draw `n_resamples` swaps and return what they have shown.

    Parameters
    ----------
    task : callable
        Counts over the swaps of one block, given the payload.
    questions : Questions
        Those of the payload.
    levels : (float, float)
        The largest levels of intervals that are asked for: of one pair, and corrected.
    work : sequence of Block, optional
        The blocks of these swaps, where other columns see the same.
    """
    work = list(blocks(n_resamples, engine.rng)) if work is None else work
    head, tail = work[:_FIRST], work[_FIRST:]
    before, given = 0, cast("Any", payload)  # a named tuple, with its questions

    def told(step: str, done: int, total: int | None) -> None:  # noqa: ARG001 (of the piece)
        engine.progress(step, before + done, len(work))

    def run(part: Sequence[Block], asked: Questions) -> Iterator[list[Tally]]:
        nonlocal before
        asking = given._replace(questions=asked)
        size = _at_once(asked, engine)
        for start in range(0, len(part), size):
            now = part[start : start + size]
            yield run_blocks(
                task,
                asking,
                now,
                n_jobs=engine.n_jobs,
                executor=engine.executor,
                progress=told,
                step=step,
            )
            before += len(now)

    def added(asked: Questions, parts: Iterator[list[Tally]], *begun: Tally) -> Tally:
        for tallies in parts:
            begun = (merge(asked, [*begun, *tallies]),)
        return begun[0]

    if not tail or levels[0] == levels[1]:
        counted = added(questions, run(work, questions))
        return Swaps(questions=questions, counted=counted, exact=False)
    n_first = sum(block.rows for block in head)
    loose, strict = (
        replace(questions, n_kept=patterns_within(level, n) + 1)
        for level, n in zip(levels, (n_first, n_resamples), strict=True)
    )
    first = added(loose, run(head, loose))
    counted = added(strict, run(tail, strict), merge(strict, [first]))
    return Swaps(questions=questions, counted=counted, exact=False, first=first)


def _at_once(questions: Questions, engine: Engine) -> int:
    """Return how many tallies to hold before they are added up; a few for every process."""
    if engine.executor is not None:
        return _AT_ONCE  # nobody here knows how many workers wait for blocks
    ends = 2 * questions.observed.size * min(BLOCK, 2 * questions.n_kept)
    fewest = 1 if engine.n_jobs == 1 else 4 * engine.n_jobs
    return max(fewest, min(_AT_ONCE, _HELD // max(1, ends)))
