"""Sums over random halves from tables of bytes: no random bit is ever unpacked.

Eight units have 256 subsets. Their sums are added up once; then each byte of random bits looks up
what it takes (the «method of four Russians»). Counts are whole numbers, whose sums are exact in any
order. Other sums are added in the order of the bytes, in C and in numpy alike, so that both
give the same bits.

References
----------
.. [1] Arlazarov, Dinic, Kronrod and Faradzhev (1970), "On economical construction of the transitive
   closure of a directed graph", Soviet Mathematics Doklady 11, 1209–1210.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.types import FloatArray
from detectable.kernels.native.library import (
    Bytes,
    Floats,
    Ids,
    OutFloats,
    OutIds,
    Size,
    native,
)


def half_sums_of_counts(
    bits: NDArray[np.uint8], counts: NDArray[np.int32]
) -> NDArray[np.int32] | None:
    """Return the sums of whole numbers over the units that each row of `bits` takes.

    None without the library: then products of matrices are faster. The caller knows that no sum
    leaves 32 bits.

    Parameters
    ----------
    bits : array of shape (rows, bytes)
        The highest bit of the first byte is the first unit.
    counts : array of shape (units, columns)
        With at most eight units per byte.

    Examples
    --------
    >>> bits = np.array([[0b10100000]], np.uint8)
    >>> sums = half_sums_of_counts(bits, np.array([[1], [2], [4]], np.int32))
    >>> sums is None or sums.tolist() == [[5]]
    True
    """
    _check(bits, len(counts))
    add = native("half_sums_of_counts", Bytes, Size, Size, Ids, Size, Size, OutIds)
    if add is None:
        return None
    sums = np.zeros((len(bits), counts.shape[1]), np.int32)
    add(bits, *bits.shape, np.ascontiguousarray(counts), *counts.shape, sums)
    return sums


def add_half_sums(total: FloatArray, bits: NDArray[np.uint8], values: FloatArray) -> None:
    """Add the sums over the units that each row of `bits` takes to `total`, byte by byte."""
    _check(bits, len(values))
    add = native("half_sums_of_reals", Bytes, Size, Size, Floats, Size, Size, OutFloats)
    if add is not None:
        add(bits, *bits.shape, np.ascontiguousarray(values), *values.shape, total)
        return
    padded = np.zeros((-(-len(values) // 8), 8, values.shape[1]))
    padded.reshape(-1, values.shape[1])[: len(values)] = values
    for table, byte in zip(_sums_of_subsets(padded), bits.T, strict=False):
        total += table[byte]


def _sums_of_subsets(values: FloatArray) -> FloatArray:
    """Return the sums of all subsets of the eight units of each byte, (bytes, 256, columns)."""
    tables = np.zeros((len(values), 256, values.shape[2]))
    for place in range(8):
        half = 1 << place
        own = values[:, 7 - place, None]
        tables[:, half : 2 * half] = tables[:, :half] + own
    return tables


def _check(bits: NDArray[np.uint8], n_units: int) -> None:
    if bits.ndim != 2 or n_units > 8 * bits.shape[1]:
        raise ValueError(f"{n_units} units do not fit into bits of shape {bits.shape}")
