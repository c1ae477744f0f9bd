"""Documents in order, and which numbers of them to look at."""

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.inference.prefixes import (
    Documents,
    document_grid,
    known_scores,
    mean_of_runs,
)
from detectable.inference.sample import Sample
from detectable.metrics.mean import Mean
from detectable.metrics.registry import metric

CODES = np.array([1, 0, 1, 2, 0, 1])


def _sample(seed: int = 1, runs: tuple[int, ...] = (1, 2)) -> Sample:
    values = np.random.default_rng(seed).normal(5, 1, (sum(runs), 6))
    table = np.stack([values, np.ones_like(values)], axis=-1)
    return Sample(Mean(), ("A", "B"), runs, table)


def test_segments_are_sorted_by_document_and_keep_their_order() -> None:
    sample = _sample()
    made = Documents.build((sample,), CODES, ("x", "y", "z"))
    order = [1, 4, 0, 2, 5, 3]
    assert np.array_equal(made.samples[0].statistics, sample.statistics[:, order])
    assert made.starts.tolist() == [0, 2, 5, 6]
    assert made.sizes.tolist() == [2, 3, 1]
    assert made.of_segment.tolist() == [0, 0, 1, 1, 1, 2]
    assert (made.n_documents, made.n_segments, made.systems) == (3, 6, ("A", "B"))
    assert made.sums(0)[2, 1] == pytest.approx(sample.statistics[2, [0, 2, 5]].sum(axis=0))


def test_influence_is_the_mean_of_the_runs_and_adds_up_to_zero() -> None:
    made = Documents.build((_sample(),), CODES, ("x", "y", "z"))
    both = made.influence(0, 1)
    apart = made.samples[0].influence(1)
    assert both == pytest.approx(apart.mean(axis=0))
    assert both.sum() == pytest.approx(0.0, abs=1e-12)


def test_every_segment_has_a_document() -> None:
    with pytest.raises(InputError, match="`documents` must name the document of each of the 6"):
        Documents.build((_sample(),), CODES[:5], ("x", "y", "z"))


def test_a_score_of_nothing_is_unknown() -> None:
    sums: FloatArray = np.array([[6.0, 2.0], [0.0, 0.0], [0.0, 3.0]])
    assert known_scores(Mean(), sums) == pytest.approx([3.0, np.nan, 0.0], nan_ok=True)
    gtm = metric("gtm")
    assert known_scores(gtm, np.zeros((2, 3))) == pytest.approx([np.nan] * 2, nan_ok=True)
    assert known_scores(Mean(), sums[:1]).tolist() == [3.0]


def test_the_mean_of_runs() -> None:
    scores = np.array([[1.0, 2.0, 4.0], [0.0, 5.0, 7.0]])
    assert mean_of_runs(scores, (1, 2)).tolist() == [[1.0, 3.0], [0.0, 6.0]]


def test_the_grid_ends_at_all_documents_and_is_not_longer_than_asked() -> None:
    assert document_grid(24).tolist() == list(range(1, 25))
    for n in (25, 107, 321, 10_000):
        grid = document_grid(n)
        assert (grid[0], grid[-1]) == (1, n)
        assert (np.diff(grid) > 0).all()
        assert grid.size <= 24
