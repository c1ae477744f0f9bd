"""What `compare` decides about means, by its own engine but without the rest of a comparison.

Tables of hundreds of thousands of data sets would take days otherwise. tests/calibration holds
every number here to `compare` itself.
"""

from dataclasses import dataclass

import numpy as np

from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray, silent
from detectable.inference.few_units import choose_test
from detectable.inference.margin_score import MarginScore
from detectable.inference.multiplicity import holm
from detectable.inference.randomization import SwapParts
from detectable.inference.sign_flips import sign_flips
from detectable.inference.standard_errors import agreeing_interval
from detectable.inference.swaps import Swaps
from tests.calibration.effort import ALPHA, LEVEL, RESAMPLES


@dataclass(frozen=True, slots=True)
class Decisions:
    """Pairs tested on the same units, as `compare` tests them by default.

    Attributes
    ----------
    p_values, p_adjusted : array of shape (pairs,)
        Alone, and corrected by max-T or, where units are too few to swap, by Holm.
    """

    parts: list[SwapParts]
    swaps: Swaps | None  # None where t decides
    p_values: FloatArray
    p_adjusted: FloatArray

    def intervals(self) -> list[Interval]:
        """Return the intervals that are printed, for all pairs together."""
        found = []
        for i, part in enumerate(self.parts):
            if self.swaps is None:
                alone = part.estimate().interval(1.0 - ALPHA / len(self.parts))
            elif len(self.parts) == 1:
                alone = self.swaps.interval(0, ALPHA)
            else:
                alone = part.interval(self.swaps.critical(0, ALPHA), LEVEL)
            rejected = bool(self.p_adjusted[i] <= ALPHA) and part.value != 0.0
            found.append(agreeing_interval(alone, part.value, rejected=rejected))
        return found

    def p_above(self, margin: float) -> float:
        """Return the one-sided p-value of «not below −margin» of the only pair, dense scores."""
        return self._of_margins().p_above(-margin)

    def p_equivalent(self, margin: float) -> float:
        """Return the p-value of «within ±margin» of the only pair, dense scores."""
        rule = self._of_margins()
        return max(rule.p_above(-margin), rule.p_below(margin))

    def _of_margins(self) -> MarginScore:
        return MarginScore.of_units(self.parts[0].parts, self.parts[0].shares)


def decide(
    sums: ArrayLike,
    sizes: ArrayLike,
    rng: np.random.Generator,
    *,
    swap: bool | None = None,
) -> Decisions:
    """Test pairs on the same units.

    Parameters
    ----------
    sums : array of shape (units, pairs)
        Sums of differences.
    sizes : array of shape (units,)
        Items of each unit.
    swap : bool, optional
        Whether to swap; by default as `compare` would.
    """
    sums, sizes = np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    n_units, n_pairs = sums.shape
    total = float(sizes.sum())
    parts = [SwapParts(float(s.sum()) / total, s / total, sizes / total) for s in sums.T]
    if swap is None:
        swap = choose_test(n_units, ALPHA) == "swap"
    if not swap:
        p = np.array([part.estimate().p_value() for part in parts])
        return Decisions(parts, None, p, holm(p))
    engine = Engine(rng, "", None, 1, None, silent)
    weights = np.broadcast_to(sizes[:, None], sums.shape)
    swaps = sign_flips(
        sums, weights, n_resamples=RESAMPLES, alpha=ALPHA, margin=None, engine=engine
    )
    adjusted = swaps.p_max_t() if n_pairs > 1 else swaps.p_values()
    return Decisions(parts, swaps, swaps.p_values(), adjusted)
