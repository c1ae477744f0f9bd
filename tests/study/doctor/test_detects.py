"""What tests would find, said of all pairs together."""

import math
from dataclasses import replace

import numpy as np
import pytest

import detectable as dt
from detectable.study.comparison.result import Comparison
from detectable.study.doctor.of_scores import of_comparison


def _compared(*mdes: float, shares: bool = False) -> Comparison:
    """Compare three systems, and state these differences as those that would be found."""
    rng = np.random.default_rng(1)
    table = {name: rng.normal(0, 1, 40) for name in "abc"}
    if shares:
        table = {name: (values > 0.0).astype(float) for name, values in table.items()}
    found = dt.compare(dt.Scores.build(table), rng=0)
    assert len(found.pairs) == len(mdes)
    pairs = [replace(pair, mde=mde) for pair, mde in zip(found.pairs, mdes, strict=True)]
    return replace(found, pairs=tuple(pairs))


def test_half_of_the_pairs_are_not_most() -> None:
    nan = math.nan
    [most] = of_comparison(_compared(0.2, 0.1, nan))
    assert (most.smallest, most.largest) == (0.1, 0.2)
    assert most.median == pytest.approx(0.15)
    [few] = of_comparison(_compared(0.2, nan, nan))
    assert few.smallest == 0.2
    assert math.isnan(few.median)
    assert math.isnan(few.largest)
    [none] = of_comparison(_compared(nan, nan, nan))
    assert math.isnan(none.smallest)


def test_two_pairs_of_which_one_finds_nothing_state_no_middle() -> None:
    found = _compared(0.2, math.nan, 0.3)
    [half] = of_comparison(replace(found, pairs=found.pairs[:2]))
    assert math.isnan(half.median)


@pytest.mark.parametrize(("mde", "known"), [(0.99, True), (1.0, False)])
def test_a_share_differs_by_less_than_one(mde: float, known: bool) -> None:
    [seen] = of_comparison(_compared(mde, mde, mde, shares=True))
    assert seen.metric == "accuracy"
    assert math.isnan(seen.median) is not known
    [other] = of_comparison(_compared(mde, mde, mde))
    assert other.median == mde
