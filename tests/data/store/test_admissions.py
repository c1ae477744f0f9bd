"""What counts is decided once, in order; what does not goes back to the pool."""

from collections.abc import Sequence
from typing import Any

import pytest

from detectable.core.errors import DataError, RefusedError
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Answer, Decision, JudgmentRow, Page
from detectable.data.store.store import Store
from tests.data.store.databases import opened, plain, small, stored

SEVENTY = [Answer(score=70.0)]


class Rule:
    """Decides work by its part, and remembers what it was asked."""

    def __init__(self, decided: dict[str, bool], **checked: Any) -> None:
        self.decided, self.checked = decided, checked
        self.asked: list[tuple[list[str], bool]] = []

    def __call__(self, rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        works = {row.part: (row.rater, (row.work, row.epoch)) for row in rows}
        self.asked.append((list(works), ending))
        return [
            Decision(
                rater=works[part][0], works=(works[part][1],), admitted=yes, **self.checked
            )
            for part, yes in self.decided.items()
            if part in works
        ]


def judge(store: Store, rater: str, n: int, start: float) -> None:
    """Let a rater save n pages, one second each."""
    for turn in range(n):
        page = store.next_page(rater, plain, start + turn)
        assert isinstance(page, Page)
        store.save(rater, page.token, key="k", answers=SEVENTY, now=start + turn)


def test_work_that_is_not_admitted_goes_to_somebody_else(address: str) -> None:
    store = opened(address, small(2, block=2))
    store.add_raters("c", 2)
    judge(store, "c/r-01", 4, 0.0)
    found = store.decide("c", Rule({"d0": True, "d1": False}), most_failed=3, now=9.0)
    assert [one.admitted for one in found] == [True, False]
    again = Rule({"d0": False})
    assert store.decide("c", again, most_failed=3) == []
    assert again.asked == []  # there is nothing to ask
    page = store.next_page("c/r-02", plain, 10.0)
    assert isinstance(page, Page)
    assert page.part == "d1"
    store.save("c/r-02", page.token, key="k", answers=SEVENTY, now=11.0)
    rows = store.rows("c")
    assert [(r.part, r.rater, r.admitted, r.orphan, r.done_at, r.seq) for r in rows] == [
        ("d0", "r-01", True, False, 2.0, 1),
        ("d0", "r-01", True, False, 2.0, 1),
        ("d1", "r-01", False, False, 3.0, 2),
        ("d1", "r-01", False, False, 3.0, 2),
        ("d1", "r-02", None, False, None, None),
    ]
    assert store.rows("c", undecided=True) == []


def test_what_was_not_asked_for_cannot_be_decided(address: str) -> None:
    store = opened(address, small(3, block=1))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 2, 0.0)
    store.decide("c", Rule({"d0": True}), most_failed=3)
    judge(store, "c/r-01", 3, 5.0)  # d1, and half of d2
    (old, _, half) = sorted({(row.work, row.epoch) for row in store.rows("c")})

    def wrong(work: tuple[int, int]) -> None:
        def rule(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
            mine = Decision(rater="r-01", works=((rows[0].work, 1), work), admitted=True)
            return [mine]

        store.decide("c", rule, most_failed=3)

    with pytest.raises(RefusedError, match="was decided before"):
        wrong(old)
    with pytest.raises(RefusedError, match="was not finished"):
        wrong(half)
    with pytest.raises(RefusedError, match="was not finished"):
        wrong((old[0], 7))
    assert len(store.rows("c", undecided=True)) == 2  # nothing was done by halves


def test_a_block_is_decided_when_none_of_it_is_out(address: str) -> None:
    store = opened(address, small(5, block=2))
    store.add_raters("c", 2)
    judge(store, "c/r-01", 3, 0.0)  # d0 is done, d1 half
    judge(store, "c/r-02", 4, 0.0)
    rule = Rule({})
    store.decide("c", rule, most_failed=3)
    assert rule.asked == [(["d2", "d3"], False)]
    judge(store, "c/r-01", 1, 10.0)
    store.decide("c", rule, most_failed=3)
    assert sorted(rule.asked[-1][0]) == ["d0", "d1", "d2", "d3"]


def test_at_the_end_also_a_block_that_is_out_is_decided(address: str) -> None:
    store = opened(address, small(5, block=2))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 3, 0.0)
    rule = Rule({"d0": False})
    store.turn("c", "stopped")
    store.decide("c", rule, most_failed=3, ending=True)
    assert rule.asked == [(["d0"], True)]
    assert store.status("c")["open"] == 0  # after a stop nothing is given out again
    assert {row.admitted for row in store.rows("c")} == {False, None}


