"""Odd requests on a server that runs: no 5xx, no trace, others go on, nothing saved is lost."""

import ast
import asyncio
import base64
import contextlib
import hashlib
import io
import json
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from detectable.data.store.open_store import open_store
from detectable.study.campaign.settings import CampaignSettings
from detectable.web.settings import write_password
from detectable.web.watch import look_if_due
from tests.data.store import databases
from tests.data.store.conftest import postgres  # noqa: F401 (a fixture)
from tests.helpers import spread
from tests.web.campaigns import SECRET, campaign
from tests.web.client import OURS, Client, Far, client
from tests.web.conftest import STEP
from tests.web.odd_requests import Odd, attack
from tests.web.organised import PASSWORD, RIGHT, judged, make, press, send, status, texts
from tests.web.running import Running, running
from tests.web.test_annotate import SAVE, Rater, counts

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


# --- A server that is killed while raters save ---

TOLD = CampaignSettings(mode="reference").to_json()


@pytest.mark.parametrize("lives", [2, pytest.param(300, marks=pytest.mark.slow)])
def test_a_server_that_is_killed_keeps_all_it_acknowledged(
    tmp_path: Path, store: str, lives: int
) -> None:
    folder, more = tmp_path / "folder", ["--store", store] if store else []
    folder.mkdir()
    rows = databases.opened(
        store or folder,
        replace(databases.small(40 + 4 * lives, block=2, lease=3600, lines=2), settings=TOLD),
    )
    rng, kept = random.Random(13), dict[str, float]()
    for _ in range(lives):
        links = [link.token for link in rows.add_raters("c", 2)]
        with (
            running(folder, tmp_path / "log.txt", *more) as server,
            ThreadPoolExecutor(2) as both,
        ):
            told: list[dict[str, float]] = [{}, {}]
            work = [
                both.submit(_judge_until_it_dies, server.address, link, own)
                for link, own in zip(links, told, strict=True)
            ]
            while not any(told) and not all(one.done() for one in work):
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.1))
            server.process.kill()
            for one in work:
                one.result()
        assert "Traceback" not in server.log.read_text()
        kept |= told[0] | told[1]
    there = Counter((row.page, row.score) for row in rows.rows("c"))
    rows.close()
    assert len(kept) >= lives
    assert {there[page, score] for page, score in kept.items()} == {2}  # both lines, once


def _judge_until_it_dies(address: str, link: str, kept: dict[str, float]) -> None:
    """Judge all that there is, and note what was acknowledged, until nobody answers."""
    with contextlib.suppress(httpx.TransportError), Far(address) as asked:
        while "token" in (page := _next(asked, link)):
            score = float(secrets.randbelow(101))
            body = {"key": secrets.token_hex(8), "answers": [{"score": score}] * 2}
            answer = asked.put(f"/api/v1/pages/{page['token']}", json=body, headers=_link(link))
            assert answer.status_code == 200, answer.text
            kept[page["token"]] = score


# --- The fifteen statements of the security page: what no other file shows, and where each is shown ---

HERE = Path(__file__).parent
# Where each statement is shown; tests of this file are named by their number.
SHOWN: dict[int, dict[str, tuple[str, ...]]] = {
    1: {
        "test_security": ("test_without_a_token_all_else_is_refused_and_names_nothing",),
        "test_organise": ("test_every_route_of_organisers_asks_for_a_session",),
    },
    2: {"test_annotate": ("test_the_page_of_somebody_else_is_like_one_that_does_not_exist",)},
    3: {"test_annotate": ("test_no_protocol_names_anything",)},
    4: {"test_annotate": ("test_forged_answers_change_nothing",)},
    5: {"test_annotate": ("test_a_page_is_saved_once_however_often_it_is_sent",)},
    6: {"test_organise": ("test_the_log_holds_no_secret",)},
    7: {"test_security": ("test_texts_are_shown_as_text", "test_every_answer_has_the_headers")},
    8: {"test_organise": ("test_every_route_that_changes_refuses_foreign_pages",)},
    9: {},
    10: {
        "test_auth": (
            "test_the_eleventh_wrong_password_of_a_minute_must_wait",
            "test_a_session_ends_after_twelve_hours",
            "test_the_right_password_opens_and_signing_out_closes",
            "test_the_file_holds_a_hash_that_its_owner_alone_can_read",
        )
    },
    11: {"test_server": ("test_large_deep_and_silent_askers_do_not_stop_others",)},
    12: {
        "test_organise": (
            "test_a_file_is_cut_off_where_it_becomes_too_large",
            "test_packed_files_are_refused",
            "test_names_from_a_browser_are_never_paths",
        )
    },
    13: {},
    14: {"test_organise": ("test_no_answer_tells_scores_by_system_before_the_end",)},
    15: {"test_security": ("test_what_breaks_is_told_to_the_log_alone",)},
}


