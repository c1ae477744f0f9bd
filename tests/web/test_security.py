"""The statements of the security page that a server without sessions can break: 1, 7, 8, 11, 15."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from detectable.web import guard as limits
from detectable.web import planner
from detectable.web.guard import FILE_BODY, HEADERS, JSON_BODY
from detectable.web.openapi import description
from tests.web.campaigns import campaign
from tests.web.client import OURS, client
from tests.web.organised import PASSWORD
from tests.web.test_pages import routes

PLAN = {"name": "ship", "systems": ["new", "old"], "design": "s=ratings&k=5"}
PUBLIC = ("/", "/plan", "/healthz", "/readyz", "/metrics", "/openapi.json")


# 1. Without a token: health, the description, the planner, the explorer and static files.


def test_without_a_token_all_else_is_refused_and_names_nothing(tmp_path: Path) -> None:
    # The page of raters is empty until its script has their link.
    free = (*PUBLIC, "/a", "/join/{open}", "/sign-in", "/api/v1/plan", "/api/v1/session")
    asked = client(tmp_path, password=PASSWORD)
    body = {"key": "abcdefgh", "answers": []}
    for route in routes(tmp_path):
        if route.path in free or route.path.startswith(("/static/", "/explore")):
            continue
        (method,) = (route.methods or set()) - {"HEAD"}
        path = re.sub(r"\{\w+\}", "0" * 24, route.path)
        own = {
            "drafts": {"tab": "t", "draft": {}},
            "me": {"answers": {}},
            "join": {"query": {}},
        }
        sent = own.get(path.split("/")[3], body) if path.startswith("/api/") else body
        more = {} if method == "GET" else {"json": sent}
        answer = asked.request(method, path, headers=OURS, **more)
        assert answer.status_code == 401, route.path
        if path.startswith("/api/"):
            assert set(answer.json()) == {"code", "message"}
        else:
            assert "Sign in" in answer.text


@pytest.mark.parametrize(
    "path", ["/api/v1/campaigns/secret", "/plans", "/static/../app.py", "/static/%2e%2e/app.py"]
)
def test_an_address_that_is_not_there_names_nothing(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret-plan.json").write_text("{}")
    answer = client(tmp_path).get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


# 7. What others wrote is shown as text; the policy lets no script of theirs run.


@pytest.mark.parametrize(
    "evil",
    [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "javascript:alert(1)",
        "\u202egnp.exe",
    ],
)
def test_texts_are_shown_as_text(evil: str, tmp_path: Path) -> None:
    page = client(tmp_path).get("/plan", params={"s": evil, "zz": evil, "n": evil}).text
    assert "<img" not in page
    assert "<script>" not in page
    assert not re.search(r'(?:href|src)="javascript', page)


def test_every_answer_has_the_headers(tmp_path: Path) -> None:
    asked = client(tmp_path)
    for path in (*PUBLIC, "/nothing", "/static/serve.css", "/api/v1/plan?s=blue"):
        answer = asked.get(path, follow_redirects=False)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy


def test_no_page_holds_an_inline_script_or_style(tmp_path: Path) -> None:
    page = client(tmp_path).get("/plan?k=3").text
    for tag in re.findall(r"<script[^>]*>", page):
        assert 'type="application/json"' in tag or 'src="/static/' in tag
    assert "<style" not in page
    assert not re.search(r"\sstyle=|\son[a-z]+=", page)


# 8. Foreign pages change nothing.


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 403, "no_header"),
        ({**OURS, "Origin": "http://evil.example"}, 403, "foreign_origin"),
        ({**OURS, "Origin": "null"}, 403, "foreign_origin"),
        ({**OURS, "Origin": "http://127.0.0.1:9999"}, 403, "foreign_origin"),
        ({**OURS, "Sec-Fetch-Site": "cross-site"}, 403, "foreign_origin"),
        ({**OURS, "Content-Type": "text/plain"}, 415, "wrong_media"),
        ({**OURS, "Content-Type": "application/x-www-form-urlencoded"}, 415, "wrong_media"),
    ],
)
def test_changes_from_elsewhere_are_refused(
    headers: dict[str, str], status: int, code: str, tmp_path: Path
) -> None:
    given = {"Content-Type": "application/json", **headers}
    answer = client(tmp_path).post("/api/v1/plans", content=json.dumps(PLAN), headers=given)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert list(tmp_path.iterdir()) == []
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_every_route_that_changes_asks_for_the_header(tmp_path: Path) -> None:
    asked = client(tmp_path)
    changing = [r for r in routes(tmp_path) if r.methods and not r.methods <= {"GET", "HEAD"}]
    assert changing
    for route in changing:
        assert asked.post(route.path).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8300",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "",
        "192.168.0.7",
    ],
)
def test_a_foreign_name_is_not_answered(host: str, tmp_path: Path) -> None:
    answer = client(tmp_path).get("/plan", headers={"Host": host})
    assert answer.status_code == 421
    assert "Items" not in answer.text


@pytest.mark.parametrize("host", ["localhost:8300", "127.0.0.1", "[::1]:8300"])
def test_our_own_names_are(host: str, tmp_path: Path) -> None:
    assert client(tmp_path).get("/healthz", headers={"Host": host}).status_code == 200


# 11. Large bodies, deep bodies.


def test_a_body_that_says_it_is_large_is_not_read(tmp_path: Path) -> None:
    headers = {**OURS, "Content-Type": "application/json", "Content-Length": str(1 << 30)}
    answer = client(tmp_path).post("/api/v1/plans", content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("path", "media", "limit"),
    [
        ("/api/v1/plans", "application/json", JSON_BODY),
        ("/api/v1/pilot?scenario=accuracy", "application/octet-stream", FILE_BODY),
    ],
)
def test_a_body_is_cut_off_where_it_becomes_too_large(
    path: str, media: str, limit: int, tmp_path: Path
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(limit // 65_536 + 2):
            yield b" " * 65_536

    answer = client(tmp_path).post(
        path, content=endless(), headers={**OURS, "Content-Type": media}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    "body",
    [b"[" * 200_000, b'{"a":' * 40_000, b"", b"[]", b'{"name":1}', b'{"name":"\\ud800"}'],
)
def test_a_body_of_another_form_is_refused(body: bytes, tmp_path: Path) -> None:
    headers = {**OURS, "Content-Type": "application/json"}
    answer = client(tmp_path).post("/api/v1/plans", content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "no_json")


def taking_json() -> list[tuple[str, str]]:
    """Return method and path of every route that reads JSON."""
    return [
        (method.upper(), re.sub(r"\{\w+\}", "x", path))
        for path, methods in description()["paths"].items()
        for method, one in methods.items()
        if method != "parameters"
        and "application/json" in one.get("requestBody", {}).get("content", {})
    ]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"\xff\xfe", "not_utf8"),
        (b'{"name": "\xe9", "key": "\xe9", "answers": ["\xed\xa0\x80"]}', "not_utf8"),
        (b'{"key": "a\\u0000b", "answers": []}', "null_character"),
        (b'{"key": "k", "answers": [{"a\\\\\\u0000": 1}]}', "null_character"),
    ],
)
def test_no_route_takes_what_is_no_text(body: bytes, code: str, tmp_path: Path) -> None:
    campaign(tmp_path)
    asked = client(tmp_path)
    assert ("PUT", "/api/v1/pages/x") in taking_json()
    headers = {**OURS, "Content-Type": "application/json"}
    for method, path in taking_json():
        answer = asked.request(method, path, content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, code), path
    asked.close()


def test_a_backslash_before_zeros_is_text(tmp_path: Path) -> None:
    body = json.dumps({**PLAN, "question": "C:\\u0000"})
    headers = {**OURS, "Content-Type": "application/json"}
    assert client(tmp_path).post("/api/v1/plans", content=body, headers=headers).is_success


def test_no_address_holds_a_null_character(tmp_path: Path) -> None:
    (link, *_) = campaign(tmp_path)
    asked = client(tmp_path)
    headers = {**OURS, "Authorization": f"Bearer {link.token}"}
    body = {"key": "k", "answers": [], "state": "active", "who": "me", "reason": "so"}
    for route in routes(tmp_path):
        path = re.sub(r"\{\w+\}", "a%00b", route.path)
        if path != route.path:
            (method,) = (route.methods or set()) - {"HEAD"}
            answer = asked.request(method, path, headers=headers, json=body)
            assert answer.status_code == 404, route.path
    asked.close()


def test_a_body_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(60)

    monkeypatch.setattr(limits, "_SECONDS", 0.05)
    headers = {**OURS, "Content-Type": "application/json"}
    answer = client(tmp_path).post("/api/v1/plans", content=stuck(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (408, "too_slow")


# 15. Errors hold no path and no trace; the log holds no query.


def test_what_breaks_is_told_to_the_log_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("at /home/secret: SELECT everything")

    monkeypatch.setattr(planner, "answer", broken)
    log = io.StringIO()
    asked = client(tmp_path, log)
    answers = [asked.get(path) for path in ("/plan", "/api/v1/plan")]
    for answer in answers:
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "Traceback" not in answer.text
    assert answers[1].json() == {
        "code": "broken",
        "message": "The server could not answer. What happened is in its log.",
    }
    assert "at /home/secret" in log.getvalue()


def test_a_plan_that_exists_is_refused_without_telling_the_folder(tmp_path: Path) -> None:
    asked = client(tmp_path)
    made = asked.post("/api/v1/plans", json=PLAN, headers=OURS)
    assert made.status_code == 201
    again = asked.post("/api/v1/plans", json=PLAN, headers=OURS)
    assert (again.status_code, again.json()["code"]) == (409, "exists")
    assert str(tmp_path) not in again.text
    assert "ship.json" in again.text


def test_the_log_has_templates_and_no_queries(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    asked.get("/plan?n=4711&s=sentinel", headers={"Cookie": "sentinel=1"})
    asked.get("/static/serve.css")
    asked.post("/api/v1/plans", json={**PLAN, "name": "sentinel"}, headers=OURS)
    asked.get("/sentinel")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/plan", 200),
        ("GET", "/static", 200),
        ("POST", "/api/v1/plans", 201),
        ("GET", "(none)", 404),
    ]
    assert "sentinel" not in log.getvalue()
    assert "4711" not in log.getvalue()
    counts = asked.get("/metrics").text
    assert 'detectable_requests_total{method="GET",route="/plan",status="200"} 1' in counts
    assert 'detectable_request_seconds_count{route="/plan"} 1' in counts
    assert "sentinel" not in counts


def test_methods_of_an_askers_own_fill_neither_counts_nor_log(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log)
    for number in range(5):
        assert asked.request(f"SENTINEL{number}", "/plan").status_code == 403
        assert asked.request(f"SENTINEL{number}", "/plan", headers=OURS).status_code == 405
    counts = asked.get("/metrics").text
    assert counts.count('method="(none)"') == 2
    assert "SENTINEL" not in counts + log.getvalue()
