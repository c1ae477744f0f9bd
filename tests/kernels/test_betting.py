"""Running wealth, bands and moments against the definitions in plain numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.betting import betting_band, moments_path, relative_scale, wealth_path

pytestmark = pytest.mark.usefixtures("each_engine")

BETS = np.geomspace(0.02, 0.6, 10)
streams = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


def start() -> tuple[FloatArray, IntArray, FloatArray]:
    """Return wealth, exponents and scale before the first bet."""
    shape = (2, BETS.size)
    return np.ones(shape), np.zeros(shape, dtype=np.int64), np.ones(shape)


def products(x: FloatArray, sign: float) -> FloatArray:
    """Return the mean of the products after each x, as the definition says."""
    factors = 1 + sign * np.outer(x, BETS)
    mean: FloatArray = np.cumprod(factors, axis=0).mean(axis=1)
    return mean


@given(streams)
def test_wealth_is_a_mean_of_products(values: list[float]) -> None:
    x = np.array(values)
    path = np.exp(wealth_path(x, BETS, *start()))
    better, worse = products(x, 1.0), products(x, -1.0)
    np.testing.assert_allclose(path, [(better + worse) / 2, better, worse], rtol=1e-12)


@given(streams, st.data())
def test_a_cut_stream_ends_in_the_same_bits(values: list[float], data: st.DataObject) -> None:
    x, cut = np.array(values), data.draw(st.integers(0, len(values)))
    whole, parts = start(), start()
    path = wealth_path(x, BETS, *whole)
    pieces = [wealth_path(piece, BETS, *parts) for piece in (x[:cut], x[cut:])]
    assert np.array_equal(path, np.hstack(pieces))
    assert all(np.array_equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_long_streams_agree_with_logs_and_can_be_cut_after_a_rescaling() -> None:
    x = np.random.default_rng(12).integers(-100, 101, size=40_000) / 100
    whole, parts = start(), start()
    path = wealth_path(x, BETS, *whole)
    assert whole[1].min() < -500  # the bold stakes have lost more than a float can hold
    logs = np.cumsum(np.log1p(np.outer(x, BETS)), axis=0)
    expected = logs.max(axis=1) + np.log(np.exp(logs - logs.max(axis=1)[:, None]).mean(axis=1))
    np.testing.assert_allclose(path[1], expected, rtol=1e-10, atol=1e-9)
    pieces = []
    for piece in np.array_split(x, 7):
        pieces.append(wealth_path(piece, BETS, *parts))
        parts = (parts[0], parts[1], relative_scale(parts[1]))
    assert np.array_equal(path, np.hstack(pieces))


def test_long_streams_neither_overflow_nor_vanish() -> None:
    path = wealth_path(np.ones(20_000), BETS, *start())
    assert path[1, -1] == pytest.approx(20_000 * np.log(1.6) - np.log(10), rel=1e-12)
    assert path[2, -1] == pytest.approx(20_000 * np.log(0.98) - np.log(10), rel=1e-12)


def test_the_band_follows_its_definition_at_every_candidate() -> None:
    rng, grid, threshold = np.random.default_rng(3), np.linspace(-1, 1, 41), np.log(40.0)
    x = rng.integers(-40, 101, size=300) / 100
    low, high = betting_band(x, BETS, grid, threshold)
    peaks = []
    for sign in (1.0, -1.0):
        wealth = [products((x - m) / (1 + abs(m)), sign) for m in grid]
        peaks.append(np.maximum.accumulate(wealth, axis=1) >= 40.0)  # candidates × times
    # Monotone in the candidate, so that the bounds are the innermost refuted ones.
    assert np.all(np.diff(peaks[0].astype(int), axis=0) <= 0)
    assert np.all(np.diff(peaks[1].astype(int), axis=0) >= 0)
    expected_low = np.where(peaks[0], grid[:, None], -1.0).max(axis=0)
    expected_high = np.where(peaks[1], grid[:, None], 1.0).min(axis=0)
    assert np.array_equal(low, expected_low)
    assert np.array_equal(high, expected_high)
    assert low[-1] > 0.15
    assert high[-1] < 0.5


def test_the_band_stays_two_neighbours_when_all_candidates_are_refuted() -> None:
    x = np.tile([0.31, 0.29], 5_000)
    grid = np.linspace(-1, 1, 5)
    low, high = betting_band(x, BETS, grid, np.log(40.0))
    assert (low[-1], high[-1]) == (0.0, 0.5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_running_moments_are_those_of_numpy(values: list[float]) -> None:
    x, state = np.array(values), np.zeros(3)
    mean, variance = moments_path(x, state)
    assert np.isnan(variance[0])
    for t in range(2, x.size + 1):
        assert mean[t - 1] == pytest.approx(x[:t].mean(), rel=1e-9, abs=1e-6)
        assert variance[t - 1] == pytest.approx(x[:t].var(ddof=1), rel=1e-9, abs=1e-3)
    assert state[0] == x.size


@pytest.mark.parametrize("which", [0, 1, 2], ids=["wealth", "exponents", "scale"])
def test_a_state_of_other_stakes_is_refused(which: int) -> None:
    state = list(start())
    state[which] = state[which][:, :-1].copy()
    name = ("wealth", "exponents", "scale")[which]
    with pytest.raises(
        InputError, match=rf"`{name}` must have the shape \(2, 10\); got \(2, 9\)"
    ):
        wealth_path(np.zeros(3), BETS, *state)  # type: ignore[arg-type]


def test_no_stake_is_refused() -> None:
    nothing = np.zeros((2, 0))
    with pytest.raises(InputError, match="`bets` must hold at least one stake"):
        wealth_path(np.zeros(3), np.zeros(0), nothing, nothing.astype(np.int64), nothing)
    with pytest.raises(InputError, match="`bets` must hold at least one stake"):
        betting_band(np.zeros(3), np.zeros(0), np.zeros(2), 1.0)


def test_moments_need_three_numbers_to_go_on_from() -> None:
    with pytest.raises(InputError, match=r"`state` must have the shape \(3,\)"):
        moments_path(np.zeros(3), np.zeros(2))


def test_exponents_that_no_stream_has_are_no_crash() -> None:
    wealth, exponents, scale = start()
    exponents[0], exponents[1, 0] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    wealth_path(np.full(600, 0.9), BETS, wealth, exponents, scale)
    assert ((wealth > 0.0) & (wealth < 2.0**301)).all()


def test_strided_judgments_are_taken_as_they_are() -> None:
    x = np.random.default_rng(8).uniform(-1, 1, (50, 2))
    path = wealth_path(x[:, 0], BETS, *start())
    assert np.array_equal(path, wealth_path(x[:, 0].copy(), BETS, *start()))
    assert np.array_equal(
        moments_path(x[:, 1], np.zeros(3)),
        moments_path(x[:, 1].copy(), np.zeros(3)),
        equal_nan=True,
    )
