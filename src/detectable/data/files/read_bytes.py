"""The content of a file, decompressed and decoded; every failure is a DataError."""

from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath


def read_bytes(path: FilePath) -> bytes:
    """Return the bytes of a file, decompressed if it is gzip, xz, bzip2 or zstd."""
    return FileContent.of(path).data


def read_text(path: FilePath) -> str:
    """Return the text of a UTF-8 file without byte-order mark."""
    return FileContent.of(path).text
