"""Statistics of runs and systems: which row is whose, and how they are added up."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.factor import factor
from detectable.inference.sample import Sample, same_units
from detectable.inference.sampled_answers import sampled_answers, true_difference_variance
from detectable.metrics.bleu import Bleu
from tests.gold_evals import epochs, evals
from tests.samples import mean_sample

# Two runs of S0, one of S1, three units.
SAMPLE = mean_sample(np.array([[1.0, 2.0, 3.0], [3.0, 4.0, 8.0]]), [10.0, 20.0, 60.0])


def test_runs_of_a_system_stand_together() -> None:
    assert SAMPLE.n_units == 3
    assert SAMPLE.run_scores(0).tolist() == [2.0, 5.0]
    assert SAMPLE.run_scores(1).tolist() == [30.0]
    assert (SAMPLE.score(0), SAMPLE.score(1)) == (3.5, 30.0)
    assert SAMPLE.of(1).shape[:2] == (1, 3)


def test_the_influence_of_a_unit_on_a_mean() -> None:
    assert SAMPLE.influence(0) == pytest.approx(
        np.array([[-1.0, 0.0, 1.0], [-2.0, -1.0, 3.0]]) / 3.0
    )


def test_pooled_runs_are_summed_where_equal_and_averaged_where_not() -> None:
    score = SAMPLE.metric.score
    assert score(SAMPLE.pooled().sum(axis=1)).tolist() == [3.5, 30.0]
    assert SAMPLE.pooled()[0] == pytest.approx(SAMPLE.of(0).mean(axis=0))
    equal = mean_sample(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]]))
    assert equal.pooled()[1] == pytest.approx(equal.of(1).sum(axis=0))


def test_segments_of_a_document_are_added_up() -> None:
    by_document = SAMPLE.by_document(np.array([1, 0, 1]))
    assert by_document.n_units == 2
    assert by_document.of(0)[0] == pytest.approx(
        np.stack([SAMPLE.of(0)[0, 1], SAMPLE.of(0)[0, 0] + SAMPLE.of(0)[0, 2]])
    )
    assert by_document.score(0) == SAMPLE.score(0)
    assert (by_document.systems, by_document.runs) == (SAMPLE.systems, SAMPLE.runs)


def test_metrics_share_their_units() -> None:
    assert same_units((SAMPLE, SAMPLE)) == 3
    with pytest.raises(InputError, match=r"got \[2, 3\]"):
        same_units((SAMPLE, SAMPLE.by_document(np.array([1, 0, 1]))))


def test_the_share_of_a_unit_is_that_of_its_scores_over_all_runs() -> None:
    nan = float("nan")
    sample = mean_sample([[1.0, 2.0, nan, 3.0], [1.0, nan, nan, 3.0]], [1.0, 1.0, 1.0, 1.0])
    # Numbers of scores 1, ½, 0, 1 by unit.
    assert sample.shares(0).tolist() == [0.4, 0.2, 0.0, 0.4]
    assert sample.shares(1).tolist() == [0.25] * 4
    by_document = sample.by_document(np.array([0, 1, 1, 1]))
    assert by_document.shares(0).tolist() == pytest.approx([0.4, 0.6])
    assert by_document.shares(1).tolist() == [0.25, 0.75]


def test_without_anything_to_weigh_by_units_weigh_alike() -> None:
    empty = Sample(SAMPLE.metric, ("A",), (1,), np.zeros((1, 5, 2)))
    assert empty.shares(0).tolist() == [0.2] * 5


def test_only_the_first_run_of_some_systems() -> None:
    sample = mean_sample([[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]])
    for systems, runs, scores in (
        ({0}, (1, 2), [1.5, 5.5]),
        ({1}, (2, 1), [3.5, 3.5]),
        ({0, 1}, (1, 1), [1.5, 3.5]),
        (set(), (2, 2), [3.5, 5.5]),
    ):
        found = sample.first_runs(systems)
        assert found.runs == runs
        assert [found.score(s) for s in range(2)] == scores
        assert (found.systems, found.n_units) == (sample.systems, 2)


@pytest.mark.parametrize("kind", [np.int16, np.int32])
@pytest.mark.parametrize("runs", [(1, 1, 1), (2, 2, 2), (3, 2, 1)])
def test_small_integers_give_what_doubles_give(
    kind: type, runs: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 32_768, (sum(runs), 50, 10))
    names = ("a", "b", "c")
    plain = Sample(Bleu(), names, runs, counts.astype(np.float64))
    small = Sample(Bleu(), names, runs, counts.astype(kind))
    documents = np.sort(rng.integers(0, 12, 50))
    for place in (documents, rng.permutation(documents)):
        added = small.by_document(place).statistics
        np.testing.assert_array_equal(added, plain.by_document(place).statistics)
        assert added.dtype == np.float64
    monkeypatch.setattr("detectable.inference.sample._DOCUMENTS", 5)
    monkeypatch.setattr("detectable.metrics.base._ROWS", 7)
    for place in (documents, rng.permutation(documents)):
        np.testing.assert_array_equal(
            small.by_document(place).statistics, plain.by_document(place).statistics
        )
    np.testing.assert_array_equal(small.pooled(), plain.pooled())
    for system in range(3):
        assert small.run_scores(system).tolist() == plain.run_scores(system).tolist()
        assert small.shares(system).tolist() == plain.shares(system).tolist()
        np.testing.assert_allclose(
            small.influence(system), plain.influence(system), rtol=1e-11, atol=1e-13
        )


# --- test_sampled_answers ---

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
