import bz2
import gzip
import lzma
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError
from detectable.data.files.lines import read_lines
from tests.data.sample_files import write

ODD = "a\x85b\u2028c\u2029d\x0be\x0cf\x1cg\rh"  # all of them line ends to str.splitlines

lines_of_text = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\n"), max_size=20
    ).filter(lambda line: not line.endswith("\r")),
    min_size=1,
    max_size=10,
)  # fmt: skip


def survives(lines: list[str], ending: str, final: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), "x.txt", "\ufeff" + ending.join(lines) + final)
        assert read_lines(path) == tuple(lines)


@given(lines_of_text, st.sampled_from(["\n", "\r\n"]))
def test_any_lines_survive_with_their_numbers(lines: list[str], ending: str) -> None:
    survives(lines, ending, ending)


@given(lines_of_text.filter(lambda lines: lines[-1] != ""))
def test_a_final_newline_is_not_needed(lines: list[str]) -> None:
    survives(lines, "\n", "")


def test_only_newlines_end_a_line(tmp_path: Path) -> None:
    assert len(ODD.splitlines()) == 8
    assert read_lines(write(tmp_path, "x", f"{ODD}\r\nsecond\n\n")) == (ODD, "second", "")


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed_files_are_told_by_their_content(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    path = write(tmp_path, "x.txt", compress("eins\nzwölf\n".encode()))
    assert read_lines(path) == ("eins", "zwölf")


def test_a_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, "x", b"\xef\xbb\xbfone\n")) == ("one",)


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    for name, content in (("a.txt", b""), ("b.txt", b"\xef\xbb\xbf")):
        with pytest.raises(DataError, match=rf"{name}: the file is empty\. Give a file"):
            read_lines(write(tmp_path, name, content))


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.txt: there is no such file\. Check the name"):
        read_lines(tmp_path / "none.txt")
    with pytest.raises(DataError, match=r"this is a folder\. Name a file in it"):
        read_lines(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_lines("a\x00b")


def test_a_byte_that_is_not_text_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "latin1.txt", "eins\nzw\xf6lf\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin1\.txt, line 2: byte 0xf6 at position 3 is not"):
        read_lines(path)


def test_utf16_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x: the file is UTF-16\. Convert it to UTF-8"):
        read_lines(write(tmp_path, "x", "eins\n".encode("utf-16")))


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_a_damaged_archive_is_named(tmp_path: Path, compress: object) -> None:
    assert callable(compress)
    path = write(tmp_path, "x.gz", compress(b"one\n" * 100)[:-9])
    with pytest.raises(DataError, match=r"x\.gz: the compressed file is damaged or cut short"):
        read_lines(path)


def test_zstd_is_read_and_its_damage_named(tmp_path: Path) -> None:
    zstd = pytest.importorskip(
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    )
    packed = zstd.compress(b"one\n" * 100)
    assert read_lines(write(tmp_path, "x.zst", packed)) == ("one",) * 100
    for damaged in (packed[:-4], packed[:6] + b"\xff" * 6 + packed[12:]):
        with pytest.raises(DataError, match=r"y\.zst: the compressed file is damaged or cut"):
            read_lines(write(tmp_path, "y.zst", damaged))


def test_zstd_names_the_package_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DataError, match=r"x\.zst: zstd files need backports\.zstd before"):
        read_lines(write(tmp_path, "x.zst", b"\x28\xb5\x2f\xfd rest"))
