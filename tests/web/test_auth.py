"""Organisers sign in and out, and nobody else gets in: statements 1, 6, 8 and 10."""

import io
import os
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.web.guard import LIFETIME, Attempts, Sessions
from detectable.web.settings import Settings, read_password, write_password
from tests.web.client import OURS, Client, client
from tests.web.organised import PASSWORD, RIGHT

PILOT = "/api/v1/plans"
BODY = {"name": "ship", "systems": ["new", "old"], "design": "s=ratings&k=5"}


def sign_in(asked: Client, password: str = RIGHT) -> httpx.Response:
    return asked.post("/api/v1/session", json={"password": password}, headers=OURS)


def may_plan(asked: Client) -> bool:
    answer = asked.post(PILOT, json={**BODY, "name": f"p{os.urandom(4).hex()}"}, headers=OURS)
    assert answer.status_code in (201, 401)
    return answer.status_code == 201


def test_the_right_password_opens_and_signing_out_closes(tmp_path: Path) -> None:
    log = io.StringIO()
    asked = client(tmp_path, log, password=PASSWORD)
    assert not may_plan(asked)
    answer = sign_in(asked)
    assert answer.status_code == 204
    assert may_plan(asked)
    secret = asked.cookies["dt"]
    assert len(secret) >= 43  # 256 bits
    assert asked.delete("/api/v1/session", headers=OURS).status_code == 204
    asked.cookies = httpx.Cookies({"dt": secret})  # a cookie that somebody kept
    assert not may_plan(asked)
    assert secret not in log.getvalue()
    assert RIGHT not in log.getvalue()


@pytest.mark.parametrize("given", ["correct horse batterx", "x", RIGHT + " ", RIGHT.upper()])
def test_a_wrong_password_opens_nothing(given: str, tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD)
    answer = sign_in(asked, given)
    assert (answer.status_code, answer.json()["code"]) == (401, "wrong_password")
    assert "set-cookie" not in answer.headers
    assert not may_plan(asked)


@pytest.mark.parametrize(
    ("base", "cookie", "secure"),
    [("http://127.0.0.1:8300", "dt", False), ("https://eval.example.org", "__Host-dt", True)],
)
def test_the_cookie_is_for_our_own_pages_alone(
    base: str, cookie: str, secure: bool, tmp_path: Path
) -> None:
    asked = client(tmp_path, base=base, password=PASSWORD, public_names=("eval.example.org",))
    said = sign_in(asked).headers["set-cookie"]
    assert said.startswith(f"{cookie}=")
    parts = {part.strip().lower() for part in said.split(";")}
    assert {"httponly", "samesite=strict", "path=/", f"max-age={12 * 3600}"} <= parts
    assert ("secure" in parts) == secure
    assert not any(part.startswith("domain") for part in parts)
    assert may_plan(asked)


def test_the_eleventh_wrong_password_of_a_minute_must_wait(tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD)
    now = [0.0]
    asked.app.state.attempts = Attempts(lambda: now[0])
    for number in range(10):
        now[0] = float(number)
        assert sign_in(asked, "wrong").status_code == 401
    refused = sign_in(asked)  # even the right one
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
    assert refused.headers["retry-after"] == "51"
    asked.address = "10.0.0.9"
    assert sign_in(asked).status_code == 204  # somebody else need not wait
    asked.address = "127.0.0.1"
    now[0] = 60.5
    assert sign_in(asked).status_code == 204


def test_right_passwords_are_not_counted(tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD)
    assert [sign_in(asked).status_code for _ in range(11)] == [204] * 11


def test_a_session_ends_after_twelve_hours() -> None:
    now = [5.0]
    sessions = Sessions(lambda: now[0])
    secret = sessions.begin()
    now[0] += LIFETIME - 1.0
    assert sessions.knows(secret)
    assert not Sessions(lambda: now[0]).knows(
        secret
    )  # those of another server, or of the next one
    now[0] += 2.0
    assert not sessions.knows(secret)
    assert not sessions.knows("")
    assert LIFETIME == 12 * 3600


