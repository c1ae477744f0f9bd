"""Blocks of work: same answers everywhere, in order, with progress."""

import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from detectable.core.errors import InputError
from detectable.core.execute import run_blocks
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
