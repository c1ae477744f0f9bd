"""Whether two values are the same, with all that they hold."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


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
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if type(first) is not type(second):
        return False
    if dataclasses.is_dataclass(first):
        return all(
            same(getattr(first, part.name), getattr(second, part.name))
            for part in dataclasses.fields(first)
            if part.metadata.get("saved", True)
        )
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, np.ndarray):
        alike = (first.dtype, first.shape) == (second.dtype, second.shape)
        nan = first.dtype.kind in "fc"
        return alike and bool(np.array_equal(first, second, equal_nan=nan))
    if isinstance(first, float) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
