"""How a campaign ends: grace, what is cut, unblinding, and what the ledger keeps of it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import Answer, Page
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.close import conclude_campaign, turn_campaign, unblind
from detectable.study.campaign.export import export_campaign, payments_csv
from detectable.study.campaign.looks import campaign_looks, look_now, run_due_look
from detectable.study.campaign.work import CampaignWork, plan_of
from detectable.study.monitoring.conclude import conclude
from detectable.study.monitoring.ledger import LedgerState
from detectable.study.monitoring.look_input import planned_judgments
from detectable.study.monitoring.plan_history import plan_history
from detectable.study.monitoring.replay import replay
from detectable.study.monitoring.seen_rows import first_seen, hash_rows
from tests.study.campaign.simulated import Truth, begin, judge, maker_of

RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.0}
PLANTED = Truth(effects={"new": 12.0, "old": 0.0})
MINUTE = 60.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnyStore]:
    made = open_store(tmp_path / "c.sqlite", new=True)
    yield made
    made.close()


def stopped(store: AnyStore, path: Path, **planned: Any) -> float:
    """Run a campaign until it stops, and return the time; some work is still out."""
    options: dict[str, Any] = {
        "n_items": 160,
        "n_max": 120,
        "looks": 4,
        "admission": RULE,
        **planned,
    }
    begin(store, path, PLANTED, settings=DENSE, **options)
    clock = judge(store, PLANTED, seed=2)
    assert store.campaign("ship").state == "stopped"
    assert store.status("ship")["leased"] > 0
    return clock


def test_what_was_begun_may_be_finished_and_counts(store: AnyStore, tmp_path: Path) -> None:
    clock = stopped(store, tmp_path / "ship.json")
    with pytest.raises(DataError, match=r"may still be finished, for 45 minutes\. .*--at-once"):
        conclude_campaign(store, "ship", now=clock)
    with pytest.raises(DataError, match="for 1 minute"):
        conclude_campaign(store, "ship", now=clock + 45 * MINUTE - 1.0)
    before = campaign_progress(store, "ship").works
    assert before.waiting > 0
    clock = judge(store, PLANTED, seed=2, after_block=lambda: True)  # what is out, and no more
    assert store.status("ship")["leased"] == 0
    conclusion = conclude_campaign(store, "ship", now=clock)
    (pair,) = conclusion.pairs
    assert pair.overrun_units > 0
    assert pair.n_units == campaign_progress(store, "ship").n_units
    after = campaign_progress(store, "ship").works
    assert after.waiting == 0
    assert after.admitted > before.admitted
    last = [one for one in store.checkpoints("ship") if not one.tested]
    assert last  # too few controls: refused, as the rule says
    assert not any(one.passed for one in last)


def test_the_rest_may_count_if_the_rule_says_so(store: AnyStore, tmp_path: Path) -> None:
    clock = stopped(store, tmp_path / "ship.json", admission={**RULE, "few": "admit"})
    conclude_campaign(store, "ship", at_once=True, now=clock)
    last = [one for one in store.checkpoints("ship") if not one.tested]
    assert last
    assert all(one.passed for one in last)
    works = campaign_progress(store, "ship").works
    assert (works.waiting, works.in_work) == (0, 0)


def test_after_the_time_of_grace_what_is_out_is_cut(store: AnyStore, tmp_path: Path) -> None:
    clock = stopped(store, tmp_path / "ship.json")
    rater = next(
        one.code
        for one in store.raters("ship")
        if isinstance(store.next_page(f"ship/{one.code}", maker_of(store), clock), Page)
    )
    page = store.next_page(f"ship/{rater}", maker_of(store), clock)
    assert isinstance(page, Page)
    out = store.status("ship")["leased"]
    cut = store.status("ship")["cut"]
    conclude_campaign(store, "ship", now=clock + 45 * MINUTE + 1.0)
    assert store.status("ship")["leased"] == 0
    assert store.status("ship")["cut"] == cut + out
    assert store.campaign("ship").state == "concluded"


def test_it_can_be_concluded_again(store: AnyStore, tmp_path: Path) -> None:
    clock = stopped(store, tmp_path / "ship.json")
    first = conclude_campaign(store, "ship", at_once=True, now=clock)
    assert conclude_campaign(store, "ship") == first
    history = plan_history(tmp_path / "ship.json")
    assert [one.event for one in history.events] == ["campaign", "final"]
    digest = hashlib.sha256((tmp_path / "ship.conclusion.json").read_bytes()).hexdigest()
    assert history.events[1].detail == {
        "units": campaign_progress(store, "ship").n_units,
        "conclusion": digest,
    }


def test_nothing_is_concluded_before_a_look_says_stop(store: AnyStore, tmp_path: Path) -> None:
    begin(store, tmp_path / "ship.json", PLANTED, n_items=60, n_max=60, settings=DENSE)
    with pytest.raises(DataError, match="ship is open, and no look has said stop"):
        conclude_campaign(store, "ship")
    judge(store, PLANTED, seed=2, after_block=lambda: True, most_pages=200)
    turn_campaign(store, "ship", "stopped", who="ann")
    with pytest.raises(DataError, match=r"no look has said stop.*ship --final"):
        conclude_campaign(store, "ship")
    with pytest.raises(DataError, match="ship is stopped: no look is due any more"):
        look_now(store, "ship")
    look_now(store, "ship", final=True)
    assert conclude_campaign(store, "ship", at_once=True).pairs[0].verdict == "better"


def test_the_advice_to_give_up_can_be_taken(store: AnyStore, tmp_path: Path) -> None:
    worse = Truth(effects={"new": -3.0, "old": 0.0})
    planned: dict[str, Any] = {"n_max": 100, "looks": 5, "sided": 1, "futility": "p>.5"}
    begin(store, tmp_path / "ship.json", worse, n_items=140, **planned, settings=DENSE)
    judge(store, worse, seed=1, after_block=lambda: run_due_look(store, "ship") is None)
    assert campaign_looks(store, "ship")[-1].decision == "stop: futile"
    conclusion = conclude_campaign(store, "ship", at_once=True)
    assert conclusion.pairs[0].verdict == "undecided"
    assert store.campaign("ship").state == "concluded"


def test_who_knew_the_systems_is_in_the_ledger_and_in_the_conclusion(
    store: AnyStore, tmp_path: Path
) -> None:
    clock = stopped(store, tmp_path / "ship.json")
    with pytest.raises(InputError, match="must say why"):
        unblind(store, "ship", who="ann", reason=" ")
    unblind(store, "ship", who="ann", reason="a press date")
    assert campaign_progress(store, "ship").unblindings[0][1:] == ("ann", "a press date")
    export_campaign(store, "ship", tmp_path / "a.csv", unblind="a second look", who="bob")
    assert "new" in (tmp_path / "a.csv").read_text("utf-8")
    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    n = len(campaign_looks(store, "ship"))
    for who, why in (("ann", "a press date"), ("bob", "a second look")):
        said = f"Systems were named before the end, after {n} looks, by {who}: {why}"
        assert said.replace("1 looks", "1 look") in conclusion.notes
    before = plan_history(tmp_path / "ship.json").events
    unblind(store, "ship", who="ann", reason="it is over")  # no secret any more
    assert plan_history(tmp_path / "ship.json").events == before


def test_pauses_and_closing_without_a_verdict_are_in_the_ledger(
    store: AnyStore, tmp_path: Path
) -> None:
    begin(store, tmp_path / "ship.json", PLANTED, n_items=60, n_max=60, settings=DENSE)
    for state in ("paused", "open", "stopped", "concluded"):
        turn_campaign(store, "ship", state, who="ann")
    _, *events = plan_history(tmp_path / "ship.json").events
    assert [(one.event, one.after_look) for one in events] == [
        ("pause", 0),
        ("resume", 0),
        ("unblinding", 0),
    ]
    assert events[2].detail == {"who": "ann", "reason": "closed without a conclusion"}


def test_estimates_are_hidden_until_the_end(store: AnyStore, tmp_path: Path) -> None:
    clock = stopped(store, tmp_path / "ship.json")
    path = tmp_path / "ship.json"
    hidden = plan_history(path)
    assert hidden.blind
    assert (hidden.looks, hidden.n_looks) == ((), len(campaign_looks(store, "ship")))
    with pytest.raises(DataError, match="detectable campaign conclude"):
        conclude(path)
    with pytest.raises(DataError, match="whose store has the key"):
        replay(path, {"system": ["new", "old"], "item": [1, 1], "score": [1, 2]})
    assert [check.state for check in replay(path)] == ["not repeated"] * hidden.n_looks
    conclude_campaign(store, "ship", at_once=True, now=clock)
    shown = plan_history(path)
    assert not shown.blind
    assert len(shown.looks) == shown.n_looks
    assert [row.look for row in shown.admissions][-1] is None  # after the last look


def test_an_unblinded_history_is_shown(store: AnyStore, tmp_path: Path) -> None:
    stopped(store, tmp_path / "ship.json")
    unblind(store, "ship", who="ann", reason="a press date")
    assert len(plan_history(tmp_path / "ship.json").looks) > 0


def test_hashes_of_a_campaign_need_its_key(store: AnyStore, tmp_path: Path) -> None:
    stopped(store, tmp_path / "ship.json")
    state = LedgerState.read(plan_of(store, "ship"))
    work = CampaignWork.read(store, "ship", state.plan.scale)
    judgments = planned_judgments(state.plan, work.decided(state, work.units).judgments)
    salt = store.campaign("ship").salt
    found = first_seen(judgments, hash_rows(judgments, key=salt), state.entries)
    assert set(found.tolist()) == set(range(state.n_looks + 1))
    for wrong in ("", "00" * 16):
        with pytest.raises(DataError, match="Not one is left"):
            first_seen(judgments, hash_rows(judgments, key=wrong), state.entries)


def test_pay_depends_on_work_and_on_nothing_else(store: AnyStore, tmp_path: Path) -> None:
    careless = Truth(effects={"new": 12.0, "old": 0.0}, careless=frozenset({"r-02"}))
    begin(
        store, tmp_path / "ship.json", careless, n_items=60, n_max=60, looks=2, admission=RULE,
        n_raters=3, settings=DENSE,
    )  # fmt: skip
    judge(store, careless, seed=2, after_block=lambda: True, most_pages=200)
    rows = [line.split(",") for line in payments_csv(store, "ship").splitlines()]
    assert rows[0] == ["rater", "blocks", "judgments", "minutes", "amount"]
    told = {one.code: (one.blocks, one.pages, one.judgments) for one in store.raters("ship")}
    assert rows[1:] == [
        [code, str(blocks), str(n), f"{pages * 9.0 / 60.0:.1f}", ""]
        for code, (blocks, pages, n) in told.items()
    ]


def test_a_late_answer_is_kept_and_counts_only_for_all_raters(
    store: AnyStore, tmp_path: Path
) -> None:
    begin(
        store, tmp_path / "ship.json", PLANTED, n_items=120, n_max=90, looks=3, admission=RULE,
        settings={**DENSE, "lease_minutes": 2.0},
    )  # fmt: skip
    assert isinstance(store.next_page("ship/r-06", maker_of(store), 1.0), Page)
    tokens = store.all("SELECT token FROM page WHERE rater = 'ship/r-06'")
    clock = judge(store, PLANTED, seed=2, absent=("r-06",))
    for (token,) in tokens:  # the lease was over long ago
        said = store.save("ship/r-06", token, key="k", answers=[Answer(score=50.0)], now=clock)
        assert said == "saved late"
    assert campaign_progress(store, "ship").works.orphans == len(tokens)
    state = LedgerState.read(plan_of(store, "ship"))
    work = CampaignWork.read(store, "ship", state.plan.scale)
    decided = work.decided(state, work.units)
    assert "r-06" not in decided.judgments.column("rater").levels
    assert decided.all_work.column("rater").labels().count("r-06") == len(tokens)
    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    assert conclusion.pairs[0].verdict == "better"
