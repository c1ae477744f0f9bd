"""Stores to test with: a file, and PostgreSQL where its server is installed."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from detectable.data.store.open_store import AnyStore, open_store
from detectable.data.store.records import NewCampaign, NewPage, Part, Segment
from tests.helpers import require

SYSTEMS = ("new", "old")


def initdb() -> str | None:
    """Return where PostgreSQL's initdb is, which Debian keeps out of the way."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found or (str(places[-1]) if places else None)


def require_postgres() -> str:
    """Return initdb, or skip; where the machine is meant to have it, fail."""
    found = initdb()
    if found is None:
        require("postgres", "PostgreSQL's server is not installed")
    pytest.importorskip("psycopg")
    return str(found)


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Start a server of our own, which goes with the test, and give its address."""
    tools = Path(require_postgres()).parent
    folder = Path(tempfile.mkdtemp(prefix="detectable-pg-", dir="/tmp"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    before: list[str] = []
    if os.geteuid() == 0:  # the server refuses root
        pwd.getpwnam("postgres")
        shutil.chown(folder, "postgres", "postgres")
        before = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"
    run = [*before, str(tools / "initdb"), "-D", str(data), "-A", "trust", "-U", "dt", "-N"]
    subprocess.run(run, check=True, capture_output=True, cwd="/")
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c shared_buffers=16MB"
    control = [*before, str(tools / "pg_ctl"), "-D", str(data), "-w"]
    log = ["-l", str(folder / "log")]
    subprocess.run(
        [*control, "-o", options, *log, "start"], check=True, capture_output=True, cwd="/"
    )
    try:
        yield f"postgresql://dt@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], capture_output=True, cwd="/")
        shutil.rmtree(folder, ignore_errors=True)


def empty(address: str) -> str:
    """Return the address of a new database on the server."""
    import psycopg

    name = f"t{os.urandom(6).hex()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return address.rsplit("/", 1)[0] + f"/{name}"


def small(
    n: int = 6, *, overlap: int = 0, lease: float = 100.0, block: int = 2, lines: int = 1
) -> NewCampaign:
    """Return a campaign of n documents, the first `overlap` of which come twice."""
    parts = [
        Part(
            name=f"d{i}",
            document=f"d{i}",
            segments=tuple(
                Segment(
                    item=f"{i}.{j}",
                    source=f"source {i} {j}",
                    reference=f"reference {i} {j}",
                    outputs={name: f"{name} {i} {j}" for name in SYSTEMS},
                )
                for j in range(lines)
            ),
        )
        for i in range(n)
    ]
    works = [(part.name, 1) for part in parts] + [(f"d{i}", 2) for i in range(overlap)]
    return NewCampaign(
        name="c",
        settings={},
        systems=SYSTEMS,
        parts=parts,
        works=works,
        block=block,
        lease=lease,
        seed=1,
    )


def plain(
    _rater: str, _block: int, parts: Sequence[str], needed: Sequence[str]
) -> list[NewPage]:
    """Arrange a block without controls."""
    return [NewPage(part=part, system=name, kind="system") for name in needed for part in parts]


_OPEN: list[AnyStore] = []


def stored(address: str | Path, *, new: bool = False) -> AnyStore:
    """Open a store, which is closed when the test ends."""
    store = open_store(address, new=new)
    _OPEN.append(store)
    return store


def close_all() -> None:
    """Close what the test has opened."""
    while _OPEN:
        _OPEN.pop().close()


def opened(address: str | Path, new: NewCampaign) -> AnyStore:
    """Return a store with one campaign that is open."""
    store = stored(address, new=True)
    store.create(new)
    store.turn("c", "open")
    return store
