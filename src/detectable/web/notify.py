"""What happens to campaigns is told elsewhere, by a signed webhook or by mail, until it arrives."""

import asyncio
import hashlib
import hmac
import http.client
import json
import re
import smtplib
import ssl
import stat
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from anyio import to_thread
from starlette.applications import Starlette

from detectable.core.errors import DataError, DetectableError
from detectable.data.store.open_store import AnyStore
from detectable.data.store.records import Notice
from detectable.web.guard import Refused
from detectable.web.organising import Organising

SIGNATURE, IDENTITY = "X-Detectable-Signature", "X-Detectable-Id"
_OLD = 3600.0  # seconds after which nobody is told what they know
_SECONDS = 10.0  # for one try
_FIRST, _LONGEST = 10.0, 3600.0  # seconds until the second try, and at most between two
MOST_TRIES = 12  # about half a day
_TOLD = {
    "open": "open",
    "paused": "paused",
    "stopped": "stopped",
    "concluded": "concluded",
}
_ADDRESS = re.compile(r"https?://[^\s<>\"@]+")
_SHORTEST_SECRET = 16
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class Webhook(msgspec.Struct, forbid_unknown_fields=True):
    """An address that is told, and the secret that signs what it is told."""

    url: Text
    secret: Text


class Mail(msgspec.Struct, forbid_unknown_fields=True):
    """Who is written to, and by which server."""

    server: Text
    sender: Text
    to: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=50)]
    user: str = ""
    password: str = ""
    tls: Literal["starttls", "tls", "none"] = "starttls"


class Told(msgspec.Struct, forbid_unknown_fields=True):
    """Who is told what happens to campaigns."""

    webhook: Webhook | None = None
    mail: Mail | None = None

    @property
    def channels(self) -> tuple[str, ...]:
        """The ways in which it is told."""
        return tuple(name for name in ("webhook", "mail") if getattr(self, name) is not None)


def read_told(path: Path) -> Told:
    """Read who is told, from a file of JSON that its owner alone can read: it holds secrets."""
    try:
        mode, body = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise DataError(
            f"{path} can be read by others (mode {stat.S_IMODE(mode):03o}), and it holds secrets. "
            f"Make it yours alone: chmod 600 {path}"
        )
    try:
        found = msgspec.json.decode(body, type=Told)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: {error}. It must hold a webhook (url, secret), mail (server, sender, to), or "
            "both; see docs/serve.md."
        ) from None
    _check(found, path)
    return found


def _check(found: Told, path: Path) -> None:
    hook, mail = found.webhook, found.mail
    if hook is not None and not _ADDRESS.fullmatch(hook.url):
        raise DataError(f"{path}: the url of the webhook must begin with https:// or http://.")
    if hook is not None and len(hook.secret) < _SHORTEST_SECRET:
        raise DataError(
            f"{path}: the secret of the webhook must have {_SHORTEST_SECRET} letters or more."
        )
    for one in () if mail is None else (mail.sender, *mail.to):
        if "@" not in parseaddr(one)[1] or "\n" in one or "\r" in one:
            raise DataError(f"{path}: {one!r} is no address of mail.")
    if mail is not None and (mail.user == "") != (mail.password == ""):
        raise DataError(f"{path}: user and password of the mail server stand together.")
    if mail is not None and mail.user and mail.tls == "none":
        raise DataError(f"{path}: a password is not sent without TLS. Drop it, or tls: none.")
    if mail is not None:
        _host(mail, path)


def _host(mail: Mail, path: Path | None = None) -> tuple[str, int]:
    host, _, port = mail.server.rpartition(":")
    if not host:
        host, port = mail.server, {"tls": "465", "starttls": "587", "none": "25"}[mail.tls]
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise DataError(f"{path}: the mail server must be HOST or HOST:PORT.")
    return host.strip("[]"), int(port)


