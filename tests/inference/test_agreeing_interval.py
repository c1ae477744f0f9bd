"""Intervals hold a tested value if and only if the test did not reject it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.interval import Interval
from detectable.inference.standard_errors import agreeing_interval

NUMBERS = st.floats(-10.0, 10.0) | st.integers(-3, 3).map(float)
ENDS = st.floats(0.0, 10.0) | st.just(math.inf)


@given(NUMBERS, ENDS, ENDS, NUMBERS, st.booleans())
def test_the_interval_says_what_the_test_says(
    value: float, below: float, above: float, bound: float, rejected: bool
) -> None:
    given_ = Interval(value - below, value + above, 0.9)
    if rejected and value == bound:
        return  # no test rejects the estimate itself
    found = agreeing_interval(given_, value, rejected=rejected, bound=bound)
    assert (bound in found) == (not rejected)
    assert value in found
    assert found.level == 0.9
    # Values that were not tested stay where they were, on the side of the estimate.
    if (bound in given_) == (not rejected):
        assert found == given_


@pytest.mark.parametrize(
    ("low", "high", "value", "bound", "expected"),
    [
        (0.2, 3.0, 1.6, 0.0, [0.0, 3.0]),
        (-3.0, -0.2, -1.6, 0.0, [-3.0, 0.0]),
        (-1.0, 3.0, 1.6, 0.0, [-1.0, 3.0]),
        (-0.5, 3.0, 1.6, -1.0, [-1.0, 3.0]),
        (-0.5, 3.0, 1.6, 4.0, [-0.5, 4.0]),
    ],
)
def test_what_was_not_rejected_is_inside(
    low: float, high: float, value: float, bound: float, expected: list[float]
) -> None:
    found = agreeing_interval(Interval(low, high, 0.95), value, rejected=False, bound=bound)
    assert found.to_json() == expected


def test_what_was_rejected_is_just_outside() -> None:
    wide = Interval(-1.0, 3.0, 0.95)
    assert agreeing_interval(wide, 1.0, rejected=True).to_json() == [5e-324, 3.0]
    assert agreeing_interval(wide, -0.5, rejected=True).to_json() == [-1.0, -5e-324]
    found = agreeing_interval(wide, 1.0, rejected=True, bound=2.0)
    assert found.to_json() == [-1.0, math.nextafter(2.0, 0.0)]
    found = agreeing_interval(wide, 1.0, rejected=True, bound=-0.5)
    assert found.to_json() == [math.nextafter(-0.5, 0.0), 3.0]
    # Nothing to do: the bound is outside already.
    assert agreeing_interval(wide, 1.0, rejected=True, bound=-2.0) == wide
    assert agreeing_interval(wide, 1.0, rejected=True, bound=4.0) == wide
