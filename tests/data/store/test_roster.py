"""Running counts say what counting all judgments anew says, whatever happened."""

import contextlib
import random
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import RefusedError
from detectable.data.human.columns import Kind
from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import (
    Answer,
    Decision,
    JudgmentRow,
    NewPage,
    Page,
    Pause,
)
from detectable.study.campaign.campaigns import campaign_progress, campaigns
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.campaign.work import CampaignWork
from detectable.web.monitor import status_of
from tests.data.store.databases import opened, plain, small

LEASE = 10.0
TOLD = CampaignSettings(mode="reference").to_json()


def checked(
    rater: str, block: int, parts: Sequence[str], needed: Sequence[str]
) -> list[NewPage]:
    """Arrange a block with a control."""
    control = NewPage(
        part=parts[0], system=needed[0], kind="degraded", lines=(("degraded", "bad"),) * 2
    )
    return [*plain(rater, block, parts, needed), control]


def beside(_: str, __: int, parts: Sequence[str], needed: Sequence[str]) -> list[NewPage]:
    """Arrange a block of choices, one of them a control."""
    one, other = needed
    lines: tuple[tuple[Kind, str], ...] = (("degraded", "bad"),) * 2
    control = NewPage(
        part=parts[0], system=one, kind="degraded", lines=lines, beside=other, flipped=True
    )
    return [
        *(NewPage(part=part, system=one, kind="system", beside=other) for part in parts),
        control,
    ]


