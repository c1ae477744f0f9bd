"""Student's t distribution against scipy, R and itself.

scipy's quantiles fail in places (infinite or a fixed number for the smallest chances), so that
wide ranges are compared through its distribution function, which does not.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from detectable.kernels.distributions import normal_below, normal_quantile, t_below, t_quantile

DF = st.floats(math.log10(0.5), 7.0).map(lambda power: 10.0**power) | st.integers(1, 3000)


def rounding(p: float) -> float:
    """Return what a tail may differ by: its exponential has as many units as its logarithm."""
    return 2e-14 + 1e-15 * abs(math.log(p))


@pytest.mark.parametrize(
    ("df", "quantile"),
    [(1, 12.706204736174704), (2, 4.302652729749464), (10, 2.2281388519862747)],
)
def test_published_quantiles(df: int, quantile: float) -> None:
    """R's qt(.975, df)."""
    assert t_quantile(0.975, df) == pytest.approx(quantile, rel=1e-14)


def test_cauchy_and_two_degrees_have_closed_forms() -> None:
    for p in (1e-200, 1e-20, 0.01, 0.2, 0.3, 0.49999):
        cauchy = -1.0 / math.tan(math.pi * p) if p < 0.25 else math.tan(math.pi * (p - 0.5))
        assert t_quantile(p, 1) == pytest.approx(cauchy, rel=4e-13)
        two = (2.0 * p - 1.0) / math.sqrt(2.0 * p * (1.0 - p))
        assert t_quantile(p, 2) == pytest.approx(two, rel=4e-13)


@given(DF, st.floats(-300.0, -0.3))
def test_the_chance_of_a_quantile_is_the_chance(df: float, exponent: float) -> None:
    p = 10.0**exponent
    x = t_quantile(p, df)
    assume(abs(x) < 1e150)  # scipy squares it
    assert t_below(x, df) == pytest.approx(p, rel=rounding(p))
    assert float(stdtr(df, x)) == pytest.approx(p, rel=rounding(p))


@given(DF, st.floats(-12.0, -0.3), st.booleans())
def test_quantiles_are_scipy_s_where_its_own_are_good(
    df: float, exponent: float, upper: bool
) -> None:
    p = 1.0 - 10.0**exponent if upper else 10.0**exponent
    theirs = float(stdtrit(df, p))
    assume(float(stdtr(df, theirs)) == pytest.approx(p, rel=1e-13))
    assert t_quantile(p, df) == pytest.approx(theirs, rel=4e-13)


@given(DF, st.floats(-16.0, -0.31), st.sampled_from([-1.0, 1.0]))
def test_quantiles_about_the_middle_keep_their_digits(
    df: float, exponent: float, sign: float
) -> None:
    excess = sign * 10.0**exponent
    p = 0.5 + excess
    x = t_quantile(p, df)
    assert math.copysign(1.0, x) == sign or p == 0.5
    if abs(p - 0.5) < 1e-4:  # the density is flat there
        at_zero = math.exp(
            math.lgamma(0.5 * df + 0.5) - math.lgamma(0.5 * df) - 0.5 * math.log(math.pi * df)
        )
        assert x == pytest.approx((p - 0.5) / at_zero, rel=1e-6)


@given(st.floats(-1e3, 1e3))
def test_chances_near_zero_keep_their_digits(x: float) -> None:
    assert t_below(x, 1.0) == pytest.approx(0.5 + math.atan(x) / math.pi, rel=1e-12)
    central = 0.5 * x / math.sqrt(2.0 + x * x)
    assert t_below(x, 2.0) == pytest.approx(0.5 + central, rel=1e-12)


@given(DF, st.floats(-60.0, 60.0))
def test_chances_are_scipy_s(df: float, x: float) -> None:
    theirs = float(stdtr(df, x))
    assume(theirs > 1e-300 and abs(x) > 0.01)  # nearer to 0 scipy loses digits
    assert t_below(x, df) == pytest.approx(theirs, rel=rounding(theirs))
    assert t_below(x, df) + t_below(-x, df) == pytest.approx(1.0, abs=1e-15)


def test_the_two_ways_meet() -> None:
    """The continued fraction at 100 degrees of freedom, the integral just above."""
    for x in (-1.75, -2.0, -5.0, -20.0):
        slightly = np.nextafter(100.0, 101.0)
        assert t_below(x, slightly) == pytest.approx(t_below(x, 100.0), rel=2e-14)


def test_very_many_degrees_are_normal() -> None:
    for df in (1e15, math.inf):
        assert t_below(-2.0, df) == normal_below(-2.0)
        assert t_quantile(0.01, df) == normal_quantile(0.01)
    assert t_quantile(0.01, 1e12) == pytest.approx(normal_quantile(0.01), rel=1e-11)


def test_the_ends() -> None:
    assert [t_quantile(p, 3.0) for p in (0.0, 0.5, 1.0)] == [-math.inf, 0.0, math.inf]
    assert (t_below(-math.inf, 3.0), t_below(math.inf, 3.0), t_below(0.0, 3.0)) == (
        0.0,
        1.0,
        0.5,
    )
    assert t_quantile(1e-300, 0.5) == -math.inf  # about 1e600
    assert t_quantile(1e-200, 1.0) == pytest.approx(-1e200 / math.pi, rel=1e-12)
    assert t_below(-1e200, 1.0) == pytest.approx(1e-200 / math.pi, rel=1e-12)
    wrong = [(1.1, 3.0), (-0.1, 3.0), (math.nan, 3.0), (0.3, 0.0), (0.3, -1.0), (0.3, math.nan)]
    assert all(math.isnan(t_quantile(p, df)) for p, df in wrong)
    assert all(math.isnan(t_below(x, df)) for x, df in ((math.nan, 3.0), (1.0, math.nan)))
