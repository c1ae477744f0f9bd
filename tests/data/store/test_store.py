"""What a store promises, on both databases."""

import contextlib
import os
import socket
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError, InputError, RefusedError
from detectable.data.human.columns import Kind
from detectable.data.store.open_store import open_store
from detectable.data.store.postgres_store import _passwords, without_password
from detectable.data.store.records import Answer, Decision, JudgmentRow, NewPage, Page, Pause
from detectable.data.store.store import GroupCommit, Store
from tests.data.store.databases import SYSTEMS, empty, opened, plain, small, stored

SEVENTY = [Answer(score=70.0)]


def give(store: Store, rater: str, now: float) -> Page:
    page = store.next_page(rater, plain, now)
    assert isinstance(page, Page)
    return page


def test_a_pair_is_complete_when_its_rater_has_judged_all_systems(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    shown = []
    for turn in range(4):
        page = give(store, "c/r-01", turn)
        shown.append((page.part, page.system, page.place, page.n_pages, page.block))
        answer = [Answer(score=10.0 * turn)]
        assert (
            store.save("c/r-01", page.token, key=str(turn), answers=answer, now=turn) == "saved"
        )
    assert shown == [
        ("d0", "new", 1, 4, 1),
        ("d1", "new", 2, 4, 1),
        ("d0", "old", 3, 4, 1),
        ("d1", "old", 4, 4, 1),
    ]
    rows = store.rows("c")
    assert [(r.part, r.system, r.score, r.done_at) for r in rows] == [
        ("d0", "new", 0.0, 2.0),
        ("d0", "old", 20.0, 2.0),
        ("d1", "new", 10.0, 3.0),
        ("d1", "old", 30.0, 3.0),
    ]
    assert give(store, "c/r-01", 5).block == 2
    counts = store.status("c")
    assert counts == {
        "works": 6,
        "pages": 4,
        "judgments": 4,
        "skipped": 0,
        "works_done": 2,
        "late": 0,
        "expired": 0,
        "open": 2,
        "leased": 2,
        "cut": 0,
        "orphans": 0,
    }


def test_rows_come_in_the_order_in_which_work_was_finished(address: str) -> None:
    store = opened(address, small(2, block=1))
    store.add_raters("c", 2)
    give(store, "c/r-01", 0)  # d0 is begun first, and finished last
    for turn, rater in enumerate(["c/r-02", "c/r-02", "c/r-01", "c/r-01"]):
        page = give(store, rater, turn)
        store.save(rater, page.token, key="k", answers=SEVENTY, now=float(turn))
    assert [row.part for row in store.rows("c")] == ["d1", "d1", "d0", "d0"]


def test_the_same_page_is_given_until_it_is_saved(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    first, again = give(store, "c/r-01", 0), give(store, "c/r-01", 1)
    assert first == again
    assert first.lines[0].text == "new 0 0"
    assert first.lines[0].source == "source 0 0"
    assert first.lines[0].reference == "reference 0 0"


def test_a_page_is_saved_once(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 2)
    page = give(store, "c/r-01", 0)
    assert store.save("c/r-01", page.token, key="k", answers=SEVENTY) == "saved"
    assert store.save("c/r-01", page.token, key="k", answers=SEVENTY) == "again"
    with pytest.raises(RefusedError, match="with other answers") as error:
        store.save("c/r-01", page.token, key="another", answers=[Answer(score=1.0)])
    assert error.value.code == "already_saved"
    assert [row.score for row in store.rows("c")] == [70.0]
    with pytest.raises(RefusedError, match="no such page") as error:
        store.save("c/r-02", page.token, key="k", answers=SEVENTY)
    assert error.value.code == "unknown_page"
    with pytest.raises(RefusedError, match="no such page"):
        store.save("c/r-01", "made-up", key="k", answers=SEVENTY)


def test_every_text_of_a_page_has_one_answer(address: str) -> None:
    store = opened(address, small(lines=2))
    store.add_raters("c", 1)
    page = give(store, "c/r-01", 0)
    with pytest.raises(InputError, match="`answers` must be 2"):
        store.save("c/r-01", page.token, key="k", answers=SEVENTY)
    assert store.rows("c") == []
    assert store.status("c")["pages"] == 0
    skipped = Answer(score=None, extra={"skipped": "cannot_judge"})
    store.save("c/r-01", page.token, key="k", answers=[*SEVENTY, skipped], seconds=12.5)
    rows = store.rows("c")
    assert [(r.item, r.score, r.extra, r.seconds) for r in rows] == [
        ("0.0", 70.0, None, 12.5),
        ("0.1", None, {"skipped": "cannot_judge"}, 12.5),
    ]
    assert (store.status("c")["judgments"], store.status("c")["skipped"]) == (1, 1)


def test_work_comes_back_whole_when_its_time_is_over(address: str) -> None:
    store = opened(address, small(2, lease=100.0))
    store.add_raters("c", 2)
    first = give(store, "c/r-01", 0)
    store.save("c/r-01", first.token, key="1", answers=SEVENTY, now=10.0)
    held = give(store, "c/r-01", 20)
    # The save and the page have each begun the lease anew: it ends at 120, not at 100.
    waits = store.next_page("c/r-02", plain, 119.0)
    assert isinstance(waits, Pause)
    assert waits.retry_after == pytest.approx(1.0)
    other = give(store, "c/r-02", 121.0)
    assert (other.part, other.system) == ("d0", "new")
    assert store.status("c")["expired"] == 2
    # What the first rater still has open is kept, without a partner.
    late = store.save("c/r-01", held.token, key="2", answers=SEVENTY, now=122.0)
    assert late == "saved late"
    rows = store.rows("c")
    assert [row.orphan for row in rows] == [True, True]
    assert store.status("c")["late"] == 1
    assert isinstance(store.next_page("c/r-01", plain, 123.0), Pause)  # it has seen both


def test_nobody_sees_a_document_twice(address: str) -> None:
    store = opened(address, small(3, overlap=3, block=4))
    store.add_raters("c", 2)
    seen: dict[str, list[tuple[str, str]]] = {"c/r-01": [], "c/r-02": []}
    for turn in range(40):
        for rater, shown in seen.items():
            page = store.next_page(rater, plain, float(turn))
            if isinstance(page, Page):
                shown.append((page.part, page.system))
                store.save(rater, page.token, key="k", answers=SEVENTY, now=float(turn))
    for shown in seen.values():
        assert len(set(shown)) == len(shown) == 6
    assert {row.wave for row in store.rows("c")} == {1, 2}
    done = store.next_page("c/r-01", plain, 50.0)
    assert isinstance(done, Pause)
    assert done.retry_after is None


def test_controls_are_kept_as_they_were_shown(address: str) -> None:
    def with_control(
        rater: str, block: int, parts: Sequence[str], needed: Sequence[str]
    ) -> list[NewPage]:
        lines: tuple[tuple[Kind, str], ...] = (("degraded", "bad words"), ("repeat", "new 0 1"))
        control = NewPage(part=parts[0], system="new", kind="degraded", lines=lines)
        return [*plain(rater, block, parts, needed), control]

    store = opened(address, small(1, lines=2))
    store.add_raters("c", 1)
    shown = []
    for turn in range(3):
        page = store.next_page("c/r-01", with_control, float(turn))
        assert isinstance(page, Page)
        shown.append([line.text for line in page.lines])
        answers = [Answer(score=float(turn)), Answer(score=50.0 + turn)]
        store.save("c/r-01", page.token, key="k", answers=answers, now=float(turn))
    assert shown[-1] == ["bad words", "new 0 1"]
    kinds = [(row.kind, row.score) for row in store.rows("c") if row.score in (2.0, 52.0)]
    assert kinds == [("degraded", 2.0), ("repeat", 52.0)]
    assert store.status("c")["works_done"] == 1


def test_a_rater_can_be_stopped_and_a_link_taken_away(address: str) -> None:
    store = opened(address, small())
    one, two = store.add_raters("c", 2)
    assert (one.code, two.code) == ("r-01", "r-02")
    assert len({one.token, two.token}) == 2
    assert min(len(one.token), len(two.token)) >= 22  # 128 bits
    found = store.rater_of(one.token)
    assert found is not None
    assert (found.id, found.campaign, found.code, found.state) == (
        "c/r-01",
        "c",
        "r-01",
        "active",
    )
    assert store.rater_of("guess") is None
    page = give(store, "c/r-01", 0)
    store.change_rater("c", "r-01", "no more work")
    store.save("c/r-01", page.token, key="1", answers=SEVENTY)  # what was begun may be finished
    for key in "234":
        page = give(store, "c/r-01", 1)
        store.save("c/r-01", page.token, key=key, answers=SEVENTY)
    assert isinstance(store.next_page("c/r-01", plain, 2.0), Pause)
    page = give(store, "c/r-02", 2)
    store.change_rater("c", "r-02", "revoked")
    for call in (
        lambda: store.next_page("c/r-02", plain, 3.0),
        lambda: store.save("c/r-02", page.token, key="k", answers=SEVENTY),
    ):
        with pytest.raises(RefusedError, match="not valid") as error:
            call()
        assert error.value.code == "link_not_valid"
    renewed = store.new_link("c", "r-01")
    assert store.rater_of(one.token) is None
    assert store.rater_of(renewed.token) is not None
    with pytest.raises(DataError, match=r"no rater 'r-09'; it has r-01, r-02"):
        store.change_rater("c", "r-09", "revoked")
    with pytest.raises(DataError, match="no rater 'r-09'"):
        store.new_link("c", "r-09")
    more = store.add_raters("c", 1)
    assert more[0].code == "r-03"


def test_a_campaign_opens_pauses_stops_and_concludes(address: str) -> None:
    store = stored(address, new=True)
    store.create(small(), now=1.0)
    store.add_raters("c", 2)
    with pytest.raises(RefusedError, match="not open") as error:
        store.next_page("c/r-01", plain)
    assert error.value.code == "not_open"
    with pytest.raises(RefusedError, match="is draft: it cannot be paused"):
        store.turn("c", "paused")
    store.turn("c", "open", now=2.0)
    page = give(store, "c/r-01", 0)
    store.turn("c", "paused", detail={"why": "lunch"}, now=3.0)
    assert isinstance(store.next_page("c/r-01", plain, 1.0), Pause)
    store.turn("c", "open", now=4.0)
    store.turn("c", "stopped", now=5.0)
    # What was begun may be finished, and nobody begins anything.
    assert store.save("c/r-01", page.token, key="1", answers=SEVENTY, now=6.0) == "saved"
    assert give(store, "c/r-01", 7).part == "d1"
    assert store.next_page("c/r-02", plain, 7.0) == Pause(retry_after=None)
    assert store.status("c")["cut"] == 4
    assert isinstance(store.next_page("c/r-01", plain, 1000.0), Pause)  # the lease ran out
    assert store.status("c")["cut"] == 6
    store.turn("c", "concluded", now=8.0)
    with pytest.raises(RefusedError, match="not open"):
        store.next_page("c/r-01", plain)
    events = [(at, event, detail) for at, event, detail in store.events("c") if at < 10]
    assert events == [
        (1.0, "made", {}),
        (2.0, "open", {}),
        (3.0, "paused", {"why": "lunch"}),
        (4.0, "open", {}),
        (5.0, "stopped", {}),
        (8.0, "concluded", {}),
    ]
    with pytest.raises(DataError, match=r"there is no campaign 'd' in .*: it has c"):
        store.turn("d", "open")


def test_nothing_is_saved_after_the_conclusion(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    page = give(store, "c/r-01", 0)
    store.turn("c", "stopped")
    store.turn("c", "concluded")
    with pytest.raises(RefusedError, match="not open any more"):
        store.save("c/r-01", page.token, key="1", answers=SEVENTY)
    assert store.rows("c") == []


def test_systems_can_be_left_out_of_later_work(address: str) -> None:
    store = opened(address, small(4))
    store.add_raters("c", 2)
    give(store, "c/r-01", 0)
    assert store.need("c", ["old"])
    assert not store.need("c", ["old"])  # a second server says the same
    assert [event for _, event, _ in store.events("c")].count("needed") == 1
    assert [give(store, "c/r-02", 0).system] == ["old"]
    assert give(store, "c/r-01", 1).system == "new"  # its pages were made before
    assert store.campaign("c").needed == ("old",)
    assert store.campaign("c").systems == SYSTEMS
    with pytest.raises(DataError, match="c does not compare 'third', only new, old"):
        store.need("c", ["third"])


def test_what_raters_did_is_counted_without_scores(address: str) -> None:
    store = opened(address, small(lines=2))
    store.add_raters("c", 2)
    for turn, seconds in enumerate((30.0, 12.0)):
        page = give(store, "c/r-01", turn)
        answers = [Answer(score=1.0), Answer(score=None)]
        store.save(
            "c/r-01", page.token, key="k", answers=answers, seconds=seconds, now=float(turn)
        )
    one, two = store.raters("c")
    assert (one.blocks, one.pages, one.judgments, one.seconds, one.last_seen) == (
        1,
        2,
        4,
        42.0,
        1.0,
    )
    assert (two.blocks, two.pages, two.seconds, two.last_seen) == (0, 0, 0.0, None)


def test_no_more_time_is_claimed_than_passed(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    for turn, seconds in ((0, 1e308), (10, 5.0), (20, 0.0)):
        page = give(store, "c/r-01", turn)
        saved = partial(store.save, "c/r-01", page.token, key="k", answers=SEVENTY)
        for wrong in (-1.0, float("inf"), float("nan")):
            with pytest.raises(InputError, match="`seconds` must be a number from 0 on"):
                saved(seconds=wrong)
        assert saved(seconds=seconds, claimed=True, now=turn + 7.0) == "saved"
    assert sorted(row.seconds or 0.0 for row in store.rows("c")) == [0.0, 5.0, 7.0]
    assert store.raters("c")[0].seconds == 12.0


def test_texts_come_back_as_they_were_given(address: str) -> None:
    new = small(3, overlap=2, lines=2)
    store = opened(address, new)
    assert store.parts("c") == list(new.parts)
    assert store.parts("c", ["d2", "d0"]) == [new.parts[0], new.parts[2]]
    assert store.parts("c", []) == []
    assert [store.first_parts("c", n) for n in (1, 2, 3)] == [["d0"], ["d0"], ["d0", "d1"]]
    assert [store.parts_before("c", "d2", n) for n in (0, 3)] == [[], []]
    assert store.names() == ("c",)
    with pytest.raises(DataError, match="there is a campaign 'c' already"):
        store.create(new)


def test_a_store_is_opened_again(address: str) -> None:
    store = opened(address, small())
    (link,) = store.add_raters("c", 1)
    store.close()
    again = stored(address)
    assert again.rater_of(link.token) is not None
    assert again.campaign("c").state == "open"
    assert again.campaign("c").created > 0


def test_a_backup_is_a_store(tmp_path: Path) -> None:
    store = opened(tmp_path / "c.sqlite", small())
    store.add_raters("c", 1)
    give(store, "c/r-01", 0)
    copy = tmp_path / "copy.sqlite"
    store.backup(copy)
    assert stored(copy).status("c") == store.status("c")
    with pytest.raises(DataError, match="exists"):
        store.backup(copy)


def test_a_dump_of_postgres_is_written(postgres: str, tmp_path: Path) -> None:
    store = opened(empty(postgres), small())
    store.backup(tmp_path / "dump.sql")
    assert "CREATE TABLE public.judgment" in (tmp_path / "dump.sql").read_text()


def test_files_that_are_no_stores_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no store of campaigns here"):
        open_store(tmp_path / "none.sqlite")
    with pytest.raises(DataError, match="there is no store of campaigns here"):
        open_store(tmp_path)
    with pytest.raises(DataError, match=r"the folder .* is not there"):
        open_store(tmp_path / "no" / "c.sqlite", new=True)
    stored(tmp_path / "judging", new=True)
    assert (tmp_path / "judging" / "campaigns.sqlite").exists()
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to be one " * 40)
    with pytest.raises(DataError, match="no store of campaigns: file is not a database"):
        open_store(tmp_path / "text.sqlite")
    path = tmp_path / "newer.sqlite"
    stored(path, new=True).close()
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99, 0)")
    with pytest.raises(DataError, match=r"newer version \(schema 99; this one knows \d+\)"):
        open_store(path)


def test_an_address_that_nobody_answers_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(DataError, match=r"127\.0\.0\.1:1/db") as error:
        open_store("postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(error.value)
    assert without_password("postgresql://localhost/db") == "postgresql://localhost/db"
    assert without_password("postgresql://a:b@h/db?x=1") == "postgresql://a@h/db?x=1"
    assert without_password("postgresql://a:b%40@h:1/db?password=b&sslmode=prefer") == (
        "postgresql://a@h:1/db?sslmode=prefer"
    )
    assert without_password("postgresql://h/db?user=a&password=b") == "postgresql://h/db?user=a"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:a%zzcret@127.0.0.1:1/db",
        "postgresql://me:a#zzcret@127.0.0.1:1/db",
        "postgresql://me:a/zzcret@127.0.0.1:1/db",
        "postgresql://me:1/zzcret@127.0.0.1:1/db",
        "postgresql://me:1/a?zzcret@127.0.0.1:1/db",
        "postgresql://me:a?zzcret@127.0.0.1:1/db",
        "postgresql://me:a@zzcret@127.0.0.1:1/db",
        "postgresql://me:[zzcret@127.0.0.1:1/db",
        "postgresql://me@127.0.0.1:zzcret/db",
        "postgresql://127.0.0.1:1/db?sslpassword=zzcret&user=me&connect_timeout=x",
        "postgresql+psycopg://me:zzcret@127.0.0.1:1/db",
        "host=127.0.0.1 port=1 password=zzcret",
    ],
)
def test_an_address_that_cannot_be_read_does_not_tell_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr(socket, "getaddrinfo", _nobody)  # a part of it is no name to ask for
    for new in (False, True):
        with pytest.raises(DataError) as error:
            open_store(address, new=new)
        assert "zzcret" not in str(error.value)


def _nobody(host: str, *_: object, **__: object) -> list[Any]:
    assert "zzcret" not in str(host)
    raise socket.gaierror


def test_addresses_are_read_as_their_server_reads_them() -> None:
    conninfo = pytest.importorskip("psycopg.conninfo")
    for address in (
        "postgresql://a:b#c@h/db",
        "postgresql://a:b:c@h:1/db",
        "postgresql://a:b?c@h,[::1]:2/db?sslmode=prefer",
        "postgresql://:b@h",
        "postgresql:///db?host=/run/x",
        "postgresql://%2Frun%2Fx/db?service=y",
    ):
        meant = conninfo.conninfo_to_dict(address)
        password = meant.pop("password", None)
        shown = conninfo.conninfo_to_dict(without_password(address))
        assert {name: text for name, text in shown.items() if text} == {
            name: text for name, text in meant.items() if text
        }, address
        assert _passwords(address)[:1] == ([password] if password else [])


def test_pg_dump_is_told_the_password_where_nobody_sees_it(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "pg_dump"
    program.parent.mkdir()
    told = tmp_path / "told"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {told}\necho "$PGPASSWORD $PGPASSFILE" >> {told}\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    address = empty(postgres).replace("dt@", "dt:sec%20ret@") + "?passfile=/secrets"
    store = open_store(address, new=True)
    store.backup(tmp_path / "dump.sql")
    store.close()
    words, password = told.read_text().splitlines()
    assert "sec" not in words
    assert password == "sec ret /secrets"


def _tables(path: Path) -> list[Any]:
    with contextlib.closing(sqlite3.connect(path)) as found:
        return found.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


@pytest.mark.parametrize("new", [False, True])
def test_a_database_of_somebody_else_is_refused_and_left_alone(
    tmp_path: Path, new: bool
) -> None:
    path = tmp_path / "theirs.db"
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE schema_version (version)")
        made.commit()
    before = path.read_bytes()
    with pytest.raises(DataError, match="is a database, but no store of campaigns"):
        open_store(path, new=new)
    with pytest.raises(DataError, match="is a database, but no store of campaigns"):
        open_store(path, read_only=True)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["theirs.db"]


@pytest.mark.parametrize("kept_open", [False, True])
def test_a_database_of_somebody_else_with_a_log_gets_no_files_beside_it(
    tmp_path: Path, kept_open: bool
) -> None:
    path = tmp_path / "theirs.db"
    made = sqlite3.connect(path)
    made.execute("PRAGMA journal_mode = WAL")
    made.execute("CREATE TABLE theirs (x)")
    if not kept_open:
        made.close()
    before = {
        one.name: one.read_bytes() for one in tmp_path.iterdir() if one.suffix != ".db-shm"
    }
    names = sorted(one.name for one in tmp_path.iterdir())
    for read_only in (False, True):
        with pytest.raises(DataError, match="is a database, but no store of campaigns"):
            open_store(path, read_only=read_only)
        assert sorted(one.name for one in tmp_path.iterdir()) == names
    assert all((tmp_path / name).read_bytes() == content for name, content in before.items())
    made.close()


def test_an_empty_file_becomes_a_store_only_where_one_is_made(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    path.touch()
    for read_only in (False, True):
        with pytest.raises(DataError, match="there is no store of campaigns here"):
            open_store(path, read_only=read_only)
        assert path.stat().st_size == 0
    open_store(path, new=True).close()
    open_store(path).close()


def test_a_database_on_a_server_that_holds_other_tables_is_refused(postgres: str) -> None:
    import psycopg

    address = empty(postgres)
    with psycopg.connect(address, autocommit=True) as made:
        made.execute("CREATE TABLE theirs (x INTEGER)")
        for read_only in (False, True):
            with pytest.raises(DataError, match="no store of campaigns"):
                open_store(address, read_only=read_only)
        count = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
        assert made.execute(count).fetchone() == (1,)


def test_who_only_reads_writes_nothing(address: str) -> None:
    opened(address, small()).close()
    store = open_store(address, read_only=True)
    assert store.status("c")["open"] > 0
    with pytest.raises(DataError, match=r"read.?only"):
        store.run("DELETE FROM judgment")
    store.close()


def test_a_store_of_an_older_version_is_not_changed_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "older.sqlite"
    stored(path, new=True).close()
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.execute("DELETE FROM schema_version WHERE version > 1")
        made.commit()
    before = _tables(path)
    with pytest.raises(DataError, match="written by an older version"):
        open_store(path, read_only=True)
    assert _tables(path) == before


def test_nobody_else_can_read_a_new_file(tmp_path: Path) -> None:
    store = stored(tmp_path / "c.sqlite", new=True)
    store.run("SELECT 1")
    assert {one.stat().st_mode & 0o077 for one in tmp_path.iterdir()} == {0}


def test_only_the_hash_of_a_secret_is_kept(tmp_path: Path) -> None:
    store = opened(tmp_path / "c.sqlite", small())
    (link,) = store.add_raters("c", 1)
    store.close()
    assert link.token.encode() not in (tmp_path / "c.sqlite").read_bytes()


def beside(
    rater: str, block: int, parts: Sequence[str], needed: Sequence[str]
) -> list[NewPage]:
    """Return a page of both systems for every part, and a control whose text is on the right."""
    made = [NewPage(part=one, system="new", kind="system", beside="old") for one in parts]
    control = NewPage(
        part=parts[0],
        system="old",
        kind="degraded",
        lines=(("degraded", "worse"),),
        beside="new",
        flipped=True,
    )
    return [*made, control]


def test_a_choice_is_a_judgment_of_both_and_a_control_of_one(address: str) -> None:
    store = opened(address, small(1, block=1))
    store.add_raters("c", 1)
    shown = []
    for turn, score in enumerate((1.0, 0.0)):
        page = store.next_page("c/r-01", beside, turn)
        assert isinstance(page, Page)
        shown.append(page)
        assert store.given_page("c/r-01", page.token) == page
        store.save(
            "c/r-01",
            page.token,
            key="k",
            answers=[Answer(score=score, extra={"choice": "left"})],
            seconds=8.0,
            now=turn,
        )
    own, control = shown
    texts = store.parts("c")[0].segments[0].outputs
    assert [(own.lines[0].text, own.lines[0].other), own.flipped] == [
        (texts["new"], texts["old"]),
        False,
    ]
    assert (control.lines[0].text, control.lines[0].other) == ("worse", texts["new"])
    assert (control.beside, control.flipped) == ("new", True)
    rows = store.rows("c")
    assert [(r.system, r.kind, r.score, r.seconds, r.text, r.extra) for r in rows] == [
        ("new", "system", 1.0, 4.0, None, {"choice": "left", "side": "left"}),
        ("old", "system", 0.0, 4.0, None, {"choice": "left", "side": "right"}),
        ("old", "degraded", 0.0, 8.0, "worse", {"choice": "left", "side": "right"}),
    ]
    assert [r.page for r in rows] == [own.token, own.token, control.token]
    assert store.status("c")["judgments"] == 2  # choices that were made


def test_a_text_that_was_skipped_has_no_score_on_either_side(address: str) -> None:
    store = opened(address, small(1, block=1))
    store.add_raters("c", 1)
    page = store.next_page("c/r-01", beside, 0)
    assert isinstance(page, Page)
    store.save("c/r-01", page.token, key="k", answers=[Answer(score=None)], now=0)
    assert [(r.system, r.score, r.seconds) for r in store.rows("c")] == [
        ("new", None, None),
        ("old", None, None),
    ]


def test_a_page_is_given_back_to_its_rater_only(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 2)
    page = give(store, "c/r-01", 0)
    assert store.given_page("c/r-01", page.token).lines == page.lines
    for rater, token in (("c/r-02", page.token), ("c/r-01", "guess")):
        with pytest.raises(RefusedError) as error:
            store.given_page(rater, token)
        assert error.value.code == "unknown_page"


# --- Drafts, and answers that are changed before they are decided ---

FORTY = [Answer(score=40.0, extra={"spans": []})]


def change(store: Store, page: Page, key: str, replaces: str | None, now: float) -> str:
    said: str = store.save(
        "c/r-01",
        page.token,
        key=key,
        answers=FORTY,
        seconds=3.0,
        now=now,
        claimed=True,
        replaces=replaces,
    )
    return said


def test_a_draft_is_kept_until_the_page_is_saved(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 2)
    page = give(store, "c/r-01", 0.0)
    assert page.draft is None
    for n in range(2):
        store.keep_draft("c/r-01", page.token, f'{{"n": {n}}}', now=50.0)
    assert give(store, "c/r-01", 149.0).draft == '{"n": 1}'  # the lease goes on from the draft
    with pytest.raises(RefusedError) as error:
        store.keep_draft("c/r-02", page.token, "{}", now=1.0)
    assert error.value.code == "unknown_page"
    store.save("c/r-01", page.token, key="k", answers=SEVENTY, now=150.0)
    assert store.given_page("c/r-01", page.token).draft is None
    assert store.one("SELECT COUNT(*) FROM draft")[0] == 0


def test_the_older_tab_is_told(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    first = store.next_page("c/r-01", plain, 0.0, tab="one")
    assert isinstance(first, Page)
    store.keep_draft("c/r-01", first.token, "{}", tab="one", now=1.0)
    store.next_page("c/r-01", plain, 2.0, tab="two")
    with pytest.raises(RefusedError) as error:
        store.keep_draft("c/r-01", first.token, "[]", tab="one", now=3.0)
    assert error.value.code == "other_tab"
    store.keep_draft("c/r-01", first.token, "2", tab="two", now=4.0)
    assert store.given_page("c/r-01", first.token).draft == "2"


def test_answers_of_the_open_block_may_be_changed(address: str) -> None:
    store = opened(address, small(block=2))
    store.add_raters("c", 1)
    first = give(store, "c/r-01", 0.0)
    assert (first.place, first.n_pages, first.lines_left, first.back) == (1, 4, 4, None)
    store.save("c/r-01", first.token, key="a", answers=SEVENTY, seconds=5.0, now=10.0)
    second = give(store, "c/r-01", 10.0)
    assert (second.place, second.lines_left, second.back) == (2, 3, first.token)
    shown = store.given_page("c/r-01", first.token)
    assert (shown.answers, shown.key, shown.place) == (tuple(SEVENTY), "a", 1)
    assert shown.forward is None  # it is not saved yet
    for replaces in (None, "z"):
        with pytest.raises(RefusedError) as error:
            change(store, first, "b", replaces, 20.0)
        assert error.value.code == "already_saved"
    before = store.status("c")
    assert change(store, first, "b", "a", 20.0) == "changed"
    assert change(store, first, "b", "a", 21.0) == "again"  # the answer was lost
    assert store.status("c") == before
    (row,) = store.rows("c")
    assert (row.score, row.extra, row.seconds) == (40.0, {"spans": []}, 8.0)
    (old,) = store.revisions("c")
    assert (old.rater, old.page, old.n, old.at) == ("r-01", first.token, 1, 20.0)
    assert old.answers == tuple(SEVENTY)
    assert store.raters("c")[0].seconds == 8.0
    skip = [Answer(score=None, extra={"skipped": "cannot_judge"})]
    store.save("c/r-01", first.token, key="c", answers=skip, now=30.0, replaces="b")
    assert store.status("c")["skipped"] == before["skipped"] + 1
    assert store.status("c")["judgments"] == before["judgments"] - 1
    store.erase("c", "r-01", (), {})
    assert store.revisions("c") == []


def test_answers_are_fixed_by_the_next_block_and_by_a_decision(address: str) -> None:
    store = opened(address, small(2, block=1))
    store.add_raters("c", 1)
    pages = []
    for n in range(2):
        pages.append(give(store, "c/r-01", n))
        store.save("c/r-01", pages[-1].token, key="a", answers=SEVENTY, now=n + 0.5)
    assert change(store, pages[1], "b", "a", 5.0) == "changed"  # the block is done, not decided
    pages.append(give(store, "c/r-01", 6.0))  # of the next block
    with pytest.raises(RefusedError) as error:
        change(store, pages[0], "b", "a", 7.0)
    assert error.value.code == "already_saved"
    store.save("c/r-01", pages[-1].token, key="a", answers=SEVENTY, now=8.0)
    page = give(store, "c/r-01", 8.0)
    store.save("c/r-01", page.token, key="a", answers=SEVENTY, now=9.0)
    pause = store.next_page("c/r-01", plain, 10.0)
    assert isinstance(pause, Pause)
    assert pause.back == page.token
    store.decide("c", admitting, most_failed=3, now=11.0)
    with pytest.raises(RefusedError) as error:
        change(store, page, "b", "a", 12.0)
    assert error.value.code == "already_saved"
    last = store.next_page("c/r-01", plain, 13.0)
    assert isinstance(last, Pause)
    assert last.back is None


def admitting(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
    works = dict.fromkeys((row.work, row.epoch) for row in rows)
    return [Decision(rater="r-01", works=tuple(works), admitted=True)]


def test_what_changes_while_the_rule_is_asked_is_not_decided(address: str) -> None:
    store = opened(address, small(1, block=1))
    store.add_raters("c", 1)
    pages = []
    for n in range(2):
        pages.append(give(store, "c/r-01", n))
        store.save("c/r-01", pages[n].token, key="a", answers=SEVENTY, now=n + 0.5)
    page, other = pages[1], stored(address)

    def rule(rows: Sequence[JudgmentRow], *, ending: bool) -> list[Decision]:
        if not store.revisions("c"):
            change(other, page, "b", "a", 5.0)
        return admitting(rows, ending=ending)

    assert store._decide("c", rule, 3, 6.0, ending=True) == []
    (found,) = store._decide("c", rule, 3, 7.0, ending=True)
    assert found.admitted
    assert [row.score for row in store.rows("c")] == [70.0, 40.0]


def test_whole_pages_may_have_a_score(address: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    for turn, score in enumerate((55.0, None)):
        page = give(store, "c/r-01", turn)
        store.save(
            "c/r-01", page.token, key="k", answers=SEVENTY, document_score=score, now=turn
        )
    (found,) = store.document_scores("c")
    assert (found.part, found.system, found.kind, found.rater, found.wave, found.score) == (
        "d0",
        "new",
        "system",
        "r-01",
        1,
        55.0,
    )


def test_consent_is_kept_once(address: str) -> None:
    store = opened(address, small())
    one, two = store.add_raters("c", 2)
    for now in (5.0, 9.0):
        store.consent("c/r-01", now=now)
    found = [store.rater_of(link.token) for link in (one, two)]
    assert [rater.consented for rater in found if rater is not None] == [True, False]
    assert store.one("SELECT consented FROM rater WHERE id = ?", "c/r-01")[0] == 5.0


# --- Calls that wait share one transaction; one that fails leaves the others whole ---

ONE = [Answer(score=1.0)]


def test_calls_are_answered_after_their_commit(address: str) -> None:
    store = opened(address, small(40, block=1))
    codes = [link.code for link in store.add_raters("c", 20)]
    writer = GroupCommit(store)
    begun = threading.Event()
    blocker = writer.submit(begun.wait)  # the others gather meanwhile
    pages = [writer.submit(partial(store.next_page, f"c/{code}", plain, 0.0)) for code in codes]
    wrong = writer.submit(lambda: store.save("c/r-01", "made-up", key="k", answers=[]))
    begun.set()
    assert blocker.result(30)
    parts = set()
    for code, future in zip(codes, pages, strict=True):
        page = future.result(30)
        assert isinstance(page, Page)
        parts.add(page.part)
        saved = writer.submit(
            partial(store.save, f"c/{code}", page.token, key="k", answers=ONE, now=1.0)
        )
        assert saved.result(30) == "saved"
    assert len(parts) == 20
    with pytest.raises(RefusedError, match="no such page"):
        wrong.result(30)
    assert writer.calls == 42
    assert writer.commits <= 23
    writer.close()
    assert store.status("c")["pages"] == 20
    assert store.one("SELECT COUNT(*) FROM judgment")[0] == 20


def test_nobody_is_told_yes_when_the_commit_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / "c.sqlite", small())
    store.add_raters("c", 1)
    writer = GroupCommit(store)
    execute = store._execute

    def full(sql: str, args: object) -> object:
        if sql == "COMMIT":
            raise DataError("database or disk is full")
        return execute(sql, args)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_execute", full)
    future = writer.submit(lambda: store.next_page("c/r-01", plain, 0.0))
    with pytest.raises(DataError, match="disk is full"):
        future.result(30)
    monkeypatch.setattr(store, "_execute", execute)
    assert store.one("SELECT COUNT(*) FROM page")[0] == 0
    assert isinstance(
        writer.submit(lambda: store.next_page("c/r-01", plain, 0.0)).result(30), Page
    )
    writer.close()


def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    store = opened(tmp_path / "c.sqlite", small())
    store.add_raters("c", 1)
    writer = GroupCommit(store)
    future = writer.submit(lambda: store.next_page("c/r-01", plain, 0.0))
    writer.close()
    assert isinstance(future.result(0), Page)


@pytest.mark.parametrize("odd", ["a\0b", "half \ud800", "\udcff"])
def test_both_databases_refuse_the_same_texts(address: str, odd: str) -> None:
    store = opened(address, small())
    store.add_raters("c", 1)
    page = give(store, "c/r-01", 0.0)
    before = store.status("c")
    calls: list[Callable[[], object]] = [
        lambda: store.campaign(odd),
        lambda: store.given_page("c/r-01", odd),
        lambda: store.save("c/r-01", odd, key="k", answers=SEVENTY),
        lambda: store.save("c/r-01", page.token, key=odd, answers=SEVENTY),
        lambda: store.create(replace(small(), name=odd)),
    ]
    for call in calls:
        with pytest.raises(InputError, match="NUL or half a character"):
            call()
    with contextlib.closing(GroupCommit(store)) as writer:  # as a server calls it
        with pytest.raises(InputError, match="NUL or half a character"):
            writer.submit(calls[3]).result()
        saved = writer.submit(
            lambda: store.save("c/r-01", page.token, key="k", answers=SEVENTY, now=1.0)
        )
        assert saved.result() == "saved"
    assert store.status("c")["pages"] == before["pages"] + 1
    assert store.names() == ("c",)
