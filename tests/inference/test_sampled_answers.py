import math

import numpy as np
import pytest

from detectable.data.factor import factor
from detectable.inference.sampled_answers import sampled_answers, true_difference_variance
from tests.gold_evals import epochs, evals

NAN = float("nan")


@pytest.mark.golden
def test_four_epochs_of_130_questions() -> None:
    scores = epochs()
    clusters = factor("document", list(scores.documents or ())).codes
    a, b = (sampled_answers(scores.systems[name], clusters) for name in "AB")
    miller = a.standard_error_clusters * math.sqrt(89 / 90)
    for got, key in (
        (a.value, "epochs.A.mean"), (b.value, "epochs.B.mean"),
        (a.standard_error_clusters, "epochs.A.se_clustered"),
        (b.standard_error_clusters, "epochs.B.se_clustered"),
        (a.standard_error_these, "epochs.A.se_test_set"),
        (b.standard_error_these, "epochs.B.se_test_set"),
        (a.variance_samples, "epochs.A.var_within"),
        (b.variance_samples, "epochs.B.var_within"),
        (a.variance_questions, "epochs.A.var_question"),
        (b.variance_questions, "epochs.B.var_question"),
        (a.standard_error, "epochs.A.se_question"),
        (a.standard_error_rows, "epochs.A.se_naive_rows"),
        (miller, "epochs.A.se_clustered_miller"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), rel=1e-6), key
    for found in (a, b):
        assert (found.n_questions, found.n_samples, found.n_clusters) == (130, 520, 90)


@pytest.mark.golden
def test_the_variance_of_true_differences() -> None:
    scores = epochs()
    ours, theirs = (sampled_answers(scores.systems[name]) for name in "BA")
    means = scores.averaged().systems
    found = true_difference_variance((means["B"] - means["A"])[0], ours, theirs)
    assert found == pytest.approx(evals("paired.omega2"), rel=1e-6)
    unpaired = math.hypot(ours.standard_error, theirs.standard_error)
    assert unpaired == pytest.approx(evals("paired.se_unpaired"), rel=1e-6)


def test_the_formulas_with_unequal_numbers_of_samples() -> None:
    table = np.array([[1.0, 0.0, 2.0], [3.0, NAN, 4.0], [NAN, NAN, 9.0]])
    found = sampled_answers(table)
    means, k = np.array([2.0, 0.0, 5.0]), np.array([2, 1, 3])
    within = (2.0 + 26.0) / 3  # squares within questions over samples less questions
    assert found.value == pytest.approx(means.mean())
    assert found.variance_samples == pytest.approx(within)
    assert found.inverse_k == pytest.approx((1 / k).mean())
    assert found.variance_questions == pytest.approx(
        max(means.var(ddof=1) - within * (1 / k).mean(), 0.0)
    )
    # A question with one sample is given the variance of the others.
    these = math.sqrt(2.0 / 2 + within / 1 + 13.0 / 3) / 3
    assert found.standard_error_these == pytest.approx(these)
    rows = np.array([1.0, 0.0, 2.0, 3.0, 4.0, 9.0])
    assert found.value_rows == pytest.approx(rows.mean())
    assert found.standard_error_rows == pytest.approx(rows.std(ddof=1) / math.sqrt(6))
    assert math.isnan(found.standard_error_clusters)


def test_a_negative_variance_is_cut_and_said() -> None:
    found = sampled_answers(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    assert (found.variance_questions, found.cut) == (0.0, True)
    equal = sampled_answers(np.array([[0.0, 1.0], [0.0, 1.0]]))
    assert (equal.variance_samples, equal.cut) == (0.0, False)
    assert equal.variance_questions == pytest.approx(0.5)


def test_one_sample_each_says_nothing_about_sampling() -> None:
    found = sampled_answers(np.array([[0.0, 1.0, 1.0]]))
    assert math.isnan(found.variance_samples)
    assert math.isnan(found.variance_questions)
    assert math.isnan(found.standard_error_these)
    assert not found.cut
    assert found.standard_error == pytest.approx(found.standard_error_rows)


def test_questions_in_one_cluster_have_no_standard_error_of_clusters() -> None:
    table = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    assert math.isnan(sampled_answers(table, np.zeros(3, int)).standard_error_clusters)
    alone = sampled_answers(table, np.arange(3))
    assert alone.standard_error_clusters == pytest.approx(alone.standard_error)


def test_planted_variances_are_found_again() -> None:
    rng = np.random.default_rng(1)
    n, k = 4000, 3
    table = rng.normal(0, 2, n) + rng.normal(0, 3, (k, n))
    table[1, : n // 2] = NAN
    found = sampled_answers(table)
    # Standard errors of variances of normal numbers: σ²√(2/df).
    assert found.variance_samples == pytest.approx(9, abs=4 * 9 * math.sqrt(2 / (1.5 * n)))
    assert found.variance_questions == pytest.approx(4, abs=4 * 8 * math.sqrt(2 / n))