def test_sessions_and_addresses_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("detectable.web.guard._MOST", 3)
    sessions = Sessions()
    secrets = [sessions.begin() for _ in range(5)]
    assert [sessions.knows(one) for one in secrets] == [False, False, True, True, True]
    monkeypatch.setattr("detectable.web.guard._MOST_KEYS", 2)
    attempts = Attempts()
    for address in ("a", "b", "c"):
        attempts.note(address)
    assert set(attempts._times) == {"b", "c"}


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"password":""}', b'{"password":"\\ud800"}']
)
def test_a_body_without_a_password_is_refused(body: bytes, tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD)
    headers = {**OURS, "Content-Type": "application/json"}
    answer = asked.post("/api/v1/session", content=body, headers=headers)
    assert answer.status_code == 422


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_no_foreign_page_signs_in_or_out(method: str, tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD)
    sign_in(asked)
    for headers in ({}, {**OURS, "Origin": "https://evil.example"}):
        more = {"json": {"password": RIGHT}} if method == "POST" else {}
        answer = asked.request(method, "/api/v1/session", headers=headers, **more)
        assert answer.status_code == 403
    assert may_plan(asked)


def test_without_a_password_the_person_at_the_machine_is_the_organiser(tmp_path: Path) -> None:
    assert may_plan(client(tmp_path))


@pytest.mark.parametrize(
    "given",
    [{"host": "0.0.0.0"}, {"public_names": ("x.org",)}, {"forwarded_from": "127.0.0.1"}],
)
def test_nothing_lets_others_in_without_a_password(
    given: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="needs a password"):
        Settings(tmp_path, **given)  # type: ignore[arg-type]
    Settings(tmp_path, password=PASSWORD, **given)  # type: ignore[arg-type]


def test_a_public_name_is_answered_and_others_are_not(tmp_path: Path) -> None:
    asked = client(
        tmp_path, password=PASSWORD, host="192.0.2.7", public_names=("Eval.example.org",)
    )
    for host, status in (
        ("eval.example.org", 200),
        ("eval.example.org:443", 200),
        ("192.0.2.7:8300", 200),
        ("localhost", 200),
        ("evil.example.org", 421),
        ("0.0.0.0", 421),
    ):
        assert asked.get("/healthz", headers={"Host": host}).status_code == status, host


def test_counts_are_for_programs_on_this_machine(tmp_path: Path) -> None:
    asked = client(tmp_path, password=PASSWORD, public_names=("eval.example.org",))
    assert asked.get("/metrics").status_code == 200
    assert asked.get("/metrics", headers={"Host": "eval.example.org"}).status_code == 401
    assert asked.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 401
    asked.address = "192.0.2.1"
    assert asked.get("/metrics").status_code == 401
    sign_in(asked)
    assert asked.get("/metrics").status_code == 200


def test_the_file_holds_a_hash_that_its_owner_alone_can_read(tmp_path: Path) -> None:
    path = tmp_path / "organisers.txt"
    write_password(path, RIGHT)
    assert RIGHT not in path.read_text()
    assert path.read_text().startswith("scrypt$32768$8$1$")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_password(path).fits(RIGHT)
    with pytest.raises(DataError, match="cannot be made"):
        write_password(path, RIGHT)
    path.chmod(0o640)
    with pytest.raises(DataError, match=r"read by others \(mode 640\).*chmod 600"):
        read_password(path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "secret\n",
        "scrypt$1$2$3$4",
        "md5$32768$8$1$AAAA$AAAA",
        "scrypt$99999999$8$1$AAAA$AAAA",
    ],
)
def test_a_file_without_a_hash_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "organisers.txt"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(DataError, match=r"holds no hash of a password\. Make it"):
        read_password(path)


def test_the_file_is_made_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "organisers.txt"
    words = ["serve", "--password-file", str(path), "--set-password"]
    done = CliRunner().invoke(main, words, input=f"{RIGHT}\n{RIGHT}\n")
    assert done.exit_code == 0
    assert RIGHT not in done.output
    assert read_password(path).fits(RIGHT)
    short = CliRunner().invoke(
        main, [*words[:2], str(path) + "2", words[3]], input="abc\nabc\n"
    )
    assert (short.exit_code, "12 to 1024 characters; got 3" in short.stderr) == (1, True)
    alone = CliRunner().invoke(main, ["serve", "--set-password"])
    assert (alone.exit_code, "needs --password-file" in alone.stderr) == (2, True)
    missing = CliRunner().invoke(main, ["serve", str(tmp_path), "--password-file", "none.txt"])
    assert (missing.exit_code, "none.txt cannot be read" in missing.stderr) == (1, True)
