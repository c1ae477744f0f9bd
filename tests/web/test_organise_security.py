"""The statements of the security page about organisers: 1, 3, 6, 8, 12, 14, 15; every route is walked."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from detectable.web import new_campaign as uploads
from detectable.web.app import make_app
from detectable.web.new_campaign import MOST_BYTES
from detectable.web.settings import Settings
from detectable.web.watch import look_if_due
from tests.web.client import OURS, Client, client
from tests.web.organised import FILE, PASSWORD, RIGHT, judged, make, press, send, status

SECRET = ("SENTINEL-FIRST", "SENTINEL-SECOND")


def organiser_routes(folder: Path) -> list[Route]:
    made = make_app(Settings(folder))
    return [
        route
        for route in made.routes
        if isinstance(route, Route) and hasattr(route.endpoint, "for_organisers")
    ]


def ask(asked: Client, route: Route, **headers: str) -> Any:
    (method,) = (route.methods or set()) - {"HEAD"}
    path = route.path.replace("{name}", "ship").replace("{rater}", "r-01")
    path = path.replace("{ending}", "csv")
    return asked.request(
        method, path, headers=headers, **({} if method == "GET" else {"json": {}})
    )


def sign_in(asked: Client) -> None:
    answer = asked.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
    assert answer.status_code == 204


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Client]:
    made = client(tmp_path, password=PASSWORD)
    yield made
    made.close()


# 1. Every route of organisers, without and with a session.


def test_every_route_of_organisers_asks_for_a_session(guarded: Client, tmp_path: Path) -> None:
    sign_in(guarded)
    judged(guarded, 20, names=SECRET)
    routes = organiser_routes(tmp_path)
    assert len(routes) >= 25
    kept, guarded.cookies = guarded.cookies, type(guarded.cookies)()
    for route in routes:
        answer = ask(guarded, route, **OURS)
        assert answer.status_code == 401, route.path
        assert "SENTINEL" not in answer.text
        assert "ship" not in answer.text
    link = {"authorization": "Bearer guess"}
    assert all(ask(guarded, route, **OURS, **link).status_code == 401 for route in routes)
    guarded.cookies = kept
    for route in routes:
        if not route.path.endswith("/events"):  # a stream, which test_watch.py listens to
            answer = ask(guarded, route, **OURS)
            assert answer.status_code in (200, 201, 409, 415, 422), (route.path, answer.text)


def test_a_link_of_a_rater_opens_nothing_of_organisers(guarded: Client, tmp_path: Path) -> None:
    sign_in(guarded)
    tokens = make(guarded, 20)
    guarded.cookies.clear()
    own = {"authorization": f"Bearer {tokens[0]}"}
    assert guarded.get("/api/v1/next", headers=own).status_code == 200
    for route in organiser_routes(tmp_path):
        assert ask(guarded, route, **OURS, **own).status_code == 401, route.path


def test_a_report_needs_a_session_until_it_is_published(guarded: Client) -> None:
    sign_in(guarded)
    judged(guarded, 30, plan={"looks": 1, "admission": ""})
    paths = (
        "/reports/ship",
        *(f"/api/v1/reports/ship{more}" for more in ("", "/ledger", "/page")),
    )
    asyncio.run(look_if_due(guarded.app, "ship"))
    for step in ("stopped", "concluded", "published"):
        if step == "concluded":
            press(guarded, "conclude", {"at_once": True})
        if step == "published":
            press(guarded, "publish")
        kept, guarded.cookies = guarded.cookies, type(guarded.cookies)()
        for path in (*paths, "/reports/nothing", "/api/v1/reports/nothing"):
            wanted = 200 if step == "published" and "nothing" not in path else 401
            answer = guarded.get(path)
            assert answer.status_code == wanted, (step, path)
            assert wanted == 200 or "ship" not in answer.text
        guarded.cookies = kept
    page = guarded.get("/reports/ship").text
    guarded.cookies.clear()
    assert 'href="/campaigns/ship"' in page
    assert 'href="/campaigns/ship"' not in guarded.get("/reports/ship").text


# 8. What changes something needs our header, our origin and our kind of body.


def test_every_route_that_changes_refuses_foreign_pages(tmp_path: Path) -> None:
    asked = client(tmp_path)
    make(asked, 20)
    before = status(asked)
    for route in organiser_routes(tmp_path):
        if route.methods == {"GET", "HEAD"}:
            continue
        for headers in ({}, {**OURS, "Origin": "https://evil.example"}, {"X-Detectable": "0"}):
            answer = ask(asked, route, **headers)
            assert answer.status_code == 403, route.path
            assert not any(name.startswith("access-control") for name in answer.headers)
    for what in ("raters", "unblind", "looks", "conclude", "go-on"):
        answer = asked.post(
            f"/api/v1/campaigns/ship/{what}",
            content=b'{"raters": 1, "who": "x", "reason": "x"}',
            headers={**OURS, "Content-Type": "text/plain"},
        )
        assert answer.status_code == 415
    assert status(asked) == before
    asked.close()


# 12. Uploads.


def test_a_file_is_cut_off_where_it_becomes_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BYTES == 64 << 20
    monkeypatch.setattr(uploads, "MOST_BYTES", 200_000)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 65_536
            yield b"a" * 65_536

    asked = client(tmp_path)
    answer = asked.post("/api/v1/uploads", content=endless(), headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert sent < 400_000
    folder = asked.app.state.uploads._folder
    assert list(folder.iterdir()) == []
    asked.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    "start",
    [b"PK\x03\x04", b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"BZh9", b"\x28\xb5\x2f\xfd"],
)
def test_packed_files_are_refused(start: bytes, tmp_path: Path) -> None:
    asked = client(tmp_path)
    answer = asked.post("/api/v1/uploads?file=x.txt", content=start + b"x" * 99, headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (415, "packed")

    async def slowly() -> AsyncIterator[bytes]:
        for byte in start + b"x" * 99:
            yield bytes([byte])

    answer = asked.post("/api/v1/uploads?file=x.txt", content=slowly(), headers=FILE)
    assert (answer.status_code, answer.json()["code"]) == (415, "packed")
    asked.close()


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "..\\..\\x.txt", "a\x00b", "\u202egnp.exe", "x" * 999],
)
def test_names_from_a_browser_are_never_paths(name: str, tmp_path: Path) -> None:
    asked = client(tmp_path)
    id = send(asked, name, "one\ntwo\n")
    found = asked.app.state.uploads.get(id)
    assert found.path.parent == asked.app.state.uploads._folder
    assert found.path.stem == id
    assert found.path.suffix == ".txt"
    assert len(found.name) <= 100
    assert "\x00" not in found.name
    assert "\u202e" not in found.name
    assert list(tmp_path.iterdir()) == []
    asked.close()


def test_files_of_others_are_not_kept_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_MOST", 2)
    asked = client(tmp_path)
    ids = [send(asked, "x", "one\n") for _ in range(3)]
    assert len(list(asked.app.state.uploads._folder.iterdir())) == 2
    body = {"name": "ship", "texts": {"corpus": ids[0]}}
    answer = asked.post("/api/v1/campaigns/check", json=body, headers=OURS)
    assert answer.json()["code"] == "no_file"
    asked.close()


@pytest.mark.parametrize(
    ("content", "media", "code"),
    [(b"", None, 422), (b"x", "text/plain", 415), (b"x", "multipart/form-data", 415)],
)
def test_a_body_that_is_no_file_is_refused(
    content: bytes, media: str | None, code: int, tmp_path: Path
) -> None:
    headers = FILE if media is None else {**OURS, "Content-Type": media}
    answer = client(tmp_path).post("/api/v1/uploads", content=content, headers=headers)
    assert answer.status_code == code


# 14. Scores by system, and which system a rater saw, are nowhere before the conclusion.


TOLD = ("interval", '"z"')  # of a campaign that was frozen to tell looks in full


@pytest.mark.parametrize("reveal", ["decision", "full"])
def test_no_answer_tells_scores_by_system_before_the_end(tmp_path: Path, reveal: str) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    judged(asked, 40, careless=1, reveal=reveal)
    asyncio.run(look_if_due(asked.app, "ship"))
    said: list[str] = []
    for route in organiser_routes(tmp_path):
        if route.methods == {"GET", "HEAD"} and not route.path.endswith("/events"):
            answer = ask(asked, route)
            if "export" not in route.path:  # letters, see below
                said.append(answer.text)
            assert answer.status_code in (200, 409)
    now = json.dumps(status(asked))
    assert json.loads(now)["looks"]
    for word in ("estimate", "mean", "p_value", "score", "effect", "standard_error"):
        assert word not in now
    for word in TOLD:
        assert (word in now) == (reveal == "full")
    scores = _scores(tmp_path)
    assert len(scores) == 2
    for text in (*said, now):  # a mean to two decimals is nobody's count
        assert not any(re.search(rf"(?<![\d.]){score:.2f}", text) for score in scores.values())
    about = asked.get("/api/v1/campaigns/ship/campaign.json").json()
    assert (about["ledger"], about["key"]) == (None, None)
    rows = asked.get("/api/v1/campaigns/ship/export.jsonl").text
    systems = {json.loads(line)["system"] for line in rows.splitlines()}
    assert systems == {"A", "B"}
    # Letters are drawn anew for every item, so no letter has the better scores.
    assert 3 <= _gap(rows) <= 97
    assert "new.txt" not in log.getvalue()
    assert "unblinding" not in (tmp_path / "ship.ledger.jsonl").read_text()
    asked.close()


def _scores(folder: Path) -> dict[str, float]:
    """Return what each system scored on average, as nobody may know it."""
    from detectable.data.store.open_store import open_store

    store = open_store(folder)
    rows = [row for row in store.rows("ship") if row.kind == "system"]
    store.close()
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            found.setdefault(row.system, []).append(row.score)
    return {name: sum(given) / len(given) for name, given in found.items()}


def test_page_and_status_tell_a_look_in_full_if_it_was_frozen(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 40, reveal="full")
    asyncio.run(look_if_due(asked.app, "ship"))
    (line,) = status(asked)["looks"][:1]
    (pair,) = line["pairs"]
    low, high = pair["interval"]
    numbers = f"new − old from {low:+.2f} to {high:+.2f}, z = {pair['z']:+.3f}".replace(
        "-", "−"
    )
    assert line["says"].endswith(f"({numbers})")
    assert numbers in asked.get("/campaigns/ship").text
    asked.close()


def _gap(rows: str) -> float:
    """Return the percentage of items of which the letter A has the higher score."""
    items: dict[str, dict[str, float]] = {}
    for line in rows.splitlines():
        row = json.loads(line)
        if row["kind"] == "system":
            items.setdefault(row["item"], {})[row["system"]] = row["score"]
    both = [one for one in items.values() if len(one) == 2]
    assert len(both) >= 20
    return 100 * sum(one["A"] > one["B"] for one in both) / len(both)


def test_unblinding_is_in_the_ledger_before_anything_is_shown(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20, plan={"looks": 1})
    press(asked, "unblind", {"who": "Ada", "reason": "A test of it."})
    lines = [
        json.loads(line) for line in (tmp_path / "ship.ledger.jsonl").read_text().splitlines()
    ]
    found = [one for one in lines if one["event"] == "unblinding"]
    assert found[0]["detail"] == {"who": "Ada", "reason": "A test of it."}
    asked.close()


# 6, 15. Links and passwords are in no log; refusals tell no place.


def test_the_log_holds_no_secret(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log, password=PASSWORD)
    sign_in(asked)
    tokens = make(asked, 20)
    asked.get("/api/v1/next", headers={"authorization": f"Bearer {tokens[0]}"})
    for what, body in (
        ("looks", {}),
        ("conclude", {}),
        ("unblind", {"who": "Ada", "reason": "SENTINEL"}),
    ):
        answer = press(asked, what, body)
        assert str(tmp_path) not in answer.text
        assert "Traceback" not in answer.text
        assert not re.search(r"SELECT|INSERT|sqlite", answer.text)
    secrets = (*tokens, RIGHT, asked.cookies["dt"], "SENTINEL", "Bearer")
    assert not any(secret in log.getvalue() for secret in secrets)
    assert '"status": 500' not in log.getvalue()
    asked.close()


def test_a_plan_that_was_changed_is_told_without_its_folder(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20, plan={"looks": 1, "admission": ""})
    plan = tmp_path / "ship.json"
    plan.write_text(plan.read_text().replace("Ship it?", "Ship?"))
    answer = press(asked, "looks", {})
    assert answer.status_code == 409
    assert answer.json()["message"].startswith("ship.json: the plan was changed")
    assert str(tmp_path) not in answer.text
    assert asked.get("/campaigns/ship").status_code in (200, 409)
    asked.close()
