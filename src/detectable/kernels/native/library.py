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
from numpy.ctypeslib import ndpointer

_FILE = "libdetectable" + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

# Kinds of arguments. Arrays must be contiguous and of this type: a call with another one is an
# error, not a wrong answer. What the kernel relies on beyond that, its caller checks.
Size = ctypes.c_int64
Real = ctypes.c_double
Bytes = ndpointer(np.uint8, flags="C")
Ids = ndpointer(np.int32, flags="C")
Words = ndpointer(np.uint32, flags="C")
LongWords = ndpointer(np.uint64, flags="C")
Ints = ndpointer(np.int64, flags="C")
Floats = ndpointer(np.float64, flags="C")
OutIds = ndpointer(np.int32, flags=("C", "W"))
OutInts = ndpointer(np.int64, flags=("C", "W"))
OutFloats = ndpointer(np.float64, flags=("C", "W"))


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
