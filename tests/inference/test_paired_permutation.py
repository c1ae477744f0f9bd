"""Sign flips of many pairs: scipy's enumeration, level, clusters, missing units, repeatability."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.multiplicity import holm
from detectable.inference.sign_flips import paired_permutation
from tests.helpers import golden
from tests.inference.matrix_cr2 import matrix_cr2
from tests.inference.small_samples import gold
from tests.inference.swap_oracle import (
    p_of_all_signs,
)

NAN = float("nan")


def by_scipy(differences: FloatArray) -> float:
    """Return the p-value of all sign flips of one pair, as scipy counts them."""
    from scipy.stats import permutation_test

    test = permutation_test(
        (differences, np.zeros(len(differences))),
        lambda x, y, axis: np.sum(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    return float(test.pvalue)


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("paired_randomization"), ids=lambda c: c["name"])
def test_published_value(case: dict[str, Any]) -> None:
    test = paired_permutation(case["differences"], n_resamples=50_000, rng=0)
    assert test.p_values[0] == pytest.approx(case["p_value"], abs=case["tolerance"])


@given(st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=2, max_size=8))
def test_all_sign_patterns_give_the_p_of_scipy(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=np.float64)
    test = paired_permutation(table)
    assert test.exact
    assert "signs:all" in str(test.signature)
    expected = [by_scipy(pair) for pair in table.T]
    np.testing.assert_allclose(test.p_values, expected, rtol=1e-12)


def test_all_sign_patterns_give_the_p_of_scipy_for_fractions() -> None:
    table = np.random.default_rng(3).normal(0.4, 1.0, (10, 4)).round(1)
    test = paired_permutation(table)
    expected = [by_scipy(pair) for pair in table.T]
    np.testing.assert_allclose(test.p_values, expected, rtol=1e-12)


def test_a_cluster_keeps_its_signs_together() -> None:
    rng = np.random.default_rng(4)
    table, clusters = rng.normal(0.3, 1.0, (40, 3)), rng.integers(0, 9, 40) * 7
    sums = np.stack([table[clusters == c].sum(axis=0) for c in np.unique(clusters)])
    test = paired_permutation(table, clusters)
    np.testing.assert_allclose(test.p_values, [by_scipy(pair) for pair in sums.T], rtol=1e-12)
    assert test.n_resamples == 2 ** (len(sums) - 1) - 1


@pytest.mark.parametrize("units", [1, 2, 15, 16])
def test_up_to_fifteen_units_all_patterns_are_counted(units: int) -> None:
    test = paired_permutation(np.arange(1.0, units + 1.0), n_resamples=50, rng=1)
    assert test.exact == (units < 16)
    assert test.n_resamples == (2 ** (units - 1) - 1 if units < 16 else 50)
    assert test.swaps.n_resamples == test.n_resamples
    if test.exact:  # all differences are positive: no other pattern is as extreme
        assert test.p_values[0] == 2.0 ** (1 - units)
        assert test.signature.seed is None
    else:
        assert "R:50" in str(test.signature)
        assert test.signature.seed == "1"


def test_drawn_signs_agree_with_all_signs() -> None:
    table = np.random.default_rng(5).normal(0.3, 1.0, (16, 5))
    expected = np.array([p_of_all_signs(pair) for pair in table.T])
    drawn = paired_permutation(table, n_resamples=2**14 - 1, rng=6)
    assert not drawn.exact
    error = np.sqrt(expected * (1.0 - expected) / 2**14)
    assert (np.abs(drawn.p_values - expected) < 4.0 * error).all()


@pytest.mark.parametrize("shape", ["normal", "skewed halves", "ratings"])
def test_the_level_is_kept(shape: str) -> None:
    # Swapping two exchangeable scores makes symmetric differences, whatever the scores are.
    rng = np.random.default_rng(7)
    units, pairs = 40, 4000
    draws: dict[str, Callable[[], FloatArray]] = {
        "normal": lambda: rng.normal(size=(units, pairs)),
        "skewed halves": lambda: rng.exponential(size=(units, pairs)) ** 2,
        "ratings": lambda: rng.binomial(4, 0.8, (units, pairs)).astype(np.float64),
    }
    draw = draws[shape]
    test = paired_permutation(draw() - draw(), n_resamples=1999, rng=rng)
    share = float((test.p_values <= 0.05).mean())
    error = np.sqrt(0.05 * 0.95 / pairs)
    assert share < 0.05 + 3.0 * error
    assert share > 0.05 - 3.0 * error or shape == "ratings"  # ties make p larger


def test_documents_as_clusters_keep_the_level_that_sentences_miss() -> None:
    rng = np.random.default_rng(8)
    documents, sentences, pairs = 20, 10, 4000
    clusters = np.repeat(np.arange(documents), sentences)
    table = rng.normal(size=(documents, pairs)) * 0.5
    table = table[clusters] + rng.normal(size=(clusters.size, pairs))
    error = np.sqrt(0.05 * 0.95 / pairs)
    by_document = paired_permutation(table, clusters, n_resamples=1999, rng=rng)
    assert abs((by_document.p_values <= 0.05).mean() - 0.05) < 3.0 * error
    alone = paired_permutation(table, n_resamples=499, rng=rng)
    assert (alone.p_values <= 0.05).mean() > 0.2


def test_the_answer_does_not_depend_on_who_computes_it() -> None:
    table = np.random.default_rng(9).normal(0.1, 1.0, (60, 7))
    here = paired_permutation(table, n_resamples=3000, rng=1)
    spread = paired_permutation(table, n_resamples=3000, rng=1, n_jobs=2)
    with ThreadPoolExecutor(2) as threads:
        threaded = paired_permutation(table, n_resamples=3000, rng=1, executor=threads)
    for other in (spread, threaded):
        np.testing.assert_array_equal(here.p_values, other.p_values)
        np.testing.assert_array_equal(here.p_max_t, other.p_max_t)
        # The order of the swaps too, bit for bit.
        np.testing.assert_array_equal(here.swaps.counted.largest, other.swaps.counted.largest)
        for pair in range(7):
            for alpha in (0.01, 0.1):
                ours, theirs = (t.swaps.interval(pair, alpha) for t in (here, other))
                assert ours == theirs


@pytest.mark.parametrize("more", [{"n_resamples": 3000}, {"n_resamples": 3000, "rng": 2}])
def test_a_seed_repeats_the_draws_and_another_does_not(more: dict[str, Any]) -> None:
    table = np.random.default_rng(9).normal(0.1, 1.0, (60, 2))
    here = paired_permutation(table, rng=1, n_resamples=3000)
    other = paired_permutation(table, **{"rng": 1, **more})
    same = np.array_equal(here.swaps.counted.largest, other.swaps.counted.largest)
    assert same == ("rng" not in more)


def test_whole_numbers_are_added_up_exactly() -> None:
    rng = np.random.default_rng(10)
    table = rng.integers(-100, 101, (300, 4)).astype(np.float64)
    whole = paired_permutation(table, n_resamples=2000, rng=2)
    # A factor that is no power of two takes the road of double precision.
    fractions = paired_permutation(table / 3.0, n_resamples=2000, rng=2)
    np.testing.assert_array_equal(whole.p_values, fractions.p_values)
    np.testing.assert_array_equal(whole.p_max_t, fractions.p_max_t)
    # |Σ s D| of one pair, from its T: whole and of the parity of the total.
    one = paired_permutation(table[:, 0], n_resamples=2000, rng=2).swaps
    sums = one.counted.largest[:, 0] * np.sqrt(np.square(table[:, 0]).sum())
    np.testing.assert_allclose(sums, np.rint(sums), atol=1e-9)
    assert set(np.rint(sums) % 2) == {abs(table[:, 0].sum()) % 2}


def test_pairs_are_tested_on_their_own_units() -> None:
    table = np.array([[1.0, NAN], [2.0, 4.0], [-1.0, NAN], [3.0, 1.0], [2.0, 5.0], [1.0, 2.0]])
    test = paired_permutation(table)
    alone = paired_permutation(table[[1, 3, 4, 5], 1])
    assert test.n.tolist() == [6, 4]
    assert test.df.tolist() == [5, 3]
    assert test.p_values[1] == alone.p_values[0] == 2 / 16
    assert test.standard_errors[1] == pytest.approx(alone.standard_errors[0], rel=1e-12)
    assert test.notes == (
        "2 of 12 differences were not observed; each pair is tested on its own units.",
    )


def test_a_pair_that_was_never_observed_has_no_p() -> None:
    test = paired_permutation(np.array([[1.0, NAN], [2.0, NAN], [2.0, NAN]]))
    assert np.isnan(test.p_values[1])
    assert np.isnan(test.differences[1])
    assert np.isnan(test.standard_errors[1])
    assert test.to_dict()["p_values"] == [0.25, None]
    assert test.notes[1] == "1 pair without a common unit: not tested."
    none = paired_permutation([NAN, NAN])
    assert none.summary() == "undecided: no pair was observed on any unit"


@pytest.mark.parametrize("units", [5, 50])
def test_no_difference_anywhere_is_p_one(units: int) -> None:
    test = paired_permutation(np.zeros((units, 2)), n_resamples=200, rng=1)
    assert test.p_values.tolist() == [1.0, 1.0]
    assert test.standard_errors.tolist() == [0.0, 0.0]


def test_p_is_never_zero() -> None:
    test = paired_permutation(np.full(60, 5.0), n_resamples=200, rng=1)
    assert test.p_values[0] == pytest.approx(1 / 201)


def test_standard_errors_without_clusters_are_the_classical_ones() -> None:
    table = np.random.default_rng(11).normal(size=(30, 3))
    test = paired_permutation(table, n_resamples=100, rng=1)
    expected = table.std(axis=0, ddof=1) / np.sqrt(30)
    np.testing.assert_allclose(test.standard_errors, expected, rtol=1e-12)
    assert test.df.tolist() == [29] * 3


def test_standard_errors_with_clusters_are_those_of_the_matrices() -> None:
    rng = np.random.default_rng(12)
    clusters: IntArray = rng.integers(0, 8, 50)
    d = rng.normal(size=50) + rng.normal(size=8)[clusters]
    test = paired_permutation(d, clusters)
    assert (test.standard_errors[0], test.df[0]) == pytest.approx(
        matrix_cr2(d, clusters), rel=1e-10
    )


@pytest.mark.golden
def test_p_values_of_all_signs_are_those_of_the_reference() -> None:
    rows = gold("sign_flip")["rows"]
    assert len(rows) == 11
    for row in rows:
        assert paired_permutation(row["D"]).p_values[0] == pytest.approx(row["p"], rel=1e-12)


@pytest.mark.golden
def test_the_family_of_the_reference() -> None:
    family = gold("family")
    scores = np.array(family["scores"])
    first, second = np.array(family["pairs"]).T - 1
    test = paired_permutation(scores[:, first] - scores[:, second])
    np.testing.assert_allclose(test.differences, family["difference"], rtol=1e-10)
    np.testing.assert_allclose(test.standard_errors, family["se"], rtol=1e-10)
    np.testing.assert_allclose(test.p_values, family["p"], rtol=1e-12)
    np.testing.assert_allclose(test.p_max_t, family["p_max_t"], rtol=1e-12)
    np.testing.assert_allclose(holm(test.p_values), family["p_holm"], rtol=1e-12)
    assert test.swaps.critical(0, 0.05) == pytest.approx(family["max_t_c"], rel=1e-11)


def test_the_joint_null_serves_max_t() -> None:
    rng = np.random.default_rng(13)
    table = rng.normal(size=(80, 6))
    table[:, 0] += 0.8
    test = paired_permutation(table, n_resamples=2000, rng=3)
    assert test.p_max_t[0] < 0.01
    assert (test.p_max_t >= test.p_values).all()
    # Correction costs something, and less than Holm's.
    assert (test.p_max_t[1:] > test.p_values[1:]).any()
    assert (test.p_max_t <= holm(test.p_values) + 0.02).all()
    assert test.swaps.counted.null is None  # nothing is held


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_exact_p_values_are_whole_numbers_of_patterns(
    units: int, seed: int, pairs: int
) -> None:
    table = np.random.default_rng(seed).integers(-5, 6, (units, pairs)).astype(np.float64)
    test = paired_permutation(table)
    for p in (*test.p_values, *test.p_max_t):
        patterns = p * 2 ** (units - 1)
        assert patterns == np.rint(patterns) >= 1


def test_without_a_margin_there_is_no_test_of_it() -> None:
    test = paired_permutation([1.0, 2.0, 4.0])
    assert np.isnan(test.swaps.p_above()).all()
    assert np.isnan(test.swaps.p_below()).all()


def test_ties_do_not_depend_on_the_unit_of_the_scores() -> None:
    table = (
        np.random.default_rng(17).integers(-5, 8, (12, 3)) / 10
    )  # sums that tie by hand only
    table[3] = 0.0
    plain = paired_permutation(table)
    for scale in (1e-13, 1e-9, 3.0, 1e13):
        moved = paired_permutation(scale * table)
        np.testing.assert_array_equal(plain.p_values, moved.p_values)
        np.testing.assert_array_equal(plain.p_max_t, moved.p_max_t)


def test_the_tallies_stay_out_of_the_json() -> None:
    test = paired_permutation([1.0, 2.0, 4.0])
    assert test.to_dict()["p_max_t"] == [0.25]
    assert "swaps" not in test.to_dict()
    assert "swaps" not in repr(test)


def test_summary_and_messages() -> None:
    test = paired_permutation(np.tile([[3.0, 1.0], [1.0, -1.0]], (6, 1)))
    assert test.summary() == "1 of 2 pairs differ at .05, unadjusted (smallest p = .0005)"
    with pytest.raises(InputError, match="`clusters` must name the cluster of each of the 3"):
        paired_permutation([1.0, 2.0, 3.0], [0, 1])
    with pytest.raises(InputError, match="got inf in row 1, pair 0"):
        paired_permutation([1.0, np.inf])
    with pytest.raises(InputError, match="one row per unit"):
        paired_permutation(np.zeros((0, 2)))
    with pytest.raises(InputError, match="`alpha` must lie strictly between 0 and 1; got 2"):
        paired_permutation([1.0, 2.0], alpha=2)
    with pytest.raises(InputError, match="`margin` must be a finite number above 0; got -1"):
        paired_permutation([1.0, 2.0], margin=-1.0)


def test_the_summary_counts_below_five_percent() -> None:
    # All 2⁵ sign patterns: only the observed one and its mirror are as extreme, 2/32 = .0625.
    five = paired_permutation(np.full((5, 1), 1.0))
    assert five.summary() == "0 of 1 pair differ at .05, unadjusted (smallest p = .0625)"
    six = paired_permutation(np.full((6, 1), 1.0))
    assert six.summary() == "1 of 1 pair differ at .05, unadjusted (smallest p = .0312)"
