"""Betting e-processes: definition, streams, bounds, and error rates under constant watching."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.sequential.e_process import BETS, EProcess, e_process, pair_in_order
from tests.helpers import reference_data
from tests.sequential.anytime_streams import (
    HIGH_MEAN,
    TYPICAL,
    histogram,
    made_up,
    standard_error,
    unpaired,
)

differences = st.lists(st.floats(-100, 100), min_size=1, max_size=60)


def by_definition(x: FloatArray) -> tuple[float, float]:
    """Return E+ and E− of differences on 0 … 100 as the formula has them."""
    up = [math.prod((1 + bet * v / 100) for v in x) for bet in BETS]
    down = [math.prod((1 - bet * v / 100) for v in x) for bet in BETS]
    return sum(up) / len(BETS), sum(down) / len(BETS)


def state(process: EProcess) -> dict[str, Any]:
    return process.to_dict()


@given(differences)
def test_it_is_the_mean_of_fair_games(values: list[float]) -> None:
    found = e_process(values)
    up, down = by_definition(np.array(values))
    assert math.exp(found.log_better) == pytest.approx(up, rel=1e-10)
    assert math.exp(found.log_worse) == pytest.approx(down, rel=1e-10)
    assert found.e_value == pytest.approx((up + down) / 2, rel=1e-10)
    assert found.estimate == pytest.approx(np.mean(values), abs=1e-9)


def test_the_stakes_are_the_published_ones() -> None:
    assert len(BETS) == 10
    assert BETS[0] == pytest.approx(0.02)
    assert BETS[-1] == pytest.approx(0.6)
    assert np.ptp(np.diff(np.log(BETS))) < 1e-12


def test_a_long_stream_can_be_stored_and_cut_anywhere() -> None:
    """Bold stakes leave the range of floats on the way, up and down."""
    x = np.concatenate([made_up(6000, 3) * 4, np.full(4000, 90.0), np.full(3000, -80.0)])
    whole, parts = EProcess(), EProcess()
    whole.update_many(x)
    for piece in np.array_split(x, 11):
        parts = EProcess.from_dict(json.loads(json.dumps(parts.to_dict())))
        parts.update_many(piece)
    assert state(whole) == state(parts)
    assert whole.log_e == pytest.approx(
        np.logaddexp.reduce([np.log1p(s * b * x / 100).sum() for b in BETS for s in (1, -1)])
        - math.log(2 * len(BETS)),
        rel=1e-10,
    )


def test_each_game_is_fair() -> None:
    """Over all outcomes of a fair three-sided toss, the mean of E is exactly 1."""
    outcomes = np.array(np.meshgrid(*[[-70.0, 0.0, 70.0]] * 6)).reshape(6, -1).T
    mean = np.mean([e_process(row).e_value for row in outcomes])
    assert mean == pytest.approx(1.0, abs=1e-12)


@given(differences, st.lists(st.integers(1, 20), max_size=8))
def test_batches_do_not_change_a_bit(values: list[float], sizes: list[int]) -> None:
    whole, single, batched = EProcess(), EProcess(), EProcess()
    whole.update_many(values)
    for value in values:
        single.update(value)
    start = 0
    for size in [*sizes, len(values)]:
        if values[start : start + size]:
            batched.update_many(values[start : start + size])
        start += size
    assert state(whole) == state(single) == state(batched)


@given(differences, differences)
def test_a_stored_process_goes_on_as_if_nothing_happened(
    before: list[float], after: list[float]
) -> None:
    kept = EProcess(bounds=(0, 100), alpha=0.1)
    kept.update_many(before)
    resumed = EProcess.from_dict(json.loads(json.dumps(kept.to_dict())))
    kept.update_many(after)
    resumed.update_many(after)
    assert state(kept) == state(resumed)
    assert kept.result() == resumed.result()


@given(differences)
def test_swapping_the_systems_mirrors_the_evidence(values: list[float]) -> None:
    one, other = e_process(values), e_process([-v for v in values])
    assert (one.log_better, one.log_worse) == (other.log_worse, other.log_better)
    assert one.log_e == other.log_e


def test_scores_and_differences_and_scales_agree() -> None:
    a, b = np.array([80.0, 20, 55, 91]), np.array([60.0, 40, 50, 90])
    by_scores, by_differences = e_process(a, b), e_process(a - b)
    assert by_scores == by_differences
    likert = e_process(1 + a / 25, 1 + b / 25, bounds=(1, 5))
    assert likert.log_e == pytest.approx(by_scores.log_e, abs=1e-12)


def test_the_decision_stands_and_p_is_that_of_the_peak() -> None:
    found = e_process([40.0] * 60 + [-40.0] * 60)
    assert found.path is not None
    first = int(np.flatnonzero(found.path.log_e >= math.log(20))[0]) + 1
    assert (found.verdict, found.decided_at) == ("better", first)
    assert found.p_value == pytest.approx(math.exp(-found.path.log_e.max()))
    assert found.log_e < math.log(20)
    assert found.summary().startswith(f"better, decided at judgment {first} of 120")
    assert f"the decision of judgment {first} stands; E was 20 or more then" in found.summary()
    assert "stands" not in e_process([40.0] * 60).summary()
    assert "stands" not in e_process([40.0, -40.0] * 9).summary()


def test_p_is_never_zero_and_json_has_no_infinity() -> None:
    found = e_process([100.0] * 3000)
    assert 0.0 < found.p_value < 1e-300
    assert math.isinf(found.e_value)
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert "10^" in found.summary()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([50, 107], [50, 50], "scores `a` must lie within 0 to 100; got 107 at position 1"),
        ([50, 50], [-3, 50], "scores `b` must lie within 0 to 100; got -3 at position 0"),
        ([50, 50, 50], [50, 50], "same length; got 3 and 2"),
        ([50, math.nan], [50, 50], "finite"),
    ],
)
def test_wrong_scores_are_named_and_nothing_is_updated(
    a: list[float], b: list[float], message: str
) -> None:
    process = EProcess()
    process.update(12.0)
    before = state(process)
    with pytest.raises(InputError, match=message):
        process.update_scores(a, b)
    assert state(process) == before


def test_an_impossible_difference_is_refused_whole() -> None:
    process = EProcess(bounds=(1, 5))
    with pytest.raises(InputError, match=r"within -4 to 4; got 4.5 at position 2"):
        process.update_many([1.0, 2.0, 4.5])
    for wrong in (4.5, math.nan, -math.inf):
        with pytest.raises(InputError, match="differences"):
            process.update(wrong)
    assert process.n == 0


@pytest.mark.parametrize("bounds", [(1, 1), (5, 1), (0, math.inf)])
def test_bounds_must_be_a_range(bounds: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="`bounds` must be two finite numbers"):
        EProcess(bounds=bounds)


@pytest.mark.parametrize("bets", [[0.0, 0.5], [1.0], []])
def test_stakes_must_leave_something(bets: list[float]) -> None:
    with pytest.raises(InputError, match="bets"):
        EProcess(bets=bets)


def test_a_foreign_state_is_refused() -> None:
    with pytest.raises(DataError, match="must be of kind 'EProcess'; got 'Other'"):
        EProcess.from_dict({"kind": "Other"})
    cut = {k: v for k, v in EProcess().to_dict().items() if k != "wealth"}
    with pytest.raises(DataError, match="lacks wealth"):
        EProcess.from_dict(cut)
    with pytest.raises(DataError, match="two wealths per stake"):
        EProcess.from_dict(EProcess().to_dict() | {"wealth": [[1.0], [1.0]]})


def test_pairs_in_order_and_what_waits() -> None:
    pairs = pair_in_order([10, 20, 30, 40, 50], [1, 2])
    assert pairs.differences.tolist() == [9.0, 18.0]
    assert (pairs.n_pairs, pairs.n_left_a, pairs.n_left_b) == (2, 3, 0)
    later = pair_in_order(pairs.rest_a, [*pairs.rest_b, 3, 4, 5, 6])
    assert later.differences.tolist() == [27.0, 36.0, 45.0]
    assert later.notes == ("1 score of the second system waits for a partner",)
    process = EProcess()
    process.update_many(later.differences)
    assert process.result(notes=later.notes).summary().endswith("waits for a partner.")
    assert pair_in_order([], [1]).n_pairs == 0
    with pytest.raises(InputError, match="`b` must lie within 0 to 100; got 101 at position 0"):
        pair_in_order([1], [101])


def decided_at(rows: FloatArray, alpha: float = 0.05) -> FloatArray:
    return np.array([e_process(row, alpha=alpha).decided_at or np.inf for row in rows])


def test_watching_all_the_time_keeps_the_error() -> None:
    """A short run for every day; the long one below is the measurement."""
    rng, reps = np.random.default_rng(17), 400
    rows = rng.choice(np.array([-100.0, -20.0, 0.0, 20.0, 100.0]), size=(reps, 500))
    rate = np.mean(decided_at(rows) <= 500)
    assert rate <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / reps)


@pytest.mark.slow
@pytest.mark.golden
def test_error_on_real_scores_watched_after_every_judgment() -> None:
    gold = json.loads(reference_data("gold", "sequential.json").read_text())
    stored = gold["simulations"]["anytime"]["0.0"]["res"]
    rng = np.random.default_rng(2024)
    rows = unpaired(histogram(TYPICAL), gain=0.0, reps=6000, n=3000, rng=rng)
    times = decided_at(rows)
    for cap, known in stored.items():
        rate, expected = np.mean(times <= int(cap)), known["bet_mix"][0]
        assert rate <= 0.05
        assert rate == pytest.approx(expected, abs=4 * standard_error(expected, 6000, 6000))


@pytest.mark.slow
def test_error_on_skewed_scores() -> None:
    rng = np.random.default_rng(7)
    rows = unpaired(histogram(HIGH_MEAN), gain=0.0, reps=3000, n=3000, rng=rng)
    rate = np.mean(decided_at(rows) <= 3000)
    assert rate == pytest.approx(0.010, abs=4 * standard_error(0.010, 3000, 3000))
    assert np.mean(decided_at(rows, alpha=0.05 / 90) <= 3000) <= 0.05 / 90 + 0.0005


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize(("gain", "cap"), [(2.0, 1800), (3.0, 600), (3.0, 3000), (5.0, 600)])
def test_power_and_judgments_on_real_scores(gain: float, cap: int) -> None:
    gold = json.loads(reference_data("gold", "sequential.json").read_text())
    power, n = gold["simulations"]["anytime"][str(gain)]["res"][str(cap)]["bet_mix"]
    rng, reps = np.random.default_rng(int(10 * gain) + cap), 1600
    rows = unpaired(histogram(TYPICAL), gain=gain, reps=reps, n=cap, rng=rng)
    times = decided_at(rows)
    assert np.mean(times <= cap) == pytest.approx(
        power, abs=4 * standard_error(power, reps, 800)
    )
    used = np.minimum(times, cap)
    assert used.mean() == pytest.approx(n, abs=4 * used.std() * math.sqrt(1 / reps + 1 / 800))


def test_an_early_peek_at_nothing_is_harmless() -> None:
    process = EProcess()
    assert (process.e_value, process.p_value, process.verdict) == (1.0, 1.0, "undecided")
    assert math.isnan(process.result().estimate)