# --- What there is to tell ---


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened to a campaign, known by `key` among all."""

    key: str
    event: str
    at: float
    says: str


def happened(store: AnyStore, name: str, now: float) -> list[Happened]:
    """Return what happened lately: opened, paused, a look, stalled, stopped, concluded.

    It says what the page of the campaign says, and so no score of a system before the end.
    """
    from detectable.study.campaign.looks import campaign_looks
    from detectable.web.monitor import decision_in_words, status_of

    status = status_of(store, name)
    found = [
        Happened(f"{event}-{n}", _TOLD[event], at, status.says)
        for n, (at, event, _) in enumerate(store.events(name), start=1)
        if event in _TOLD
    ]
    for one in campaign_looks(store, name):
        said = f"Look {one.look}, {one.n_units} lines: {decision_in_words(one.decision, one.pairs)}."
        at = datetime.fromisoformat(one.time).timestamp()
        found.append(Happened(f"look-{one.look}", "look", at, said))
    if status.stalled or status.failed:
        event = "stalled" if status.stalled else "look failed"
        found.append(
            Happened(f"{event}-{status.units}-{status.answers}", event, now, status.says)
        )
    return sorted(
        (one for one in found if now - one.at < _OLD), key=lambda one: (one.at, one.key)
    )


def note_happened(store: AnyStore, name: str, channels: Sequence[str], now: float) -> None:
    """Keep what is to be told, each once, whichever server sees it first."""
    for one in happened(store, name, now):
        for channel in channels:
            id = f"{name}/{one.key}/{channel}"
            body = {
                "id": id,
                "campaign": name,
                "event": one.event,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(one.at)),
                "says": one.says,
            }
            store.note(id, name, channel, json.dumps(body, ensure_ascii=False), one.at)


# --- Telling it ---


def tell_due(store: AnyStore, told: Told, now: float) -> list[str]:
    """Tell what is due, and return what went wrong; it is tried again, ever more seldom."""
    wrong = []
    for one in store.take_notices(now, told.channels):
        try:
            _tell(one, told, now)
        except (OSError, http.client.HTTPException, smtplib.SMTPException, ValueError) as error:
            wait = min(_FIRST * 2.0 ** (one.tries - 1), _LONGEST)
            store.notice_failed(one.id, now + wait, given_up=one.tries >= MOST_TRIES)
            wrong.append(f"{one.id}: {type(error).__name__}")  # its words may hold a secret
        else:
            store.notice_sent(one.id)
    return wrong


def _tell(one: Notice, told: Told, now: float) -> None:
    if one.channel == "webhook" and told.webhook is not None:
        post(told.webhook, one.body, one.id, now)
    elif told.mail is not None:
        send_mail(told.mail, json.loads(one.body), now)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: what is signed for one address is not for another."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


def post(hook: Webhook, body: str, id: str, now: float) -> None:
    """Post a signed body; any answer but 2xx is a failure."""
    request = urllib.request.Request(
        hook.url,
        data=body.encode(),
        headers={
            "Content-Type": "application/json",
            "User-Agent": "detectable",
            IDENTITY: id,
            SIGNATURE: signature(hook.secret, body, int(now)),
        },
    )
    with urllib.request.build_opener(_Stay).open(request, timeout=_SECONDS) as answer:
        answer.read(1024)


def signature(secret: str, body: str, when: int) -> str:
    """Return what proves that we sent it, and when.

    Examples
    --------
    >>> signature("a secret of ours", "{}", 7)[:20]
    't=7,v1=d286d2c1652fc'
    """
    key = hmac.new(secret.encode(), f"{when}.{body}".encode(), hashlib.sha256)
    return f"t={when},v1={key.hexdigest()}"


def send_mail(mail: Mail, said: Mapping[str, str], now: float) -> None:
    """Write to all, over TLS unless that was switched off."""
    letter = EmailMessage()
    letter["Subject"] = f"[detectable] {said['campaign']}: {said['event']}"
    letter["From"], letter["To"] = mail.sender, ", ".join(mail.to)
    letter["Date"] = format_datetime(datetime.fromtimestamp(now, UTC))
    domain = parseaddr(mail.sender)[1].rpartition("@")[2]
    letter["Message-ID"] = f"<{hashlib.sha256(said['id'].encode()).hexdigest()[:32]}@{domain}>"
    letter.set_content(f"{said['says']}\n\n{said['campaign']}, {said['at']}\n")
    host, port = _host(mail)
    over = ssl.create_default_context()
    if mail.tls == "tls":
        opened: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=over)
    else:
        opened = smtplib.SMTP(host, port, timeout=_SECONDS)
    with opened as server:
        if mail.tls == "starttls":
            server.starttls(context=over)
        if mail.user:
            server.login(mail.user, mail.password)
        server.send_message(letter)


# --- While the server runs ---

EVERY = 3.0  # seconds


async def tell(app: Starlette, every: float = EVERY) -> None:
    """Tell what happens until the server stops, with a thread and a connection of its own."""
    told: Told = app.state.settings.told
    own = Organising(app.state.settings)
    try:
        while not app.state.stopping:
            await _told(app, own, told)
            await asyncio.sleep(every)
    finally:
        await to_thread.run_sync(own.close)


async def _told(app: Starlette, own: Organising, told: Told) -> None:
    from detectable.web.watch import has_campaigns, say_in_log

    if not has_campaigns(app.state.settings):
        return

    def all_of_it(store: AnyStore) -> list[str]:
        now = time.time()
        for name in store.names():
            if store.changed_since(name, now - _OLD):
                note_happened(store, name, told.channels, now)
        return tell_due(store, told, now)

    try:
        for line in await own.do(all_of_it):
            say_in_log(app, "notice", "", line)
    except (Refused, DetectableError) as error:
        say_in_log(app, "notice", "", str(error))
