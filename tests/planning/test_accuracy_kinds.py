"""Two proportions without pairs; non-inferiority and equivalence."""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

import detectable as dt
from detectable.inference.shares import PairedShares
from detectable.planning.evaluate import Work, simulate
from tests.helpers import reference_data


@pytest.mark.golden
def test_unpaired_detectable_effects_equal_power_prop_test() -> None:
    table = json.loads(reference_data("gold", "card.json").read_text())["glue"]["table2"]
    for row in table:
        found = dt.mde(dt.scenarios.UnpairedAccuracy(row["base"]), n_items=row["n"])
        assert 100 * found.effect == pytest.approx(row["binom_unpaired"], abs=1e-6)


def test_unpaired_simulation_agrees() -> None:
    scenario = dt.scenarios.UnpairedAccuracy(0.8)
    for n, effect in ((400, 0.05), (400, -0.08), (1500, 0.03)):
        closed = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        # The formula is an approximation: allow for .005 beside the noise.
        error = 4 * (drawn.standard_error or 0) + 0.005
        assert drawn.power == pytest.approx(closed.power, abs=error)
        assert drawn.type_m == pytest.approx(closed.type_m, rel=0.05)


def test_pairing_is_worth_data() -> None:
    paired = dt.sample_size(dt.scenarios.Accuracy(agreement=0.94), effect=0.02).n_items
    unpaired = dt.sample_size(dt.scenarios.UnpairedAccuracy(0.9), effect=0.02).n_items
    assert (paired or 0) < (unpaired or 0) / 2


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_margin_simulation_agrees(claim: Any) -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.02, claim)
    for n, effect in ((700, 0.0), (1200, 0.0), (2000, -0.005)):
        closed = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        assert closed.method == "exact"
        assert drawn.power == pytest.approx(closed.power, abs=4 * (drawn.standard_error or 0))
        assert drawn.type_m == pytest.approx(closed.type_m, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_at_the_margin_only_the_level_is_left(claim: Any) -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.03, claim)
    work, rng = Work(n_trials=40_000), np.random.default_rng(1)
    found = simulate(scenario, 3000, scenario.null_effect, alpha=0.05, rng=rng, work=work)
    share = (found.right + found.wrong) / found.trials
    assert share == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / found.trials) ** 0.5 + 0.002)


def test_equivalence_needs_more_than_non_inferiority() -> None:
    accuracy = dt.scenarios.Accuracy(agreement=0.95)
    one = dt.sample_size(dt.scenarios.AccuracyMargin(accuracy, 0.02), effect=0.0)
    two = dt.sample_size(dt.scenarios.AccuracyMargin(accuracy, 0.02, "equivalent"), effect=0.0)
    # Liu et al.: n = pd (z_{1-α} + z_{1-β})² / margin², with β/2 for equivalence, is 773 and
    # 1071; that takes the spread of the data, where the test has the larger one at the margin.
    assert (one.n_items, two.n_items) == (819, 1123)
    assert "one-sided" in one.notes[0]


def test_equivalence_has_no_smallest_effect() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.95), 0.02, "equivalent"
    )
    with pytest.raises(dt.InputError, match="Ask for the sample size"):
        dt.mde(scenario, n_items=500)


@pytest.mark.parametrize(
    ("margin", "message"),
    [(0.0, "`margin` must be a finite number above 0"), (2.0, "`margin` must lie between 0")],
)
def test_bad_margins_are_refused(margin: float, message: str) -> None:
    with pytest.raises(dt.InputError, match=message):
        dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), margin)


def test_too_few_items_for_equivalence() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.5), 0.01, "equivalent"
    )
    assert dt.power(scenario, n_items=20, effect=0.0).power == 0.0


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
def test_the_test_of_a_margin_is_that_of_the_data(claim: Any) -> None:
    wins, losses, n = np.array([9, 4, 6, 0]), np.array([3, 4, 1, 0]), 40
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.15, claim)
    found = scenario.analyse((wins, losses, n), alpha=0.05)
    for b, c, estimate, p in zip(wins, losses, found.estimates, found.p_values, strict=True):
        shares = PairedShares(int(b), int(c), n)
        wanted = (
            shares.noninferiority_p(0.15)
            if claim == "non-inferior"
            else shares.equivalence_p(0.15)
        )
        assert (estimate, p) == pytest.approx((shares.value, wanted), rel=1e-12)


def test_without_disagreement_few_items_show_nothing() -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.9), 0.02)
    found = scenario.analyse((np.array([0]), np.array([0]), 50), alpha=0.05)
    assert found.estimates[0] == 0.0
    assert found.p_values[0] == pytest.approx(0.156, abs=5e-4)  # z = 1 / √.98


@pytest.mark.parametrize("kind", ["accuracy", "ratings"])
@pytest.mark.parametrize("simulated", [False, True])
def test_equivalence_sees_both_sides_alike(kind: str, simulated: bool) -> None:
    scenario: Any = (
        dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.03, "equivalent")
        if kind == "accuracy"
        else dt.scenarios.RatingsMargin(
            dt.scenarios.Ratings(mean=50, sd=20, test="two-means", method="closed-form"),
            6,
            "equivalent",
        )
    )
    size = scenario.margin / 3.0
    up, down = (
        dt.power(scenario, n_items=600, effect=e, simulate=simulated, rng=4)
        for e in (size, -size)
    )
    assert down.power == pytest.approx(up.power, abs=0.02 if simulated else 1e-6)
    # From the far margin it would be below 1: claims are drawn towards the middle.
    assert down.type_m == pytest.approx(up.type_m, rel=0.02 if simulated else 1e-6)
    assert 1.0 < up.type_m < 1.3
    assert (up.type_s, down.type_s) == (0.0, 0.0)


def test_neither_margin_can_be_shown() -> None:
    scenario = dt.scenarios.AccuracyMargin(
        dt.scenarios.Accuracy(agreement=0.9), 0.03, "equivalent"
    )
    for effect in (0.03, -0.03):
        with pytest.raises(dt.InputError, match=f"other than {effect:g}; got {effect:g}"):
            dt.power(scenario, n_items=500, effect=effect)


def test_systems_that_never_agree_may_differ_by_anything() -> None:
    found = dt.scenarios.Accuracy(agreement=0.0).effect_range(10)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert found.reason == "the systems disagree on 1 of the items"


def test_two_proportions_are_compared_by_the_pooled_z_test() -> None:
    ours, theirs, n = np.array([40, 50, 0]), np.array([30, 50, 0]), 60
    found = dt.scenarios.UnpairedAccuracy(0.6).analyse((ours, theirs, n), alpha=0.05)
    table = [[40, 20], [30, 30]]
    wanted = stats.chi2_contingency(table, correction=False).pvalue
    assert found.p_values == pytest.approx([wanted, 1.0, 1.0])
    assert found.estimates == pytest.approx([10 / 60, 0.0, 0.0])
