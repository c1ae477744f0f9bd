"""Pairs against no pairs: the same kind of test on both sides, and one sentence about it."""

import pytest

import detectable as dt
from detectable.planning.counterpart import counterpart

S = dt.scenarios
PAIRED = {"two-means": "paired-mean", "rank-sum": "signed-rank"}


def _ratings(**options: object) -> S.Ratings:
    return S.Ratings(mean=80, sd=20, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", PAIRED)
def test_means_go_with_means_and_ranks_with_ranks(test: str) -> None:
    alone = _ratings(test=test, second="shift", method="closed-form")
    other = counterpart(alone)
    assert other is not None
    method = "closed-form" if test == "two-means" else "simulated"
    assert other.scenario == _ratings(
        test=PAIRED[test], correlation=0.5, second="shift", method=method
    )
    assert PAIRED[test] in other.words
    back = counterpart(other.scenario)
    assert back is not None
    assert back.scenario == alone
    assert f"items of its own ({test})" in back.words


def test_a_margin_keeps_its_margin() -> None:
    margin = S.RatingsMargin(_ratings(), 3.0)
    other = counterpart(margin)
    assert other is not None
    assert other.scenario == S.RatingsMargin(
        _ratings(test="paired-mean", correlation=0.5, method="closed-form"), 3.0
    )


def test_accuracy_needs_to_know_how_good_the_baseline_is() -> None:
    assert counterpart(S.Accuracy(agreement=0.9)) is None
    other = counterpart(S.Accuracy(agreement=0.9, baseline_accuracy=0.8))
    assert other is not None
    assert other.scenario == S.UnpairedAccuracy(0.8)
    back = counterpart(other.scenario)
    assert back is not None
    assert back.scenario == S.Accuracy(baseline_accuracy=0.8, prior="lachenbruch")


def test_scenarios_without_the_other_way_have_no_sentence() -> None:
    assert counterpart(S.Bleu()) is None
    answer = dt.power(S.RankSum(), n_items=500, effect=0.45)
    assert answer.notes == ()


def test_every_answer_says_what_the_other_way_would_give() -> None:
    alone = _ratings(method="closed-form")
    paired = _ratings(test="paired-mean", correlation=0.5, method="closed-form")
    other = "With both systems judged on the same items (paired-mean, correlation 0.5)"
    power = dt.power(paired, n_items=600, effect=2).power
    assert dt.power(alone, n_items=600, effect=2).notes[-1] == (
        f"{other}, the power would be about {power:.2f}."
    )
    effect = dt.mde(paired, n_items=600).effect
    assert dt.mde(alone, n_items=600).notes[-1] == (
        f"{other}, effects of about {effect:.3g} or more would be shown with that power."
    )
    n_items = dt.sample_size(paired, effect=2).n_items
    assert dt.sample_size(alone, effect=2).notes[-1] == (
        f"{other}, about {n_items} judgments per system would be enough."
    )
    assert dt.mde(paired, n_items=600).notes[-1].startswith("With every system judged on items")


def test_the_defaults_with_and_without_pairs_test_the_same_thing() -> None:
    # Pairs at a correlation of ½ halve the variance: the detectable effect falls by √½.
    alone = dt.mde(_ratings(method="closed-form"), n_items=600).effect
    pairs = _ratings(test="paired-mean", correlation=0.5, method="closed-form")
    assert dt.mde(pairs, n_items=600).effect / alone == pytest.approx(0.5**0.5, rel=0.01)


def test_a_correlation_that_is_impossible_is_passed_over() -> None:
    # So different distributions cannot have a correlation of ½: the sentence is left out.
    apart = S.Ratings(mean=99, sd=5, method="closed-form")
    assert len(dt.power(apart, n_items=9, effect=40).notes) == 2
    assert len(dt.power(apart, n_items=9, effect=1).notes) == 3
