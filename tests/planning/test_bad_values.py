"""One bad value for every checked option of every scenario and every question."""

import re
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DataError, InputError
from tests.planning.scenarios import PairedT

S = dt.scenarios
NAN, INF = float("nan"), float("inf")
WHOLE = "must be a whole number ≥"
INSIDE = "must lie strictly between 0 and 1"
ABOVE = "must be a finite number above 0"

# What each scenario needs at least; a case changes one option of it.
GOOD: dict[Any, dict[str, Any]] = {
    S.Accuracy: {"agreement": 0.9},
    S.AccuracyMargin: {"accuracy": S.Accuracy(agreement=0.9), "margin": 0.02},
    S.UnpairedAccuracy: {"baseline_accuracy": 0.7},
    S.Bleu: {},
    S.Preference: {},
    S.RankSum: {},
    S.Ratings: {"mean": 80.0, "sd": 20.0},
    S.RatingsMargin: {
        "ratings": S.Ratings(mean=80.0, sd=20.0, test="two-means"),
        "margin": 2.0,
    },
    S.Likert: {"n_raters": 3, "preset": "card-high"},
}
OWN_SDS: dict[str, Any] = {
    "preset": None,
    "rater_sd": 1.0,
    "rater_slope_sd": 0.5,
    "item_sd": 1.0,
    "item_slope_sd": 0.5,
    "residual_sd": 1.0,
}


@pytest.mark.parametrize("scenario", GOOD, ids=lambda kind: kind.__name__)
def test_what_the_cases_start_from_is_good(scenario: Any) -> None:
    made = scenario(**GOOD[scenario])
    for name, value in GOOD[scenario].items():
        assert getattr(made, name) == value


