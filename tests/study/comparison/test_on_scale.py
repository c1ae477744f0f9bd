"""Intervals end where their metric does, and no verdict moves."""

import math

import pytest

from detectable.core.interval import Interval
from detectable.data.texts.corpus import Corpus
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Accuracy, Mean
from detectable.metrics.ter import Ter
from detectable.study.comparison.compare import compare
from detectable.study.comparison.on_scale import score_on_scale


def three_documents() -> Corpus:
    """Two documents where B nearly copies the reference, and one where it says something else."""
    reference = [
        "the cat sat on the mat today",
        "a dog ran over the long road",
        "he is here now at last",
    ]
    unlike = [
        "one two three four five six",
        "seven eight nine ten eleven",
        "words that are not there",
    ]
    near = [f"{line} indeed" for line in reference]
    return Corpus.build(
        {"A": [*unlike[:2], near[2]], "B": [*near[:2], unlike[2]]},
        [reference],
        documents=["x", "y", "z"],
    )


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_few_documents_do_not_leave_the_scale(metric: str) -> None:
    result = compare(three_documents(), metric, rng=1)
    pair = result.pairs[0]
    assert (pair.interval.low, pair.interval.high) == (-100.0, 100.0)
    assert (pair.interval_alone.low, pair.interval_alone.high) == (-100.0, 100.0)
    assert pair.verdict == "undecided"
    for row in result.systems:
        assert 0.0 <= row.interval.low < row.score < row.interval.high <= 100.0


def test_a_metric_without_an_end_is_not_cut() -> None:
    pair = compare(three_documents(), "ter", rng=1).pairs[0]
    assert pair.interval.high - pair.interval.low > 200.0
    assert Ter().span is None
    assert Mean().span is None


def test_an_interval_keeps_its_own_score() -> None:
    wide = Interval(-5.0, 130.0, 0.95)
    assert score_on_scale(Bleu(), 60.0, wide) == Interval(0.0, 100.0, 0.95)
    above = math.nextafter(100.0, math.inf)
    assert score_on_scale(Bleu(), above, wide) == Interval(0.0, above, 0.95)
    assert score_on_scale(Accuracy(), 0.5, wide) == Interval(0.0, 1.0, 0.95)
    assert score_on_scale(Ter(), 60.0, wide) == wide
