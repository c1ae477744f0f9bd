"""Argument checks. One sentence per message: `name` must be …; got …. Then the remedy."""

from collections.abc import Iterable
from typing import TypeVar, get_args

import numpy as np

from detectable.core.errors import InputError
from detectable.core.types import ArrayLike, FloatArray

T = TypeVar("T")


def vector(value: ArrayLike, name: str, *, min_size: int = 1) -> FloatArray:
    """Return `value` as a finite one-dimensional float array."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim != 1 or array.size < min_size:
        raise InputError(
            f"`{name}` must be a vector of at least {min_size} numbers; got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        first = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"`{name}` must be finite; got {array[first]} at position {first}. "
            "Drop or impute missing scores before testing."
        )
    return array


def positive_int(value: int, name: str, *, minimum: int = 1) -> int:
    """Return `value` if it is a whole number of at least `minimum`."""
    if isinstance(value, bool) or not float(value).is_integer() or value < minimum:
        raise InputError(f"`{name}` must be a whole number ≥ {minimum}; got {value!r}.")
    return int(value)


def probability(value: float, name: str) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    number = float(value)
    if not 0.0 < number < 1.0:
        raise InputError(f"`{name}` must lie strictly between 0 and 1; got {value!r}.")
    return number


def positive(value: float, name: str) -> float:
    """Return `value` if it is a finite number above zero."""
    number = float(value)
    if not (np.isfinite(number) and number > 0.0):
        raise InputError(f"`{name}` must be a finite number above 0; got {value!r}.")
    return number


def one_of(value: str, choices: Iterable[str], name: str) -> str:
    """Return `value` if it is one of `choices`."""
    known = tuple(choices)
    if value not in known:
        raise InputError(f"`{name}` must be one of {', '.join(known)}; got {value!r}.")
    return value


def literal(value: str, kind: T, name: str) -> T:
    """Return `value` if it is one of the strings of the ``Literal`` type `kind`."""
    one_of(value, get_args(kind), name)
    return value  # type: ignore[return-value]  # checked on the line above
