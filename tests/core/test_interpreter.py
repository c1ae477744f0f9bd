"""The garbage collector rests while many objects are made, and is as it was afterwards."""

import gc
import os
import subprocess
import sys
import types

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from detectable.core.interpreter import (
    many_objects,
    one_thread,
    start_with_one_thread,
    uncollected,
)


def test_it_rests_inside_and_runs_again_afterwards() -> None:
    assert gc.isenabled()
    with many_objects():
        assert not gc.isenabled()
        with many_objects():
            pass
        assert not gc.isenabled()  # whoever is outside decides
    assert gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="it"), many_objects():
        raise ValueError("it")
    assert gc.isenabled()


# --- One thread of linear algebra ---

NAMES = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
CHOSEN = "DETECTABLE_ONE_THREAD"


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Leave no variable set, and numpy not yet loaded."""
    for name in (*NAMES, CHOSEN):
        monkeypatch.setenv(name, "0")  # so that the end of the test restores what there was
        monkeypatch.delenv(name)
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    return monkeypatch


def chosen() -> dict[str, str]:
    return {name: os.environ[name] for name in NAMES if name in os.environ}


def test_every_build_is_told(untouched: pytest.MonkeyPatch) -> None:
    start_with_one_thread()
    assert chosen() == dict.fromkeys(NAMES, "1")
    assert os.environ[CHOSEN] == "1"


@pytest.mark.parametrize("name", NAMES)
def test_a_number_of_threads_that_was_set_does_not_change_the_answer(
    untouched: pytest.MonkeyPatch, name: str
) -> None:
    untouched.setenv(name, "4")
    start_with_one_thread()
    assert chosen() == dict.fromkeys(NAMES, "1")
    assert os.environ[CHOSEN] == "1"


def test_nothing_is_set_once_numpy_is_there(untouched: pytest.MonkeyPatch) -> None:
    untouched.setitem(sys.modules, "numpy", types.ModuleType("numpy"))
    start_with_one_thread()
    assert chosen() == {}
    assert CHOSEN not in os.environ


def blas_threads() -> set[int]:
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {pool["num_threads"] for pool in pools}


def test_a_block_is_held_to_one_thread_where_there_may_be_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(CHOSEN, raising=False)
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(limits=2):
        with one_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_where_there_is_one_thread_nobody_looks_at_the_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(CHOSEN, "1")
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)  # its import would fail
    with one_thread():
        pass


LIBRARY = """
import os, sys
import detectable as dt
dt.power(dt.scenarios.RankSum(), n_items=100, effect=0.4)
sys.exit(any("_THREAD" in name for name in os.environ))
"""


def test_the_library_sets_nothing() -> None:
    plain = {name: text for name, text in os.environ.items() if "_THREAD" not in name}
    subprocess.run([sys.executable, "-c", LIBRARY], check=True, env=plain)


COMMAND = """
import sys
from detectable.cli import main
try:
    main(["mde", "bleu", "--n", "2000"])
except SystemExit:
    pass
from threadpoolctl import threadpool_info
threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
print(threads, file=sys.stderr)
sys.exit(threads != {1})
"""


def test_a_command_runs_with_one_thread() -> None:
    plain = {name: text for name, text in os.environ.items() if "_THREAD" not in name}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], capture_output=True, text=True, check=False, env=plain
    )
    assert done.returncode == 0, done.stderr


# --- The search for cycles is paused, and goes on as it was ---


def test_it_goes_on_afterwards_also_after_an_error() -> None:
    assert gc.isenabled()
    with uncollected():
        assert not gc.isenabled()
    with pytest.raises(ValueError, match="no"), uncollected():
        raise ValueError("no")
    assert gc.isenabled()


def test_what_was_paused_stays_so() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
