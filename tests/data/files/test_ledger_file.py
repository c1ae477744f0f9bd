"""The append-only file: chained, whole after a crash, one writer at a time."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.files.ledger_file import (
    START,
    append_entry,
    begin,
    fingerprint,
    left_entries,
    locked,
    read_entries,
)


@pytest.fixture(autouse=True)
def _nobody_writes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detectable.data.files.ledger_file._PAUSE", 0.0)


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
    (2, "1 of 3 written entries is missing at the end"),
])  # fmt: skip
def test_a_removed_line_is_found(ledger: Path, removed: int, message: str) -> None:
    lines = ledger.read_text().splitlines(keepends=True)
    del lines[removed]
    ledger.write_text("".join(lines))
    with pytest.raises(DataError, match=message):
        read_entries(ledger)


def test_a_removed_ledger_is_found(ledger: Path) -> None:
    ledger.unlink()
    with pytest.raises(DataError, match="3 of 3 written entries are missing at the end"):
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


def test_a_note_that_is_behind_or_missing_is_no_reason_to_refuse(ledger: Path) -> None:
    note = ledger.with_name(f"{ledger.name}.lock")
    entries = read_entries(ledger)
    note.write_text(f"2 {entries[1]['fingerprint']}\n")  # a crash came before the note
    assert len(read_entries(ledger)) == 3
    note.write_text("")  # or before it was written
    assert len(read_entries(ledger)) == 3
    note.unlink()
    assert len(read_entries(ledger)) == 3


def test_a_note_of_another_ledger_is_no_count(ledger: Path, tmp_path: Path) -> None:
    """As many lines as were written, but not those: another ledger, put in its place."""
    other = tmp_path / "b.ledger.jsonl"
    for number in (1, 2, 3):
        append_entry(other, {"look": number}, read_entries(other))
    ledger.write_bytes(other.read_bytes())
    for n_more in range(2):
        with pytest.raises(DataError) as caught:
            read_entries(ledger)
        said = str(caught.value)
        assert f"{ledger}, line 3: this is not the entry that was written" in said
        assert f"{ledger}.lock" in said
        assert "of them" not in said
        append_entry(other, {"look": 4 + n_more}, read_entries(other))
        ledger.write_bytes(other.read_bytes())


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


def test_a_file_system_without_locks_is_said_to_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def none(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    message = r"cannot lock files \(No locks available\).*Move the plan and its ledger"
    with pytest.raises(DataError, match=message), locked(tmp_path / "a.ledger.jsonl"):
        pytest.fail("there is no lock to hold")


def test_a_line_that_comes_while_one_reads_is_no_accusation(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer finishes between any two steps of a reader: there is never a line too few."""
    import detectable.data.files.ledger_file as module

    entries = read_entries(ledger)
    for step in ("_known_end", "_chained", "_holds"):
        own = getattr(module, step)
        late: list[bool] = []

        def written(
            *given: object, own: Callable[..., Any] = own, late: list[bool] = late
        ) -> object:
            found = own(*given)
            if not late:
                late.append(True)
                entries.append(append_entry(ledger, {"look": len(entries) + 1}, entries))
            return found

        with monkeypatch.context() as patch:
            patch.setattr(module, step, written)
            assert len(read_entries(ledger)) in (len(entries) - 1, len(entries))


def test_a_note_that_is_being_written_is_read_again(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import detectable.data.files.ledger_file as module

    own, asked = module._known_end, []

    def torn(path: Path) -> tuple[int, str]:
        asked.append(path)
        return (9, "0" * 64) if len(asked) < 3 else own(path)

    monkeypatch.setattr(module, "_known_end", torn)
    assert len(read_entries(ledger)) == 3
    assert len(asked) == 3


@pytest.mark.parametrize(
    "note", ["3 " + "a" * 63, "3", "x y", "3 " + "g" * 64 + "\n", "\0" * 67, "é", b"\xff"]
)
def test_a_damaged_note_is_named_and_not_passed_over(ledger: Path, note: str | bytes) -> None:
    damaged = ledger.with_name(f"{ledger.name}.lock")
    damaged.write_bytes(note if isinstance(note, bytes) else note.encode())
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:2]))  # what only a whole note would tell
    for read in (read_entries, left_entries):
        with pytest.raises(DataError) as caught:
            read(ledger)
        assert f"{damaged}: this is not what was written" in str(caught.value)
        assert "delete it" in str(caught.value)
    damaged.unlink()
    assert len(read_entries(ledger)) == 2


def test_a_note_that_cannot_be_read_is_named(ledger: Path) -> None:
    note = ledger.with_name(f"{ledger.name}.lock")
    note.unlink()
    note.mkdir()
    with pytest.raises(DataError, match=r"a\.ledger\.jsonl\.lock cannot be read \("):
        read_entries(ledger)


def test_a_new_ledger_under_an_old_name_forgets_the_old_end_first(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the ledger and its note leaves no note, and not that of the old one."""
    import detectable.data.files.ledger_file as module

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_note_end", killed)
    with pytest.raises(KeyboardInterrupt):
        begin(ledger, {"event": "plan"})
    assert [entry["event"] for entry in read_entries(ledger)] == ["plan"]


def test_every_byte_of_a_ledger_counts(ledger: Path) -> None:
    """No byte can be another one without a refusal, whatever it becomes."""
    whole = ledger.read_bytes()
    flips = [(place, flip) for place in range(len(whole)) for flip in (0x01, 0x20, 0x80)]
    for place, flip in flips:
        changed = bytearray(whole)
        changed[place] ^= flip
        ledger.write_bytes(changed)
        try:
            found = read_entries(ledger)
        except DataError:
            continue
        # White space between the parts of JSON is the only thing that says nothing.
        ledger.write_bytes(whole)
        assert found == read_entries(ledger), (place, flip, bytes(changed[place : place + 1]))


@pytest.mark.parametrize("value", ["NaN", "1e999", "9" * 5000, "[" * 9999, '"\\ud800"'])
def test_values_that_no_ledger_holds(ledger: Path, value: str) -> None:
    ledger.write_text(ledger.read_text().replace('"look": 2', f'"look": {value}'))
    with pytest.raises(DataError, match="line 2: this"):
        read_entries(ledger)
