"""Plain text, one segment per line."""

from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath


def read_lines(path: FilePath) -> tuple[str, ...]:
    r"""Return the lines of a UTF-8 file, which may be compressed (gzip, xz, bzip2, zstd).

    Only ``\n`` and ``\r\n`` end a line. Other characters that Unicode counts as line ends
    (U+0085, U+2028, a lone ``\r``, form feeds) stand inside segments of real test sets;
    splitting there, as ``str.splitlines`` does, would shift every later line against the other
    files. A newline at the end of the file adds no line; a byte-order mark is taken off.

    Raises
    ------
    DataError
        If the file is missing, a folder, empty, damaged or not UTF-8.
    """
    return FileContent.of(path).lines
