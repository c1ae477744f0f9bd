"""Locks: held by one, given back, and said to be missing where there are none."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from detectable.core.write import Busy, CannotLock, lock


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
