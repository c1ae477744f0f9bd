"""Roots between two points."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from detectable.core.errors import DetectableError
from detectable.kernels.roots import bracketed_root

CURVES: tuple[Callable[[float], float], ...] = (
    math.tanh,
    lambda x: x**3 + 1e-3 * x,
    math.expm1,
    lambda x: math.erf(x) + 1e-9 * x,
    lambda x: x,
    lambda x: math.copysign(abs(x) ** 0.2, x),
)


@given(
    st.sampled_from(CURVES),
    st.floats(-20.0, 20.0),
    st.floats(0.01, 30.0),
    st.floats(0.01, 30.0),
    st.booleans(),
)
def test_the_root_is_found(
    curve: Callable[[float], float], root: float, left: float, right: float, falls: bool
) -> None:
    calls = 0

    def function(x: float) -> float:
        nonlocal calls
        calls += 1
        return -curve(x - root) if falls else curve(x - root)

    found = bracketed_root(function, root - left, root + right)
    assert found == pytest.approx(root, abs=2e-12 + 4 * 2.3e-16 * abs(root))
    mine, calls = calls, 0
    brentq(function, root - left, root + right)
    assert mine <= calls + 2  # the same steps, up to rounding
    exact = bracketed_root(function, root - left, root + right, tolerance=1e-15)
    assert exact == pytest.approx(root, abs=1e-15 + 8 * 2.3e-16 * abs(root))


def test_an_end_that_is_a_root_is_returned() -> None:
    assert bracketed_root(lambda x: x, 0.0, 1.0) == 0.0
    assert bracketed_root(lambda x: x, -1.0, 0.0) == 0.0


def test_a_coarser_answer_takes_fewer_steps() -> None:
    calls = []

    def cube(x: float) -> float:
        calls.append(x)
        return x**3 - 2.0

    fine = bracketed_root(cube, 0.0, 5.0, tolerance=0.0)
    n_fine = len(calls)
    coarse = bracketed_root(cube, 0.0, 5.0, tolerance=0.0, relative=0.05)
    assert len(calls) - n_fine < n_fine
    assert coarse == pytest.approx(2.0 ** (1 / 3), abs=0.1)
    assert fine == pytest.approx(2.0 ** (1 / 3), rel=1e-15)


def test_ends_of_one_sign_are_refused() -> None:
    with pytest.raises(
        DetectableError, match="there is no root between 1 and 2: the function is"
    ):
        bracketed_root(lambda x: x * x, 1.0, 2.0)
    with pytest.raises(DetectableError, match="no root between"):
        bracketed_root(lambda x: -x, 1.0, 2.0)
