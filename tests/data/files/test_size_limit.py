"""Small files that would be large."""

import bz2
import gzip
import io
import json
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
    MOST_COLUMNS,
    current_limit,
    parse_size,
    refuse_larger_zip,
    size_limit,
)
from detectable.data.files.table import read_table
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from detectable.study.doctor.recognise import recognise
from tests.helpers import spread


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


def test_a_bomb_of_zstd(tmp_path: Path) -> None:
    zstd = pytest.importorskip(
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    )
    path = tmp_path / "a.zst"
    path.write_bytes(zstd.compress(bytes(10_000_000)))
    with (
        size_limit("1MB"),
        pytest.raises(DataError, match=r"more than 1 MB once it is unpacked"),
    ):
        _ = FileContent(path).data


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


# --- Tables of very many columns, and lines without an end ---


def _peak(call: Callable[[], object]) -> int:
    """Return how many bytes Python took at most, while a call was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(DataError):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _wide(folder: Path, n: int, *, name: str = "w.csv", mark: str = "") -> Path:
    path = folder / name
    names = ",".join(f"{mark}s{i}{mark}" for i in range(n))
    path.write_text(f"{names}\n" + f"{','.join(['1'] * n)}\n" * 2)
    return path


@pytest.mark.parametrize("mark", ["", '"'])
def test_a_table_has_ten_thousand_columns_at_most(mark: str, tmp_path: Path) -> None:
    assert len(read_table(_wide(tmp_path, MOST_COLUMNS, mark=mark)).columns) == MOST_COLUMNS
    path = _wide(tmp_path, MOST_COLUMNS + 1, mark=mark)
    for read in (read_table, read_scores, read_judgments):
        with pytest.raises(
            DataError, match=r"w\.csv, line 1: .*10,001 columns; 10,000 at most"
        ):
            read(path)
    assert "10,001 columns; 10,000 at most" in recognise(path).about


@pytest.mark.parametrize("read", [read_table, read_scores, read_judgments])
def test_columns_are_counted_before_anything_is_made_of_them(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = _wide(tmp_path, 200_000)
    assert _peak(lambda: read(path)) < 20 * path.stat().st_size


def test_rows_of_json_have_ten_thousand_keys_together(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    rows = [{f"k{i}": 1 for i in range(row, row + 6000)} for row in (0, 6000)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    with pytest.raises(DataError, match=r"w\.jsonl: .*12,000 columns; 10,000 at most"):
        read_table(path)


@pytest.mark.parametrize(
    "text", spread(["one,", "one ", "one\t", "one", "10 ", '"one",', "{"], one_in=2)
)
@pytest.mark.parametrize("read", [read_scores, read_judgments])
def test_a_line_without_an_end_is_refused_with_little_memory(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    path.write_text(text * (2_000_000 // len(text)))
    # Bytes, text and a copy or two; a list of its words would take fifty times as much.
    assert _peak(lambda: read(path)) < 10 * path.stat().st_size


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
def test_values_nested_without_end_are_one_sentence(deep: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(deep)
    for read in (read_table, read_scores, read_judgments):
        with pytest.raises(DataError, match=r"deep\.json") as caught:
            read(path)
        assert len(str(caught.value)) < 3000
