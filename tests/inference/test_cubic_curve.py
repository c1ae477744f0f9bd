"""Cubics: the numbers of reliability_study.json, and the minimum whatever the signs."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from detectable.inference.curves import CubicCurve, fit_cubic, local_minimum
from tests.inference.test_power_law import X, gold

COEFFICIENTS = st.floats(-3.0, 3.0).filter(lambda x: abs(x) > 1e-3)


@pytest.mark.golden
@pytest.mark.parametrize("sign", ["<", ">"])
def test_published_minima(sign: str) -> None:
    stored = gold()[f"cubic_d{sign}0"]
    curve = CubicCurve(**{name: stored[name] for name in "dcba"}, r2=1.0)
    assert curve.x_max == pytest.approx(stored["xmax3"], rel=1e-12)
    assert curve.x_min == pytest.approx(stored["xmin3"], rel=1e-12)
    assert curve.x_max != pytest.approx(stored["as_printed"], rel=0.01)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "y"),
    [
        ("cubic_fit_x^-0.5_on_1..15", X**-0.5),
        ("cubic_fit_.1exp(-.2x)+.02", 0.1 * np.exp(-0.2 * X) + 0.02),
    ],
)
def test_published_fits_without_a_minimum(name: str, y: np.ndarray) -> None:
    stored, curve = gold()[name], fit_cubic(X, y)
    assert curve is not None
    for part in ("d", "c", "b", "a", "r2"):
        assert getattr(curve, part) == pytest.approx(stored[part], rel=1e-9), part
    assert curve.x_min == pytest.approx(stored["xmin3"], rel=1e-9)
    assert curve.x_max is None


@given(COEFFICIENTS, COEFFICIENTS, COEFFICIENTS)
def test_the_minimum_is_one_for_either_sign_of_d(d: float, c: float, b: float) -> None:
    curve = CubicCurve(d=d, c=c, b=b, a=0.0, r2=1.0)
    inside = c * c - 3.0 * d * b
    assume(abs(inside) > 1e-6)
    x = curve.x_max
    if inside < 0.0:
        assert x is None
    elif x is not None:
        assert x > 0.0
        assert curve.slope(x) == pytest.approx(0.0, abs=1e-6 * (1.0 + abs(d) * x * x))
        assert 6.0 * d * x + 2.0 * c > 0.0
    else:
        root = (-c + math.sqrt(inside)) / (3.0 * d)
        assert root <= 0.0


def test_degenerate_curves() -> None:
    assert local_minimum(0.0, 1.0, -4.0) == 2.0  # a parabola
    assert local_minimum(0.0, 0.005, -0.02) == 2.0  # a flat one
    assert local_minimum(0.0, 1.0, -0.01) == 0.005  # near zero
    assert local_minimum(0.0, 1.0, 0.0) is None  # at zero
    assert local_minimum(0.0, -1.0, 4.0) is None  # one that opens downwards
    assert local_minimum(0.0, 0.0, -1.0) is None  # a line
    assert local_minimum(1.0, -3.0, 3.0) is None  # a point of inflection
    assert local_minimum(1e-14, 1.0, -4.0) == pytest.approx(2.0)


def test_height_and_slope_by_hand() -> None:
    curve = CubicCurve(d=1.0, c=-2.0, b=3.0, a=-4.0, r2=1.0)
    assert curve.at(3.0) == 27.0 - 18.0 + 9.0 - 4.0
    assert curve.slope(3.0) == 27.0 - 12.0 + 3.0


def test_the_tangent_must_fall() -> None:
    rising = CubicCurve(d=0.0, c=0.0, b=1.0, a=1.0, r2=1.0)
    assert rising.x_min is None
    falling = CubicCurve(d=0.0, c=0.0, b=-0.5, a=3.0, r2=1.0)
    assert falling.tangent_end(2.0) == 6.0
    assert (falling.at(2.0), falling.slope(2.0)) == (2.0, -0.5)


def test_five_known_points_are_needed() -> None:
    y = np.array([1.0, 0.5, 0.4, 0.35, 0.3, 0.28])
    y[1] = math.nan
    assert fit_cubic(X[:6], y) is not None
    assert fit_cubic(X[:5], y[:5]) is None


def test_nothing_at_all_is_flat() -> None:
    curve = fit_cubic(X, np.zeros(15))
    assert curve is not None
    assert (curve.d, curve.c, curve.b, curve.a) == (0.0, 0.0, 0.0, 0.0)
    assert (curve.x_min, curve.x_max) == (None, None)


def test_a_line_is_a_cubic_too() -> None:
    curve = fit_cubic(X, 3.0 - 0.1 * X)
    assert curve is not None
    assert (curve.d, curve.c) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert (curve.b, curve.a, curve.r2) == pytest.approx((-0.1, 3.0, 1.0))
