"""The standard normal distribution against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from detectable.kernels.distributions import normal_below, normal_below_each, normal_quantile

pytestmark = pytest.mark.usefixtures("each_engine")


def test_published_quantiles() -> None:
    """R's qnorm."""
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054, rel=1e-15)
    assert normal_quantile(0.8) == pytest.approx(0.8416212335729143, rel=1e-15)


@given(st.floats(-37.0, 40.0))
def test_chances_are_scipy_s(x: float) -> None:
    # scipy's erfc loses digits with x²; the ones about the middle are equal to a few units.
    assert normal_below(x) == pytest.approx(float(ndtr(x)), rel=1e-13)
    if abs(x) < 5.0:
        assert normal_below(x) == pytest.approx(float(ndtr(x)), rel=3e-15)


@given(st.floats(-300.0, -1e-12))
def test_quantiles_are_scipy_s_in_both_tails(exponent: float) -> None:
    p = 10.0**exponent
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)
    upper = 1.0 - min(p, 0.5)
    assert normal_quantile(upper) == pytest.approx(float(ndtri(upper)), rel=2e-15)


@given(st.floats(-16.0, -0.31), st.sampled_from([-1.0, 1.0]))
def test_quantiles_about_the_middle_keep_their_digits(exponent: float, sign: float) -> None:
    p = 0.5 + sign * 10.0**exponent
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)


@pytest.mark.parametrize("p", [1e-310, 2e-308, 1e-301, 0.25, 0.75, 0.2499999, 0.7500001])
def test_quantiles_at_the_seams(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=2e-15)


def test_the_ends() -> None:
    found = [normal_quantile(p) for p in (0.0, 1.0, 0.5)]
    assert found == [-math.inf, math.inf, 0.0]
    assert all(math.isnan(normal_quantile(p)) for p in (-0.1, 1.1, math.nan))
    assert normal_quantile(5e-324) == pytest.approx(-38.4677, abs=1e-3)
    assert (normal_below(-math.inf), normal_below(math.inf)) == (0.0, 1.0)
    assert math.isnan(normal_below(math.nan))


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4), (2, 3, 2)])
def test_each_entry_is_the_chance_of_one(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(0.0, 4.0, shape)
    found = normal_below_each(x)
    assert found.shape == shape
    assert found.ravel().tolist() == [normal_below(value) for value in x.ravel().tolist()]


def test_arrays_need_not_be_contiguous() -> None:
    x = np.linspace(-3.0, 3.0, 12).reshape(3, 4)
    assert np.array_equal(normal_below_each(x.T), normal_below_each(x).T)
    assert np.array_equal(normal_below_each(x[:, ::-2]), normal_below_each(x)[:, ::-2])
    assert np.array_equal(normal_below_each(np.arange(3)), normal_below_each(np.arange(3.0)))
