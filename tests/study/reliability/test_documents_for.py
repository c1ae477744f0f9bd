"""How many documents targets take: the smallest number, by search and by the formula."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from detectable.inference.delta import detectable_shift, t_quantile
from detectable.study.reliability.documents_for import smallest


def _width(k: int) -> float:
    return t_quantile(0.975, k - 1.0)


@given(st.floats(0.01, 30.0))
def test_the_number_is_enough_and_one_less_is_not(ratio: float) -> None:
    k = smallest(ratio, _width)
    assert k is not None
    assert k >= 2
    assert _width(k) * ratio <= math.sqrt(k)
    if k > 2:
        assert _width(k - 1) * ratio > math.sqrt(k - 1)


@pytest.mark.parametrize("ratio", [3.0, 10.0])
def test_with_many_documents_it_is_the_formula(ratio: float) -> None:
    """(z c / h)², and ((z + z) c / δ)²: one or two more by t."""
    k = smallest(ratio, _width)
    assert k is not None
    assert 1 < k - (ndtri(0.975) * ratio) ** 2 < 4
    found = smallest(ratio, lambda k: detectable_shift(k - 1.0, alpha=0.05, power=0.8))
    assert found is not None
    assert 1 < found - ((ndtri(0.975) + ndtri(0.8)) * ratio) ** 2 < 4


def test_two_documents_are_the_fewest() -> None:
    assert smallest(1e-9, _width) == 2


def test_what_is_out_of_reach() -> None:
    assert smallest(1e9, _width) is None
