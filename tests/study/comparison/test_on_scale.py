"""Intervals end where their metric does, and no verdict moves."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from detectable.contrasts.analysis import Analysis, by_t, families
from detectable.core.interval import Interval
from detectable.data.texts.corpus import Corpus
from detectable.inference.standard_errors import Estimate
from detectable.metrics.base import Metric
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Accuracy, Mean
from detectable.metrics.passing import PassAll
from detectable.metrics.ter import Ter
from detectable.study.comparison.claims import on_scale, score_on_scale
from detectable.study.comparison.compare import compare


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


def cut(metrics: tuple[Metric, ...], cells: list[list[Estimate]]) -> tuple[Analysis, Analysis]:
    """Return an analysis by t, and the same on the scale of its metrics."""
    measured: Any = SimpleNamespace(
        units=[SimpleNamespace(metric=metric) for metric in metrics]
    )
    margins = np.full(len(metrics), np.nan)
    groups = families((len(cells), len(metrics)), "systems")
    found = by_t(cells, margins, groups, "holm", alpha=0.05, power=0.8)
    return found, on_scale(measured, found)


def test_every_metric_has_its_own_scale() -> None:
    wide = [Estimate(10.0, 200.0, 4.0), Estimate(0.1, 2.0, 4.0), Estimate(5.0, 200.0, 4.0)]
    found, made = cut((Bleu(), Accuracy(), Mean()), [wide, wide])
    for p in (0, 1):
        assert made.intervals[p][0] == Interval(-100.0, 100.0, 0.95)
        assert made.intervals[p][1] == Interval(-1.0, 1.0, 0.95)
        assert made.intervals[p][2] == found.intervals[p][2]
        assert made.interval_alone(p, 0, 0.1) == Interval(-100.0, 100.0, 0.9)
        assert made.interval_alone(p, 2, 0.1) == found.interval_alone(p, 2, 0.1)
    # What lies within is left alone, and so is everything else.
    narrow = [[Estimate(10.0, 2.0, 9.0), Estimate(0.1, 0.02, 9.0)]]
    found, made = cut((Bleu(), Accuracy()), narrow)
    assert made.intervals == found.intervals
    assert made.interval_alone(0, 1, 0.2) == found.interval_alone(0, 1, 0.2)
    assert np.array_equal(made.p_values, found.p_values)


def test_without_an_end_anywhere_nothing_is_touched() -> None:
    found, made = cut((Mean(), Ter()), [[Estimate(0.0, 200.0, 4.0), Estimate(0.0, 900.0, 4.0)]])
    assert made is found


@pytest.mark.parametrize("value", [0.0, 0.25])
def test_chances_that_never_vary_are_not_certain(value: float) -> None:
    """Ten units of two pairs: none differs, so at most 1 − (.0125)^(1/10) of all do, at .05/2."""
    found, made = cut((PassAll(3),), [[Estimate(value, 0.0, 9.0)]] * 2)
    assert found.interval_alone(0, 0, 0.05) == Interval(value, value, 0.95)
    share = 1.0 - 0.0125**0.1
    shown = made.intervals[0][0]
    assert shown.low == pytest.approx(min(0.0, value - share * (value + 1.0)))
    assert shown.high == pytest.approx(value + share * (1.0 - value))
    assert shown.level == 0.95
    alone = made.interval_alone(1, 0, 0.1)
    assert alone.high == pytest.approx(value + (1.0 - 0.05**0.1) * (1.0 - value))
    assert alone.low <= 0.0 <= alone.high
    assert alone.level == pytest.approx(0.9)
    # Spread makes it an ordinary interval, cut at the ends.
    _, varied = cut((PassAll(3),), [[Estimate(value, 3.0, 9.0)]])
    assert varied.intervals[0][0] == Interval(-1.0, 1.0, 0.95)
