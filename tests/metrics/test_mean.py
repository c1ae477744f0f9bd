"""Means of given scores, and the share of correct answers."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.scores.scores import Scores
from detectable.metrics.mean import Mean
from detectable.metrics.registry import metric
from detectable.study.comparison.compare import compare

SCORES = {"A": [0.0, 1.0, 0.0, 1.0, np.nan], "B": [1.0, 1.0, 1.0, 0.0, 0.0]}


def test_accuracy_is_a_share_and_ignores_what_is_missing() -> None:
    accuracy = metric("accuracy")
    statistics = accuracy.statistics(Scores.build(SCORES))  # type: ignore[attr-defined]
    assert accuracy.score(statistics.sum(axis=1)) == pytest.approx([0.5, 0.6])
    assert np.isnan(accuracy.score(np.zeros(2)))


def test_accuracy_needs_right_or_wrong() -> None:
    with pytest.raises(
        DataError, match=r"system 'A', item '2' has 0\.5\. Use the metric 'mean'"
    ):
        metric("accuracy").statistics(Scores.build({"A": [0, 0.5]}))  # type: ignore[attr-defined]


def test_margins_and_effects_of_accuracy_are_shares() -> None:
    rng = np.random.default_rng(4)
    answers = rng.random(400) < 0.8
    other = np.where(rng.random(400) < 0.04, ~answers, answers)
    scores = Scores.build({"old": answers.astype(float), "new": other.astype(float)})
    wide, narrow = (
        compare(scores, baseline="old", margin=m, effect=0.02, rng=1, n_resamples=199)
        for m in (0.05, 0.0005)
    )
    assert wide.pairs[0].verdict == "equivalent"
    assert wide.pairs[0].difference == pytest.approx(other.mean() - answers.mean())
    assert "new and old are equivalent within ±0.0500:" in wide.summary()
    assert narrow.pairs[0].verdict != "equivalent"
    assert narrow.pairs[0].mde < 0.1


def test_a_unit_weighs_by_its_number_of_scores() -> None:
    mean = Mean()
    table = mean.statistics(Scores.build(SCORES))
    assert mean.sizes(table).tolist() == [[1.0, 1.0, 1.0, 1.0, 0.0], [1.0] * 5]
    assert mean.sizes(table.sum(axis=1)).tolist() == [4.0, 5.0]
