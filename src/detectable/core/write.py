"""Files written whole or not at all.

A half-written table would be read as a small one, a half-written ledger as a broken one. So the
content goes to a temporary file beside the target, onto the disk, and then into place in one step.
Only ``os`` is used: this layer knows nothing of paths beyond their names.
"""

import contextlib
import os
from typing import TypeAlias

from detectable.core.errors import DataError

Target: TypeAlias = str | os.PathLike[str]
ANOTHER_NAME = "Choose another name."


def write_whole(
    path: Target, content: str | bytes, *, new: bool = False, remedy: str = ANOTHER_NAME
) -> None:
    """Write a file so that a crash leaves the old content or the new, and nothing between.

    Parameters
    ----------
    path : path
        The file.
    content : str or bytes
        All of it; text is written as UTF-8, and its line ends are kept.
    new : bool
        Refuse a file that exists, also one that appears at the same moment. Otherwise it is
        replaced.
    remedy : str
        What the message about an existing file advises.

    Raises
    ------
    DataError
        If the file exists and must be new, or cannot be written.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}")
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if new:
            refuse_existing(target, remedy=remedy)
        _write(temporary, data)
        (_put_new if new else os.replace)(temporary, target)
        _sync_folder(folder or os.curdir)
    except FileExistsError as error:
        raise DataError(_exists(target, remedy)) from error
    except OSError as error:
        raise DataError(f"{target} cannot be written: {error.strerror}.") from error
    finally:
        with contextlib.suppress(OSError):  # gone already, if all went well
            os.unlink(temporary)


def refuse_existing(path: Target, *, remedy: str = ANOTHER_NAME) -> None:
    """Refuse a file that exists: before hours of work, rather than after them."""
    if os.path.lexists(path):
        raise DataError(_exists(os.fspath(path), remedy))


def _exists(path: str, remedy: str) -> str:
    return f"{path} exists already. {remedy}"


def _write(path: str, data: bytes) -> None:
    """Write and sync a file that must not be there; its rights are those of any new file."""
    handle = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
    )
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _put_new(temporary: str, target: str) -> None:
    """Give a file its name, unless another has it: a rename alone would overwrite."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # a file system without links: take the name first
        os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o666))
        os.replace(temporary, target)


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
