"""From p-values to a verdict, through `compare`: borders, margins and directions."""

import math
from typing import Any

import numpy as np
import pytest

from detectable.data.scores.scores import Scores
from detectable.metrics.mean import Mean, MeanError
from detectable.study.comparison.compare import compare
from tests.study.comparison.tables import RootMeanSquare, noisy_scores, pair_of

QUICK: dict[str, Any] = {"baseline": "A", "n_resamples": 99, "rng": 1, "n_examples": 0}


def test_a_p_value_of_exactly_alpha_decides() -> None:
    scores = noisy_scores(3.0)
    pair = pair_of(compare(scores, baseline="A", alpha=0.05, n_resamples=19, rng=1))
    assert (pair.p_adjusted, pair.verdict) == (0.05, "better")


def test_a_p_value_just_above_alpha_does_not() -> None:
    below = float(np.nextafter(0.05, 0.0))
    pair = pair_of(compare(noisy_scores(3.0), baseline="A", alpha=below, n_resamples=19, rng=1))
    assert (pair.p_adjusted, pair.verdict) == (0.05, "undecided")


def test_it_is_the_adjusted_p_value_that_decides() -> None:
    """Three large differences, each with p = 1/50, which Holm makes 3/50."""
    scores = noisy_scores(3.0, 4.0, 5.0)
    options: dict[str, Any] = {"baseline": "A", "n_resamples": 49, "rng": 1}
    corrected = compare(scores, **options)
    assert [(p.p_value, p.p_adjusted) for p in corrected.pairs] == [(0.02, 0.06)] * 3
    assert {p.verdict for p in corrected.pairs} == {"undecided"}
    raw = compare(scores, correction="none", **options)
    assert {p.verdict for p in raw.pairs} == {"better"}


@pytest.mark.parametrize(
    ("metric", "shift", "verdict"),
    [
        (Mean(), 0.5, "better"),
        (Mean(), -0.5, "worse"),
        (MeanError(), 0.5, "worse"),
        (MeanError(), -0.5, "better"),
        (RootMeanSquare(), 0.5, "higher"),
        (RootMeanSquare(), -0.5, "lower"),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_the_direction_of_the_metric_turns_the_verdict(
    metric: Any, shift: float, verdict: str
) -> None:
    result = compare(noisy_scores(shift, level=10.0), metric, **QUICK)
    pair = pair_of(result, metric=metric.name)
    assert pair.verdict == verdict
    assert math.copysign(1.0, pair.difference) == math.copysign(1.0, shift)


def test_an_equivalence_p_value_of_exactly_alpha_claims_equivalence() -> None:
    scores = noisy_scores(0.05)
    p = pair_of(compare(scores, margin=0.2, **QUICK)).p_equivalence
    assert pair_of(compare(scores, margin=0.2, alpha=p, **QUICK)).verdict == "equivalent"
    below = float(np.nextafter(p, 0.0))
    assert pair_of(compare(scores, margin=0.2, alpha=below, **QUICK)).verdict != "equivalent"


def test_a_difference_surely_within_the_margin_is_equivalent_though_surely_not_zero() -> None:
    scores = noisy_scores(0.4, n=400)
    plain = pair_of(compare(scores, **QUICK))
    assert plain.verdict == "better"
    with_margin = pair_of(compare(scores, margin=0.6, **QUICK))
    assert with_margin.p_adjusted == plain.p_adjusted <= 0.05
    assert with_margin.verdict == "equivalent"


def test_a_difference_beyond_the_margin_keeps_its_verdict() -> None:
    pair = pair_of(compare(noisy_scores(0.4, n=400), margin=0.2, **QUICK))
    assert pair.verdict == "better"
    assert pair.p_equivalence > 0.99


def test_too_little_data_for_either_claim_is_undecided() -> None:
    pair = pair_of(compare(noisy_scores(0.05, n=8), margin=0.1, **QUICK))
    assert pair.verdict == "undecided"
    assert min(pair.p_adjusted, pair.p_equivalence) > 0.05


def test_without_a_margin_nothing_is_equivalent() -> None:
    result = compare(noisy_scores(0.0, n=400), **QUICK)
    assert math.isnan(pair_of(result).p_equivalence)
    assert pair_of(result).verdict == "undecided"
    assert result.margin == {}


def test_scores_that_never_vary_are_equivalent_within_any_margin() -> None:
    scores = Scores.build({"A": [1.0] * 6, "B": [1.05] * 6})
    inside = pair_of(compare(scores, margin=0.1, **QUICK))
    assert (inside.verdict, inside.p_equivalence) == ("equivalent", 0.0)
    outside = pair_of(compare(scores, margin=0.01, **QUICK))
    assert (outside.verdict, outside.p_equivalence) == ("undecided", 1.0)


def test_the_margin_is_one_of_the_metric_and_not_of_its_direction() -> None:
    scores = noisy_scores(-0.05, n=400)
    for metric in ("mean", "mean-error"):
        pair = pair_of(compare(scores, metric, margin=0.3, **QUICK), metric=metric)
        assert pair.verdict == "equivalent"


def test_a_single_unit_can_never_be_told_from_another() -> None:
    scores = Scores.build({"A": [1.0], "B": [3.0]})
    pair = pair_of(compare(scores, **QUICK))
    assert (pair.difference, pair.p_value, pair.verdict) == (2.0, 1.0, "undecided")
    assert math.isnan(pair.standard_error)
    assert math.isnan(pair.mde)
