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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.core.write import write_whole

START = "start"  # what stands in place of a fingerprint before the first line
_PREVIOUS, _OWN = "previous", "fingerprint"


def fingerprint(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object, whatever the order of its keys.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a ledger, oldest first; none if there is no file yet.

    Raises
    ------
    DataError
        If the last line is torn, a line does not follow from the one before, or lines that were
        written are missing at the end.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        _require_known_end(path, [])
        return []
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
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
        if entry.get(_PREVIOUS) != previous or entry.get(_OWN) != _own(entry):
            raise DataError(
                f"{path}, line {number}: this entry was changed, or one before it is missing. A "
                "ledger is only ever added to; put back the copy that was written."
            )
        previous = entry[_OWN]
        entries.append(entry)
    _require_known_end(path, entries)
    return entries


def append_entry(
    path: Path, content: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Add one entry after `earlier`, the entries read under the same lock, and return it."""
    previous = earlier[-1][_OWN] if earlier else START
    entry = {**content, _PREVIOUS: previous}
    entry[_OWN] = _own(entry)
    text = "".join(
        json.dumps(old, ensure_ascii=False, allow_nan=False) + "\n" for old in (*earlier, entry)
    )
    write_whole(path, text)
    _note_end(path, len(earlier) + 1, entry[_OWN])
    return entry


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a ledger, or say that another process does.

    The lock belongs to the process and is gone with it, also when it is killed: the small file
    ``….lock`` that stays behind locks nothing by itself. It remembers the last line of the ledger.
    """
    lock = _lock_path(path)
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise DataError(f"{lock} cannot be written: {error.strerror}.") from error
    try:
        if not _take(handle):
            raise DataError(
                f"{path}: another process is looking at this plan now. Wait until it has "
                "finished, then look again."
            )
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _note_end(path: Path, number: int, own: str) -> None:
    """Remember the last line; the chain of fingerprints cannot tell that it was cut off."""
    with contextlib.suppress(OSError):
        _lock_path(path).write_text(f"{number} {own}\n", encoding="ascii")


def was_written(path: Path) -> bool:
    """Say whether a ledger is there, or is known to have been."""
    return path.exists() or _known_end(path)[0] > 0


def _known_end(path: Path) -> tuple[int, str]:
    """Return the number and the fingerprint of the last line that is known; (0, "") for none."""
    try:
        words = _lock_path(path).read_text(encoding="ascii").split()
        return int(words[0]), words[1]
    except (OSError, ValueError, IndexError):
        return 0, ""


def _require_known_end(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a ledger without a line that is known to have been written.

    The note is written after the ledger, so a crash between the two leaves it one line behind,
    which is no reason to refuse. Without a readable note there is nothing to compare.
    """
    number, own = _known_end(path)
    if number > len(entries) or (number > 0 and entries[number - 1][_OWN] != own):
        raise DataError(
            f"{path}: {number} entries were written and {len(entries)} of them are here. A ledger "
            "is only ever added to; put back the copy that was written."
        )


def _take(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return _take_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _take_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        os.lseek(handle, 1 << 16, os.SEEK_SET)  # beyond the text, which stays readable
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True


def _entry(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise DataError(
            f"{path}, line {number}: this is no JSON ({error}). Put back the copy that was "
            "written."
        ) from error
    if not isinstance(entry, dict):
        raise DataError(f"{path}, line {number}: expected an entry, found {line[:40]!r}.")
    return entry


def _own(entry: Mapping[str, Any]) -> str:
    return fingerprint({key: value for key, value in entry.items() if key != _OWN})