class Chance:
    """Does to a campaign whatever can be done to it, at random."""

    def __init__(
        self, store: AnyStore, arrange: Callable[..., list[NewPage]], seed: int
    ) -> None:
        self.store, self.arrange, self.draw = store, arrange, random.Random(seed)
        self.now = 0.0
        self.raters = [f"c/{link.code}" for link in store.add_raters("c", 6)]
        self.given: list[tuple[str, Page]] = []

    def step(self) -> None:
        """Do one thing."""
        calls = (self.work, self.late, self.decide, self.wait, self.take_back, self.cut)
        (call,) = self.draw.choices(calls, (60, 12, 14, 10, 3, 1))
        call()

    def work(self) -> None:
        """Let a rater judge some pages in a row; now and then the last save is killed."""
        rater = self.draw.choice(self.raters)
        for _ in range(self.draw.randint(1, 6)):
            page = self.store.next_page(rater, self.arrange, self.now)
            if not isinstance(page, Page):
                return
            self.given.append((rater, page))
            if self.draw.random() < 0.1:
                return
            self.save(rater, page)

    def save(self, rater: str, page: Page) -> None:
        scores = self.draw.choice([(10.0, 90.0), (0.0, 0.5), (1.0, None), (None, None)])
        call: dict[str, Any] = {
            "key": str(scores),
            "answers": [Answer(score=score) for score in scores],
            "seconds": self.draw.choice([None, 4.5, 30.25]),
            "now": self.now,
        }

        def killed() -> None:
            self.store.save(rater, page.token, **call)
            raise KeyboardInterrupt  # before COMMIT

        if self.draw.random() < 0.1:
            with pytest.raises((KeyboardInterrupt, RefusedError)):
                raise_first(self.store.together([killed]))
        for _ in range(self.draw.choice([1, 1, 2])):  # the browser tries again
            with contextlib.suppress(RefusedError):
                self.store.save(rater, page.token, **call)

    def late(self) -> None:
        """Save a page that was given before, perhaps long ago, perhaps saved."""
        if self.given:
            self.save(*self.draw.choice(self.given))

    def wait(self) -> None:
        self.now += self.draw.choice([1.0, 6.0, 11.0])

    def decide(self) -> None:
        def rule(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
            works: dict[str, set[tuple[int, int]]] = {}
            for row in rows:
                works.setdefault(row.rater, set()).add((row.work, row.epoch))
            return [
                Decision(
                    rater=rater,
                    works=tuple(sorted(own)),
                    admitted=self.draw.random() < 0.7,
                    n_pairs=2,
                    tested=True,
                )
                for rater, own in works.items()
                if ending or self.draw.random() < 0.5
            ]

        self.store.decide("c", rule, most_failed=1_000, now=self.now)

    def take_back(self) -> None:
        """Void or delete the work of a rater; a look has seen what counts, or there was none."""
        code = self.draw.choice(self.raters).partition("/")[2]
        found = self.store.all("SELECT work, epoch FROM admission WHERE admitted = 1")
        seen = {(int(w), int(e)) for w, e in found} if self.draw.random() < 0.5 else set()
        if self.draw.random() < 0.5:
            self.store.void("c", code, seen, {}, now=self.now)
        else:
            self.store.erase("c", code, seen, {}, now=self.now)
        gone = sum(one.state == "revoked" for one in self.store.raters("c"))
        if gone == len(self.raters):
            self.raters += [f"c/{link.code}" for link in self.store.add_raters("c", 3)]

    def cut(self) -> None:
        if self.store.campaign("c").state == "stopped":
            self.store.cut("c", now=self.now)


def raise_first(answers: Sequence[Any]) -> None:
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer


@pytest.mark.parametrize("arrange", [plain, checked, beside])
def test_running_counts_are_what_a_recount_says(
    address: str, arrange: Callable[..., list[NewPage]]
) -> None:
    new = small(60, overlap=8, block=3, lease=LEASE, lines=2)
    store = opened(address, replace(new, settings=TOLD))
    chance = Chance(store, arrange, seed=1)
    most: Counter[str] = Counter()
    for step in range(200):
        if step == 140:
            store.turn("c", "stopped", now=chance.now)
        with contextlib.suppress(RefusedError):  # the link was taken away
            chance.step()
        if step % 5 == 0:
            kept = kept_counts(store)
            assert kept == counted_from_judgments(store)
            assert store.one("SELECT COUNT(*) FROM work WHERE waits = 1")[0] == waiting(store)
            numbers = {name: n for name, n in kept.items() if isinstance(n, int)}
            most |= Counter(numbers) | Counter(refused=kept["decided"][1])
    before = kept_counts(store)
    # Everything happened.
    assert {name for name, n in before.items() if isinstance(n, int)} | {"refused"} == set(most)
    store.count_again("c")
    assert kept_counts(store) == before
    make_older(store)
    store.close()
    # A store of before can be read as it is, and is counted once when it is opened to be changed.
    older = open_store(address, read_only=True)
    assert kept_counts(older) == before
    older.close()
    newer = open_store(address)
    assert kept_counts(newer) == before
    assert newer.one("SELECT COUNT(*) FROM work WHERE waits = 1")[0] == waiting(newer)
    newer.close()


def make_older(store: AnyStore) -> None:
    """Take away what the schema of running counts has added."""
    indexes = ("work_waits", "work_order", "work_done")
    for index in (*indexes, "admission_done", "admission_seq", "page_pace"):
        store.run(f"DROP INDEX {index}")
    for column in ("pages", "judgments", "seconds", "finished"):
        store.run(f"ALTER TABLE rater DROP COLUMN {column}")
    store.run("ALTER TABLE work DROP COLUMN waits")
    store.run("ALTER TABLE output DROP COLUMN suggested")
    store.run("ALTER TABLE page DROP COLUMN pace")
    for table in ("tally", "draft", "revision"):
        store.run(f"DROP TABLE {table}")
    for column in ("tab", "about"):
        store.run(f"ALTER TABLE rater DROP COLUMN {column}")
    for table in ("notice", "participant", "open_link"):
        store.run(f"DROP TABLE {table}")
    store.run("DELETE FROM status WHERE name IN ('open', 'leased', 'cut', 'orphans')")
    # What organisers took away was taken from the one row that there was.
    for name, n in store.all("SELECT name, n FROM status WHERE SUBSTR(name, 1, 1) = '+'"):
        store.run("UPDATE status SET n = n + ? WHERE name = ?", n, name.removeprefix("+"))
        store.run("DELETE FROM status WHERE name = ?", name)
    store.run("DELETE FROM schema_version WHERE version > 3")


def waiting(store: AnyStore) -> int:
    """Count pieces of work of which nobody has said whether they count."""
    undecided = [r for r in store.rows("c") if r.done_at is not None and r.admitted is None]
    return len({(row.work, row.epoch) for row in undecided})


def kept_counts(store: AnyStore) -> dict[str, Any]:
    """Return all that is read from running counts."""
    found = campaign_progress(store, "c")
    counts = store.status("c")
    lines = {tuple(sorted(systems)): n for systems, n in store.complete_lines("c").items() if n}
    return {
        **{name: counts[name] for name in ("works", "pages", "open", "leased", "cut")},
        "orphans": found.works.orphans,
        "decided": (found.works.admitted, found.works.refused, found.works.waiting),
        "units": found.n_units,
        "lines": lines,
        "raters": [
            (
                *(one.code, one.pages, one.judgments, one.seconds),
                *(one.admitted, one.refused, one.waiting),
            )
            for one in store.raters("c")
        ],
        "paces": [one.seconds for one in found.raters],
    }


def counted_from_judgments(store: AnyStore) -> dict[str, Any]:
    """Return the same from all judgments, as it was before there were running counts."""
    rows = store.rows("c")
    work = CampaignWork.read(store, "c", (0.0, 100.0))
    states = Counter(row[0] for row in store.all("SELECT state FROM work"))
    pages = dict(store.all("SELECT rater, COUNT(*) FROM page WHERE done = 1 GROUP BY rater"))
    codes = [row[0] for row in store.all("SELECT code FROM rater ORDER BY code")]
    own = {code: [row for row in rows if row.rater == code] for code in codes}
    by_rater = {code: outcomes(work, own[code]) for code in codes}
    return {
        "works": sum(states.values()),
        "decided": tuple(sum(one[i] for one in by_rater.values()) for i in range(3)),
        "pages": sum(pages.values()),
        **{name: states[name] for name in ("open", "leased", "cut")},
        "orphans": sum(row.orphan for row in rows),
        "units": len(work.units),
        "lines": dict(Counter(tuple(sorted(unit.systems)) for unit in work.units)),
        "raters": [
            (code, pages.get(f"c/{code}", 0), *saved(store, code), *by_rater[code])
            for code in codes
        ],
        "paces": [pace(own[code]) for code in codes],
    }


def outcomes(work: CampaignWork, rows: Sequence[JudgmentRow]) -> tuple[int, int, int]:
    finished = {(row.work, row.epoch): row.admitted for row in rows if row.done_at is not None}
    finished |= {one: False for one in finished if one in work.voided}
    found = Counter(finished.values())
    return found[True], found[False], found[None]


def saved(store: AnyStore, code: str) -> tuple[int, float]:
    rows = store.all(
        "SELECT j.n, j.seconds FROM judgment j JOIN page p ON p.token = j.page WHERE p.rater = ?",
        f"c/{code}",
    )
    return len(rows), sum(seconds or 0.0 for n, seconds in rows if n == 0)


def pace(rows: Sequence[JudgmentRow]) -> float | None:
    timed = [row for row in rows if row.seconds is not None]
    texts: dict[str, set[str]] = {}
    for row in timed:
        texts.setdefault(row.page, set()).add(row.item)
    pages: dict[str, dict[str, float]] = {}
    for row in timed:
        pages.setdefault(row.page, {}).setdefault(row.system, row.seconds or 0.0)
    each = [sum(shares.values()) / len(texts[page]) for page, shares in pages.items()]
    return statistics.median(each) if each else None


class Asked:
    """Notes what a store is asked."""

    def __init__(self, store: AnyStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self._run = store, store.run
        self.said: list[tuple[str, tuple[Any, ...]]] = []
        monkeypatch.setattr(store, "run", self._noted)

    def _noted(self, sql: str, *args: Any) -> Any:
        self.said.append((sql, args))
        return self._run(sql, *args)

    def plans(self) -> list[tuple[str, list[str]]]:
        """Return how the database answered each."""
        return [
            (sql, [row[3] for row in self._run(f"EXPLAIN QUERY PLAN {sql}", *args).fetchall()])
            for sql, args in self.said
            if sql.split()[0] in ("SELECT", "UPDATE", "INSERT", "DELETE")
        ]


def test_how_a_campaign_stands_is_read_without_its_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "c.sqlite", replace(small(6, lines=2), settings=TOLD))
    Chance(store, plain, seed=1).work()
    asked = Asked(store, monkeypatch)
    campaigns(store, "c")
    campaigns(store)
    status_of(store, "c")  # of the page of organisers
    plans = asked.plans()
    assert len(plans) > 10
    assert not [one for one in plans if "judgment" in one[0].replace("judgments", "")]
    assert not [one for one in plans if scanned(one[1]) & {"page", "p", "work", "w", "m"}]


def test_no_call_of_a_rater_or_of_the_watch_reads_all_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "c.sqlite", replace(small(9, lines=2), settings=TOLD))
    chance = Chance(store, plain, seed=1)
    asked = Asked(store, monkeypatch)
    for _ in range(6):
        chance.work()
        chance.now += 11.0  # what was begun comes back
        chance.decide()
    plans = asked.plans()
    assert store.one("SELECT COUNT(*) FROM admission")[0] > 0
    large = {"judgment", "j", "page", "p", "work", "w", "admission", "m", "segment", "s"}
    assert not [one for one in plans if scanned(one[1]) & large]


