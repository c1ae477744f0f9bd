"""The store of raters whose work is taken back; what it means for looks is tested with campaigns."""

from collections.abc import Sequence

import pytest

from detectable.core.errors import DataError, RefusedError
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Answer, Decision, JudgmentRow, Page
from tests.data.store.databases import opened, plain, small


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
    assert detail == {"who": "ann", "rater": "r-01", "judgments": 8}
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


def test_texts_that_nobody_could_judge_are_deleted_too(address: str) -> None:
    store = judged(address, n=2)  # as many with a score as without
    assert store.erase("c", "r-01", (), {}) == 4
    assert store.events("c")[-1][1:] == ("erasure", {"rater": "r-01", "judgments": 4})


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
