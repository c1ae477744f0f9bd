"""The server as a process: it starts, refuses, stops, and outlives those who say nothing."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.web.server import listen
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
