"""Campaigns that watch themselves: looks run by the server, a stream of changes, and a quiet end."""

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import httpx
import pytest

from detectable.core.errors import DataError, InputError, RefusedError
from detectable.data.store.open_store import open_store
from detectable.web import monitor
from detectable.web.settings import write_password
from detectable.web.watch import LookPool, _due
from tests.web.client import OURS, Far, client
from tests.web.organised import RIGHT, judged, make, press, status, working
from tests.web.running import Running, running
from tests.web.simulated import judge_in_turns


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Running, Far]]:
    folder = tmp_path / "folder"
    folder.mkdir()
    with running(folder, tmp_path / "log.txt") as found, Far(found.address) as far:
        yield found, far


def until(true: Callable[[], object], seconds: float = 180.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.2)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    tasks = Path(f"/proc/{pid}/task")
    return [
        int(child)
        for task in tasks.iterdir()
        for child in (task / "children").read_text().split()
    ]


def test_looks_run_by_themselves_and_the_page_hears_of_it(server: tuple[Running, Far]) -> None:
    found, far = server
    tokens = make(far, 40, plan={"looks": 2})
    events: list[dict[str, object]] = []

    def listen() -> None:
        with far.http.stream("GET", "/api/v1/campaigns/ship/events", timeout=180) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    events.append(json.loads(line[6:]))
                    if events[-1]["state"] == "stopped":
                        return

    ear = threading.Thread(target=listen)
    ear.start()
    until(lambda: events)
    assert (events[0]["state"], events[0]["judgments"]) == ("open", 0)
    with Far(found.address) as other:
        judge_in_turns(other.request, working(tokens, 40))
    ear.join(180)
    assert not ear.is_alive()
    assert events[-1]["looks"][-1]["decision"] == "stop: better"  # type: ignore[index]
    assert 'detectable_looks_total{decision="stop"} 1' in far.get("/metrics").text
    assert '"status": 500' not in found.log.read_text()


@pytest.mark.alone
def test_it_ends_when_told_with_a_listener_and_a_worker(server: tuple[Running, Far]) -> None:
    found, far = server
    judged(far, 20, plan={"looks": 1, "admission": ""})
    until(lambda: status(far)["state"] == "stopped")
    workers = children(found.process.pid)
    assert workers
    with far.http.stream("GET", "/api/v1/campaigns/ship/events", timeout=60) as stream:
        lines = stream.iter_lines()
        next(lines)
        found.process.send_signal(signal.SIGTERM)
        for _ in lines:  # the listener is let go
            pass
    found.process.wait(60)
    assert "Traceback" not in found.log.read_text()
    until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers))
    store = open_store(found.log.parent / "folder")
    assert store.status("ship")["works_done"] == 20
    store.close()


@pytest.mark.alone
def test_a_worker_does_not_outlive_a_server_that_is_killed(server: tuple[Running, Far]) -> None:
    found, far = server
    judged(far, 20, plan={"looks": 1, "admission": ""})
    until(lambda: status(far)["state"] == "stopped")
    workers = children(found.process.pid)
    found.process.kill()
    found.process.wait()
    until(lambda: not any(_runs(pid) for pid in workers))


def _runs(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_there_are_at_most_fifty_listeners(tmp_path: Path) -> None:
    asked = client(tmp_path)
    make(asked, 20)
    assert monitor.MOST_LISTENERS == 50
    asked.app.state.listeners = 50
    answer = asked.get("/api/v1/campaigns/ship/events")
    assert (answer.status_code, answer.json()["code"]) == (503, "too_many")
    asked.close()


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def _refuse(kind: str) -> None:
    if kind == "refused":
        raise RefusedError("wrong_state", "No.")
    raise (InputError if kind == "input" else DataError)("No.")


def _die() -> None:
    os._exit(3)


def test_a_look_that_takes_too_long_or_dies_is_given_up() -> None:
    async def tried() -> None:
        pool = LookPool(seconds=180.0)
        assert await pool.run(_sleep, 0.0) == 0.0
        with pytest.raises(DataError, match="can be done again"):
            await pool.run(_die)
        pool._seconds = 0.5
        with pytest.raises(DataError, match="can be done again"):
            await pool.run(_sleep, 60.0)  # it would come back without an error
        pool._seconds = 180.0
        assert await pool.run(_sleep, 0.01) == 0.01  # and the next one goes on
        for kind, error in (("refused", RefusedError), ("input", InputError), ("", DataError)):
            with pytest.raises(error, match=r"No\."):
                await pool.run(_refuse, kind)
        pool.close()

    asyncio.run(tried())


def test_a_pause_is_noticed_by_the_task_and_by_raters(tmp_path: Path) -> None:
    asked = client(tmp_path)
    judged(asked, 20, plan={"looks": 1, "admission": ""})
    press(asked, "pause")
    store = open_store(tmp_path)
    assert _due(asked.app, store, {}) == []
    press(asked, "open")
    seen: dict[str, int] = {}
    assert _due(asked.app, store, seen) == ["ship"]
    store.close()
    asked.close()


def test_signing_out_ends_the_stream(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    secret = tmp_path / "organisers.txt"
    write_password(secret, RIGHT)
    with (
        running(folder, tmp_path / "log.txt", "--password-file", str(secret)) as found,
        Far(found.address) as far,
        Far(found.address) as other,
    ):
        far.post("/api/v1/session", json={"password": RIGHT}, headers=OURS)
        make(far, 20)
        other.http.cookies = httpx.Cookies(far.http.cookies)
        with other.http.stream("GET", "/api/v1/campaigns/ship/events", timeout=60) as stream:
            lines = stream.iter_lines()
            next(lines)
            assert far.delete("/api/v1/session", headers=OURS).status_code == 204
            assert len(list(islice(lines, 10))) < 10  # a stream that lives says «still here»
