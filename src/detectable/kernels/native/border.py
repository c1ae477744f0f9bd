"""What C relies on beyond types: indices that exist, offsets that rise, arrays that fit together.

C reads where it is told to. A wrong index would be a wrong answer or the end of the process, so
it is refused here, for both ways alike; one pass over the array costs little beside the kernel.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError


def check_places(places: NDArray[np.integer[Any]], size: int, name: str) -> None:
    """Refuse indices outside 0 … `size` − 1.

    Examples
    --------
    >>> check_places(np.array([0, 2]), 2, "cluster")
    Traceback (most recent call last):
    detectable.core.errors.InputError: `cluster` must lie in 0 to 1; got 2.
    """
    if not places.size:
        return
    low, high = int(places.min()), int(places.max())
    if low < 0 or high >= size:
        wrong = low if low < 0 else high
        raise InputError(f"`{name}` must lie in 0 to {size - 1}; got {wrong}.")


def check_offsets(offsets: NDArray[np.integer[Any]], size: int, name: str) -> None:
    """Refuse offsets of parts that do not rise, or leave an array of `size` entries.

    Examples
    --------
    >>> check_offsets(np.array([0, 3, 2]), 3, "starts")
    Traceback (most recent call last):
    detectable.core.errors.InputError: `starts` must rise; got 2 after 3.
    """
    if offsets.ndim != 1 or not offsets.size:
        raise InputError(f"`{name}` must hold at least one offset; got shape {offsets.shape}.")
    falls = np.flatnonzero(offsets[1:] < offsets[:-1])
    if falls.size:
        at = int(falls[0])
        raise InputError(f"`{name}` must rise; got {offsets[at + 1]} after {offsets[at]}.")
    if offsets[0] < 0 or offsets[-1] > size:
        wrong = offsets[0] if offsets[0] < 0 else offsets[-1]
        raise InputError(f"`{name}` must lie in 0 to {size}; got {wrong}.")


def check_shape(array: NDArray[Any], shape: tuple[int, ...], name: str) -> None:
    """Refuse an array of another shape.

    Examples
    --------
    >>> check_shape(np.zeros((2, 3)), (3, 2), "wealth")
    Traceback (most recent call last):
    detectable.core.errors.InputError: `wealth` must have the shape (3, 2); got (2, 3).
    """
    if array.shape != shape:
        raise InputError(f"`{name}` must have the shape {shape}; got {array.shape}.")
