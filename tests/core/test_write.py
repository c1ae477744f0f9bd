"""Files are written whole, and replace nothing that they must not."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.core.write import (
    Busy,
    CannotLock,
    lock,
    refuse_existing,
    refuse_special,
    write_whole,
)


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


def noting(done: list[str], step: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes note before it does its work."""

    def noted(*arguments: Any) -> Any:
        done.append(step)
        return own(*arguments)

    return noted


def test_the_content_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, noting(done, step, getattr(os, step)))
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


# What stands there already


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])  # temporary files begin with the first
def test_a_file_that_is_replaced_keeps_its_rights(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


@pytest.mark.parametrize("before", [None, 0o644])
def test_what_is_private_is_so_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int | None
) -> None:
    path, opened, fsync = tmp_path / "links.csv", os.open, os.fsync
    made: list[int] = []
    seen: list[int] = []

    def making(file: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            made.append(mode)
        return opened(file, flags, mode)

    def look(handle: int) -> None:
        seen.extend(stat.S_IMODE(p.stat().st_mode) for p in tmp_path.glob(".detectable-*"))
        fsync(handle)

    if before is not None:
        path.write_text("old")
        path.chmod(before)
    monkeypatch.setattr(os, "open", making)
    monkeypatch.setattr(os, "fsync", look)
    umask = os.umask(0)
    try:
        write_whole(path, "secret", new=before is None, private=True)
    finally:
        os.umask(umask)
    assert (made, seen) == ([0o600], [0o600])
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("secret", 0o600)


def test_a_secret_is_at_no_moment_readable_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fsync = tmp_path / "a", os.fsync
    seen: list[int] = []

    def look(handle: int) -> None:
        seen.extend(stat.S_IMODE(p.stat().st_mode) for p in tmp_path.glob(".detectable-*"))
        fsync(handle)

    path.write_text("old")
    path.chmod(0o600)
    monkeypatch.setattr(os, "fsync", look)
    monkeypatch.setattr(os, "fchmod", lambda *_: None)
    write_whole(path, "new")
    assert seen == [0o600]


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    with pytest.raises(DataError, match="exists already"):
        write_whole(link, "newer", new=True)


@pytest.mark.parametrize("check", [write_whole, lambda path, _: refuse_special(path)])
def test_folders_devices_and_pipes_are_never_replaced(
    tmp_path: Path, check: Callable[[Path, str], None]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, what in [
        (pipe, "a device or a pipe"),
        (Path("/dev/null"), "a device or a pipe"),
        (tmp_path, "a folder"),
    ]:
        with pytest.raises(DataError, match=rf"cannot be written: it is {what}\. Name"):
            check(path, "x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_names_that_cannot_be(tmp_path: Path) -> None:
    write_whole(tmp_path / ("b" * 250), "x")  # the temporary file has a short name of its own
    with pytest.raises(DataError, match="cannot be written: File name too long"):
        write_whole(tmp_path / ("b" * 300), "x")
    with pytest.raises(DataError, match=r"cannot be written: (lstat: )?embedded null"):
        write_whole(f"{tmp_path}/a\0b", "x")
    with pytest.raises(DataError, match="cannot be written: 'utf-8' codec"):
        write_whole(tmp_path / "a", "\ud800")


# What a killed process left behind

LEFT = ".detectable-" + "0" * 32


def test_what_was_abandoned_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_text("half")
    (tmp_path / ".detectable-mine").write_text("")
    write_whole(tmp_path / "a", "x")
    assert names(tmp_path) == [".detectable-mine", "a"]


def test_what_another_process_still_writes_stays(tmp_path: Path) -> None:
    with (tmp_path / LEFT).open("w") as file:
        lock(file.fileno())
        write_whole(tmp_path / "a", "x")
        assert LEFT in names(tmp_path)
    write_whole(tmp_path / "a", "x")
    assert LEFT not in names(tmp_path)


def test_without_locks_age_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: Any, **__: Any) -> None:
        raise CannotLock

    monkeypatch.setattr("detectable.core.write.lock", no_locks)
    (tmp_path / LEFT).write_text("half")
    write_whole(tmp_path / "a", "x")
    assert LEFT in names(tmp_path)
    os.utime(tmp_path / LEFT, (0, 0))
    write_whole(tmp_path / "a", "x")
    assert names(tmp_path) == ["a"]


def test_a_temporary_file_that_was_taken_for_abandoned_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    def take(handle: int, **_: Any) -> None:
        if not taken:
            taken.extend(tmp_path.glob(".detectable-*"))
            taken[0].unlink()
        lock(handle)

    monkeypatch.setattr("detectable.core.write.lock", take)
    write_whole(tmp_path / "a", "x")
    assert (tmp_path / "a").read_text() == "x"
    assert len(taken) == 1


def test_without_links_a_kill_leaves_no_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: Any) -> None:
        raise PermissionError("the file system has none")

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "plan.json", "x", new=True)
    assert names(tmp_path) == []


# --- Locks: held by one, given back, and said to be missing where there are none ---


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT)


def test_one_at_a_time_until_it_is_closed(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "a"), opened(tmp_path / "a")
    lock(first)
    with pytest.raises(Busy):
        lock(second)
    os.close(first)
    lock(second)
    os.close(second)


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_told_from_a_lock_that_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def none(*_: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", none)
    with (tmp_path / "a").open("w") as file, pytest.raises(CannotLock, match=os.strerror(code)):
        lock(file.fileno())


def test_waiting_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(fcntl, "flock", lambda _, flags: asked.append(flags))
    lock(0)
    lock(0, wait=True)
    assert asked == [fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_EX]
