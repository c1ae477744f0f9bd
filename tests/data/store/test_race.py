"""Many processes on one store, and processes that are killed while they save."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from detectable.core.errors import DataError
from detectable.data.store.store import Store
from tests.data.store import rater_process
from tests.data.store.databases import close_all, empty, opened, server, small, stored

ROOT = Path(__file__).parents[3]


def start(address: str, rater: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", rater_process.__name__, address, rater],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
    )


def check_whole(store: Store, acknowledged: list[str]) -> None:
    """What was acknowledged is there, nothing is torn, and the counters are right."""
    rows = store.rows("c")
    tokens = Counter(row[0] for row in store.all("SELECT page FROM judgment"))
    assert set(acknowledged) <= set(tokens)
    assert set(tokens.values()) == {2}  # both lines of a page, or none
    done = {row[0] for row in store.all("SELECT token FROM page WHERE done = 1")}
    assert done == set(tokens)
    counts = store.status("c")
    assert counts["pages"] == len(tokens)
    assert counts["judgments"] == len(rows)
    finished = store.one("SELECT COUNT(*) FROM work WHERE state = 'done'")[0]
    assert counts["works_done"] == finished
    given = store.all("SELECT rater, work, system, COUNT(*) FROM page GROUP BY 1, 2, 3")
    assert {row[3] for row in given} <= {1}
    seen = store.all(
        "SELECT p.rater, w.part FROM page p JOIN work w ON w.id = p.work "
        "GROUP BY p.rater, w.part, w.wave"
    )
    assert len(seen) == len(set(map(tuple, seen)))  # nobody sees a document in two waves


def race(address: str, n_documents: int, n_raters: int) -> None:
    store = opened(
        address, small(n_documents, overlap=n_documents // 10, block=4, lease=3600, lines=2)
    )
    raters = [f"c/{link.code}" for link in store.add_raters("c", n_raters)]
    processes = [start(address, rater) for rater in raters]
    said = [
        line.split() for p in processes for line in p.communicate(timeout=300)[0].splitlines()
    ]
    pages = [line for line in said if line]
    assert all(line[3] == "saved" for line in pages)
    assert len({line[0] for line in pages}) == len(pages)
    check_whole(store, [line[0] for line in pages])
    works = n_documents + n_documents // 10
    assert len(pages) == 2 * works
    assert store.status("c")["works_done"] == works
    each = Counter((line[1], line[2]) for line in pages)
    assert Counter(each.values()) == {
        1: 2 * (n_documents - n_documents // 10),
        2: 2 * (n_documents // 10),
    }


def test_processes_share_the_work_out(address: str) -> None:
    race(address, 40, 4)


@pytest.mark.slow
def test_eight_processes_and_four_hundred_documents(address: str) -> None:
    race(address, 400, 8)


def kill_savers(address: str, times: int) -> None:
    rng = random.Random(7)
    store = opened(address, small(2000 + 40 * times, block=2, lease=3600, lines=2))
    acknowledged: list[str] = []
    for _ in range(times):
        (link,) = store.add_raters("c", 1)
        process = start(address, f"c/{link.code}")
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=60)
        lines = out.split("\n")[:-1]  # a line without its end was not read by anybody
        acknowledged += [line.split()[0] for line in (first, *lines)]
    assert acknowledged
    check_whole(store, acknowledged)


def test_a_killed_process_loses_nothing_that_it_was_told(address: str) -> None:
    kill_savers(address, 4)


@pytest.mark.slow
def test_a_thousand_kills(tmp_path: Path) -> None:
    kill_savers(str(tmp_path / "c.sqlite"), 1000)


def kill_servers(times: int) -> None:
    """Kill the database itself, with all its processes, while somebody saves."""
    rng = random.Random(8)
    with server() as running:
        address = empty(running.address)
        store = opened(address, small(200 + 40 * times, block=2, lease=3600, lines=2))
        links = store.add_raters("c", times)
        acknowledged: list[str] = []
        for link in links:
            process = start(address, f"c/{link.code}")
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.1))
            running.kill()
            out, _ = process.communicate(timeout=60)
            assert process.returncode != 0  # it was told that nothing was saved
            acknowledged += [line.split()[0] for line in (first, *out.splitlines())]
            running.start()
        with pytest.raises(DataError, match="Nothing was changed"):
            store.status("c")  # finds its connection dead, and the next call has another
        assert len(acknowledged) >= times
        check_whole(store, acknowledged)
        fresh = stored(address)
        check_whole(fresh, acknowledged)
        close_all()


@pytest.mark.slow
def test_a_killed_database_loses_nothing_that_was_acknowledged() -> None:
    kill_servers(3)


@pytest.mark.slow
def test_two_hundred_kills_of_the_database() -> None:
    kill_servers(200)
