"""Work that is taken back: fraud proven from outside, and judgments deleted on request."""

import json
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Answer, Page
from detectable.report.saved.load import load
from detectable.report.saved.save import save
from detectable.study.campaign import withdraw
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.close import conclude_campaign, turn_campaign
from detectable.study.campaign.looks import (
    campaign_looks,
    decide_admissions,
    look_now,
    run_due_look,
)
from detectable.study.campaign.withdraw import erase_rater, void_rater
from detectable.study.campaign.work import CampaignWork, plan_of, seen_work
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.plan_history import plan_history
from tests.study.campaign.simulated import Truth, begin, judge, maker_of

RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.0}
NOTHING = Truth(effects={"new": 0.0, "old": 0.0})
PLANNED: dict[str, Any] = {"n_items": 150, "n_max": 90, "looks": 3, "futility": "none"}
WHY = {"who": "ann", "reason": "two accounts", "evidence": "one bank account"}
MINUTE = 60.0


def looked(store: AnyStore, path: Path, n_looks: int, **planned: Any) -> float:
    """Collect until so many looks were run, and a little more; return the time."""
    begin(
        store, path, NOTHING, **{**PLANNED, "admission": RULE, **planned}, n_raters=4,
        settings=DENSE,
    )  # fmt: skip
    clock = judge(store, NOTHING, seed=3, after_block=lambda: run_until(store, n_looks))
    assert len(campaign_looks(store, "ship")) == n_looks
    # Some more work is finished and decided, and some only finished.
    judge(store, NOTHING, seed=4, after_block=lambda: True, most_pages=120)
    decide_admissions(store, "ship")
    judge(store, NOTHING, seed=6, after_block=lambda: True, most_pages=40)
    return clock


def run_until(store: AnyStore, n_looks: int) -> bool:
    run_due_look(store, "ship")
    return len(campaign_looks(store, "ship")) < n_looks


