"""The file of a checkpoint: what was drawn and computed, in order, and only ever appended to.

After a line that says what it is come records: kind, number, length, content, CRC-32. A job
is a row of events, a seed that is drawn or a step that begins, and is the same job if it comes to
the same events in the same order; the blocks of a step follow it. A record that was cut short by
a crash, and all behind it, is cut off before the next one is written.
"""

import contextlib
import dataclasses
import functools
import hashlib
import os
import struct
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np

from detectable.core import write
from detectable.core.errors import DataError, InputError
from detectable.core.version import VERSION
from detectable.core.write import Busy, CannotLock, lock


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


# --- The file of a checkpoint: what was drawn and computed, in order, and only ever appended to ---
#
# After a line that says what it is come records: kind, number, length, content, CRC-32. A job
# is a row of events, a seed that is drawn or a step that begins, and is the same job if it comes to
# the same events in the same order; the blocks of a step follow it. A record that was cut short by
# a crash, and all behind it, is cut off before the next one is written.

_MAGIC = b"detectable checkpoint 1\n"
_HEAD = struct.Struct("<cQQ")  # kind, number, length of the content
_SUM = struct.Struct("<I")
_VERSIONS, _SEED, _STEP, _BLOCK = b"V", b"S", b"T", b"B"
_REMEDY = "Name another file, or delete this one."


@dataclass(frozen=True, slots=True)
class _Seed:
    entropy: int

    @property
    def words(self) -> str:
        return "a seed that is drawn"


@dataclass(frozen=True, slots=True)
class _Step:
    key: bytes
    name: str
    places: dict[int, tuple[int, int]] = field(default_factory=dict)  # of blocks: start, length

    @property
    def words(self) -> str:
        return f"the step “{self.name}”"


_Event: TypeAlias = _Seed | _Step


