"""Arrays of numbers in a file: short ones as a list, long ones packed.

A packed array is what ``zlib`` makes of its bytes, little-endian and row by row, in base64. Python,
R and a browser (``DecompressionStream('deflate')``) read that without a library.
"""

import base64
import binascii
import math
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.data.files.place import quote
from detectable.data.files.size_limit import current_limit

LISTED = 256  # numbers; more are packed
MANY = 1_000_000  # draws beyond which the seed must do
_TYPES = frozenset("biuf")  # truths, whole numbers, other numbers


@dataclass(frozen=True, slots=True)
class WrittenArrays:
    """The arrays of a result, by where they stand in it."""

    leave_out_draws: bool
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: list[tuple[str, int]] = field(default_factory=list)

    def add(self, where: str, array: NDArray[Any], *, draws: bool) -> dict[str, str]:
        """Take an array in, and return what refers to it."""
        name = where.removeprefix("result.")
        if array.dtype.kind not in _TYPES:
            raise InputError(f"`{where}` cannot be saved: an array of {array.dtype}.")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        entry: dict[str, Any] = {"dtype": little.dtype.str, "shape": list(array.shape)}
        if draws and self.leave_out_draws and array.size > MANY:
            entry["left_out"] = "draws, which the seed repeats"
            self.left_out.append((name, array.size))
        elif array.size > LISTED:
            packed = zlib.compress(little.tobytes())
            entry["zlib64"] = base64.b64encode(packed).decode("ascii")
        else:
            entry["values"] = [written_number(value) for value in array.ravel().tolist()]
        self.entries[name] = entry
        return {"$array": name}


@dataclass(frozen=True, slots=True)
class ReadArrays:
    """The arrays of a file, unpacked when they are asked for."""

    entries: dict[str, Any]
    left_out: list[tuple[str, int]] = field(default_factory=list)

    def get(self, where: str, reference: Any) -> NDArray[Any] | None:
        """Return the array that is referred to; None if it was left out of the file."""
        if not (isinstance(reference, dict) and isinstance(reference.get("$array"), str)):
            raise Damaged(where, "an array", reference)
        name = reference["$array"]
        entry = self.entries.get(name)
        if not isinstance(entry, dict):
            raise Damaged(f"arrays.{name}", "an array", entry)
        kind, shape = _kind(name, entry.get("dtype")), _shape(name, entry.get("shape"))
        size = math.prod(shape)
        if "left_out" in entry:
            self.left_out.append((name, size))
            return None
        if size * kind.itemsize > current_limit():
            raise Damaged(f"arrays.{name}.shape", "of an array that fits the limit", shape)
        flat = (
            _listed(name, entry, kind)
            if "values" in entry
            else _packed(name, entry, kind, size)
        )
        if flat.size != size:
            raise Damaged(f"arrays.{name}", f"an array of {size:,} numbers", flat.size)
        return flat.reshape(shape)


def empty(entry: dict[str, Any]) -> NDArray[Any]:
    """Return what stands for an array that was left out: one of its kind, without rows."""
    return np.empty((0, *entry["shape"][1:]), dtype=np.dtype(entry["dtype"]).newbyteorder("="))


def _kind(name: str, text: Any) -> np.dtype[Any]:
    try:
        kind = np.dtype(text if isinstance(text, str) else None)
    except (TypeError, ValueError, SyntaxError):
        kind = np.dtype(object)
    if kind.kind not in _TYPES or kind.subdtype is not None or not isinstance(text, str):
        raise Damaged(f"arrays.{name}.dtype", "a type of numbers such as <f8", text)
    return kind


def _shape(name: str, shape: Any) -> tuple[int, ...]:
    if isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape):
        return tuple(shape)
    raise Damaged(f"arrays.{name}.shape", "a list of whole numbers", shape)


def _listed(name: str, entry: dict[str, Any], kind: np.dtype[Any]) -> NDArray[Any]:
    values = entry["values"]
    where = f"arrays.{name}.values"
    if not isinstance(values, list):
        raise Damaged(where, "a list", values)
    numbers = [v if type(v) is bool else read_number(v, where) for v in values]
    try:
        made = np.array(numbers, dtype=np.float64 if kind.kind == "f" else None)
        exact = np.array(numbers, dtype=kind.newbyteorder("="))
    except (ValueError, OverflowError, TypeError):
        raise Damaged(where, f"numbers of type {kind.name}", values) from None
    if kind.kind != "f" and not np.array_equal(made, exact):
        raise Damaged(where, f"numbers of type {kind.name}", values)
    return exact


def _packed(name: str, entry: dict[str, Any], kind: np.dtype[Any], size: int) -> NDArray[Any]:
    text = entry.get("zlib64")
    if not isinstance(text, str):
        raise Damaged(f"arrays.{name}", "an array with zlib64 or values", text)
    wanted = size * kind.itemsize
    try:
        unpacking = zlib.decompressobj()
        # A few bytes can stand for very many: no more is unpacked than the shape asks for.
        data = unpacking.decompress(base64.b64decode(text, validate=True), wanted + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise Damaged(f"arrays.{name}.zlib64", "zlib data in base64", text) from None
    if len(data) != wanted or not unpacking.eof:
        raise Damaged(f"arrays.{name}.zlib64", f"{wanted:,} bytes of {kind.name}", text)
    return np.frombuffer(data, dtype=kind).astype(kind.newbyteorder("="))


# --- Numbers in a file: JSON has no word for what is no number and for what has no end ---

_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def written_number(value: float) -> float | str:
    """Return a number as JSON can hold it.

    Examples
    --------
    >>> written_number(0.1), written_number(-math.inf), written_number(3)
    (0.1, '-inf', 3)
    """
    if isinstance(value, int) or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def read_number(value: Any, where: str) -> float:
    """Return the number that stands in a file; a whole one stays whole."""
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise Damaged(where, 'a number, "nan", "inf" or "-inf"', value)


# --- What is wrong with a file, and where in it ---


class Damaged(Exception):
    """A value that stands where another kind of value must stand."""

    def __init__(self, where: str, needed: str, found: Any) -> None:
        super().__init__(f"`{where}` must be {needed}; got {quote(found)}")
