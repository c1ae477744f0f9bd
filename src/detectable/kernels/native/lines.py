"""What kernels rely on in streams of lines, checked before C reads them.

A stream is its token ids and offsets: line `i` is ``ids[offsets[i] : offsets[i + 1]]``. C would
follow an offset beyond the end, or a negative id, wherever it points.
"""

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray

MOST = 1 << 31  # ids and positions are below: they fit into 32 bits with a sign


def check_lines(
    ids: NDArray[np.int32], offsets: IntArray, name: str, *, below: int = MOST
) -> None:
    """Refuse offsets that leave the stream, and ids of its lines outside 0 … `below` - 1.

    Examples
    --------
    >>> check_lines(np.array([0, 3], np.int32), np.array([0, 1, 2]), "words")
    """
    if ids.ndim != 1 or ids.size >= MOST:
        raise InputError(
            f"`{name}` must be one row of fewer than 2**31 tokens; got shape {ids.shape}."
        )
    check_offsets(offsets, f"offsets of {name}", ids.size)
    used = ids[offsets[0] : offsets[-1]]
    if used.size and (int(used.min()) < 0 or int(used.max()) >= below):
        raise InputError(
            f"`{name}` must be from 0 to {below - 1}; got {used.min()} to {used.max()}."
        )


def check_offsets(offsets: IntArray, name: str, end: int) -> None:
    """Refuse offsets that fall, begin below 0 or go beyond `end`."""
    if offsets.ndim != 1 or offsets.size == 0:
        raise InputError(f"`{name}` must be one row, not empty; got shape {offsets.shape}.")
    if offsets[0] < 0 or offsets[-1] > end or (offsets[1:] < offsets[:-1]).any():
        raise InputError(
            f"`{name}` must rise from 0 or more to {end} or less; "
            f"got {offsets[0]} … {offsets[-1]}."
        )


def check_owner(owner: IntArray, references: int, hypotheses: int) -> None:
    """Refuse owners that are not one of the hypotheses for each reference."""
    if owner.shape != (references,):
        raise InputError(
            f"`owner` must name one hypothesis for each of {references} references; "
            f"got shape {owner.shape}."
        )
    if owner.size and (int(owner.min()) < 0 or int(owner.max()) >= hypotheses):
        raise InputError(
            f"`owner` must be from 0 to {hypotheses - 1}; got {owner.min()} to {owner.max()}."
        )
