"""Counting simulated evaluations: what is significant, which sign is right, how much is too much."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.planning.scenario import Trials
from detectable.planning.search import Tally, Work, simulate, tally
from tests.planning.scenarios import PairedT

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
