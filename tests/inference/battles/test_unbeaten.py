"""A system that won or lost everything: its bound and its tests."""

import math

import numpy as np
import pytest

from detectable.core.types import FloatArray
from detectable.inference.battle_votes import Votes, plain_votes
from detectable.inference.bradley_terry import among, bound, fit_strengths, in_clusters, p_above

CHI2 = 2.705543454095404  # .9 quantile, one degree of freedom


def even(n: int = 50) -> Votes:
    """Return two systems that won equally often."""
    a, b = np.zeros(2 * n, dtype=int), np.ones(2 * n, dtype=int)
    return plain_votes(2, a, b, np.repeat([1.0, 0.0], n))


def likelihood(ranked: Votes, against: FloatArray, strength: float) -> float:
    """Return the highest likelihood with a strength held, by a search over a grid."""
    best = -math.inf
    for gap in np.linspace(-1.5, 1.5, 6001):
        others = np.array([0.5 * gap, -0.5 * gap])
        d = others[ranked.a] - others[ranked.b]
        value = float((ranked.outcome * d - np.logaddexp(0, d)).sum())
        value -= float(np.logaddexp(0, others[against] - strength).sum())
        best = max(best, value)
    return best


@pytest.mark.parametrize("against", [[0, 0, 0, 1], [0, 1, 0, 1, 1, 1]])
def test_the_bound_is_where_the_likelihood_ratio_says(against: list[int]) -> None:
    ranked, met = even(), np.array(against)
    ones = np.ones(met.size)
    found = bound(ranked, met, ones, ones, alpha=0.05)
    top = fit_strengths(ranked).likelihood
    assert 2 * (top - likelihood(ranked, met, found)) == pytest.approx(CHI2, abs=2e-3)
    assert bound(ranked, met, 0 * ones, ones, alpha=0.05) == pytest.approx(-found, abs=1e-6)
    assert bound(ranked, met, ones, ones, alpha=0.01) < found


def test_a_bound_against_many_others_is_that_of_a_share() -> None:
    """Against sure opponents of strength 0, n wins bound the chance: n log p = −χ²/2."""
    n = 12
    met = np.tile([0, 1], n // 2)
    found = bound(even(100_000), met, np.ones(n), np.ones(n), alpha=0.05)
    chance = math.exp(-0.5 * CHI2 / n)
    assert found == pytest.approx(math.log(chance / (1 - chance)), abs=1e-3)


def test_who_is_above_one_other_is_tested_against_the_two_as_one() -> None:
    """n wins against one opponent alone: against a coin, 2 n log 2."""
    ranked = even()
    for n in (3, 8):
        met, ones = np.zeros(n, dtype=int), np.ones(n)
        root = math.sqrt(2 * n * math.log(2))
        wanted = 0.5 * math.erfc(root / math.sqrt(2))
        assert p_above(ranked, met, ones, 0, sign=1.0) == pytest.approx(wanted, rel=1e-9)
        assert p_above(ranked, met, ones, 0, sign=-1.0) == pytest.approx(wanted, rel=1e-9)
        # Of the other, whom it never met, less is known.
        assert p_above(ranked, met, ones, 1, sign=1.0) > wanted


def test_votes_of_a_cluster_count_as_one() -> None:
    weight = in_clusters(np.ones(5), np.array([7, 7, 7, 2, 9]))
    assert weight == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    assert in_clusters(weight, None) is weight


def test_votes_between_some_are_numbered_anew() -> None:
    votes = plain_votes(4, np.array([0, 1, 3]), np.array([3, 3, 1]), np.array([1.0, 0.5, 0.0]))
    cut = among(votes, np.array([1, 3]))
    assert (cut.n_systems, cut.a.tolist(), cut.b.tolist()) == (2, [0, 1], [1, 0])
    assert cut.outcome.tolist() == [0.5, 0.0]
