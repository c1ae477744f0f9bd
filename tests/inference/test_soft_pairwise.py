"""P-values of pairs of systems, and how far two measures share them."""

import numpy as np
import pytest

from detectable.inference.pairwise_accuracy import normal_p, permutation_p, soft_accuracy
from tests.gold_evals import evals


@pytest.mark.golden
def test_the_exact_tiny_case() -> None:
    human = np.array([[1.0, 2, 3], [2, 3, 4]])
    metric = np.array([[2.0, 2, 4], [1, 3, 5]])
    p = [
        permutation_p((v[0] - v[1])[:, None], 1000, np.random.default_rng(1))
        for v in (human, metric)
    ]
    assert [float(one[0]) for one in p] == [1.0, 0.875]
    # mt-metrics-eval draws and says .872.
    assert soft_accuracy(p[0], p[1], np.ones(1)) == evals("mtme.spa_exact_tiny") == 0.875


@pytest.mark.parametrize(
    ("n", "drawn_signs"), [(400, 20_000), (400, 1_000), (64, 1_000), (63, 1_000)]
)
def test_drawn_signs_tend_to_the_normal_p(n: int, drawn_signs: int) -> None:
    rng = np.random.default_rng(2)
    differences = rng.normal([0.0, 0.1, 0.3], 1.0, (n, 3))
    normal = normal_p(differences.sum(axis=0), np.square(differences).sum(axis=0))
    drawn = permutation_p(differences, drawn_signs, np.random.default_rng(3))
    error = np.sqrt(normal * (1 - normal) / drawn_signs)
    assert (np.abs(drawn - normal) < 4 * error + 0.002).all()
    assert (drawn > 0).all()


def test_equal_systems_are_a_coin() -> None:
    zero = np.zeros((5, 1))
    assert normal_p(zero.sum(axis=0), zero.sum(axis=0)).tolist() == [0.5]
    assert permutation_p(zero, 100, np.random.default_rng(1)).tolist() == [1.0]


def test_without_pairs_there_is_no_value() -> None:
    assert np.isnan(soft_accuracy(np.ones(2), np.ones(2), np.zeros(2)))


def test_weights_are_shares_of_their_sum() -> None:
    first, second = np.array([0.1, 0.6, 0.3]), np.array([0.2, 0.2, 0.3])
    for scale in (1.0, 1e-3, 50.0):
        found = soft_accuracy(first, second, scale * np.array([2.0, 1.0, 3.0]))
        assert found == pytest.approx(1.0 - (2 * 0.1 + 0.4) / 6)
