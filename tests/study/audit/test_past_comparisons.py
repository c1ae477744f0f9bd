"""Comparisons of an archive, from judgments and from histograms of them."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.data.factor import factor
from detectable.data.human.judgments import Judgments
from detectable.data.human.score_histograms import ScoreHistograms
from detectable.study.audit.past_comparisons import PastComparisons


def histograms(*counts: list[int]) -> ScoreHistograms:
    return ScoreHistograms(
        values=np.arange(float(len(counts[0]))),
        counts=np.array(counts, dtype=np.int64),
        campaign=factor("campaign", ["c"] * len(counts)),
        system=factor("system", [f"s{i}" for i in range(len(counts))]),
    )


def test_histograms_are_compared_as_samples_are() -> None:
    counts = [4, 3, 2, 1], [1, 2, 5, 4]
    first, second = (np.repeat(np.arange(4.0), one) for one in counts)
    found = PastComparisons.from_histograms(histograms(*counts)).tested
    expected = stats.mannwhitneyu(first, second, method="asymptotic")
    assert found.p_value == pytest.approx([expected.pvalue])
    assert found.difference == pytest.approx([first.mean() - second.mean()])
    error = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
    assert found.standard_error == pytest.approx([error**0.5])
    assert (found.df.tolist(), found.n.tolist()) == ([20.0], [11.0])


def test_two_judgments_have_a_variance_and_one_has_none() -> None:
    found = PastComparisons.from_histograms(histograms([1, 1], [1, 1], [0, 1], [1, 0])).tested
    known = [True, False, False, False, False, False]  # pairs 01, 02, 03, 12, 13, 23
    assert (~np.isnan(found.standard_error)).tolist() == known
    assert found.standard_error[0] == pytest.approx(0.5**0.5)
    assert found.df.tolist() == [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert found.p_value[0] == 1.0


def test_degrees_of_freedom_of_judgments_are_at_least_one() -> None:
    table: dict[str, list[Any]] = {
        "system": ["A", "B"] * 2,
        "item": [1, 1, 2, 2],
        "rater": ["w"] * 4,
        "score": [70, 60, 50, 45],
    }
    found = PastComparisons.from_judgments(Judgments.build(table), unit="item")
    assert found.paired is not None
    assert (found.tested.df.tolist(), found.tested.n.tolist()) == ([2.0], [2.0])
    assert found.paired.df.tolist() == [1.0]
    alone = {name: column[:2] for name, column in table.items()}
    assert PastComparisons.from_judgments(Judgments.build(alone)).tested.df.tolist() == [1.0]
