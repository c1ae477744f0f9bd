"""Files that are read are noted while somebody asks for it."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

import detectable
from detectable.core.errors import DataError
from detectable.data.files import inputs as folder
from detectable.data.files.content import FileContent
from detectable.data.files.inputs import (
    InputFile,
    expand,
    files_below,
    is_folder,
    names_in,
    noted_inputs,
    shareable,
    shareable_word,
)
from detectable.data.files.ledger_file import append_entry, read_entries
from detectable.data.files.lines import read_lines
from tests.data.sample_files import fails


def test_what_is_read_is_noted_once_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"b.txt": b"one\ntwo\n", "a.txt": b"one\ntwo", "empty": b""}
    for name, text in texts.items():
        Path(name).write_bytes(text)
    with noted_inputs() as found:
        for name in texts:
            _ = FileContent(tmp_path / name).data
        read_lines("b.txt")
    assert list(found.values()) == [
        InputFile("b.txt", hashlib.sha256(b"one\ntwo\n").hexdigest(), 2),
        InputFile("a.txt", hashlib.sha256(b"one\ntwo").hexdigest(), 2),
        InputFile("empty", hashlib.sha256(b"").hexdigest(), 0),
    ]
    assert list(found) == [str(tmp_path / name) for name in texts]


def test_a_compressed_file_is_hashed_as_it_lies_on_the_disk(tmp_path: Path) -> None:
    packed = gzip.compress(b"one\ntwo\nthree\n")
    (tmp_path / "a.gz").write_bytes(packed)
    with noted_inputs() as found:
        read_lines(tmp_path / "a.gz")
    [noted] = found.values()
    assert noted.sha256 == hashlib.sha256(packed).hexdigest()
    assert noted.rows == 3


@pytest.mark.parametrize("start", [b"PAR1\n", b"PK\x03\x04\n"])
def test_what_has_no_lines_has_no_rows(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(start)
    with noted_inputs() as found:
        _ = FileContent(tmp_path / "x").data
    assert [file.rows for file in found.values()] == [None]


def test_a_ledger_is_an_input(tmp_path: Path) -> None:
    append_entry(tmp_path / "l.jsonl", {"a": 1}, ())
    with noted_inputs() as found:
        read_entries(tmp_path / "l.jsonl")
    assert [os.path.basename(name) for name in found] == ["l.jsonl"]


def test_nothing_is_noted_or_hashed_where_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    with noted_inputs() as found:
        pass
    monkeypatch.setattr("hashlib.sha256", None)  # whoever calls it fails
    assert read_lines(tmp_path / "a.txt") == ("one",)
    assert found == {}


# --- Names of files that may be handed on ---


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "anna" / "work"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "anna"))
    return folder


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a.txt", "a.txt"),
        ("./out/a.txt", "out/a.txt"),
        ("../data/a.txt", "../data/a.txt"),
        ("{here}/out/a.txt", "out/a.txt"),
        ("{here}/../data/a.txt", "../data/a.txt"),
        ("{here}/../../bob/a.txt", "a.txt"),  # above the home: nobody's business
        ("/somewhere/else/a.txt", "a.txt"),
        ("/dev/fd/63", "/dev/fd/63"),
        ("", ""),
    ],
)
def test_names_start_at_the_working_folder(given: str, expected: str, here: Path) -> None:
    assert shareable(given.format(here=here)) == expected


def test_two_corners_of_the_folder_for_temporary_files_do_not_name_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert shareable(tmp_path / "other" / "a.txt") == "a.txt"
    assert shareable("out/a.txt") == "out/a.txt"


def test_files_of_the_package_are_named_from_there() -> None:
    inside = Path(detectable.__file__).parent / "data" / "x.txt"
    assert shareable(inside) == "detectable/data/x.txt"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("--seed", "--seed"),
        ("--refs={here}/ref.txt", "--refs=ref.txt"),
        ("new={here}/a.txt,{here}/b*.txt", "new=a.txt,b*.txt"),
        ("a=b", "a=b"),
        (".25,.5,1", ".25,.5,1"),
        ("{here}/x.csv", "x.csv"),
        ("see /etc for it", "see /etc for it"),
        ("", ""),
    ],
)
def test_words_of_a_command(word: str, expected: str, here: Path) -> None:
    assert shareable_word(word.format(here=here)) == expected


def test_the_working_folder_itself(here: Path) -> None:
    assert shareable(here) == "."
    assert os.getcwd() == str(here)


def test_files_that_are_noted_within_are_noted_around_too(tmp_path: Path) -> None:
    first, second = tmp_path / "1.txt", tmp_path / "2.txt"
    for path in (first, second):
        path.write_text("x\n")
    with noted_inputs() as around:
        FileContent(first).data  # noqa: B018 (is read when it is asked for)
        with noted_inputs() as within:
            FileContent(second).data  # noqa: B018
    assert list(within) == [str(second)]
    assert list(around) == [str(first), str(second)]


# --- Folders, from empty ones to whole disks ---


def test_files_of_all_levels_in_order(tmp_path: Path) -> None:
    deep = tmp_path / "b" / "c" / "d"
    (deep / "e").mkdir(parents=True)
    wanted = [tmp_path / "a.x", tmp_path / "b" / "a.x", deep / "a.x"]
    for path in (*wanted, deep / "e" / "a.x", tmp_path / "a.y"):
        path.touch()
    for name in (tmp_path, f"{tmp_path}/"):
        assert files_below(name, "*.x") == wanted  # the fifth level is no data set


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "1.x").touch()
    assert files_below(tmp_path, "*.x") == [tmp_path / "a" / "1.x"]


def test_too_many_files_are_no_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder._MOST == 20_000  # as docs/security.md says
    monkeypatch.setattr(folder, "_MOST", 3)
    for number in range(3):
        (tmp_path / f"{number}.x").touch()
    assert len(files_below(tmp_path, "*.x")) == 3
    (tmp_path / "b").touch()
    with pytest.raises(DataError, match=r"more than 3 files in this folder.*Name the folder"):
        files_below(tmp_path, "*.x")


def test_a_whole_disk_is_given_up() -> None:
    with pytest.raises(DataError, match=r"files in this folder|cannot be read"):
        files_below("/", "*.xlsx")


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "scandir", closed)
    monkeypatch.setattr(os, "listdir", closed)
    for read in (lambda: files_below(tmp_path, "*.x"), lambda: names_in(tmp_path)):
        with pytest.raises(DataError, match="the folder cannot be read \\(Permission denied"):
            read()


def test_names_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.x")).touch()
    for read in (lambda: files_below(tmp_path, "*.x"), lambda: names_in(tmp_path)):
        with pytest.raises(DataError, match=r"'\\udcff\.x' is not UTF-8\. Rename it"):
            read()


def test_folders_that_are_none(tmp_path: Path) -> None:
    assert is_folder(tmp_path)
    assert not is_folder("a" * 5000)
    assert not is_folder("a\0b")
    assert names_in(tmp_path / "none") == []


# --- Files by a pattern ---


def test_a_pattern_stands_for_its_files_in_the_order_of_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("seed10.en", "seed2.en", "seed.en", "other.de", "a/b/seed1.en"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert expand("seed*.en") == ["seed2.en", "seed10.en", "seed.en"]
    assert expand("**/seed1.en") == ["a/b/seed1.en"]
    assert expand("none.en") == ["none.en"]  # a plain name is told about where it is opened
    with fails("none*: no file has such a name", f"starts at {Path.cwd()}"):
        expand("none*")


def test_a_file_that_is_called_like_a_pattern_is_meant(tmp_path: Path) -> None:
    for name in ("seed[1].en", "seed1.en"):
        (tmp_path / name).touch()
    assert expand(str(tmp_path / "seed[1].en")) == [str(tmp_path / "seed[1].en")]
