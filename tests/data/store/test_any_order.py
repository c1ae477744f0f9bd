"""Whatever raters, clocks and organisers do in whatever order, the store stays consistent."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from detectable.core.errors import DataError, RefusedError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Decision, JudgmentRow, Page, State
from detectable.data.store.store import Store
from detectable.study.campaign.campaigns import campaign_progress
from detectable.study.campaign.close import conclude_campaign
from detectable.study.campaign.looks import campaign_looks, decide_admissions, run_due_look_at
from tests.data.store import rater_process
from tests.data.store.databases import close_all, empty, opened, plain, server, small, stored
from tests.study.campaign.simulated import Truth, begin, judge

LEASE = 10.0


class Campaign(RuleBasedStateMachine):
    """Raters ask, save, save again, come late; leases run out; work is refused; it stops.

    The work of a rater is voided, or their judgments are deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Path(self.folder.name) / "c.sqlite", new=True)
        self.now = 0.0
        self.raters: list[str] = []
        self.pages: list[tuple[str, Page]] = []
        self.saved: dict[str, float] = {}
        self.stopped = False
        self.gone: list[str] = []  # raters whose work was taken back
        self.deleted = 0

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @initialize(documents=st.integers(1, 6), overlap=st.integers(0, 2), block=st.integers(1, 3))
    def begin(self, documents: int, overlap: int, block: int) -> None:
        overlap = min(overlap, documents)
        self.store.create(small(documents, overlap=overlap, block=block, lease=LEASE), now=0.0)
        self.store.turn("c", "open", now=0.0)
        self.add_rater()

    @rule()
    def add_rater(self) -> None:
        if len(self.raters) < 5 and len(self.gone) < 3:
            self.raters += [f"c/{link.code}" for link in self.store.add_raters("c", 1)]

    @rule(seconds=st.sampled_from([0.0, 1.0, 6.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(which=st.integers(0, 4))
    def ask(self, which: int) -> None:
        rater = self.raters[which % len(self.raters)]
        page = self.store.next_page(rater, plain, self.now)
        if isinstance(page, Page):
            assert page.token not in self.saved
            self.pages.append((rater, page))

    @precondition(lambda self: self.pages)
    @rule(which=st.integers(0, 50), score=st.sampled_from([10.0, 90.0]))
    def answer(self, which: int, score: float) -> None:
        rater, page = self.pages[which % len(self.pages)]
        call = {"key": f"{score}", "answers": [Answer(score=score)], "now": self.now}
        before = self.saved.get(page.token)
        if before is not None and before != score:
            with pytest.raises(RefusedError, match="with other answers"):
                self.store.save(rater, page.token, **call)  # type: ignore[arg-type]
            return
        said = self.store.save(rater, page.token, **call)  # type: ignore[arg-type]
        assert (said == "again") == (before is not None)
        self.saved[page.token] = score

    @precondition(lambda self: not self.stopped)
    @rule(admitted=st.booleans())
    def decide(self, admitted: bool) -> None:
        before = self._decided()

        def first(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
            assert all(row.done_at is not None and row.admitted is None for row in rows)
            work = min((row.work, row.epoch) for row in rows)
            rater = next(row.rater for row in rows if row.work == work[0])
            made = Decision(
                rater=rater, works=(work,), admitted=admitted, n_pairs=2, tested=True
            )
            return [] if ending else [made]

        self.store.decide("c", first, most_failed=2, now=self.now)
        after = self._decided()
        assert after[: len(before)] == before  # what is decided stays, in its order

    def _decided(self) -> list[tuple[int, int, int]]:
        return self.store.all("SELECT work, epoch, admitted FROM admission ORDER BY seq")

    @precondition(lambda self: not self.stopped)
    @rule()
    def stop(self) -> None:
        self.store.turn("c", "stopped", now=self.now)
        self.stopped = True

    @precondition(lambda self: len(self.raters) > 1)
    @rule(which=st.integers(0, 4), deleted=st.booleans())
    def take_back(self, which: int, deleted: bool) -> None:
        rater = self.raters.pop(which % len(self.raters))
        code = rater.partition("/")[2]
        mine = {page.token for holder, page in self.pages if holder == rater}
        if deleted:
            n = self.store.erase("c", code, (), {}, now=self.now)
            answered = [token for token in self.saved if token in mine]
            assert n == len(answered)
            self.deleted += n
            for token in answered:
                del self.saved[token]
        else:
            self.store.void("c", code, (), {}, now=self.now)
            assert code in self.store.voided("c")
        with pytest.raises(RefusedError, match="This link is not valid"):
            self.store.next_page(rater, plain, self.now)
        held = self.store.one(
            "SELECT COUNT(*) FROM work WHERE rater = ? AND state = 'leased'", rater
        )
        assert held[0] == 0
        if not self.stopped:  # all that was theirs is for somebody else
            kept = self.store.one(
                "SELECT COUNT(*) FROM work WHERE rater = ? AND state = 'done'", rater
            )
            assert kept[0] == 0
        self.pages = [one for one in self.pages if one[0] != rater]
        self.gone.append(rater)

    @invariant()
    def answers_stay(self) -> None:
        scores = dict(self.store.all("SELECT page, score FROM judgment"))
        assert scores == self.saved

    @invariant()
    def counters_are_counts(self) -> None:
        if not self.raters:
            return
        counts = self.store.status("c")
        assert counts["judgments"] == len(self.saved)
        assert counts["pages"] == len(self.saved) + self.deleted
        if self.gone:
            return  # what they had finished is counted, and was given out again
        kept = self.store.one("SELECT COUNT(*) FROM work WHERE state = 'done'")[0]
        refused = self.store.one(
            "SELECT COUNT(*) FROM admission a JOIN work w ON w.id = a.work "
            "WHERE a.admitted = 0 AND NOT (w.epoch = a.epoch AND w.state = 'done')"
        )[0]
        assert counts["works_done"] == kept + refused

    @invariant()
    def nothing_admitted_is_given_out_again(self) -> None:
        assert not self.store.all(
            "SELECT w.id FROM work w JOIN admission a ON a.work = w.id AND a.admitted = 1 "
            "WHERE NOT (w.state = 'done' AND w.epoch = a.epoch) AND NOT EXISTS (SELECT 1 FROM "
            "page p JOIN rater r ON r.id = p.rater WHERE p.work = a.work AND p.epoch = a.epoch "
            "AND r.state = 'revoked')"
        )

    @invariant()
    def work_is_done_when_all_its_pages_are(self) -> None:
        for work, state, epoch, left in self.store.all(
            "SELECT id, state, epoch, left_to_do FROM work"
        ):
            n_open = self.store.one(
                "SELECT COUNT(*) FROM page WHERE work = ? AND epoch = ? AND done = 0",
                work,
                epoch,
            )[0]
            if state == "done":
                assert n_open == 0
            if state == "leased":
                assert n_open == left > 0

    @invariant()
    def nobody_sees_a_part_twice(self) -> None:
        assert not self.store.all(
            "SELECT p.rater, w.part FROM page p JOIN work w ON w.id = p.work "
            "GROUP BY p.rater, w.part HAVING COUNT(DISTINCT p.work || ':' || p.epoch) > 1"
        )


Campaign.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestAnyOrder = Campaign.TestCase


# --- Many processes on one store, and processes that are killed while they save ---

ROOT = Path(__file__).parents[3]


def start(address: str, rater: str, *more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", rater_process.__name__, address, rater, *more],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
    )


def check_whole(store: Store, acknowledged: list[str]) -> None:
    """What was acknowledged is there, nothing is torn, and the counters are right."""
    rows = store.rows("c")
    tokens = Counter(row[0] for row in store.all("SELECT page FROM judgment"))
    assert set(acknowledged) <= set(tokens)
    assert set(tokens.values()) == {2}  # both lines of a page, or none
    done = {row[0] for row in store.all("SELECT token FROM page WHERE done = 1")}
    assert done == set(tokens)
    counts = store.status("c")
    assert counts["pages"] == len(tokens)
    assert counts["judgments"] == len(rows)
    finished = store.one("SELECT COUNT(*) FROM work WHERE state = 'done'")[0]
    assert counts["works_done"] == finished
    given = store.all("SELECT rater, work, system, COUNT(*) FROM page GROUP BY 1, 2, 3")
    assert {row[3] for row in given} <= {1}
    seen = store.all(
        "SELECT p.rater, w.part FROM page p JOIN work w ON w.id = p.work "
        "GROUP BY p.rater, w.part, w.wave"
    )
    assert len(seen) == len(set(map(tuple, seen)))  # nobody sees a document in two waves


def race(address: str, n_documents: int, n_raters: int) -> None:
    store = opened(
        address, small(n_documents, overlap=n_documents // 10, block=4, lease=3600, lines=2)
    )
    raters = [f"c/{link.code}" for link in store.add_raters("c", n_raters)]
    processes = [start(address, rater) for rater in raters]
    said = [
        line.split() for p in processes for line in p.communicate(timeout=300)[0].splitlines()
    ]
    pages = [line for line in said if line]
    assert all(line[3] == "saved" for line in pages)
    assert len({line[0] for line in pages}) == len(pages)
    check_whole(store, [line[0] for line in pages])
    works = n_documents + n_documents // 10
    assert len(pages) == 2 * works
    assert store.status("c")["works_done"] == works
    each = Counter((line[1], line[2]) for line in pages)
    assert Counter(each.values()) == {
        1: 2 * (n_documents - n_documents // 10),
        2: 2 * (n_documents // 10),
    }


def test_processes_share_the_work_out(address: str) -> None:
    race(address, 40, 4)


@pytest.mark.slow
def test_eight_processes_and_four_hundred_documents(address: str) -> None:
    race(address, 400, 8)


def kill_savers(address: str, times: int) -> None:
    rng = random.Random(7)
    store = opened(address, small(2000 + 40 * times, block=2, lease=3600, lines=2))
    acknowledged: list[str] = []
    for _ in range(times):
        (link,) = store.add_raters("c", 1)
        process = start(address, f"c/{link.code}")
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=60)
        lines = out.split("\n")[:-1]  # a line without its end was not read by anybody
        acknowledged += [line.split()[0] for line in (first, *lines)]
    assert acknowledged
    check_whole(store, acknowledged)


def test_a_killed_process_loses_nothing_that_it_was_told(address: str) -> None:
    kill_savers(address, 4)


@pytest.mark.slow
def test_a_thousand_kills(tmp_path: Path) -> None:
    kill_savers(str(tmp_path / "c.sqlite"), 1000)


def kill_changers(address: str, times: int) -> None:
    """Kill who writes drafts, saves and changes; what was told is on the disk."""
    rng, done = random.Random(9), set[str]()
    store = opened(address, small(500 + 20 * times, block=1, lease=3600, lines=2))
    for _ in range(times):
        (link,) = store.add_raters("c", 1)
        process = start(address, f"c/{link.code}", "changes")
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=60)
        told = [line.split() for line in (first, *out.split("\n")[:-1])]
        rater = f"c/{link.code}"
        done = {row[0] for row in store.all("SELECT token FROM page WHERE done = 1")}
        scores = dict(store.all("SELECT page, MAX(score) FROM judgment GROUP BY page"))
        for word, *more in told:
            if word == "changed":
                assert scores[more[0]] == -1.0
            elif word == "draft":
                kept = store.given_page(rater, more[0]).draft
                assert more[0] in done or int(kept or -1) >= int(more[1])
            else:
                assert word in done
        changed = {one.page for one in store.revisions("c") if f"c/{one.rater}" == rater}
        assert changed >= {more[0] for word, *more in told if word == "changed"}
        assert {page for page in changed if scores[page] != -1.0} == set()
    drafts = {row[0] for row in store.all("SELECT page FROM draft")}
    assert not drafts & done
    check_whole(store, sorted(done))


def test_killed_drafts_and_changes_are_whole(address: str) -> None:
    kill_changers(address, 4)


@pytest.mark.slow
def test_three_hundred_kills_of_drafts_and_changes(address: str) -> None:
    kill_changers(address, 300)


def kill_servers(times: int) -> None:
    """Kill the database itself, with all its processes, while somebody saves."""
    rng = random.Random(8)
    with server() as running:
        address = empty(running.address)
        store = opened(address, small(200 + 40 * times, block=2, lease=3600, lines=2))
        links = store.add_raters("c", times)
        acknowledged: list[str] = []
        for link in links:
            process = start(address, f"c/{link.code}")
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.1))
            running.kill()
            out, _ = process.communicate(timeout=60)
            assert process.returncode != 0  # it was told that nothing was saved
            acknowledged += [line.split()[0] for line in (first, *out.splitlines())]
            running.start()
        with pytest.raises(DataError, match="Nothing was changed"):
            store.status("c")  # finds its connection dead, and the next call has another
        assert len(acknowledged) >= times
        check_whole(store, acknowledged)
        fresh = stored(address)
        check_whole(fresh, acknowledged)
        close_all()


@pytest.mark.slow
def test_a_killed_database_loses_nothing_that_was_acknowledged() -> None:
    kill_servers(3)


@pytest.mark.slow
def test_two_hundred_kills_of_the_database() -> None:
    kill_servers(200)


# --- A campaign that watches itself, on both databases: checkpoints, looks once, stop, conclusion ---

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
