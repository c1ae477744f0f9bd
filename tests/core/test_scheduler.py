"""Blocks on a Dask cluster: the same answer, with workers that are killed, and one sentence if not."""

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import detectable as dt
from detectable.core.checkpoint import checkpoint
from detectable.core.errors import InputError, MissingExtraError, WorkerError
from detectable.core.execute import run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.scheduler import Cluster, scheduler, versions

# Dask closes the sockets of workers that were killed when it comes to it.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with scheduler("local:2") as made:
        yield made


def _work(total: int = 40, size: int = 2) -> list[Block]:
    return list(blocks(total, np.random.default_rng(5), size=size))


def _draw(scale: float, block: Block) -> list[float]:
    return [scale * x for x in block.rng.normal(size=block.rows)]


def test_here_in_processes_and_on_a_cluster_the_answer_is_the_same(cluster: Cluster) -> None:
    here = run_blocks(_draw, 0.1, _work())
    assert run_blocks(_draw, 0.1, _work(), n_jobs=2) == here
    before = cluster.done
    assert run_blocks(_draw, 0.1, _work(), executor=cluster) == here
    assert cluster.done == before + 20


def test_analyses_give_the_same_answer_on_a_cluster(cluster: Cluster) -> None:
    corpus = dt.example_corpus()

    def compared(**where: Any) -> dict[str, Any]:
        found = dt.compare(corpus, "bleu", baseline="baseline", rng=1, **where)
        return found.to_dict()

    def planned(**where: Any) -> dict[str, Any]:
        scenario = dt.scenarios.Accuracy(agreement=0.9)
        return dt.power(
            scenario, n_items=300, effect=0.05, simulate=True, n_trials=4096, rng=1, **where
        ).to_dict()

    assert compared() == compared(executor=cluster) == compared(n_jobs=2)
    assert planned() == planned(executor=cluster)


def test_it_is_an_executor_as_any_other(cluster: Cluster) -> None:
    assert cluster.submit(os.getpid).result() != os.getpid()
    assert list(cluster.map(pow, [2, 3], [4, 2])) == [16, 9]


def test_progress_counts_blocks(cluster: Cluster) -> None:
    seen: list[int] = []
    run_blocks(
        _draw, 1.0, _work(), executor=cluster, progress=lambda _, done, __: seen.append(done)
    )
    assert seen == list(range(21))


