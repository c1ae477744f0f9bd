"""What the mean difference of items becomes when one rater's work is left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray


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
