"""Matching cells and testing differences of many pairs, against loops and scipy."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.pairing import (
    clustered_means,
    correlations,
    pair_counts,
    signed_ranks_z,
    swap_units,
)
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold

pytestmark = pytest.mark.usefixtures("each_engine")


def ragged(rng: np.random.Generator, sizes: list[int]) -> tuple[IntArray, FloatArray]:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, rng.integers(-9, 10, starts[-1]).astype(np.float64)


def test_means_without_clusters_are_those_of_scipy() -> None:
    starts, d = ragged(np.random.default_rng(1), [12, 0, 1, 40])
    mean, error, df = clustered_means(starts, np.arange(d.size), d, d.size)
    for p in (0, 3):
        part = d[starts[p] : starts[p + 1]]
        assert mean[p] == pytest.approx(part.mean())
        assert error[p] == pytest.approx(stats.sem(part))
        assert df[p] == part.size - 1
    assert np.isnan(mean[1])
    assert np.isnan(error[1:3]).all()


def test_clusters_are_those_of_the_matrices() -> None:
    rng = np.random.default_rng(2)
    starts, d = ragged(rng, [30, 50])
    cluster = rng.integers(0, 9, d.size)  # the same names occur in both pairs
    _, error, df = clustered_means(starts, cluster, d, 9)
    for p in range(2):
        part = slice(starts[p], starts[p + 1])
        expected = matrix_cr2(d[part], cluster[part])
        assert (error[p], df[p]) == pytest.approx(expected, rel=1e-10)
        assert df[p] < np.unique(cluster[part]).size - 1


def test_clusters_of_one_size_are_those_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    starts, d = ragged(np.random.default_rng(2), [30, 50])
    cluster = np.concatenate([np.tile(np.arange(6), 5), np.tile(np.arange(10), 5)])
    _, error, df = clustered_means(starts, cluster, d, 10)
    for p, groups in enumerate((6, 10)):
        part = slice(starts[p], starts[p + 1])
        fit = sm.OLS(d[part], np.ones(d[part].size)).fit(
            cov_type="cluster", cov_kwds={"groups": cluster[part], "use_correction": False}
        )
        assert error[p] == pytest.approx(fit.bse[0] * np.sqrt(groups / (groups - 1)))
        assert df[p] == groups - 1  # to the last bit


@pytest.mark.golden
def test_clusters_are_those_of_clubsandwich() -> None:
    rows = gold("cluster_robust")["rows"]
    starts = np.cumsum([0, *(len(row["y"]) for row in rows)])
    cluster = np.concatenate([np.repeat(np.arange(len(r["sizes"])), r["sizes"]) for r in rows])
    d = np.concatenate([row["y"] for row in rows])
    mean, error, df = clustered_means(starts, cluster, d, 10)
    for p, row in enumerate(rows):
        assert mean[p] == pytest.approx(row["mean"], rel=1e-12)
        assert error[p] == pytest.approx(row["se_CR2"], rel=1e-12)
        assert df[p] == pytest.approx(row["df_BM"], rel=1e-12)


def test_two_clusters_by_hand() -> None:
    # Mean 3, residual sums −3 and 3, shares ¾ and ¼; then one cluster, which has no error.
    d = np.array([2.0, 6.0, 1.0, 3.0, 5.0, 6.0])
    mean, error, df = clustered_means(np.array([0, 4, 6]), np.array([1, 0, 1, 1, 1, 1]), d, 2)
    assert mean.tolist() == [3.0, 5.5]
    assert error[0] == pytest.approx(3.0**0.5)
    assert np.isnan(error[1])
    assert df.tolist() == [1.0, 0.0]


def test_correlations_are_those_of_scipy() -> None:
    starts, a = ragged(np.random.default_rng(3), [20, 5, 1])
    b = a + np.random.default_rng(4).normal(size=a.size)
    b[20:25] = 3.0
    r = correlations(starts, a, b)
    assert r[0] == pytest.approx(stats.pearsonr(a[:20], b[:20]).statistic)
    assert np.isnan(r[1:]).all()


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_signed_ranks_are_those_of_scipy(values: list[int]) -> None:
    d = np.array(values, dtype=np.float64)
    z = signed_ranks_z(np.array([0, d.size]), d)[0]
    if not d.any():
        assert z == 0.0
        return
    expected = stats.wilcoxon(d, zero_method="pratt", correction=True, method="asymptotic")
    assert min(1.0, 2.0 * stats.norm.sf(abs(z))) == pytest.approx(expected.pvalue, abs=1e-12)


def test_no_differences_have_no_signed_rank() -> None:
    assert np.isnan(signed_ranks_z(np.array([0, 0]), np.empty(0))[0])


def test_a_unit_changes_sides_as_a_whole_and_half_of_them_do() -> None:
    starts = np.array([0, 40_000, 80_000])
    unit = np.tile(np.repeat(np.arange(20_000), 2), 2)
    swapped = swap_units(starts, unit, 5)
    assert (swapped[0::2] == swapped[1::2]).all()
    own = swapped[0::2].reshape(2, -1)
    error = 0.5 / np.sqrt(20_000)
    assert np.abs(own.mean(axis=1) - 0.5).max() < 4.0 * error
    # Pairs, neighbouring units and neighbouring seeds go their own ways.
    other = swap_units(starts, unit, 6)[0::2].reshape(2, -1)
    for agreement in (own[0] == own[1], own[0, 1:] == own[0, :-1], own[0] == other[0]):
        assert abs(agreement.mean() - 0.5) < 4.0 * error


def test_counts_without_swaps_are_plain_counts() -> None:
    rng = np.random.default_rng(6)
    starts = np.array([0, 30, 50])
    value, unit = rng.integers(0, 4, 50), rng.integers(0, 8, 50)
    systems = (np.array([0]), np.array([1]))
    a, b = pair_counts(np.array([0]), systems, (starts, value, unit), 4, -1)
    np.testing.assert_array_equal(a[0], np.bincount(value[:30], minlength=4))
    np.testing.assert_array_equal(b[0], np.bincount(value[30:], minlength=4))


def test_counts_follow_the_swaps_of_the_cells() -> None:
    rng = np.random.default_rng(7)
    starts, unit = np.array([0, 30, 50]), rng.integers(0, 8, 50)
    value = rng.integers(0, 4, 50)
    systems = (np.array([0]), np.array([1]))
    a, b = pair_counts(np.array([0]), systems, (starts, value, unit), 4, 11)
    moved = swap_units(np.array([0, 50]), unit, 11)
    in_first = (np.arange(50) < 30) != moved
    assert moved.any()
    np.testing.assert_array_equal(a[0], np.bincount(value[in_first], minlength=4))
    np.testing.assert_array_equal(b[0], np.bincount(value[~in_first], minlength=4))


STARTS, D, UNIT = np.array([0, 2, 5]), np.arange(5.0), np.array([0, 1, 2, 0, 1])
BEYOND, FALLING = np.array([0, 2, 6]), np.array([0, 5, 2])
SYSTEMS = (np.array([0]), np.array([1]))


@pytest.mark.parametrize("starts", [BEYOND, FALLING, np.array([-1, 2])])
def test_parts_that_are_not_there_are_refused(starts: IntArray) -> None:
    with pytest.raises(InputError, match="`starts` must"):
        clustered_means(starts, UNIT, D, 3)
    with pytest.raises(InputError, match="`starts` must"):
        correlations(starts, D, D)
    with pytest.raises(InputError, match="`starts` must"):
        signed_ranks_z(starts, D)
    with pytest.raises(InputError, match="`starts` must"):
        swap_units(starts, UNIT, 1)
    with pytest.raises(InputError, match="`starts` must"):
        pair_counts(np.array([0]), SYSTEMS, (starts, UNIT, UNIT), 3, -1)


@given(
    cluster=st.lists(st.integers(-1, 3), min_size=5, max_size=5),
    value=st.lists(st.integers(-1, 3), min_size=5, max_size=5),
    systems=st.tuples(st.integers(-1, 2), st.integers(-1, 2)),
    pair=st.integers(-1, 1),
)
def test_an_index_that_is_not_there_is_an_error_and_no_crash(
    cluster: list[int], value: list[int], systems: tuple[int, int], pair: int
) -> None:
    def refused(fits: bool, what: str, call: Callable[[], object]) -> None:
        if fits:
            call()
            return
        with pytest.raises(InputError, match=f"`{what}` must lie in 0 to"):
            call()

    inside = set(cluster) <= {0, 1, 2}
    refused(inside, "cluster", lambda: clustered_means(STARTS, np.array(cluster), D, 3))
    slots = np.array([systems[0]]), np.array([systems[1]])
    rows = (STARTS, np.array(value), UNIT)
    fits = set(value) <= {0, 1, 2} and set(systems) <= {0, 1} and pair == 0
    refused(
        fits,
        "(value|pairs|first|second)",
        lambda: pair_counts(np.array([pair]), slots, rows, 3, 5),
    )


def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="`cluster` must have the shape"):
        clustered_means(STARTS, UNIT[:-1], D, 3)
    with pytest.raises(InputError, match="`b` must have the shape"):
        correlations(STARTS, D, D[:-1])
    with pytest.raises(InputError, match="`unit` must have the shape"):
        pair_counts(np.array([0]), SYSTEMS, (STARTS, UNIT, UNIT[:-1]), 3, -1)


def test_sizes_that_differ_in_the_last_bit_are_no_ties() -> None:
    # Ranks 1 and 2, of which the larger is positive; one shared rank would give 0.
    d = np.array([-1.0, np.nextafter(1.0, 2.0)])
    assert signed_ranks_z(np.array([0, 2]), d, 0.0)[0] == pytest.approx(0.5 / (0.5 * 5**0.5))
    assert signed_ranks_z(np.array([0, 2]), -d, 0.0)[0] == pytest.approx(-0.5 / (0.5 * 5**0.5))


def test_pairs_need_not_begin_with_the_first_unit() -> None:
    d = np.array([9.0, 1.0, -2.0, 4.0, 9.0])
    other = np.array([7.0, 1.0, 0.0, 5.0, 7.0])
    part, whole = np.array([1, 4]), np.array([0, 3])
    assert signed_ranks_z(part, d) == signed_ranks_z(whole, d[1:4])
    assert correlations(part, d, other) == correlations(whole, d[1:4], other[1:4])
    moved = swap_units(part, np.arange(5), 3)
    assert moved[1:4].tolist() == swap_units(whole, np.arange(1, 4), 3).tolist()
    assert not moved[[0, 4]].any()
