"""Folders, from empty ones to whole disks."""

import os
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files import inputs as folder
from detectable.data.files.inputs import expand, files_below, is_folder, names_in
from tests.data.sample_files import fails


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
