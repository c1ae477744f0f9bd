"""Names of files that may be handed on."""

import os
from pathlib import Path

import pytest

import detectable
from detectable.data.files.inputs import shareable, shareable_word


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