@pytest.mark.parametrize(
    ("scenario", "options", "message"),
    [
        # Accuracy
        (
            S.Accuracy,
            {"agreement": 1.0},
            "`agreement` must lie between 0 and 1, below 1; got 1.0",
        ),
        (S.Accuracy, {"agreement": -0.1}, "`agreement` must lie between 0 and 1, below 1"),
        (
            S.Accuracy,
            {"agreement": NAN},
            "`agreement` must lie between 0 and 1, below 1; got nan",
        ),
        (S.Accuracy, {"agreement": None}, "one of the two; got agreement=None and prior=None"),
        (S.Accuracy, {"prior": "glue"}, "one of the two; got agreement=0.9 and prior='glue'"),
        (
            S.Accuracy,
            {"agreement": None, "prior": "imagenet", "baseline_accuracy": 0.8},
            "`prior` must be one of glue, squad, lachenbruch, or a file or table of pairs of systems; got 'imagenet'",
        ),
        (
            S.Accuracy,
            {"agreement": None, "prior": "glue"},
            "`baseline_accuracy` must be given with prior='glue'",
        ),
        (S.Accuracy, {"baseline_accuracy": 1.0}, f"`baseline_accuracy` {INSIDE}; got 1.0"),
        (S.Accuracy, {"baseline_accuracy": 0.0}, f"`baseline_accuracy` {INSIDE}; got 0.0"),
        (
            S.Accuracy,
            {"agreement": 0.5, "baseline_accuracy": 0.9},
            "`agreement` must be at least 0.8 with a baseline accuracy of 0.9; got 0.5",
        ),
        (S.Accuracy, {"method": "bayes"}, "`method` must be one of exact, normal; got 'bayes'"),
        (S.UnpairedAccuracy, {"baseline_accuracy": 1.0}, f"`baseline_accuracy` {INSIDE}"),
        (
            S.UnpairedAccuracy,
            {"baseline_accuracy": 70},
            f"`baseline_accuracy` {INSIDE}; got 70",
        ),
        # Margins
        (S.AccuracyMargin, {"margin": 0.0}, f"`margin` {ABOVE}; got 0.0"),
        (S.AccuracyMargin, {"margin": 1.0}, "`margin` must lie between 0 and 1; got 1.0"),
        (S.AccuracyMargin, {"margin": 2}, "a difference of accuracies, .02 for two points"),
        (
            S.AccuracyMargin,
            {"claim": "superiority"},
            "`claim` must be one of non-inferior, eq",
        ),
        (S.RatingsMargin, {"margin": -1.0}, f"`margin` {ABOVE}; got -1.0"),
        (
            S.RatingsMargin,
            {"claim": "same"},
            "`claim` must be one of non-inferior, equivalent",
        ),
        (
            S.RatingsMargin,
            {"ratings": S.Ratings(mean=80.0, sd=20.0, test="rank-sum")},
            "test='two-means' or 'paired-mean'; got 'rank-sum'",
        ),
        # Corpus metrics
        (S.Bleu, {"p0": 1.0}, "`p0` must lie between 0 and 1, below 1; got 1.0"),
        (S.Bleu, {"p0": -0.01}, "`p0` must lie between 0 and 1, below 1; got -0.01"),
        (S.Bleu, {"b0": 0.0}, f"`b0` {ABOVE}; got 0.0"),
        (S.Bleu, {"b0": INF}, f"`b0` {ABOVE}; got inf"),
        (S.Bleu, {"n_resamples": 0}, f"`n_resamples` {WHOLE} 1; got 0"),
        # Preferences and ranks
        (S.Preference, {"ties": 1.0}, "`ties` must lie between 0 and 1, below 1; got 1.0"),
        (S.Preference, {"ties": -0.1}, "`ties` must lie between 0 and 1, below 1; got -0.1"),
        (S.RankSum, {"levels": 1}, f"`levels` {WHOLE} 2; got 1"),
        (S.RankSum, {"levels": 2.5}, f"`levels` {WHOLE} 2; got 2.5"),
        (
            S.RankSum,
            {"alternative": "greater"},
            "`alternative` must be one of two-sided, observed-order; got 'greater'",
        ),
        # Ratings
        (S.Ratings, {"mean": 100.0}, "`mean` must lie strictly between 0 and 100; got 100.0"),
        (S.Ratings, {"mean": 0.0}, "`mean` must lie strictly between 0 and 100; got 0.0"),
        (S.Ratings, {"sd": 0.0}, f"`sd` {ABOVE}; got 0.0"),
        (S.Ratings, {"sd": 40.0}, "`sd` must be below 40, the most that ratings from 0 to 100"),
        (S.Ratings, {"second": "same"}, "`second` must be one of same-variance, same-shape"),
        (
            S.Ratings,
            {"test": "t"},
            "`test` must be one of two-means, rank-sum, paired-mean, signed",
        ),
        (S.Ratings, {"method": "exact"}, "`method` must be one of simulated, closed-form"),
        (S.Ratings, {"correlation": 0.5}, "only for them; got 0.5 with test='two-means'"),
        (S.Ratings, {"test": "paired-mean"}, "got None with test='paired-mean'"),
        (
            S.Ratings,
            {"test": "paired-mean", "correlation": 1.0},
            "`correlation` must lie between 0 and 1, 1 excluded; got 1.0",
        ),
        (
            S.Ratings,
            {"test": "paired-mean", "correlation": -0.1},
            "`correlation` must lie between 0 and 1, 1 excluded; got -0.1",
        ),
        (
            S.Ratings,
            {"test": "signed-rank", "correlation": 0.5, "method": "closed-form"},
            "`method` must be simulated for the signed-rank test",
        ),
        # Likert
        (S.Likert, {"n_raters": 1}, f"`n_raters` {WHOLE} 2; got 1"),
        (
            S.Likert,
            {"preset": "card"},
            "`preset` must be one of card-high, card-low; got 'card'",
        ),
        (
            S.Likert,
            {"preset": None},
            "or else all five SDs must be given; got no rater_sd, rater",
        ),
        (S.Likert, {"item_sd": 1.0}, "not both; got 'card-high' and item_sd"),
        (S.Likert, {"test": "lrt"}, "`test` must be one of satterthwaite, card; got 'lrt'"),
        (
            S.Likert,
            {"raters_per_item": 1},
            "`raters_per_item` must lie between 2 and n_raters = 3",
        ),
        (
            S.Likert,
            {"raters_per_item": 4},
            "`raters_per_item` must lie between 2 and n_raters = 3",
        ),
        (S.Likert, {"raters_per_item": 0}, f"`raters_per_item` {WHOLE} 1; got 0"),
        (S.Likert, {"missing": 1.0}, "`missing` must lie between 0 and 1, 1 excluded; got 1.0"),
        (
            S.Likert,
            {"missing": -0.1},
            "`missing` must lie between 0 and 1, 1 excluded; got -0.1",
        ),
        (S.Likert, {**OWN_SDS, "residual_sd": 0.0}, f"`residual_sd` {ABOVE}; got 0.0"),
        (
            S.Likert,
            {**OWN_SDS, "rater_sd": -1.0},
            "`rater_sd` must be a finite number of at least",
        ),
        (
            S.Likert,
            {**OWN_SDS, "item_slope_sd": INF},
            "`item_slope_sd` must be a finite number",
        ),
        (S.Likert, {**OWN_SDS, "item_sd": None}, "all five SDs must be given; got no item_sd"),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else str(x)[:60],
)
def test_a_scenario_refuses(scenario: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        scenario(**{**GOOD[scenario], **options})


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        (S.Accuracy, {"agreement": 0.0}),
        (S.Bleu, {"p0": 0.0}),
        (S.Bleu, {"n_resamples": 1}),
        (S.Preference, {"ties": 0.0}),
        (S.RankSum, {"levels": 2}),
        (S.Ratings, {"test": "paired-mean", "correlation": 0.0}),
        (S.Likert, {"n_raters": 2}),
        (S.Likert, {"raters_per_item": 2}),
        (S.Likert, {"raters_per_item": 3}),
        (S.Likert, {"missing": 0.0}),
        (S.Likert, {**OWN_SDS, "rater_sd": 0.0, "item_slope_sd": 0.0}),
        (S.AccuracyMargin, {"margin": 0.999}),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else str(x)[:60],
)
def test_the_last_value_before_the_border_is_good(
    scenario: Any, options: dict[str, Any]
) -> None:
    made = scenario(**{**GOOD[scenario], **options})
    assert {name: getattr(made, name) for name in options} == options


# Effects that cannot occur


@pytest.mark.parametrize(
    ("scenario", "effect", "message"),
    [
        (
            S.RankSum(),
            1.05,
            "must lie between 0 and 1; got 1.05: it is the probability P(A < B)",
        ),
        (S.RankSum(), -0.01, "must lie between 0 and 1; got -0.01"),
        (S.Preference(), 1.01, "got 1.01"),
        (S.Accuracy(agreement=0.9), 0.11, "must lie between -0.1 and 0.1; got 0.11"),
        (S.Accuracy(agreement=0.9), -0.11, "must lie between -0.1 and 0.1; got -0.11"),
        (S.UnpairedAccuracy(baseline_accuracy=0.7), 0.31, "got 0.31"),
        (S.UnpairedAccuracy(baseline_accuracy=0.7), -0.71, "got -0.71"),
        (S.AccuracyMargin(S.Accuracy(agreement=0.9), margin=0.02), -0.03, "got -0.03"),
        (S.AccuracyMargin(S.Accuracy(agreement=0.9), 0.02, "equivalent"), 0.03, "got 0.03"),
        (S.Ratings(mean=90.0, sd=10.0), 95.0, "got 95"),
        (S.RankSum(), 0.5, "other than 0.5; got 0.5. At 0.5 there is nothing to detect"),
        (S.Bleu(), 0.0, "other than 0; got 0.0"),
        (S.Bleu(), NAN, "must be a finite number other than 0; got nan"),
        (S.Bleu(), INF, "must be a finite number other than 0; got inf"),
        (S.AccuracyMargin(S.Accuracy(agreement=0.9), margin=0.02), -0.02, "other than -0.02"),
    ],
    ids=str,
)
def test_an_effect_that_cannot_occur(scenario: Any, effect: float, message: str) -> None:
    for ask in (dt.power, dt.sample_size):
        options: dict[str, Any] = {"n_items": 50} if ask is dt.power else {}
        with pytest.raises(InputError, match="`effect` .*" + re.escape(message)):
            ask(scenario, effect=effect, **options)


@pytest.mark.parametrize(("effect", "power"), [(1.0, 1.0), (0.0, 1.0)])
def test_the_ends_of_the_range_can_occur(effect: float, power: float) -> None:
    found = dt.power(S.RankSum(), n_items=2000, effect=effect)
    assert found.power == pytest.approx(power)


def test_rounding_does_not_refuse_the_last_possible_effect() -> None:
    """1 − .9 is a little less than .1."""
    found = dt.power(S.Accuracy(agreement=0.9), n_items=200, effect=0.1)
    assert 0.9 < found.power <= 1.0


# The questions


@pytest.mark.parametrize(
    ("ask", "options", "message"),
    [
        (dt.power, {"n_items": 1}, f"`n_items` {WHOLE} 2; got 1"),
        (dt.power, {"alpha": 0.0}, f"`alpha` {INSIDE}; got 0.0"),
        (dt.power, {"n_trials": 0}, f"`n_trials` {WHOLE} 1; got 0"),
        (
            dt.power,
            {"rng": -1},
            "`rng` must be a Generator, a whole number ≥ 0 or None; got -1",
        ),
        (dt.power, {"n_jobs": 0}, f"`n_jobs` {WHOLE} 1; got 0"),
        (dt.mde, {"n_items": 1.5}, f"`n_items` {WHOLE} 2; got 1.5"),
        (dt.mde, {"power": 0.05}, "`power` must lie between alpha = 0.05 and 1; got 0.05"),
        (dt.mde, {"power": 1.0}, f"`power` {INSIDE}; got 1.0"),
        (dt.mde, {"alpha": 1.0}, f"`alpha` {INSIDE}; got 1.0"),
        (dt.mde, {"n_trials": 2.5}, f"`n_trials` {WHOLE} 1; got 2.5"),
        (
            dt.sample_size,
            {"power": 0.01},
            "`power` must lie between alpha = 0.05 and 1; got 0.01",
        ),
        (dt.sample_size, {"alpha": -0.1}, f"`alpha` {INSIDE}; got -0.1"),
        (dt.sample_size, {"n_trials": -5}, f"`n_trials` {WHOLE} 1; got -5"),
        (dt.power_curve, {"n_items": []}, "must each hold at least one number; got none"),
        (dt.power_curve, {"effect": []}, "must each hold at least one number; got none"),
        (dt.power_curve, {"n_items": [10, 1]}, f"`n_items` {WHOLE} 2; got 1"),
        (dt.power_curve, {"effect": [1.0, 0.0]}, "other than 0; got 0.0"),
        (dt.power_curve, {"alpha": 2.0}, f"`alpha` {INSIDE}; got 2.0"),
        (dt.power_curve, {"n_trials": 0}, f"`n_trials` {WHOLE} 1; got 0"),
    ],
    ids=lambda x: getattr(x, "__name__", str(x)[:50]),
)
def test_a_question_refuses(ask: Any, options: dict[str, Any], message: str) -> None:
    good: dict[Any, dict[str, Any]] = {
        dt.power: {"n_items": 9, "effect": 1.0},
        dt.mde: {"n_items": 9},
        dt.sample_size: {"effect": 1.0},
        dt.power_curve: {"n_items": [9], "effect": [1.0]},
    }
    with pytest.raises(InputError, match=re.escape(message)):
        ask(PairedT(), **{"n_trials": 50, **good[ask], **options})


def test_a_scenario_without_effects_above_its_null_has_no_smallest_one() -> None:
    scenario = S.AccuracyMargin(S.Accuracy(agreement=0.9), margin=0.02, claim="equivalent")
    with pytest.raises(InputError, match="must have effects above its null effect"):
        dt.mde(scenario, n_items=500)


# The cheapest design


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({}, "at least one cost must be above 0; got none"),
        ({"item": -1.0}, "`item` must be a cost of 0 or more; got -1.0"),
        ({"judgment": NAN}, "`judgment` must be a cost of 0 or more; got nan"),
        ({"rater": INF}, "`rater` must be a cost of 0 or more; got inf"),
    ],
    ids=str,
)
def test_costs_are_refused(costs: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        dt.Costs(**costs)


@pytest.mark.parametrize(
    ("scenario", "options", "message"),
    [
        (S.Likert, {"power": 0.0}, f"`power` {INSIDE}; got 0.0"),
        (S.Likert, {"alpha": 1.0}, f"`alpha` {INSIDE}; got 1.0"),
        (S.Likert, {"max_raters": 1}, f"`max_raters` {WHOLE} 2; got 1"),
        (
            S.Ratings,
            {"costs": dt.Costs(rater=1.0)},
            "`judgments_per_rater` must be given where",
        ),
        (S.Ratings, {"judgments_per_rater": 0}, f"`judgments_per_rater` {WHOLE} 1; got 0"),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else str(x)[:50],
)
def test_a_search_for_the_cheapest_refuses(
    scenario: Any, options: dict[str, Any], message: str
) -> None:
    ask: dict[str, Any] = {"effect": 5.0, "costs": dt.Costs(judgment=1.0), **options}
    with pytest.raises(InputError, match=re.escape(message)):
        dt.cheapest(scenario(**GOOD[scenario]), **ask)


def test_the_cheapest_design_is_searched_among_balanced_ones() -> None:
    plan = S.Likert(n_raters=3, preset="card-high", missing=0.1)
    with pytest.raises(InputError, match="must be balanced for this search"):
        dt.cheapest(plan, effect=0.4, costs=dt.Costs(judgment=1.0))


# Pilots


GOOD_PILOT: dict[str, Any] = {"system": [1.0, 2.0, 4.0], "baseline": [0.0, 1.0, 1.0]}


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        ("paired", {"system": [1.0]}, "`system` must be a vector of at least 2 numbers"),
        ("paired", {"baseline": [1.0, NAN, 2.0]}, "`baseline` must be finite; got nan at posi"),
        (
            "paired",
            {"baseline": [1.0, 2.0]},
            "must hold the same items; got 3 and 2. Use Pilot.un",
        ),
        ("paired", {"plant": "scale"}, "`plant` must be one of shift, tilt; got 'scale'"),
        (
            "paired",
            {"documents": ["a", "b"]},
            "`documents` must name each of the 3 items; got 2",
        ),
        ("unpaired", {"test": "t"}, "`test` must be one of two-means, rank-sum; got 't'"),
        ("unpaired", {"plant": "add"}, "`plant` must be one of shift, tilt; got 'add'"),
        ("unpaired", {"baseline": [1.0]}, "`baseline` must be a vector of at least 2 numbers"),
        ("unpaired", {"documents": ["a", "b", "b"]}, "must be given together"),
        (
            "unpaired",
            {
                "documents": ["a", "b", "b"],
                "baseline_documents": ["c", "d", "d"],
                "test": "rank-sum",
            },
            "`test` must be 'two-means' with documents",
        ),
    ],
    ids=lambda x: str(x)[:50],
)
def test_a_pilot_refuses(make: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        getattr(S.Pilot, make)(**{**GOOD_PILOT, **options})


def test_a_pilot_of_one_document_promises_nothing() -> None:
    with pytest.raises(DataError, match="one document says nothing about how documents differ"):
        S.Pilot.paired(**GOOD_PILOT, documents=["a"] * 3)


def test_a_pilot_that_never_varies_promises_nothing() -> None:
    with pytest.raises(DataError, match="all units of the pilot are equal"):
        S.Pilot.paired(np.array([3.0, 4.0, 5.0]), [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("A", "A"), "must be two systems; got 'A' twice"),
        (("Z", "A"), "no system named 'Z'. There are A, B"),
        (("A", "Z"), "no system named 'Z'. There are A, B"),
    ],
    ids=str,
)
def test_a_fit_to_two_outputs_refuses_other_numbers_of_them(
    names: tuple[str, str], message: str
) -> None:
    scores = dt.Scores.build({"A": [1.0, 2.0, 3.0], "B": [2.0, 2.0, 5.0]})
    with pytest.raises(InputError, match=re.escape(message)):
        S.Bleu.fit(scores, "mean", system=names[0], baseline=names[1])


def test_a_fit_needs_a_metric_for_its_data_and_two_changes() -> None:
    scores = dt.Scores.build({"A": [1.0, 2.0, 3.0], "B": [1.0, 2.0, 5.0]})
    with pytest.raises(InputError, match="`metric` must be one of segment scores; got 'bleu'"):
        S.Bleu.fit(scores, "bleu", system="A", baseline="B")
    with pytest.raises(InputError, match="differ on at least 2 segments; got 1 of 3"):
        S.Bleu.fit(scores, "mean", system="A", baseline="B")
    texts = dt.Corpus.build({"A": ["a"], "B": ["b"]}, ["a"])
    with pytest.raises(InputError, match="`metric` must be one of texts; got 'mean'"):
        S.Bleu.fit(texts, "mean", system="A", baseline="B")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("effect", [1e308, -1e308])
def test_effects_whose_squares_are_no_numbers(effect: float) -> None:
    plan = S.Likert(n_raters=5, preset="card-high")
    message = re.escape(f"`effect` must lie within ±1e+100; got {effect!r}.")
    with pytest.raises(InputError, match=message):
        dt.power(plan, n_items=20, effect=effect)
    with pytest.raises(InputError, match=message):
        dt.sample_size(plan, effect=effect)
