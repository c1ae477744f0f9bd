"""Preference e-processes: the closed form, its halves, ties, and error rates."""

import json
import math
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.sequential.preference_process import (
    PreferenceProcess,
    preference_evidence,
    preference_process,
)
from tests.helpers import golden, reference_data
from tests.sequential.anytime_streams import TYPICAL, histogram, made_up

CASES = [case for case in golden("anytime") if case["kind"] == "preference"]
outcomes = st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=80)


@pytest.mark.golden
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_an_independent_package_agrees(case: dict[str, Any]) -> None:
    signs = np.sign(made_up(case["n"], case["seed"]))
    found = preference_process(signs, prior=case["prior"])
    assert found.log_e == pytest.approx(case["log_e"], abs=case["tolerance"])


@given(outcomes)
def test_it_is_the_product_of_the_winnings(values: list[int]) -> None:
    wealth, wins, losses = 1.0, 0, 0
    for value in values:
        if value > 0:
            wealth *= 2 * (wins + 50) / (wins + losses + 100)
            wins += 1
        elif value < 0:
            wealth *= 2 * (losses + 50) / (wins + losses + 100)
            losses += 1
    found = preference_process(values)
    assert found.e_value == pytest.approx(wealth, rel=1e-9)
    assert (found.wins, found.losses) == (wins, losses)
    halves = math.exp(found.log_better) + math.exp(found.log_worse)
    assert halves / 2 == pytest.approx(found.e_value, rel=1e-9)


def test_a_half_is_the_mixture_over_its_side() -> None:
    wins, losses = 34, 21
    found = preference_process([1] * wins + [-1] * losses)

    def ratio(p: float) -> float:
        return float((2 * p) ** wins * (2 - 2 * p) ** losses * 2 * beta.pdf(p, 50, 50))

    assert math.exp(found.log_better) == pytest.approx(quad(ratio, 0.5, 1)[0], rel=1e-7)
    assert math.exp(found.log_worse) == pytest.approx(quad(ratio, 0, 0.5)[0], rel=1e-7)


def test_each_game_is_fair_and_each_half_loses_on_the_other_side() -> None:
    tosses = list(product([1, -1], repeat=9))
    results = [preference_process(toss, prior=2) for toss in tosses]
    assert np.mean([r.e_value for r in results]) == pytest.approx(1.0, abs=1e-12)
    assert np.mean([math.exp(r.log_better) for r in results]) == pytest.approx(1.0, abs=1e-12)
    chances = [0.4**r.wins * 0.6**r.losses for r in results]
    unfair = sum(c * math.exp(r.log_better) for c, r in zip(chances, results, strict=True))
    assert unfair < 1.0


@given(outcomes, st.integers(1, 20))
def test_batches_do_not_change_a_bit(values: list[int], size: int) -> None:
    whole, parts = PreferenceProcess(), PreferenceProcess()
    whole.update_many(values)
    for start in range(0, len(values), size):
        parts.update_many(values[start : start + size])
        parts = PreferenceProcess.from_dict(json.loads(json.dumps(parts.to_dict())))
    assert whole.to_dict() == parts.to_dict()
    assert whole.result().to_dict() == parts.result().to_dict()


def test_ties_are_counted_and_change_nothing() -> None:
    without, with_ties = (
        preference_process(x) for x in ([1, 1, -1] * 60, [1, 0, 1, 0, 0, -1] * 60)
    )
    assert without.log_e == with_ties.log_e
    assert (with_ties.ties, with_ties.n) == (180, 360)
    assert with_ties.estimand == "P(win | not a tie)"
    assert "180 ties of 360 judgments left out" in with_ties.summary()
    assert with_ties.decided_at is not None
    assert without.decided_at is not None
    assert with_ties.decided_at == pytest.approx(2 * without.decided_at, abs=3)


def test_the_decision_stands_after_the_evidence_fell() -> None:
    found = preference_process([1] * 40 + [-1] * 40)
    assert (found.verdict, found.n) == ("better", 80)
    assert f"the decision of judgment {found.decided_at} stands; E was 20" in found.summary()
    assert "stands" not in preference_process([1] * 40).summary()


def test_words_are_outcomes_too() -> None:
    by_word = preference_process(["win", "tie", "loss", "win"])
    assert by_word == preference_process([1, 0, -1, 1])
    only_ties = preference_process([0, 0])
    assert math.isnan(only_ties.estimate)
    assert only_ties.p_value == 1.0


def test_far_evidence_stays_finite() -> None:
    found = preference_process([1] * 5000)
    assert found.verdict == "better"
    assert 0.0 < found.p_value < 1e-300
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_wrong_outcomes_are_named_and_nothing_is_updated() -> None:
    process = PreferenceProcess()
    with pytest.raises(InputError, match=r"got 2 at position 1\. Nothing was updated"):
        process.update_many([1, 2])
    with pytest.raises(InputError, match="'draw'"):
        process.update("draw")
    with pytest.raises(InputError, match="at least one outcome"):
        process.update_many([])
    assert process.n == 0
    with pytest.raises(DataError, match="PreferenceProcess"):
        PreferenceProcess.from_dict({"kind": "EProcess"})


@cache
def chance_of_a_false_alarm(decided: int, alpha: float) -> FloatArray:
    """Return the exact chance that E has reached 1/α after 0, 1, … fair tosses."""
    alive, crossed = np.array([1.0]), np.zeros(decided + 1)
    for m in range(1, decided + 1):
        alive = 0.5 * (np.append(alive, 0.0) + np.append(0.0, alive))
        wins = np.arange(m + 1)
        hit = preference_evidence(wins, m - wins, 50.0)[0] >= -math.log(alpha)
        crossed[m] = crossed[m - 1] + alive[hit].sum()
        alive[hit] = 0.0
    return crossed


def test_the_exact_chance_of_a_false_alarm_under_constant_watching() -> None:
    crossed = chance_of_a_false_alarm(3000, 0.05)
    assert 0.0 < crossed[600] < crossed[3000] < 0.05
    assert chance_of_a_false_alarm(500, 0.01)[-1] < 0.01
    rng, reps = np.random.default_rng(8), 2000
    tosses = rng.choice([-1, 1], size=(reps, 400))
    rate = np.mean([preference_process(row).decided_at is not None for row in tosses])
    error = math.sqrt(crossed[400] * (1 - crossed[400]) / reps)
    assert rate == pytest.approx(crossed[400], abs=3 * error)


@pytest.mark.golden
def test_stored_simulations_agree_with_the_exact_chance() -> None:
    gold = json.loads(reference_data("gold", "sequential.json").read_text())
    tie = float(np.sum(histogram(TYPICAL) ** 2))
    crossed = chance_of_a_false_alarm(3000, 0.05)
    for cap, known in gold["simulations"]["anytime"]["0.0"]["res"].items():
        decided = np.arange(int(cap) + 1)
        exact = float(binom.pmf(decided, int(cap), 1 - tie) @ crossed[: int(cap) + 1])
        error = math.sqrt(exact * (1 - exact) / 6000)
        assert known["pref_betabin"][0] == pytest.approx(exact, abs=3 * error)
