"""Plain text, one segment per line: held in memory, or read again whenever it is asked for."""

import codecs
import os
import stat
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import overload

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.data.files.content import FileContent, is_packed, split_lines
from detectable.data.files.inputs import Digest
from detectable.data.files.place import FilePath
from detectable.data.files.size_limit import refuse_larger


def read_lines(path: FilePath) -> tuple[str, ...]:
    r"""Return the lines of a UTF-8 file, which may be compressed (gzip, xz, bzip2, zstd).

    Only ``\n`` and ``\r\n`` end a line. Other characters that Unicode counts as line ends
    (U+0085, U+2028, a lone ``\r``, form feeds) stand inside segments of real test sets;
    splitting there, as ``str.splitlines`` does, would shift every later line against the other
    files. Only a file without any ``\n``, as old Macs wrote them, has lines that end in ``\r``. A
    newline at the end of the file adds no line; a byte-order mark is taken off.

    Raises
    ------
    DataError
        If the file is missing, a folder, empty, damaged or not UTF-8.
    """
    return FileContent.of(path).lines


# --- The lines of a large file, read again whenever they are asked for, and never all held ---

LARGE = 1 << 25  # bytes from which on lines are not held; does not change any answer
_STEP = 1 << 12  # lines that are read together
_CHUNK = 1 << 22  # bytes of the first pass
_MARK = codecs.BOM_UTF8
_NEWLINE = 10


class LongLines(Sequence[str]):
    r"""The lines of a UTF-8 file, as a sequence.

    A line of 100 letters takes 150 bytes as a string, and ten million of them more memory than most
    machines have. Here only the places of every 4,096th line are kept. Walking along the lines, and
    slices of them, are as fast as reading the file; single lines far from each other are not.

    Lines are those of `read_lines`: only ``\n`` and ``\r\n`` end one.
    """

    def __init__(self, path: FilePath, starts: IntArray, n_lines: int, found: os.stat_result):
        self._path = path
        self._file = os.path.abspath(path)  # the working folder may change before the next look
        self._starts = starts  # bytes before line 0, _STEP, 2 · _STEP … and in all
        self._n_lines = n_lines
        self._found = found.st_size, found.st_mtime_ns
        self._last: tuple[int, tuple[str, ...]] = (-1, ())

    @classmethod
    def of(cls, path: FilePath) -> "LongLines | None":
        """Return the lines of a large plain file; None of a small, packed or damaged one.

        What is wrong with a file is said by `read_lines`.
        """
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode) or found.st_size < LARGE:
                return None
            with open(path, "rb") as file:
                if is_packed(file.read(16)):
                    return None
        except (OSError, ValueError):
            return None
        refuse_larger(found.st_size, path)
        scanned = _scan(path)
        return None if scanned is None else cls(path, *scanned, found)

    def __len__(self) -> int:
        return self._n_lines

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(self._block, range(len(self._starts) - 1)))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return self.take(range(*index.indices(self._n_lines)))
        place = range(self._n_lines)[index]
        return self._near(place // _STEP)[place % _STEP]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LongLines | tuple):
            return NotImplemented
        if len(self) != len(other):
            return False
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as of lists: it would take a pass over the file

    def __repr__(self) -> str:
        return f"LongLines({str(self._path)!r}, {self._n_lines:,} lines)"

    def take(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the lines at these places, in this order; every part of the file is read once."""
        if isinstance(rows, range) and rows.step == 1 and len(rows):
            first, last = rows[0] // _STEP, rows[-1] // _STEP
            parts = [self._near(block) for block in range(first, last + 1)]
            lines = parts[0] if len(parts) == 1 else tuple(chain.from_iterable(parts))
            return lines[rows[0] - first * _STEP : rows[-1] + 1 - first * _STEP]
        found = {row: self._near(row // _STEP)[row % _STEP] for row in sorted(set(rows))}
        return tuple(found[row] for row in rows)

    def _near(self, block: int) -> tuple[str, ...]:
        """Return a block, which is likely to be asked for again."""
        if self._last[0] != block:
            self._last = block, self._block(block)
        return self._last[1]

    def _block(self, block: int) -> tuple[str, ...]:
        start, end = self._starts[block : block + 2].tolist()
        try:
            with open(self._file, "rb") as file:
                now = os.fstat(file.fileno())
                file.seek(start)
                text = file.read(end - start).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(
                f"{self._path}: the file cannot be read again ({error})."
            ) from error
        if (now.st_size, now.st_mtime_ns) != self._found:
            raise DataError(f"{self._path}: the file was changed while it was read. Run again.")
        return split_lines(text)


def _scan(path: FilePath) -> tuple[IntArray, int] | None:
    r"""Return where every 4,096th line begins, and the number of lines.

    None of what is not UTF-8, and of what has no ``\n``.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    digest = Digest(path)
    places: list[IntArray] = []
    n_ended, size, last = 0, 0, b""
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                return None
            digest.add(chunk)
            ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == _NEWLINE)
            # Line number j · _STEP begins after the end of the line before it.
            chosen = ends[(_STEP - 1 - n_ended) % _STEP :: _STEP]
            places.append(chosen + size + 1)
            n_ended += ends.size
            size += len(chunk)
            last = chunk
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    with open(path, "rb") as file:
        mark = len(_MARK) if file.read(len(_MARK)) == _MARK else 0
    if size == mark or not n_ended:  # empty, or of an old Mac: to be read as a whole
        return None
    open_end = not last.endswith(b"\n")
    starts = np.concatenate([[mark], *places, [size]]).astype(np.int64)
    if starts[-1] == starts[-2]:  # the last line ends a block, and the file
        starts = starts[:-1]
    n_lines = n_ended + open_end
    digest.note(n_lines)
    return starts, n_lines
