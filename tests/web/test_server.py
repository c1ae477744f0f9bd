"""The server as a process: it starts, refuses, stops, and outlives those who say nothing."""

import asyncio
import contextlib
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import h11
import httpx
import pytest
import uvicorn
from click.testing import CliRunner
from uvicorn.server import ServerState

from detectable.cli import main
from detectable.web.server import Patient, Seldom, _Server, listen, most_connections
from detectable.web.settings import Settings
from tests.web.client import client
from tests.web.running import Running, running

SILENT = 300  # connections; more than the server keeps


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, folder / "log.txt") as found:
        yield found


def test_it_answers_and_logs_one_line_of_json(server: Running) -> None:
    answer = httpx.get(f"{server.address}/healthz", timeout=60)
    assert answer.json()["state"] == "ok"
    assert "server" not in answer.headers
    request = answer.headers["x-request-id"]
    line = json.loads(server.logged(request))
    assert {"time", "method", "route", "status", "ms", "request"} == set(line)
    assert line["request"] == request


def test_no_part_of_an_answer_waits_for_the_asker(tmp_path: Path) -> None:
    # TCP holds back the second part until the first is acknowledged: 40 ms on a kept connection.
    async def held_back() -> bool:
        met: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()

        class Met(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                met.set_result(transport.get_extra_info("socket"))

        with listen(Settings(folder=tmp_path, port=0)) as listening:
            server = _Server(Mock(), Mock())
            server._meet = Met  # type: ignore[method-assign, assignment]
            door = asyncio.create_task(server._let_in(listening))
            _, asker = await asyncio.open_connection(*listening.getsockname())
            found = (await met).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            asker.close()
            door.cancel()
        return not found

    assert not asyncio.run(held_back())


def test_check_says_whether_it_runs(server: Running) -> None:
    port = server.address.rpartition(":")[2]
    said = CliRunner().invoke(main, ["serve", "--check", "--port", port])
    assert said.exit_code == 0
    assert "answers at" in said.stdout


def test_check_says_when_nobody_answers() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    said = CliRunner().invoke(main, ["serve", "--check", "--port", port])
    assert said.exit_code == 1
    assert said.stderr.startswith("Error: no detectable server answers at")


def test_a_port_that_is_taken_is_one_sentence(server: Running, tmp_path: Path) -> None:
    port = server.address.rpartition(":")[2]
    said = CliRunner().invoke(main, ["serve", str(tmp_path), "--port", port])
    assert said.exit_code == 1
    assert "cannot be listened on: Address already in use. Choose another port" in said.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "example.org"])
def test_an_address_that_others_reach_is_refused(host: str, tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["serve", str(tmp_path), "--host", host])
    assert said.exit_code == 1
    assert "--host must be an address of this machine alone" in said.stderr
    assert "it needs a password: --password-file" in said.stderr


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["serve", str(tmp_path / "none")])
    assert said.exit_code == 1
    assert "is no folder. Make it, or name another." in said.stderr


def test_large_deep_and_silent_askers_do_not_stop_others(server: Running) -> None:
    """Statement 11: a body without end, deep JSON, and connections that say nothing."""
    host, port = "127.0.0.1", int(server.address.rpartition(":")[2])
    httpx.get(f"{server.address}/plan", timeout=60)
    before = server.resident()
    head = "POST /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Detectable: 1\r\nContent-Type: application/json\r\n"
    silent = []
    try:
        for number in range(SILENT):
            one = socket.create_connection((host, port), timeout=60)
            if number % 2:
                one.sendall(b"GET /plan HTTP/1.1\r\nHost: ")
            silent.append(one)
        endless = socket.create_connection((host, port), timeout=60)
        endless.sendall(f"{head}Content-Length: {1 << 30}\r\n\r\n".encode())
        assert b" 413 " in endless.recv(200)
        endless.close()
        answer = httpx.get(f"{server.address}/healthz", timeout=60)
        assert answer.status_code == 200
    finally:
        for one in silent:
            one.close()
    assert server.resident() - before < 50
    assert server.resident() < 200


