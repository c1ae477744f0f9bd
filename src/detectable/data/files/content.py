"""A file that is opened once: its bytes, its text, its lines, and what its beginning shows."""

import importlib
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import IO, Any

from detectable.core.errors import DataError
from detectable.data.files.inputs import is_folder, note_input
from detectable.data.files.parquet import PARQUET, parquet_names
from detectable.data.files.place import FilePath, place
from detectable.data.files.size_limit import read_limited, read_unpacked, refuse_larger

# The first bytes decide, not the name: none of these can begin a UTF-8 text, and a browser
# that decompresses a download often leaves the old name on it.
_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_BZIP2 = b"1AY&SY"  # after "BZh" and one digit
_ZSTD = b"\x28\xb5\x2f\xfd"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
ZIP = b"PK\x03\x04"
_BINARY = (PARQUET, ZIP)
_FIRST_LINE = re.compile(r"\S[^\n]{0,99999}")  # a whole file may stand in one line
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, eq=False)
class FileContent:
    """A file or folder, read when it is first asked for and kept.

    It stands wherever a path may stand, so that whoever tells the format of a file and whoever
    reads it share one opening. What is about the beginning of the file is empty where the file
    is of another kind, so it can be asked without care.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "j.jsonl"
    ...     _ = path.write_text('{"user_id": 1}' + chr(10))
    ...     content = FileContent(path)
    ...     content.first_object, content.first_line, content.parquet_columns
    ({'user_id': 1}, '{"user_id": 1}', frozenset())
    """

    path: FilePath

    @classmethod
    def of(cls, path: FilePath) -> "FileContent":
        """Return the content at a path, or `path` itself if it is one."""
        return path if isinstance(path, FileContent) else cls(path)

    @classmethod
    def holding(cls, path: FilePath, data: bytes) -> "FileContent":
        """Return a content whose bytes are known: the beginning of a file, say."""
        content = cls(path)
        content.__dict__.update(data=data, is_folder=False)  # where properties are kept
        return content

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __str__(self) -> str:
        return os.fspath(self.path)

    @cached_property
    def is_folder(self) -> bool:
        """Whether this is a folder, which has no content of its own."""
        return is_folder(self.path)

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What readers made of it, by their names, where it is asked for more than once."""
        return {}

    @cached_property
    def data(self) -> bytes:
        """The bytes, decompressed if they are gzip, xz, bzip2 or zstd."""
        return _load(self.path)

    @cached_property
    def text(self) -> str:
        """The text, without byte-order mark; what is not UTF-8 is refused with its line."""
        if _is_wide(self.data):
            raise DataError(_CONVERT.format(self))
        try:
            return self.data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise DataError(_undecodable(self.path, self.data, error)) from error

    @cached_property
    def lines(self) -> tuple[str, ...]:
        r"""The lines of the text; only ``\n`` and ``\r\n`` end one (see `read_lines`)."""
        if not self.text:
            raise DataError(
                f"{self}: the file is empty. Give a file with one segment per line."
            )
        return split_lines(self.text)

    @property
    def is_parquet(self) -> bool:
        """Whether this is a Parquet file."""
        return not self.is_folder and self.data.startswith(PARQUET)

    @property
    def is_zip(self) -> bool:
        """Whether this is a ZIP archive, as xlsx files and logs of Inspect are."""
        return not self.is_folder and self.data.startswith(ZIP)

    @cached_property
    def is_workbook(self) -> bool:
        """Whether this is a ZIP archive of Office, by what it holds; a broken one, by its name."""
        if not self.is_zip:
            return False
        import io
        import zipfile

        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return "[Content_Types].xml" in archive.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            return str(self).endswith(".xlsx")

    @cached_property
    def parquet_columns(self) -> frozenset[str]:
        """The names of the columns of a Parquet file."""
        return parquet_names(self.path, self.data) if self.is_parquet else frozenset()

    @cached_property
    def first_line(self) -> str:
        """The first line of a text that is not blank; of a very long one 100,000 letters."""
        if self.is_folder or self.is_parquet or self.is_zip:
            return ""
        found = _FIRST_LINE.search(self.text)
        return "" if found is None else found.group().rstrip("\r")

    @property
    def is_empty(self) -> bool:
        """Whether this is a file with nothing in it, or a text of blanks only."""
        return not (self.is_folder or self.is_parquet or self.is_zip or self.first_line)

    @cached_property
    def first_object(self) -> Mapping[str, Any]:
        """The first object of a JSON file: of a list, of JSON lines, or the whole."""
        if not self.first_line.startswith(("{", "[")):
            return {}
        from detectable.data.files.json_value import NotJson

        try:
            found = _first_entry(self.text, self.first_line)
        except NotJson:
            found = None
        return found if isinstance(found, dict) else {}


def split_lines(text: str) -> tuple[str, ...]:
    r"""Return the lines of a text; only ``\n`` and ``\r\n`` end one (see `read_lines`)."""
    *ended, last = text.split("\n")
    lines = [line.removesuffix("\r") for line in ended] if "\r" in text else ended
    if last:
        lines.append(last)
    return tuple(lines)


def _first_entry(text: str, first_line: str) -> Any:
    """Return the first entry of a JSON text; the rest is not read if it need not be."""
    from detectable.data.files.json_value import json_value

    start = _SPACE.match(text).end()  # type: ignore[union-attr]  # no space matches, too
    if first_line.startswith("{"):
        return json_value(text, start, once=False)
    inside = _SPACE.match(text, start + 1).end()  # type: ignore[union-attr]
    if text.startswith("{", inside):
        return json_value(text, inside, once=False)
    return next(
        (entry for entry in json_value(text, once=False) if isinstance(entry, dict)), None
    )


def _load(path: FilePath) -> bytes:
    try:
        # A pipe, as `<(zcat …)` gives one, can be read once only; a device never ends.
        mode = os.stat(path).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise DataError(f"{path}: this is a device. Name a file.")
        with open(path, "rb") as file:
            refuse_larger(os.fstat(file.fileno()).st_size, path)  # 0 for a pipe
            data = read_limited(file, path)
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: there is no such file. Check the name; a relative name starts at "
            f"{os.getcwd()}."
        ) from error
    except IsADirectoryError as error:
        raise DataError(f"{path}: this is a folder. Name a file in it.") from error
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read ({error}).") from error
    except DataError:
        raise
    except ValueError as error:  # a name with a null byte
        raise DataError(f"{str(path)!r}: the file cannot be read ({error}).") from error
    content = _with_newlines(unpacked(path, data))
    note_input(path, data, content)
    return content


def _with_newlines(data: bytes) -> bytes:
    r"""Return a text of old Macs, whose lines end in ``\r``, with the line ends of today.

    It has no ``\n`` at all; where there is one, a lone ``\r`` is a character of its line.
    """
    if b"\n" in data or b"\r" not in data or b"\0" in data or data.startswith(_BINARY):
        return data
    return data.replace(b"\r", b"\n")


def unpacked(path: FilePath, data: bytes) -> bytes:
    """Return the content of gzip, xz, bzip2 or zstd data, up to the limit of its size."""
    reader = _decompressor(data)
    if reader is None:
        return data
    import lzma
    import zlib

    damage: tuple[type[Exception], ...]
    damage = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)
    try:
        if reader is opened:
            damage = (*damage, zstd_damage())
        return read_unpacked(data, reader, path)
    except DataError:
        raise
    except damage as error:
        raise DataError(
            f"{path}: the compressed file is damaged or cut short ({error}). Copy it again."
        ) from error
    except ImportError as error:
        raise DataError(
            f"{path}: zstd files need backports.zstd before Python 3.14: pip install "
            "backports.zstd. Or decompress it first (zstd -d)."
        ) from error


def is_packed(data: bytes) -> bool:
    """Whether these bytes begin a compressed file."""
    return _decompressor(data) is not None


def _decompressor(data: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    if data.startswith(_GZIP):
        import gzip

        return lambda file: gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
    if data.startswith(_XZ):
        import lzma

        return lzma.LZMAFile
    if data.startswith(b"BZh") and data[4:10] == _BZIP2:
        import bz2

        return bz2.BZ2File
    return opened if data.startswith(_ZSTD) else None


_CONVERT = "{}: the file is UTF-16. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)."
_BEGINNING = 64  # bytes by which UTF-16 without a mark is recognised


def _is_wide(data: bytes) -> bool:
    """Whether every second byte at the beginning is zero: UTF-16 of plain letters without a mark."""
    start = data[:_BEGINNING]
    halves = start[::2], start[1::2]
    return len(start) > 3 and any(
        not any(one) and all(other) for one, other in (halves, halves[::-1])
    )


def _undecodable(path: FilePath, data: bytes, error: UnicodeDecodeError) -> str:
    if data.startswith(_UTF16):
        return _CONVERT.format(path)
    line = data.count(b"\n", 0, error.start) + 1
    offset = error.start - (data.rfind(b"\n", 0, error.start) + 1)
    return (
        f"{place(path, line)}: byte 0x{data[error.start]:02x} at position {offset + 1} is not "
        "UTF-8. Convert the file to UTF-8, for example with iconv."
    )


# --- The content of a file, decompressed and decoded; every failure is a DataError ---


def read_bytes(path: FilePath) -> bytes:
    """Return the bytes of a file, decompressed if it is gzip, xz, bzip2 or zstd."""
    return FileContent.of(path).data


def read_text(path: FilePath) -> str:
    """Return the text of a UTF-8 file without byte-order mark."""
    return FileContent.of(path).text


# --- Zstandard, which the standard library has from Python 3.14 on and backports.zstd before ---

_NAME = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def zstd() -> ModuleType:
    """Return the module; an ImportError where it is not installed."""
    return importlib.import_module(_NAME)


def zip_module() -> ModuleType:
    """Return a module like `zipfile` that reads archives compressed with zstd, too."""
    return importlib.import_module(
        "zipfile" if sys.version_info >= (3, 14) else f"{_NAME}.zipfile"
    )


def opened(file: IO[bytes]) -> IO[bytes]:
    """Return what a zstd file holds, to be read."""
    content: IO[bytes] = zstd().ZstdFile(file)
    return content


def zstd_damage() -> type[Exception]:
    """Return what is raised where the data are damaged."""
    found: type[Exception] = zstd().ZstdError
    return found
