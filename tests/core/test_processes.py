"""Workers that are killed, and workers that are told to stop."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from detectable.core.errors import InputError, WorkerError
from detectable.core.processes import run_in_processes


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