@pytest.mark.alone
def test_it_ends_when_told_and_finishes_what_runs(tmp_path: Path) -> None:
    with running(tmp_path, tmp_path / "log.txt") as found:
        assert httpx.get(f"{found.address}/readyz", timeout=60).status_code == 200
        address = "127.0.0.1", int(found.address.rpartition(":")[2])
        body = b'{"name": "ship", "systems": ["new", "old"], "design": "s=ratings"}'
        head = (
            "POST /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Detectable: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(address, timeout=60) as runs:
            runs.sendall(head.encode() + body[:9])
            assert httpx.get(f"{found.address}/healthz", timeout=60).status_code == 200
            found.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(OSError):  # until it lets nobody in
                while True:
                    socket.create_connection(address, timeout=60).close()
            runs.sendall(body[9:])
            assert runs.recv(100).startswith(b"HTTP/1.1 201 ")
        assert (tmp_path / "ship.json").exists()
        found.process.wait(60)
        assert found.process.returncode in (0, -signal.SIGTERM)
        assert "Traceback" not in found.log.read_text()


def test_it_is_not_ready_once_it_was_told_to_stop(tmp_path: Path) -> None:
    asked = client(tmp_path)
    assert asked.get("/readyz").json() == {"state": "ready"}
    asked.app.state.stopping = True
    answer = asked.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"state": "stopping"})


def test_without_the_extra_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "detectable.web.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = CliRunner().invoke(main, ["serve", str(tmp_path)])
    assert said.exit_code == 1
    assert 'the server needs uvicorn: pip install "detectable[web]".' in said.stderr


class _Clock:
    """An event loop whose timers run when the test says so; a second passes with each."""

    now = 0.0

    def __init__(self) -> None:
        self.timers: list[_Timer] = []
        _Clock.now += 1

    def time(self) -> float:
        return _Clock.now

    def call_later(self, seconds: float, call: Callable[[], None]) -> "_Timer":
        made = _Timer(seconds, call)
        self.timers.append(made)
        return made

    def create_task(self, work: Any, **_: Any) -> Any:
        work.close()
        return Mock()

    def pass_time(self) -> None:
        timers, self.timers = self.timers, []
        for timer in timers:
            timer.run()


class _Timer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self._call = seconds, call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def run(self) -> None:
        if not self.cancelled:
            self._call()


class _Wire(asyncio.Transport):
    """A connection that remembers whether it was cut off."""

    def __init__(self, host: str = "10.0.0.1") -> None:
        super().__init__()
        self.cut, self._host, self.sent = False, host, b""
        self.lost, self.untaken = False, 0  # what was not sent yet; bytes of answers

    def get_write_buffer_size(self) -> int:
        return self.untaken

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert (high, low) == (0, None)  # paused as long as anything is not taken

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (self._host, 5) if name in ("peername", "sockname") else default

    def is_closing(self) -> bool:
        return self.cut

    def abort(self) -> None:
        self.cut = self.lost = True

    def close(self) -> None:
        self.cut = True

    def write(self, data: Any) -> None:
        self.sent += data

    def resume_reading(self) -> None:
        pass

    def pause_reading(self) -> None:
        pass


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def made() -> Iterator[Callable[..., tuple[Patient, _Wire, _Clock]]]:
    config = uvicorn.Config(lambda *_: None, http=Patient, log_config=None, lifespan="off")
    state = ServerState()
    everyone: list[Patient] = []

    def connect(host: str = "10.0.0.1") -> tuple[Patient, _Wire, _Clock]:
        loop, wire = _Clock(), _Wire(host)
        one = Patient(config, state, {}, _loop=loop)  # type: ignore[arg-type]
        one.connection_made(wire)
        everyone.append(one)
        return one, wire, loop

    yield connect
    for one in everyone:
        one.connection_lost(None)
    assert not Patient._open


