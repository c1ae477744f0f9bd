"""Statistics of runs and systems: which row is whose, and how they are added up."""

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.inference.sample import Sample, same_units
from detectable.metrics.bleu import Bleu
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
