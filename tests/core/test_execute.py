"""Blocks of work: same answers everywhere, in order, with progress."""

from concurrent.futures import ThreadPoolExecutor

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
