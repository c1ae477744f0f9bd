"""Workers that are killed, and workers that are told to stop."""

import concurrent.futures.process as futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from detectable.core.errors import InputError, WorkerError
from detectable.core.processes import end_workers, run_in_processes

_MANAGER = "_ExecutorManagerThread"


def _double(payload: int, block: int) -> int:
    return payload * block


def _die_once(folder: str, block: int) -> int:
    """Be killed at the first try of block 3, as by a system that is out of memory."""
    tried = len(list(Path(folder).glob(f"{block}-*")))
    (Path(folder) / f"{block}-{tried}").touch()
    if block == 3 and not tried:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * block


def _die(_: None, block: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return block


def _die_often(folder: str, block: int) -> int:
    """Be killed at the first try of every block."""
    mark = Path(folder) / str(block)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * block


def _fail(_: None, block: int) -> int:
    raise InputError(f"block {block}")


def test_all_blocks_are_answered_once() -> None:
    found = list(run_in_processes(_double, 3, [1, 2, 3, 4], range(4), n_workers=2))
    assert sorted(found) == [(0, 3), (1, 6), (2, 9), (3, 12)]


def test_only_what_is_left_is_done() -> None:
    found = list(run_in_processes(_double, 3, [1, 2, 3, 4], [3, 1], n_workers=2))
    assert sorted(found) == [(1, 6), (3, 12)]


@pytest.mark.alone
def test_a_killed_worker_costs_the_blocks_in_work_only(tmp_path: Path) -> None:
    blocks = list(range(40))
    found = dict(run_in_processes(_die_once, str(tmp_path), blocks, range(40), n_workers=2))
    assert found == {number: 2 * number for number in range(40)}
    twice = list(tmp_path.glob("*-1"))
    assert (tmp_path / "3-1") in twice
    assert len(twice) <= 4  # two in work, and two whose answers may have been on their way
    assert not list(tmp_path.glob("*-2"))


@pytest.mark.alone
def test_workers_may_die_as_often_as_they_like_while_something_gets_done(
    tmp_path: Path,
) -> None:
    found = dict(
        run_in_processes(_die_often, str(tmp_path), list(range(5)), range(5), n_workers=1)
    )
    assert found == {number: 2 * number for number in range(5)}


@pytest.mark.alone
def test_workers_that_die_every_time_are_given_up() -> None:
    with pytest.raises(WorkerError, match=r"3 times before they finished.*`n_jobs` 2\. Use"):
        list(run_in_processes(_die, None, [1, 2], range(2), n_workers=2))


def test_an_error_of_the_task_is_no_kill() -> None:
    with pytest.raises(InputError, match="block"):
        list(run_in_processes(_fail, None, [1, 2], range(2), n_workers=2))


RACE = """
import contextlib, threading
import concurrent.futures.process as futures
from detectable.core.processes import run_in_processes
from tests.core.test_processes import _wait

# The order of events in which the pool closes a pipe while the exit of Python writes to it: the
# thread of the pool waits until somebody waits for it, or until Python looks at the open pipe.
awaited, closed = threading.Event(), threading.Event()
broken, join = futures._ExecutorManagerThread.terminate_broken, threading.Thread.join
close = futures._ThreadWakeup.close

def terminate_broken(self, cause):
    awaited.wait()
    broken(self, cause)

def joined(self, timeout=None):
    awaited.set()
    join(self, timeout)

def wakeup(self):
    if not self._closed:
        if futures._global_shutdown:
            awaited.set()
            closed.wait()
        self._writer.send_bytes(b"")

def close_and_say(self):
    close(self)
    closed.set()

if __name__ == "__main__":
    futures._ExecutorManagerThread.terminate_broken = terminate_broken
    futures._ExecutorManagerThread.join = joined
    futures._ThreadWakeup.wakeup = wakeup
    futures._ThreadWakeup.close = close_and_say
    with contextlib.closing(run_in_processes(_wait, None, [0, 1], [0, 1], n_workers=2)) as found:
        for _ in found:
            raise KeyboardInterrupt
"""

SLOW = """
import signal, sys, time
from detectable.core.processes import run_in_processes
from tests.core.test_processes import _sleep
if __name__ == "__main__":
    # A shell lets what it starts in the background ignore Ctrl-C, and so would we.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("started", flush=True)
    list(run_in_processes(_sleep, sys.argv[1], [1, 2], [0, 1], n_workers=2))
"""


def _wait(_: None, block: int) -> int:
    """Answer the first block, and never the second."""
    if block:
        threading.Event().wait()
    return block


@pytest.mark.alone
def test_an_interrupt_ends_in_one_traceback_in_the_worst_order_of_events(
    tmp_path: Path,
) -> None:
    script = tmp_path / "race.py"
    script.write_text(RACE)
    said = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ).stderr
    assert said.count("Traceback") == 1, said
    assert said.rstrip().endswith("KeyboardInterrupt")


def test_no_thread_of_the_pool_outlives_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread ends when it is waited for, so that a pool that is left to itself keeps it."""
    awaited = threading.Event()
    run, join = futures._ExecutorManagerThread.run, threading.Thread.join

    def lingering(self: threading.Thread) -> None:
        run(self)  # type: ignore[arg-type]
        awaited.wait()

    def joined(self: threading.Thread, timeout: float | None = None) -> None:
        awaited.set()
        join(self, timeout)

    monkeypatch.setattr(futures._ExecutorManagerThread, "run", lingering)
    monkeypatch.setattr(futures._ExecutorManagerThread, "join", joined)
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    pool.submit(os.getpid).result()
    (manager,) = (one for one in threading.enumerate() if type(one).__name__ == _MANAGER)
    end_workers(pool)
    alive = manager.is_alive()
    manager.join()
    assert not alive


def _sleep(folder: str, chunk: int) -> int:
    (Path(folder) / f"{os.getpid()}").touch()
    time.sleep(3600)
    return chunk


def _slow(folder: Path) -> "tuple[subprocess.Popen[str], list[int]]":
    """Start two workers that sleep, in a group of processes of their own."""
    script = folder / "slow.py"
    script.write_text(textwrap.dedent(SLOW))
    (folder / "workers").mkdir()
    started = subprocess.Popen(
        [sys.executable, str(script), str(folder / "workers")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    until = time.monotonic() + 600
    while len(workers := list((folder / "workers").iterdir())) < 2:
        assert time.monotonic() < until, started.communicate()
        time.sleep(0.05)
    return started, [int(worker.name) for worker in workers]


def _gone(pids: list[int]) -> bool:
    def alive(pid: int) -> bool:
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"

    until = time.monotonic() + 600
    while any(map(alive, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.alone
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("everybody", [True, False])
def test_ctrl_c_ends_all_long_before_the_work_is_done(tmp_path: Path, everybody: bool) -> None:
    started, workers = _slow(tmp_path)
    # A terminal sends it to the whole group.
    (os.killpg if everybody else os.kill)(started.pid, signal.SIGINT)
    _, said = started.communicate(timeout=600)  # the workers would sleep for an hour
    assert said.count("Traceback") == 1  # that of the process itself, none of a worker
    assert "KeyboardInterrupt" in said
    assert _gone(workers)


@pytest.mark.alone
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_do_not_outlive_the_process_that_started_them(
    tmp_path: Path, how: signal.Signals
) -> None:
    started, workers = _slow(tmp_path)
    os.kill(started.pid, how)
    started.communicate(timeout=600)
    assert _gone(workers)
