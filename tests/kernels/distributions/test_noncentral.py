"""The noncentral t distribution against scipy and by counting."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import nctdtr

from detectable.kernels import distributions as noncentral
from detectable.kernels.distributions import noncentral_t_below, normal_below, t_below

pytestmark = pytest.mark.usefixtures("each_engine")


def test_published_power() -> None:
    """R's power.t.test(n = 20, delta = 1, sd = 1): .8689528, one of the two tails."""
    critical = 2.024394163911969  # qt(.975, 38)
    power = 1.0 - noncentral_t_below(critical, 38.0, math.sqrt(10.0))
    assert power == pytest.approx(0.8689528, abs=5e-8)


@given(
    st.floats(-0.3, 7.0).map(lambda power: 10.0**power) | st.integers(1, 60),
    st.floats(0.0, 60.0),
    st.floats(-10.0, 10.0),
)
def test_chances_are_scipy_s(df: float, x: float, distance: float) -> None:
    shift = max(0.0, x + distance)
    theirs = float(nctdtr(df, shift, x))
    assume(math.isfinite(theirs))
    assert noncentral_t_below(x, df, shift) == pytest.approx(theirs, abs=2e-13)


@given(st.floats(0.5, 1e6), st.floats(-8.0, 8.0))
def test_without_a_shift_it_is_student_s(df: float, x: float) -> None:
    assert noncentral_t_below(x, df, 0.0) == pytest.approx(t_below(x, df), abs=2e-15)


@given(st.floats(0.5, 1e4), st.floats(-8.0, 8.0), st.floats(-8.0, 8.0))
def test_mirrored(df: float, x: float, shift: float) -> None:
    mirrored = noncentral_t_below(-x, df, -shift)
    assert noncentral_t_below(x, df, shift) + mirrored == pytest.approx(1.0, abs=2e-15)


def test_it_is_what_draws_say() -> None:
    rng, n = np.random.default_rng(7), 400_000
    draws = (rng.normal(size=n) + 1.5) / np.sqrt(rng.chisquare(4.0, n) / 4.0)
    p = noncentral_t_below(2.0, 4.0, 1.5)
    assert np.mean(draws <= 2.0) == pytest.approx(p, abs=4.0 * (p * (1.0 - p) / n) ** 0.5)


def test_very_many_degrees_are_normal() -> None:
    assert noncentral_t_below(2.0, math.inf, 1.5) == normal_below(0.5)


def test_where_too_many_nodes_are_needed_scipy_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert noncentral_t_below(5000.0, 1.0, 4000.0) == float(nctdtr(1.0, 4000.0, 5000.0))
    here = noncentral_t_below(3.0, 5.0, 2.0)
    monkeypatch.setattr(noncentral, "_MOST", 10)
    assert noncentral_t_below(3.0, 5.0, 2.0) == float(nctdtr(5.0, 2.0, 3.0))
    assert noncentral_t_below(3.0, 5.0, 2.0) == pytest.approx(here, abs=1e-14)


def test_what_is_no_distribution_is_no_number() -> None:
    nothing = [
        (math.nan, 3.0, 1.0),
        (1.0, math.nan, 1.0),
        (1.0, 3.0, math.nan),
        (1.0, 0.0, 1.0),
    ]
    assert all(math.isnan(noncentral_t_below(*given)) for given in nothing)
