"""Sums over random halves: looked up by bytes, or by products, they are the plain sums."""

import numpy as np
import pytest
from numpy.typing import NDArray

from detectable.core.types import IntArray
from detectable.kernels import resample
from detectable.kernels.resample import add_half_sums, half_sums_of_counts
from tests.kernels.engines import engine

pytestmark = pytest.mark.usefixtures("each_engine")

SIZES = [1, 7, 8, 9, 16, 17, 63, 64, 65, 200]


def _taken(bits: NDArray[np.uint8], n: int) -> IntArray:
    return np.unpackbits(bits, axis=1)[:, :n].astype(np.int64)


@pytest.mark.parametrize("n", SIZES)
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


@pytest.mark.parametrize("n", SIZES)
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


def test_units_that_have_no_bits_are_refused() -> None:
    bits = np.zeros((2, 1), np.uint8)
    with pytest.raises(ValueError, match="9 units do not fit"):
        half_sums_of_counts(bits, np.zeros((9, 1), np.int32))
    with pytest.raises(ValueError, match="9 units do not fit"):
        add_half_sums(np.zeros((2, 1)), bits, np.zeros((9, 1)))


def test_columns_of_another_order_are_no_matter() -> None:
    bits = np.random.default_rng(1).integers(0, 256, (5, 8), np.uint8)
    values = np.asfortranarray(np.random.default_rng(2).normal(size=(60, 3)))
    both = np.zeros((2, 5, 3))
    add_half_sums(both[0], bits, values)
    add_half_sums(both[1], bits, np.ascontiguousarray(values))
    assert np.array_equal(both[0], both[1])


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
