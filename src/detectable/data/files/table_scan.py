"""A table too large to be held, read some rows at a time: Parquet by a lazy scan, plain text by lines."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.core.errors import DataError
from detectable.data.files.content import FileContent, is_packed
from detectable.data.files.delimited import delimiter_of, plain_columns
from detectable.data.files.inputs import Digest
from detectable.data.files.parquet import PARQUET, described_parquet, unreadable_parquet
from detectable.data.files.place import FilePath
from detectable.data.files.table import Table

if TYPE_CHECKING:
    import polars as pl

LARGE = 1 << 26  # bytes of text from which on a table is scanned; no answer depends on it
LARGE_ROWS = 2_000_000  # of Parquet, which packs them well
_SMALL = 1 << 20  # bytes of Parquet that are not worth to ask how many rows they hold
_HEAD = 1000  # rows, or
_HEAD_BYTES = 1 << 20  # bytes, by which a format is recognised
_ROWS = 1 << 20  # that are read together
_CHUNK = 1 << 25  # bytes that are read together
_MARK = b"\xef\xbb\xbf"


class Unscannable(Exception):
    """Raised where rows turn out to need those before or behind them: the whole table is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableScan:
    """A large Parquet file, or CSV or TSV without quotation marks.

    Attributes
    ----------
    path : path
    names : tuple of str
        Of the columns.
    head : FileContent
        A file of the same columns with the first rows, to recognise the format by.
    delimiter : str
        Of text; empty for Parquet.
    """

    path: FilePath
    names: tuple[str, ...]
    head: FileContent
    delimiter: str = ""

    @classmethod
    def of(cls, path: FilePath, *, small: bool = False) -> "TableScan | None":
        """Return the scan of a large table; None of a small or packed one, or of another kind.

        What is wrong with a file is said by whoever reads it as a whole.

        Parameters
        ----------
        path : path
        small : bool
            Whether to scan small tables, too.
        """
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode) or not (small or found.st_size >= _SMALL):
                return None  # unopened: every file is opened once
            with open(path, "rb") as file:
                start = file.read(_HEAD_BYTES)
        except (OSError, ValueError):
            return None
        if start.startswith(PARQUET):
            large = found.st_size >= _SMALL and described_parquet(path) >= LARGE_ROWS
            return cls._parquet(path) if large or small else None
        if is_packed(start) or not (small or found.st_size >= LARGE):
            return None
        return cls._text(path, start)

    @classmethod
    def _parquet(cls, path: FilePath) -> "TableScan | None":
        import io

        import polars as pl

        try:
            head = pl.scan_parquet(path, glob=False).head(_HEAD).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise unreadable_parquet(path, str(error)) from None
        packed = io.BytesIO()
        head.write_parquet(packed)
        return cls(
            path=path,
            names=tuple(head.columns),
            head=FileContent.holding(path, packed.getvalue()),
        )

    @classmethod
    def _text(cls, path: FilePath, start: bytes) -> "TableScan | None":
        body = start[: start.rfind(b"\n") + 1]
        plain = body.removeprefix(_MARK).lstrip()
        if not plain or plain[:1] in (b"{", b"[") or b'"' in body or b"\0" in body:
            return None
        try:
            header = body.removeprefix(_MARK).split(b"\n", 1)[0].decode().removesuffix("\r")
            body.decode()
        except UnicodeDecodeError:
            return None
        delimiter = delimiter_of(path, header)
        names = tuple(header.split(delimiter))
        if len(names) < 2 or len(set(names)) < len(names):
            return None
        head = FileContent.holding(path, body)
        return cls(path=path, names=names, head=head, delimiter=delimiter)

    def batches(self, columns: Sequence[str]) -> Iterator[Table]:
        """Give the rows in their order, some at a time, with their lines; only these columns."""
        return self._text_batches(columns) if self.delimiter else self._parquet_batches(columns)

    def _parquet_batches(self, columns: Sequence[str]) -> Iterator[Table]:
        import polars as pl

        self._note_parquet()
        first = 1
        lazy = pl.scan_parquet(self.path, glob=False).select(columns)
        try:
            for frame in lazy.collect_batches(chunk_size=_ROWS, maintain_order=True):
                if frame.height:
                    yield self._batch({name: frame[name] for name in columns}, first, frame)
                first += frame.height
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise unreadable_parquet(self.path, str(error)) from None

    def _batch(
        self, columns: "dict[str, pl.Series]", first: int, frame: "pl.DataFrame"
    ) -> Table:
        lines = range(first, first + frame.height)
        return Table(path=str(self.path), columns=columns, lines=lines)

    def _note_parquet(self) -> None:
        digest = Digest(self.path)
        if not digest.asked:
            return
        with open(self.path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.add(chunk)
        digest.note(None)

    def _text_batches(self, columns: Sequence[str]) -> Iterator[Table]:
        digest, line, rest = Digest(self.path), 1, b""
        with open(self.path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.add(chunk)
                ended = chunk.rfind(b"\n") + 1
                if not ended:
                    rest += chunk
                    continue
                block, rest = rest + chunk[:ended], chunk[ended:]
                yield from self._rows(block, line, columns)
                line += block.count(b"\n")
        if rest:
            yield from self._rows(rest, line, columns)
        digest.note(line - 1 + bool(rest))

    def _rows(self, block: bytes, line: int, columns: Sequence[str]) -> Iterator[Table]:
        """Give the rows of some lines; `line` is the number of the first."""
        if b'"' in block:
            raise Unscannable
        try:
            block.decode()
        except UnicodeDecodeError:
            raise Unscannable from None
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        if line == 1:
            _, _, block = block.partition(b"\n")
            line = 2
        block = block.removesuffix(b"\n")
        if not block:
            return
        if block.startswith(b"\n") or b"\n\n" in block or block.endswith(b"\n"):
            raise Unscannable  # blank lines: at the end they are no rows
        found = plain_columns(self.path, self.names, block, self.delimiter, line=line)
        kept = {name: found[name] for name in columns}
        n_rows = len(kept[columns[0]])
        yield Table(path=str(self.path), columns=kept, lines=range(line, line + n_rows))


def refuse_to_scan(path: FilePath) -> DataError:
    """Return the error where a scan was asked for, and the table must be read as a whole."""
    return DataError(
        f"{path}: the table cannot be scanned. It must be Parquet, or CSV or TSV without quotation "
        "marks and blank lines, not packed, and hold judgments of systems' own output alone. Read it "
        "with read_judgments."
    )
