"""What a ledger says of its looks: when they were, and in which order."""

import datetime
import json
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError
from detectable.report.blocks import Text
from detectable.report.several import alone
from detectable.study.monitoring.ledger import clock_notes, said_time
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan_history import plan_history
from detectable.study.monitoring.replay import replay
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
        blocks = [part for part in alone(result, "").blocks if isinstance(part, Text)]
        assert [said for part in blocks for _, said in part.points].count(SAID) == 1
    receipt = dt.verify(frozen.path, data)
    assert (receipt.outcome, receipt.notes) == ("same", (SAID,))


def test_times_as_people_write_them() -> None:
    assert said_time("2026-01-03T03:04:05+02:00") == "2026-01-03 03:04"
    assert said_time("yesterday") == "yesterday"


def test_times_that_cannot_be_read_accuse_nobody() -> None:
    assert clock_notes(["yesterday", "2026-03-04T10:00:00", "2026-03-04T10:00:00+00:00"]) == ()
    assert clock_notes(["2026-03-04T10:00:00+00:00", "2026-03-04T11:30:00+02:00"]) != ()


# --- The looks of a plan, computed again from the judgments that they saw ---


def table(n: int, *, gap: float = 4.0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(8)
    rows: dict[str, list[Any]] = {"system": [], "item": [], "rater": [], "score": []}
    for item in range(200):
        quality = rng.normal(60, 8)
        for system, more in (("new", gap), ("old", 0.0)):
            score = round(float(np.clip(quality + more + rng.normal(0, 9), 0, 100)))
            for name, value in zip(rows, (system, f"i{item}", "r1", score), strict=True):
                rows[name].append(value)
    return {name: values[: 2 * n] for name, values in rows.items()}


def looked(folder: Path, *sizes: int, **options: Any) -> Path:
    path = folder / "ship.json"
    chosen: dict[str, Any] = {"systems": ["new", "old"], "n_max": 200, "looks": 5} | options
    dt.plan(path, **chosen)
    for n in sizes:
        dt.look(path, table(n))
    return path


@pytest.mark.parametrize("test", ["paired-mean", "sign-flip", "signed-rank", "rank-sum"])
def test_every_look_comes_out_again(tmp_path: Path, test: str) -> None:
    path = looked(tmp_path, 40, 80, test=test)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    found = replay(path, table(120))
    assert [(look.look, look.state, look.differs) for look in found] == [
        (1, "same", ()),
        (2, "same", ()),
    ]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_bets_come_out_again(tmp_path: Path) -> None:
    path = looked(tmp_path, 40, 80, test="e-process", looks=None, n_max=None)
    assert {look.state for look in replay(path, table(80))} == {"same"}


def test_a_declared_end_and_an_overruled_advice_are_repeated(tmp_path: Path) -> None:
    path = looked(tmp_path, 40)
    dt.look(path, table(60), final=True)
    found = replay(path, table(60))
    assert [look.state for look in found] == ["same", "same"]


def test_without_data_the_looks_are_listed(tmp_path: Path) -> None:
    path = looked(tmp_path, 40)
    [found] = replay(path)
    assert (found.state, found.judgments, found.decision) == ("not repeated", 80, "continue")


def test_a_changed_judgment_is_named(tmp_path: Path) -> None:
    path = looked(tmp_path, 40)
    data = table(40)
    data["score"][6] += 1
    with pytest.raises(DataError, match=r"1 judgment changed \(system 'new', item 'i3'"):
        replay(path, data)


def test_an_entry_that_was_forged_with_its_fingerprints_comes_out_otherwise(
    tmp_path: Path,
) -> None:
    """Whoever owns plan, ledger and lock can rewrite all three; the data still tell."""
    from detectable.data.files.ledger_file import START, fingerprint

    path = looked(tmp_path, 40)
    ledger = tmp_path / "ship.ledger.jsonl"
    first, entry = (json.loads(line) for line in ledger.read_text().splitlines())
    entry["pairs"][0]["p_value"] = 0.001
    entry["decision"] = "stop: better"
    assert first["previous"] == START
    entry["fingerprint"] = fingerprint({k: v for k, v in entry.items() if k != "fingerprint"})
    ledger.write_text("".join(json.dumps(line) + "\n" for line in (first, entry)))
    (tmp_path / "ship.ledger.jsonl.lock").write_text(f"2 {entry['fingerprint']}\n")
    [found] = replay(path, table(40))
    assert found.state == "different"
    assert set(found.differs) == {"pairs", "decision"}
    typed = CliRunner().invoke(main, ["verify", str(path), str(_csv(tmp_path)), "--json"])
    made = json.loads(typed.stdout)
    assert (typed.exit_code, made["outcome"]) == (3, "different")
    assert made["reason"].startswith("look 1 comes out otherwise (")


def _csv(folder: Path) -> Path:
    data = table(40)
    rows = zip(*data.values(), strict=True)
    text = ",".join(data) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    path = folder / "judgments.csv"
    path.write_text(text)
    return path


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    path = looked(tmp_path, 40)
    found = CliRunner().invoke(main, ["verify", str(path)])
    assert found.exit_code == 4
    assert "the looks need DATA, all judgments." in " ".join(found.stdout.split())
    found = CliRunner().invoke(main, ["verify", str(path), str(_csv(tmp_path))])
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("The same: 1 look computed again, to the bit.")
    found = CliRunner().invoke(main, ["verify", str(path), "--format", "table"])
    assert found.exit_code == 2


def test_a_plan_without_a_look_is_whole(tmp_path: Path) -> None:
    found = dt.verify(looked(tmp_path))
    assert (found.outcome, found.exit_code) == ("not repeated", 4)
    assert found.reason == "plan and ledger are whole; there is no look yet."


def test_admitted_work_is_found_and_not_repeated(tmp_path: Path) -> None:
    campaign = dt.example_campaign()
    path = tmp_path / "ship.json"
    admission = {"rule": "degraded-paired-t"}
    dt.plan(path, systems=["aspen", "birch"], n_max=240, looks=5, admission=admission)
    dt.look(path, campaign.judgments)
    found = dt.verify(path, campaign.judgments)
    assert found.outcome == "not repeated"
    assert "every judgment of the looks is there" in found.reason
    fewer = campaign.judgments.take(np.arange(campaign.judgments.n_judgments) % 3 > 0)
    with pytest.raises(DataError, match="gone"):
        dt.verify(path, fewer)
