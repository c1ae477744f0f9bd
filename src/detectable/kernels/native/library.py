"""The compiled kernels, loaded on first use, and what they may be given.

Where there is no library (an installation without a compiler, or DETECTABLE_NATIVE=0) every
kernel has another way to the same answer, in numpy.
"""

import ctypes
import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import IntArray

# Not “.so” alone: what ends so is a Python module to whoever walks through the package.
_FILE = "libdetectable" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so.1")

_Start = ctypes.c_char * 0  # what is behind an address is known by the kernel


def _array_of(dtype: Any, *, written: bool = False) -> type:
    """Return a kind of argument: an array of this type, contiguous; writable if C writes into it.

    The same as numpy's `ndpointer`, at half the price: kernels are also called for one judgment.
    """
    wanted = np.dtype(dtype)

    class Kind:
        @staticmethod
        def from_param(array: Any) -> Any:
            if not isinstance(array, np.ndarray) or array.dtype != wanted:
                found = getattr(array, "dtype", type(array).__name__)
                raise TypeError(f"an array of {wanted} is wanted, not {found}")
            flags = array.flags
            if not flags.c_contiguous:
                raise TypeError("an array in one piece is wanted, row by row")
            if flags.writeable:
                return ctypes.byref(_Start.from_buffer(array))  # type: ignore[arg-type]
            if written:
                raise TypeError("an array is wanted that can be written into")
            return ctypes.c_void_p(array.ctypes.data)

    return Kind


# Kinds of arguments. Arrays must be contiguous and of this type: a call with another one is an
# error, not a wrong answer. What the kernel relies on beyond that, its caller checks.
Size = ctypes.c_int64
Real = ctypes.c_double
Bytes = _array_of(np.uint8)
Ids = _array_of(np.int32)
Words = _array_of(np.uint32)
LongWords = _array_of(np.uint64)
Ints = _array_of(np.int64)
Singles = _array_of(np.float32)
Floats = _array_of(np.float64)
OutBytes = _array_of(np.uint8, written=True)
OutIds = _array_of(np.int32, written=True)
OutLongWords = _array_of(np.uint64, written=True)
OutInts = _array_of(np.int64, written=True)
OutFloats = _array_of(np.float64, written=True)


@functools.cache
def native(name: str, *arguments: type) -> Callable[..., None] | None:
    """Return the C function of this name, or None where there is no library.

    Examples
    --------
    >>> native("no_such_kernel", Size) is None
    True
    """
    library = _library()
    found = getattr(library, name, None)
    if found is None:
        return None
    found.argtypes = list(arguments)
    found.restype = ctypes.c_int
    found.errcheck = _check
    called: Callable[..., None] = found
    return called


@functools.cache
def _library() -> ctypes.CDLL | None:
    if os.environ.get("DETECTABLE_NATIVE") == "0":
        return None
    try:
        return ctypes.CDLL(os.path.join(os.path.dirname(__file__), _FILE))
    except OSError:  # not compiled, or for another machine
        return None


def _check(result: int, function: Any, arguments: tuple[Any, ...]) -> None:  # noqa: ARG001
    if result:
        raise MemoryError(f"no memory left for {function.__name__}")


# --- What C relies on beyond types: indices that exist, offsets that rise, arrays that fit together ---
#
# C reads where it is told to. A wrong index would be a wrong answer or the end of the process, so
# it is refused here, for both ways alike; one pass over the array costs little beside the kernel.


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


# --- Streams of lines, checked before C reads them ---
#
# A stream is its token ids and offsets: line `i` is ``ids[offsets[i] : offsets[i + 1]]``.

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
