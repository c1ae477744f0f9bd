"""What a value holds, and whether two values hold the same."""

import dataclasses
import math
from collections.abc import Mapping
from functools import cache
from inspect import getattr_static
from typing import Any

import numpy as np


@cache
def fields_of(kind: type) -> dict[str, dataclasses.Field[Any] | None]:
    """Return what a record holds, under the names and in the order in which it is written.

    That is its fields, or what its `LAYOUT` lists: names of fields, other names for them, and
    properties (None), which are written and follow from the rest when a file is read.
    """
    fields = {one.name: one for one in dataclasses.fields(kind)}
    layout: str = getattr(kind, "LAYOUT", "")
    return {
        name: fields.get(name) or fields.get(getattr(getattr_static(kind, name), "of", ""))
        for name in layout.split() or fields
    }


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
        kind: type = type(value)
        return {
            name: getattr(value, name)
            for name, one in fields_of(kind).items()
            if one is None or one.metadata.get("saved", True)
        }
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