def answered(one: Patient) -> None:
    """Answer the request that is being asked."""
    one.conn.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
    one.conn.send(h11.EndOfMessage())
    one.cycle.response_complete = True
    one.on_response_complete()


def test_half_a_request_is_given_up_the_first_and_the_second_time(
    made: Callable[..., tuple[Patient, _Wire, _Clock]],
) -> None:
    one, wire, loop = made()
    one.data_received(WHOLE[:9])
    loop.pass_time()
    assert wire.cut
    one, wire, loop = made()
    one.data_received(WHOLE)
    loop.pass_time()
    assert not wire.cut  # it is being answered
    answered(one)
    one.data_received(WHOLE[:9])  # which ends uvicorn's own patience
    loop.pass_time()
    assert wire.cut


def test_who_asks_again_in_time_is_not_given_up(
    made: Callable[..., tuple[Patient, _Wire, _Clock]],
) -> None:
    one, wire, loop = made()
    for _ in range(3):
        one.data_received(WHOLE[:9])
        one.data_received(WHOLE[9:])
        loop.pass_time()
        answered(one)
    assert not wire.cut


def test_an_answer_is_waited_for_as_long_as_it_is_taken(
    made: Callable[..., tuple[Patient, _Wire, _Clock]],
) -> None:
    one, wire, loop = made()
    one.data_received(WHOLE)
    wire.untaken = 1_000_000
    one.pause_writing()
    answered(one)  # all of it waits to be taken
    for _ in range(10):
        wire.untaken -= 20_000
        loop.pass_time()
        assert not wire.lost
    loop.pass_time()
    assert wire.lost


@pytest.mark.parametrize("bytes_taken", [0, 100])
def test_who_does_not_take_an_answer_is_given_up(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], bytes_taken: int
) -> None:
    one, wire, loop = made()
    one.data_received(WHOLE)
    wire.untaken = 1_000_000
    one.pause_writing()
    wire.untaken -= bytes_taken
    loop.pass_time()
    assert wire.lost


CHUNKED = b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_a_body_that_is_no_http_gets_one_answer(
    made: Callable[..., tuple[Patient, _Wire, _Clock]],
) -> None:
    one, wire, _ = made()
    one.data_received(CHUNKED + b"zz\r\n")
    assert wire.cut
    assert wire.sent.count(b"HTTP/1.1 ") == wire.sent.count(b" 400 ") == 1
    assert one.cycle.disconnected  # what is still made of the request goes nowhere
    one, wire, _ = made()
    one.data_received(CHUNKED)
    answered(one)
    one.data_received(b"zz\r\n")
    assert wire.cut
    assert not wire.sent


