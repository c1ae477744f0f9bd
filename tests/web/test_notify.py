"""What happens to campaigns is told by a signed webhook and by mail, until it arrives."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from detectable.core.errors import DataError
from detectable.data.store.open_store import AnyStore, open_store
from detectable.web.notify import (
    IDENTITY,
    MOST_TRIES,
    SIGNATURE,
    Mail,
    Told,
    Webhook,
    note_happened,
    read_told,
    tell_due,
)
from tests.data.store import databases
from tests.web.campaigns import campaign
from tests.web.client import Client, Far, client
from tests.web.organised import judged, press
from tests.web.running import running

SECRET = "a secret of ours, long enough"


@dataclass
class Receiver:
    """A server on this machine that fails as often as it is told to."""

    server: ThreadingHTTPServer
    statuses: list[int] = field(default_factory=list)  # of the next answers; then 204
    heard: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.heard]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.heard.append((self.path, dict(self.headers), body))
            status = found.statuses.pop(0) if found.statuses else 204
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            found.came.set()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    found = Receiver(server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def hooked(receiver: Receiver) -> Told:
    return Told(webhook=Webhook(url=receiver.url, secret=SECRET))


@contextmanager
def opened(folder: Path) -> Iterator[AnyStore]:
    """Give a store whose campaign was opened just now."""
    campaign(folder)
    with closing(open_store(folder)) as store:
        yield store


def when_opened(store: AnyStore) -> float:
    return next(at for at, event, _ in store.events("ship") if event == "open")


def test_what_is_posted_is_signed_and_told_once(tmp_path: Path, receiver: Receiver) -> None:
    told = hooked(receiver)
    with opened(tmp_path) as store:
        now = when_opened(store) + 1.0
        for _ in range(3):  # whoever sees it, and how often
            note_happened(store, "ship", told.channels, now)
            assert tell_due(store, told, now) == []
    ((path, headers, body),) = receiver.heard
    assert path == "/hook"
    said = json.loads(body)
    assert (said["campaign"], said["event"]) == ("ship", "open")
    assert headers[IDENTITY] == said["id"]
    when, _, mark = headers[SIGNATURE].partition(",v1=")
    expected = hmac.new(
        SECRET.encode(), f"{int(now)}.".encode() + body, hashlib.sha256
    ).hexdigest()
    assert (when, mark) == (f"t={int(now)}", expected)


@pytest.mark.parametrize("status", [500, 302, 404])
def test_what_did_not_arrive_is_told_again_ever_more_seldom(
    tmp_path: Path, receiver: Receiver, status: int
) -> None:
    told = hooked(receiver)
    receiver.statuses = [status, status]
    with opened(tmp_path) as store:
        now = when_opened(store)
        note_happened(store, "ship", told.channels, now)
        (wrong,) = tell_due(store, told, now)
        assert wrong.startswith("ship/open-")
        assert SECRET not in wrong
        assert tell_due(store, told, now + 9.0) == []  # not yet
        assert len(receiver.heard) == 1
        assert len(tell_due(store, told, now + 10.0)) == 1
        assert tell_due(store, told, now + 29.0) == []
        assert tell_due(store, told, now + 30.0) == []
    assert len(receiver.heard) == 3
    assert {path for path, _, _ in receiver.heard} == {"/hook"}  # no redirect is followed
    assert len({one["id"] for one in receiver.bodies()}) == 1  # so that it can be known again


def test_nobody_is_told_for_ever(tmp_path: Path) -> None:
    told = Told(webhook=Webhook(url="http://127.0.0.1:1/none", secret=SECRET))
    with opened(tmp_path) as store:
        now = when_opened(store)
        note_happened(store, "ship", told.channels, now)
        tries = sum(len(tell_due(store, told, now + 4000.0 * n)) for n in range(30))
    assert tries == MOST_TRIES


def test_what_is_old_or_was_not_asked_for_is_not_told(
    tmp_path: Path, receiver: Receiver
) -> None:
    told = hooked(receiver)
    with opened(tmp_path) as store:
        now = when_opened(store)
        note_happened(store, "ship", told.channels, now + 4000.0)  # a server that begins now
        assert tell_due(store, told, now + 4000.0) == []
        note_happened(store, "ship", (), now)
        assert tell_due(store, Told(), now) == []
        assert store.changed_since("ship", now - 1.0)
        assert not store.changed_since("ship", now + 1.0)
        store.turn("ship", "stopped")
        store.turn("ship", "concluded")
        store.delete("ship")  # also with what waits
    assert receiver.heard == []


def test_looks_the_stop_and_the_conclusion_are_told_without_scores(
    tmp_path: Path, receiver: Receiver
) -> None:
    told = hooked(receiver)
    asked: Client = client(tmp_path)
    with closing(asked):
        judged(asked)
        with closing(open_store(tmp_path)) as store:
            from detectable.study.campaign.looks import decide_admissions

            decide_admissions(store, "ship")
        assert press(asked, "looks", {"final": True}).status_code == 201
        before = told_now(tmp_path, told, receiver)
        # The ledger tells the time of a look in whole seconds.
        assert sorted(one["event"] for one in before) == ["look", "open", "stopped"]
        (said,) = (one["says"] for one in before if one["event"] == "look")
        assert said.endswith("lines: stop: new is better than old.")
        assert press(asked, "conclude", {"at_once": True}).status_code == 200
        after = told_now(tmp_path, told, receiver)[3:]
    (end,) = after
    assert end["event"] == "concluded"
    assert "new is better than old by" in end["says"]
    assert all(" by " not in one["says"] for one in before)  # no number of a system


def told_now(folder: Path, told: Told, receiver: Receiver) -> list[dict[str, Any]]:
    with closing(open_store(folder)) as store:
        now = max(at for at, _, _ in store.events("ship")) + 1.0
        note_happened(store, "ship", told.channels, now)
        assert tell_due(store, told, now) == []
    return receiver.bodies()


# Mail


@pytest.fixture
def post_office() -> Iterator[tuple[str, list[Any]]]:
    controller = pytest.importorskip("aiosmtpd.controller")
    letters: list[Any] = []

    class Keeps:
        async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:
            letters.append(envelope)
            return "250 OK"

    class AnyPort(controller.Controller):  # type: ignore[misc, name-defined]
        """Checks that it has begun by the port that the system chose."""

        def _trigger_server(self) -> None:
            self.port = self.server.sockets[0].getsockname()[1]
            super()._trigger_server()

    running = AnyPort(Keeps(), hostname="127.0.0.1", port=0)
    running.start()
    port = running.port
    yield f"127.0.0.1:{port}", letters
    running.stop()


def test_mail_is_sent_once(tmp_path: Path, post_office: tuple[str, list[Any]]) -> None:
    server, letters = post_office
    mail = Mail(server=server, sender="eval@example.org", to=["a@example.org"], tls="none")
    told = Told(mail=mail)
    with opened(tmp_path) as store:
        now = when_opened(store)
        note_happened(store, "ship", told.channels, now)
        assert tell_due(store, told, now) == []
        assert tell_due(store, told, now + 100.0) == []
    (letter,) = letters
    assert (letter.mail_from, letter.rcpt_tos) == ("eval@example.org", ["a@example.org"])
    text = letter.content.decode()
    assert "Subject: [detectable] ship: open" in text
    assert "This campaign has no plan" in text
    assert "@example.org>" in text.partition("Message-ID:")[2].partition("\n")[0]


def test_mail_without_tls_is_not_sent_where_tls_is_asked_for(
    tmp_path: Path, post_office: tuple[str, list[Any]]
) -> None:
    server, letters = post_office
    told = Told(mail=Mail(server=server, sender="eval@example.org", to=["a@example.org"]))
    with opened(tmp_path) as store:
        now = when_opened(store)
        note_happened(store, "ship", told.channels, now)
        (wrong,) = tell_due(store, told, now)
    assert wrong.endswith("SMTPNotSupportedError")
    assert letters == []


# The file that says who is told

HOOK = {"webhook": {"url": "https://here.org/x", "secret": SECRET}}
MAIL: dict[str, Any] = {"server": "smtp.here.org", "sender": "a@here.org", "to": ["b@here.org"]}


def written(path: Path, content: Any, mode: int = 0o600) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)
    return path


def test_who_is_told_is_read_from_a_private_file(tmp_path: Path) -> None:
    found = read_told(written(tmp_path / "n.json", {**HOOK, "mail": MAIL}))
    assert found.channels == ("webhook", "mail")
    assert found.mail is not None
    assert found.mail.tls == "starttls"
    with pytest.raises(DataError, match=r"can be read by others \(mode 644\).*chmod 600"):
        read_told(written(tmp_path / "open.json", HOOK, 0o644))
    with pytest.raises(DataError, match="cannot be read"):
        read_told(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "must hold a webhook"),
        ({"sms": {}}, "must hold a webhook"),
        ({"webhook": {"url": "https://x"}}, "must hold a webhook"),
        ({"webhook": {"url": "file:///etc/passwd", "secret": SECRET}}, "must begin with https"),
        ({"webhook": {"url": "https://x.org", "secret": "short"}}, "16 letters or more"),
        ({"mail": {**MAIL, "to": ["nobody"]}}, "'nobody' is no address"),
        ({"mail": {**MAIL, "to": ["a@b.org\nBcc: c@d.org"]}}, "is no address"),
        ({"mail": {**MAIL, "user": "me"}}, "stand together"),
        ({"mail": {**MAIL, "user": "me", "password": "x", "tls": "none"}}, "without TLS"),
        ({"mail": {**MAIL, "server": "smtp.here.org:x"}}, "HOST or HOST:PORT"),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path: Path, content: Any, why: str) -> None:
    with pytest.raises(DataError, match=why):
        read_told(written(tmp_path / "n.json", content))


def test_both_databases_keep_what_waits(tmp_path: Path) -> None:
    with databases.server() as running:
        for address in (str(tmp_path / "c.sqlite"), databases.empty(running.address)):
            store = databases.opened(address, databases.small())
            for _ in range(2):
                store.note("c/open-1/mail", "c", "mail", "{}", 5.0)
            assert store.take_notices(4.0, ("mail",)) == []
            assert store.take_notices(5.0, ("webhook",)) == []
            (one,) = store.take_notices(5.0, ("mail", "webhook"))
            assert (one.id, one.channel, one.tries) == ("c/open-1/mail", "mail", 1)
            assert store.take_notices(60.0, ("mail",)) == []  # somebody is at it
            (again,) = store.take_notices(66.0, ("mail",))  # who took it was killed
            assert again.tries == 2
            store.notice_sent(again.id)
            assert store.take_notices(1e9, ("mail",)) == []
        databases.close_all()


def test_a_server_tells_what_happens_while_it_runs(tmp_path: Path, receiver: Receiver) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    campaign(folder, state="draft")
    file = written(
        tmp_path / "n.json", {"webhook": {"url": receiver.url, "secret": "x" * 16 + "SENTINEL"}}
    )
    with running(folder, tmp_path / "log.txt", "--notify", str(file)) as server:
        with Far(server.address) as far:
            assert press(far, "open").status_code == 200
        assert receiver.came.wait(60.0)
    assert [one["event"] for one in receiver.bodies()] == ["open"]
    assert "SENTINEL" not in (tmp_path / "log.txt").read_text()
