"""The answer of a block as bytes, and back: numbers, words, arrays and our own dataclasses.

Not pickle: reading one runs what it says, and files travel. What is read here can only become
data: the class of an answer must be a dataclass of this package that is loaded already.
"""

import dataclasses
import sys
from typing import Any, Literal

import numpy as np

from detectable.core.errors import DataError

_KINDS = "biufcSUmM"  # of arrays: plain numbers, words and times; no objects, no records
_LARGEST = 1 << 63


def encoded(answer: object) -> bytes:
    """Return an answer as bytes; `decoded` gives it back, equal to the bit."""
    import msgspec

    return msgspec.msgpack.encode(_packed(answer))


def decoded(content: bytes) -> Any:
    """Return the answer that `encoded` wrote.

    Raises
    ------
    DataError
        If it did not write this.
    """
    import msgspec

    try:
        return _unpacked(msgspec.msgpack.decode(content))
    except (msgspec.DecodeError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise DataError(f"a block of the checkpoint cannot be read: {error}.") from error


def _packed(thing: Any) -> Any:
    kind = type(thing)
    if thing is None or kind in (bool, str, float, bytes):
        return thing
    if kind is int:
        return thing if -_LARGEST <= thing < _LARGEST else ["int", str(thing)]
    if kind in (list, tuple):
        return [kind.__name__, [_packed(part) for part in thing]]
    if kind is dict:
        return ["dict", [[_packed(key), _packed(value)] for key, value in thing.items()]]
    if isinstance(thing, np.ndarray | np.generic) and thing.dtype.kind in _KINDS:
        return _packed_array(thing)
    if dataclasses.is_dataclass(kind) and _found(kind.__module__, kind.__qualname__) is kind:
        values = [_packed(getattr(thing, one.name)) for one in dataclasses.fields(kind)]
        return ["class", kind.__module__, kind.__qualname__, values]
    message = f"an answer of type {kind.__module__}.{kind.__qualname__} cannot be kept."
    raise TypeError(message)


def _packed_array(thing: "np.ndarray[Any, Any] | np.generic") -> list[Any]:
    if isinstance(thing, np.generic):
        return ["scalar", thing.dtype.str, thing.tobytes()]
    # As pickle has it: what lies by columns stays so, and sums of it keep their order.
    order: Literal["C", "F"] = (
        "F" if thing.flags.f_contiguous and not thing.flags.c_contiguous else "C"
    )
    return ["array", thing.dtype.str, list(thing.shape), order, thing.tobytes(order)]


def _unpacked(thing: Any) -> Any:
    if not isinstance(thing, list):
        return thing
    kind, *rest = thing
    return _UNPACK[kind](*rest)


def _array(dtype: str, shape: list[int], order: Any, content: bytes) -> Any:
    return np.ndarray(shape, _dtype(dtype), buffer=content, order=order).copy(order)


def _dtype(name: str) -> np.dtype[Any]:
    found = np.dtype(name)
    if found.kind not in _KINDS:
        raise ValueError(f"no plain array of {name}")
    return found


def _dataclass(module: str, name: str, values: list[Any]) -> Any:
    made = _found(module, name)
    if not (isinstance(made, type) and dataclasses.is_dataclass(made)):
        raise TypeError(f"{module}.{name} is no dataclass of this package")
    names = [one.name for one in dataclasses.fields(made)]
    return made(**dict(zip(names, map(_unpacked, values), strict=True)))


def _found(module: str, name: str) -> Any:
    """Return something of this package by name, if it is loaded; nothing is imported for it."""
    if module.partition(".")[0] != __name__.partition(".")[0]:
        return None
    return getattr(sys.modules.get(module), name, None)


_UNPACK: dict[str, Any] = {
    "int": int,
    "list": lambda parts: [_unpacked(part) for part in parts],
    "tuple": lambda parts: tuple(_unpacked(part) for part in parts),
    "dict": lambda pairs: {_unpacked(key): _unpacked(value) for key, value in pairs},
    "scalar": lambda dtype, content: np.frombuffer(content, dtype=_dtype(dtype))[0],
    "array": _array,
    "class": _dataclass,
}