def defined_in(name: str) -> set[str]:
    found = ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))
    return {one.name for one in found.body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize("number", range(1, 16))
def test_every_statement_is_shown(number: int) -> None:
    own = {
        one for one in defined_in("test_odd_requests") if one.startswith(f"test_{number:02d}_")
    }
    for file, names in SHOWN[number].items():
        assert set(names) <= defined_in(file)
    assert own or SHOWN[number]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Rater, Rater]]:
    links = campaign(tmp_path, n_raters=2, block=1)
    asked = client(tmp_path)
    yield Rater(asked, links[0].token), Rater(asked, links[1].token)
    asked.close()


def all_tokens(folder: Path) -> list[str]:
    """Return the tokens of all pages, in the order in which they come."""
    store = open_store(folder)
    found = [row[0] for row in store.all("SELECT token FROM page ORDER BY rater, block, ord")]
    store.close()
    return found


# 2. With the link of one rater nothing of another can be read or saved.


def test_02_nothing_of_another_rater_can_be_read(two: tuple[Rater, Rater]) -> None:
    one, other = two
    seen = []
    for _ in range(3):
        page = one.page()
        seen.append(page)
        assert one.save(page).status_code == 200
    before = other.get("me").json()
    mine = other.page()
    assert (mine["block"], mine["place"]) == (1, 1)  # counts are one's own
    assert mine["token"] not in {page["token"] for page in seen}
    assert other.get("me").json() == before
    for page in seen:
        answers = [
            other.get(f"pages/{page['token']}"),
            other.get("pages/made-up"),
            other.save(page),
            other.put("made-up", {"key": "k", "answers": []}),
        ]
        assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
        assert answers[2].json() == answers[3].json()


# 3. Not even what stands around the texts: the page, refusals, and headers.


def test_03_no_answer_or_header_holds_what_is_blind(tmp_path: Path) -> None:
    (link,) = campaign(tmp_path, n_raters=1, page_lines=1)
    asked = client(tmp_path)
    one = Rater(asked, link.token)
    said: list[str] = []
    while not (page := one.page())["done"]:
        wrong = one.put(page["token"], {"key": "k", "answers": [{"score": 1e9}]})
        answers = (asked.get("/a"), one.get("me"), one.get("next"), wrong, one.save(page))
        said += [answer.text + json.dumps(dict(answer.headers)) for answer in answers]
    whole = "".join(said)
    # The words of the page name kinds of text; what came from the campaign does not.
    for word in (*SECRET, "degraded", "r-01", '"kind"', '"system"', "flipped", "of_page"):
        assert word not in whole
    asked.close()


# 4. What cannot be is refused before anything is written.


@pytest.mark.parametrize(
    "answers",
    [
        [{"score": 101}, {"score": 50}],
        [{"score": 50}, {"score": -1}],
        [{"score": 50}] * 3,
        [{"score": 50}],
        [{"score": 50, "kind": "system"}, {"score": 50}],
        [{"score": True}, {"score": 50}],
        [{"score": [50]}, {"score": 50}],
        [{"score": 50, "spans": []}, {"score": 50}],
        [{}, {"score": 50}],
    ],
)
def test_04_a_forged_answer_leaves_all_rows_as_they_were(
    answers: list[Any], two: tuple[Rater, Rater], tmp_path: Path
) -> None:
    page = two[0].page()
    before = counts(tmp_path)
    refused = two[0].put(page["token"], {"key": "k", "answers": answers})
    assert (refused.status_code, refused.json()["code"]) == (422, "wrong_answer")
    assert counts(tmp_path) == before
    store = open_store(tmp_path)
    assert store.rows("ship") == []
    store.close()


# 5. A page is saved once, if it was given, by a link that is valid.


