"""Rank tests from counts against scipy, row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from detectable.core.types import FloatArray
from detectable.kernels.pairing import (
    moments,
    rank_sum_z,
    sample_counts,
    signed_rank_z,
    signed_rank_z_untied,
)

pytestmark = pytest.mark.usefixtures("each_engine")

VALUES = np.arange(11.0)
some_counts = st.lists(st.integers(0, 9), min_size=11, max_size=11).filter(lambda c: sum(c) > 1)


def two_sided(z: FloatArray) -> FloatArray:
    p: FloatArray = 2.0 * stats.norm.sf(np.abs(z))
    return p


@given(a=some_counts, b=some_counts)
def test_the_rank_sum_is_that_of_scipy(a: list[int], b: list[int]) -> None:
    x, y = np.repeat(VALUES, a), np.repeat(VALUES, b)
    if np.unique(np.concatenate([x, y])).size < 2:
        return
    z = rank_sum_z(np.array([a]), np.array([b]))
    expected = stats.mannwhitneyu(x, y, method="asymptotic").pvalue
    assert two_sided(z)[0] == pytest.approx(expected, abs=1e-12)


@given(a=some_counts, b=some_counts)
def test_swapping_the_samples_mirrors_the_rank_sum(a: list[int], b: list[int]) -> None:
    one, other = np.array([a]), np.array([b])
    assert rank_sum_z(one, other)[0] == pytest.approx(-rank_sum_z(other, one)[0], abs=1e-12)


def test_equal_values_give_no_evidence() -> None:
    assert rank_sum_z(np.array([[0, 5, 0]]), np.array([[0, 7, 0]])).tolist() == [0.0]
    assert signed_rank_z(np.array([[0, 5, 0]])).tolist() == [0.0]


@settings(deadline=None)
@given(
    st.lists(st.integers(-5, 5), min_size=2, max_size=60).filter(
        lambda d: any(x != 0 for x in d)
    )
)
def test_the_signed_rank_is_that_of_scipy(differences: list[int]) -> None:
    counts = np.bincount(np.array(differences) + 5, minlength=11)[None]
    expected = stats.wilcoxon(differences, correction=True, method="asymptotic").pvalue
    assert two_sided(signed_rank_z(counts))[0] == pytest.approx(expected, abs=1e-12)


def test_the_signed_rank_without_ties_is_that_of_scipy() -> None:
    rows = np.random.default_rng(1).normal(0.2, 1.0, (5, 40))
    for row, z in zip(rows, signed_rank_z_untied(rows), strict=True):
        expected = stats.wilcoxon(row, correction=True, method="asymptotic").pvalue
        assert two_sided(np.array([z]))[0] == pytest.approx(expected, abs=1e-12)


def test_moments_are_those_of_the_values() -> None:
    counts = np.random.default_rng(2).integers(0, 50, (4, 11))
    mean, variance = moments(counts, VALUES)
    for row, (m, v) in zip(counts, zip(mean, variance, strict=True), strict=True):
        values = np.repeat(VALUES, row)
        assert (m, v) == pytest.approx((values.mean(), values.var(ddof=1)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 7, 600, 5000])  # odd, even, one by one, cell by cell
def test_counts_have_the_right_size_and_shares(n: int) -> None:
    chances = np.array([0.0, 0.5, 0.2, 0.0, 0.3])
    counts = sample_counts(chances, n, 4000, np.random.default_rng(3))
    assert (counts.sum(axis=1) == n).all()
    assert (counts[:, [0, 3]] == 0).all()
    error = np.sqrt(chances * (1.0 - chances) / (4000 * n))
    assert (np.abs(counts.mean(axis=0) / n - chances) <= 4.5 * error).all()


def test_small_samples_vary_as_a_multinomial_does() -> None:
    chances = np.array([0.1, 0.6, 0.3])
    counts = sample_counts(chances, 50, 20_000, np.random.default_rng(4))
    assert counts.var(axis=0) == pytest.approx(50 * chances * (1.0 - chances), rel=0.05)
