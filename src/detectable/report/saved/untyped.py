"""Values of no declared type in a file, such that each comes back as what it was.

JSON has one kind of list and keys that are text. What it cannot tell apart is marked: a tuple is
``{"$tuple": […]}``, a number without end ``{"$float": "inf"}``, a mapping with other keys than text
(or with a key that begins like a mark) ``{"$pairs": [[key, value], …]}``.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from detectable.core.errors import InputError
from detectable.report.saved.arrays import ReadArrays, WrittenArrays
from detectable.report.saved.damaged import Damaged
from detectable.report.saved.numbers import read_number, written_number

MARK = "$"
ARRAY = "$array"


def written(value: Any, where: str, arrays: WrittenArrays) -> Any:
    """Return a value as JSON, with marks where JSON would lose what it is."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": written_number(value)}
    if isinstance(value, list | tuple):
        items = [written(item, f"{where}.{i}", arrays) for i, item in enumerate(value)]
        return items if isinstance(value, list) else {"$tuple": items}
    if isinstance(value, Mapping):
        held = {k: written(item, f"{where}.{k}", arrays) for k, item in value.items()}
        if plain_keys(held):
            return held
        return {"$pairs": [[written(k, where, arrays), v] for k, v in held.items()]}
    if isinstance(value, np.ndarray):
        return arrays.add(where, value, draws=False)
    raise InputError(f"`{where}` cannot be saved: a file cannot hold a {type(value).__name__}.")


def plain_keys(keys: Mapping[Any, Any]) -> bool:
    """Say whether a mapping can be a JSON object that nobody takes for a mark."""
    return all(isinstance(key, str) and not key.startswith(MARK) for key in keys)


def read(value: Any, where: str, arrays: ReadArrays) -> Any:
    """Return the value that was written."""
    if isinstance(value, list):
        return [read(item, f"{where}.{i}", arrays) for i, item in enumerate(value)]
    if isinstance(value, float):
        return read_number(value, where)  # NaN is no JSON, but some write it
    if not isinstance(value, dict):
        return value
    if plain_keys(value):
        return {key: read(item, f"{where}.{key}", arrays) for key, item in value.items()}
    if len(value) != 1:
        raise Damaged(where, "one mark", value)
    [(mark, held)] = value.items()
    if mark == ARRAY:
        return arrays.get(where, value)
    if mark == "$float":
        return float(read_number(held, where))
    if mark == "$tuple" and isinstance(held, list):
        return tuple(read(held, where, arrays))
    if mark == "$pairs":
        return read_pairs(held, where, arrays)
    raise Damaged(where, "a value with a known mark", value)


def read_pairs(pairs: Any, where: str, arrays: ReadArrays) -> dict[Any, Any]:
    """Return a mapping that stands in a file as pairs of key and value."""
    found = {}
    for i, pair in enumerate(pairs if isinstance(pairs, list) else [None]):
        if not (isinstance(pair, list) and len(pair) == 2):
            raise Damaged(where, "pairs of key and value", pairs)
        key = read(pair[0], f"{where}.{i}", arrays)
        try:
            found[key] = read(pair[1], f"{where}.{i}", arrays)
        except TypeError:
            raise Damaged(f"{where}.{i}", "a pair with a plain key", pair) from None
    return found
