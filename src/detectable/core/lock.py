"""A lock on an open file, which is gone with the process that holds it."""

import errno
import os

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
