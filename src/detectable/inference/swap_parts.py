r"""What each unit adds to a difference of two systems, whatever the metric.

For a mean, unit g adds :math:`D_g`, its sum of differences over n. For any other score of sums,
with :math:`\psi_g` the influence of the unit on the difference d and :math:`h_g` its share of the
reference words, it adds :math:`D_g = \psi_g + h_g d`. All formulas for means then hold: the parts
add up to d, and swapping units changes the signs of their parts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.cluster_mean import robust_variance
from detectable.inference.delta import Estimate
from detectable.inference.sample import Sample

# Where units differ by the same amount but for rounding, a t test would take the rounding for their
# spread, and be certain. Influences are known to about 1e-10, scores to their own rounding.
_SAME = 1e-9
_DATA = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class SwapParts:
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
    def n_differing(self) -> int:
        """Units in which the systems differ: swapping the others changes nothing."""
        sizes = np.abs(self.parts)
        return int((sizes > _SAME * sizes.max(initial=0.0)).sum())

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


def swap_parts(sample: Sample, pairs: Sequence[tuple[int, int]]) -> list[SwapParts]:
    """Return the parts of the difference of mean scores over runs, for pairs of systems."""
    used = sorted({system for pair in pairs for system in pair})
    influence = {s: sample.influence(s).mean(axis=0) for s in used}
    shares = {s: sample.shares(s) for s in used}
    score = {s: sample.score(s) for s in used}
    found = []
    for system, baseline in pairs:
        share = 0.5 * (shares[system] + shares[baseline])
        value = score[system] - score[baseline]
        influences = influence[system] - influence[baseline]
        size = max(abs(score[system]), abs(score[baseline]))
        if float(np.square(influences).sum()) ** 0.5 <= _SAME * abs(value) + _DATA * size:
            influences = np.zeros(share.size)
        found.append(SwapParts(value, influences + share * value, share))
    return found
