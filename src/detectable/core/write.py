"""Files written whole or not at all.

A half-written table would be read as a small one, a half-written ledger as a broken one. So the
content goes to a temporary file beside the target, onto the disk, and then into place in one step.
What a killed process left behind is removed by the next one that writes there. Only ``os`` is
used: this layer knows nothing of paths beyond their names.
"""

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from detectable.core.errors import DataError

Target: TypeAlias = str | os.PathLike[str]
ANOTHER_NAME = "Choose another name."
_TEMPORARY = re.compile(r"\.detectable-[0-9a-f]{32}")
_ABANDONED = 3600.0  # seconds after which a temporary file that cannot be locked is left over


def write_whole(
    path: Target,
    content: str | bytes | Iterable[str | bytes],
    *,
    new: bool = False,
    private: bool = False,
    remedy: str = ANOTHER_NAME,
) -> None:
    """Write a file so that a crash leaves the old content or the new, and nothing between.

    A file that is replaced keeps its rights. A symbolic link stays: the file that it points to is
    replaced. What is no ordinary file (a folder, a device, a pipe) is refused.

    Parameters
    ----------
    path : path
        The file.
    content : str or bytes, or an iterable of them
        All of it, or piece by piece; text is written as UTF-8, and its line ends are kept.
    new : bool
        Refuse a file that exists, also one that appears at the same moment. Otherwise it is
        replaced.
    private : bool
        Nobody but its owner may read it, at no moment; even where another file is replaced.
    remedy : str
        What the message about an existing file advises.

    Raises
    ------
    DataError
        If the file exists and must be new, or cannot be written.
    """
    name = os.fspath(path)
    try:
        pieces = (content,) if isinstance(content, str | bytes) else content
        if new:
            refuse_existing(name, remedy=remedy)
            target, old = name, None
        else:
            refuse_special(name)
            target = os.path.realpath(name)
            old = os.stat(target) if os.path.exists(target) else None
        folder = os.path.dirname(target) or os.curdir
        _remove_abandoned(folder)
        with _temporary(folder, pieces, old, private=private) as temporary:
            (_put_new if new else os.replace)(temporary, target)
        _sync_folder(folder)
    except FileExistsError as error:
        raise DataError(_exists(name, remedy)) from error
    except OSError as error:
        raise DataError(f"{name} cannot be written: {error.strerror}.") from error
    except DataError:
        raise
    except ValueError as error:  # a name with a null byte, a text with half a character
        raise DataError(f"{name!r} cannot be written: {error}.") from error


def refuse_existing(path: Target, *, remedy: str = ANOTHER_NAME) -> None:
    """Refuse a file that exists: before hours of work, rather than after them."""
    if os.path.lexists(path):
        raise DataError(_exists(os.fspath(path), remedy))


def refuse_special(path: Target) -> None:
    """Refuse a folder, a device or a pipe, which a file must never replace."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # not there, or not to be had: writing will say why
        return
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise DataError(
            f"{os.fspath(path)} cannot be written: it is {what}. Name an ordinary file."
        )


def _exists(path: str, remedy: str) -> str:
    return f"{path} exists already. {remedy}"


@contextlib.contextmanager
def _temporary(
    folder: str, pieces: Iterable[str | bytes], old: os.stat_result | None, *, private: bool
) -> Iterator[str]:
    """Give the name of a synced temporary file, which nobody takes for an abandoned one."""
    path, handle = _claimed(folder, 0o666 if old is None and not private else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:  # open, so locked, until it is in place
            for piece in pieces:
                file.write(piece.encode("utf-8") if isinstance(piece, str) else piece)
            file.flush()
            if old is not None and not private:
                _keep_rights(file.fileno(), old)
            os.fsync(file.fileno())
            if os.name == "nt":  # which cannot rename a file that is open
                file.close()
            yield path
    finally:
        with contextlib.suppress(OSError):  # gone already, if all went well
            os.unlink(path)


def _claimed(folder: str, mode: int) -> tuple[str, int]:
    """Return the name of a new temporary file and its handle, with a lock where there are locks."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = os.path.join(folder, f".detectable-{os.urandom(16).hex()}")
        handle = os.open(path, flags, mode)
        with contextlib.suppress(Busy, CannotLock):
            lock(handle)
        # Between its making and the lock another process may have taken it for abandoned.
        if os.name == "nt" or os.fstat(handle).st_nlink:
            return path, handle
        os.close(handle)


def _keep_rights(handle: int, old: os.stat_result) -> None:
    if not hasattr(os, "fchmod"):  # Windows
        return
    with contextlib.suppress(OSError):  # only root may give files away
        os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _remove_abandoned(folder: str) -> None:
    """Remove the temporary files of processes that were killed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if _TEMPORARY.fullmatch(entry.name)]
        for path in left:
            with contextlib.suppress(OSError):  # of another user, or gone meanwhile
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: str) -> None:
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if not _is_abandoned(handle):
            return
        if os.name != "nt":  # which cannot remove a file that is open
            os.unlink(path)
    finally:
        os.close(handle)
    if os.name == "nt":
        os.unlink(path)


def _is_abandoned(handle: int) -> bool:
    try:
        lock(handle)
    except Busy:
        return False
    except CannotLock:
        return time.time() - os.fstat(handle).st_mtime > _ABANDONED
    return True


def _put_new(temporary: str, target: str) -> None:
    """Give a file its name, unless another has it: a rename alone would overwrite."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without links
        with _turn(os.path.dirname(target) or os.curdir):
            # Never an empty file that holds the name: a kill would leave it there for good.
            if os.path.lexists(target):
                raise FileExistsError(target) from None
            os.rename(temporary, target)


@contextlib.contextmanager
def _turn(folder: str) -> Iterator[None]:
    """Let processes that make new files in a folder without links take turns, where they can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open a folder; its rename refuses what exists
        yield
        return
    try:
        with contextlib.suppress(CannotLock):
            lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _sync_folder(folder: str) -> None:
    """Make the new name itself survive a power cut, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open a folder
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- A lock on an open file, which is gone with the process that holds it ---

_HELD = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)


class Busy(Exception):
    """Another process holds the lock."""


class CannotLock(Exception):
    """The file system has no locks."""


def lock(handle: int, *, wait: bool = False) -> None:
    """Take the lock of an open file; closing it gives the lock back.

    Raises
    ------
    Busy
        If another process has it, unless asked to wait.
    CannotLock
        If there are no locks where the file lies, as on some network file systems.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        _lock_on_windows(handle)
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _HELD:
            raise Busy from error
        raise CannotLock(error.strerror) from error


def _lock_on_windows(handle: int) -> None:
    import msvcrt

    try:
        os.lseek(handle, 1 << 16, os.SEEK_SET)  # beyond the text, which stays readable
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError as error:
        raise Busy from error
    finally:
        os.lseek(handle, 0, os.SEEK_SET)