class CheckpointFile:
    """Finished blocks of one job; made by `checkpoint`.

    Attributes
    ----------
    taken, done : int
        How many blocks came from the file, and how many were computed and put there.
    seeds : list of int
        The seeds that were drawn because none was given.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.taken = self.done = 0
        self.seeds: list[int] = []
        self._file: BinaryIO | None = None
        self._events: list[_Event] = []  # of the file
        self._drawn: list[_Seed] = []  # events that are not there yet
        self._come_to = 0  # how many of them this run has come to
        self._end = 0  # of what is whole in the file
        self._torn = False  # whether there is more behind it

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: write.Target) -> "Iterator[CheckpointFile]":
        """Open a file, or the name of a new one, and refuse what is no checkpoint."""
        found = cls(os.fspath(path))
        try:
            found._open()
            yield found
        finally:
            if found._file is not None:
                found._file.close()

    def seed(self) -> int:
        """Return the seed for an analysis that was given none: that of the file, or a new one."""
        event = self._coming()
        if event is None:
            event = _Seed(int(np.random.SeedSequence().entropy))  # type: ignore[arg-type]
            self._events.append(event)
            self._drawn.append(
                event
            )  # written with the next step: before that it is not needed
        elif not isinstance(event, _Seed):
            raise self._other(event, "a seed was given then, and none is now")
        self._come_to += 1
        self.seeds.append(event.entropy)
        return event.entropy

    def step(self, task: object, payload: object, todo: Sequence[object], name: str) -> "_Step":
        """Come to a step, which must be that of the file, if the file has come so far."""
        key = digest(task, payload, todo, name)
        event = self._coming()
        if event is None:
            event = _Step(key, name)
            for drawn in self._drawn:
                self._append(_SEED, 0, str(drawn.entropy).encode())
            self._drawn.clear()
            self._append(_STEP, 0, key + name.encode())
            self._events.append(event)
        elif not isinstance(event, _Step):
            raise self._other(event, "no seed was given then, and one is now")
        elif event.key != key:
            raise self._other(event, "its data, settings, seed or program differ")
        self._come_to += 1
        return event

    def answers(self, step: "_Step") -> dict[int, object]:
        """Return the answers that the file has, by the number of the block."""
        self.taken += len(step.places)
        return {number: self._answer(place) for number, place in step.places.items()}

    def keep(self, number: int, answer: object) -> None:
        """Put the answer of a block of the last step onto the disk."""
        self._append(_BLOCK, number, encoded(answer))
        self.done += 1

    def _coming(self) -> _Event | None:
        return self._events[self._come_to] if self._come_to < len(self._events) else None

    def _other(self, event: _Event, why: str) -> DataError:
        return DataError(
            f"`checkpoint` must be a new file or one of the same job; got {self.path}, where "
            f"{event.words} belongs to another: {why}. {_REMEDY}"
        )

    # The file

    def _open(self) -> None:
        write.refuse_special(self.path)
        try:
            self._file = open(self.path, "r+b")  # noqa: SIM115 (closed by `opened`)
        except FileNotFoundError:
            folder = os.path.dirname(self.path) or os.curdir
            if not os.path.isdir(folder):
                raise DataError(
                    f"{self.path} cannot be written: there is no folder {folder}. Make it."
                ) from None
            return
        except OSError as error:
            raise DataError(f"{self.path} cannot be opened: {error.strerror}.") from error
        self._lock(self._file)
        with self._reading():
            self._read(self._file)

    def _lock(self, file: BinaryIO) -> None:
        try:
            lock(file.fileno())
        except Busy:
            raise DataError(
                f"`checkpoint` must be a file of one run; got {self.path}, which another run is "
                "writing to. Wait for it, or name another file."
            ) from None
        except CannotLock:  # on some network file systems
            pass

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DataError(f"{self.path} cannot be read: {error.strerror}.") from error
        except DataError:
            raise
        except ValueError as error:
            raise DataError(f"{self.path} cannot be read: {error}.") from error

    def _read(self, file: BinaryIO) -> None:
        size = os.fstat(file.fileno()).st_size
        begun = file.read(len(_MAGIC))
        if not _MAGIC.startswith(begun):
            raise DataError(
                f"`checkpoint` must be a new file or one of the same job; got {self.path}, which "
                "is no checkpoint. Name another file."
            )
        if begun == _MAGIC:
            while (record := _record(file, size)) is not None:
                self._take(*record)
                self._end = file.tell()
        # A run that was killed before its first record was whole leaves nothing to lose.
        self._torn = size > self._end

    def _take(self, kind: bytes, number: int, content: bytes, place: tuple[int, int]) -> None:
        if kind == _VERSIONS and content != _versions():
            raise DataError(
                f"`checkpoint` must be a file of the same versions; got {self.path}, written by "
                f"{content.decode()}, and this is {_versions().decode()}. {_REMEDY}"
            )
        if kind == _SEED:
            self._events.append(_Seed(int(content)))
        elif kind == _STEP:
            self._events.append(_Step(content[:32], content[32:].decode()))
        elif kind == _BLOCK and self._events and isinstance(self._events[-1], _Step):
            self._events[-1].places[number] = place

    def _answer(self, place: tuple[int, int]) -> object:
        if self._file is None:
            raise DataError(f"{self.path} is closed.")
        with self._reading():
            self._file.seek(place[0])
            return decoded(self._file.read(place[1]))

    def _append(self, kind: bytes, number: int, content: bytes) -> None:
        try:
            if self._file is None:
                self._file = open(self.path, "x+b")  # noqa: SIM115 (closed by `opened`)
                self._lock(self._file)
            if self._torn:
                self._file.truncate(self._end)
                self._torn = False
            self._file.seek(self._end)
            if self._end == 0:
                self._file.write(_MAGIC + _whole(_VERSIONS, 0, _versions()))
            self._file.write(_whole(kind, number, content))
            self._file.flush()
            os.fsync(self._file.fileno())
            self._end = self._file.tell()
        except FileExistsError:
            raise DataError(
                f"{self.path} was made by another run just now. {_REMEDY}"
            ) from None
        except OSError as error:
            raise DataError(f"{self.path} cannot be written: {error.strerror}.") from error


def _versions() -> bytes:
    return f"detectable {VERSION} with numpy {np.__version__}".encode()


def _whole(kind: bytes, number: int, content: bytes) -> bytes:
    record = _HEAD.pack(kind, number, len(content)) + content
    return record + _SUM.pack(zlib.crc32(record))


def _record(file: BinaryIO, size: int) -> tuple[bytes, int, bytes, tuple[int, int]] | None:
    """Return the next record and the place of its content; None where there is no whole one."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, number, length = _HEAD.unpack(head)
    start = file.tell()
    if start + length + _SUM.size > size:
        return None
    content = file.read(length)
    if _SUM.unpack(file.read(_SUM.size))[0] != zlib.crc32(head + content):
        return None
    return kind, number, content, (start, length)


# --- The answer of a block as bytes, and back: numbers, words, arrays and our own dataclasses ---
#
# Not pickle: reading one runs what it says, and files travel. What is read here can only become
# data: the class of an answer must be a dataclass of this package that is loaded already.

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
