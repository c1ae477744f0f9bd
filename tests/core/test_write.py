"""Files are written whole, and replace nothing that they must not."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.core.write import refuse_existing, write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("new", [False, True])
def test_content_is_written_as_it_stands(tmp_path: Path, new: bool) -> None:
    text, data = tmp_path / "a.txt", tmp_path / "b.bin"
    write_whole(text, "ä\r\n\n", new=new)
    write_whole(str(data), b"\xff\x00", new=new)
    assert text.read_bytes() == "ä\r\n\n".encode()
    assert data.read_bytes() == b"\xff\x00"
    assert names(tmp_path) == ["a.txt", "b.bin"]


def test_a_relative_name_is_written_where_we_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_whole("a.txt", "one")
    assert (tmp_path / "a.txt").read_text() == "one"


def test_a_file_is_replaced_unless_it_must_be_new(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_whole(path, "one\n", new=True)
    with pytest.raises(DataError, match=r"plan\.json exists already\. Choose another name\."):
        write_whole(path, "two\n", new=True)
    assert path.read_text() == "one\n"
    write_whole(path, "two\n")
    assert path.read_text() == "two\n"
    assert names(tmp_path) == ["plan.json"]


def test_the_remedy_is_the_caller_s(tmp_path: Path) -> None:
    path = tmp_path / "a"
    refuse_existing(path)
    path.touch()
    with pytest.raises(DataError, match=r"a exists already\. Add --force\."):
        refuse_existing(path, remedy="Add --force.")
    with pytest.raises(DataError, match=r"a exists already\. Add --force\."):
        write_whole(path, "", new=True, remedy="Add --force.")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_at_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    path, fsync, link = tmp_path / "plan.json", os.fsync, os.link

    def rival(handle: int) -> None:
        fsync(handle)
        path.write_text("rival")

    def no_links(*_: Any) -> None:
        raise PermissionError("the file system has none")

    monkeypatch.setattr(os, "fsync", rival)
    monkeypatch.setattr(os, "link", link if links else no_links)
    with pytest.raises(DataError, match="exists already"):
        write_whole(path, "ours", new=True)
    assert path.read_text() == "rival"
    assert names(tmp_path) == ["plan.json"]


def test_a_new_file_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise PermissionError("the file system has none")

    monkeypatch.setattr(os, "link", no_links)
    write_whole(tmp_path / "a", "one", new=True)
    assert (tmp_path / "a").read_text() == "one"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(DataError, match=r"a cannot be written: No space left on device\."):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_the_content_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noted(step: str) -> Any:
        own = getattr(os, step)

        def run(*arguments: Any) -> None:
            done.append(step)
            own(*arguments)

        return run

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, noted(step))
    write_whole(tmp_path / "a", "one")
    assert done == ["fsync", "replace", "fsync"]  # the content, its name, the folder


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written: No such file or directory"):
        write_whole(tmp_path / "no" / "plan.json", "x")


def test_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "ours", "", new=True)
    usual, ours = (stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("usual", "ours"))
    assert usual == ours
