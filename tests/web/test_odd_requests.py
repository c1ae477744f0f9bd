"""Odd requests on a server that runs: no 5xx, no trace, others go on, nothing saved is lost."""

import json
import secrets
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from detectable.data.store.open_store import open_store
from detectable.web.settings import write_password
from tests.data.store import databases
from tests.data.store.conftest import postgres  # noqa: F401 (a fixture)
from tests.helpers import spread
from tests.web.client import OURS, Far
from tests.web.odd_requests import Odd, attack
from tests.web.organised import RIGHT, make
from tests.web.running import Running, running

SEED = 2032
PER_RUN = 150  # requests; the whole attack is eight of these on each store, with and without a password


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest) -> str:
    """Return the address of a store; an empty one is in the folder of the server."""
    if request.param == "sqlite":
        return ""
    return databases.empty(request.getfixturevalue("postgres"))


@pytest.mark.parametrize("part", spread(range(8), one_in=8))
@pytest.mark.parametrize("secret", [True, False], ids=["password", "open"])
def test_odd_requests_break_nothing(
    tmp_path: Path,
    store: str,
    part: int,
    record_property: Callable[[str, object], None],
    *,
    secret: bool,
) -> None:
    folder, more = tmp_path / "folder", ["--store", store] if store else []
    folder.mkdir()
    if secret:
        write_password(tmp_path / "organisers.txt", RIGHT)
        more += ["--password-file", str(tmp_path / "organisers.txt")]
    with running(folder, tmp_path / "log.txt", *more) as server, Far(server.address) as asked:
        sessions = _signed_in(asked) if secret else []
        own, *others = make(asked, n=60, consent="Yes", page_lines=1)
        given = [_next(asked, link)["token"] for link in (own, *others)]
        odd = Odd(SEED, links=others, pages=given, sessions=sessions)
        numbers = range(part * PER_RUN, (part + 1) * PER_RUN)
        kept = _judge(server.address, own, 3)
        with ThreadPoolExecutor(1) as rater:
            work = rater.submit(_judge, server.address, own, 20, stopped=not secret)
            found = attack(int(server.address.rpartition(":")[2]), odd, numbers)
            kept |= work.result()
        for status, n in found.items():
            record_property(f"answered {status}", n)
        assert sum(found.values()) == PER_RUN
        assert sum(n for status, n in found.items() if 400 <= status < 500) > PER_RUN / 2
        _unharmed(server)
        assert asked.get("/api/v1/campaigns").status_code == 200
        state = asked.get("/api/v1/me", headers=_link(own)).json()["state"]
        assert state == "open" or not secret  # without a password whoever asks may stop it
    names = {path.name for path in tmp_path.iterdir()}
    assert names <= {"folder", "log.txt", "organisers.txt"}
    rows = open_store(store or folder)
    there = {row.page: row.score for row in rows.rows("ship")}
    rows.close()
    assert len(kept) >= 3
    assert {page: there.get(page) for page in kept} == kept


def _signed_in(asked: Far) -> list[str]:
    """Sign in, and return a session that was ended and one that is damaged."""
    secrets_given = []
    for end in (True, False):
        body = {"password": RIGHT}
        assert asked.post("/api/v1/session", json=body, headers=OURS).status_code == 204
        secrets_given.append(asked.http.cookies["dt"])
        if end:
            asked.delete("/api/v1/session", headers=OURS)
    over, good = secrets_given
    return [over, good[:-1]]


def _link(secret: str) -> dict[str, str]:
    return {**OURS, "Authorization": f"Bearer {secret}"}


def _next(asked: Far, link: str) -> dict[str, str]:
    asked.post("/api/v1/me/consent", headers=_link(link))
    found: dict[str, str] = asked.get("/api/v1/next", headers=_link(link)).json()
    return found


def _judge(address: str, link: str, n: int, *, stopped: bool = False) -> dict[str, float]:
    """Judge so many pages, and return what was acknowledged; an odd request may have stopped it."""
    kept = {}
    with Far(address) as asked:
        for number in range(n):
            page = _next(asked, link)
            if stopped and "token" not in page:
                break
            body = {"key": secrets.token_hex(8), "answers": [{"score": number}]}
            path = f"/api/v1/pages/{page['token']}"
            answer = asked.put(path, json=body, headers=_link(link))
            if stopped and answer.status_code == 409:
                break
            assert answer.status_code == 200, answer.text
            kept[page["token"]] = float(number)
    return kept


def _unharmed(server: Running) -> None:
    assert httpx.get(f"{server.address}/healthz", timeout=60).json()["state"] == "ok"
    assert server.process.poll() is None
    logged = server.log.read_text()
    assert "Traceback" not in logged, logged[logged.index("Traceback") - 300 :][:3000]
    statuses = Counter(
        json.loads(line).get("status", 0)
        for line in logged.splitlines()
        if line.startswith("{")
    )
    assert max(statuses) < 500, statuses
