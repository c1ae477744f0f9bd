"""Streams of lines, checked before C reads them.

A stream is its token ids and offsets: line `i` is ``ids[offsets[i] : offsets[i + 1]]``.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.kernels.native.border import check_offsets, check_places, check_shape

MOST = 1 << 31  # ids and positions are below: they fit into 32 bits with a sign


def check_lines(
    ids: NDArray[np.int32], offsets: IntArray, name: str, *, below: int = MOST
) -> None:
    """Refuse offsets that leave the stream, and ids of its lines outside 0 … `below` - 1.

    Examples
    --------
    >>> check_lines(np.array([0, -3], np.int32), np.array([0, 1, 2]), "words")
    Traceback (most recent call last):
    detectable.core.errors.InputError: `words` must lie in 0 to 2147483647; got -3.
    """
    if ids.ndim != 1 or ids.size >= MOST:
        raise InputError(
            f"`{name}` must be one row of fewer than 2**31 tokens; got shape {ids.shape}."
        )
    check_offsets(offsets, ids.size, f"offsets of {name}")
    check_places(ids[offsets[0] : offsets[-1]], below, name)


def check_pairs(hyp_offsets: IntArray, ref_offsets: IntArray, owner: IntArray) -> None:
    """Refuse owners that are not one hypothesis for each reference."""
    check_shape(owner, (ref_offsets.size - 1,), "owner")
    check_places(owner, hyp_offsets.size - 1, "owner")
