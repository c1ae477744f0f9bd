"""Stouffer's method, with and without signs."""

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.combine import stouffer, unsigned_stouffer

P = [0.01, 0.2, 0.4, 0.85]


def test_equals_scipy_on_one_sided_p_values() -> None:
    z = stats.norm.isf(P)
    assert stouffer(z).p_greater == pytest.approx(
        stats.combine_pvalues(P, method="stouffer").pvalue, rel=1e-12
    )


def test_equals_scipy_with_weights() -> None:
    weights = [1.0, 2.0, 3.0, 0.5]
    expected = stats.combine_pvalues(P, method="stouffer", weights=weights).pvalue
    found = stouffer(stats.norm.isf(P), weights=weights)
    assert found.p_greater == pytest.approx(expected, rel=1e-12)


def test_opposite_effects_cancel_with_signs_and_add_up_without() -> None:
    z = np.array([3.0, -3.0])
    assert stouffer(z).p_two_sided == 1.0
    assert unsigned_stouffer(2 * stats.norm.sf(np.abs(z))) < 0.001


def test_unsigned_equals_scipy_on_two_sided_p_values() -> None:
    assert unsigned_stouffer(P) == pytest.approx(
        stats.combine_pvalues(P, method="stouffer").pvalue, rel=1e-12
    )


def test_a_p_value_of_one_is_finite() -> None:
    assert 0.0 < unsigned_stouffer([1.0, 0.5]) <= 1.0


def test_weights_are_checked() -> None:
    with pytest.raises(InputError, match="`weights` must be one number ≥ 0 per statistic"):
        stouffer([1.0, 2.0], weights=[0.0, 0.0])


def test_by_hand() -> None:
    found = stouffer([1.0, 3.0], weights=[4.0, 3.0])
    assert found.z == pytest.approx(13.0 / 5.0)
    assert found.p_greater == pytest.approx(stats.norm.sf(2.6))
    assert found.p_two_sided == pytest.approx(2 * stats.norm.sf(2.6))
    turned = stouffer([-1.0, -3.0], weights=[4.0, 3.0])
    assert (turned.z, turned.p_two_sided) == pytest.approx((-2.6, found.p_two_sided))
    assert turned.p_greater == pytest.approx(stats.norm.cdf(2.6))
    assert stouffer([2.0, 5.0], weights=[1.0, 0.0]).z == 2.0  # a part may weigh nothing


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0]])
def test_bad_weights(weights: list[float]) -> None:
    with pytest.raises(InputError, match=r"not all 0; got .* for 2"):
        stouffer([1.0, 2.0], weights=weights)


def test_unsigned_ends_are_finite() -> None:
    assert unsigned_stouffer([0.0]) == pytest.approx(0.0, abs=1e-299)
    assert unsigned_stouffer([0.0, 0.5]) > 0.0
    assert unsigned_stouffer([1.0]) == pytest.approx(1.0)
    assert unsigned_stouffer([0.5]) == 0.5


def test_a_p_value_of_one_does_not_drown_the_others() -> None:
    assert unsigned_stouffer([1.0, 1e-12]) == pytest.approx(0.80, abs=0.01)
