"""What is left of an item without one rater, against taking the rater out."""

import numpy as np
import pytest

from detectable.contrasts.claim import WithoutRater


def test_the_change_is_that_of_the_mean_without_the_comparison() -> None:
    item = np.array([0, 0, 0, 2, 2, 3])
    difference = np.array([1.0, 4.0, 7.0, -2.0, 6.0, 5.0])
    found = WithoutRater.of(item, difference, 5)
    assert found.mean.tolist() == [4.0, 0.0, 2.0, 5.0, 0.0]
    assert found.judged.tolist() == [3, 0, 2, 1, 0]
    assert found.alone.tolist() == [False] * 5 + [True]
    for row in range(6):
        others = difference[(item == item[row]) & (np.arange(6) != row)]
        after = others.mean() if others.size else 0.0  # the item is gone
        assert found.mean[item[row]] + found.change[row] == pytest.approx(after)