def test_05_a_page_that_was_not_given_cannot_be_saved(
    two: tuple[Rater, Rater], tmp_path: Path
) -> None:
    page = two[0].page()
    first, second, *_ = all_tokens(tmp_path)
    assert page["token"] == first
    early = two[0].put(second, {"key": "k", "answers": [{"score": 50}] * 2})
    unknown = two[0].put("made-up", {"key": "k", "answers": []})
    assert (early.status_code, early.json()) == (404, unknown.json())
    assert counts(tmp_path)["pages"] == 0
    assert two[0].save(page).status_code == 200
    assert two[0].page()["token"] == second
    assert two[0].put(second, {"key": "k", "answers": [{"score": 50}] * 2}).status_code == 200


def test_05_a_link_that_was_taken_away_saves_nothing(tmp_path: Path) -> None:
    asked = client(tmp_path)
    tokens = make(asked)
    one = Rater(asked, tokens[0])
    page = one.page()
    path = "/api/v1/campaigns/ship/raters/r-01"
    assert asked.patch(path, json={"state": "revoked"}, headers=OURS).status_code == 200
    assert one.save(page).status_code == 401
    assert one.get("next").status_code == one.get("me").status_code == 401
    assert status(asked)["judgments"] == 0
    asked.close()


# 6. Links are secrets of 128 bits, of which only the hash is kept.


