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
from detectable.web.server import Patient, Seldom, listen, most_connections
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
        waits: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def meet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            made = writer.get_extra_info("socket")
            waits.set_result(not made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen(Settings(folder=tmp_path, port=0)) as listening:
            async with await asyncio.start_server(meet, sock=listening) as server:
                host, port = server.sockets[0].getsockname()
                _, asker = await asyncio.open_connection(host, port)
                found = await waits
                asker.close()
        return found

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
        found.process.send_signal(signal.SIGTERM)
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
    """An event loop whose timers run when the test says so."""

    def __init__(self) -> None:
        self.timers: list[_Timer] = []

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
    assert made("10.0.0.7")[1].cut  # all others of this address are being answered
    assert not any(wire.cut for _, wire, _ in busy)
    assert not made("10.0.0.8")[1].cut
    monkeypatch.setattr(Patient, "shared", True)  # a proxy
    assert not made("10.0.0.9")[1].cut


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
    assert made()[1].cut  # all others are being answered
    assert not going_on[1].cut
    assert not busy[1].cut


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


@pytest.mark.alone  # 320 connections at once
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        pytest.param(ANSWERED + ANSWERED[:8], "127.0.0.1", id="half-a-second-request"),
        pytest.param(
            b"POST /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Detectable: 1\r\n"
            b"Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n{",
            "127.0.0.1",
            id="a-body-that-does-not-come",
        ),
        pytest.param(
            ANSWERED.replace(b"/healthz", b"/static/vega.js") * 20,
            "127.0.0.2",  # they are being answered, so another one of their address must wait
            id="answers-that-nobody-takes",
        ),
    ],
)
def test_slow_askers_do_not_lock_others_out(tmp_path: Path, asked: bytes, other: str) -> None:
    """More connections than the process may have files."""
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)); "
    limited += "sys.argv = ['detectable', *sys.argv[1:]]; from detectable.cli.at_once import run; run()"
    with running(tmp_path, tmp_path / "log.txt", start=("-c", limited)) as found:
        host, port = "127.0.0.1", int(found.address.rpartition(":")[2])
        slow = []
        try:
            for _ in range(320):
                one = socket.create_connection((host, port), timeout=60)
                slow.append(one)
                with contextlib.suppress(OSError):  # those that were given up
                    one.sendall(asked)
            # While all others are being answered, or are still being closed, the new one goes: a
            # browser asks again then, and must not be kept out.
            answer = None
            with httpx.Client(transport=httpx.HTTPTransport(local_address=other)) as somebody:
                for _ in range(20):
                    with contextlib.suppress(httpx.ReadError, httpx.RemoteProtocolError):
                        answer = somebody.get(f"{found.address}/healthz", timeout=60)
                        break
            assert answer is not None
            assert answer.status_code == 200
        finally:
            for one in slow:
                one.close()
        assert found.log.stat().st_size < 200_000
