"""Requests that no page of ours sends: odd methods, addresses, headers, bodies, links and sessions.

Each is bytes on a connection of its own, so that nothing between puts it right. What makes them is
one generator: a case is known by seed and number.
"""

import random
import re
import socket
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread

from starlette.routing import Route

from detectable.web.app import routes_of_pages as routes

_SECONDS = 2.0  # for an answer; who waits longer waits for more of the request
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
NONE = 0  # the server closed the connection without an answer, or waited for more

METHODS = (
    *("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"),
    *("get", "PROPFIND", "PRI", "X" * 3000, "A!#$%&'*+-.^_`|~9", "GE T", "G\0T", "GÉT", ""),
)
PIECES = (
    "..",
    "%2e%2e",
    "%2E%2e%2f",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%5c..%5c",
    "....//",
    ".",
    "",
    "%00",
    "a%00b",
    "%",
    "%zz",
    "%u0000",
    "%ff%fe",
    "%ed%a0%80",
    "%c0%ae",
    "%F0%9F%92%A9",
    "%0d%0aX: y",
    "%0a",
    "%1b[31m",
    "%7f",
    "%e2%80%ae",
    "*",
    "{name}",
    "a" * 4000,
    "%41" * 2000,
    "é",
    "ship",
    "ship%20",
    "SHIP",
    "-1",
    "0",
    "1e309",
    "nan",
    "true",
    "null",
    "'--",
    '"',
    "<script>",
    "{{7*7}}",
    "${x}",
    ";",
    "?",
    "#",
    "~root",
    "con",
    "csv",
    "parquet",
    "json",
    "r-01",
    "r-99",
    "%2Fetc%2Fpasswd",
    "file:%2f%2f%2fetc%2fpasswd",
    "_",
    "ship.result",
)
QUERIES = (
    "?",
    "?a",
    "?=",
    "?&&&",
    "?s=ratings&n=1e309",
    "?s=accuracy&n=NaN",
    "?n=" + "9" * 400,
    "?n=-0",
    "?n=1_000",
    "?s=%00",
    "?s=%ff",
    "?s[]=1",
    "?b.s=likert&b.n=x",
    "?" + "a=1&" * 500,
    "?language=%00",
    "?language=../../de",
    "?file=../../x.csv.gz&scenario=accuracy",
    "?scenario=likert&system=a",
    "?everything=1",
    "?s=samples&k=1e18",
    "?s=arena&n=0",
    "?s=bleu&n=%F0%9F%92%A9",
    "?s=rank-sum&alpha=1e-308",
    "?s=preference&alpha=1&n=1",
    "?%ed%a0%80=1",
)
VALUES = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "-0.0",
    "1e308",
    "9" * 5000,
    "true",
    "null",
    '""',
    "[]",
    "{}",
    "[[]]",
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u202e"',
    '"\\ufffe"',
    '"é"',
    '"' + "x" * 100_000 + '"',
    "0x10",
    "[" * 2000,
    "[" * 900 + "]" * 900,
    '{"a":' * 500 + "1" + "}" * 500,
    "1_000",
    "01",
    "+1",
    ".5",
    "'a'",
    "undefined",
    '{"score": 50}',
    '{"score": NaN}',
    '{"score": true}',
    '{"score": "50"}',
    '{"score": 1e400}',
    '{"skipped": []}',
    '{"skipped": "cannot_judge", "skipped": 1}',
    '{"score": 5, "score": 99}',
    '{"spans": [{}]}',
    '[{"score": 50}]',
    '[{"score": 50}, {"score": 50}]',
    "[null]",
    '[{"score": {"a": []}}]',
    '[{"score": 18446744073709551616}]',
    "-1",
    "3",
    "2.5",
)
KEYS = (
    "key",
    "answers",
    "seconds",
    "document_score",
    "name",
    "systems",
    "design",
    "which",
    "question",
    "texts",
    "plan",
    "plan_file",
    "raters",
    "state",
    "renew",
    "who",
    "reason",
    "evidence",
    "final",
    "at_once",
    "password",
    "protocol",
    "overlap",
    "seed",
    "n_items",
    "lease_minutes",
    "__class__",
    "constructor",
    "",
    "\\u0000",
    "é",
)
BODIES = (
    b"",
    b"\0",
    b"\xff\xfe\0\0",
    b"\xef\xbb\xbf{}",
    b"{",
    b"[]",
    b"null",
    b"NaN",
    b'"\xed\xa0\x80"',
    b"\x1f\x8b\x08\0",
    b"[" * 200_000,
    b'{"a":' * 40_000,
    b"a=1&b=2",
    b"--x\r\nContent-Disposition: form-data\r\n\r\n1",
    b"PK\x03\x04",
    b"{" + b" " * 300_000 + b"}",
)
MEDIA = (
    "application/json",
    "application/json",
    "application/json",
    "application/json; charset=utf-16",
    "application/JSON ;",
    "text/plain",
    "application/octet-stream",
    "multipart/form-data; boundary=x",
    "",
    "é",
    "application/x-www-form-urlencoded",
)
HEADERS = (
    "X-Big: " + "y" * 20_000,
    "X-Huge: " + "y" * 70_000,
    "Range: bytes=0-,-1,5-2,0-0",
    "Range: bytes=-99999999999999999999",
    "Range: items=1",
    'If-None-Match: "' + "z" * 500,
    "If-Modified-Since: never",
    "If-Range: x",
    "Expect: 100-continue",
    "Expect: 200-nothing",
    "Upgrade: websocket",
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "TE: trailers",
    "Accept-Encoding: gzip;q=nan",
    "Accept: */*;q=",
    "Accept-Language: " + "de," * 400,
    "X-Forwarded-For: 1.2.3.4",
    "X-Forwarded-Proto: https",
    "X-Forwarded-Host: evil.example",
    "Forwarded: for=::1",
    "X-Http-Method-Override: DELETE",
    "X-Detectable-Part: whole",
    "X-Detectable-Part: \xff",
    "Origin: null",
    "Origin: http://evil.example",
    "Host: evil.example",
    "Host: 127.0.0.1",
    "Host:",
    "Sec-Fetch-Site: cross-site",
    "X-Detectable: 1",
    "X-Detectable: 2",
    "Content-Encoding: gzip",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: identity",
    "Content-Length: 5",
    "Content-Length: -1",
    "Content-Length: +5",
    "Content-Length: 5, 6",
    "Content-Length: 99999999999999999999",
    "Content-Length: x",
    " folded: x",
    "no colon",
    ": nameless",
    "X\0Y: z",
    "X-Y: a\0b",
    "X-Y: a\rb",
    "Cookie",
    "X-Y : z",
    "\xff: x",
    "Last-Event-ID: " + "9" * 500,
    "Date: x",
    "Via: " + "1.1 a," * 300,
    "Keep-Alive: timeout=NaN",
    "Connection: close",
)
COOKIES = (
    "dt=",
    "dt",
    "=",
    "dt=" + "A" * 43,
    'dt="\\777\\000"',
    "dt=a; dt=b",
    "dt=\xff\xfe",
    "dt=%00",
    "__Host-dt=" + "A" * 43,
    *(";" * 500, "dt=" + "x" * 8000, 'dt="', "$Version=1; dt=a", "dt=a,b", "dt={}"),
)
LINKS = (
    "Bearer",
    "Bearer ",
    "bearer x",
    "Basic YTpi",
    "Bearer \xff\xfe",
    "Bearer " + "z" * 9000,
    "Bearer a b",
    "Bearer %00",
    *("Bearer null", "Bearer ../..", "Digest x", "é", "Bearer\tx", "Bearer 0" + "0" * 21),
)