def test_there_are_fewer_connections_than_files(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Patient.most == most_connections()
    monkeypatch.setattr(Patient, "most", 6)
    wires = []
    for number in range(6):
        one, wire, _ = made(f"10.0.0.{number}")
        one.data_received(WHOLE)
        if number in (2, 4):
            answered(one)
        wires.append(wire)
    made("10.0.1.1")
    assert [wire.cut for wire in wires] == [False, False, True, False, False, False]


def test_one_address_has_half_of_the_connections(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "most", 20)
    monkeypatch.setattr(Patient, "of_one", 4)
    wires = [made("10.0.0.9")[1] for _ in range(5)]
    assert [wire.cut for wire in wires] == [True, False, False, False, False]
    busy = [made("10.0.0.7") for _ in range(4)]
    for one, _, _ in busy:
        one.data_received(WHOLE)
    new, wire, _ = made("10.0.0.7")  # all others of this address are being answered
    new.data_received(WHOLE)
    assert not any(wire.cut for wire in (wire, *(wire for _, wire, _ in busy)))
    answered(busy[2][0])  # and so the first that has its answer goes
    assert [wire.cut for _, wire, _ in busy] == [False, False, True, False]
    answered(new)
    assert not wire.cut
    assert not made("10.0.0.8")[1].cut
    assert sum(wire.cut for wire in wires) == 1
    monkeypatch.setattr(Patient, "shared", True)  # a proxy
    made("10.0.0.9")
    assert sum(wire.cut for wire in wires) == 1


def test_who_is_late_makes_room_and_who_is_answered_does_not(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "most", 4)
    sending, taking, going_on, busy = (made(f"10.0.0.{i}") for i in range(4))
    sending[0].data_received(CHUNKED)  # and no body
    for one, _, _ in (taking, going_on, busy):
        one.data_received(WHOLE)
    for one, _, _ in (taking, going_on):
        one.pause_writing()
    taking[0].data_received(WHOLE)  # asking more takes nothing
    going_on[0].resume_writing()
    for late in (sending, taking):
        before = late[1].cut
        one, wire, _ = made()
        assert (before, late[1].cut) == (False, True)
        late[0].connection_lost(None)
        one.data_received(WHOLE)
        assert not wire.cut
    new = made()  # all others are being answered
    assert not any(wire.cut for _, wire, _ in (going_on, busy, new))
    answered(going_on[0])
    assert [wire.cut for _, wire, _ in (going_on, busy, new)] == [True, False, False]


def test_who_waits_longest_goes_and_who_has_just_come_does_not(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "most", 3)
    monkeypatch.setattr(Patient, "of_one", 3)
    half, silent, asks_nothing = made(), made(), made()
    half[0].data_received(WHOLE)
    answered(half[0])
    half[0].data_received(WHOLE[:9])
    asks_nothing[0].data_received(WHOLE)
    answered(asks_nothing[0])
    wires = [wire for _, wire, _ in (half, silent, asks_nothing)]
    cut = []
    for _ in range(3):
        new, _, _ = made()
        new.data_received(WHOLE)
        cut.append([wire.cut for wire in wires])
    assert cut == [[False, False, True], [False, True, True], [True, True, True]]
    young = made()
    Patient.make_room(_Clock.now + 0.05)
    assert not young[1].cut  # what it sends may be on its way
    Patient.make_room(_Clock.now + 0.15)
    assert young[1].cut


def test_none_goes_for_one_that_is_being_closed(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "most", 3)
    monkeypatch.setattr(Patient, "of_one", 3)
    closing, refused, slow = made(), made(), made()
    closing[0].data_received(WHOLE)
    closing[1].cut = True  # as `Connection: close` does once the answer is written
    answered(closing[0])
    refused[0].data_received(b"no HTTP\r\n\r\n")
    assert refused[1].cut
    for _ in range(2):
        made()[0].data_received(WHOLE)
    assert not slow[1].cut
    made()
    assert slow[1].cut


def test_one_that_takes_no_more_of_its_last_answer_makes_room(
    made: Callable[..., tuple[Patient, _Wire, _Clock]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "most", 2)
    last, busy = made(), made()
    for one, _, _ in (last, busy):
        one.data_received(WHOLE)
    last[0].pause_writing()
    last[1].cut = True  # it is closed when it has taken all
    answered(last[0])
    made()
    assert last[1].lost
    assert not busy[1].cut


def test_where_all_are_being_answered_a_new_one_waits_to_be_accepted(
    made: Callable[..., tuple[Patient, _Wire, _Clock]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(Patient, "most", 2)
    busy = []
    for number in range(3):
        busy.append(made(f"10.0.0.{number}"))
        busy[-1][0].data_received(WHOLE)
    looks: list[int] = []  # how many have been let in

    async def come() -> None:
        let_in: list[asyncio.Protocol] = []
        passed = asyncio.Event()

        def meet() -> asyncio.Protocol:
            let_in.append(asyncio.Protocol())
            passed.set()
            return let_in[-1]

        async def look(_: float) -> None:
            looks.append(len(let_in))
            if len(looks) == 5:
                answered(busy[1][0])

        monkeypatch.setattr("detectable.web.server.asyncio.sleep", look)
        server = _Server(Mock(), Mock())
        server._meet = meet  # type: ignore[method-assign, assignment]
        with listen(Settings(folder=tmp_path, port=0)) as listening:
            door = asyncio.create_task(server._let_in(listening))
            _, asker = await asyncio.open_connection(*listening.getsockname())
            await passed.wait()
            asker.close()
            door.cancel()

    asyncio.run(come())
    assert looks == [0] * 5
    assert [wire.cut for _, wire, _ in busy] == [False, True, False]


def test_one_connection_that_fails_keeps_nobody_out(tmp_path: Path) -> None:
    async def come() -> list[str]:
        passed = asyncio.Event()
        said: list[str] = []

        def meet() -> asyncio.Protocol:
            if not said:
                raise OSError("gone again")
            passed.set()
            return asyncio.Protocol()

        asyncio.get_running_loop().set_exception_handler(
            lambda _, about: said.append(f"{about['message']}: {about['exception']}")
        )
        server = _Server(Mock(), Mock())
        server._meet = meet  # type: ignore[method-assign, assignment]
        with listen(Settings(folder=tmp_path, port=0)) as listening:
            door = asyncio.create_task(server._let_in(listening))
            for _ in range(2):
                _, asker = await asyncio.open_connection(*listening.getsockname())
                asker.close()
            await passed.wait()
            door.cancel()
        return said

    assert asyncio.run(come()) == ["a connection was not made: gone again"]


def test_a_message_is_written_a_few_times() -> None:
    now = [0.0]
    seldom = Seldom(lambda: now[0])

    def written(n: int, text: str = "too many files") -> int:
        record = partial(logging.LogRecord, "asyncio", 40, "x.py", 1)
        return sum(seldom.filter(record(text, (), None)) for _ in range(n))

    assert written(1000) == 5
    assert written(3, "another") == 3
    now[0] = 11.0
    assert written(1000) == 5


ANSWERED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


UNTAKEN = ANSWERED.replace(b"/healthz", b"/static/vega.js") * 20


@pytest.mark.alone  # 320 connections at once
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        pytest.param(b"", "127.0.0.1", id="nothing"),
        pytest.param(ANSWERED + ANSWERED[:8], "127.0.0.1", id="half-a-second-request"),
        pytest.param(
            b"POST /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Detectable: 1\r\n"
            b"Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n{",
            "127.0.0.1",
            id="a-body-that-does-not-come",
        ),
        pytest.param(UNTAKEN, "127.0.0.1", id="answers-that-nobody-takes"),
        pytest.param(UNTAKEN, "127.0.0.2", id="answers-that-nobody-takes-elsewhere"),
    ],
)
def test_slow_askers_do_not_lock_others_out(tmp_path: Path, asked: bytes, other: str) -> None:
    """More connections than the process may have files; a new one asks once."""
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)); "
    limited += "sys.argv = ['detectable', *sys.argv[1:]]; from detectable.cli.at_once import run; run()"
    with running(tmp_path, tmp_path / "log.txt", start=("-c", limited)) as found:
        address = "127.0.0.1", int(found.address.rpartition(":")[2])
        slow = []
        try:
            for _ in range(320):
                one = socket.socket()
                one.settimeout(60)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # to take little
                slow.append(one)
                with contextlib.suppress(OSError):  # those that were given up
                    one.connect(address)
                    one.sendall(asked)
            with httpx.Client(transport=httpx.HTTPTransport(local_address=other)) as somebody:
                answer = somebody.get(f"{found.address}/healthz", timeout=60)
            assert answer.status_code == 200
        finally:
            for one in slow:
                one.close()
        # A line for each request that was answered, and no flood of messages.
        lines = found.log.read_text().splitlines()
        assert len([line for line in lines if '"status": ' not in line]) < 20
        assert len(lines) < 320 * 10
