"""Small files that would be large."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import time
import tracemalloc
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


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda data: lzma.compress(data, preset=0), bz2.compress]
)
def test_what_unpacks_to_very_much_is_measured_before_it_is_read(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detectable.data.files.size_limit._CHUNK", 10**5)
    path = tmp_path / "a"
    path.write_bytes(pack(bytes(5 * 10**6)))
    assert FileContent(path).data == bytes(5 * 10**6)
    tracemalloc.start()
    try:
        with size_limit("4MB"), pytest.raises(DataError, match="more than 4 MB"):
            _ = FileContent(path).data
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * 10**6  # less than half of what it had unpacked by then


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(10**12)  # a hole: it takes no room
    start = time.process_time()
    with pytest.raises(DataError, match=r"a\.txt: the file holds more than 2 GB"):
        _ = FileContent(path).data
    assert time.process_time() - start < 1


@pytest.mark.slow
def test_eighteen_gigabytes_of_zeros_in_eighteen_megabytes(tmp_path: Path) -> None:
    """As the command sees it: refused within seconds, without filling the memory."""
    path = tmp_path / "bomb.csv.gz"
    part = gzip.compress(bytes(10**8))
    with path.open("wb") as file:
        for _ in range(180):  # gzip files one after the other are one gzip file
            file.write(part)
    assert path.stat().st_size < 20 * 10**6
    code = (
        "import resource, sys\n"
        "from click.testing import CliRunner\n"
        "from detectable.cli import main\n"
        "out = CliRunner().invoke(main, ['rank', sys.argv[1]])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(out.exit_code, used.ru_maxrss, used.ru_utime, out.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    exit_code, kilobytes, seconds, *said = done.stdout.split()
    assert exit_code == "1"
    assert "holds more than 2 GB once it is unpacked" in " ".join(said)
    assert int(kilobytes) < 500_000
    assert float(seconds) < 60


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
