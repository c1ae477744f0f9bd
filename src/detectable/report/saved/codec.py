"""Values of a declared type in a file, and back.

The types of the fields say what stands where, so that a file needs no types of its own: a tuple is
a JSON list, a record an object, a number may be ``"nan"``. What does not fit its declared type, a
list where a tuple is declared, is written as a value of no declared type under the mark ``$any``.
"""

import base64
import binascii
import dataclasses
import math
import sys
import types
import typing
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DetectableError, InputError
from detectable.core.result import Result
from detectable.core.same import fields_of
from detectable.data.files.inputs import shareable, shareable_word
from detectable.data.files.place import quote
from detectable.data.files.size_limit import current_limit
from detectable.report.blocks_of import class_of

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


# --- Values of a declared type in a file, and back ---
#
# The types of the fields say what stands where, so that a file needs no types of its own: a tuple is
# a JSON list, a record an object, a number may be ``"nan"``. What does not fit its declared type, a
# list where a tuple is declared, is written as a value of no declared type under the mark ``$any``.

_MARK = "$"  # with which the keys begin that say what a value is
_ANY, _KIND = "$any", "$kind"
# What a class may raise that checks its values, where these are of no type that it expects.
_BROKEN = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


class Codec(ABC):
    """How one declared type is written and read."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Say whether a value is of the type, without a look at its parts."""

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:  # noqa: ARG002
        """Return a value of the type as JSON: as it is, where JSON has the type too."""
        return value

    @abstractmethod
    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        """Return the value that JSON stands for, or raise `Damaged`."""

    def write(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        """Return any value as JSON, marked where it is not of the type."""
        if isinstance(value, np.generic):
            value = value.item()
        if self.holds(value):
            return self.encode(value, where, arrays)
        return {_ANY: _ANYTHING.encode(value, where, arrays)}

    def read(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        """Return the value that was written, or raise `Damaged`."""
        if isinstance(value, dict) and value.keys() == {_ANY}:
            return _ANYTHING.decode(value[_ANY], where, arrays)
        return self.decode(value, where, arrays)


class _Anything(Codec):
    """What has no type that says more: marks tell what JSON would lose."""

    def holds(self, value: Any) -> bool:  # noqa: ARG002 (whatever it is)
        return True

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$float": written_number(value)}
        if isinstance(value, list | tuple):
            items = [self.write(item, f"{where}.{i}", arrays) for i, item in enumerate(value)]
            return items if isinstance(value, list) else {"$tuple": items}
        if isinstance(value, Mapping):
            held = _Table(self, self).encode(value, where, arrays)
            return held if isinstance(held, dict) else {"$pairs": held}
        if isinstance(value, np.ndarray):
            return arrays.add(where, value, draws=False)
        raise InputError(
            f"`{where}` cannot be saved: a file cannot hold a {type(value).__name__}."
        )

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        if isinstance(value, list):
            return [self.decode(item, f"{where}.{i}", arrays) for i, item in enumerate(value)]
        if isinstance(value, float):
            return read_number(value, where)  # NaN is not valid JSON, but some tools write it
        if not isinstance(value, dict):
            return value
        if _plain_keys(value):
            return {k: self.decode(item, f"{where}.{k}", arrays) for k, item in value.items()}
        if len(value) != 1:
            raise Damaged(where, "one mark", value)
        [(mark, held)] = value.items()
        if mark == "$array":
            return arrays.get(where, value)
        if mark == "$float":
            return float(read_number(held, where))
        if mark == "$tuple" and isinstance(held, list):
            return tuple(self.decode(held, where, arrays))
        if mark == "$pairs":
            return self._decode_pairs(held, where, arrays)
        raise Damaged(where, "a value with a known mark", value)

    def _decode_pairs(self, pairs: Any, where: str, arrays: ReadArrays) -> dict[Any, Any]:
        found = {}
        for i, pair in enumerate(pairs if isinstance(pairs, list) else [None]):
            if not (isinstance(pair, list) and len(pair) == 2):
                raise Damaged(where, "pairs of key and value", pairs)
            key = self.decode(pair[0], f"{where}.{i}", arrays)
            try:
                found[key] = self.decode(pair[1], f"{where}.{i}", arrays)
            except TypeError:
                raise Damaged(f"{where}.{i}", "a pair with a plain key", pair) from None
        return found


_ANYTHING = _Anything()


@dataclass(frozen=True, slots=True)
class _Plain(Codec):
    """Text, whole numbers, truths: what JSON has too."""

    kind: type
    named: str

    def holds(self, value: Any) -> bool:
        return type(value) is self.kind

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:  # noqa: ARG002
        if type(value) is not self.kind:
            raise Damaged(where, self.named, value)
        return value


class _Path(_Plain):
    """The name of a file, which must not tell where the one who saved it keeps things."""

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:  # noqa: ARG002
        return shareable(value)


class _Words(_Plain):
    """Words with names of files among them, such as a command to type."""

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:  # noqa: ARG002
        return " ".join(map(shareable_word, value.split(" ")))


class _Number(Codec):
    def holds(self, value: Any) -> bool:
        return type(value) in (int, float)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:  # noqa: ARG002
        return written_number(value)

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:  # noqa: ARG002
        return read_number(value, where)


@dataclass(frozen=True, slots=True)
class _Word(Codec):
    """One of a few words."""

    words: tuple[Any, ...]

    def holds(self, value: Any) -> bool:
        return value in self.words

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:  # noqa: ARG002
        if not (isinstance(value, str | int) and value in self.words):
            raise Damaged(where, f"one of {', '.join(map(str, self.words))}", value)
        return value


@dataclass(frozen=True, slots=True)
class _Maybe(Codec):
    """A value, or none."""

    inner: Codec

    def holds(self, value: Any) -> bool:
        return value is None or self.inner.holds(value)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        return None if value is None else self.inner.encode(value, where, arrays)

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        if value is None:
            return None
        if isinstance(self.inner, _Array):
            return arrays.get(where, value)  # none, if it was left out
        return self.inner.decode(value, where, arrays)


@dataclass(frozen=True, slots=True)
class _Tuple(Codec):
    """A tuple with a type for every place; of any length, it has one type for all."""

    inner: tuple[Codec, ...]
    any_length: bool

    def holds(self, value: Any) -> bool:
        return type(value) is tuple and len(self._codecs(value)) == len(value)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        pairs = enumerate(zip(self._codecs(value), value, strict=True))
        return [codec.write(item, f"{where}.{i}", arrays) for i, (codec, item) in pairs]

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        if not (isinstance(value, list) and len(self._codecs(value)) == len(value)):
            length = "" if self.any_length else f" of {len(self.inner)} values"
            raise Damaged(where, f"a list{length}", value)
        pairs = enumerate(zip(self._codecs(value), value, strict=True))
        return tuple(codec.read(item, f"{where}.{i}", arrays) for i, (codec, item) in pairs)

    def _codecs(self, value: Sequence[Any]) -> tuple[Codec, ...]:
        return self.inner * len(value) if self.any_length else self.inner


@dataclass(frozen=True, slots=True)
class _Table(Codec):
    """A mapping; with keys that are not text a list of pairs."""

    key: Codec
    value: Codec

    def holds(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        items = {k: self.value.write(v, f"{where}.{k}", arrays) for k, v in value.items()}
        if _plain_keys(items):
            return items
        return [[self.key.write(k, where, arrays), v] for k, v in items.items()]

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        if isinstance(value, dict):
            pairs = list(value.items())
        elif isinstance(value, list) and all(
            isinstance(p, list) and len(p) == 2 for p in value
        ):
            pairs = [(pair[0], pair[1]) for pair in value]
        else:
            raise Damaged(where, "an object, or pairs of key and value", value)
        read: dict[Any, Any] = {}
        for given, item in pairs:
            key = self.key.read(given, where, arrays)
            try:
                read[key] = self.value.read(item, f"{where}.{key}", arrays)
            except TypeError:
                raise Damaged(where, "an object with plain keys", given) from None
        return read


def _plain_keys(keys: Mapping[Any, Any]) -> bool:
    """Say whether a mapping can be a JSON object that nobody takes for a mark."""
    return all(isinstance(key, str) and not key.startswith(_MARK) for key in keys)


@dataclass(frozen=True, slots=True)
class _Array(Codec):
    draws: bool = False

    def holds(self, value: Any) -> bool:
        return isinstance(value, np.ndarray)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        return arrays.add(where, value, draws=self.draws)

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        found = arrays.get(where, value)
        return empty(arrays.entries[value["$array"]]) if found is None else found


@dataclass(frozen=True, slots=True)
class Record(Codec):
    """A dataclass: an object with a key per field."""

    kind: type

    def holds(self, value: Any) -> bool:
        """Say whether a value is of this very class."""
        return type(value) is self.kind

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        """Return the fields by name, without those that no file holds."""
        return {
            name: codec.write(getattr(value, name), f"{where}.{name}", arrays)
            for name, codec in _fields(self.kind).items()
            if not _is_default(value, _added(self.kind).get(name))
        }

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        """Return the object; a field that is missing has its default, if there is one."""
        if not isinstance(value, dict):
            raise Damaged(where, "an object", value)
        codecs = _fields(self.kind)
        for name in value:
            if name not in codecs:
                raise Damaged(where, f"an object of {', '.join(codecs)}", name)
        held = fields_of(self.kind)
        given = {
            part.name: codecs[name].read(value[name], f"{where}.{name}", arrays)
            for name, part in held.items()
            if part is not None and name in codecs and name in value
        }
        for name in _needed(self.kind):
            if name not in value:
                raise Damaged(where, f"an object with {name}", list(value))
        try:
            return self.kind(**given)
        except (DetectableError, *_BROKEN) as error:
            raise Damaged(where, f"what a {self.kind.__name__} can hold", str(error)) from None


class _SomeResult(Codec):
    """A result of whatever kind: a record that says its kind."""

    def holds(self, value: Any) -> bool:
        return class_of(type(value).__name__) is type(value)

    def encode(self, value: Any, where: str, arrays: WrittenArrays) -> Any:
        return {
            _KIND: type(value).__name__,
            **Record(type(value)).encode(value, where, arrays),
        }

    def decode(self, value: Any, where: str, arrays: ReadArrays) -> Any:
        named = value.get(_KIND) if isinstance(value, dict) else None
        kind = class_of(named) if isinstance(named, str) else None
        if kind is None:
            raise Damaged(where, "a result of a known kind", value)
        fields = {name: item for name, item in value.items() if name != _KIND}
        return Record(kind).decode(fields, where, arrays)


@cache
def _fields(kind: type) -> dict[str, Codec]:
    """Return how each field of a dataclass is written, for those that a file holds."""
    hints = get_type_hints(kind, localns=_late(kind))
    return {
        name: _ANYTHING if part is None else _codec_of_field(part, hints[part.name])
        for name, part in fields_of(kind).items()
        if part is None or part.metadata.get("saved", True)
    }


@cache
def _added(kind: type) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields that files of earlier versions lack."""
    held = fields_of(kind)
    return {name: part for name, part in held.items() if part and part.metadata.get("added")}


def _is_default(record: Any, part: dataclasses.Field[Any] | None) -> bool:
    """Say whether a field that was added later has its default, which no file needs to hold."""
    if part is None:
        return False
    value = getattr(record, part.name)
    return bool(value == part.default or (value != value and part.default != part.default))


def _late(kind: type) -> dict[str, Any]:
    """Return the classes that the module of a dataclass names, and imports for type checkers only."""
    named: dict[str, str] = getattr(sys.modules[kind.__module__], "LATE", {})
    return {name: getattr(import_module(place), name) for name, place in named.items()}


def _codec_of_field(part: dataclasses.Field[Any], hint: Any) -> Codec:
    if part.metadata.get("path"):
        return _Path(str, "a text")
    if part.metadata.get("words"):
        return _Words(str, "a text")
    return codec_of(hint, draws=part.metadata.get("draws", False))


@cache
def _needed(kind: type) -> tuple[str, ...]:
    """Return the fields without which a dataclass cannot be made."""
    # What a layout takes over has a default only for studies that leave it out.
    own = vars(kind)["__annotations__"] if hasattr(kind, "LAYOUT") else fields_of(kind)
    return tuple(
        name
        for name, part in fields_of(kind).items()
        if part is not None and not part.metadata.get("added")
        if part.name not in own or part.default is part.default_factory is dataclasses.MISSING
    )


_SIMPLE: dict[Any, Codec] = {
    str: _Plain(str, "a text"),
    int: _Plain(int, "a whole number"),
    bool: _Plain(bool, "true or false"),
    float: _Number(),
}


@cache
def codec_of(declared: Any, *, draws: bool = False) -> Codec:
    """Return how values of a declared type are written and read."""
    if declared in _SIMPLE:
        return _SIMPLE[declared]
    if declared is Result:
        return _SomeResult()
    if dataclasses.is_dataclass(declared):
        return Record(typing.cast("type", declared))
    origin, inner = get_origin(declared), get_args(declared)
    if origin is np.ndarray:
        return _Array(draws)
    if origin is Literal:
        return _Word(inner)
    if origin is tuple:
        places = [one for one in inner if one is not ...]
        return _Tuple(tuple(map(codec_of, places)), any_length=... in inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _Table(codec_of(inner[0]), codec_of(inner[1]))
    if origin in (Union, types.UnionType) and len(inner) == 2 and type(None) in inner:
        [one] = [kind for kind in inner if kind is not type(None)]
        return _Maybe(codec_of(one, draws=draws))
    return _ANYTHING
