"""``detectable campaign look`` and ``conclude``: what an organiser may see, and when."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.data.store.open_store import open_store
from tests.study.campaign.simulated import Truth, begin, judge

PLANTED = Truth(
    effects={"sentinel-new": 12.0, "sentinel-old": 0.0}, careless=frozenset({"r-02"})
)
RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.0}


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a campaign that has collected, and not looked."""
    return collected(tmp_path, n_max=60, looks=2, admission=RULE, futility="none")


def collected(folder: Path, most_pages: int = 400, **planned: Any) -> Path:
    store = open_store(folder / "campaigns.sqlite", new=True)
    begin(store, folder / "ship.json", PLANTED, n_items=120, settings=DENSE, **planned)
    judge(store, PLANTED, seed=2, after_block=lambda: True, most_pages=most_pages)
    store.close()
    return folder


def test_a_look_says_the_decision_and_no_score(folder: Path) -> None:
    found = run("campaign", "look", "ship", "--store", folder)
    assert found.exit_code == 0, found.output
    assert "Look 1: " in found.output
    assert "Next look at" in found.output or "has stopped" in found.output
    text = json.loads(run("campaign", "status", "ship", "--store", folder, "--json").stdout)
    (line,) = text["campaigns"]
    assert line["progress"]["admitted"] > 0
    assert line["progress"]["refused"] > 0
    assert {one["rater"]: one["check"] for one in text["raters"]}["r-02"] == "does not pass"
    assert [one["n_units"] for one in text["looks"]] == [30, 60][: len(text["looks"])]
    assert not {"score", "estimate", "z", "interval", "p_value"} & set(_keys(text))
    shown = run("plan", "show", folder / "ship.json")
    assert shown.exit_code == 0, shown.output
    assert "Work admitted by control items" in shown.output
    assert json.loads(run("plan", "show", folder / "ship.json", "--json").stdout)["looks"] == []


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in _keys(one))]
    return [key for one in value for key in _keys(one)] if isinstance(value, list) else []


def test_a_campaign_ends_with_its_verdict(folder: Path) -> None:
    early = run("campaign", "conclude", "ship", "--store", folder)
    assert early.exit_code == 1
    assert "no look has said stop" in early.output
    last = run("campaign", "look", "ship", "--store", folder, "--final")
    assert last.exit_code == 0, last.output
    assert "ship has stopped" in last.output
    again = run("campaign", "look", "ship", "--store", folder, "--now")
    assert again.exit_code == 1
    assert "ship is stopped: look 1 was the last. Conclude it" in " ".join(again.output.split())
    waits = run("campaign", "conclude", "ship", "--store", folder)
    assert waits.exit_code == 1
    assert "may still be finished" in waits.output
    done = run("campaign", "conclude", "ship", "--store", folder, "--at-once", "--json")
    assert done.exit_code == 0, done.output
    (pair,) = json.loads(done.stdout)["pairs"]
    assert (pair["system"], pair["verdict"]) == ("sentinel-new", "better")
    shown = run("plan", "show", folder / "ship.json")
    assert "What happened besides looks" in shown.output
    (look,) = json.loads(run("plan", "show", folder / "ship.json", "--json").stdout)["looks"]
    assert look["estimate"] > 0.0
    verified = run("verify", folder / "ship.json")
    assert "plan and ledger are whole" in " ".join(verified.output.split())


def test_only_the_advice_to_give_up_can_be_overruled(folder: Path) -> None:
    found = run("campaign", "look", "ship", "--store", folder, "--go-on", "we must")
    assert found.exit_code == 1
    assert "did not advise to give up" in found.output


def test_a_plan_that_was_moved_is_found_by_its_option(folder: Path) -> None:
    there = folder / "there"
    there.mkdir()
    for one in list(folder.glob("ship.*")):
        one.rename(there / one.name)
    status = run("campaign", "status", "ship", "--store", folder)
    assert status.exit_code == 0, status.output
    assert "is not where it was" in " ".join(status.output.split())
    refused = run("campaign", "look", "ship", "--store", folder)
    assert refused.exit_code == 1
    found = run("campaign", "look", "ship", "--store", folder, "--plan", there / "ship.json")
    assert found.exit_code == 0, found.output
    assert "Look 1: " in found.output


