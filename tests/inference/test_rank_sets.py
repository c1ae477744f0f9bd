"""Critical values of all pairs at once, and the ranks that go with them."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.inference.bradley_terry import fit_strengths
from detectable.inference.rank_sets import (
    largest_of_all,
    largest_range,
    pair_errors,
    rank_ranges,
)
from tests.gold_evals import evals
from tests.inference.battles.battles_file import NAMES, votes
from tests.inference.test_bradley_terry import chosen


@pytest.mark.golden
def test_the_largest_of_fifteen_pairs() -> None:
    """Gold has a standard error of .0022 (400,000 draws), ours of .0015."""
    found = largest_of_all(chosen("prompt")[:6, :6], np.random.default_rng(1))
    assert found.critical(0.05) == pytest.approx(evals("bt.rank.crit_maxt"), abs=0.007)


@pytest.mark.golden
def test_rank_sets_of_the_page() -> None:
    matrix = chosen("prompt")[:6, :6]
    strengths = fit_strengths(votes()).strengths
    errors = pair_errors(matrix)
    t = np.divide(
        np.subtract.outer(strengths, strengths), errors, where=errors > 0, out=0 * errors
    )
    critical = largest_of_all(matrix, np.random.default_rng(2)).critical(0.05)
    low, high = rank_ranges(t > critical)
    for i, name in enumerate(NAMES):
        assert [low[i], high[i]] == evals("bt.rank.sets_maxt")[name]


@pytest.mark.golden
def test_the_studentized_range() -> None:
    assert largest_range(6, 0.05) == pytest.approx(evals("bt.rank.crit_tukey"), abs=1e-7)


@pytest.mark.parametrize(("k", "alpha"), [(3, 0.05), (10, 0.01), (40, 0.1)])
def test_the_studentized_range_is_that_of_scipy(k: int, alpha: float) -> None:
    wanted = stats.studentized_range.ppf(1 - alpha, k, np.inf) / math.sqrt(2)
    assert largest_range(k, alpha) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("k", [3, 6, 12])
def test_equally_sure_estimates_have_tukeys_critical_value(k: int) -> None:
    found = largest_of_all(np.eye(k), np.random.default_rng(k))
    assert found.critical(0.05) == pytest.approx(largest_range(k, 0.05), abs=0.007)


def test_few_degrees_of_freedom_are_the_studentized_range_as_well() -> None:
    found = largest_of_all(np.eye(4), np.random.default_rng(4), df=9)
    wanted = stats.studentized_range.ppf(0.95, 4, 9) / math.sqrt(2)
    assert found.critical(0.05) == pytest.approx(wanted, abs=0.012)


def test_two_systems_have_the_normal_quantile() -> None:
    found = largest_of_all(np.diag([1.0, 2.0]), np.random.default_rng(0), n_draws=1000)
    assert found.critical(0.05) == pytest.approx(1.959964, abs=3e-4)
    assert found.p(np.array([1.0, -1.0])) == pytest.approx(2 * stats.norm.sf(1.0), rel=1e-3)


@pytest.mark.slow
def test_a_critical_value_is_as_sure_as_it_says() -> None:
    drawn = [
        largest_of_all(np.eye(6), np.random.default_rng(s)).critical(0.05) for s in range(30)
    ]
    assert np.std(drawn) < 0.0025
    assert np.mean(drawn) == pytest.approx(largest_range(6, 0.05), abs=4 * 0.0016 / 30**0.5)


def test_p_and_the_critical_value_agree() -> None:
    found = largest_of_all(np.diag([1.0, 2.0, 0.5]), np.random.default_rng(3))
    for alpha in (0.2, 0.05, 0.001):
        critical = found.critical(alpha)
        assert found.p(np.array([critical + 1e-6]))[0] <= alpha
        assert found.p(np.array([critical - 1e-6]))[0] > alpha
    assert found.p(np.array([0.0, 1e9])).tolist() == pytest.approx([1.0, 0.0], abs=1e-200)


def test_a_pair_without_error_takes_no_part() -> None:
    covariance = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert pair_errors(covariance)[0, 1] == 0.0
    found = largest_of_all(covariance, np.random.default_rng(3))
    assert found.critical(0.05) == pytest.approx(1.959964, abs=3e-4)
    nothing = largest_of_all(np.zeros((3, 3)), np.random.default_rng(3))
    assert nothing.p(np.array([0.0]))[0] == 1.0


def test_the_mean_of_all_takes_no_part() -> None:
    plain = largest_of_all(np.diag([1.0, 2.0, 3.0]), np.random.default_rng(5))
    lifted = largest_of_all(np.diag([1.0, 2.0, 3.0]) + 7.0, np.random.default_rng(5))
    assert lifted.critical(0.05) == pytest.approx(plain.critical(0.05), abs=1e-9)