@dataclass
class Odd:
    """What makes the requests, and what the server has given away that they may misuse."""

    seed: int
    links: Sequence[str] = ()  # of raters: whole, damaged, and with others' pages
    pages: Sequence[str] = ()
    sessions: Sequence[str] = ()
    paths: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.paths = [
            (sorted((one.methods or {"GET"}) - {"HEAD"})[0], one.path)
            for one in routes()
            if isinstance(one, Route)
        ] + [
            ("GET", "/static/serve.css"),
            ("GET", "/static/{name}"),
            ("GET", "*"),
            ("GET", "/"),
        ]

    def request(self, number: int) -> bytes:
        """Return a request as it goes over the line."""
        draw = random.Random(f"{self.seed} {number}")
        method, path = draw.choice(self.paths)
        if draw.random() < 0.15:
            method = draw.choice(METHODS)
        path = re.sub(r"\{\w+\}", lambda _: self._piece(draw), path)
        if draw.random() < 0.25:
            path += draw.choice(("/", "//", "")) + draw.choice(PIECES)
        if draw.random() < 0.3:
            path += draw.choice(QUERIES)
        if draw.random() < 0.05:
            path = draw.choice(("http://evil.example", "//evil.example", "http://", "")) + path
        body = self._body(draw) if draw.random() < 0.6 or method in ("PUT", "POST") else b""
        lines = self._headers(draw, body)
        if draw.random() < 0.12:
            body = self._chunked(draw, body)
            lines = [one for one in lines if not one.lower().startswith("content-length")]
            lines.append("Transfer-Encoding: chunked")
            if draw.random() < 0.3:
                lines.append(f"Content-Length: {draw.choice((0, 1, len(body), 10**12))}")
        version = draw.choice(
            ("HTTP/1.1",) * 12 + ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9", "")
        )
        first = f"{method} {path} {version}".rstrip()
        end = "\n" if draw.random() < 0.03 else "\r\n"
        return end.join([first, *lines, "", ""]).encode("latin-1", "replace") + body

    def _piece(self, draw: random.Random) -> str:
        kind = draw.random()
        if kind < 0.3:
            return "ship"
        if kind < 0.5 and self.pages:
            return draw.choice(self.pages)
        return draw.choice(PIECES)

    def _headers(self, draw: random.Random, body: bytes) -> list[str]:
        lines = ["Host: 127.0.0.1"] if draw.random() < 0.95 else []
        lines += ["X-Detectable: 1"] if draw.random() < 0.85 else []
        lines += ["Connection: close"] if draw.random() < 0.8 else []
        if body or draw.random() < 0.1:
            lines.append(f"Content-Type: {draw.choice(MEDIA)}")
            length = draw.choice((len(body),) * 8 + (len(body) + 7, max(len(body) - 3, 0)))
            lines.append(f"Content-Length: {length}")
        if draw.random() < 0.5:
            lines.append(f"Authorization: {self._link(draw)}")
        if draw.random() < 0.4:
            lines.append(f"Cookie: {self._cookie(draw)}")
        for _ in range(draw.choice((0, 0, 1, 1, 2, 4))):
            lines += [draw.choice(HEADERS)] * draw.choice((1, 1, 1, 2))
        if draw.random() < 0.02:
            lines += [f"X-{i}: y" for i in range(draw.choice((100, 2000)))]
        draw.shuffle(lines)
        return lines

    def _link(self, draw: random.Random) -> str:
        if draw.random() < 0.3 or not self.links:
            return draw.choice(LINKS)
        return f"Bearer {self._damaged(draw, draw.choice(self.links))}"

    def _cookie(self, draw: random.Random) -> str:
        if draw.random() < 0.4 or not self.sessions:
            return draw.choice(COOKIES)
        return f"dt={self._damaged(draw, draw.choice(self.sessions))}"

    @staticmethod
    def _damaged(draw: random.Random, secret: str) -> str:
        place = draw.randrange(len(secret))
        return draw.choice(
            (
                *(secret,) * 6,
                secret[:-1],
                secret + "A",
                secret.swapcase(),
                secret[:place] + draw.choice("\xff\x01 =;%A") + secret[place + 1 :],
            )
        )

    def _body(self, draw: random.Random) -> bytes:
        if draw.random() < 0.25:
            return draw.choice(BODIES)
        if draw.random() < 0.3:  # nearly right: a save
            keys = draw.choice(([], [draw.choice(KEYS)]))
            said = {
                "key": f'"k{draw.random()}"',
                "answers": draw.choice(VALUES),
                "seconds": draw.choice(VALUES),
            }
            said |= {key: draw.choice(VALUES) for key in keys}
            pairs = list(said.items())
        else:
            pairs = [
                (draw.choice(KEYS), draw.choice(VALUES)) for _ in range(draw.randrange(1, 7))
            ]
            pairs += pairs[: draw.randrange(2)]  # one of them twice
        text = "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
        body = text.encode()
        if draw.random() < 0.15:
            place = draw.randrange(len(body))
            body = (
                body[:place] + bytes([draw.randrange(256)]) + body[place + draw.randrange(2) :]
            )
        return body

    @staticmethod
    def _chunked(draw: random.Random, body: bytes) -> bytes:
        size = draw.choice(
            (
                f"{len(body):x}",
                "zz",
                "-1",
                "ffffffffffffffff",
                "",
                "0",
                "1;" + "x" * 5000,
                "0x5",
            )
        )
        end = draw.choice(
            (b"\r\n0\r\n\r\n", b"\r\n", b"0\r\n\r\n", b"", b"\r\n0\r\nX: y\r\n\r\n")
        )
        return size.encode() + b"\r\n" + body + end


def send(port: int, request: bytes) -> int:
    """Send a request and return the status of the answer; 0 if none came."""
    said, found = bytearray(), None
    with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as line:
        Thread(target=_pour, args=(line, request), daemon=True).start()
        with suppress(OSError):  # it waits for more, or has refused and is gone
            while not (found := _STATUS.match(said)) and (more := line.recv(65_536)):
                said += more
    return int(found[1]) if found else NONE


def _pour(line: socket.socket, request: bytes) -> None:
    with suppress(OSError):  # refused before all of it was sent
        line.sendall(request)


def attack(port: int, odd: Odd, numbers: Sequence[int]) -> "Counter[int]":
    """Send these requests, eight at a time, and count the answers."""
    with ThreadPoolExecutor(8) as workers:
        return Counter(workers.map(lambda number: send(port, odd.request(number)), numbers))