def test_the_rest_is_decided_when_nothing_is_left_to_give_out(address: str) -> None:
    store = opened(address, small(3, block=2))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 4, 0.0)
    rule = Rule({"d0": True})
    store.decide("c", rule, most_failed=3)
    assert rule.asked == [(["d0", "d1"], False)]  # d2 is open
    judge(store, "c/r-01", 2, 10.0)
    rule = Rule({"d1": True})
    store.decide("c", rule, most_failed=3)
    assert rule.asked == [(["d1", "d2"], False), (["d2"], True)]


def test_three_failed_checkpoints_end_the_work_of_a_rater(address: str) -> None:
    store = opened(address, small(8, block=1))
    store.add_raters("c", 2)
    for n in range(4):
        judge(store, "c/r-01", 2, 10.0 * n)
        part = {f"d{n}": n == 0}  # the first passes
        store.decide(
            "c",
            Rule(part, n_pairs=4, n_judgments=2, tested=True, p_value=0.5),
            most_failed=3,
            now=10.0 * n + 5.0,
        )
        kept = [one.state for one in store.raters("c")]
        assert kept == ["active" if n < 3 else "no more work", "active"]
    assert not isinstance(store.next_page("c/r-01", plain, 99.0), Page)
    assert isinstance(store.next_page("c/r-02", plain, 99.0), Page)
    found = store.checkpoints("c")
    assert [(one.rater, one.n, one.n_pairs, one.n_judgments) for one in found] == [
        ("r-01", n, 4, 2) for n in (1, 2, 3, 4)
    ]
    assert [(one.tested, one.passed, one.p_value) for one in found] == [
        (True, True, 0.5),
        *[(True, False, 0.5)] * 3,
    ]
    assert [one.decided for one in found] == [5.0, 15.0, 25.0, 35.0]
    said = [detail for _, event, detail in store.events("c") if event == "rater"]
    assert said == [{"rater": "r-01", "state": "no more work", "failed": 3}]


def test_too_few_controls_are_no_failure(address: str) -> None:
    store = opened(address, small(8, block=1))
    store.add_raters("c", 1)
    for n in range(4):
        judge(store, "c/r-01", 2, 10.0 * n)
        store.decide("c", Rule({f"d{n}": False}, n_pairs=1), most_failed=3)
    assert [one.state for one in store.raters("c")] == ["active"]
    assert len(store.checkpoints("c")) == 4


def test_without_a_rule_there_is_no_checkpoint(address: str) -> None:
    store = opened(address, small(8, block=1))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 2, 0.0)
    store.decide("c", Rule({"d0": True}), most_failed=3)
    assert store.checkpoints("c") == []
    assert {row.admitted for row in store.rows("c")} == {True}


def test_the_order_is_that_of_deciding_whatever_the_clock_says(address: str) -> None:
    store = opened(address, small(4, block=1))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 2, 1000.0)
    store.decide("c", Rule({"d0": True}), most_failed=3, now=1000.0)
    judge(store, "c/r-01", 2, 10.0)  # the clock was set back
    store.decide("c", Rule({"d1": True}), most_failed=3, now=10.0)
    order = sorted({(row.seq, row.part) for row in store.rows("c")})
    assert order == [(1, "d0"), (2, "d1")]


def test_work_that_is_out_is_cut_only_after_a_stop(address: str) -> None:
    store = opened(address, small(4, block=2))
    store.add_raters("c", 1)
    judge(store, "c/r-01", 3, 0.0)
    page = store.next_page("c/r-01", plain, 4.0)
    assert isinstance(page, Page)
    with pytest.raises(RefusedError, match="is open, and has not stopped"):
        store.cut("c")
    store.turn("c", "stopped")
    store.cut("c", now=9.0)
    store.cut("c")
    assert store.status("c")["cut"] == 3
    assert store.events("c")[-1] == (9.0, "cut", {"works": 1})  # only once
    late = store.save("c/r-01", page.token, key="k", answers=SEVENTY, now=10.0)
    assert late == "saved late"
    assert [row.orphan for row in store.rows("c") if row.part == "d1"] == [True, True]


