"""One pair and its claim: p-value, interval and verdict that belong together."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.analysis import Analysis, family_sizes, stepwise
from detectable.contrasts.contrast import Contrast
from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict, decide, opposite
from detectable.core.wording import listing
from detectable.inference.standard_errors import agreeing_interval


class OneSided(NamedTuple):
    """The p-value of one side of a margin, alone and corrected over all pairs."""

    raw: float
    adjusted: float

    def level(self, alpha: float, tests: float) -> float:
        """Return the level at which the correction tested this pair.

        Of a pair that was rejected it is what Holm had come to, so that the end of an interval at
        this level is beyond the margin exactly where the corrected p-value is at most α. A p-value
        of 0, which is one too small for a number, is rejected by the first step.
        """
        if 0.0 < self.adjusted <= alpha:
            return alpha * (self.raw / self.adjusted)
        return alpha / tests

    @property
    def alone(self) -> "OneSided":
        """The same without correction."""
        return OneSided(self.raw, self.raw)


class PairClaim(NamedTuple):
    """One pair under one metric, and the three claims that can be made of it.

    Attributes
    ----------
    at : (int, int)
        The cell of `found`.
    tests : float
        How many tests it is corrected for.
    margin : float
        NaN where there is none.
    """

    found: Analysis
    at: tuple[int, int]
    tests: float
    margin: float
    alpha: float
    power: float

    @property
    def value(self) -> float:
        """The observed difference."""
        return self.found.estimates[self.at[0]][self.at[1]].value

    def _contrast(self, **said: Any) -> Contrast:
        cell = self.found.estimates[self.at[0]][self.at[1]]
        return Contrast(
            difference=cell.value, standard_error=cell.standard_error, df=cell.df, **said
        )

    def difference(self, equivalence: OneSided, *, higher_is_better: bool | None) -> Contrast:
        """Is there a difference; or is it shown to be smaller than the margin."""
        p, m = self.at
        p_equivalence = equivalence.adjusted
        adjusted = float(self.found.p_adjusted[p, m])
        raw = float(self.found.p_values[p, m])
        verdict = decide(
            self.value,
            p=adjusted,
            p_equivalence=p_equivalence,
            higher_is_better=higher_is_better,
            alpha=self.alpha,
        )
        alone = self.found.interval_alone(p, m, self.alpha)
        return self._contrast(
            claim="better",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=p_equivalence,
            interval=self._inverted(equivalence, equivalence, self.tests)
            if verdict == "equivalent"
            else self.found.intervals[p][m],
            interval_alone=agreeing_interval(
                alone, self.value, rejected=raw <= self.alpha and self.value != 0.0
            ),
            attainable_p=float(self.found.attainable[p, m]),
            mde=float(self.found.mde[p, m])
            if self.found.possible is None or self.found.possible[p, m]
            else math.nan,
            verdict=verdict,
        )

    def within(
        self,
        shown: OneSided,
        low: OneSided,
        high: OneSided,
        *,
        higher_is_better: bool | None = True,
    ) -> Contrast:
        """Is the difference shown to be smaller than the margin, or larger.

        Parameters
        ----------
        shown : OneSided
            Of both tests of equivalence together.
        low, high : OneSided
            Of “below −margin”, “above +margin”.
        """
        verdict = self._beyond(low, high, higher_is_better=higher_is_better)
        if shown.adjusted <= self.alpha:
            verdict = "equivalent"

        def interval(one: OneSided, below: OneSided, above: OneSided, tests: float) -> Interval:
            if one.adjusted <= self.alpha:
                found = self._agreeing(self._inverted(one, one, tests), -self.margin, one)
                return self._agreeing(found, self.margin, one)
            # Only one side can be beyond: then the end next to the margin shows it.
            nearer = math.copysign(self.margin, self.value)
            return self._agreeing(self._inverted(above, below, tests), nearer, below, above)

        return self._contrast(
            claim="equivalent",
            p_value=shown.raw,
            p_adjusted=shown.adjusted,
            p_equivalence=shown.adjusted,
            interval=interval(shown, low, high, self.tests),
            interval_alone=interval(shown.alone, low.alone, high.alone, 1.0),
            attainable_p=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(0.5 + 0.5 * self.power),
            verdict=verdict,
            p_beyond=min(low.adjusted, high.adjusted),
        )

    def _beyond(
        self, low: OneSided, high: OneSided, *, higher_is_better: bool | None
    ) -> Verdict:
        verdict: Verdict = "undecided"
        if low.adjusted <= self.alpha:
            verdict = "lower" if higher_is_better is None else "inferior"
        elif high.adjusted <= self.alpha:
            verdict = "higher" if higher_is_better is None else "superior"
        return opposite(verdict) if higher_is_better is False else verdict

    def not_worse(
        self, shown: OneSided, beyond: OneSided, *, higher_is_better: bool
    ) -> Contrast:
        """Is the system shown not to be worse by more than the margin, or worse by more.

        Parameters
        ----------
        shown, beyond : OneSided
            Of the two sides of the margin; each direction has its own correction.
        """

        def interval(one: OneSided, other: OneSided, tests: float) -> Interval:
            if higher_is_better:
                return self._agreeing(
                    self._inverted(one, other, tests), -self.margin, one, other
                )
            return self._agreeing(self._inverted(other, one, tests), self.margin, one, other)

        verdict: Verdict = "non-inferior" if shown.adjusted <= self.alpha else "undecided"
        if verdict == "undecided" and beyond.adjusted <= self.alpha:
            verdict = "inferior"
        return self._contrast(
            claim="non-inferior",
            p_value=shown.raw,
            p_adjusted=shown.adjusted,
            interval=interval(shown, beyond, self.tests),
            interval_alone=interval(shown.alone, beyond.alone, 1.0),
            attainable_p=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(self.power),
            verdict=verdict,
            p_beyond=beyond.adjusted,
        )

    def _inverted(self, low: OneSided, high: OneSided, tests: float) -> Interval:
        """Return the inverted tests of a lower and an upper end, each at its corrected level."""
        make, level = self.found.margins.interval, 1.0 - 2.0 * self.alpha
        below, above = (side.level(self.alpha, tests) for side in (low, high))
        first = make(*self.at, below)
        second = first if above == below else make(*self.at, above)
        return Interval(first.low, second.high, level)

    def _agreeing(self, interval: Interval, bound: float, *sides: OneSided) -> Interval:
        """Return the interval without the margin if and only if one of its sides was rejected.

        It is so of inverted tests; but swaps of a score that is no mean are inverted by a straight
        line, and differences of the size of rounding errors are ties.
        """
        rejected = any(side.adjusted <= self.alpha for side in sides)
        return agreeing_interval(interval, self.value, rejected=rejected, bound=bound)

    def _margin_found(self, power: float) -> float:
        """Return the margin that equal systems are shown to keep, with the asked power."""
        if not self.found.attainable_margin[self.at] <= self.alpha:
            return math.nan
        return self.found.margins.passable(*self.at, self.alpha / self.tests, power)


def claims_of(
    found: Analysis,
    groups: tuple[IntArray, ...],
    stepped: str,
    *,
    claim: Claim,
    margins: FloatArray,
    better: Sequence[bool | None],
    alpha: float,
    power: float,
) -> list[list[Contrast]]:
    """Return what may be said of every row (a pair, a task) under every metric: [row][metric].

    Parameters
    ----------
    groups : tuple of array of int
        Cells that are corrected together.
    stepped : {'holm', 'benjamini-hochberg', 'none'}
        How one-sided p-values are corrected.
    margins : array
        Of every metric; NaN where there is none.
    better : sequence of bool or None
        Whether higher values of a metric are better; None where it has no direction.
    """
    shape = found.p_values.shape
    tests = np.ones(shape) if stepped == "none" else family_sizes(shape, groups)
    of = found.margins

    def one_sided(raw: FloatArray) -> Callable[[int, int], OneSided]:
        adjusted = stepwise(raw, groups, stepped)
        return lambda p, m: OneSided(float(raw[p, m]), float(adjusted[p, m]))

    up = [side is not False for side in better]
    equivalent = one_sided(np.maximum(of.above, of.below))
    low, high = one_sided(of.beyond_low), one_sided(of.beyond_high)
    kept = one_sided(np.where(up, of.above, of.below))
    lost = one_sided(np.where(up, of.beyond_low, of.beyond_high))

    def said(p: int, m: int) -> Contrast:
        cell = PairClaim(
            found=found,
            at=(p, m),
            tests=float(tests[p, m]),
            margin=float(margins[m]),
            alpha=alpha,
            power=power,
        )
        if claim == "better":
            return cell.difference(equivalent(p, m), higher_is_better=better[m])
        if claim == "non-inferior":
            return cell.not_worse(kept(p, m), lost(p, m), higher_is_better=up[m])
        both = equivalent(p, m)
        return cell.within(both, low(p, m), high(p, m), higher_is_better=better[m])

    return [[said(p, m) for m in range(shape[1])] for p in range(shape[0])]


# --- A note about intervals that end at 0 because a later step of a correction decided the pair ---

_NEXT_TO_ZERO = math.nextafter(0.0, math.inf)  # as `agreeing_interval` cuts


_STEPS = (  # how often all intervals hold is measured in docs/calibration.md (families, one better)
    "a later step of the correction decides there, and the interval follows the verdict. Where one "
    "system is far ahead, all 95 % intervals together hold in 92 to 95 % of evaluations; verdicts "
    "keep their level"
)


def cut_intervals(
    pairs: Iterable[tuple[str, Interval]], *, why: str = _STEPS
) -> tuple[str, ...]:
    """Name the pairs whose interval was cut to agree with its verdict, and what that costs.

    Examples
    --------
    >>> cut_intervals([("B − A", Interval(0.1, 1.0, 0.95))])
    ()
    """
    cut = [name for name, one in pairs if _NEXT_TO_ZERO in (one.low, -one.high)]
    if not cut:
        return ()
    ends = "ends" if len(cut) == 1 else "end"
    intervals = "The interval of" if len(cut) == 1 else "The intervals of"
    return (f"{intervals} {listing(cut, most=3)} {ends} at 0: {why}.",)


# --- What the mean difference of items becomes when one rater's work is left out ---


class WithoutRater(NamedTuple):
    """Items of one pair, and what each comparison does to its item.

    Attributes
    ----------
    mean, judged : array
        Of each item: its mean difference over raters, and the raters who made it.
    change : array
        Of each comparison: what its item's mean would change by without it. That of an item that
        nobody else judged falls to 0, for it is gone.
    alone : array of bool
        Of each comparison: whether nobody else judged the item.
    """

    mean: FloatArray
    judged: IntArray
    change: FloatArray
    alone: NDArray[np.bool_]

    @classmethod
    def of(cls, item: IntArray, difference: FloatArray, n_items: int) -> "WithoutRater":
        """Take the differences of one pair, one for each item and rater who judged both systems."""
        total = np.bincount(item, weights=difference, minlength=n_items)
        judged = np.bincount(item, minlength=n_items)
        mean = total / np.maximum(judged, 1)
        alone = judged[item] == 1
        others = (total[item] - difference) / np.maximum(judged[item] - 1, 1)
        change = np.where(alone, -mean[item], others - mean[item])
        return cls(mean=mean, judged=judged, change=change, alone=alone)