def scanned(steps: Sequence[str]) -> set[str]:
    """Return the tables that are read from end to end, also for the largest of a column."""
    return {
        step.split()[1]
        for step in steps
        if step.startswith("SCAN") or (step.startswith("SEARCH") and "USING" not in step)
    }


def test_whoever_opens_an_open_link_is_one_rater(address: str) -> None:
    store = opened(address, small())
    token = store.open_link("c", 2)
    first = store.join(token, "pid-1", study="s", session="1", now=5.0)
    assert store.join(token, "pid-1", study="s", session="2") == first  # the same person
    found = store.rater_of(first.token)
    assert found is not None
    assert (found.code, found.state) == ("r-01", "active")
    assert (
        store.add_raters("c", 1)[0].code == "r-02"
    )  # who has a link of their own is not counted
    other = store.join(token, "pid-2")
    assert (other.code, len({first.token, other.token})) == ("r-03", 2)
    with pytest.raises(RefusedError, match="All places are taken"):
        store.join(token, "pid-3")
    assert store.join(token, "pid-2") == other  # who has come may come again
    assert store.joined("c") == (True, 2, 2)
    told = [
        (one.code, one.participant, one.study, one.session) for one in store.participants("c")
    ]
    assert told == [("r-01", "pid-1", "s", "1"), ("r-03", "pid-2", "", "")]
    assert store.participants("c")[0].joined == 5.0
    again = store.open_link("c")  # takes the place of the one before, and lets anybody in
    for link in (token, "nonsense"):
        with pytest.raises(RefusedError, match="This link is not valid"):
            store.join(link, "pid-3")
    assert store.join(again, "pid-1") == first
    assert store.join(again, "pid-3").code == "r-04"


