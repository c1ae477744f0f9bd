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


def _double(payload: int, chunk: int) -> int:
    return payload * chunk


def _die_once(folder: str, chunk: int) -> int:
    """Be killed at the first try of chunk 3, as by a system that is out of memory."""
    mark = Path(folder) / "died"
    if chunk == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * chunk


def _die(_: None, chunk: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def _fail(_: None, chunk: int) -> int:
    raise InputError(f"chunk {chunk}")


def test_answers_stand_in_order_and_all_are_told() -> None:
    told: list[int] = []
    found = run_in_processes(_double, 3, [1, 2, 3, 4], n_workers=2, finished=told.append)
    assert found == [3, 6, 9, 12]
    assert sorted(told) == [0, 1, 2, 3]


def test_what_a_killed_worker_left_is_done_again(tmp_path: Path) -> None:
    told: list[int] = []
    found = run_in_processes(
        _die_once, str(tmp_path), [1, 2, 3, 4], n_workers=2, finished=told.append
    )
    assert (tmp_path / "died").exists()
    assert found == [2, 4, 6, 8]
    assert sorted(told) == [0, 1, 2, 3]


def test_workers_that_die_every_time_are_given_up() -> None:
    with pytest.raises(WorkerError, match=r"in 3 rounds of work.*`n_jobs` 2\. Use fewer"):
        run_in_processes(_die, None, [1, 2], n_workers=2, finished=lambda _: None)


def test_an_error_of_the_task_is_no_kill() -> None:
    with pytest.raises(InputError, match="chunk"):
        run_in_processes(_fail, None, [1, 2], n_workers=2, finished=lambda _: None)


SLOW = """
import sys, time
from detectable.core.processes import run_in_processes
from tests.core.test_processes import _sleep
if __name__ == "__main__":
    print("started", flush=True)
    run_in_processes(_sleep, sys.argv[1], [1, 2], n_workers=2, finished=print)
"""


def _sleep(folder: str, chunk: int) -> int:
    (Path(folder) / f"{os.getpid()}").touch()
    time.sleep(60)
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
    until = time.monotonic() + 60
    while len(workers := list((folder / "workers").iterdir())) < 2:
        assert time.monotonic() < until, started.communicate()
        time.sleep(0.05)
    return started, [int(worker.name) for worker in workers]


def _gone(pids: list[int]) -> bool:
    def alive(pid: int) -> bool:
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] != "Z"

    until = time.monotonic() + 10
    while any(map(alive, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("everybody", [True, False])
def test_ctrl_c_ends_all_within_two_seconds(tmp_path: Path, everybody: bool) -> None:
    started, workers = _slow(tmp_path)
    before = time.monotonic()
    # A terminal sends it to the whole group.
    (os.killpg if everybody else os.kill)(started.pid, signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert time.monotonic() - before < 2.0
    assert said.count("Traceback") == 1  # that of the process itself, none of a worker
    assert "KeyboardInterrupt" in said
    assert _gone(workers)


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_do_not_outlive_the_process_that_started_them(
    tmp_path: Path, how: signal.Signals
) -> None:
    started, workers = _slow(tmp_path)
    os.kill(started.pid, how)
    started.communicate(timeout=30)
    assert _gone(workers)
