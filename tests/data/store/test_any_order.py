"""Whatever raters, clocks and organisers do in whatever order, the store stays consistent."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from detectable.core.errors import RefusedError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Decision, JudgmentRow, Page
from tests.data.store.databases import plain, small

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
