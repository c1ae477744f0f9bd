"""What looks see of a campaign, and what an organiser sees before the end."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Checkpoint, JudgmentRow
from detectable.report.shown.campaigns import so_far
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
from detectable.study.campaign.work import CampaignWork, campaign_judgments, letters
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan import plan, read_plan
from detectable.study.monitoring.plan_history import plan_history
from tests.study.campaign.simulated import Truth, begin, corpus, judge
from tests.study.campaign.test_admission import row

ROW = JudgmentRow(
    item="1",
    document="d",
    part="d",
    system="A",
    kind="system",
    rater="r-01",
    block=1,
    wave=1,
    score=70.0,
    extra=None,
    seconds=20.0,
    saved=1.0,
    work=1,
    epoch=1,
    orphan=False,
    done_at=5.0,
    admitted=None,
    page="one",
)


def test_rows_become_judgments() -> None:
    rows = [ROW, replace(ROW, item="2", score=60.0), replace(ROW, system="B", page="two")]
    made = campaign_judgments(rows, (0.0, 100.0), name="ship")
    assert made.n_judgments == 3
    assert made.score.tolist() == [70.0, 60.0, 70.0]
    assert made.column("task").levels == ("r-01-1",)
    assert made.column("document").levels == ("d",)
    assert made.wave is None
    assert made.seconds is not None
    assert made.seconds.tolist() == [10.0, 10.0, 20.0]  # two texts shared the first page
    assert made.notes == ()


def test_looks_see_complete_work_of_the_first_wave() -> None:
    rows = [
        ROW,
        replace(ROW, wave=2, work=2, rater="r-02"),
        replace(ROW, item="3", work=3, done_at=None),
        replace(ROW, item="4", work=4, done_at=None, orphan=True),
        replace(ROW, item="5", work=1, score=None),
    ]
    made = campaign_judgments(rows, (0.0, 100.0))
    assert made.n_judgments == 1
    assert made.notes == (
        "1 text that a rater could not judge left out.",
        "1 judgment of work in progress left out.",
        "1 judgment that came after the work went to somebody else left out.",
        "1 judgment of second waves, which are for agreement left out.",
    )
    whole = campaign_judgments(rows, (0.0, 100.0), everything=True)
    assert whole.n_judgments == 4
    assert whole.column("wave").levels == ("1", "2")
    with pytest.raises(DataError, match="ship: no document is complete yet"):
        campaign_judgments(rows[2:4], (0.0, 100.0), name="ship")


def test_letters_in_place_of_systems_do_not_change_the_seconds() -> None:
    """A page of a blind export has other letters for every item; its time is shared all the same."""
    rows = [ROW, replace(ROW, item="2", system="B"), replace(ROW, item="3", system="B")]
    blind = campaign_judgments(rows, (0.0, 100.0)).seconds
    named = campaign_judgments([replace(r, system="A") for r in rows], (0.0, 100.0)).seconds
    assert blind is not None
    assert named is not None
    assert blind.tolist() == named.tolist() == [20.0 / 3.0] * 3


def test_seconds_are_left_out_where_some_are_unknown() -> None:
    rows = [ROW, replace(ROW, item="2", seconds=None)]
    assert campaign_judgments(rows, (0.0, 100.0)).seconds is None


def called(rows: list[JudgmentRow], salt: str) -> list[JudgmentRow]:
    letter = letters(("A-sys", "B-sys"), salt)
    return [replace(row, system=letter(row.item, row.system)) for row in rows]


def test_letters_say_nothing_about_systems() -> None:
    rows = [
        replace(ROW, item=str(i), system=name)
        for i in range(600)
        for name in ("A-sys", "B-sys")
    ]
    seen = called(rows, "salt")
    assert {row.system for row in seen} == {"A", "B"}
    letters = Counter(
        made.system for row, made in zip(rows, seen, strict=True) if row.system == "A-sys"
    )
    # 300 each; the standard error is √(600 / 4) = 12.2
    assert abs(letters["A"] - 300) < 4 * 12.2
    for one, two in zip(seen[::2], seen[1::2], strict=True):
        assert {one.system, two.system} == {"A", "B"}
    assert called(rows, "salt") == seen
    assert called(rows, "other") != seen
    assert np.mean([row.score for row in seen if row.score is not None]) == 70.0


# --- Which lines of a campaign are units, in which order, and what a look is told of the rest ---

PAIR, OTHER = ("new", "old"), ("third", "old")


def made(*rows: JudgmentRow, checkpoints: tuple[Checkpoint, ...] = ()) -> CampaignWork:
    return CampaignWork(
        name="c",
        rows=rows,
        checkpoints=checkpoints,
        scale=(0.0, 100.0),
        key="k",
    )


def both(
    number: int, seq: int | None, *, admitted: bool | None = True, **other: Any
) -> list[JudgmentRow]:
    return [
        replace(row(number, name, 50.0), seq=seq, admitted=admitted, **other) for name in PAIR
    ]


def items(work: CampaignWork) -> list[str]:
    return [unit.item for unit in work.units]


def test_units_come_in_the_order_of_admission_whatever_the_clock_said() -> None:
    work = made(*both(1, 3), *both(2, 1), *both(3, 2))
    assert items(work) == ["2", "3", "1"]
    assert [unit.item for unit in work.first_of({PAIR: 2})] == ["2", "3"]
    assert [unit.item for unit in work.first_of({PAIR: 9})] == ["2", "3", "1"]
    assert work.n_units([PAIR]) == 3


def test_what_is_refused_waiting_or_of_a_second_wave_is_no_unit() -> None:
    work = made(
        *both(1, 1),
        *both(2, 2, admitted=False),
        *both(3, None, admitted=None),
        *both(4, 3, wave=2),
    )
    assert items(work) == ["1"]


def test_a_line_counts_if_all_systems_that_were_shown_have_a_score() -> None:
    skipped = both(2, 2)
    skipped[1] = replace(skipped[1], score=None)
    copy = replace(row(1, "new", None, kind="degraded"), seq=1, admitted=True)  # no matter
    assert items(made(*both(1, 1), copy, *skipped)) == ["1"]


def test_every_open_pair_must_have_enough() -> None:
    third = replace(row(2, "third", 50.0), seq=2, admitted=True)
    work = made(*both(1, 1), *both(2, 2), third, *both(3, 3))
    assert (work.n_units([PAIR]), work.n_units([OTHER]), work.n_units([PAIR, OTHER])) == (
        3,
        1,
        1,
    )
    assert [unit.item for unit in work.first_of({PAIR: 1, OTHER: 1})] == ["1", "2"]


class State:
    """A ledger that knows one checkpoint of r-01."""

    lines = (
        {"event": "plan"},
        {
            "event": "admission",
            "raters": [
                {"rater": "r-01", "outcome": "admitted"},
                {"rater": "r-01", "outcome": "waiting"},
                {"rater": "r-02", "outcome": "waiting"},
            ],
        },
    )


LEDGER = cast("LedgerState", State())


def checkpoint(rater: str, n: int, *, passed: bool = True) -> Checkpoint:
    return Checkpoint(
        rater=rater,
        n=n,
        n_pairs=4,
        n_judgments=8,
        p_value=0.01,
        tested=True,
        passed=passed,
        decided=0.0,
    )


def test_a_look_is_told_what_was_decided_since_the_last() -> None:
    copy = replace(row(9, "new", 10.0, kind="degraded", rater="r-02"))
    waiting = [replace(one, rater="r-02") for one in both(9, None, admitted=None)]
    late = replace(row(5, "new", 1.0, rater="r-03"), orphan=True, done_at=None)
    work = made(
        *both(1, 1),
        *both(2, 2, admitted=False),
        *both(3, 3),
        *waiting,
        copy,
        late,
        checkpoints=(
            checkpoint("r-01", 1),
            checkpoint("r-01", 2, passed=False),
            checkpoint("r-02", 1),
            checkpoint("r-04", 1),  # of whom the ledger knows nothing
        ),
    )
    found = work.decided(LEDGER, work.units[:1], left_out="beyond the end")
    assert [(one.rater, one.outcome, one.n_pairs, one.n_judgments) for one in found.raters] == [
        ("r-01", "refused", 4, 8),
        ("r-02", "admitted", 4, 8),
        ("r-04", "admitted", 4, 8),
        ("r-02", "waiting", 1, 2),
    ]
    by_item = dict(zip(found.judgments.item.labels(), found.outcome.tolist(), strict=True))
    assert by_item == {"1": 0, "2": 1, "3": 0, "9": 2}
    shown = {
        item
        for item, yes in zip(found.judgments.item.labels(), found.shown.tolist(), strict=True)
        if yes
    }
    assert shown == {"1"}
    assert found.all_work.n_judgments == found.judgments.n_judgments + 1
    assert found.key == "k"
    assert found.judgments.notes == ("1 line admitted beyond the end left out.",)
    assert work.decided(LEDGER, work.units).judgments.notes == ()


# --- What a campaign is, frozen when it opens; and what its organisers may know of a look ---

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
    assert (pair.interval, pair.z, pair.e_value, so_far(found.pairs)) == (None, None, None, "")
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
    assert so_far(found.pairs) == said
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
    assert f"E = {pair.e_value:.3g}" in so_far([pair])


def test_a_one_sided_interval_is_open(sqlite: AnyStore, tmp_path: Path) -> None:
    settings = {**DENSE, "reveal": "full"}
    begin(sqlite, tmp_path / "ship.json", PLANTED, **PLANNED, sided=1, settings=settings)
    judge(sqlite, PLANTED, seed=2)
    (pair,) = campaign_looks(sqlite, "ship")[0].pairs
    assert pair.interval is not None
    assert pair.interval[1] is None
    assert so_far([pair]).startswith("new − old at least +")


def test_what_is_told_is_one_of_two_words() -> None:
    with pytest.raises(InputError, match="`reveal` must be"):
        CampaignSettings(reveal="all")  # type: ignore[arg-type]
