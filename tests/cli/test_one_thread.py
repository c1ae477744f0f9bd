"""One thread of linear algebra, and only where nobody chose otherwise."""

import os
import subprocess
import sys
import types

import pytest

from detectable.cli.one_thread import one_blas_thread

NAMES = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Leave no variable set, and numpy not yet loaded."""
    for name in (*NAMES, "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "0")  # so that the end of the test restores what there was
        monkeypatch.delenv(name)
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    return monkeypatch


def chosen() -> dict[str, str]:
    return {name: os.environ[name] for name in NAMES if name in os.environ}


def test_every_build_is_told(untouched: pytest.MonkeyPatch) -> None:
    one_blas_thread()
    assert chosen() == dict.fromkeys(NAMES, "1")


def test_what_the_user_chose_stays(untouched: pytest.MonkeyPatch) -> None:
    untouched.setenv("OPENBLAS_NUM_THREADS", "7")
    one_blas_thread()
    assert chosen() == {**dict.fromkeys(NAMES, "1"), "OPENBLAS_NUM_THREADS": "7"}


def test_who_chose_for_all_is_left_alone(untouched: pytest.MonkeyPatch) -> None:
    untouched.setenv("OMP_NUM_THREADS", "3")
    one_blas_thread()
    assert chosen() == {}


def test_nothing_is_set_once_numpy_is_there(untouched: pytest.MonkeyPatch) -> None:
    untouched.setitem(sys.modules, "numpy", types.ModuleType("numpy"))
    one_blas_thread()
    assert chosen() == {}


LIBRARY = """
import os, sys
import detectable as dt
dt.power(dt.scenarios.RankSum(), n_items=100, effect=0.4)
sys.exit(any(name.endswith("_THREADS") for name in os.environ))
"""


def test_the_library_sets_nothing() -> None:
    plain = {name: text for name, text in os.environ.items() if not name.endswith("_THREADS")}
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
    plain = {name: text for name, text in os.environ.items() if not name.endswith("_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], capture_output=True, text=True, check=False, env=plain
    )
    assert done.returncode == 0, done.stderr
