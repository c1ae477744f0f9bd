"""The content of a file, decompressed and decoded; every failure is a DataError."""

import bz2
import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath, place

# The first bytes decide, not the name: none of these can begin a UTF-8 text, and a browser
# that decompresses a download often leaves the old name on it.
_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_BZIP2 = b"1AY&SY"  # after "BZh" and one digit
_ZSTD = b"\x28\xb5\x2f\xfd"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(path: FilePath) -> bytes:
    """Return the bytes of a file, decompressed if it is gzip, xz, bzip2 or zstd."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: there is no such file. Check the name; a relative name starts at "
            f"{Path.cwd()}."
        ) from error
    except IsADirectoryError as error:
        raise DataError(f"{path}: this is a folder. Name a file in it.") from error
    except (OSError, ValueError) as error:  # no permission, a name with a null byte
        raise DataError(f"{path}: the file cannot be read ({error}).") from error
    decompress = _decompressor(data)
    if decompress is None:
        return data
    try:
        return decompress(data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise DataError(
            f"{path}: the compressed file is damaged or cut short ({error}). Copy it again."
        ) from error
    except ImportError as error:
        raise DataError(
            f"{path}: zstd files can be read from Python 3.14 on. Decompress it first (zstd -d)."
        ) from error


def read_text(path: FilePath) -> str:
    """Return the text of a UTF-8 file without byte-order mark."""
    return decode_text(read_bytes(path), path)


def decode_text(data: bytes, path: FilePath) -> str:
    """Return the text of bytes that were read from a file."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise DataError(_undecodable(path, data, error)) from error


def _decompressor(data: bytes) -> Callable[[bytes], bytes] | None:
    if data.startswith(_GZIP):
        return gzip.decompress
    if data.startswith(_XZ):
        return lzma.decompress
    if data.startswith(b"BZh") and data[4:10] == _BZIP2:
        return bz2.decompress
    return _unzstd if data.startswith(_ZSTD) else None


def _unzstd(data: bytes) -> bytes:
    content: bytes = importlib.import_module("compression.zstd").decompress(data)
    return content


def _undecodable(path: FilePath, data: bytes, error: UnicodeDecodeError) -> str:
    if data.startswith(_UTF16):
        return f"{path}: the file is UTF-16. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)."
    line = data.count(b"\n", 0, error.start) + 1
    offset = error.start - (data.rfind(b"\n", 0, error.start) + 1)
    return (
        f"{place(path, line)}: byte 0x{data[error.start]:02x} at position {offset + 1} is not "
        "UTF-8. Convert the file to UTF-8, for example with iconv."
    )
