"""Small files that would be large."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.files.size_limit import (
    current_limit,
    parse_size,
    refuse_larger_zip,
    size_limit,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("500MB", 5 * 10**8), ("8GB", 8 * 10**9), ("1.5 kB", 1500), ("2T", 2 * 10**12)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1GB", "GB", "1e9", "1XB", "9" * 40, "٣GB"])
def test_no_sizes(text: str) -> None:
    with pytest.raises(InputError, match="`size` must be a number of bytes such as 500MB"):
        parse_size(text)


def test_the_limit_holds_inside_and_is_two_gigabytes_elsewhere() -> None:
    assert current_limit() == 2 * 10**9
    with size_limit("1kB"):
        assert current_limit() == 1000
    assert current_limit() == 2 * 10**9


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_a_file_is_refused_beyond_the_limit_and_not_at_it(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(b"a" * 1000))
    with size_limit("1kB"):
        assert FileContent(path).data == b"a" * 1000
    path.write_bytes(pack(b"a" * 1001))
    message = r"a: the file holds more than 1 kB once it is unpacked.*--max-size 8GB"
    with size_limit("1kB"), pytest.raises(DataError, match=message):
        _ = FileContent(path).data
    assert FileContent(path).data == b"a" * 1001


def test_a_bomb_is_not_unpacked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = tmp_path / "a.gz", []
    path.write_bytes(gzip.compress(bytes(10**8)))
    own = gzip.GzipFile.read

    def counted(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        found = own(self, size)
        read.append(len(found))
        return found

    monkeypatch.setattr(gzip.GzipFile, "read", counted)
    with size_limit("20MB"), pytest.raises(DataError, match="more than 20 MB"):
        _ = FileContent(path).data
    assert 2 * 10**7 < sum(read) < 4 * 10**7


def test_a_parquet_file_of_a_billion_equal_cells(tmp_path: Path) -> None:
    import polars as pl

    out = io.BytesIO()
    pl.DataFrame({"score": pl.repeat(1, 10**6, eager=True)}).write_parquet(out)
    path = tmp_path / "a.parquet"
    path.write_bytes(out.getvalue())
    assert path.stat().st_size < 10**5
    with size_limit("1MB"), pytest.raises(DataError, match="more than 1 MB once"):
        _ = FileContent(path).parquet_columns
    assert FileContent(path).parquet_columns == {"score"}


def test_an_archive_says_how_large_it_is() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(600))
        archive.writestr("b", bytes(600))
    refuse_larger_zip(out.getvalue(), "a.xlsx")
    with (
        size_limit("1kB"),
        pytest.raises(DataError, match=r"a\.xlsx: the file holds more than 1 kB"),
    ):
        refuse_larger_zip(out.getvalue(), "a.xlsx")
    refuse_larger_zip(b"PK\x03\x04 damaged", "a.xlsx")  # for its reader to refuse
