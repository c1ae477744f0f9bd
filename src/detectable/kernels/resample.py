"""Sums of statistics over random halves and over bootstrap resamples, as matrix products.

A row of the left matrix says how often each unit (segment or document) is taken: 0 or 1 for a
random half, 0, 1, 2 … for a bootstrap resample. The right matrix holds the statistics of all
systems and metrics side by side, so that one draw serves them all.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray
from detectable.kernels.halves import add_half_sums, half_sums_of_counts

# Small integers stay as they are and become single precision tile by tile.
Values = NDArray[np.float32] | NDArray[np.float64] | NDArray[np.int16] | NDArray[np.int32]

# Units per product. It bounds the memory for a million segments. Random bits are drawn tile by
# tile, so this number is part of every answer: changing it changes the draws.
TILE = 1 << 13
_CELLS = 1 << 22  # cells of a bootstrap count matrix in memory; does not change the answer
_EXACT = float(1 << 22)  # float32 holds whole numbers exactly to 2**24; leave a margin of 4
_NARROW = 16  # columns of real numbers up to which bytes are looked up; more are a product


def compact(values: NDArray[Any]) -> Values:
    """Return `values` as float32 where every sum over a tile stays exact, else as float64.

    Counts are whole numbers, and products of whole numbers below 2**24 are exact in single
    precision: half the memory traffic, twice the speed and the same answer. Small integers, which
    are smaller still, stay as they are where their sums are exact.
    """
    tiles = range(0, len(values), TILE)
    small = values.dtype.kind == "i"
    whole = small or bool((values == np.rint(values)).all())
    if whole and all(np.abs(values[t : t + TILE]).sum(axis=0).max() < _EXACT for t in tiles):
        return values if small else values.astype(np.float32)
    return values.astype(np.float64, copy=False)


def half_sums(values: list[Values], rows: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return the sums of each matrix over `rows` random halves (each unit in with chance ½).

    Every matrix of `values` has one row per unit; all see the same halves.
    """
    n = len(values[0])
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    for start in range(0, n, TILE):
        width = min(TILE, n - start)
        words = rng.integers(0, 1 << 64, (rows, -(-width // 64)), np.uint64)
        _add_halves(sums, words.view(np.uint8), values, start, width)
    return sums


def _add_halves(
    sums: list[FloatArray],
    bits: NDArray[np.uint8],
    values: list[Values],
    start: int,
    width: int,
) -> None:
    """Add what the bits take of units ``start`` to ``start + width`` to the running sums."""
    left: list[int] = []
    for place, (total, matrix) in enumerate(zip(sums, values, strict=True)):
        part = matrix[start : start + width]
        if matrix.dtype != np.float64:
            counted = half_sums_of_counts(bits, part.astype(np.int32))
            if counted is not None:
                total += counted
                continue
        elif matrix.shape[1] <= _NARROW:
            add_half_sums(total, bits, part)
            continue
        left.append(place)
    if left:
        taken = np.unpackbits(bits, axis=1, count=width)
        _add_products([sums[i] for i in left], taken, [values[i] for i in left], start)


def bootstrap_sums(
    values: list[Values], rows: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return the sums of each matrix over `rows` resamples of n units with replacement."""
    n = len(values[0])
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    step = max(1, _CELLS // n)
    for first in range(0, rows, step):
        batch = min(step, rows - first)
        drawn = rng.integers(0, n, (batch, n))
        drawn += n * np.arange(batch)[:, None]
        taken = np.bincount(drawn.ravel(), minlength=batch * n).reshape(batch, n)
        for total, part in zip(sums, weighted_sums(taken, values), strict=True):
            total[first : first + batch] = part
    return sums


def weighted_sums(taken: NDArray[np.generic], values: list[Values]) -> list[FloatArray]:
    """Return ``taken @ matrix`` of each matrix, in double precision, tile by tile."""
    rows, n = taken.shape
    sums = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    for start in range(0, n, TILE):
        _add_products(sums, taken[:, start : start + TILE], values, start)
    return sums


def _add_products(
    sums: Iterable[FloatArray], taken: NDArray[np.generic], values: list[Values], start: int
) -> None:
    """Add ``taken @ values[start:…]`` to the running sums, converting `taken` once per type."""
    converted: dict[np.dtype[Any], NDArray[Any]] = {}
    for total, matrix in zip(sums, values, strict=True):
        kind = np.dtype(np.float32) if matrix.dtype.kind == "i" else matrix.dtype
        if kind not in converted:
            converted[kind] = taken.astype(kind)
        part = matrix[start : start + taken.shape[1]].astype(kind, copy=False)
        total += converted[kind] @ part
