"""Scores without the severity of raters."""

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.standardise import severity_removed, z_scores


def judged(**columns: object) -> Judgments:
    n = len(columns["score"])  # type: ignore[arg-type]
    defaults = {"system": ["A", "B"] * (n // 2), "item": list(range(n)), "rater": ["w"] * n}
    return Judgments.build({**defaults, **columns})


def test_mean_and_spread_are_of_all_that_a_rater_judged() -> None:
    scores = [50.0, 60.0, 90.0, 10.0]
    table = judged(score=scores, kind=["system", "system", "reference", "degraded"])
    expected = (np.array(scores) - np.mean(scores)) / np.std(scores, ddof=1)
    assert z_scores(table).values == pytest.approx(expected, rel=1e-14)


def test_ordinary_items_only() -> None:
    table = judged(score=[50.0, 60.0, 90.0, 10.0], kind=["system", "repeat", "REF", "BAD"])
    z = z_scores(table, over="ordinary").values
    assert z[:2] == pytest.approx([-(0.5**0.5), 0.5**0.5])
    assert z[2] == pytest.approx((90 - 55) / 50**0.5)


def test_a_rater_is_standardised_in_each_language_pair() -> None:
    table = judged(score=[10.0, 20.0, 80.0, 90.0], language=["a-b", "a-b", "c-d", "c-d"])
    assert z_scores(table).values == pytest.approx([-(0.5**0.5), 0.5**0.5] * 2)


def test_raters_without_spread_are_named_and_counted() -> None:
    table = judged(
        score=[50.0, 60.0, 33.1, 33.1, 33.1, 70.0],
        rater=["w", "w", "flat", "flat", "flat", "once"],
    )
    found = z_scores(table)
    assert found.dropped == ("flat", "once")
    assert np.isnan(found.values).tolist() == [False, False, True, True, True, True]
    assert "2 raters" in found.notes[0]
    assert "flat, once (4 judgments, left out of z, kept in the raw means)" in found.notes[0]


def test_without_raters_there_is_no_z() -> None:
    table = Judgments.build({"system": ["A", "B"], "item": [1, 1], "score": [1, 2]})
    with pytest.raises(InputError, match="there is no rater"):
        z_scores(table)


def test_a_mixed_model_takes_out_severity_but_keeps_the_scale() -> None:
    rng = np.random.default_rng(3)
    rater, item, system = (axis.ravel() for axis in np.indices((6, 20, 2)))
    severity = np.array([-20.0, -10.0, 0.0, 0.0, 10.0, 20.0])
    score = 50 + 5 * system + severity[rater] + rng.normal(0, 3, rater.size)
    table = Judgments.build({"system": system, "item": item, "rater": rater, "score": score})
    adjusted = severity_removed(table).values
    by_rater = [adjusted[rater == r].mean() for r in range(6)]
    assert np.ptp(by_rater) < 1.0  # it was 40
    assert adjusted.mean() == pytest.approx(score.mean(), abs=0.01)
