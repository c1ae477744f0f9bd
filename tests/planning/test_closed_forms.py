"""The power of tests of a margin on 0/1 data: against sums over all tables, and for many items."""

import functools
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
from detectable.inference.shares import score_variance, tango_z
from detectable.planning.closed_forms import (
    MarginPower,
    between,
    beyond,
    error_factors,
    fewest_wins,
    graded_nodes,
    margin_power,
    normal_power,
    sign_power,
    unit_nodes,
)
from tests.helpers import reference_data, spread
from tests.planning.scenarios import PairedT

S = dt.scenarios


@functools.lru_cache(maxsize=1)
def gold() -> list[dict[str, Any]]:
    text = reference_data("gold", "small_samples.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)["margin_power"]["rows"]
    return rows


@pytest.mark.golden
def test_power_and_false_claims_are_those_of_the_enumeration_in_r() -> None:
    assert len(gold()) >= 10
    for row in gold():
        accuracy = S.Accuracy(agreement=1.0 - row["discordance"])
        for claim, name in (("non-inferior", "noninferior"), ("equivalent", "equivalent")):
            scenario = S.AccuracyMargin(accuracy, row["margin"], claim)  # type: ignore[arg-type]
            # At the margin nothing can be shown, so `power` would refuse to be asked.
            found = scenario.closed_form(row["n"], row["true_difference"], alpha=0.05)
            assert found.method == "exact"
            assert found.power == pytest.approx(row[f"tango_{name}"], abs=1e-11)


def all_tables(
    n: int, win: float, loss: float, margin: float, alpha: float, *, both: bool
) -> MarginPower:
    """Return the same as a sum over every table."""
    b, c = np.array([t for t in itertools.product(range(n + 1), repeat=2) if sum(t) <= n]).T
    chance = stats.multinomial.pmf(
        np.stack([b, c, n - b - c], axis=1), n, [win, loss, 1.0 - win - loss]
    )
    claim = stats.norm.sf(tango_z(b, c, n, -margin)) <= alpha
    if both:
        claim &= stats.norm.cdf(tango_z(b, c, n, margin)) <= alpha
    power = float(chance[claim].sum())
    mean = float((chance * (b - c) / n)[claim].sum()) / power if power > 0.0 else 0.0
    return MarginPower(power, mean)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize(
    ("n", "win", "loss", "margin", "alpha"),
    [
        (40, 0.1, 0.05, 0.2, 0.05),
        (40, 0.05, 0.1, 0.2, 0.05),
        (60, 0.3, 0.3, 0.25, 0.1),
        (60, 0.0, 0.04, 0.1, 0.05),
        (60, 0.04, 0.0, 0.1, 0.05),
        (25, 0.6, 0.4, 0.5, 0.01),
        (7, 0.2, 0.1, 0.9, 0.05),
        (30, 0.001, 0.002, 0.1, 0.05),
    ],
)
def test_equals_the_sum_over_all_tables(
    n: int, win: float, loss: float, margin: float, alpha: float, both: bool
) -> None:
    found = margin_power(n, win, loss, margin=margin, alpha=alpha, both=both)
    wanted = all_tables(n, win, loss, margin, alpha, both=both)
    assert found.power == pytest.approx(wanted.power, abs=1e-11)
    assert found.mean == pytest.approx(wanted.mean, abs=1e-10)


def test_too_few_items_never_claim() -> None:
    assert margin_power(20, 0.25, 0.25, margin=0.01, alpha=0.05, both=True) == MarginPower(0, 0)


@given(st.integers(1, 400), st.floats(0.001, 0.999), st.sampled_from([0.001, 0.05, 0.4]))
def test_the_fewest_wins_are_the_fewest(n: int, margin: float, alpha: float) -> None:
    counts = np.arange(n + 1)
    found = fewest_wins(counts, n, margin=margin, alpha=alpha)
    for m in (0, n // 7, n // 2, n):
        b = np.arange(m + 1)
        shown = tango_z(b, m - b, n, -margin) >= -stats.norm.ppf(alpha)
        # From the first on, all: the statistic grows with the wins.
        assert np.array_equal(shown, b >= found[m])


@pytest.mark.parametrize("claim", ["non-inferior", "equivalent"])
@pytest.mark.parametrize("disagreement", [0.005, 0.02, 0.1, 0.5])
def test_with_many_items_the_normal_form_is_near_the_sum(
    claim: Any, disagreement: float
) -> None:
    n = max(5001, math.ceil(250 / disagreement))
    for reach, shift in itertools.product((1.5, 2.5, 4.0), (-0.3, 0.0, 0.3)):
        margin = reach * math.sqrt(disagreement / n)
        effect = shift * margin
        scenario = S.AccuracyMargin(S.Accuracy(agreement=1.0 - disagreement), margin, claim)
        form = scenario.closed_form(n, effect, alpha=0.05)
        win, loss = (disagreement + effect) / 2, (disagreement - effect) / 2
        found = margin_power(
            n, win, loss, margin=margin, alpha=0.05, both=claim == "equivalent"
        )
        assert form.method == "closed-form"
        assert form.power == pytest.approx(found.power, abs=0.01)
        if found.power > 0.1:
            distance = margin - abs(effect) if claim == "equivalent" else margin + effect
            sign = 1.0 if claim == "non-inferior" or effect < 0.0 else -1.0
            assert form.type_m == pytest.approx(
                (margin + sign * found.mean) / distance, rel=0.01
            )


def test_what_decides_between_the_sum_and_the_normal_form() -> None:
    def method(n: int, agreement: float, **options: Any) -> str:
        scenario = S.AccuracyMargin(S.Accuracy(agreement=agreement, **options), 0.01)
        return dt.power(scenario, n_items=n, effect=0.0).method

    assert method(5000, 0.5) == "exact"
    assert method(5001, 0.5) == "closed-form"
    assert method(24_000, 0.99) == "exact"  # 240 items decide
    assert method(26_000, 0.99) == "closed-form"
    assert method(300, 0.9, method="normal") == "closed-form"


@pytest.mark.parametrize(
    ("agreement", "margin", "claim", "power"),
    spread(
        [
            (0.99, 0.02, "non-inferior", 0.8),
            (0.998, 0.02, "non-inferior", 0.8),
            (0.99, 0.05, "equivalent", 0.5),
            (0.95, 0.05, "equivalent", 0.8),
            (0.8, 0.1, "non-inferior", 0.9),
        ],
        one_in=2,
    ),
)
def test_power_stays_above_the_target_from_the_sample_size_on(
    agreement: float, margin: float, claim: Any, power: float
) -> None:
    scenario = S.AccuracyMargin(S.Accuracy(agreement=agreement), margin, claim)
    n = dt.sample_size(scenario, effect=0.0, power=power).n_items
    assert n is not None
    powers = [scenario.closed_form(k, 0.0, alpha=0.05).power for k in range(n - 1, 2 * n + 200)]
    assert powers[0] < power
    assert min(powers[1:]) >= power


# --- Power of a normal estimate: against draws, at the edges, and beyond estimated thresholds ---


@pytest.mark.parametrize("distance", [0.2, 1.0, 3.0])
def test_equals_draws(distance: float) -> None:
    draws = np.random.default_rng(1).normal(distance, 1.0, 400_000)
    found = draws[np.abs(draws) >= 1.96]
    closed = normal_power(distance, 1.0, 1.96)
    assert closed.power == pytest.approx((draws >= 1.96).mean(), abs=0.004)
    assert closed.type_m == pytest.approx(np.abs(found).mean() / distance, rel=0.01)
    assert closed.type_s == pytest.approx((found < 0).mean(), abs=0.015)


def test_without_spread_the_answer_is_sure() -> None:
    assert normal_power(1.0, 0.0, 0.5).power == 1.0
    assert math.isnan(normal_power(0.1, 0.0, 0.5).type_m)


def test_out_of_reach_there_are_no_errors() -> None:
    found = normal_power(1.0, 1e-3, 5.0)
    assert found.power == 0.0
    assert math.isnan(found.type_m)
    assert math.isnan(found.type_s)


def test_the_normal_test_of_accuracy_can_be_simulated() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.8, method="normal")
    closed = dt.power(scenario, n_items=1000, effect=0.04)
    drawn = dt.power(scenario, n_items=1000, effect=0.04, simulate=True, rng=1)
    error = 4 * (drawn.standard_error or 0) + 0.005  # the formula fixes the disagreement
    assert drawn.power == pytest.approx(closed.power, abs=error)
    assert dt.sample_size(scenario, effect=0.04).method == "closed-form"


def test_the_smallest_difference_that_is_still_not_inferior() -> None:
    scenario = dt.scenarios.AccuracyMargin(dt.scenarios.Accuracy(agreement=0.95), 0.02)
    found = dt.mde(scenario, n_items=20_000)
    assert found.method == "closed-form"
    # -margin + z_.95 · s at the margin + z_.80 · s, both with the shares of the answer.
    win, loss = 0.025 + found.effect / 2, 0.025 - found.effect / 2
    at_margin = float(score_variance(win, loss, 1.0, -0.02) / 20_000) ** 0.5
    spread = ((0.05 - found.effect**2) / 20_000) ** 0.5
    wanted = -0.02 + 1.6448536 * at_margin + 0.8416212 * spread
    assert found.effect == pytest.approx(wanted, abs=1e-9)


def test_a_scenario_need_not_be_a_dataclass() -> None:
    class Plain(dt.scenarios.Scenario):
        draw = PairedT(2.0).draw
        analyse = PairedT(2.0).analyse

    found = dt.power(Plain(), n_items=30, effect=1.0, n_trials=200, rng=1)
    assert "scenario:Plain" in str(found.signature)


@pytest.mark.golden
@pytest.mark.parametrize("df", [1.0, 3.0, 20.0, 500.0])
@pytest.mark.parametrize("effect", [0.3, 2.5])
def test_power_is_that_of_the_noncentral_t(df: float, effect: float) -> None:
    factors, weights = error_factors(df)
    critical = stats.t.ppf(0.975, df)
    found = beyond(effect, 1.0, critical * factors, weights)
    right, wrong = stats.nct.sf(critical, df, effect), stats.nct.cdf(-critical, df, effect)
    assert found.power == pytest.approx(right, abs=1e-9)
    assert found.type_s == pytest.approx(wrong / (right + wrong), abs=1e-8)


def test_errors_are_those_of_a_simulation() -> None:
    draws = np.random.default_rng(1).normal(1.0, 1.0, 400_000)
    found = beyond(-1.0, 1.0, np.array([1.5]))
    significant = draws[np.abs(draws) > 1.5]
    assert found.power == pytest.approx((draws > 1.5).mean(), abs=0.003)
    assert found.type_m == pytest.approx(np.abs(significant).mean(), rel=0.005)
    assert found.type_s == pytest.approx((significant < 0).mean(), abs=0.003)


def test_no_effect_has_no_exaggeration() -> None:
    found = beyond(0.0, 1.0, np.array([1.96]))
    assert 2 * found.power == pytest.approx(0.05, abs=1e-4)
    assert math.isnan(found.type_m)
    assert found.type_s == 0.5
    assert math.isnan(beyond(1.0, 1.0, np.array([60.0])).type_s)


def test_between_two_thresholds() -> None:
    one = np.ones(1)
    chance, mean = between(0.5, 2.0, -one, 3.0 * one, one)
    normal = stats.truncnorm(-0.75, 1.25, loc=0.5, scale=2.0)
    assert chance == pytest.approx(stats.norm.cdf(1.25) - stats.norm.cdf(-0.75), abs=1e-12)
    assert mean == pytest.approx(normal.mean(), abs=1e-9)
    assert between(0.5, 2.0, one, -one, one)[0] == 0.0


def test_nodes_integrate_steep_functions() -> None:
    nodes, weights = graded_nodes()
    assert weights @ nodes**0.3 == pytest.approx(1 / 1.3, abs=1e-10)
    assert weights @ stats.norm.ppf(nodes) ** 2 == pytest.approx(1.0, abs=1e-7)
    nodes, weights = unit_nodes(8)
    assert weights @ nodes**5 == pytest.approx(1 / 6, abs=1e-14)


# --- The exact power of the sign test, against all tables of a small evaluation written out ---


def _by_hand(
    n: int, win: float, loss: float, alpha: float
) -> tuple[float, float, float, float]:
    """Sum over every number of wins and losses."""
    right = wrong = per_item = per_decided = 0.0
    tie = 1.0 - win - loss
    for wins in range(n + 1):
        for losses in range(n - wins + 1):
            ties = n - wins - losses
            ways = math.factorial(n) // (
                math.factorial(wins) * math.factorial(losses) * math.factorial(ties)
            )
            chance = ways * win**wins * loss**losses * tie**ties
            decided = wins + losses
            if not decided or stats.binomtest(wins, decided).pvalue > alpha * (1 + 1e-9):
                continue
            right += chance * (wins > losses)
            wrong += chance * (losses > wins)
            per_item += chance * abs(wins - losses) / n
            per_decided += chance * abs(wins - losses) / decided
    return right, wrong, per_item, per_decided


