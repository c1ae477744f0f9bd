"""One pair and its claim: p-value, interval and verdict that belong together."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.analysis import Analysis
from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict, decide
from detectable.core.wording import listing
from detectable.inference.standard_errors import agreeing_interval, shift_beyond
from detectable.kernels.distributions import t_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One pair under one metric: what may be said of it.

    Attributes
    ----------
    claim : str
        What `p_value`, `p_adjusted` and `interval` are about.
    interval : Interval
        It shows the verdict: without 0 if the system is better or worse, within the margins if
        they are equivalent, above −margin if the system is not inferior.
    attainable : float
        The smallest corrected p-value that such data can give.
    """

    claim: Claim
    p_value: float
    p_adjusted: float
    p_equivalence: float
    interval: Interval
    interval_alone: Interval
    attainable: float
    mde: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairClaim:
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

    def difference(self, p_equivalence: float, *, higher_is_better: bool | None) -> Claimed:
        """Is there a difference; or is it surely smaller than the margin."""
        p, m = self.at
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
        return Claimed(
            claim="better",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=p_equivalence,
            interval=self._within_margin(p_equivalence)
            if verdict == "equivalent"
            else self.found.intervals[p][m],
            interval_alone=agreeing_interval(
                alone, self.value, rejected=raw <= self.alpha and self.value != 0.0
            ),
            attainable=float(self.found.attainable[p, m]),
            mde=float(self.found.mde[p, m])
            if self.found.possible is None or self.found.possible[p, m]
            else math.nan,
            verdict=verdict,
        )

    def within(self, raw: float, adjusted: float) -> Claimed:
        """Is the difference surely smaller than the margin."""
        return Claimed(
            claim="equivalent",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=adjusted,
            interval=self._within_margin(adjusted),
            interval_alone=self._bracketed(raw, 1.0),
            attainable=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(0.5 + 0.5 * self.power),
            verdict="equivalent" if adjusted <= self.alpha else "undecided",
        )

    def not_worse(self, raw: float, adjusted: float, *, higher_is_better: bool) -> Claimed:
        """Is the system surely not worse by more than the margin."""

        def interval(p_value: float, tests: float) -> Interval:
            found, shown = self._two_alpha(tests), p_value <= self.alpha
            if higher_is_better:
                bound = math.nextafter(-self.margin, math.inf)
                low = max(found.low, bound) if shown else min(found.low, -self.margin)
                return Interval(low, found.high, found.level)
            bound = math.nextafter(self.margin, -math.inf)
            high = min(found.high, bound) if shown else max(found.high, self.margin)
            return Interval(found.low, high, found.level)

        return Claimed(
            claim="non-inferior",
            p_value=raw,
            p_adjusted=adjusted,
            p_equivalence=math.nan,
            interval=interval(adjusted, self.tests),
            interval_alone=interval(raw, 1.0),
            attainable=float(self.found.attainable_margin[self.at]),
            mde=self._margin_found(self.power),
            verdict="non-inferior" if adjusted <= self.alpha else "undecided",
        )

    def _two_alpha(self, tests: float) -> Interval:
        """Return the interval at 1 − 2α, which shows both one-sided tests at α."""
        p, m = self.at
        found = self.found.interval_alone(p, m, 2.0 * self.alpha / tests)
        return Interval(found.low, found.high, 1.0 - 2.0 * self.alpha)

    def _within_margin(self, p_value: float) -> Interval:
        return self._bracketed(p_value, self.tests)

    def _bracketed(self, p_value: float, tests: float) -> Interval:
        """Return the interval with both margins outside if and only if equivalence is shown."""
        found = self._two_alpha(tests)
        margin = self.margin
        if p_value <= self.alpha:
            low = agreeing_interval(found, self.value, rejected=True, bound=-margin)
            return agreeing_interval(low, self.value, rejected=True, bound=margin)
        if found.low > -margin and found.high < margin:
            nearer = math.copysign(margin, self.value)
            return agreeing_interval(found, self.value, rejected=False, bound=nearer)
        return found

    def _margin_found(self, power: float) -> float:
        """Return the margin that equal systems are shown to keep, with the asked power."""
        p, m = self.at
        cell = self.found.estimates[p][m]
        possible = self.found.attainable_margin[p, m] <= self.alpha
        if not possible or not cell.standard_error > 0.0:
            return math.nan
        level = self.alpha / self.tests
        critical = t_quantile(1.0 - level, cell.df)
        return cell.typical_error * shift_beyond(critical, cell.df, power=power)


# --- A note about intervals that end at 0 because a later step of a correction decided the pair ---

_NEXT_TO_ZERO = math.nextafter(0.0, math.inf)  # as `agreeing_interval` cuts


def cut_intervals(pairs: Iterable[tuple[str, Interval]]) -> tuple[str, ...]:
    """Name the pairs whose interval was cut to agree with its verdict, and what that costs.

    How often all intervals hold is measured in docs/calibration.md (families, one better).

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
    return (
        f"{intervals} {listing(cut, most=3)} {ends} at 0: a later step of the correction decides "
        "there, and the interval follows the verdict. Where one system is far ahead, all 95 % "
        "intervals together hold in 92 to 95 % of evaluations; verdicts keep their level.",
    )


# --- What the mean difference of items becomes when one rater's work is left out ---


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutRater:
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
