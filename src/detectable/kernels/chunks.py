"""Chunks between white space, numbered: the first step from text to token ids, in C.

There is no second way in numpy: where there is no library, `metrics.encode` cuts lines with
Python's own `str.split`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray
from detectable.kernels.native.library import Bytes, OutIds, OutInts, Size, native

MOST_BYTES = 1 << 31  # texts are shorter: chunks and their places fit into 32 bits

_NEWLINE = 10


class Chunks(NamedTuple):
    """Chunks of lines; those of line `i` are ``ids[offsets[i] : offsets[i + 1]]``."""

    ids: NDArray[np.int32]  # numbered in the order in which they occur first
    offsets: IntArray
    spans: IntArray  # (distinct, 2): where each begins and ends in the text, at first


def number_chunks(text: NDArray[np.uint8], n_lines: int) -> Chunks | None:
    r"""Return the chunks of UTF-8 lines that newlines separate; None without the library.

    White space is that of `str.split`.

    Examples
    --------
    >>> text = np.frombuffer("a b\na".encode(), np.uint8)
    >>> found = number_chunks(text, 2)
    >>> found is None or found.ids.tolist() == [0, 1, 0]
    True
    """
    if text.ndim != 1 or text.size >= MOST_BYTES:
        raise InputError(
            f"`text` must be one row of fewer than 2**31 bytes; got shape {text.shape}."
        )
    if n_lines < 0 or np.count_nonzero(text == _NEWLINE) != max(n_lines - 1, 0):
        raise InputError(f"`text` must have newlines between {n_lines} lines, and no others.")
    number = native("number_chunks", Bytes, Size, Size, OutIds, OutInts, OutInts, OutInts)
    if number is None:
        return None
    most = text.size // 2 + 1  # pages of these that stay unused cost nothing
    ids, spans = np.empty(most, np.int32), np.empty((most, 2), np.int64)
    offsets, known = np.empty(n_lines + 1, np.int64), np.empty(1, np.int64)
    number(text, text.size, n_lines, ids, offsets, spans, known)
    return Chunks(ids[: offsets[-1]].copy(), offsets, spans[: known[0]].copy())