@pytest.mark.parametrize(
    ("n", "win", "loss", "alpha"),
    [
        (12, 0.4, 0.2, 0.05),
        (12, 0.5, 0.5, 0.05),
        (20, 0.35, 0.05, 0.01),
        (15, 0.9, 0.1, 0.2),
        (6, 0.3, 0.3, 0.05),
        (5, 0.9, 0.05, 0.05),
    ],
)
def test_equals_the_sum_over_all_tables_of_sign_power(
    n: int, win: float, loss: float, alpha: float
) -> None:
    found = sign_power(n, win, loss, alpha=alpha)
    wanted = _by_hand(n, win, loss, alpha)
    assert (found.right, found.wrong) == pytest.approx(wanted[:2], abs=1e-10)
    assert (found.per_item, found.per_decided) == pytest.approx(wanted[2:], abs=1e-10)


def test_a_system_that_never_loses() -> None:
    """Six wins of six have p = 1/32; five of five have 1/16."""
    assert sign_power(6, 1.0, 0.0, alpha=0.05).right == pytest.approx(1.0)
    assert sign_power(5, 1.0, 0.0, alpha=0.05).right == 0.0
    half = sign_power(8, 0.5, 0.0, alpha=0.05)
    assert half.right == pytest.approx(stats.binom.sf(5, 8, 0.5))
    assert half.wrong == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 300), st.floats(0.01, 0.5), st.floats(0.01, 0.5))
def test_chances_stay_chances(n: int, a: float, b: float) -> None:
    found = sign_power(n, max(a, b), min(a, b), alpha=0.05)
    assert 0.0 <= found.wrong <= found.right + 1e-12 <= 1.0 + 1e-9
    assert found.right + found.wrong <= 1.0 + 1e-9
    assert found.per_item <= found.per_decided + 1e-12


def test_equal_systems_are_told_apart_at_most_at_the_level() -> None:
    for n in (10, 50, 500, 5000):
        found = sign_power(n, 0.2, 0.2, alpha=0.05)
        assert found.right == pytest.approx(found.wrong, rel=1e-9)
        assert found.right + found.wrong <= 0.05


@pytest.mark.parametrize("n", [2000, 20_000])
def test_large_evaluations_agree_with_the_normal_form(n: int) -> None:
    win, loss = 0.12, 0.08
    found = sign_power(n, win, loss, alpha=0.05)
    spread = math.sqrt((win + loss - (win - loss) ** 2) / n)
    critical = 1.959964 * math.sqrt((win + loss) / n)
    assert found.right == pytest.approx(stats.norm.sf((critical - 0.04) / spread), abs=0.03)
