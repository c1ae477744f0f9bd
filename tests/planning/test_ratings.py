"""Ratings: the numbers of wei2022's model, closed forms against simulation, and messages."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import detectable as dt
from detectable.core.choices import SecondRule
from detectable.inference.margin_score import MarginScore
from detectable.planning.rating_model import (
    GammaScores,
    PairedCounts,
    PairedNumbers,
    RatingModel,
    superiority,
    value_chances,
)
from tests.helpers import reference_data, spread

TRIALS = 4000


def gold(part: str) -> Any:
    text = reference_data("gold", "shipdata.json").read_text()
    return json.loads(text)["gamma"][part]


def combined_error(power: float, *trials: int) -> float:
    share = min(max(power, 1.0 / TRIALS), 1.0 - 1.0 / TRIALS)
    return math.sqrt(share * (1.0 - share) * sum(1.0 / n for n in trials))


@pytest.mark.golden
@pytest.mark.parametrize(
    ("continuous", "key"), [(True, "power_cont"), (False, "power_int_clipped")]
)
def test_power_is_that_of_the_reference_simulation(continuous: bool, key: str) -> None:
    for case in gold("gold_power"):
        plan = dt.scenarios.Ratings(
            mean=case["mu"], sd=case["sd"], continuous=continuous, test="rank-sum"
        )
        found = dt.power(
            plan,
            n_items=case["n_per_system"],
            effect=case["diff"],
            n_trials=TRIALS // 2,
            rng=case["n_per_system"],
        )
        error = combined_error(found.power, TRIALS // 2, 4000)
        assert found.power == pytest.approx(case[key], abs=4 * error)
        assert found.details["probability_better"] == pytest.approx(case["p_gt"], abs=1e-6)


@pytest.mark.golden
def test_noether_gives_the_numbers_of_the_page() -> None:
    pairs = {row["lp"]: row for row in gold("lp_stats")}
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.95)
    for case in gold("n_required"):
        row = pairs[case["lp"]]
        better = GammaScores.of(row["mean"], row["sd"])
        p = superiority(better, better.lowered(case["diff"], "same-variance"))
        assert z**2 / (3.0 * (p - 0.5) ** 2) == pytest.approx(case["noether_total"], abs=1.0)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("rule", "french", "japanese"),
    [("same-variance", 2734, 16251), ("same-scale", 6901, 23483), ("same-shape", 45208, 37214)],
)
def test_the_rule_for_the_second_system_decides(
    rule: SecondRule, french: int, japanese: int
) -> None:
    pairs = {row["lp"]: row for row in gold("lp_stats")}
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.95)
    for name, total in (("ENU-FRA", french), ("JPN-ENU", japanese)):
        better = GammaScores.of(pairs[name]["mean"], pairs[name]["sd"])
        p = superiority(better, better.lowered(1.0, rule))
        assert z**2 / (3.0 * (p - 0.5) ** 2) == pytest.approx(total, abs=1.0)


@pytest.mark.slow
@pytest.mark.golden
def test_the_sample_size_of_a_drop_of_one_point() -> None:
    plan = dt.scenarios.Ratings(mean=89.728, sd=19.262, continuous=True, test="rank-sum")
    found = dt.sample_size(plan, effect=1, power=0.95, n_trials=2000, rng=1)
    assert found.n_items is not None
    assert found.n_items_error is not None
    assert found.n_items == pytest.approx(1367, abs=4 * found.n_items_error + 7)
    assert found.details["total_judgments"] == 2 * found.n_items


@pytest.mark.parametrize(
    ("rule", "continuous"),
    [
        ("same-variance", True),
        ("shift", False),
        *(
            pytest.param(rule, continuous, marks=pytest.mark.slow)
            for rule, continuous in (
                ("same-variance", False),
                ("shift", True),
                *itertools.product(("same-shape", "same-scale"), (True, False)),
            )
        ),
    ],
)
def test_the_closed_form_agrees_with_the_simulation(rule: SecondRule, continuous: bool) -> None:
    plan = dt.scenarios.Ratings(
        mean=80, sd=20, second=rule, continuous=continuous, test="rank-sum"
    )
    form = dt.scenarios.Ratings(
        mean=80,
        sd=20,
        second=rule,
        continuous=continuous,
        test="rank-sum",
        method="closed-form",
    )
    simulated = dt.power(plan, n_items=800, effect=2, n_trials=TRIALS, rng=3)
    closed = dt.power(form, n_items=800, effect=2)
    assert closed.method == "closed-form"
    error = combined_error(simulated.power, TRIALS)
    assert closed.power == pytest.approx(simulated.power, abs=4 * error)
    assert closed.type_m == pytest.approx(simulated.type_m, rel=0.04)


TWO, PAIRED = {"test": "two-means"}, {"test": "paired-mean", "correlation": 0.5}


@pytest.mark.parametrize(
    ("kind", "continuous"),
    spread([(TWO, True), (TWO, False), (PAIRED, False), (PAIRED, True)], one_in=2),
)
def test_the_t_tests_agree_with_their_closed_form(
    kind: dict[str, Any], continuous: bool
) -> None:
    plan = dt.scenarios.Ratings(mean=70, sd=18, continuous=continuous, **kind)
    form = dt.scenarios.Ratings(
        mean=70, sd=18, continuous=continuous, method="closed-form", **kind
    )
    simulated = dt.power(plan, n_items=1500, effect=1.2, n_trials=TRIALS, rng=4)
    closed = dt.power(form, n_items=1500, effect=1.2)
    error = combined_error(simulated.power, TRIALS)
    assert closed.power == pytest.approx(simulated.power, abs=4 * error)
    assert closed.type_m == pytest.approx(simulated.type_m, rel=0.04)


def test_a_paired_evaluation_sees_more() -> None:
    apart = dt.power(
        dt.scenarios.Ratings(mean=80, sd=20, test="two-means"), n_items=300, effect=2, rng=1
    )
    for test in ("paired-mean", "signed-rank"):
        plan = dt.scenarios.Ratings(mean=80, sd=20, test=test, correlation=0.6)
        assert dt.power(plan, n_items=300, effect=2, rng=1).power > apart.power + 0.1


@settings(max_examples=15, deadline=None)
@given(
    mean=st.floats(40, 95),
    share=st.floats(0.2, 0.6),
    effect=st.floats(0.5, 8),
    rule=st.sampled_from(["same-variance", "same-shape", "same-scale", "shift"]),
)
def test_power_rises_and_mirrors(
    mean: float, share: float, effect: float, rule: SecondRule
) -> None:
    sd = share * math.sqrt(mean * (100 - mean))
    plan = dt.scenarios.Ratings(
        mean=mean, sd=sd, second=rule, continuous=True, method="closed-form"
    )
    if 2 * effect > plan.effect_range(10).high:
        return
    small = dt.power(plan, n_items=100, effect=effect)
    assert dt.power(plan, n_items=200, effect=effect).power >= small.power - 1e-9
    assert dt.power(plan, n_items=100, effect=2 * effect).power >= small.power - 1e-9
    assert dt.power(plan, n_items=100, effect=-effect).power == small.power
    assert small.type_m >= 0.99
    assert small.type_s <= 0.5


@pytest.mark.slow
def test_the_level_is_held_where_nothing_differs() -> None:
    for continuous in (True, False):
        plan = dt.scenarios.Ratings(mean=90, sd=19, continuous=continuous, test="rank-sum")
        data = plan.draw(200, 0.0, trials=8000, rng=np.random.default_rng(5))
        rejected = float((plan.analyse(data, alpha=0.05).p_values <= 0.05).mean())
        assert rejected == pytest.approx(0.05, abs=4 * combined_error(0.05, 8000))


def test_cells_of_continuous_ratings_keep_mean_and_variance() -> None:
    model = RatingModel(89.7, 19.3, "same-variance", True, None)
    values, better, worse = value_chances(model, 1.0)
    for chances, mean in ((better, 89.7), (worse, 88.7)):
        assert chances.sum() == pytest.approx(1.0, abs=1e-12)
        found = float(chances @ values)
        assert found == pytest.approx(mean, abs=1e-4)
        assert math.sqrt(chances @ (values - found) ** 2) == pytest.approx(19.3, rel=1e-3)
    assert (np.diff(values) >= 0).all()


def test_the_correlation_of_whole_scores_is_the_one_asked_for() -> None:
    from detectable.planning.rating_model import VALUES, joint_probabilities

    model = RatingModel(85.0, 15.0, "same-variance", False, 0.5)
    better, worse = model.systems(2.0)
    joint = joint_probabilities(
        better.probabilities(), worse.probabilities(), model.latent(2.0)
    )
    p, q = joint.sum(axis=1), joint.sum(axis=0)
    covariance = VALUES @ joint @ VALUES - (p @ VALUES) * (q @ VALUES)
    spreads = [math.sqrt(w @ VALUES**2 - (w @ VALUES) ** 2) for w in (p, q)]
    assert covariance / (spreads[0] * spreads[1]) == pytest.approx(0.5, abs=0.001)


def test_several_processes_give_the_same_answer() -> None:
    plan = dt.scenarios.Ratings(mean=80, sd=20, test="rank-sum")
    one = dt.power(plan, n_items=100, effect=3, n_trials=3000, rng=9)
    two = dt.power(plan, n_items=100, effect=3, n_trials=3000, rng=9, n_jobs=2)
    assert one.power == two.power


@pytest.mark.parametrize(
    ("kind", "claim"),
    spread(
        [
            *((TWO, claim) for claim in ("non-inferior", "equivalent")),
            *(
                ({**PAIRED, "correlation": 0.4}, claim)
                for claim in ("equivalent", "non-inferior")
            ),
        ],
        one_in=2,
    ),
)
def test_margins_agree_with_their_simulation(claim: Any, kind: dict[str, Any]) -> None:
    plan = dt.scenarios.RatingsMargin(dt.scenarios.Ratings(mean=75, sd=18, **kind), 2.5, claim)
    for effect in (0.0, -0.5):
        closed = dt.power(plan, n_items=700, effect=effect)
        simulated = dt.power(
            plan, n_items=700, effect=effect, simulate=True, n_trials=TRIALS, rng=6
        )
        error = combined_error(closed.power, TRIALS)
        assert closed.power == pytest.approx(simulated.power, abs=4 * error)


def test_the_sample_size_for_a_margin_is_the_textbook_one() -> None:
    ratings = dt.scenarios.Ratings(mean=80, sd=20, continuous=True, test="two-means")
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.8)
    found = dt.sample_size(dt.scenarios.RatingsMargin(ratings, 3), effect=0)
    assert found.n_items == pytest.approx(2 * (20 * z / 3) ** 2, abs=2)
    z = stats.norm.ppf(0.95) + stats.norm.ppf(0.9)
    found = dt.sample_size(dt.scenarios.RatingsMargin(ratings, 3, "equivalent"), effect=0)
    assert found.n_items == pytest.approx(2 * (20 * z / 3) ** 2, abs=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mean": 120}, r"`mean` must lie strictly between 0 and 100; got 120"),
        ({"sd": 60}, r"`sd` must be below 40, .* got 60"),
        ({"sd": 0}, r"`sd` must be a finite number above 0; got 0"),
        ({"second": "same"}, r"`second` must be one of same-variance"),
        ({"test": "t"}, r"`test` must be one of two-means, rank-sum"),
        ({"test": "paired-mean"}, r"`correlation` must be given for the paired tests"),
        ({"correlation": 0.5}, r"`correlation` must be given for the paired tests"),
        (
            {"test": "paired-mean", "correlation": 1.5},
            r"`correlation` must lie between 0 and 1",
        ),
        (
            {"test": "signed-rank", "correlation": 0.5, "method": "closed-form"},
            r"`method` must be simulated",
        ),
    ],
)
def test_a_message_names_the_argument(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.Ratings(**{"mean": 80, "sd": 20, **wrong})


def test_impossible_questions_are_refused() -> None:
    plan = dt.scenarios.Ratings(mean=80, sd=20, test="rank-sum")
    with pytest.raises(dt.InputError, match=r"`effect` must lie between -75.* leaves no room"):
        dt.power(plan, n_items=100, effect=79)
    with pytest.raises(dt.InputError, match=r"`effect` must be a finite number other than 0"):
        dt.power(plan, n_items=100, effect=0)
    with pytest.raises(dt.InputError, match=r"`n_items` must be a whole number ≥ 2; got 1"):
        dt.power(plan, n_items=1, effect=2)
    with pytest.raises(dt.InputError, match="must be tested by their means"):
        dt.scenarios.RatingsMargin(plan, 3)
    near = dt.scenarios.Ratings(
        mean=95, sd=5, second="same-shape", test="paired-mean", correlation=0.99
    )
    with pytest.raises(dt.InputError, match=r"`correlation` must be at most"):
        dt.power(near, n_items=50, effect=40)


@pytest.mark.slow
@pytest.mark.parametrize("continuous", [True, False])
def test_closed_form_and_simulation_agree_over_a_grid(continuous: bool) -> None:
    for mean, sd in ((50, 25), (70, 20), (85, 15), (92, 12)):
        for n, effect in ((300, 4), (1000, 2), (3000, 1)):
            plan = dt.scenarios.Ratings(
                mean=mean, sd=sd, continuous=continuous, test="rank-sum"
            )
            form = dt.scenarios.Ratings(
                mean=mean,
                sd=sd,
                continuous=continuous,
                test="rank-sum",
                method="closed-form",
            )
            simulated = dt.power(plan, n_items=n, effect=effect, n_trials=20_000, rng=n)
            closed = dt.power(form, n_items=n, effect=effect)
            error = combined_error(closed.power, 20_000)
            assert closed.power == pytest.approx(simulated.power, abs=4 * error)


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
@pytest.mark.parametrize(("mean", "sd", "correlation"), [(75, 18, 0.5), (97, 6, 0.9)])
def test_paired_margins_are_those_of_the_score_rule(
    claim: Any, mean: float, sd: float, correlation: float
) -> None:
    """A plan by t promised more than the analysis, which goes by the score rule, can keep."""
    ratings = dt.scenarios.Ratings(
        mean=mean, sd=sd, test="paired-mean", correlation=correlation
    )
    plan = dt.scenarios.RatingsMargin(ratings, 3, claim)
    drawn = plan.draw(40, -1.0, trials=30, rng=np.random.default_rng(4))
    found = plan.analyse(drawn, alpha=0.05).p_values
    assert isinstance(drawn, PairedCounts | PairedNumbers)
    values, weights, n = drawn.points()
    for p, row, shares in zip(
        found, np.broadcast_to(values, weights.shape), weights, strict=True
    ):
        d = np.repeat(row, np.rint(n * shares).astype(int))
        still = np.mean(d == 0.0) >= 0.5
        score = MarginScore.of(
            d, np.zeros(n), scale=(-100.0, 0.0), kind="sparse" if still else "dense"
        )
        above, below = score.p_above(-3.0), score.p_below(3.0)
        assert p == pytest.approx(above if claim == "non-inferior" else max(above, below))