def test_a_look_is_begun_once_and_given_back_if_nobody_finishes_it(address: str) -> None:
    store = opened(address, small())
    assert store.begin_look("c", 1, now=100.0)
    assert not store.begin_look("c", 1, now=101.0)
    assert not store.begin_look("c", 1, now=700.0)
    assert store.begin_look("c", 1, now=701.0)  # ten minutes and one second
    assert store.begin_look("c", 1, now=0.0)  # the clock was set back
    store.leave_look("c", 1)
    assert store.begin_look("c", 1, now=1.0)
    store.end_look("c", 1, {"decision": "continue"})
    store.leave_look("c", 1)  # what is done stays
    assert not store.begin_look("c", 1, now=9999.0)
    store.end_look("c", 1, {"decision": "continue"})
    store.end_look("c", 2, {"decision": "stop"})  # known from the ledger alone
    assert [one["decision"] for one in store.looks("c")] == ["continue", "stop"]


# --- The store of raters whose work is taken back; what it means for looks is tested with campaigns ---


def judged(address: str, *, n: int = 4) -> AnyStore:
    """Return a store in which r-01 has finished all, and some of it counts."""
    store = opened(address, small(n, block=n))
    store.add_raters("c", 2)
    while isinstance(page := store.next_page("c/r-01", plain, 1.0), Page):
        score = None if page.part == "d0" else 50.0
        store.save("c/r-01", page.token, key="k", answers=[Answer(score=score)], now=2.0)
    return store


