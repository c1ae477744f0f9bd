"""Cubics: the numbers of reliability_study.json, and the minimum whatever the signs."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.inference.curves import (
    CubicCurve,
    explained,
    exponents,
    fit_cubic,
    fit_power_law,
    flat_from,
    local_minimum,
    steepest_end,
)
from tests.helpers import reference_data

X = np.arange(1.0, 16.0)
HEIGHTS = st.floats(1e-4, 1e3)
FALLS = st.floats(0.05, 2.0)


def gold() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        reference_data("gold", "reliability_study.json").read_text(encoding="utf-8")
    )
    return found


@pytest.mark.golden
def test_published_formulas() -> None:
    for name, numbers in gold()["formulas"].items():
        a, b, epsilon = (float(part.split("=")[1]) for part in name.split(","))
        assert steepest_end(b) == pytest.approx(numbers["xmin"], rel=1e-12)
        assert flat_from(a, b, epsilon) == pytest.approx(numbers["xmax"], rel=1e-12)


@pytest.mark.golden
def test_fits_of_stored_curves() -> None:
    for stored in gold()["ruen21_15docs"]["delta_rel_sd"].values():
        law = fit_power_law(X, stored["rel_sd"])
        assert law is not None
        for name, value in stored["power"].items():
            # The stored curve is rounded to six decimals.
            assert getattr(law, name) == pytest.approx(value, rel=2e-4), name
        assert law.x_min == pytest.approx(stored["xmin"], rel=2e-4)
        assert law.x_max(1e-4) == pytest.approx(stored["xmax_1e4"], rel=2e-4)


@pytest.mark.golden
def test_least_squares_of_stored_curves() -> None:
    path = reference_data("gold", "reliability_study_ru-en21.json")
    stored = json.loads(path.read_text(encoding="utf-8"))["cesta_like"]["metrics"]
    for metric in stored.values():
        for row in metric["per_system"]:
            law = fit_power_law(X, row["rel_sd"], fit="nls")
            assert law is not None
            for name, value in row["nls"].items():
                assert getattr(law, name) == pytest.approx(value, rel=2e-3), name


@given(HEIGHTS, FALLS, st.sampled_from(["log", "nls"]))
def test_an_exact_law_is_recovered(a: float, b: float, fit: Any) -> None:
    law = fit_power_law(X, a * X**-b, fit=fit)
    assert law is not None
    assert (law.a, law.b) == pytest.approx((a, b), rel=1e-6)
    assert (law.r2_log, law.r2_lin) == pytest.approx((1.0, 1.0))
    assert law.at(X) == pytest.approx(a * X**-b, rel=1e-6)


@given(HEIGHTS, FALLS, st.floats(0.5, 5.0))
def test_the_tangent_meets_zero_whatever_the_height(a: float, b: float, at: float) -> None:
    height, slope = a * at**-b, -a * b * at ** -(b + 1.0)
    assert steepest_end(b, at) == pytest.approx(at - height / slope)


@given(HEIGHTS, FALLS, st.floats(1e-6, 1e-1))
def test_x_max_is_where_the_slope_is_epsilon_in_any_units(
    a: float, b: float, epsilon: float
) -> None:
    x = flat_from(a, b, epsilon)
    assert x is not None
    assert a * b * x ** -(b + 1.0) == pytest.approx(epsilon)
    assert flat_from(100.0 * a, b, 100.0 * epsilon) == pytest.approx(x)


def test_a_rising_curve_has_neither() -> None:
    law = fit_power_law(X, 0.1 * X**0.2)
    assert law is not None
    assert law.b == pytest.approx(-0.2)
    assert (law.x_min, law.x_max(1e-4)) == (None, None)


def test_a_curve_that_hardly_falls_has_both() -> None:
    assert steepest_end(0.005) == pytest.approx(201.0)
    assert flat_from(0.09, 0.005, 1e-6) == pytest.approx(450.0 ** (1 / 1.005))
    assert flat_from(0.005, 0.5, 1e-4) == pytest.approx(25.0 ** (1 / 1.5))
    assert (steepest_end(0.0), flat_from(0.1, 0.0, 1e-4)) == (None, None)


def test_points_without_a_spread_do_not_count() -> None:
    y = 0.1 * X**-0.5
    y[[0, 3, 5]] = 0.0, math.nan, -1.0
    law = fit_power_law(X, y)
    assert law is not None
    assert (law.a, law.b) == pytest.approx((0.1, 0.5))
    assert fit_power_law([1, 2, 3], [0.1, 0.0, 0.05]) is None
    assert fit_power_law([1, 2, 3], [0.1, 0.08, 0.05]) is not None


def test_many_exponents_are_those_of_single_fits() -> None:
    rng = np.random.default_rng(3)
    y = 0.1 * X ** -rng.uniform(0.1, 1.0, (4, 5, 1)) * rng.uniform(0.8, 1.2, (4, 5, 15))
    y[0, 0, :3], y[1, 1, 2:] = (0.0, math.nan, -1.0), math.nan
    found = exponents(X, y)
    assert math.isnan(found[1, 1])
    for place in np.ndindex(4, 5):
        law = fit_power_law(X, y[place])
        if law is not None:
            assert found[place] == pytest.approx(law.b, rel=1e-9)
    assert np.isfinite(found).sum() == 19


def test_a_constant_has_nothing_to_explain() -> None:
    assert math.isnan(explained(np.ones(4), np.ones(4)))
    assert explained(np.array([0.0, 2.0]), np.array([0.5, 1.5])) == 0.75


def test_bad_input() -> None:
    with pytest.raises(InputError, match="`fit` must be one of log, nls; got 'cubic'"):
        fit_power_law(X, X, fit="cubic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`x` and `y` must be vectors of one length"):
        fit_power_law([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="`epsilon` must be a finite number above 0; got 0"):
        flat_from(0.1, 0.5, 0.0)


# --- Cubics: the numbers of reliability_study.json, and the minimum whatever the signs ---

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
