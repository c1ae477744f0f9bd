"""What a value holds, and whether two values hold the same."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def parts(value: Any) -> Mapping[Any, Any] | None:
    """Return what a value holds, by key, place or field; None for what has no parts.

    Fields that no file holds are left out.

    Examples
    --------
    >>> parts(("a", "b")), parts("ab")
    ({0: 'a', 1: 'b'}, None)
    """
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if dataclasses.is_dataclass(value):
        saved = (one for one in dataclasses.fields(value) if one.metadata.get("saved", True))
        return {one.name: getattr(value, one.name) for one in saved}
    return None


def same(first: Any, second: Any) -> bool:
    """Say whether two values are of one type and hold the same, down to the last array.

    ``==`` of results leaves out what is bulk, finds nan unlike nan, and cannot compare arrays.
    Fields that no file holds, and a number of numpy against one of Python, count as the same.

    Examples
    --------
    >>> same((1.0, math.nan), (1.0, math.nan)), same((1,), [1])
    (True, False)
    """
    first, second = _plain(first), _plain(second)
    mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
    if type(first) is not type(second) and not mappings:
        return False
    held, other = parts(first), parts(second)
    if held is not None and other is not None:
        return list(held) == list(other) and all(same(held[key], other[key]) for key in held)
    if isinstance(first, np.ndarray):
        alike = (first.dtype, first.shape) == (second.dtype, second.shape)
        nan = first.dtype.kind in "fc"
        return alike and bool(np.array_equal(first, second, equal_nan=nan))
    if isinstance(first, float) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
