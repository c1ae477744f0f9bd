"""Searching a noisy function: near the truth, with an honest error, or «not attainable»."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import detectable as dt
from detectable.core.types import FloatArray
from detectable.planning.scenario import Trials
from detectable.planning.search import Tally, Work, probit_line, simulate, tally
from tests.planning.scenarios import Ceiling, PairedT, t_power


def test_a_third_party_scenario_has_a_detectable_effect() -> None:
    found = dt.mde(PairedT(), n_items=50, n_trials=2000, rng=1)
    assert (found.method, found.attainable) == ("simulated", True)
    assert found.effect_error is not None
    assert t_power(50, found.effect) == pytest.approx(0.8, abs=0.025)
    assert found.power == pytest.approx(0.8, abs=5 * (found.standard_error or 0))
    assert "±" in found.summary()


def test_a_third_party_scenario_has_a_sample_size() -> None:
    found = dt.sample_size(PairedT(), effect=0.3, n_trials=2000, rng=1)
    assert found.n_items is not None
    assert found.n_items_error is not None
    assert abs(found.n_items - 90) <= 5 * found.n_items_error
    assert t_power(90, 0.3) == pytest.approx(0.8, abs=0.005)


@pytest.mark.slow
def test_the_stated_error_is_the_real_one() -> None:
    wide = [dt.mde(PairedT(), n_items=30, n_trials=1000, rng=seed) for seed in range(60)]
    truth = 0.5295
    assert t_power(30, truth) == pytest.approx(0.8, abs=0.001)
    scores = [(found.effect - truth) / (found.effect_error or 1) for found in wide]
    assert abs(np.mean(scores)) < 4 / 60**0.5
    assert 0.7 < np.std(scores) < 1.35


def test_simulated_and_exact_searches_agree() -> None:
    scenario = dt.scenarios.Accuracy(agreement=0.9)
    exact = dt.mde(scenario, n_items=400)
    drawn = dt.mde(scenario, n_items=400, simulate=True, n_trials=4000, rng=3)
    assert drawn.effect == pytest.approx(exact.effect, abs=5 * (drawn.effect_error or 0))
    size = dt.sample_size(scenario, effect=0.05)
    noisy = dt.sample_size(scenario, effect=0.05, simulate=True, n_trials=4000, rng=3)
    assert abs((noisy.n_items or 0) - (size.n_items or 0)) <= 5 * (noisy.n_items_error or 0)


@pytest.mark.parametrize("n", [50, 777, 20_000])
def test_the_two_searches_are_inverse(n: int) -> None:
    scenario = dt.scenarios.RankSum()
    effect = dt.mde(scenario, n_items=n).effect
    found = dt.sample_size(scenario, effect=effect)
    assert found.n_items in (n, n + 1)  # rounding may fall on either side
    assert dt.power(scenario, n_items=n, effect=effect).power == pytest.approx(0.8, abs=1e-9)


def test_no_effect_is_large_enough() -> None:
    scenario = dt.scenarios.Accuracy(baseline_accuracy=0.945, prior="glue")
    found = dt.mde(scenario, n_items=147)
    assert not found.attainable
    assert math.isnan(found.effect)
    assert found.to_dict()["effect"] is None
    assert found.power < 0.8
    assert found.summary().startswith("not attainable: power is 0.654 at an effect of 0.0505")
    assert "a baseline that is right on 0.945" in found.limit


def test_no_size_is_large_enough() -> None:
    found = dt.sample_size(Ceiling(), effect=5.0, n_trials=4000, rng=1)
    assert (found.attainable, found.n_items) == (False, None)
    assert found.power == pytest.approx(0.5, abs=0.1)
    assert "larger sizes bring no gain" in found.limit
    assert found.summary().startswith("not attainable: power is at most")


def test_the_search_ends_somewhere() -> None:
    found = dt.sample_size(dt.scenarios.RankSum(), effect=0.5 + 1e-6)
    assert not found.attainable
    assert "the search ends at 100,000,000" in found.limit


def test_the_smallest_size_may_do() -> None:
    assert dt.sample_size(dt.scenarios.RankSum(), effect=1.0, power=0.2).n_items == 2
    found = dt.sample_size(PairedT(sd=0.01), effect=5.0, n_trials=500, rng=1)
    assert found.n_items == 2


def test_a_probit_line_is_found_again() -> None:
    from scipy.stats import norm

    xs = np.linspace(-1, 1, 9)
    trials = np.full(9, 1e6)
    line, covariance = probit_line(xs, norm.cdf(0.4 + 0.7 * xs), trials)
    assert line == pytest.approx([0.4, 0.7], abs=1e-4)
    assert covariance[0, 0] < 1e-6


def test_a_plateau_is_left_long_before_the_largest_size() -> None:
    """Three doublings without a gain are enough: a slow scenario could not afford the rest."""
    asked: list[int] = []

    class Watched(Ceiling):
        def draw(self, n_items: int, effect: float, **options: Any) -> FloatArray:
            asked.append(n_items)
            return super().draw(n_items, effect, **options)

    found = dt.sample_size(Watched(), effect=5.0, n_trials=2000, rng=1)
    assert not found.attainable
    assert max(asked) < Ceiling().largest_n() / 100


def test_power_that_is_still_near_the_level_is_no_plateau() -> None:
    """A tiny effect: the first doublings gain nothing, and the search must go on."""
    found = dt.sample_size(PairedT(), effect=0.05, n_trials=300, rng=2)
    assert found.attainable
    assert found.n_items == pytest.approx(3_142, rel=0.1)


# --- Counting simulated evaluations: what is significant, which sign is right, how much is too much ---

NAN = math.nan


def _tally(pairs: list[tuple[float, float]], effect: float, null: float = 0.0) -> Tally:
    estimates, p_values = np.array(pairs).T
    return tally(Trials(estimates, p_values), effect, null_effect=null, alpha=0.05)


def test_a_p_value_of_exactly_alpha_is_significant() -> None:
    found = _tally([(1.0, 0.05), (1.0, np.nextafter(0.05, 1.0)), (1.0, NAN)], effect=1.0)
    assert (found.trials, found.right, found.wrong) == (3, 1, 0)


@pytest.mark.parametrize(
    ("effect", "null", "right"),
    [(1.0, 0.0, 2), (-1.0, 0.0, 1), (0.6, 0.5, 2), (0.4, 0.5, 1), (0.0, 0.0, 2)],
)
def test_the_right_sign_is_that_of_the_true_effect(
    effect: float, null: float, right: int
) -> None:
    rows = [(null + 0.2, 0.01), (null + 0.1, 0.01), (null - 0.3, 0.01), (null + 9.0, 0.5)]
    found = _tally(rows, effect, null)
    assert (found.right, found.wrong) == (right, 3 - right)


def test_an_estimate_at_the_null_itself_has_no_right_sign() -> None:
    assert _tally([(0.5, 0.01)], effect=0.7, null=0.5).wrong == 1


def test_the_excess_is_in_multiples_of_the_true_distance() -> None:
    found = _tally([(0.7, 0.01), (0.2, 0.01), (0.9, 0.9)], effect=0.6, null=0.5)
    assert found.excess == pytest.approx((0.2 + 0.3) / 0.1)
    assert found.type_m == pytest.approx(2.5)
    assert found.type_s == 0.5
    assert found.power == pytest.approx(1 / 3)


def test_at_the_null_there_is_nothing_to_exaggerate() -> None:
    assert math.isnan(_tally([(0.7, 0.01)], effect=0.5, null=0.5).excess)


def test_without_any_significant_trial_there_are_no_errors() -> None:
    found = _tally([(1.0, 0.5)], effect=1.0)
    assert found.power == 0.0
    assert math.isnan(found.type_m)
    assert math.isnan(found.type_s)


@given(st.integers(1, 10_000), st.floats(0.0, 1.0))
def test_the_error_of_a_share_is_never_zero(trials: int, share: float) -> None:
    right = round(share * trials)
    error = Tally(trials, right, 0, 0.0).standard_error
    p = (right + 0.5) / (trials + 1)
    assert error == pytest.approx(math.sqrt(p * (1 - p) / trials))
    assert error > 0.0


def test_blocks_are_added_up() -> None:
    scenario, rng = PairedT(), np.random.default_rng(3)
    size = scenario.block_trials(20)
    whole = simulate(scenario, 20, 0.5, alpha=0.05, rng=rng, work=Work(n_trials=2 * size + 7))
    parts = []
    for block, rows in zip(np.random.default_rng(3).spawn(3), (size, size, 7), strict=True):
        found = scenario.analyse(scenario.draw(20, 0.5, trials=rows, rng=block), alpha=0.05)
        parts.append(tally(found, 0.5, null_effect=0.0, alpha=0.05))
    assert whole.trials == 2 * size + 7
    assert (whole.right, whole.wrong) == (
        sum(p.right for p in parts),
        sum(p.wrong for p in parts),
    )
    assert whole.excess == pytest.approx(sum(p.excess for p in parts), rel=1e-12)


def test_an_executor_and_progress_are_used() -> None:
    seen: list[tuple[str, int, int | None]] = []
    with ThreadPoolExecutor(1) as pool:
        work = Work(3000, executor=pool, progress=lambda *step: seen.append(step))
        simulate(PairedT(), 20, 0.5, alpha=0.05, rng=np.random.default_rng(1), work=work)
    assert seen[0] == ("simulating", 0, 3)
    assert seen[-1] == ("simulating", 3, 3)


@pytest.mark.parametrize(
    ("n_items", "rows"), [(2, 1024), (3906, 1024), (3907, 1023), (40_000, 100), (10**7, 16)]
)
def test_a_block_holds_fewer_trials_of_large_evaluations(n_items: int, rows: int) -> None:
    assert PairedT().block_trials(n_items) == rows