def events(path: Path, event: str) -> list[dict[str, Any]]:
    text = path.with_suffix(".ledger.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [line["detail"] for line in lines if line["event"] == event]


def state_of(store: AnyStore) -> tuple[LedgerState, CampaignWork]:
    state = LedgerState.read(plan_of(store, "ship"))
    return state, CampaignWork.read(store, "ship", state.plan.scale)


def judgments_of(store: AnyStore, rater: str) -> int:
    return sum(row.rater == rater for row in store.rows("ship"))


def units_of(work: CampaignWork, rater: str) -> list[str]:
    return [unit.item for unit in work.units if unit.rater == rater]


def chosen(store: AnyStore) -> str:
    """Return a rater of whom a look has seen some lines that count, and not others."""
    state, work = state_of(store)
    seen = seen_work(work, state)
    known = {(row.rater, row.item) for row in work.rows if (row.work, row.epoch) in seen}
    found = [
        one.code
        for one in store.raters("ship")
        if 0
        < sum((one.code, item) in known for item in units_of(work, one.code))
        < len(units_of(work, one.code))
    ]
    return found[0]


def test_voided_work_stays_where_a_look_saw_it_and_counts_nowhere_else(
    either: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    looked(either, path, 1)
    bad = chosen(either)
    state, before = state_of(either)
    seen = seen_work(before, state)
    mine = {(row.work, row.epoch) for row in before.rows if row.rater == bad}
    assert seen & mine
    assert mine - seen
    shown = before.first_of(dict.fromkeys(state.plan.pairs, 30))
    void_rater(either, "ship", bad, **WHY)
    assert events(path, "void") == [{"rater": bad, **WHY}]
    state, after = state_of(either)
    assert after.units[: len(shown)] == shown  # what the look saw, in its order
    lines_seen = {row.item for row in before.rows if (row.work, row.epoch) in seen & mine}
    assert set(units_of(after, bad)) == lines_seen & set(units_of(before, bad))
    others = [unit for unit in before.units if unit.rater != bad]
    assert [unit for unit in after.units if unit.rater != bad] == others
    # What no look saw is given to somebody else, who has not seen it; what one saw is not.
    again = {row[0] for row in either.all("SELECT id FROM work WHERE state = 'open'")}
    assert {work for work, _ in mine - seen} <= again
    assert not {work for work, _ in seen} & again
    progress = {one.rater: one for one in campaign_progress(either, "ship").raters}[bad]
    assert (progress.state, progress.waiting) == ("revoked", 0)
    assert progress.admitted == len(seen & mine)

    clock = judge(either, NOTHING, seed=5, absent=(bad,))
    assert len(campaign_looks(either, "ship")) == 3
    conclusion = conclude_campaign(either, "ship", at_once=True, now=clock)
    (pair,), (without,) = conclusion.pairs, conclusion.without_voided
    assert without.raters == (bad,)
    assert without.n_units == pair.n_units - len(lines_seen)
    assert without.estimate != pair.naive_estimate
    assert without.interval is not None
    assert without.estimate in without.interval
    assert f"\nWithout the voided work of {bad}, new against old: " in conclusion.summary()
    said = f"Work of {bad} was voided after 1 look, by ann: two accounts (known from: one bank account)"
    assert said in conclusion.notes
    assert conclusion.to_dict()["without_voided"][0]["raters"] == [bad]
    save(conclusion, tmp_path / "kept.json")
    assert load(tmp_path / "kept.json") == conclusion


def test_without_a_void_a_conclusion_says_nothing_of_it(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    looked(sqlite, tmp_path / "ship.json", 3)
    conclusion = conclude_campaign(sqlite, "ship", at_once=True)
    assert conclusion.without_voided == ()
    assert "without_voided" not in conclusion.to_dict()


def test_the_reason_is_asked_in_words(sqlite: AnyStore, tmp_path: Path) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    for missing, said in (
        ("reason", "what the rater did"),
        ("evidence", "score is no evidence"),
    ):
        with pytest.raises(InputError, match=f"`{missing}` must say .*{said}"):
            void_rater(sqlite, "ship", "r-01", **{**WHY, missing: " "})
    with pytest.raises(DataError, match="has no rater 'r-99'"):
        void_rater(sqlite, "ship", "r-99", **WHY)
    assert events(tmp_path / "ship.json", "void") == []
    assert sqlite.voided("ship") == {}
    void_rater(sqlite, "ship", "r-01", **WHY)
    with pytest.raises(DataError, match="was voided before"):
        void_rater(sqlite, "ship", "r-01", **WHY)


def test_after_the_conclusion_nothing_is_voided(sqlite: AnyStore, tmp_path: Path) -> None:
    looked(sqlite, tmp_path / "ship.json", 3)
    conclude_campaign(sqlite, "ship", at_once=True)
    with pytest.raises(DataError, match="its verdict stands"):
        void_rater(sqlite, "ship", "r-01", **WHY)


def test_voided_work_that_waited_is_not_admitted_at_the_end(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    looked(sqlite, tmp_path / "ship.json", 1, admission={**RULE, "few": "admit"})
    turn_campaign(sqlite, "ship", "stopped")
    void_rater(sqlite, "ship", "r-01", **WHY)
    _, work = state_of(sqlite)
    mine = units_of(work, "r-01")
    look_now(sqlite, "ship", final=True)
    assert units_of(state_of(sqlite)[1], "r-01") == mine  # all that a look had seen
    assert sqlite.status("ship")["open"] == 0  # after a stop nothing is given out again
    conclude_campaign(sqlite, "ship", at_once=True)


def test_where_nearly_all_was_voided_the_conclusion_says_so_and_no_more(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    planted = Truth(effects={"new": 14.0, "old": 0.0})
    begin(sqlite, tmp_path / "ship.json", planted, **PLANNED, n_raters=1, settings=DENSE)
    judge(sqlite, planted, seed=2)
    assert campaign_looks(sqlite, "ship")[-1].decision == "stop: better"
    void_rater(sqlite, "ship", "r-01", **WHY)
    conclusion = conclude_campaign(sqlite, "ship", at_once=True)
    assert conclusion.pairs[0].verdict == "better"
    assert conclusion.without_voided == ()
    assert any(note.startswith("Work of r-01 was voided") for note in conclusion.notes)


def test_a_void_that_was_killed_half_way_is_done_before_the_next_look(
    sqlite: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    bad = chosen(sqlite)
    with monkeypatch.context() as patch:
        patch.setattr(withdraw, "settle_withdrawals", lambda *_: None)
        void_rater(sqlite, "ship", bad, **WHY)
    assert sqlite.voided("ship") == {}
    _, before = state_of(sqlite)
    run_due_look(sqlite, "ship")
    assert set(sqlite.voided("ship")) == {bad}
    assert len(units_of(state_of(sqlite)[1], bad)) < len(units_of(before, bad))


def test_nothing_more_comes_from_a_voided_rater(sqlite: AnyStore, tmp_path: Path) -> None:
    begin(sqlite, tmp_path / "ship.json", NOTHING, **PLANNED, n_raters=2, settings=DENSE)
    page = sqlite.next_page("ship/r-01", maker_of(sqlite), 1.0)
    assert isinstance(page, Page)
    out = sqlite.status("ship")
    void_rater(sqlite, "ship", "r-01", **WHY)
    assert sqlite.status("ship")["leased"] == 0
    assert sqlite.status("ship")["open"] == out["open"] + out["leased"]
    with pytest.raises(Exception, match="This link is not valid"):
        sqlite.save("ship/r-01", page.token, key="k", answers=[Answer(score=1.0)])


def test_deleted_judgments_may_be_gone_and_no_others(either: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    looked(either, path, 1)
    state, before = state_of(either)
    seen = seen_work(before, state)
    mine = {(row.work, row.epoch) for row in before.rows if row.rater == "r-02"}
    n = judgments_of(either, "r-02")
    counts = either.status("ship")
    assert erase_rater(either, "ship", "r-02", who="ann") == n > 0
    assert judgments_of(either, "r-02") == 0
    assert either.one("SELECT COUNT(*) FROM judgment j JOIN page p ON p.token = j.page "
                      "WHERE p.rater = 'ship/r-02'")[0] == 0  # fmt: skip
    assert either.status("ship")["judgments"] == counts["judgments"] - n
    (detail,) = events(path, "erasure")
    assert (detail["rater"], detail["who"], detail["judgments"]) == ("r-02", "ann", n)
    open_now = {row[0] for row in either.all("SELECT id FROM work WHERE state = 'open'")}
    assert {work for work, _ in mine - seen} <= open_now
    assert not {work for work, _ in mine & seen} & open_now  # a look has seen these lines
    assert erase_rater(either, "ship", "r-02", who="ann") == 0
    assert len(events(path, "erasure")) == 1

    clock = judge(either, NOTHING, seed=5, absent=("r-02",))
    assert [one.n_units for one in campaign_looks(either, "ship")] == [30, 60, 90]
    conclusion = conclude_campaign(either, "ship", at_once=True, now=clock)
    said = f"{n} judgments of r-02 deleted on request, after 1 look."
    assert any(one.startswith(said) for one in conclusion.notes)
    assert plan_history(path).events[1].event == "erasure"

    # Another row that is gone is found, as before.
    state, _ = state_of(either)
    token = either.one(
        "SELECT p.token FROM page p JOIN judgment j ON j.page = p.token "
        "JOIN admission m ON m.work = p.work AND m.epoch = p.epoch "
        "WHERE p.kind = 'system' AND p.rater = 'ship/r-01' ORDER BY m.seq LIMIT 1"
    )[0]
    with either.transaction():
        either.run("DELETE FROM judgment WHERE page = ?", token)
    with pytest.raises(DataError, match="1 judgment gone"):
        conclude_campaign(either, "ship")


def test_judgments_deleted_after_the_stop_leave_the_verdict(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    planted = Truth(effects={"new": 14.0, "old": 0.0})
    begin(sqlite, tmp_path / "ship.json", planted, **PLANNED, admission=RULE, settings=DENSE)
    clock = judge(sqlite, planted, seed=2)
    (last,) = campaign_looks(sqlite, "ship")[-1:]
    assert last.decision == "stop: better"
    erase_rater(sqlite, "ship", "r-02", who="ann")
    conclusion = conclude_campaign(sqlite, "ship", at_once=True, now=clock)
    assert conclusion.pairs[0].verdict == "better"
    assert conclusion.pairs[0].n_units >= last.n_units


def test_a_deletion_that_was_killed_half_way_is_done_before_the_next_look(
    sqlite: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    with monkeypatch.context() as patch:
        patch.setattr(withdraw, "settle_withdrawals", lambda *_: None)
        erase_rater(sqlite, "ship", "r-02", who="ann")
    assert judgments_of(sqlite, "r-02") > 0
    run_due_look(sqlite, "ship")
    assert judgments_of(sqlite, "r-02") == 0


def test_voided_and_deleted_work_that_somebody_else_holds_stays_theirs(
    sqlite: AnyStore, tmp_path: Path
) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    void_rater(sqlite, "ship", "r-01", **WHY)
    for _ in range(40):
        for rater in ("r-02", "r-03", "r-04"):
            page = sqlite.next_page(f"ship/{rater}", maker_of(sqlite), 500.0)
            assert isinstance(page, Page)
    held = sqlite.all("SELECT id, rater, epoch FROM work WHERE state = 'leased' ORDER BY id")
    erase_rater(sqlite, "ship", "r-01", who="ann")
    assert (
        sqlite.all("SELECT id, rater, epoch FROM work WHERE state = 'leased' ORDER BY id")
        == held
    )


def test_what_is_deleted_is_not_in_the_file_any_more(sqlite: AnyStore, tmp_path: Path) -> None:
    begin(sqlite, tmp_path / "ship.json", NOTHING, **PLANNED, n_raters=1, settings=DENSE)
    page = sqlite.next_page("ship/r-01", maker_of(sqlite), 1.0)
    assert isinstance(page, Page)
    note = {"skipped": "SENTINEL-OF-A-RATER"}
    sqlite.save("ship/r-01", page.token, key="k", answers=[Answer(score=None, extra=note)])

    def kept() -> bytes:
        return b"".join(one.read_bytes() for one in tmp_path.glob("c.sqlite*"))

    assert b"SENTINEL-OF-A-RATER" in kept()
    assert erase_rater(sqlite, "ship", "r-01", who="ann") == 1
    assert b"SENTINEL-OF-A-RATER" not in kept()


def test_who_has_finished_nothing_can_be_deleted_too(sqlite: AnyStore, tmp_path: Path) -> None:
    looked(sqlite, tmp_path / "ship.json", 1)
    sqlite.add_raters("ship", 1)
    page = sqlite.next_page("ship/r-05", maker_of(sqlite), 900.0)
    assert isinstance(page, Page)
    sqlite.save("ship/r-05", page.token, key="k", answers=[Answer(score=1.0)], now=901.0)
    assert erase_rater(sqlite, "ship", "r-05", who="ann") == 1
    (detail,) = events(tmp_path / "ship.json", "erasure")
    assert (detail["judgments"], detail["rows"], detail["work"]) == (1, "", "")
    judge(sqlite, NOTHING, seed=5, absent=("r-05",))
    assert len(campaign_looks(sqlite, "ship")) == 3


def test_without_a_plan_the_store_alone_keeps_note(either: AnyStore) -> None:
    from detectable.study.campaign.begin import begin_campaign
    from tests.study.campaign.simulated import corpus

    begin_campaign(either, corpus(20), "ship", mode="reference", rng=1, overlap=0.0)
    turn_campaign(either, "ship", "open")
    either.add_raters("ship", 3)
    judge(either, NOTHING, seed=1, after_block=lambda: True, most_pages=60)
    void_rater(either, "ship", "r-01", **WHY)
    n = judgments_of(either, "r-02")
    assert erase_rater(either, "ship", "r-02", who="ann") == n > 0
    told = {event: detail for _, event, detail in either.events("ship")}
    assert (told["void"]["rater"], told["void"]["evidence"]) == ("r-01", "one bank account")
    assert (told["erasure"]["rater"], told["erasure"]["judgments"]) == ("r-02", n)
