r"""Margins in percent of the old score: did the mean rise, or fall, by the share r or more.

A loss of r or more is ruled out by the score rule on :math:`x_i = \text{new}_i - (1 + r)\,\text{old}_i` where
lower is better (:math:`\text{new}_i - (1 - r)\,\text{old}_i` where higher is), by question, with groups as
clusters. The interval of the ratio of the means holds every ratio ρ at which that test, on
:math:`\text{new} - \rho\,\text{old}`, rejects to neither side; with t tests it would be Fieller's (1954). It is
open where the old mean is not clearly above 0. At ρ = 1 it is the test of no change.

Times and tokens have long tails. Where one question holds more than a fifth of the sum of squares of x the
row does not pass, for then no rule holds its level. On lognormal streams, where the new system may have the longer
tail, the score rule alone passes a loss of r in up to 7 %, t with the bar in up to 6 %, both together in 5 % and with
nearly the power of t with the bar (docs/calibration.md).

References
----------
Fieller (1954), "Some problems in interval estimation", Journal of the Royal Statistical Society B 16(2), 175–185.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.margin_score import MarginScore
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import t_quantile
from detectable.kernels.roots import bracketed_root

TOP_SHARE = 0.2  # of the sum of squares that one question may hold
_FARTHEST = 1e6  # ratios: beyond, an end of the interval is open
_NEAR = 1e-6  # of the margin that an unchanged system passes
_CLOSE = 1e-8  # of the ends of an interval


@dataclass(frozen=True, slots=True)
class RelativeEvidence:
    """The ratio of two means, less 1, turned so that higher is better.

    It answers what `Evidence` answers, with bounds that are shares of the old mean.

    Attributes
    ----------
    new, old : array of shape (questions,)
        Mean scores of each question.
    clusters : array of int or None
        Codes of what groups questions.
    sign : float
        −1 where lower is better.
    """

    new: FloatArray
    old: FloatArray
    clusters: IntArray | None
    sign: float
    # What the data say about changes that were asked for: an interval asks for the same again.
    _known: dict[float, MarginScore] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, new: FloatArray, old: FloatArray, clusters: IntArray | None, sign: float, what: str
    ) -> "RelativeEvidence":
        """Return the evidence; scores below zero have no share of them.

        Parameters
        ----------
        what : str
            For the message.
        """
        if float(old.min()) < 0.0 or float(new.min()) < 0.0 or not float(old.mean()) > 0.0:
            raise DataError(
                f"a margin in percent needs scores from 0 up, and a baseline above 0; {what} has "
                "others. Give the margin on the scale of the scores."
            )
        return cls(new, old, clusters, sign)

    @property
    def value(self) -> float:
        """The change, as a share of the old mean."""
        return self.sign * (float(self.new.mean()) / float(self.old.mean()) - 1.0)

    @property
    def n_questions(self) -> int:
        """Questions in both."""
        return int(self.new.size)

    @property
    def n_clusters(self) -> int:
        """Independent groups of questions."""
        return self.n_questions if self.clusters is None else np.unique(self.clusters).size

    @property
    def score(self) -> MarginScore:
        """The differences themselves, as at a ratio of 1."""
        return self._at(0.0)

    @property
    def standard_error(self) -> float:
        """Of the change, by the delta method."""
        ratio = float(self.new.mean()) / float(self.old.mean())
        found = cluster_mean(self.new - ratio * self.old, self.clusters)
        return found.standard_error / float(self.old.mean())

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.score.df

    @property
    def speaks(self) -> bool:
        """Whether anything follows from the data."""
        return self.score.speaks

    @property
    def unchanged(self) -> bool:
        """Whether every question has the same difference."""
        return bool(np.ptp(self.new - self.old) == 0.0)

    def top_share(self, margin: float) -> float:
        """Return the largest share of the sum of squares that one question holds at the margin."""
        squares = np.square(self._at(-margin).deviations)
        total = float(squares.sum())
        return float(squares.max()) / total if total > 0.0 else math.nan

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true change is at most `bound`”; 1 if nothing follows."""
        found = self._at(bound)
        return found.p_above(0.0) if found.speaks else 1.0

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true change is at least `bound`”; 1 if nothing follows."""
        found = self._at(bound)
        return found.p_below(0.0) if found.speaks else 1.0

    def interval(self, alpha: float) -> Interval:
        """Return all changes that neither one-sided test rejects at α: its level is 1 − 2α."""
        if not self.speaks:
            return Interval(math.nan, math.nan, 1.0 - 2.0 * alpha)
        low = self._end(alpha, -1.0)
        return Interval(low, self._end(alpha, 1.0), 1.0 - 2.0 * alpha)

    def passable(self, alpha: float, power: float) -> float:
        """Return the share that an unchanged system passes with this power; NaN if nothing follows.

        A margin is passed by differences from that share of the old scores, so it is found step by
        step.
        """
        if not self.speaks:
            return math.nan
        mean = float(self.old.mean())

        def lacks(share: float) -> float:
            return self._at(-share).lacks(share * mean, alpha, power)

        # Where the differences are the old scores themselves, no share is too little or too much.
        low, high = 0.0, (t_quantile(1.0 - alpha, self.df) + 1.0) * self.standard_error
        while 0.0 < high < _FARTHEST and lacks(high) > 0.0:
            low, high = high, 2.0 * high
        if not 0.0 < high < _FARTHEST:
            return math.nan
        return bracketed_root(lacks, low, high, tolerance=_NEAR * high)

    def growth(self, margin: float, alpha: float, power: float) -> float:
        """Return how many times as much data passes a margin, if nothing changed."""
        return self._at(-margin).growth(margin * float(self.old.mean()), alpha, power)

    def _at(self, bound: float) -> MarginScore:
        """Return what the data say about a change of `bound`: their mean is 0 if it is that."""
        if bound not in self._known:
            ratio = 1.0 + self.sign * bound
            parts = self.sign * (self.new - ratio * self.old)
            self._known[bound] = MarginScore.of_scale(
                parts, self.clusters, kind="dense", length=math.nan
            )
        return self._known[bound]

    def _end(self, alpha: float, side: float) -> float:
        """Return where the test rejects first on one side of the change that was found."""
        start, df = self.value, self.df
        critical = t_quantile(1.0 - alpha, df)

        def short(bound: float) -> float:
            """Return what the statistic lacks of rejecting, nearly linear in the bound."""
            found = self._at(bound)
            return critical + side * found.score(0.0) if found.speaks else critical

        # As far as the limit by the delta method, and a little more.
        reach = critical * self.standard_error
        step = 1.25 * reach if 0.0 < reach < _FARTHEST else max(abs(start), 0.1) / 8.0
        known = {start: critical}  # the statistic of what was found is 0
        inner, outer = start, start + side * step
        while known.setdefault(outer, short(outer)) > 0.0:
            inner, step = outer, 2.0 * step
            outer = start + side * step
            if step > _FARTHEST:
                return side * math.inf
        low, high = sorted((inner, outer))
        return bracketed_root(
            lambda bound: known[bound] if bound in known else short(bound),
            low,
            high,
            tolerance=_CLOSE,
        )
