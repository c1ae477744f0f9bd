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

# Not «.so» alone: what ends so is a Python module to whoever walks through the package.
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
