"""Blocks of work: same answers everywhere, in order, with progress."""

import concurrent.futures.process as futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from detectable.core.errors import InputError, WorkerError
from detectable.core.execute import run_blocks
from detectable.core.processes import end_workers, run_in_processes
from detectable.core.rng import Block, blocks


def _draw(scale: float, block: Block) -> list[float]:
    return [scale * x for x in block.rng.normal(size=block.rows)]


def _threads(_: None, block: Block) -> set[int]:
    np.ones((block.rows, block.rows)) @ np.ones((block.rows, block.rows))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def _work(total: int = 25, size: int = 4) -> list[Block]:
    return list(blocks(total, np.random.default_rng(5), size=size))


def test_blocks_cover_the_work_once() -> None:
    assert [block.rows for block in _work()] == [4, 4, 4, 4, 4, 4, 1]


def test_one_process_several_and_an_executor_agree() -> None:
    here = run_blocks(_draw, 2.0, _work())
    there = run_blocks(_draw, 2.0, _work(), n_jobs=3)
    with ThreadPoolExecutor(2) as pool:
        threads = run_blocks(_draw, 2.0, _work(), executor=pool)
    assert here == there == threads


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_linear_algebra_runs_on_one_thread(n_jobs: int) -> None:
    found = run_blocks(_threads, None, _work(), n_jobs=n_jobs)
    assert set().union(*found) <= {1}


def test_progress_counts_up_to_the_end() -> None:
    seen: list[tuple[str, int, int | None]] = []
    run_blocks(
        _draw, 1.0, _work(), progress=lambda *step: seen.append(step), step="drawing numbers"
    )
    assert seen[0] == ("drawing numbers", 0, 7)
    assert seen[-1] == ("drawing numbers", 7, 7)


def test_jobs_must_be_positive() -> None:
    with pytest.raises(InputError, match="`n_jobs` must be a whole number ≥ 1; got 0"):
        run_blocks(_draw, 1.0, _work(), n_jobs=0)


# Order, chunks and progress on an executor


class Counting(Executor):
    """An executor that works at once, and remembers how many blocks each task held."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, task: Any, /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.sizes.append(len(args[-1]))
        future.set_result(task(*args, **options))
        return future


def _rows(_: None, block: Block) -> int:
    return block.rows


@pytest.mark.parametrize(
    ("n_blocks", "sizes"),
    [
        (1, [1]),
        (15, [1] * 15),
        (16, [1] * 16),
        (17, [2] * 8 + [1]),
        (32, [2] * 16),
        (33, [3] * 11),
    ],
)
def test_blocks_are_sent_in_at_most_sixteen_chunks(n_blocks: int, sizes: list[int]) -> None:
    executor = Counting()
    work = _work(n_blocks, 1)
    assert run_blocks(_rows, None, work, executor=executor) == [1] * n_blocks
    assert executor.sizes == sizes


def test_answers_stand_in_the_order_of_the_blocks() -> None:
    def late(scale: float, block: Block) -> float:
        time.sleep(0.002 * block.rows)
        return scale * block.rows

    work = [Block(rows, np.random.default_rng(1)) for rows in (5, 1, 4, 2, 3)]
    with ThreadPoolExecutor(5) as pool:
        assert run_blocks(late, 2.0, work, executor=pool) == [10.0, 2.0, 8.0, 4.0, 6.0]


def test_progress_on_an_executor_counts_blocks_and_not_chunks() -> None:
    seen: list[tuple[str, int, int | None]] = []
    with ThreadPoolExecutor(1) as pool:
        run_blocks(_rows, None, _work(33, 1), executor=pool, progress=lambda *x: seen.append(x))
    assert [done for _, done, _ in seen] == list(range(34))
    assert {(step, total) for step, _, total in seen} == {("resampling", 33)}


def test_progress_here_counts_every_block() -> None:
    seen: list[int] = []
    run_blocks(_rows, None, _work(), progress=lambda _, done, __: seen.append(done))
    assert seen == list(range(8))


def test_by_default_the_work_is_done_here() -> None:
    seen: list[int] = []
    run_blocks(lambda _, block: seen.append(block.rows), None, _work())
    assert sum(seen) == 25  # another process would have filled a list of its own


def test_no_work_is_no_work_wherever_it_is_done() -> None:
    assert run_blocks(_rows, None, []) == []
    assert run_blocks(_rows, None, [], n_jobs=2) == []


def test_one_block_needs_no_further_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("detectable.core.processes.ProcessPoolExecutor", refuse)
    assert run_blocks(_rows, None, _work(3, 4), n_jobs=8) == [3]
    with pytest.raises(AssertionError, match="a process was started"):
        run_blocks(_rows, None, _work(5, 4), n_jobs=2)


def test_no_more_processes_than_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, **options: Any) -> None:
            asked.append(options["max_workers"])
            options.pop("mp_context")
            super().__init__(**options)

    monkeypatch.setattr("detectable.core.processes.ProcessPoolExecutor", Threads)
    run_blocks(_rows, None, _work(8, 4), n_jobs=8)
    run_blocks(_rows, None, _work(40, 4), n_jobs=3)
    assert asked == [2, 3]


def _fail(_: None, block: Block) -> int:
    if block.rows == 1:
        raise InputError("block of one")
    return block.rows


def test_an_error_in_a_block_reaches_the_caller() -> None:
    with pytest.raises(InputError, match="block of one"):
        run_blocks(_fail, None, _work())
    with ThreadPoolExecutor(2) as pool, pytest.raises(InputError, match="block of one"):
        run_blocks(_fail, None, _work(), executor=pool)


def test_threads_of_an_executor_share_one_limit() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = run_blocks(_threads, None, _work(), executor=pool)
    assert set().union(*found) <= {1}


_ONE_PROCESS = """
import sys
import numpy as np
from detectable.core.execute import run_blocks
from detectable.core.rng import blocks
run_blocks(lambda _, block: block.rows, None, blocks(9, np.random.default_rng(1), size=4))
sys.exit(" ".join(sorted({"multiprocessing", "concurrent.futures.process"} & sys.modules.keys())) or 0)
"""


def test_one_process_loads_nothing_for_several() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _ONE_PROCESS], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")


# --- Workers that are killed, and workers that are told to stop ---

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


def _fail_of_processes(_: None, block: int) -> int:
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
        list(run_in_processes(_fail_of_processes, None, [1, 2], range(2), n_workers=2))


RACE = """
import contextlib, threading
import concurrent.futures.process as futures
from detectable.core.processes import run_in_processes
from tests.core.test_execute import _wait

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
from tests.core.test_execute import _sleep
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


@pytest.mark.alone
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
def test_a_second_ctrl_c_comes_when_nothing_of_the_pool_is_left() -> None:
    left = []

    class Interrupted(ProcessPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            signal.raise_signal(signal.SIGINT)
            super().shutdown(wait, cancel_futures=cancel_futures)
            left.append(self)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pool = Interrupted(1, mp_context=multiprocessing.get_context("spawn"))
    try:
        pool.submit(os.getpid).result()
        with pytest.raises(KeyboardInterrupt):
            end_workers(pool)
        assert left == [pool]
    finally:
        signal.signal(signal.SIGINT, before)


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
