"""What a campaign is, frozen when it opens; and what its organisers may know of a look."""

import json
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import AnyStore
from detectable.study.campaign.begin import begin_campaign
from detectable.study.campaign.campaigns import campaign_progress, campaigns
from detectable.study.campaign.close import conclude_campaign, turn_campaign
from detectable.study.campaign.looks import (
    CampaignLook,
    campaign_looks,
    due_look,
    go_on,
    look_now,
    run_due_look,
)
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan, read_plan
from detectable.study.monitoring.plan_history import plan_history
from tests.study.campaign.simulated import Truth, begin, corpus, judge

RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.0}
PLANTED = Truth(effects={"new": 12.0, "old": 0.0})
PLANNED: dict[str, Any] = {"n_items": 120, "n_max": 90, "looks": 3}


def events(path: Path) -> list[dict[str, Any]]:
    text = path.with_suffix(".ledger.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def change(store: AnyStore, **settings: Any) -> None:
    """Change the settings behind the back of the campaign."""
    kept = {**store.campaign("ship").settings, **settings}
    with store.transaction():
        store.run("UPDATE campaign SET settings = ? WHERE id = 'ship'", json.dumps(kept))


def test_what_it_is_stands_in_the_ledger_before_it_opens(
    either: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    settings = {**DENSE, "reveal": "full", "grace_minutes": 30.0}
    begin(either, path, PLANTED, **PLANNED, admission=RULE, settings=settings)
    _, line = events(path)
    assert line["event"] == "campaign"
    assert line["previous"] == events(path)[0]["fingerprint"]  # in the chain
    block = line["detail"]
    assert {name: block[name] for name in block if name not in ("settings", "key")} == {
        "name": "ship",
        "protocol": "da",
        "mode": "reference",
        "presentation": "apart",
        "primary": "score",
        "controls": 0.5,
        "overlap": 0.0,
        "admission": {"rule": "degraded-paired-t", "alpha": 0.05, "pairs": 8, "few": "refuse"},
        "looks": {"at": [pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0], "auto": True},
        "reveal": "full",
        "grace_minutes": 30.0,
    }
    assert either.campaign("ship").salt not in json.dumps(block)
    for state in ("paused", "open"):
        turn_campaign(either, "ship", state)
    assert [one["event"] for one in events(path)] == ["plan", "campaign", "pause", "resume"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"overlap": 0.2}, "overlap is 0.2, and was 0.0"),
        ({"reveal": "full"}, "reveal is full, and was decision"),
        ({"mode": "source"}, "mode is source, and was reference"),
        ({"grace_minutes": 1.0}, "grace_minutes is 1.0, and was 45.0"),
        ({"instructions": "Be kind."}, "what raters are asked or shown changed"),
    ],
)
def test_a_campaign_that_is_another_one_now_is_refused(
    sqlite: AnyStore, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    path = tmp_path / "ship.json"
    begin(sqlite, path, PLANTED, **PLANNED, settings=DENSE)
    judge(sqlite, PLANTED, seed=2, after_block=lambda: True, most_pages=150)
    before = events(path)
    change(sqlite, **changed)
    wanted = f"ship is not what it was when it opened: {said}"
    for call in (run_due_look, due_look, look_now, conclude_campaign, campaign_progress):
        with pytest.raises(DataError, match=wanted):
            call(sqlite, "ship")
    with pytest.raises(DataError, match=wanted):
        go_on(sqlite, "ship", who="ann", reason="x")
    assert wanted in campaigns(sqlite, "ship").notes[0]  # and still says where it stands
    assert events(path) == before


def test_another_campaign_of_the_same_name_is_refused(sqlite: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    begin(sqlite, path, PLANTED, **PLANNED, settings=DENSE)
    with sqlite.transaction():
        sqlite.run("UPDATE campaign SET salt = ? WHERE id = 'ship'", "00" * 16)
    with pytest.raises(DataError, match="opened: its key changed"):
        run_due_look(sqlite, "ship")


def test_a_plan_is_for_one_campaign(sqlite: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    plan(path, systems=["new", "old"], n_max=40)
    for name in ("one", "two"):
        begin_campaign(sqlite, corpus(40), name, plan_path=path, mode="reference", rng=1)
    turn_campaign(sqlite, "one", "open")
    with pytest.raises(DataError, match=r"belongs to the campaign one, .*new plan for two"):
        turn_campaign(sqlite, "two", "open")
    assert sqlite.campaign("two").state == "draft"
    with pytest.raises(InputError, match="`plan` belongs to the campaign one"):
        begin_campaign(sqlite, corpus(40), "three", plan_path=path, mode="reference", rng=1)
    assert [one["event"] for one in events(path)] == ["plan", "campaign"]


def test_opening_that_was_killed_half_way_goes_on(sqlite: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    begin(sqlite, path, PLANTED, **PLANNED, settings=DENSE)
    with sqlite.transaction():  # as if the store had never been told
        sqlite.run("UPDATE campaign SET state = 'draft' WHERE id = 'ship'")
    turn_campaign(sqlite, "ship", "open")
    assert [one["event"] for one in events(path)] == ["plan", "campaign"]


def test_a_plan_that_a_table_was_looked_at_with_opens_no_campaign(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    plan(path, systems=["new", "old"], n_max=40)
    begin_campaign(sqlite, corpus(40), "ship", plan_path=path, mode="reference", rng=1)
    rows = [
        (s, i, 9 * i + (s == "new") * (1 + i % 3)) for i in range(1, 9) for s in ("new", "old")
    ]
    system, item, score = zip(*rows, strict=True)
    look(path, {"system": list(system), "item": list(item), "score": list(score)})
    with pytest.raises(DataError, match="was looked at with a table"):
        turn_campaign(sqlite, "ship", "open")
    assert sqlite.campaign("ship").state == "draft"


def test_campaigns_that_opened_before_anything_was_frozen_go_on(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    plan(path, systems=["new", "old"], n_max=40, looks=2)
    begin_campaign(sqlite, corpus(60), "ship", plan_path=path, mode="reference", rng=1)
    sqlite.turn("ship", "open", now=0.0)  # as an earlier version did
    sqlite.add_raters("ship", 3)
    judge(sqlite, PLANTED, seed=2)
    assert sqlite.campaign("ship").state == "stopped"
    assert "campaign" not in {one["event"] for one in events(path)}


def test_organisers_learn_the_decision_and_nothing_else(
    either: AnyStore, tmp_path: Path
) -> None:
    begin(either, tmp_path / "ship.json", PLANTED, **PLANNED, settings=DENSE)
    judge(either, PLANTED, seed=2)
    (found,) = campaign_looks(either, "ship")
    assert found.decision == "stop: better"
    (pair,) = found.pairs
    assert (pair.interval, pair.z, pair.e_value, found.in_numbers()) == (None, None, None, "")
    told = json.dumps(either.looks("ship")) + campaigns(either, "ship").summary()
    assert not any(word in told for word in ("interval", '"z"', "z =", "from"))
    assert plan_history(tmp_path / "ship.json").blind


def test_told_in_full_they_learn_interval_and_statistic(
    either: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    begin(either, path, PLANTED, **PLANNED, settings={**DENSE, "reveal": "full"})
    judge(either, PLANTED, seed=2)
    row = LedgerState.read(read_plan(path)).entries[0]["pairs"][0]
    (found,) = campaign_looks(either, "ship")
    (pair,) = found.pairs
    assert pair.interval == tuple(row["interval"])
    assert pair.z == row["z"]
    low, high = row["interval"]
    said = f"new − old from {low:+.2f} to {high:+.2f}, z = {row['z']:+.3f}"
    assert found.in_numbers() == said
    assert f"Look 1: stop: better ({said})." in campaigns(either, "ship").summary()
    assert not plan_history(path).blind
    # The means of systems stay where they are: a difference says nothing of either.
    told = json.dumps(either.looks("ship"))
    assert "estimate" not in told
    assert CampaignLook.from_json(either.looks("ship")[0]) == found


def test_bets_are_told_by_their_e_value(sqlite: AnyStore, tmp_path: Path) -> None:
    planned: dict[str, Any] = {"n_items": 60, "n_max": None, "test": "e-process"}
    settings = {**DENSE, "reveal": "full"}
    begin(sqlite, tmp_path / "ship.json", PLANTED, **planned, settings=settings)
    block = events(tmp_path / "ship.json")[1]["detail"]
    assert block["looks"] == {"at": None, "auto": False}
    judge(sqlite, PLANTED, seed=2, after_block=lambda: True, most_pages=150)
    (pair,) = look_now(sqlite, "ship").pairs
    assert pair.z is None
    assert pair.e_value is not None
    assert f"E = {pair.e_value:.3g}" in pair.in_numbers()


def test_a_one_sided_interval_is_open(sqlite: AnyStore, tmp_path: Path) -> None:
    settings = {**DENSE, "reveal": "full"}
    begin(sqlite, tmp_path / "ship.json", PLANTED, **PLANNED, sided=1, settings=settings)
    judge(sqlite, PLANTED, seed=2)
    (pair,) = campaign_looks(sqlite, "ship")[0].pairs
    assert pair.interval is not None
    assert pair.interval[1] is None
    assert pair.in_numbers().startswith("new − old at least +")


def test_what_is_told_is_one_of_two_words() -> None:
    with pytest.raises(InputError, match="`reveal` must be"):
        CampaignSettings(reveal="all")  # type: ignore[arg-type]
