"""Matching cells and testing differences of many pairs, against loops and scipy."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.pairing import (
    clustered_means,
    correlations,
    match_cells,
    mean_by_item,
    moments,
    pair_counts,
    rank_sum_z,
    sample_counts,
    signed_rank_z,
    signed_rank_z_untied,
    signed_ranks_z,
    swap_units,
)
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold


def ragged(rng: np.random.Generator, sizes: list[int]) -> tuple[IntArray, FloatArray]:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, rng.integers(-9, 10, starts[-1]).astype(np.float64)


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
def test_two_clusters_by_hand() -> None:
    # Mean 3, residual sums −3 and 3, shares ¾ and ¼; then one cluster, which has no error.
    d = np.array([2.0, 6.0, 1.0, 3.0, 5.0, 6.0])
    mean, error, df = clustered_means(np.array([0, 4, 6]), np.array([1, 0, 1, 1, 1, 1]), d, 2)
    assert mean.tolist() == [3.0, 5.5]
    assert error[0] == pytest.approx(3.0**0.5)
    assert np.isnan(error[1])
    assert df.tolist() == [1.0, 0.0]


@pytest.mark.usefixtures("each_engine")
def test_correlations_are_those_of_scipy() -> None:
    starts, a = ragged(np.random.default_rng(3), [20, 5, 1])
    b = a + np.random.default_rng(4).normal(size=a.size)
    b[20:25] = 3.0
    r = correlations(starts, a, b)
    assert r[0] == pytest.approx(stats.pearsonr(a[:20], b[:20]).statistic)
    assert np.isnan(r[1:]).all()


@pytest.mark.usefixtures("each_engine")
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_signed_ranks_are_those_of_scipy(values: list[int]) -> None:
    d = np.array(values, dtype=np.float64)
    z = signed_ranks_z(np.array([0, d.size]), d)[0]
    if not d.any():
        assert z == 0.0
        return
    expected = stats.wilcoxon(d, zero_method="pratt", correction=True, method="asymptotic")
    assert min(1.0, 2.0 * stats.norm.sf(abs(z))) == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.usefixtures("each_engine")
def test_no_differences_have_no_signed_rank() -> None:
    assert np.isnan(signed_ranks_z(np.array([0, 0]), np.empty(0))[0])


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
def test_counts_without_swaps_are_plain_counts() -> None:
    rng = np.random.default_rng(6)
    starts = np.array([0, 30, 50])
    value, unit = rng.integers(0, 4, 50), rng.integers(0, 8, 50)
    systems = (np.array([0]), np.array([1]))
    a, b = pair_counts(np.array([0]), systems, (starts, value, unit), 4, -1)
    np.testing.assert_array_equal(a[0], np.bincount(value[:30], minlength=4))
    np.testing.assert_array_equal(b[0], np.bincount(value[30:], minlength=4))


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="`cluster` must have the shape"):
        clustered_means(STARTS, UNIT[:-1], D, 3)
    with pytest.raises(InputError, match="`b` must have the shape"):
        correlations(STARTS, D, D[:-1])
    with pytest.raises(InputError, match="`unit` must have the shape"):
        pair_counts(np.array([0]), SYSTEMS, (STARTS, UNIT, UNIT[:-1]), 3, -1)


@pytest.mark.usefixtures("each_engine")
def test_sizes_that_differ_in_the_last_bit_are_no_ties() -> None:
    # Ranks 1 and 2, of which the larger is positive; one shared rank would give 0.
    d = np.array([-1.0, np.nextafter(1.0, 2.0)])
    assert signed_ranks_z(np.array([0, 2]), d, 0.0)[0] == pytest.approx(0.5 / (0.5 * 5**0.5))
    assert signed_ranks_z(np.array([0, 2]), -d, 0.0)[0] == pytest.approx(-0.5 / (0.5 * 5**0.5))


@pytest.mark.usefixtures("each_engine")
def test_pairs_need_not_begin_with_the_first_unit() -> None:
    d = np.array([9.0, 1.0, -2.0, 4.0, 9.0])
    other = np.array([7.0, 1.0, 0.0, 5.0, 7.0])
    part, whole = np.array([1, 4]), np.array([0, 3])
    assert signed_ranks_z(part, d) == signed_ranks_z(whole, d[1:4])
    assert correlations(part, d, other) == correlations(whole, d[1:4], other[1:4])
    moved = swap_units(part, np.arange(5), 3)
    assert moved[1:4].tolist() == swap_units(whole, np.arange(1, 4), 3).tolist()
    assert not moved[[0, 4]].any()


# --- Matching cells of two systems, against a loop ---

# Two campaigns with three and two systems; slots 0 1 2 and 3 4; pairs 01 02 12 and 34.
CAMPAIGN = np.array([0, 0, 0, 1, 1])
PAIRS = [(0, 1), (0, 2), (1, 2), (3, 4)]

slots = st.sampled_from([(0,), (0, 1), (0, 2), (1, 2), (0, 1, 2), (3,), (4,), (3, 4)])


@given(st.lists(slots, min_size=1, max_size=20))
def test_matched_cells_are_those_of_a_loop(groups: list[tuple[int, ...]]) -> None:
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    slot = np.concatenate([np.array(g) for g in groups])
    first, second = np.array(PAIRS).T
    starts, left, right = match_cells(group, slot, CAMPAIGN, first, second)
    expected: list[list[tuple[int, int]]] = [[] for _ in PAIRS]
    for x, y in combinations(range(slot.size), 2):
        if group[x] == group[y]:
            expected[PAIRS.index((slot[x], slot[y]))].append((x, y))
    for p, cells in enumerate(expected):
        part = slice(starts[p], starts[p + 1])
        assert list(zip(left[part].tolist(), right[part].tolist(), strict=True)) == cells


def test_raters_of_an_item_are_averaged() -> None:
    starts = np.array([0, 3, 3, 5])
    item = np.array([7, 7, 9, 7, 8])
    begins, items, a, b, d = mean_by_item(
        starts, item, np.array([1.0, 3, 5, 6, 7]), np.array([0.0, 1, 2, 3, 4])
    )
    assert begins.tolist() == [0, 2, 2, 4]
    assert items.tolist() == [7, 9, 7, 8]
    assert a.tolist() == [2, 5, 6, 7]
    assert b.tolist() == [0.5, 2, 3, 4]
    assert d.tolist() == [1.5, 3, 3, 3]


@given(st.lists(slots, min_size=1, max_size=20), st.permutations([(0, 2), (4, 3), (2, 1)]))
def test_some_pairs_in_any_order(
    groups: list[tuple[int, ...]], chosen: list[tuple[int, int]]
) -> None:
    group = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    slot = np.concatenate([np.array(g) for g in groups])
    starts, left, right = match_cells(group, slot, CAMPAIGN, *np.array(chosen).T)
    for p, (one, other) in enumerate(chosen):
        part = slice(starts[p], starts[p + 1])
        assert (slot[left[part]] == one).all()
        assert (slot[right[part]] == other).all()
        both = [{one, other} <= set(g) for g in groups]
        assert group[left[part]].tolist() == np.flatnonzero(both).tolist()


def test_items_of_neighbouring_pairs_stay_apart() -> None:
    one = np.ones(2)
    begins, items, *_ = mean_by_item(np.array([0, 1, 1, 2, 2]), np.array([5, 5]), one, one)
    assert (begins.tolist(), items.tolist()) == ([0, 1, 1, 2, 2], [5, 5])
    begins, items, *_ = mean_by_item(np.array([0, 0]), np.zeros(0, np.int64), one[:0], one[:0])
    assert (begins.tolist(), items.tolist()) == ([0, 0], [])


# --- Rank tests from counts against scipy, row by row ---

VALUES = np.arange(11.0)
some_counts = st.lists(st.integers(0, 9), min_size=11, max_size=11).filter(lambda c: sum(c) > 1)


def two_sided(z: FloatArray) -> FloatArray:
    p: FloatArray = 2.0 * stats.norm.sf(np.abs(z))
    return p


@pytest.mark.usefixtures("each_engine")
@given(a=some_counts, b=some_counts)
def test_the_rank_sum_is_that_of_scipy(a: list[int], b: list[int]) -> None:
    x, y = np.repeat(VALUES, a), np.repeat(VALUES, b)
    if np.unique(np.concatenate([x, y])).size < 2:
        return
    z = rank_sum_z(np.array([a]), np.array([b]))
    expected = stats.mannwhitneyu(x, y, method="asymptotic").pvalue
    assert two_sided(z)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("each_engine")
@given(a=some_counts, b=some_counts)
def test_swapping_the_samples_mirrors_the_rank_sum(a: list[int], b: list[int]) -> None:
    one, other = np.array([a]), np.array([b])
    assert rank_sum_z(one, other)[0] == pytest.approx(-rank_sum_z(other, one)[0], abs=1e-12)


@pytest.mark.usefixtures("each_engine")
def test_equal_values_give_no_evidence() -> None:
    assert rank_sum_z(np.array([[0, 5, 0]]), np.array([[0, 7, 0]])).tolist() == [0.0]
    assert signed_rank_z(np.array([[0, 5, 0]])).tolist() == [0.0]


@pytest.mark.usefixtures("each_engine")
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


@pytest.mark.usefixtures("each_engine")
def test_the_signed_rank_without_ties_is_that_of_scipy() -> None:
    rows = np.random.default_rng(1).normal(0.2, 1.0, (5, 40))
    for row, z in zip(rows, signed_rank_z_untied(rows), strict=True):
        expected = stats.wilcoxon(row, correction=True, method="asymptotic").pvalue
        assert two_sided(np.array([z]))[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("each_engine")
def test_moments_are_those_of_the_values() -> None:
    counts = np.random.default_rng(2).integers(0, 50, (4, 11))
    mean, variance = moments(counts, VALUES)
    for row, (m, v) in zip(counts, zip(mean, variance, strict=True), strict=True):
        values = np.repeat(VALUES, row)
        assert (m, v) == pytest.approx((values.mean(), values.var(ddof=1)), rel=1e-12)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("n", [1, 7, 600, 5000])  # odd, even, one by one, cell by cell
def test_counts_have_the_right_size_and_shares(n: int) -> None:
    chances = np.array([0.0, 0.5, 0.2, 0.0, 0.3])
    counts = sample_counts(chances, n, 4000, np.random.default_rng(3))
    assert (counts.sum(axis=1) == n).all()
    assert (counts[:, [0, 3]] == 0).all()
    error = np.sqrt(chances * (1.0 - chances) / (4000 * n))
    assert (np.abs(counts.mean(axis=0) / n - chances) <= 4.5 * error).all()


@pytest.mark.usefixtures("each_engine")
def test_small_samples_vary_as_a_multinomial_does() -> None:
    chances = np.array([0.1, 0.6, 0.3])
    counts = sample_counts(chances, 50, 20_000, np.random.default_rng(4))
    assert counts.var(axis=0) == pytest.approx(50 * chances * (1.0 - chances), rel=0.05)
