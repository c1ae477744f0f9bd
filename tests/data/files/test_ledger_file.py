"""The append-only file: chained, whole after a crash, one writer at a time."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.files.ledger_file import (
    START,
    append_entry,
    fingerprint,
    locked,
    read_entries,
)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "a.ledger.jsonl"
    for number in (1, 2, 3):
        append_entry(path, {"look": number, "ä": 0.1}, read_entries(path))
    return path


def test_entries_come_back_in_a_chain(ledger: Path) -> None:
    entries = read_entries(ledger)
    assert [e["look"] for e in entries] == [1, 2, 3]
    assert [e["previous"] for e in entries] == [
        START,
        *(e["fingerprint"] for e in entries[:-1]),
    ]
    assert entries[0]["ä"] == 0.1
    assert read_entries(ledger.with_name("none")) == []


def test_appending_leaves_the_earlier_lines_as_they_were(ledger: Path) -> None:
    before = ledger.read_bytes()
    append_entry(ledger, {"look": 4}, read_entries(ledger))
    assert ledger.read_bytes().startswith(before)


def test_a_changed_line_is_found(ledger: Path) -> None:
    ledger.write_text(ledger.read_text().replace('"look": 2', '"look": 7'))
    with pytest.raises(DataError, match="line 2: this entry was changed, or one before"):
        read_entries(ledger)


@pytest.mark.parametrize(("removed", "message"), [
    (0, "line 1: this entry was changed, or one before it is missing"),
    (1, "line 2: this entry was changed, or one before it is missing"),
    (2, "3 entries were written and 2 of them are here"),
])  # fmt: skip
def test_a_removed_line_is_found(ledger: Path, removed: int, message: str) -> None:
    lines = ledger.read_text().splitlines(keepends=True)
    del lines[removed]
    ledger.write_text("".join(lines))
    with pytest.raises(DataError, match=message):
        read_entries(ledger)


def test_a_removed_ledger_is_found(ledger: Path) -> None:
    ledger.unlink()
    with pytest.raises(DataError, match="3 entries were written and 0 of them are here"):
        read_entries(ledger)


def test_swapped_lines_are_found(ledger: Path) -> None:
    one, two, three = ledger.read_text().splitlines(keepends=True)
    ledger.write_text(two + one + three)
    with pytest.raises(DataError, match="line 1"):
        read_entries(ledger)


@pytest.mark.parametrize("cut", [1, 20])
def test_a_torn_last_line_is_reported(ledger: Path, cut: int) -> None:
    ledger.write_bytes(ledger.read_bytes()[:-cut])
    with pytest.raises(DataError, match=r"line 3: the last line is torn.*Remove that line"):
        read_entries(ledger)


def test_a_torn_line_after_all_that_was_written_can_be_removed(ledger: Path) -> None:
    whole = ledger.read_bytes()
    ledger.write_bytes(whole + b'{"look": 4, "ti')
    with pytest.raises(DataError, match="line 4: the last line is torn"):
        read_entries(ledger)
    ledger.write_bytes(whole)
    assert len(read_entries(ledger)) == 3


@pytest.mark.parametrize(("line", "message"), [
    (b"not json\n", "line 4: this is no JSON"),
    (b"[1, 2]\n", "line 4: expected an entry"),
    (b"\n", "line 4: this is no JSON"),
])  # fmt: skip
def test_a_line_that_is_no_entry(ledger: Path, line: bytes, message: str) -> None:
    ledger.write_bytes(ledger.read_bytes() + line)
    with pytest.raises(DataError, match=message):
        read_entries(ledger)


def test_a_note_that_is_behind_or_unreadable_is_no_reason_to_refuse(ledger: Path) -> None:
    note = ledger.with_name(f"{ledger.name}.lock")
    entries = read_entries(ledger)
    note.write_text(f"2 {entries[1]['fingerprint']}\n")  # a crash came before the note
    assert len(read_entries(ledger)) == 3
    note.write_text("half")
    assert len(read_entries(ledger)) == 3
    note.unlink()
    assert len(read_entries(ledger)) == 3


def test_what_json_cannot_hold_is_not_written(ledger: Path) -> None:
    before = ledger.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        append_entry(ledger, {"z": float("nan")}, read_entries(ledger))
    assert ledger.read_bytes() == before


def test_the_fingerprint_is_sha_256_of_sorted_json() -> None:
    import hashlib

    text = json.dumps({"a": 1, "b": "ä"}, sort_keys=True, separators=(",", ":"))
    assert fingerprint({"b": "ä", "a": 1}) == hashlib.sha256(text.encode()).hexdigest()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger.jsonl"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(
                """
                import sys
                from pathlib import Path
                from detectable.data.files.ledger_file import locked
                with locked(Path(sys.argv[1])):
                    print("held", flush=True)
                    sys.stdin.read()
                """
            ),
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with (
            pytest.raises(DataError, match="another process is looking at this plan now"),
            locked(path),
        ):
            pytest.fail("two processes hold the lock")
        os.kill(holder.pid, signal.SIGKILL)  # a killed process gives its lock back
        holder.wait()
        with locked(path):
            pass
    finally:
        holder.kill()
        holder.communicate()
