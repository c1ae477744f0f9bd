"""Calls that wait share one transaction; one that fails leaves the others whole."""

import threading
from functools import partial
from pathlib import Path

import pytest

from detectable.core.errors import DataError, RefusedError
from detectable.data.store.records import Answer, Page
from detectable.data.store.store import GroupCommit
from tests.data.store.databases import opened, plain, small

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
