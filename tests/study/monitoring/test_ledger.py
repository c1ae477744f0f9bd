"""What a ledger says of its looks: when they were, and in which order."""

import datetime
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace

import pytest

import detectable as dt
from detectable.report.several import alone
from detectable.study.monitoring.ledger import clock_notes, said_time
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan_history import plan_history
from tests.study.monitoring.plan_tables import differences_with, judged, new_plan

SAID = (
    "Look 2 is dated 2026-03-03 10:00 UTC, before look 1 (2026-03-04 10:00 UTC): a clock was set "
    "back. The looks count in the order of the ledger."
)


def _clock(*days: int) -> SimpleNamespace:
    """Return a clock that says each of some days in turn."""
    said = cycle(days)

    def now(zone: datetime.tzinfo) -> datetime.datetime:
        return datetime.datetime(2026, 3, next(said), 10, tzinfo=zone)

    return SimpleNamespace(UTC=datetime.UTC, datetime=SimpleNamespace(now=now))


def test_a_look_dated_before_the_last_one_is_said_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detectable.study.monitoring.look.datetime", _clock(4, 3, 4, 5))
    frozen = new_plan(tmp_path, n_max=200)
    sizes = (50, 80, 110, 140)
    data = judged(differences_with(*((n, 1.0 + n / 1000.0) for n in sizes)))
    looks = [
        look(frozen, {name: values[: 2 * n] for name, values in data.items()}) for n in sizes
    ]
    assert [SAID in one.notes for one in looks] == [False, True, False, False]
    assert looks[1].decision == "continue"
    history = plan_history(frozen)
    assert [entry.time[8:10] for entry in history.entries] == ["04", "03", "04", "05"]
    for result in (looks[1], looks[2], history):  # once each, wherever it stands
        blocks = [part for part in alone(result, "").blocks if hasattr(part, "points")]
        assert [said for part in blocks for _, said in part.points].count(SAID) == 1
    receipt = dt.verify(frozen.path, data)
    assert (receipt.outcome, receipt.notes) == ("same", (SAID,))


def test_times_as_people_write_them() -> None:
    assert said_time("2026-01-03T03:04:05+02:00") == "2026-01-03 03:04"
    assert said_time("yesterday") == "yesterday"


def test_times_that_cannot_be_read_accuse_nobody() -> None:
    assert clock_notes(["yesterday", "2026-03-04T10:00:00", "2026-03-04T10:00:00+00:00"]) == ()
    assert clock_notes(["2026-03-04T10:00:00+00:00", "2026-03-04T11:30:00+02:00"]) != ()