def test_nobody_joins_what_is_closed_and_who_was_sent_away_stays_away(address: str) -> None:
    store = opened(address, small())
    token = store.open_link("c")
    first = store.join(token, "pid-1")
    store.change_rater("c", "r-01", "revoked")
    with pytest.raises(RefusedError, match="not valid"):
        store.join(token, "pid-1")
    store.change_rater("c", "r-01", "active")
    assert store.join(token, "pid-1") == first
    store.new_link("c", "r-01")  # the old one was lost to somebody
    with pytest.raises(RefusedError, match="not valid"):
        store.join(token, "pid-1")
    store.turn("c", "stopped")
    with pytest.raises(RefusedError, match="not open"):
        store.join(token, "pid-2")
    store.close_link("c")
    assert store.joined("c") == (False, None, 1)
    with pytest.raises(RefusedError, match="not valid"):
        store.campaign_of_link(token)


def test_a_name_that_is_erased_stands_nowhere(address: str) -> None:
    store = opened(address, small())
    token = store.open_link("c", 1)
    first = store.join(
        token, "SENTINEL-PID", study="SENTINEL-STUDY", session="SENTINEL-SESSION"
    )
    for table in ("event", "rater"):
        assert "SENTINEL" not in repr(store.all(f"SELECT * FROM {table}"))
    store.erase("c", "r-01", (), {})
    assert store.participants("c") == []
    # The same person is another rater, with another link.
    again = store.join(token, "SENTINEL-PID")
    assert again.code == "r-02"
    assert again.token != first.token
    for state in ("stopped", "concluded"):
        store.turn("c", state)
    store.delete("c")
    assert store.all("SELECT * FROM participant") == store.all("SELECT * FROM open_link") == []


def test_many_who_come_at_once_are_no_more_than_may_come(address: str) -> None:
    store = opened(address, small())
    token = store.open_link("c", 3)

    def come(n: int) -> str:
        own = open_store(address)
        try:
            return own.join(token, f"pid-{n % 5}").code  # each of five comes twice
        except RefusedError as error:
            return error.code
        finally:
            own.close()

    with ThreadPoolExecutor(5) as pool:
        found = list(pool.map(come, range(10)))
    assert found.count("study_full") == 4
    assert {one for one in found if one != "study_full"} == {"r-01", "r-02", "r-03"}
    assert len(store.participants("c")) == 3


def test_a_rater_who_has_done_their_share_is_at_the_end(address: str) -> None:
    new = replace(small(6, block=2), settings={**TOLD, "most_blocks": 1})
    store = opened(address, new)
    store.add_raters("c", 1)
    last = ""
    for _ in range(4):  # a block: two documents by two systems
        page = store.next_page("c/r-01", plain, 1.0)
        assert isinstance(page, Page)
        last = page.token
        store.save("c/r-01", last, key="k", answers=[Answer(score=1.0)], now=2.0)
    assert store.undecided("c/r-01") == 2.0
    end = store.next_page("c/r-01", plain, 3.0)
    assert end == Pause(retry_after=None, all_done=True, pages=4, back=last)
    assert (store.status("c")["open"], store.takers("c")) == (4, 0)
    store.open_link("c", 3)
    assert store.takers("c") == 3  # somebody may come
    store.close_link("c")
    store.add_raters("c", 2)
    assert store.takers("c") == 2