def test_06_a_link_is_a_secret_that_is_kept_nowhere(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    tokens = make(asked)
    links = press(asked, "raters", {"raters": 2}).json()["links"]
    tokens += [one["link"].partition("#")[2] for one in links]
    assert all("?" not in one["link"] and one["link"].count("#") == 1 for one in links)
    assert len(set(tokens)) == 5
    for token in tokens:
        assert 8 * len(base64.urlsafe_b64decode(f"{token}==")) >= 128
        Rater(asked, token).page()
    shown = [asked.get(path).text for path in ("/campaigns", "/campaigns/ship")]
    shown += [json.dumps(status(asked)), log.getvalue()]
    asked.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    for token in tokens:
        assert token not in "".join(shown)
        assert token.encode() not in kept
        assert hashlib.sha256(token.encode()).hexdigest().encode() in kept


def test_06_a_secret_in_an_address_opens_nothing(two: tuple[Rater, Rater]) -> None:
    token = two[0].header["authorization"].split()[1]
    asked = two[0].client
    for path in (f"/api/v1/next?token={token}", f"/api/v1/me?authorization=Bearer%20{token}"):
        assert asked.get(path).status_code == 401


# 9. Names that break a line are refused where they come in.


@pytest.mark.parametrize("name", ["new\nold", "new\rold", "new\u2028old", "\u202eold", "a\x00"])
def test_09_a_name_that_breaks_a_line_is_refused(name: str, tmp_path: Path) -> None:
    asked = client(tmp_path)
    given = texts(asked)
    given["systems"][0]["name"] = name
    for path in ("/api/v1/campaigns/check", "/api/v1/campaigns"):
        answer = asked.post(path, json={"name": "ship", "texts": given}, headers=OURS)
        assert answer.status_code in (400, 409, 422)
        assert name not in answer.json()["message"]
    asked.close()


# 12. An archive is refused by its first bytes, whatever it is called.


@pytest.mark.parametrize("name", ["a.zip", "a.txt", "a.csv", "a.json"])
def test_12_an_archive_is_refused_whatever_its_name(name: str, tmp_path: Path) -> None:
    asked = client(tmp_path)
    headers = {**OURS, "Content-Type": "application/octet-stream"}
    for first in (b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9"):
        answer = asked.post(
            "/api/v1/uploads", params={"file": name}, content=first + b"x" * 99, headers=headers
        )
        assert (answer.status_code, answer.json()["code"]) == (415, "packed")
    assert list(asked.app.state.uploads._folder.iterdir()) == []
    asked.close()


# 13. Times come from the browser and decide nothing; the server keeps its own.


@pytest.mark.usefixtures("people_take_their_time")
def test_13_a_time_decides_nothing(tmp_path: Path) -> None:
    decided = []
    for seconds in (0.0, 20.0, 86_400.0):
        folder = tmp_path / str(seconds)
        folder.mkdir()
        (link,) = campaign(folder, n_raters=1, page_lines=1)
        asked = client(folder)
        one = Rater(asked, link.token)
        while not (page := one.page())["done"]:
            body = {"key": "k", "answers": [{"score": 50}], "seconds": seconds}
            assert one.put(page["token"], body).json() == {"state": "saved"}
        asked.close()
        store = open_store(folder)
        rows = store.rows("ship")
        assert {row.seconds for row in rows} == {min(seconds, STEP)}  # no more than passed
        times = store.all(
            "SELECT p.given_at, j.saved FROM page p JOIN judgment j ON j.page = p.token"
        )
        assert all(given is not None and given <= saved for given, saved in times)
        decided.append([(row.item, row.kind, row.score, row.admitted) for row in rows])
        store.close()
    assert decided[0] == decided[1] == decided[2]


# 14. Nobody learns scores by system before the end: planted ones are looked for.


def test_14_no_page_answer_or_log_holds_a_planted_difference(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    judged(
        asked, 30, names=("SENTINEL-FIRST", "SENTINEL-SECOND"), plan={"looks": 1, "pairs": 3}
    )
    asyncio.run(look_if_due(asked.app, "ship"))
    store = open_store(tmp_path)
    rows = [row for row in store.rows("ship") if row.kind == "system" and row.score is not None]
    store.close()
    scores: dict[str, list[float]] = {}
    for row in rows:
        scores.setdefault(row.system, []).append(row.score or 0.0)
    means = {name: sum(found) / len(found) for name, found in scores.items()}
    gap = means["SENTINEL-FIRST"] - means["SENTINEL-SECOND"]
    assert gap > 8  # it is there
    said = [asked.get(path).text for path in ("/campaigns", "/campaigns/ship")]
    said += [json.dumps(status(asked))]
    said += [asked.get(f"/api/v1/campaigns/ship/export.{end}").text for end in ("csv", "jsonl")]
    for number in (gap, *means.values()):
        for digits in (3, 4):
            # A number of its own, and no part of a time.
            assert not re.search(rf"(?<![\d.]){number:.{digits}f}", "".join(said))
    assert "SENTINEL" not in log.getvalue()
    exported = asked.get("/api/v1/campaigns/ship/export.csv").text
    assert "SENTINEL" not in exported
    assert "unblinding" not in (tmp_path / "ship.ledger.jsonl").read_text()
    asked.close()


# 15. Errors hold no statement of a database, no place and no trace.


def test_15_no_error_tells_where_or_how(tmp_path: Path) -> None:
    campaign(tmp_path, n_raters=1)
    log = io.StringIO()
    asked = client(tmp_path, log)
    file = send(asked, "a.txt", "one\n")
    wrong = {"name": "ship", "texts": {"campaign": file}}
    answers = [
        asked.get("/api/v1/campaigns/none/status"),
        asked.get("/api/v1/campaigns/'; DROP TABLE rater; --/status"),
        asked.get("/api/v1/campaigns/ship/export.exe"),
        asked.get("/reports/none"),
        asked.post("/api/v1/campaigns/check", json=wrong, headers=OURS),
        asked.post("/api/v1/campaigns", json=wrong, headers=OURS),
        asked.put("/api/v1/pages/x", content=b"{", headers=SAVE),
        asked.put("/api/v1/pages/x", content=b'{"key":"k","answers":[]}', headers=SAVE),
        asked.patch("/api/v1/campaigns/ship/raters/'", json={"renew": True}, headers=OURS),
        press(asked, "looks", {}),
        press(asked, "conclude", {}),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500, answer.text
        assert not re.search(r"SELECT|INSERT|UPDATE |sqlite|Traceback|\.py\b", answer.text)
        assert str(tmp_path) not in answer.text
        assert "detectable-" not in answer.text
    assert '"status": 500' not in log.getvalue()
    asked.close()


def organiser(folder: Path) -> Client:
    """Return one who has signed in."""
    made = client(folder, password=PASSWORD)
    assert (
        made.post("/api/v1/session", json={"password": RIGHT}, headers=OURS).status_code == 204
    )
    return made


def test_14_the_names_are_open_only_after_the_unblinding_is_written(tmp_path: Path) -> None:
    asked = organiser(tmp_path)
    judged(asked, 20, plan={"looks": 1})
    for ending in ("csv", "jsonl"):
        assert not re.search(
            r"\b(new|old)\b", asked.get(f"/api/v1/campaigns/ship/export.{ending}").text
        )
    refused = asked.get("/api/v1/campaigns/ship/backup")
    assert refused.status_code == 409
    assert press(asked, "unblind", {"who": "Ada", "reason": "A test."}).status_code in (
        200,
        201,
    )
    assert "unblinding" in (tmp_path / "ship.ledger.jsonl").read_text()
    assert re.search(r"\bnew\b", asked.get("/api/v1/campaigns/ship/export.csv").text)
    asked.close()
