"""A campaign that watches itself, on both databases: checkpoints, looks once, stop, conclusion."""

import multiprocessing
from pathlib import Path

from detectable.data.store.records import State
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.looks import campaign_looks, decide_admissions, run_due_look_at
from tests.data.store.databases import stored
from tests.study.campaign.simulated import Truth, begin, judge

PLANTED = Truth(effects={"new": 12.0, "old": 0.0}, careless=frozenset({"r-02"}))
RULE = {"rule": "degraded-paired-t", "pairs": 8}
DENSE = {"controls": 0.5, "block": 6, "overlap": 0.1}


def test_a_campaign_stops_and_concludes(address: str, tmp_path: Path) -> None:
    store = stored(address, new=True)
    begin(
        store, tmp_path / "ship.json", PLANTED, n_items=90, n_max=60, looks=3, admission=RULE,
        n_raters=4, settings=DENSE,
    )  # fmt: skip
    clock = judge(store, PLANTED, seed=2)
    state: State = store.campaign("ship").state
    assert state == "stopped"
    assert campaign_progress(store, "ship").raters[1].check == "does not pass"
    conclusion = conclude_campaign(store, "ship", at_once=True, now=clock)
    assert conclusion.pairs[0].verdict == "better"
    assert len(conclusion.intention_to_rate) == 1


def test_servers_that_look_at_once_look_once(address: str, tmp_path: Path) -> None:
    store = stored(address, new=True)
    nothing = Truth(effects={"new": 0.0, "old": 0.0})
    begin(
        store, tmp_path / "ship.json", nothing, n_items=60, n_max=48, looks=8, futility="none",
        n_raters=4, settings=DENSE,
    )  # fmt: skip
    judge(store, nothing, seed=2, after_block=lambda: True, most_pages=160)
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(3) as pool:
        found = pool.starmap(run_due_look_at, [(address, "ship")] * 9)
    looks = sorted(one.look for one in found if one is not None)
    assert looks
    assert looks == list(range(1, len(looks) + 1))
    assert [one.look for one in campaign_looks(store, "ship")] == looks
    assert decide_admissions(store, "ship") == 0  # they decided everything, once
    once = store.one("SELECT COUNT(*), COUNT(DISTINCT seq) FROM admission")
    assert once[0] == once[1] > 0