def test_payments_hold_no_score_and_no_verdict_on_raters(folder: Path) -> None:
    path = folder / "payments.csv"
    made = run("campaign", "export", "ship", path, "--store", folder, "--payments")
    assert made.exit_code == 0, made.output
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "rater,blocks,minutes"
    assert len(lines) == 7
    twice = run("campaign", "export", "ship", path, "--store", folder, "--payments")
    assert twice.exit_code == 1
    wrong = run(
        "campaign", "export", "ship", path, "--store", folder, "--payments", "--everything"
    )
    assert wrong.exit_code == 2
    unknown = run("campaign", "export", "no", folder / "b.csv", "--store", folder, "--payments")
    assert unknown.exit_code == 1
    assert "there is no campaign 'no'" in unknown.output


def test_pauses_and_unblinding_say_who(folder: Path) -> None:
    for word in ("pause", "open"):
        assert run("campaign", word, "ship", "--store", folder).exit_code == 0
    path = folder / "a.csv"
    made = run(
        "campaign", "export", "ship", path, "--store", folder, "--unblind", "a press date"
    )
    assert made.exit_code == 0, made.output
    assert "sentinel-new" in path.read_text("utf-8")
    ledger = (folder / "ship.ledger.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in ledger]
    assert [one["event"] for one in events] == [
        "plan",
        "campaign",
        "pause",
        "resume",
        "unblinding",
    ]
    assert events[-1]["detail"]["reason"] == "a press date"
    assert set(events[-1]["detail"]) == {"who", "reason"}


def test_work_is_voided_and_judgments_are_deleted(folder: Path) -> None:
    words = ("campaign", "void", "ship", "--store", folder, "--rater", "r-01")
    made = run(*words, "--reason", "a script", "--evidence", "the log of the proxy")
    assert made.exit_code == 0, made.output
    refused = run("campaign", "erase", "ship", "--store", folder, "--rater", "r-02")
    assert refused.exit_code == 2
    assert "nothing brings them back: add --sure" in refused.output
    made = run("campaign", "erase", "ship", "--store", folder, "--rater", "r-02", "--sure")
    assert made.exit_code == 0, made.output
    assert "of r-02 deleted" in made.output
    ledger = (folder / "ship.ledger.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in ledger if '"void"' in line or '"erasure"' in line]
    assert events[0]["detail"]["evidence"] == "the log of the proxy"
    assert run(*words, "--reason", "x").exit_code == 2
    assert run(*words, "--reason", "x", "--evidence", "y").exit_code == 1


def test_looks_are_verified_from_the_store_and_from_the_export(folder: Path) -> None:
    assert run("campaign", "look", "ship", "--store", folder).exit_code == 0
    stored = run("campaign", "verify", "ship", "--store", folder)
    assert stored.exit_code == 0, stored.output
    assert "computed again, to the bit" in stored.output
    assert not any(word in stored.output for word in ("estimate", "interval", "z ="))
    final = run("campaign", "look", "ship", "--store", folder, "--final")
    assert final.exit_code in (0, 1)  # where the first look has stopped it there is none
    ended = run("campaign", "conclude", "ship", "--store", folder, "--at-once")
    assert ended.exit_code == 0, ended.output
    table, about = folder / "out.csv", folder / "out.campaign.json"
    assert run("campaign", "export", "ship", table, "--store", folder).exit_code == 0
    found = run("verify", about, table)
    assert found.exit_code == 0, found.output
    assert "computed again, to the bit" in found.output
    listed = run("verify", about)
    assert listed.exit_code == 4
    assert "the looks need DATA" in listed.output.replace("\n", " ")
    refused = run("verify", about, table, "--scale", "0:100")
    assert refused.exit_code == 2
    assert "a campaign's own table needs none" in refused.output
