"""A number for a piece of work: equal for equal data, settings, random generators and code.

The bytes of a pickle would not do. They tell whether two equal words are one object, and they
list sets in an order that changes with every start of Python.
"""

import functools
import hashlib
import os
import struct
import sys
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from detectable.core.errors import InputError


def digest(*parts: object) -> bytes:
    """Return 32 bytes that differ, for all that is known, if anything in the parts does.

    A function or a class counts with its name and the file that it stands in, so that a changed
    program is another one. Objects of any class count with what pickle would keep of them.

    Examples
    --------
    >>> digest("a", [1.0]) == digest("a", [1.0]), digest("a", [1.0]) == digest("a", [1])
    (True, False)
    """
    feeder = _Feeder()
    for part in parts:
        feeder.feed(part)
    return feeder.digest()


class _Feeder:
    """Feeds a hash with objects, each with its kind and its length, so that none run together."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._above: list[int] = []  # the objects that hold the one at hand

    def digest(self) -> bytes:
        return self._hash.digest()

    def feed(self, thing: object) -> None:
        plain = _plain(thing)
        if plain is not None:
            self._put(type(thing).__name__, plain)
        elif id(thing) in self._above:
            self._put("above", str(self._above.index(id(thing))).encode())
        else:
            self._above.append(id(thing))
            self._feed_parts(thing)
            self._above.pop()

    def _feed_parts(self, thing: Any) -> None:
        if isinstance(thing, set | frozenset):
            self._put("set", b"".join(sorted(digest(one) for one in thing)))
        elif type(thing) in (list, tuple):
            self._all(type(thing).__name__, list(thing))
        elif type(thing) is dict:
            self._all("dict", [part for pair in thing.items() for part in pair])
        elif isinstance(thing, np.ndarray):  # of objects: all others are plain
            self._all("objects", [thing.shape, *thing.ravel().tolist()])
        elif isinstance(thing, np.random.Generator):
            bits = thing.bit_generator
            seeds: Any = bits.seed_seq  # from which a block may spawn further generators
            self._all("rng", [bits.state, getattr(seeds, "state", None)])
        elif isinstance(thing, FunctionType):
            cells = [cell.cell_contents for cell in thing.__closure__ or ()]
            parts = [_name(thing), thing.__defaults__, thing.__kwdefaults__, cells]
            self._all("function", [*parts, _source(thing.__module__) or thing.__code__])
        elif isinstance(thing, CodeType):  # of a function that stands in no file
            names = [thing.co_names, thing.co_varnames, thing.co_freevars]
            self._all("code", [thing.co_code, thing.co_consts, *names])
        elif isinstance(thing, MethodType):
            self._all("method", [thing.__self__, thing.__func__])
        elif isinstance(thing, type):
            self._all("class", [_name(thing), _source(thing.__module__)])
        else:
            self._all("object", _reduced(thing))

    def _all(self, kind: str, parts: list[Any]) -> None:
        self._put(kind, struct.pack("<Q", len(parts)))
        for part in parts:
            self.feed(part)

    def _put(self, kind: str, content: bytes) -> None:
        self._hash.update(f"{kind} {len(content)} ".encode())
        self._hash.update(content)


def _plain(thing: object) -> bytes | None:
    """Return the content of what has no parts; None for all else."""
    if thing is None or thing is Ellipsis or type(thing) in (bool, int):
        return repr(thing).encode()
    if type(thing) is str:
        return thing.encode("utf-8", "surrogatepass")
    if isinstance(thing, bytes | bytearray):
        return bytes(thing)
    if type(thing) is float:
        return struct.pack("<d", thing)
    if type(thing) is complex:
        return struct.pack("<dd", thing.real, thing.imag)
    if isinstance(thing, np.ndarray | np.generic) and not thing.dtype.hasobject:
        values = np.ascontiguousarray(thing)
        return f"{values.dtype.descr} {np.shape(thing)} ".encode() + values.tobytes()
    if isinstance(thing, BuiltinFunctionType | np.ufunc):
        return thing.__name__.encode()
    if isinstance(thing, ModuleType):
        return thing.__name__.encode()
    return None


def _reduced(thing: object) -> list[Any]:
    """Return what pickle would keep of an object."""
    try:
        found = thing.__reduce_ex__(4)
    except TypeError as error:
        raise InputError(
            f"`checkpoint` cannot tell one {type(thing).__name__} from another: {error}. "
            "Leave `checkpoint` out."
        ) from error
    if isinstance(found, str):
        return [found]
    make, arguments, state, *items = [*found, None, None, None][:5]
    if isinstance(state, dict):  # without what was computed on the way, or was not yet
        state = {name: part for name, part in state.items() if name not in _cached(type(thing))}
    return [make, arguments, state, *(None if one is None else list(one) for one in items)]


def _cached(kind: type) -> set[str]:
    return {
        name
        for base in kind.__mro__
        for name, part in vars(base).items()
        if isinstance(part, functools.cached_property)
    }


def _name(thing: Any) -> str:
    """Return the name of a function or class; that of its module depends on how it was started."""
    module = sys.modules.get(thing.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return f"{thing.__module__}.{thing.__qualname__}"
    return f"{os.path.splitext(os.path.basename(file))[0]}.{thing.__qualname__}"


def _source(module: str) -> bytes | None:
    """Return a digest of the program that a function or class stands in, if there is a file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not file.endswith(".py"):
        return None
    try:
        return _file_digest(file, os.stat(file).st_mtime_ns)
    except OSError:  # in an archive, say
        return None


@functools.cache
def _file_digest(file: str, changed: int) -> bytes:  # noqa: ARG001 (a changed file is read again)
    with open(file, "rb") as opened:
        return hashlib.sha256(opened.read()).digest()
