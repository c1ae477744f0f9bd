"""Growing samples: at every step exactly multinomial, and sums that are those of the draws."""

import contextlib
from functools import partial
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.kernels import resample
from detectable.kernels.resample import (
    Values,
    add_half_sums,
    grow,
    half_sums_of_counts,
    random_words,
    seed_words,
)
from tests.kernels.engines import engine
from tests.kernels.plain_xoshiro import Xoshiro

SIZES = (3, 1, 4, 2)


def _grown(rows: int, seed: int) -> list[np.ndarray]:
    """Return the counts of every segment after each document."""
    n = sum(SIZES)
    values: list[Values] = [np.eye(n), np.arange(2.0 * n, dtype=np.float32).reshape(n, 2)]
    totals = [np.zeros((rows, n)), np.zeros((rows, 2))]
    drawn = np.empty((rows, n), dtype=np.int32)
    rng = np.random.default_rng(seed)
    found, start = [], 0
    for size in SIZES:
        grow(drawn, values, totals, start, start + size, rng)
        start += size
        counts = totals[0].copy()
        rowwise = drawn[:, :start] + n * np.arange(rows)[:, None]
        again = np.bincount(rowwise.ravel(), minlength=rows * n).reshape(rows, n)
        assert (again == counts).all()
        assert (totals[1] == counts @ values[1]).all()
        found.append(counts)
    return found


@pytest.mark.usefixtures("each_engine")
def test_every_step_draws_as_many_as_there_are() -> None:
    for k, counts in enumerate(_grown(200, 1)):
        n = sum(SIZES[: k + 1])
        assert (counts.sum(axis=1) == n).all()
        assert (counts[:, n:] == 0).all()
        assert (counts >= 0).all()


@pytest.mark.usefixtures("each_engine")
def test_every_step_is_multinomial() -> None:
    rows = 50_000
    for k, counts in enumerate(_grown(rows, 2)):
        n = sum(SIZES[: k + 1])
        kept = counts[:, :n]
        # Mean 1, variance 1 − 1/n, covariance −1/n; five standard errors, whose sizes follow
        # from fourth moments below 4.
        error = 5.0 * np.sqrt(4.0 / rows)
        assert np.abs(kept.mean(axis=0) - 1.0).max() < 5.0 / np.sqrt(rows)
        expected = np.eye(n) - 1.0 / n
        assert np.abs(np.cov(kept.T) - expected).max() < error


@pytest.mark.slow
@pytest.mark.usefixtures("each_engine")
def test_whole_samples_are_as_frequent_as_multinomial_ones() -> None:
    rows = 100_000
    counts = _grown(rows, 3)[1][:, :4]  # four draws from four segments: 35 outcomes
    codes = (counts @ [1, 5, 25, 125]).astype(int)
    found = 0
    for code in np.unique(codes):
        outcome = counts[codes == code][0].astype(int)
        chance = factorial(4) / prod(factorial(x) for x in outcome) / 4**4
        share = (codes == code).mean()
        assert abs(share - chance) < 4.5 * np.sqrt(chance * (1 - chance) / rows)
        found += 1
    assert found == 35


@pytest.mark.usefixtures("each_engine")
def test_a_document_beyond_the_room_is_refused() -> None:
    values: list[Values] = [np.eye(4)]
    drawn, totals = np.zeros((2, 4), np.int32), [np.zeros((2, 4))]
    for start, stop in ((0, 5), (2, 2), (-1, 2)):
        with pytest.raises(InputError, match=f"`drawn` must have room for {stop} draws; got 4"):
            grow(drawn, values, totals, start, stop, np.random.default_rng(1))


@pytest.mark.usefixtures("each_engine")
@given(st.integers(-5, 9), st.integers(0, 20))
def test_draws_that_are_no_segments_are_an_error_and_no_crash(wrong: int, seed: int) -> None:
    rows, start = 8, 6
    drawn = np.full((rows, 12), wrong, np.int32)
    values: list[Values] = [np.ones((12, 1))]
    totals = [np.full((rows, 1), float(start))]
    grown = partial(grow, drawn, values, totals, start, 12, np.random.default_rng(seed))
    if 0 <= wrong < start:
        grown()
        assert (totals[0] == 12.0).all()
        return
    with contextlib.suppress(InputError):  # where nothing is taken back, nothing is looked up
        grown()
    assert np.isfinite(totals[0]).all()


