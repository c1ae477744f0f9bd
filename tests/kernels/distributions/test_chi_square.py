"""The median of chi-square against a published table, scipy and what follows from its definition."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammainc, gammaincinv

from detectable.kernels.distributions import chi_square_median


@pytest.mark.golden
@pytest.mark.parametrize(
    ("df", "median"),
    # Abramowitz and Stegun (1964), table 26.8, Q = .5.
    [(1, 0.454937), (2, 1.38629), (5, 4.35146), (10, 9.34182), (30, 29.3360), (100, 99.3341)],
)
def test_published_medians(df: int, median: float) -> None:
    assert chi_square_median(df) == pytest.approx(median, rel=4e-6)  # six digits


@given(st.floats(-1.0, 8.0).map(lambda power: 10.0**power) | st.floats(95.0, 105.0))
def test_medians_are_scipy_s(df: float) -> None:
    assert chi_square_median(df) == pytest.approx(2.0 * gammaincinv(0.5 * df, 0.5), rel=1e-12)


@given(st.floats(0.02, 200.0))
def test_half_of_it_lies_below(df: float) -> None:
    assert gammainc(0.5 * df, 0.5 * chi_square_median(df)) == pytest.approx(0.5, abs=1e-13)


def test_degrees_of_freedom_at_their_ends() -> None:
    assert math.isnan(chi_square_median(0.0))
    assert math.isnan(chi_square_median(math.nan))
    assert chi_square_median(math.inf) == math.inf