class _Counted:
    """Data that note in a folder each time that a process receives them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.values = np.arange(1000.0)

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "values": self.values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        name = f"{os.getpid()}-{time.monotonic_ns()}"
        (Path(self.folder) / name).touch()


def _where(payload: _Counted, block: Block) -> int:
    time.sleep(0.05)  # so that no worker does all of it
    return os.getpid() if payload.values.size == 1000 and block.rows else 0


def test_shared_data_are_sent_to_each_worker_once(cluster: Cluster, tmp_path: Path) -> None:
    found = run_blocks(_where, _Counted(str(tmp_path)), _work(), executor=cluster)
    received = Counter(int(path.name.split("-")[0]) for path in tmp_path.iterdir())
    assert len(set(found)) == 2
    assert os.getpid() not in found
    assert {worker: received[worker] for worker in set(found)} == dict.fromkeys(found, 1)
    assert sum(received.values()) <= 3  # of 20 blocks; the third is the scheduler, if any


def _threads(_: None, block: Block) -> set[int]:
    np.ones((99, 99)) @ np.ones((99, 99))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def _two_threads() -> None:
    threadpool_limits(limits=2)


def test_linear_algebra_runs_on_one_thread(cluster: Cluster) -> None:
    for worker in cluster._client.nthreads():  # Dask starts them with one by itself
        cluster._client.submit(_two_threads, workers=[worker], pure=False).result()
    assert set().union(*run_blocks(_threads, None, _work(), executor=cluster)) <= {1}


def test_what_a_cluster_finished_is_kept(cluster: Cluster, tmp_path: Path) -> None:
    path = tmp_path / "blocks"
    with checkpoint(path) as kept:
        found = run_blocks(_draw, 0.1, _work(), executor=cluster)
    assert (kept.done, kept.taken) == (20, 0)
    with checkpoint(path) as kept:
        assert run_blocks(_draw, 0.1, _work()) == found
    assert (kept.done, kept.taken) == (0, 20)


def _fail(error: Exception, block: Block) -> int:
    raise error


@pytest.mark.parametrize("error", [InputError("block"), OSError("disk"), ValueError("bug")])
def test_an_error_of_the_task_is_the_tasks_own(cluster: Cluster, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        run_blocks(_fail, error, _work(), executor=cluster)
    assert run_blocks(_draw, 1.0, _work(4), executor=cluster) == run_blocks(
        _draw, 1.0, _work(4)
    )


# Workers that are killed


def _die_once(payload: tuple[str, float], block: Block) -> list[float]:
    """Draw half of the block, and be killed at the first try of the block of one row."""
    folder, scale = payload
    first = scale * block.rng.normal()
    mark = Path(folder) / "died"
    if block.rows == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return [first, *(scale * block.rng.normal(size=block.rows))]


def _unlucky() -> list[Block]:
    """Return blocks of which the sixth kills who does it."""
    made = [
        Block(2 - (i == 5), rng) for i, rng in enumerate(np.random.default_rng(4).spawn(20))
    ]
    assert [block.rows for block in made].count(1) == 1
    return made


def test_a_worker_that_is_killed_costs_nothing_but_time(
    cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "dead").mkdir()
    (tmp_path / "dead" / "died").touch()
    here = run_blocks(_die_once, (str(tmp_path / "dead"), 0.3), _unlucky())
    assert run_blocks(_die_once, (str(tmp_path), 0.3), _unlucky(), executor=cluster) == here
    assert (tmp_path / "died").exists()


@pytest.mark.slow  # a cluster of its own
def test_the_only_worker_may_be_killed_with_all_that_was_sent(tmp_path: Path) -> None:
    (tmp_path / "died").touch()
    here = run_blocks(_die_once, (str(tmp_path), 0.3), _unlucky())
    (tmp_path / "died").unlink()
    with scheduler("local:1") as alone:
        assert run_blocks(_die_once, (str(tmp_path), 0.3), _unlucky(), executor=alone) == here
    assert (tmp_path / "died").exists()


def _die(_: None, block: Block) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return block.rows


def test_a_block_that_kills_every_worker_is_given_up() -> None:
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        scheduler("local:2") as lost,
        pytest.raises(WorkerError, match=r"(?s)^workers of the cluster were .* their logs\.$"),
    ):
        run_blocks(_die, None, _work(2, 2), executor=lost)


# Clusters that are not there, or are others


def test_workers_with_another_version_are_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = versions()
    monkeypatch.setattr("detectable.core.scheduler.VERSION", "0.0.1")
    with pytest.raises(
        WorkerError, match=rf"must have detectable 0\.0\.1 .*tcp://.* has {there}\. Install"
    ):
        cluster.check_versions()
    with pytest.raises(WorkerError, match=rf"one that came later has {there}\. Install"):
        run_blocks(_draw, 1.0, _work(), executor=cluster)


def test_workers_without_this_package_are_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THIS_IS", "the client")  # the workers started before that
    monkeypatch.setattr("detectable.core.scheduler.versions", _broken)
    with pytest.raises(
        WorkerError, match=r"tcp://.* says: No module named 'detectable'\. Inst"
    ):
        cluster.check_versions()


def _broken() -> str:
    if "THIS_IS" not in os.environ:
        raise ModuleNotFoundError("No module named 'detectable'")
    return "detectable 1"


def test_a_scheduler_that_does_not_answer_is_said() -> None:
    with (
        pytest.raises(WorkerError, match=r"^tcp://127\.0\.0\.1:9 cannot be reached: [^\n]+\.$"),
        scheduler("tcp://127.0.0.1:9", patience=0.3),
    ):
        pass


def test_a_cluster_without_workers_is_said() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(WorkerError, match=r"the scheduler cannot be reached: Only 0/1 workers"),
        scheduler(empty.scheduler_address, patience=0.3),
    ):
        pass


def _sleep(_: None, block: Block) -> int:
    time.sleep(0.5)
    return block.rows


def test_a_cluster_that_goes_away_is_said() -> None:
    distributed = pytest.importorskip("distributed")
    local = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=60
    )
    with scheduler(local.scheduler_address, patience=2.0) as going:
        timer = threading.Timer(1.5, local.close)
        timer.start()
        with pytest.raises(WorkerError, match=r"^[^\n]+\.$"):
            run_blocks(_sleep, None, _work(200, 2), executor=going)
        timer.join()


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingExtraError, match=r"pip install 'detectable\[cluster\]'"),
        scheduler("local:2"),
    ):
        pass


@pytest.mark.parametrize("address", ["", "10.0.0.1", "local", "local:", "local:x", "tcp://"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with (
        pytest.raises(InputError, match=r"`scheduler` must be an address such as tcp://"),
        scheduler(address),
    ):
        pass


def test_some_workers_are_needed() -> None:
    with (
        pytest.raises(InputError, match=r"`scheduler` must be a whole number ≥ 1; got 0"),
        scheduler("local:0"),
    ):
        pass