@pytest.mark.usefixtures("each_engine")
def test_a_draw_that_is_no_segment_is_named() -> None:
    drawn = np.full((50, 12), 7, np.int32)
    values: list[Values] = [np.ones((12, 1))]
    totals = [np.full((50, 1), 6.0)]
    with pytest.raises(InputError, match="`drawn` must lie in 0 to 5; got 7"):
        grow(drawn, values, totals, 6, 12, np.random.default_rng(1))


@pytest.mark.usefixtures("each_engine")
def test_totals_of_other_columns_are_refused() -> None:
    values: list[Values] = [np.eye(4)]
    drawn, totals = np.zeros((2, 4), np.int32), [np.zeros((2, 3))]
    with pytest.raises(
        InputError, match=r"`totals` must have the shape \(2, 4\); got \(2, 3\)"
    ):
        grow(drawn, values, totals, 0, 4, np.random.default_rng(1))


# --- Sums over random halves: looked up by bytes, or by products, they are the plain sums ---

SIZES_OF_HALVES = [1, 7, 8, 9, 16, 17, 63, 64, 65, 200]


def _taken(bits: NDArray[np.uint8], n: int) -> IntArray:
    return np.unpackbits(bits, axis=1)[:, :n].astype(np.int64)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("n", SIZES_OF_HALVES)
