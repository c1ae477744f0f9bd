"""Derivatives of scores: over any leading axes, by hand, and homogeneous of degree 0."""

import numpy as np
import pytest

from detectable.metrics.registry import metric
from tests.inference.test_standard_errors import METRICS, ruen


@pytest.mark.parametrize("name", ["bleu", "nist", "chrf", "mwer", "gtm", "mean"])
def test_many_vectors_give_the_same_bits_as_one(name: str) -> None:
    widths = {"bleu": 10, "nist": 11, "chrf": 18, "mwer": 2, "gtm": 3, "mean": 2}
    sums = np.random.default_rng(1).uniform(50, 90, (2, 3, widths[name]))
    sums[0, 1, 0] = 0.0
    one = metric(name)
    many = one.gradient(sums)
    assert many.shape == sums.shape
    for place in np.ndindex(2, 3):
        assert np.array_equal(many[place], one.gradient(sums[place]))
    assert many[0, 1, 0] == 0.0


def test_the_derivative_of_a_mean_by_hand() -> None:
    found = metric("mean").gradient(np.array([[6.0, 2.0], [9.0, 3.0]]))
    assert found == pytest.approx(np.array([[0.5, -1.5], [1 / 3, -1.0]]), rel=1e-8)


@pytest.mark.golden
@pytest.mark.parametrize("name", METRICS)
def test_influence_values_add_up_to_zero_by_themselves(name: str) -> None:
    """A score does not change when every segment is counted twice."""
    one = metric(METRICS[name])
    for table in ruen()[name].astype(np.float64):
        total = table.sum(axis=0)
        values = table @ one.gradient(total)
        assert abs(values.sum()) < 1e-7 * float(one.score(total))
        assert values == pytest.approx(one.influence(table), abs=1e-9)
