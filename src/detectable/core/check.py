"""Argument checks. One sentence per message: `name` must be …; got …. Then the remedy.

numpy is imported where arrays are checked: settings, whose options ``--help`` shows, need none.
"""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeVar, get_args

from detectable.core.errors import InputError

if TYPE_CHECKING:
    from detectable.core.types import ArrayLike, FloatArray

T = TypeVar("T")
LARGEST_SCORE = 1e100  # whose squares, and sums of them, are still numbers
MOST_REPETITIONS = 10_000_000
MOST_PAIRS = 100_000  # of systems: those of 447
_LARGEST = 10**15  # below it every whole number is a float, and no array is as long


def vector(value: "ArrayLike", name: str, *, min_size: int = 1) -> "FloatArray":
    """Return `value` as a finite one-dimensional float array."""
    import numpy as np

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
    if np.abs(array).max(initial=0.0) > LARGEST_SCORE:
        raise InputError(
            f"`{name}` must lie within ±{LARGEST_SCORE:g}; got {array[np.abs(array).argmax()]:g}."
        )
    return array


def positive_int(
    value: int, name: str, *, minimum: int = 1, maximum: int | None = _LARGEST
) -> int:
    """Return `value` if it is a whole number of at least `minimum`, and not an absurd one."""
    if not _is_whole(value) or value < minimum:
        raise InputError(f"`{name}` must be a whole number ≥ {minimum}; got {_shown(value)}.")
    if maximum is not None and value > maximum:
        raise InputError(f"`{name}` must be at most {maximum:,}; got {_shown(value)}.")
    return int(value)


def repetitions(value: int, name: str, *, minimum: int = 1) -> int:
    """Return how often something random is done, if somebody could wait for it.

    Ten million give a share of 5 % to within 0.0001: beyond that no digit changes that is shown.
    """
    number = positive_int(value, name, minimum=minimum)
    if number > MOST_REPETITIONS:
        raise InputError(
            f"`{name}` must be at most {MOST_REPETITIONS:,}; got {number:,}. More would change no "
            "digit that is shown."
        )
    return number


def _is_whole(value: object) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, Integral):
        return True
    return isinstance(value, Real) and float(value).is_integer()


def _shown(value: object) -> str:
    """Return a value for a message; thousands of digits would hide the rest of it."""
    if isinstance(value, int) and abs(value) > _LARGEST:
        return "a number of more than fifteen digits"
    return repr(value)


def probability(value: float, name: str) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    number = float(value)
    if not 0.0 < number < 1.0:
        raise InputError(f"`{name}` must lie strictly between 0 and 1; got {value!r}.")
    return number


def positive(value: float, name: str) -> float:
    """Return `value` if it is a finite number above zero."""
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError(f"`{name}` must be a finite number above 0; got {value!r}.")
    if not 1.0 / LARGEST_SCORE <= number <= LARGEST_SCORE:
        raise InputError(
            f"`{name}` must lie between {1.0 / LARGEST_SCORE:g} and {LARGEST_SCORE:g}, so that its "
            f"square is a number; got {value!r}."
        )
    return number


def number_of_pairs(n_systems: int, remedy: str) -> None:
    """Refuse so many systems that their pairs could neither be read nor kept in memory."""
    n = n_systems * (n_systems - 1) // 2
    if n > MOST_PAIRS:
        raise InputError(
            f"{n_systems:,} systems make {n:,} pairs; at most {MOST_PAIRS:,} are compared at "
            f"once. {remedy}"
        )


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