@pytest.mark.parametrize("columns", [0, 1, 3, 20])
def test_counts_are_summed_exactly(n: int, columns: int, each_engine: str) -> None:
    rng = np.random.default_rng(n)
    bits = rng.integers(0, 256, (13, -(-n // 64) * 8), np.uint8)
    counts = rng.integers(-(1 << 14), 1 << 14, (n, columns)).astype(np.int32)
    found = half_sums_of_counts(bits, counts)
    if found is None:
        assert (
            half_sums_of_counts(bits, counts) is None
        )  # without the library: products instead
        return
    assert np.array_equal(found, _taken(bits, n) @ counts)


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("n", SIZES_OF_HALVES)
@pytest.mark.parametrize("columns", [1, 5])
def test_reals_are_added_to_what_is_there_byte_by_byte(n: int, columns: int) -> None:
    rng = np.random.default_rng(n)
    bits = rng.integers(0, 256, (11, -(-n // 64) * 8), np.uint8)
    values = rng.normal(size=(n, columns)) * 10.0 ** rng.integers(-9, 9, (n, columns))
    total = np.ones((11, columns))
    add_half_sums(total, bits, values)
    taken = _taken(bits, n)
    wanted = np.ones((11, columns))
    for start in range(0, n, 8):
        part = np.zeros((11, columns))
        for unit in reversed(range(start, min(n, start + 8))):  # as a table is built
            part = np.where(taken[:, unit, None] == 1, part + values[unit], part)
        wanted += part
    assert np.array_equal(total, wanted)


@pytest.mark.usefixtures("each_engine")
def test_units_that_have_no_bits_are_refused() -> None:
    bits = np.zeros((2, 1), np.uint8)
    with pytest.raises(ValueError, match="9 units do not fit"):
        half_sums_of_counts(bits, np.zeros((9, 1), np.int32))
    with pytest.raises(ValueError, match="9 units do not fit"):
        add_half_sums(np.zeros((2, 1)), bits, np.zeros((9, 1)))


@pytest.mark.usefixtures("each_engine")
def test_columns_of_another_order_are_no_matter() -> None:
    bits = np.random.default_rng(1).integers(0, 256, (5, 8), np.uint8)
    values = np.asfortranarray(np.random.default_rng(2).normal(size=(60, 3)))
    both = np.zeros((2, 5, 3))
    add_half_sums(both[0], bits, values)
    add_half_sums(both[1], bits, np.ascontiguousarray(values))
    assert np.array_equal(both[0], both[1])


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 16, 17])
def test_halves_of_all_types_over_several_tiles(
    dtype: type[np.generic], columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resample, "TILE", 128)
    rng = np.random.default_rng(3)
    values: resample.Values = rng.integers(-50, 50, (300, columns)).astype(dtype)
    other = rng.normal(size=(300, 2))
    found, reals = resample.half_sums([values, other], 40, np.random.default_rng(4))
    draws = np.random.default_rng(4)
    parts = []
    for width in (128, 128, 44):
        words = draws.integers(0, 1 << 64, (40, -(-width // 64)), np.uint64)
        parts.append(np.unpackbits(words.view(np.uint8), axis=1, count=width))
    taken = np.concatenate(parts, axis=1).astype(np.float64)
    assert np.array_equal(found, taken @ values.astype(np.float64))
    np.testing.assert_allclose(reals, taken @ other, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("each_engine")
def test_the_largest_from_the_least_extreme_on() -> None:
    rng = np.random.default_rng(2)
    found = rng.normal(size=(70, 6))
    order, scales = rng.permutation(6)[:5], np.array([1.0, 0.5, 0.0, 2.0, 1.5])
    least = np.array([2.5, 2.0, 0.0, 0.7, 0.2])
    counts, largest = resample.step_down(found, order, scales, least)
    sizes = [
        np.abs(found[:, c]) / s if s else np.zeros(70)
        for c, s in zip(order, scales, strict=True)
    ]
    running = [np.max(sizes[i:], axis=0) for i in range(5)]
    assert counts.tolist() == [int((r >= x).sum()) for r, x in zip(running, least, strict=True)]
    assert np.array_equal(largest, running[0])
    assert len(set(counts.tolist())) == 5


def test_units_of_halves_are_those_that_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resample, "TILE", 128)
    values = np.random.default_rng(3).normal(size=(300, 4))
    units = np.array([0, 7, 8, 127, 128, 200, 299, 7])
    one_by_one = (np.arange(300)[:, None] == units).astype(np.float64)
    (sums, taken), held = resample.half_sums_with_units(
        [values, one_by_one], 200, np.random.default_rng(4), units
    )
    assert np.array_equal(held, taken)
    assert 0.4 < held.mean() < 0.6
    assert np.array_equal(sums, resample.half_sums([values], 200, np.random.default_rng(4))[0])


@pytest.mark.usefixtures("each_engine")
@pytest.mark.parametrize("rows", [96, 200, 1_024])
def test_halves_in_parts_are_the_same_to_the_bit(rows: int) -> None:
    rng = np.random.default_rng(7)
    counts = rng.integers(0, 9, (8_300, 5), np.int32)
    values: list[Values] = [rng.normal(size=(8_300, 37)), counts]
    whole = resample.half_sums(values, rows, np.random.default_rng(1))
    parts = list(resample.half_sums_in_parts(values, rows, np.random.default_rng(1), 100))
    assert [len(part[0]) for part in parts[:-1]] == [96] * (len(parts) - 1)
    for place, found in enumerate(whole):
        assert np.array_equal(np.concatenate([part[place] for part in parts]), found)


@pytest.mark.usefixtures("each_engine")
def test_with_and_without_the_library_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    values: list[resample.Values] = [
        rng.integers(0, 99, (777, 20)).astype(np.float32),
        rng.normal(size=(777, 2)),
        rng.normal(size=(777, 16)),
    ]
    found = []
    for name in ("native", "numpy"):
        with engine(name):
            found.append(resample.half_sums(values, 100, np.random.default_rng(6)))
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


# --- The words of numpy's lanes are those of one plain generator ---


@pytest.mark.golden
def test_the_generator_gives_the_published_sequence() -> None:
    # The test vector of rand_xoshiro (crates.io), made with the authors' C code from state 1 2 3 4.
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    plain = Xoshiro([1, 2, 3, 4])
    assert [plain.word() for _ in published] == published
    assert random_words(np.arange(1, 5, dtype=np.uint64), 5).tolist() == published


@given(st.lists(st.integers(0, 700), min_size=1, max_size=4), st.integers(0, 2**32))
def test_lanes_go_on_where_one_generator_would(parts: list[int], seed: int) -> None:
    state = seed_words(np.random.default_rng(seed))
    plain = Xoshiro([int(word) for word in state])
    for n in parts:
        assert random_words(state, n).tolist() == [plain.word() for _ in range(n)]
        assert state.tolist() == plain.s


def test_many_words_are_those_of_many_short_draws() -> None:
    n = 300_000
    state, again = seed_words(np.random.default_rng(5)), seed_words(np.random.default_rng(5))
    whole = random_words(state, n)
    pieces = [random_words(again, m) for m in (1, 1023, 1024, 99_999, n - 102_047)]
    assert np.array_equal(whole, np.concatenate(pieces))
    assert state.tolist() == again.tolist()


def test_a_start_is_never_all_zeros() -> None:
    assert (seed_words(np.random.default_rng(1)) > 0).all()
