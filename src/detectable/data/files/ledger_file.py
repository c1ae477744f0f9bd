"""A file to which lines are only ever added, one process at a time.

Each line is a JSON object that carries the fingerprint of the line before it, so a line that was
changed, removed or moved is found. A new line is written together with all earlier ones to a
temporary file, which is then put in place in one step: a crash leaves the old file or the new
one, never half a line.
"""

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from detectable.core.errors import BusyError, DataError
from detectable.core.write import Busy, CannotLock, lock, write_whole
from detectable.data.files.inputs import note_input
from detectable.data.files.json_value import NotJson, json_value
from detectable.data.files.place import quote

START = "start"  # what stands in place of a fingerprint before the first line
_PREVIOUS, _OWN = "previous", "fingerprint"
_NOTE = re.compile(r"([0-9]{1,9}) ([0-9a-f]{64})\s")
_ADDED = "A ledger is only ever added to; put back the copy that was written."
_TRIES, _PAUSE = 20, 0.05  # a reader who meets a writer half-way looks again for a second


def fingerprint(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object, whatever the order of its keys.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def fits(content: Mapping[str, Any], stamp: object) -> bool:
    """Say whether a content has a fingerprint; one that JSON cannot hold (NaN) never has."""
    try:
        return stamp == fingerprint(content)
    except (ValueError, RecursionError):
        return False


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a ledger, oldest first; none if there is no file yet.

    It can be read while another process writes: the end that must be there is asked for before
    the ledger, so a line that comes in between is one more than needed, and never one too few.

    Raises
    ------
    DataError
        If the last line is torn, a line does not follow from the one before, lines that were
        written are missing at the end, or the note of the last one is damaged.
    """
    for _ in range(_TRIES - 1):
        try:
            return _up_to_its_end(path)
        except _UnfittingNoteError:
            time.sleep(_PAUSE)  # it was perhaps read while it was being written
    return _up_to_its_end(path)


class _UnfittingNoteError(DataError):
    """The note of the last line is no note, or that of another line."""


def _up_to_its_end(path: Path) -> list[dict[str, Any]]:
    number, own = end = _known_end(path)
    entries = _chained(path)
    if _holds(entries, end):
        return entries
    gone = number - len(entries)
    if gone > 0:
        raise _UnfittingNoteError(
            f"{path}: {gone} of {number} written entries {'is' if gone == 1 else 'are'} missing at "
            f"the end. {_ADDED}"
        )
    raise _UnfittingNoteError(
        f"{path}, line {number}: this is not the entry that was written: {_lock_path(path)} "
        f"remembers another ({own[:12]}…). {_ADDED}"
    )


def _chained(path: Path) -> list[dict[str, Any]]:
    """Return the entries that follow from each other, or say which one does not."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read ({error}).") from error
    note_input(path, data, data)
    *lines, rest = data.split(b"\n")
    if rest:
        raise DataError(
            f"{path}, line {len(lines) + 1}: the last line is torn: it has no end. Whatever wrote "
            f"it did not finish. Remove that line; the {len(lines)} before it are checked one by "
            "one and remain valid."
        )
    entries: list[dict[str, Any]] = []
    previous = START
    for number, line in enumerate(lines, start=1):
        entry = _entry(path, number, line)
        if entry.get(_PREVIOUS) != previous or not fits(_without_own(entry), entry.get(_OWN)):
            raise DataError(
                f"{path}, line {number}: this entry was changed, or one before it is missing. "
                f"{_ADDED}"
            )
        previous = entry[_OWN]
        entries.append(entry)
    return entries


def begin(path: Path, content: Mapping[str, Any]) -> None:
    """Write the first entry in place of whatever stands there; its end is forgotten before that."""
    _forget_end(path)
    append_entry(path, content, ())


def withdraw(path: Path) -> None:
    """Take back a ledger that was begun, and the note of its end before it."""
    _forget_end(path)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def append_entry(
    path: Path, content: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Add one entry after `earlier`, the entries read under the same lock, and return it."""
    previous = earlier[-1][_OWN] if earlier else START
    entry = {**content, _PREVIOUS: previous}
    entry[_OWN] = fingerprint(_without_own(entry))
    text = "".join(
        json.dumps(old, ensure_ascii=False, allow_nan=False) + "\n" for old in (*earlier, entry)
    )
    write_whole(path, text)
    _note_end(path, len(earlier) + 1, entry[_OWN])
    return entry


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a ledger; say that another process does, or wait for it.

    The lock belongs to the process and is gone with it, also when it is killed: the small file
    ``….lock`` that stays behind locks nothing by itself. It remembers the last line of the ledger.
    """
    file = _lock_path(path)
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise DataError(f"{file} cannot be written: {error.strerror}.") from error
    except ValueError as error:  # a name with a null byte
        raise DataError(f"{str(file)!r} cannot be written: {error}.") from error
    try:
        _take(path, handle, wait=wait)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _take(path: Path, handle: int, *, wait: bool) -> None:
    try:
        lock(handle, wait=wait)
    except Busy as error:
        raise BusyError(
            f"{path}: another process is looking at this plan now. Wait until it has "
            "finished, then look again."
        ) from error
    except CannotLock as error:
        raise DataError(
            f"{path}: the file system there cannot lock files ({error}), so two looks at once "
            "could not be distinguished. Move the plan and its ledger to a local disk."
        ) from error


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _note_end(path: Path, number: int, own: str) -> None:
    """Remember the last line; the chain of fingerprints cannot tell that it was cut off."""
    with contextlib.suppress(OSError):
        _lock_path(path).write_text(f"{number} {own}\n", encoding="ascii")


def _forget_end(path: Path) -> None:
    with contextlib.suppress(OSError):
        _lock_path(path).write_text("", encoding="ascii")


def left_entries(path: Path) -> list[dict[str, Any]] | None:
    """Return the entries under a name that may be taken anew; None if some are known to be gone."""
    entries = _chained(path)
    return entries if _holds(entries, _known_end(path)) else None


def _known_end(path: Path) -> tuple[int, str]:
    """Return the number and the fingerprint of the last line that is known; (0, "") for none.

    An empty note says nothing: whoever wrote it was stopped. One that is damaged would hide lines
    that are gone, and is refused.
    """
    note = _lock_path(path)
    try:
        text = note.read_bytes().decode("ascii", "replace")
    except FileNotFoundError:
        return 0, ""
    except (OSError, ValueError) as error:
        raise DataError(f"{note} cannot be read ({error}).") from error
    if not text:
        return 0, ""
    found = _NOTE.fullmatch(text)
    if found is None:
        raise _UnfittingNoteError(
            f"{note}: this is not what was written: number and fingerprint of the last line of "
            f"{path.name}, found {quote(text)}. Put back the copy that was written. Where there is "
            "none, see that no line is missing from the ledger, and delete it: a new one is made."
        )
    return int(found[1]), found[2]


def _holds(entries: Sequence[Mapping[str, Any]], end: tuple[int, str]) -> bool:
    """Say whether a ledger has the line that is known to have been written.

    The note is written after the ledger, so a crash between the two leaves it one line behind,
    which is no reason to refuse. Without a note there is nothing to compare.
    """
    number, own = end
    return number == 0 or (number <= len(entries) and entries[number - 1][_OWN] == own)


def _entry(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = json_value(line.decode())
    except (NotJson, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}, line {number}: this is no JSON ({error}). Put back the copy that was "
            "written."
        ) from error
    if not isinstance(entry, dict):
        raise DataError(f"{path}, line {number}: expected an entry, found {line[:40]!r}.")
    return entry


def _without_own(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != _OWN}