def first(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
    """Admit the first two pieces of work."""
    works = sorted({(row.work, row.epoch) for row in rows})[:2]
    return [] if ending else [Decision(rater="r-01", works=tuple(works), admitted=True)]


def outcome(store: AnyStore) -> dict[int, int]:
    return dict(store.all("SELECT work, admitted FROM admission"))


def test_what_no_look_has_seen_is_given_to_somebody_else(address: str) -> None:
    store = judged(address)
    store.decide("c", first, most_failed=3)
    store.void("c", "r-01", {(1, 1)}, {"who": "ann"}, now=5.0)
    states = dict(store.all("SELECT id, state FROM work ORDER BY id"))
    assert states == {1: "done", 2: "open", 3: "open", 4: "open"}
    assert outcome(store) == {1: 1, 2: 1, 3: 0, 4: 0}  # what was decided stays
    assert store.voided("c") == {"r-01": frozenset({(2, 1), (3, 1), (4, 1)})}
    assert len(store.rows("c")) == 8
    at, event, detail = store.events("c")[-1]
    assert (at, event, detail["who"]) == (5.0, "void", "ann")
    parts = set()
    while isinstance(page := store.next_page("c/r-02", plain, 6.0), Page):
        parts.add(page.part)
        store.save("c/r-02", page.token, key="k", answers=[Answer(score=1.0)], now=7.0)
    assert len(parts) == 3


def test_after_a_stop_nothing_is_given_out_again(address: str) -> None:
    store = judged(address)
    store.turn("c", "stopped")
    store.void("c", "r-01", (), {})
    assert {row[0] for row in store.all("SELECT state FROM work")} == {"done"}
    assert set(outcome(store).values()) == {0}
    store.erase("c", "r-01", (), {})
    assert {row[0] for row in store.all("SELECT state FROM work")} == {"done"}


def test_deleting_leaves_what_was_shown_and_decided(address: str) -> None:
    store = judged(address)
    store.decide("c", first, most_failed=3)
    before = store.status("c")
    assert (before["judgments"], before["skipped"]) == (6, 2)
    with store.transaction():
        store.run("UPDATE page SET document_score = 3 WHERE rater = 'c/r-01'")
    assert store.erase("c", "r-01", {(1, 1)}, {"who": "ann"}, now=7.0) == 8
    at, event, detail = store.events("c")[-1]
    assert (at, event) == (7.0, "erasure")
    assert detail == {"who": "ann", "rater": "r-01", "judgments": 8, "seconds": 0.0}
    after = store.status("c")
    assert (after["judgments"], after["skipped"]) == (0, 0)
    assert after["pages"] == before["pages"]
    assert store.rows("c") == []
    assert store.document_scores("c") == []
    assert outcome(store) == {1: 1, 2: 1}
    states = dict(store.all("SELECT id, state FROM work ORDER BY id"))
    assert states == {1: "done", 2: "open", 3: "open", 4: "open"}
    (one, _) = store.raters("c")
    assert (one.state, one.judgments, one.seconds, one.blocks) == ("revoked", 0, 0.0, 1)
    assert [event for _, event, _ in store.events("c")].count("erasure") == 1
    assert store.erase("c", "r-01", (), {}) == 0
    assert [event for _, event, _ in store.events("c")].count("erasure") == 1


def test_what_was_deleted_waits_for_no_decision(address: str) -> None:
    store = judged(address)
    store.turn("c", "stopped")
    waiting = "SELECT COUNT(*) FROM work WHERE waits = 1"
    assert store.one(waiting)[0] == 4
    store.erase("c", "r-01", (), {})
    assert store.one(waiting)[0] == 0


def test_raters_go_on_while_it_is_decided(address: str) -> None:
    store = opened(address, small(4, block=2))
    store.add_raters("c", 2)
    for _ in range(4):
        page = store.next_page("c/r-01", plain, 1.0)
        assert isinstance(page, Page)
        store.save("c/r-01", page.token, key="k", answers=[Answer(score=1.0)], now=1.0)
    other = stored(address)

    def slow(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        page = other.next_page("c/r-02", plain, 2.0)  # waited for the decision before
        assert isinstance(page, Page)
        other.save("c/r-02", page.token, key="k", answers=[Answer(score=1.0)], now=2.0)
        return first(rows, ending=ending)

    assert len(store.decide("c", slow, most_failed=3)) == 1
    assert outcome(store) == {1: 1, 2: 1}


def test_what_changed_while_it_was_decided_is_decided_anew(address: str) -> None:
    store = judged(address)
    other = stored(address)

    def overtaken(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        if not outcome(other):
            other.void("c", "r-01", (), {})
        return first(rows, ending=ending)

    assert store.decide("c", overtaken, most_failed=3) == []
    assert set(outcome(store).values()) == {0}
    assert store.status("c")["open"] == 4


def test_texts_that_nobody_could_judge_are_deleted_too(address: str) -> None:
    store = judged(address, n=2)  # as many with a score as without
    assert store.erase("c", "r-01", (), {}) == 4
    told = {"rater": "r-01", "judgments": 4, "seconds": 0.0}
    assert store.events("c")[-1][1:] == ("erasure", told)


def test_work_that_is_out_comes_back(address: str) -> None:
    store = opened(address, small(4, block=2))
    store.add_raters("c", 2)
    page = store.next_page("c/r-01", plain, 1.0)
    assert isinstance(page, Page)
    store.void("c", "r-01", (), {})
    assert (store.status("c")["leased"], store.status("c")["open"]) == (0, 4)
    with pytest.raises(RefusedError, match="This link is not valid"):
        store.save("c/r-01", page.token, key="k", answers=[Answer(score=1.0)])
    assert isinstance(store.next_page("c/r-02", plain, 1.0), Page)
    store.turn("c", "stopped")
    store.erase("c", "r-02", (), {})
    assert store.status("c")["cut"] == 4


def test_a_rater_who_is_not_there(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    for change in (store.void, store.erase):
        with pytest.raises(DataError, match="c has no rater 'r-09'; it has r-01"):
            change("c", "r-09", (), {})
    assert store.voided("c") == {}
    store.void("c", "r-01", (), {})
    for state in ("active", "no more work"):
        with pytest.raises(DataError, match="was voided"):
            store.change_rater("c", "r-01", state)
    store.change_rater("c", "r-01", "revoked")


def test_what_a_rater_said_of_themselves_is_kept_once_and_deleted(address: str) -> None:
    store = judged(address, n=2)
    assert store.said_of_self("c") == {}
    for language in ("German", "English"):  # the first time counts
        store.say_of_self("c/r-01", {"Native language": language})
    assert store.said_of_self("c") == {"r-01": {"Native language": "German"}}
    store.erase("c", "r-01", (), {})
    assert store.said_of_self("c") == {}


def test_a_campaign_with_drafts_and_changed_answers_is_deleted(address: str) -> None:
    store = opened(address, small(2, block=2))
    store.add_raters("c", 1)
    first = store.next_page("c/r-01", plain, 1.0)
    assert isinstance(first, Page)
    for key, replaces in (("k", None), ("l", "k")):
        answer = [Answer(score=1.0)]
        store.save("c/r-01", first.token, key=key, answers=answer, replaces=replaces)
    second = store.next_page("c/r-01", plain, 1.0)
    assert isinstance(second, Page)
    store.keep_draft("c/r-01", second.token, "{}")
    assert len(store.revisions("c")) == 1
    for state in ("stopped", "concluded"):
        store.turn("c", state)
    store.delete("c")
    assert store.names() == ()
