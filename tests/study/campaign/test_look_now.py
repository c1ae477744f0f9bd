"""Looks at a campaign: by themselves, once, with what was admitted first."""

import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import BusyError, DataError, InputError
from detectable.data.files.ledger_file import locked
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Answer, Page
from detectable.study.campaign.campaigns import campaign_progress, campaigns
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.looks import (
    campaign_looks,
    decide_admissions,
    due_look,
    go_on,
    look_now,
    run_due_look,
    run_due_look_at,
    settle,
    stop,
)
from detectable.study.campaign.work import plan_of
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look import look
from detectable.study.monitoring.plan_history import plan_history
from tests.study.campaign.simulated import Truth, begin, judge, maker_of

RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.1}
PLANTED = Truth(effects={"new": 7.0, "old": 0.0}, careless=frozenset({"r-03"}))
NOTHING = Truth(effects={"new": 0.0, "old": 0.0})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnyStore]:
    made = open_store(tmp_path / "c.sqlite", new=True)
    yield made
    made.close()


def nothing_more() -> bool:
    return True


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_campaign_stops_early_and_says_what_was_planted(
    store: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    begin(store, path, PLANTED, n_items=160, n_max=120, looks=4, admission=RULE, settings=DENSE)
    clock = judge(store, PLANTED, seed=4)
    looks = campaign_looks(store, "ship")
    assert [one.decision for one in looks][-1] == "stop: better"
    assert [one.n_units for one in looks] == [30, 60, 90, 120][: len(looks)]
    assert len(looks) < 4
    assert store.campaign("ship").state == "stopped"
    assert store.status("ship")["open"] == 0
    found = campaign_progress(store, "ship")
    careless = found.raters[2]
    assert (careless.rater, careless.admitted, careless.check) == ("r-03", 0, "does not pass")
    assert careless.refused > 0
    assert all(one.refused == 0 for one in found.raters if one.rater != "r-03")
    assert all(one.seconds == 9.0 for one in found.raters)
    # What was refused went to somebody else, and counts there.
    again = [row for row in store.rows("ship") if row.epoch > 1 and row.admitted]
    assert again
    assert all(row.rater != "r-03" for row in again)

    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    (pair,) = conclusion.pairs
    assert (pair.verdict, pair.system) == ("better", "new")
    assert pair.interval is not None
    assert 0.0 < pair.interval.low < 7.0 < pair.interval.high
    assert pair.p_value < 0.05
    (everything,) = conclusion.intention_to_rate
    assert everything.n_units > pair.n_units  # also the lines that only r-03 has judged
    assert store.campaign("ship").state == "concluded"
    events = [line["event"] for line in lines(path.with_suffix(".ledger.jsonl"))]
    assert events == [
        "plan",
        "campaign",
        *["admission", "look"] * len(looks),
        "admission",
        "final",
    ]
    assert plan_history(path).n_looks == len(looks)


def test_each_look_sees_the_lines_that_were_admitted_first(
    store: AnyStore, tmp_path: Path
) -> None:
    path = tmp_path / "ship.json"
    planned: dict[str, Any] = {"n_max": 90, "looks": 3, "admission": RULE, "futility": "none"}
    begin(store, path, NOTHING, n_items=120, **planned, settings={**DENSE, "overlap": 0.2})
    judge(store, NOTHING, seed=1)
    order: dict[tuple[str, str], int | None] = {}
    for row in sorted(store.rows("ship"), key=lambda row: row.seq or 0):
        if row.wave == 1 and row.admitted and row.kind == "system":
            order.setdefault((row.rater, row.item), row.seq)
    state = LedgerState.read(plan_of(store, "ship"))
    assert [entry["pairs"][0]["n_units"] for entry in state.entries] == [30, 60, 90]
    first = list(order)[:90]
    of_first = [r for r in store.rows("ship") if (r.rater, r.item) in first and r.admitted]
    own = [row for row in of_first if row.kind in ("system", "repeat") and row.wave == 1]
    assert state.entries[-1]["judgments"] == len(own)
    assert state.entries[-1]["pairs"][0]["decision"] == "stop: undecided"


def test_an_undecided_end_keeps_its_p_value_whatever_came_beside_it(
    store: AnyStore, tmp_path: Path
) -> None:
    planned: dict[str, Any] = {"n_max": 60, "looks": 2, "admission": RULE, "futility": "none"}
    begin(store, tmp_path / "ship.json", NOTHING, n_items=120, **planned, settings=DENSE)
    clock = judge(store, NOTHING, seed=1)
    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    (pair,) = conclusion.pairs
    assert (pair.verdict, pair.n_units) == ("undecided", 60)
    assert 0.05 < pair.p_value <= 1.0
    assert any(
        "admitted beyond the end of the plan left out" in one for one in conclusion.notes
    )


def test_without_a_rule_all_finished_work_counts(store: AnyStore, tmp_path: Path) -> None:
    path = tmp_path / "ship.json"
    begin(store, path, PLANTED, n_items=60, n_max=40, looks=2, settings=DENSE)
    judge(store, PLANTED, seed=1)
    assert [one.n_units for one in campaign_looks(store, "ship")] == [20, 40]
    assert store.checkpoints("ship") == []
    events = [line["event"] for line in lines(path.with_suffix(".ledger.jsonl"))]
    assert events == ["plan", "campaign", "look", "look"]


def test_texts_that_nobody_can_judge_are_no_units(store: AnyStore, tmp_path: Path) -> None:
    truth = Truth(effects={"new": 0.0, "old": 0.0}, skips=0.1)
    planned: dict[str, Any] = {"n_max": 40, "looks": 2, "family": "pocock", "futility": "none"}
    begin(store, tmp_path / "ship.json", truth, n_items=80, **planned, settings=DENSE)
    judge(store, truth, seed=2)
    # A classical family looks at exactly these numbers, and refuses others.
    assert [one.n_units for one in campaign_looks(store, "ship")] == [20, 40]


def test_documents_are_cut_where_the_plan_ends(store: AnyStore, tmp_path: Path) -> None:
    planned: dict[str, Any] = {"n_max": 50, "looks": 2, "futility": "none", "unit": "document"}
    settings = {"controls": 0.3, "block": 3, "overlap": 0.0}
    begin(
        store,
        tmp_path / "ship.json",
        NOTHING,
        n_items=120,
        lines_per_document=4,
        **planned,
        settings=settings,
    )
    judge(store, NOTHING, seed=2)
    assert [one.n_units for one in campaign_looks(store, "ship")] == [25, 50]


def collected(store: AnyStore, path: Path, **planned: Any) -> None:
    """Collect some work, and look at nothing."""
    begin(store, path, NOTHING, n_items=80, n_max=60, **planned, settings=DENSE)
    judge(store, NOTHING, seed=1, after_block=nothing_more, most_pages=240)
    decide_admissions(store, "ship")


def test_a_look_that_is_due_is_run_once(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=2, futility="none")
    due = due_look(store, "ship")
    assert due is not None
    assert (due.look, due.at) == (1, 30)
    assert due.n_units >= 30
    ledger = tmp_path / "ship.ledger.jsonl"
    with locked(ledger):  # another process is looking
        assert run_due_look(store, "ship") is None
        with pytest.raises(BusyError, match="another process is looking"):
            look_now(store, "ship")
    store.begin_look("ship", 1)  # another server, which has its own copy of the ledger
    assert run_due_look(store, "ship") is None
    store.leave_look("ship", 1)
    first = run_due_look(store, "ship")
    assert first is not None
    assert (first.look, first.n_units) == (1, 30)
    assert len(lines(ledger)) == 3  # plan, campaign, look


def test_two_servers_on_one_store_run_each_look_once(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=10, futility="none")
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(4) as pool:
        found = pool.starmap(run_due_look_at, [(str(tmp_path / "c.sqlite"), "ship")] * 12)
    while (more := run_due_look(store, "ship")) is not None:
        found.append(more)
    looks = sorted(one.look for one in found if one is not None)
    assert looks == list(range(1, len(looks) + 1))
    assert len(looks) >= 3
    entries = LedgerState.read(plan_of(store, "ship")).entries
    assert [entry["look"] for entry in entries] == looks
    assert [one.n_units for one in campaign_looks(store, "ship")] == [6 * n for n in looks]


def test_what_a_killed_process_left_is_done_by_the_next(
    store: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, tmp_path / "ship.json", PLANTED, n_items=80, n_max=60, looks=2, settings=DENSE)
    judge(store, PLANTED, seed=1, after_block=nothing_more)

    with monkeypatch.context() as patch:
        patch.setattr("detectable.study.campaign.looks.settle", lambda *_, **__: None)
        run_due_look(store, "ship")  # the ledger has it, and the store does not
        run_due_look(store, "ship")
    assert LedgerState.read(plan_of(store, "ship")).n_looks >= 1
    assert campaign_looks(store, "ship") == ()
    assert store.campaign("ship").state == "open"
    run_due_look(store, "ship")
    assert (
        len(campaign_looks(store, "ship")) == LedgerState.read(plan_of(store, "ship")).n_looks
    )
    assert store.campaign("ship").state == "stopped"


def test_two_servers_may_stop_it(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=5, futility="none")
    state = LedgerState.read(plan_of(store, "ship"))
    stop(store, "ship", state, now=5.0)
    stop(store, "ship", state, now=6.0)
    assert [at for at, event, _ in store.events("ship") if event == "stopped"] == [5.0]


def test_a_ledger_that_was_read_before_another_looked_accuses_nobody(
    store: AnyStore, tmp_path: Path
) -> None:
    collected(store, tmp_path / "ship.json", looks=5, futility="none")
    before = LedgerState.read(plan_of(store, "ship"))
    made = run_due_look(store, "ship")
    assert made is not None
    settle(store, "ship", before)
    assert [one.look for one in campaign_looks(store, "ship")] == [1]


def test_a_ledger_that_was_put_back_is_refused(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=5, futility="none")
    run_due_look(store, "ship")
    store.end_look("ship", 2, campaign_looks(store, "ship")[0].to_json())
    with pytest.raises(DataError, match=r"the store knows 2 looks at ship, and the ledger 1\."):
        run_due_look(store, "ship")


def test_a_clock_that_is_set_back_changes_no_order(store: AnyStore, tmp_path: Path) -> None:
    begin(
        store, tmp_path / "ship.json", NOTHING, n_items=60, n_max=60, looks=5, futility="none",
        settings=DENSE,
    )  # fmt: skip
    maker = maker_of(store)
    clock = 10_000.0
    for n in range(400):
        clock -= 1.0  # it only ever goes back
        rater = f"ship/r-0{1 + n % 2}"
        page = store.next_page(rater, maker, clock)
        if not isinstance(page, Page):
            continue
        store.save(
            rater, page.token, key="k", answers=[Answer(score=float(37 * n % 90))], now=clock
        )
        if page.place == page.n_pages:
            run_due_look(store, "ship", now=clock)
    assert [one.n_units for one in campaign_looks(store, "ship")] == [12, 24, 36, 48, 60]


def test_look_now_is_for_plans_that_allow_it(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=2, futility="none")
    n = campaign_progress(store, "ship").n_units
    assert n < 60
    made = look_now(store, "ship")
    assert (made.look, made.decision, made.n_units) == (1, "continue", n)
    with pytest.raises(DataError, match="no judgment is new"):
        look_now(store, "ship")
    assert len(campaign_looks(store, "ship")) == 1
    assert store.begin_look("ship", 2)  # what could not be run was given back


def test_look_now_is_refused_for_classical_families(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=2, family="pocock", futility="none")
    with pytest.raises(DataError, match="looks at 30, 60 units only, by itself"):
        look_now(store, "ship")
    last = look_now(store, "ship", final=True)
    assert last.decision == "stop: undecided"
    assert store.campaign("ship").state == "stopped"
    with pytest.raises(DataError, match=r"ship is stopped: look 1 was the last\. Conclude it"):
        look_now(store, "ship", final=True)


def test_bets_are_looked_at_when_somebody_asks(store: AnyStore, tmp_path: Path) -> None:
    truth = Truth(effects={"new": 30.0, "old": 0.0})
    begin(store, tmp_path / "ship.json", truth, n_items=60, test="e-process", settings=DENSE)
    judge(store, truth, seed=1, after_block=nothing_more, most_pages=400)
    assert run_due_look(store, "ship") is None
    assert due_look(store, "ship") is None
    made = look_now(store, "ship")
    assert made.decision == "stop: better"
    assert store.campaign("ship").state == "stopped"


def test_the_advice_to_give_up_is_the_organisers_to_take(
    store: AnyStore, tmp_path: Path
) -> None:
    worse = Truth(effects={"new": -1.0, "old": 0.0})
    planned: dict[str, Any] = {"n_max": 100, "looks": 5, "sided": 1, "futility": "p>.5"}
    begin(store, tmp_path / "ship.json", worse, n_items=140, **planned, settings=DENSE)
    with pytest.raises(DataError, match="did not advise to give up"):
        go_on(store, "ship", who="ann", reason="it is early")
    judge(store, worse, seed=1, after_block=lambda: run_due_look(store, "ship") is None)
    first = campaign_looks(store, "ship")
    while first[-1].decision == "continue":
        judge(store, worse, seed=1, after_block=lambda: run_due_look(store, "ship") is None)
        first = campaign_looks(store, "ship")
    assert first[-1].decision == "stop: futile"
    assert store.campaign("ship").state == "open"
    assert campaign_progress(store, "ship").advice
    judge(store, worse, seed=1, after_block=nothing_more)
    assert run_due_look(store, "ship") is None  # it waits for a word
    with pytest.raises(InputError, match="`reason` must say why"):
        go_on(store, "ship", who="ann", reason=" ")
    go_on(store, "ship", who="ann", reason="the client wants the full number")
    assert not campaign_progress(store, "ship").advice
    more = run_due_look(store, "ship")
    assert more is not None
    assert more.look == first[-1].look + 1
    assert LedgerState.read(plan_of(store, "ship")).entries[-1]["overruled"]


def test_a_leaderboard_judges_only_who_is_still_in_question(
    store: AnyStore, tmp_path: Path
) -> None:
    truth = Truth(effects={"old": 0.0, "bad": -25.0, "near": 1.0})
    planned: dict[str, Any] = {"n_max": 90, "looks": 3, "futility": "none", "baseline": "old"}
    rule = {"rule": "symmetric", "pairs": 8}
    begin(
        store, tmp_path / "ship.json", truth, n_items=120, **planned, admission=rule,
        settings={**DENSE, "overlap": 0.0},
    )  # fmt: skip
    judge(store, truth, seed=5)
    first = campaign_looks(store, "ship")[0]
    assert {one.system: one.decision for one in first.pairs} == {
        "bad": "stop: worse",
        "near": "continue",
    }
    assert store.campaign("ship").needed == ("old", "near")
    after = {
        row.system for row in store.rows("ship") if row.block == 9 and row.kind == "system"
    }
    assert after <= {"old", "near"}
    assert [one.n_units for one in campaign_looks(store, "ship")] == [30, 60, 90]
    _, *later = plan_history(tmp_path / "ship.json").events
    assert [(one.event, one.detail) for one in later] == [
        ("needed", {"systems": ["old", "near"]})
    ]
    # Late work has fewer systems, and its controls are compared with these.
    assert all(one.passed for one in store.checkpoints("ship") if one.tested)


def test_tables_and_campaigns_do_not_mix(store: AnyStore, tmp_path: Path) -> None:
    collected(store, tmp_path / "ship.json", looks=5, futility="none")
    run_due_look(store, "ship")
    table = {"system": ["new", "old"], "item": ["1", "1"], "score": [1, 2], "rater": ["a", "a"]}
    with pytest.raises(DataError, match="run by a campaign, whose store has the key"):
        look(tmp_path / "ship.json", table)
    other = tmp_path / "other"
    other.mkdir()
    second = open_store(other / "c.sqlite", new=True)
    begin(second, other / "ship.json", NOTHING, n_items=80, n_max=60, settings=DENSE)
    judge(second, NOTHING, seed=1, after_block=nothing_more, most_pages=300)
    many = {
        "system": ["new", "old"] * 20,
        "item": [str(i // 2) for i in range(40)],
        "score": [float((7 * i) % 50) for i in range(40)],
        "rater": ["a"] * 40,
    }
    look(other / "ship.json", many)
    with pytest.raises(DataError, match="looked at with a table, not by a campaign"):
        look_now(second, "ship")
    second.close()


def test_a_score_that_was_changed_in_the_store_is_found(
    store: AnyStore, tmp_path: Path
) -> None:
    collected(store, tmp_path / "ship.json", looks=5, futility="none")
    run_due_look(store, "ship")
    store.run("UPDATE judgment SET score = 100 - score")
    with pytest.raises(DataError, match="earlier looks saw other data"):
        run_due_look(store, "ship")


def test_an_admission_that_was_changed_in_the_store_is_found(
    store: AnyStore, tmp_path: Path
) -> None:
    begin(
        store, tmp_path / "ship.json", PLANTED, n_items=160, n_max=120, looks=10, admission=RULE,
        settings=DENSE,
    )  # fmt: skip
    judge(store, PLANTED, seed=4, after_block=lambda: run_due_look(store, "ship") is None)
    store.run("UPDATE admission SET admitted = 1 - admitted WHERE seq = 1")
    judge(store, PLANTED, seed=4, after_block=nothing_more, most_pages=200)
    with pytest.raises(DataError, match="admitted or refused otherwise than the ledger says"):
        look_now(store, "ship")


def test_the_plan_is_found_beside_the_store(store: AnyStore, tmp_path: Path) -> None:
    made = tmp_path / "elsewhere"
    made.mkdir()
    begin(store, made / "ship.json", NOTHING, n_items=40, n_max=30, settings=DENSE)
    assert plan_of(store, "ship").n_max == 30
    for ending in (".json", ".ledger.jsonl", ".ledger.jsonl.lock"):
        (made / f"ship{ending}").rename(tmp_path / f"ship{ending}")
    assert plan_of(store, "ship").path == str(tmp_path / "ship.json")
    (tmp_path / "ship.json").rename(tmp_path / "moved.json")
    with pytest.raises(DataError, match=r"the plan of ship is not where it was .*--plan"):
        plan_of(store, "ship")
    assert plan_of(store, "ship", tmp_path / "moved.json").n_max == 30


def test_another_plan_and_none_are_refused(store: AnyStore, tmp_path: Path) -> None:
    from detectable.study.campaign.begin import begin_campaign
    from detectable.study.monitoring.plan import plan
    from tests.study.campaign.simulated import corpus

    begin(store, tmp_path / "ship.json", NOTHING, n_items=40, n_max=30, settings=DENSE)
    plan(tmp_path / "other.json", systems=("new", "old"), n_max=31)
    with pytest.raises(DataError, match="ship was made with another plan"):
        run_due_look(store, "ship", plan=tmp_path / "other.json")
    begin_campaign(store, corpus(40), "free", mode="reference", rng=1)
    with pytest.raises(DataError, match="free was made without a plan"):
        run_due_look(store, "free")


def test_a_plan_that_the_texts_cannot_fill_is_refused(store: AnyStore, tmp_path: Path) -> None:
    said = (
        r"`plan` must end at 120 lines at most, as the texts have no more; got 121\. Plan 120"
    )
    with pytest.raises(InputError, match=said):
        begin(store, tmp_path / "ship.json", NOTHING, n_max=121)
    assert not store.names()


def test_a_campaign_stalls_when_no_rater_is_left_for_what_waits(
    store: AnyStore, tmp_path: Path
) -> None:
    often = Truth(effects={"new": 0.0, "old": 0.0}, skips=0.2)
    begin(store, tmp_path / "ship.json", often, n_max=120, looks=2, settings={"overlap": 0.1})
    assert not campaign_progress(store, "ship").stalled
    judge(store, often, seed=1)
    found = campaign_progress(store, "ship")
    assert (found.stalled, found.may_end, found.works.open) == (True, True, 0)
    line = campaigns(store, "ship")
    assert f"{found.n_units} count so far. Stalled: no work is left." in line.summary()
    assert "(detectable campaign look ship --final)" in line.summary()
    look_now(store, "ship", final=True)
    found = campaign_progress(store, "ship")
    assert (found.state, found.stalled, found.may_end) == ("stopped", False, False)


def test_work_that_every_rater_has_seen_needs_another(store: AnyStore, tmp_path: Path) -> None:
    bad = Truth(effects={"new": 0.0, "old": 0.0}, careless=frozenset({"r-01"}))
    begin(store, tmp_path / "ship.json", bad, n_max=120, looks=1, n_raters=1, settings=DENSE,
          admission=RULE)  # fmt: skip
    judge(store, bad, seed=1)
    found = campaign_progress(store, "ship")
    assert found.stalled
    assert found.works.open > 0
    assert "Stalled: every rater has seen the" in campaigns(store, "ship").summary()
    store.add_raters("ship", 1)
    assert store.takers("ship") == 1
    assert not campaign_progress(store, "ship").stalled


def test_why_a_look_failed_is_told_until_it_is_made(
    store: AnyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, tmp_path / "ship.json", NOTHING, n_max=120, looks=2)
    judge(store, NOTHING, seed=1, after_block=lambda: due_look(store, "ship") is None)

    def broken(*_: object, **__: object) -> None:
        raise DataError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("detectable.study.campaign.looks.look", broken)
        for _ in range(2):
            with pytest.raises(DataError, match="the disk is full"):
                run_due_look(store, "ship")
    assert [event for _, event, _ in store.events("ship")].count("look failed") == 1
    assert campaign_progress(store, "ship").failed == "the disk is full."
    assert "could not be made: the disk is full." in campaigns(store, "ship").summary()
    assert run_due_look(store, "ship") is not None
    assert campaign_progress(store, "ship").failed == ""


@pytest.mark.parametrize("budget", [60, 150])
def test_a_budget_is_never_passed(store: AnyStore, tmp_path: Path, budget: int) -> None:
    """Three raters of six click: their work is judged again, until the budget is spent."""
    bad = Truth(effects={"new": 3.0, "old": 0.0}, careless=frozenset({"r-01", "r-03", "r-05"}))
    more = {**DENSE, "budget": budget}
    begin(store, tmp_path / "ship.json", bad, n_max=120, looks=2, admission=RULE, settings=more)
    judge(store, bad, seed=2)
    asked = store.status("ship")["judgments"] + store.status("ship")["skipped"]
    assert budget - 40 < asked <= budget  # a block less, at most
    found = campaign_progress(store, "ship")
    assert (found.answers, found.budget, found.spent, found.stalled) == (
        asked,
        budget,
        True,
        True,
    )
    assert f"Answers asked for: {asked} of {budget}." in campaigns(store, "ship").summary()
    assert "the next block would pass the budget" in campaigns(store, "ship").summary()
    assert [event for _, event, _ in store.events("ship")].count("budget") == 1


def test_a_block_that_is_not_given_out_leaves_no_trace(store: AnyStore, tmp_path: Path) -> None:
    begin(store, tmp_path / "ship.json", NOTHING, n_max=120, settings={**DENSE, "budget": 1})
    before = store.status("ship")
    assert not isinstance(store.next_page("ship/r-01", maker_of(store), 1.0), Page)
    assert store.status("ship") == before
    assert store.takers("ship") == 6  # nobody has seen a text
    assert {one.blocks for one in store.raters("ship")} == {0}
