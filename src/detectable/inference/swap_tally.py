r"""What is counted over the swaps of a test, block by block, so that no null is ever held in memory.

For every column (a pair of systems under a metric) each swap r gives three numbers: the difference
:math:`d_r` after the swap, and the two differences :math:`\delta(N_r), \delta(P_r)` of the systems
on the units that were swapped and on those that were not. From them come

* the p-value of one pair: :math:`(1 + \#\{|d_r| \ge |d|\}) / (R + 1)`;
* step-down max-T p-values of a family of pairs [1]_, with :math:`T = |d| / \text{scale}`. The scale
  is :math:`\sqrt{\sum_g D_g^2}` of the observed parts :math:`D_g`, which no swap changes. It is
  fixed before the draws;
* the critical value of the largest T of a family, for simultaneous intervals;
* the half-sample interval [2]_: with :math:`L_r = \min(\delta(N_r), \delta(P_r))` and :math:`U_r`
  the larger one, from the k-th smallest :math:`L_r` to the k-th largest :math:`U_r`,
  :math:`k = \lfloor \alpha (R + 1) \rfloor`. For means it is the swap test turned round: the
  values that it would not reject;
* the same against a margin: half of :math:`(1 + \#\{L_r \le -M\}) / (R + 1)`.

References
----------
.. [1] Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.
.. [2] Hartigan (1969), "Using subsample values as typical values", Journal of the American
   Statistical Association 64(328), 1303–1317.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRequest:
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
        What max-T divides the difference of each column by; see `inference.swap_parts`.
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
    below: IntArray
    above: IntArray
    null: FloatArray | None = field(metadata={"draws": True})


def tally(
    questions: Questions, differences: FloatArray, halves: tuple[FloatArray, FloatArray]
) -> Tally:
    """Count over the swaps of one block.

    Parameters
    ----------
    differences : array of shape (rows, columns)
    halves : two arrays of shape (rows, columns)
        Differences on the swapped units and on the others; not a number where there is none.
    """
    low, high = _ends(*halves)
    margins, slack = questions.margins, questions.slack
    statistic = questions.statistic(differences)
    observed = questions.statistic(questions.observed)
    known = questions.scale > 0.0
    room = np.where(known, slack / np.where(known, questions.scale, 1.0), 0.0)
    stepped, largest = [], np.zeros((len(differences), len(questions.families)))
    for f, family in enumerate(questions.families):
        order = questions.order(family)
        # Column i: the largest statistic among hypothesis i and all that are less extreme.
        running = np.maximum.accumulate(statistic[:, order[::-1]], axis=1)[:, ::-1]
        stepped.append((running >= (observed - room)[order]).sum(axis=0))
        largest[:, f] = running[:, 0]
    with np.errstate(invalid="ignore"):  # a comparison with no margin is false
        below = (low <= slack - margins).sum(axis=0)
        above = (high >= margins - slack).sum(axis=0)
    return Tally(
        rows=len(differences),
        extreme=questions.beyond(differences),
        stepped=tuple(stepped),
        largest=largest,
        lowest=_fewer(low, questions.n_kept),
        highest=-_fewer(-high, questions.n_kept),
        below=below,
        above=above,
        null=differences if questions.keep_null else None,
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
        null=np.concatenate(nulls) if nulls else None,
    )


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
        counted, k = self.counted, patterns_within(alpha, self.n_resamples)
        if k == 0:
            return Interval(-math.inf, math.inf, 1.0 - alpha)
        if self.first is not None and k > len(counted.lowest):
            counted, k = self.first, patterns_within(alpha, self.first.rows)
        low, high = counted.lowest[:, column], counted.highest[:, column]
        if k > low.size:
            raise ValueError(f"{k} ends are needed and {low.size} were kept")
        return Interval(
            float(np.partition(low, k - 1)[k - 1]),
            float(-np.partition(-high, k - 1)[k - 1]),
            1.0 - alpha,
        )

    def p_above(self) -> FloatArray:
        """Return the one-sided p-values of «above −margin»; not a number without a margin."""
        return self._one_sided(self.counted.below)

    def p_below(self) -> FloatArray:
        """Return the one-sided p-values of «below +margin»."""
        return self._one_sided(self.counted.above)

    def _one_sided(self, counts: IntArray) -> FloatArray:
        p = 0.5 * (counts + 1.0) / (self.n_resamples + 1.0)
        return np.where(np.isnan(self.questions.margins), np.nan, p)
