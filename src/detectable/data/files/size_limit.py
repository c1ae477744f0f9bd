"""How much a file may hold: 6 MB of gzip can be 18 GB of zeros, and 2 MB of commas a million columns."""

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import IO

from detectable.core.errors import DataError, InputError
from detectable.data.files.place import FilePath

DEFAULT = "2GB"
MOST_COLUMNS = 10_000  # of a table; what follows makes something of every column
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([kMGT]?)B?", re.ASCII)
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_CHUNK = 1 << 24
_USUAL_RATIO = 50  # texts and tables shrink to a tenth or so; zeros to a thousandth
_limit: ContextVar[int] = ContextVar("size_limit", default=2 * 10**9)


class TooLargeError(DataError):
    """A file that holds more than is read."""


def parse_size(text: str) -> int:
    """Return a number of bytes that was written as ``500MB`` or ``8GB``.

    Examples
    --------
    >>> parse_size("1.5GB")
    1500000000
    """
    found = _SIZE.fullmatch(text.strip())
    size = 0 if found is None else int(float(found[1]) * _UNITS[found[2]])
    if size < 1:
        raise InputError(
            f"`size` must be a number of bytes such as 500MB or 8GB; got {text!r}."
        )
    return size


@contextlib.contextmanager
def size_limit(size: str) -> Iterator[None]:
    """Read files of up to `size` in here, instead of up to 2 GB each, unpacked.

    Parameters
    ----------
    size : str
        Such as ``'8GB'``. Reading takes several times as much memory.

    Examples
    --------
    >>> import detectable as dt
    >>> with dt.size_limit("8GB"):
    ...     pass  # dt.read_corpus(…)
    """
    token = _limit.set(parse_size(size))
    try:
        yield
    finally:
        _limit.reset(token)


def current_limit() -> int:
    """Return how many bytes a file may hold, unpacked."""
    return _limit.get()


def read_limited(file: IO[bytes], path: FilePath) -> bytes:
    """Return all that an open file holds, or refuse it as soon as it is too much."""
    chunks: list[bytes] = []
    size = 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        refuse_larger(size, path)
        chunks.append(chunk)
    return b"".join(chunks)


def read_unpacked(
    packed: bytes, opened: Callable[[IO[bytes]], IO[bytes]], path: FilePath
) -> bytes:
    """Return all that packed bytes hold, or refuse it with little memory if it is too much.

    What unpacks to far more than texts do is measured first, and read only if it is small enough.

    Parameters
    ----------
    packed : bytes
        The file as it is.
    opened : callable
        Gets the packed bytes as a file and returns what unpacks them.
    path : path
        For the message.
    """
    source = io.BytesIO(packed)
    with opened(source) as file:
        chunks: list[bytes] = []
        size = 0
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            refuse_larger(size, path)
            chunks.append(chunk)
            if size > max(4 * _CHUNK, _USUAL_RATIO * source.tell()):
                break
        else:
            return b"".join(chunks)
        chunks.clear()
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            refuse_larger(size, path)
    with opened(io.BytesIO(packed)) as file:
        return read_limited(file, path)


def refuse_larger(size: int, path: FilePath) -> None:
    """Refuse what would be larger than the limit."""
    limit = current_limit()
    if size > limit:
        raise TooLargeError(
            f"{path}: the file holds more than {_words(limit)} once it is unpacked. If that is "
            "right, raise the limit: detectable --max-size 8GB … (dt.size_limit('8GB'))."
        )


def refuse_columns(n: int, where: str) -> None:
    """Refuse a table of too many columns, before anything is made of them."""
    if n > MOST_COLUMNS:
        raise TooLargeError(
            f"{where}: the table has {n:,} columns; {MOST_COLUMNS:,} at most are read. Is a line end "
            "missing? Many systems fit into rows: system, item, score."
        )


def refuse_larger_zip(data: bytes, path: FilePath) -> None:
    """Refuse a ZIP archive, such as xlsx, whose parts say that they are larger than the limit."""
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return  # its reader will say what is wrong with it
    refuse_larger(size, path)


def _words(size: int) -> str:
    unit = max((unit for unit, one in _UNITS.items() if size >= one), key=_UNITS.__getitem__)
    return f"{size / _UNITS[unit]:g} {unit}B"
