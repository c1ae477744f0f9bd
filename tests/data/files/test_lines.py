"""Lines of large files: the same as those of small ones, without holding them."""

import bz2
import gzip
import lzma
import os
import sys
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError
from detectable.data.files import lines as long_lines
from detectable.data.files.inputs import noted_inputs
from detectable.data.files.lines import LongLines, read_lines
from detectable.data.files.size_limit import size_limit
from tests.data.sample_files import write

pieces = st.sampled_from(
    ["a", "é", "𝄞", "\n", "\n", "\r\n", "\r", "\u2028", "\x85", " ", "\ufeff", "longer text"]
)


@pytest.fixture
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all files large, and their parts small."""
    monkeypatch.setattr(long_lines, "LARGE", 0)
    monkeypatch.setattr(long_lines, "_STEP", 3)
    monkeypatch.setattr(long_lines, "_CHUNK", 7)


def lines_of(path: Path) -> LongLines:
    found = LongLines.of(path)
    assert found is not None
    return found


@pytest.mark.usefixtures("every_file_is_large")
@given(st.lists(pieces, min_size=1, max_size=40).map("".join))
def test_the_lines_are_those_of_the_whole_file(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.txt"
        path.write_bytes(text.encode())
        found = LongLines.of(path)
        if "\n" not in text:
            assert found is None  # empty, or perhaps of an old Mac: read as a whole
            return
        assert found is not None
        expected = read_lines(path)
        assert tuple(found) == expected
        assert len(found) == len(expected)
        assert found == expected
        for start in range(len(expected) + 1):
            assert found[start : start + 4] == expected[start : start + 4]
            assert found[-start:] == expected[-start:]
        assert [found[i] for i in range(len(found))] == list(expected)
        assert [found[-i] for i in range(1, len(found) + 1)] == list(reversed(expected))
        assert found[::-2] == expected[::-2]


@pytest.mark.usefixtures("every_file_is_large")
def test_single_lines_come_in_the_order_asked_for(tmp_path: Path) -> None:
    found = lines_of(write(tmp_path, "x.txt", "".join(f"{i}\n" for i in range(20))))
    assert found.take([7, 2, 7, 19]) == ("7", "2", "7", "19")
    assert found.take([]) == ()
    with pytest.raises(IndexError):
        found[20]
    assert repr(found).endswith("x.txt', 20 lines)")


@pytest.mark.usefixtures("every_file_is_large")
def test_equal_lines_are_equal_whoever_holds_them(tmp_path: Path) -> None:
    one, same, other, longer = (
        lines_of(write(tmp_path, name, text))
        for name, text in (("a", "x\ny\n"), ("b", "x\r\ny"), ("c", "x\nz\n"), ("d", "x\ny\n\n"))
    )
    assert one == same
    assert one == ("x", "y")
    assert one != other
    assert one != longer
    assert one != ["x", "y"]


@pytest.mark.usefixtures("every_file_is_large")
def test_small_packed_and_damaged_files_are_left_to_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, latin, cut = (tmp_path / name for name in ("x.gz", "latin", "cut"))
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    latin.write_bytes(b"one\nd\xe9j\xe0 vu\n")
    cut.write_bytes("one\nnaïve é".encode()[:-1])
    for path in (packed, latin, cut, tmp_path, tmp_path / "none", Path(os.devnull)):
        assert LongLines.of(path) is None
    plain = write(tmp_path, "plain", "1234567\n")
    monkeypatch.setattr(long_lines, "LARGE", 8)
    assert LongLines.of(plain) is not None
    monkeypatch.setattr(long_lines, "LARGE", 9)
    assert LongLines.of(plain) is None


@pytest.mark.usefixtures("every_file_is_large")
def test_what_is_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", "one\ntwo\n")
    with size_limit("7B"), pytest.raises(DataError, match="more than 7 B"):
        LongLines.of(path)


@pytest.mark.usefixtures("every_file_is_large")
def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", "one\ntwo\nthree\nfour\n")
    found = lines_of(path)
    path.write_text("one\ntwo\nthree\nfive!\n")
    with pytest.raises(DataError, match=r"x\.txt: the file was changed while it was read"):
        tuple(found)
    path.unlink()
    with pytest.raises(DataError, match="cannot be read again"):
        found[3]


@pytest.mark.usefixtures("every_file_is_large")
def test_the_working_folder_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "x.txt", "one\ntwo\n")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    found = lines_of(Path("x.txt"))
    monkeypatch.chdir("other")
    assert tuple(found) == ("one", "two")


@pytest.mark.usefixtures("every_file_is_large")
@pytest.mark.parametrize("text", ["one\ntwo\n", "one\r\ntwo", "\ufeffone\n\n"])
def test_the_file_is_noted_as_any_other(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "x.txt", text)
    with noted_inputs() as whole:
        read_lines(path)
    with noted_inputs() as parts:
        lines_of(path)
    assert parts == whole


@pytest.mark.usefixtures("every_file_is_large")
def test_lines_are_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(long_lines, "LARGE", 0)
    path = tmp_path / "x.txt"
    path.write_text("".join(f"{'word ' * 20}{i}\n" for i in range(100_000)))
    tracemalloc.start()
    try:
        total = sum(len(line) for line in lines_of(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total > 10_000_000
    # Four times a read of 4 MB: its bytes, their comparison with line ends, the decoded text.
    assert peak < 4 * (1 << 22) + 1_000_000


# --- test_read_lines ---

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


# Without any newline, "\r" would be the line end of old Macs.
unended = lines_of_text.filter(lambda lines: lines[-1] != "").filter(
    lambda lines: len(lines) > 1 or "\r" not in lines[0]
)


@given(unended)
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


def test_lines_of_an_old_mac_end_in_carriage_returns(tmp_path: Path) -> None:
    old = tmp_path / "old.txt"
    old.write_bytes(b"one\rtwo\r\rfour\r")
    assert read_lines(old) == ("one", "two", "", "four")
    mixed = tmp_path / "mixed.txt"
    mixed.write_bytes(b"one\rtwo\nthree\n")  # where there is a newline, it ends the lines
    assert read_lines(mixed) == ("one\rtwo", "three")
