"""How functions are compiled that only compiled functions call."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def inner(function: F) -> F:
    """Compile `function` without the wrappers that a call from Python needs.

    A wrapper takes every array of every argument apart, which takes long to compile. Nothing of
    this is cached on disk: the outer function is, which Python calls, with all that it calls.
    """
    # Both options are numba's own, but its type stubs do not know them.
    compiled: F = njit(  # type: ignore[call-overload]
        nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    return compiled
