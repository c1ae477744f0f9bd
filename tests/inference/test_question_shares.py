"""Counts of the score method for many evaluations at once."""

import math

import numpy as np
import pytest

from detectable.inference.shares import PairedShares, question_counts


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_it_is_what_paired_shares_says_of_rates(k: int, grouped: bool) -> None:
    rng = np.random.default_rng(3)
    new, old = rng.binomial(k, 0.7, (6, 40)) / k, rng.binomial(k, 0.6, (6, 40)) / k
    groups = rng.integers(0, 9, 40) if grouped else None
    found = question_counts(new, old, answers=float(k), clusters=groups)
    for i in range(6):
        one = PairedShares.of_rates(new[i], old[i], k, groups)
        assert found.fixed[i] == pytest.approx(one.fixed / one.n, rel=1e-12)
        assert found.broken[i] == pytest.approx(one.broken / one.n, rel=1e-12)
        assert found.effective[i] == pytest.approx(one.n / one.design_effect, rel=1e-12)
        assert found.df == pytest.approx(one.df, rel=1e-12)


def test_single_answers_in_groups_are_counts_of_clusters() -> None:
    rng = np.random.default_rng(4)
    new, old = rng.integers(0, 2, 30).astype(float), rng.integers(0, 2, 30).astype(float)
    groups = np.arange(30) // 3
    one = PairedShares.of(new, old, groups)
    found = question_counts(new, old, clusters=groups)
    assert float(found.effective) == pytest.approx(30 / one.design_effect, rel=1e-12)
    assert found.df == one.df == 9.0


def test_single_answers_alone_are_counted() -> None:
    found = question_counts(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    assert (float(found.effective), found.df) == (3.0, math.inf)
    assert float(found.fixed) == pytest.approx(1 / 3)


def test_of_one_group_nothing_follows() -> None:
    found = question_counts(
        np.array([[1.0, 0.5]]), np.array([[0.5, 0.5]]), answers=2.0, clusters=np.zeros(2, int)
    )
    assert math.isnan(found.df)
