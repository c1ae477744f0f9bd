"""Stores to test with: a file, and PostgreSQL where its server is installed."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
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


class Server:
    """A PostgreSQL server of our own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        tools = Path(require_postgres()).parent
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._as: list[str] = []
        if os.geteuid() == 0:  # the server refuses root
            pwd.getpwnam("postgres")
            shutil.chown(folder, "postgres", "postgres")
            self._as = ["runuser", "-u", "postgres", "--"]
        self._data = folder / "data"
        self._options = (
            f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c shared_buffers=16MB"
        )
        self._control = [str(tools / "pg_ctl"), "-D", str(self._data), "-w"]
        self.address = f"postgresql://dt@127.0.0.1:{port}/postgres"
        self._run(str(tools / "initdb"), "-D", str(self._data), "-A", "trust", "-U", "dt", "-N")

    def _run(self, *command: str, check: bool = True) -> None:
        subprocess.run([*self._as, *command], check=check, capture_output=True, cwd="/")

    def start(self) -> None:
        """Start it, after a crash with all that recovery does."""
        log = ["-l", str(self._folder / "log")]
        try:
            self._run(*self._control, "-o", self._options, *log, "start")
        except subprocess.CalledProcessError as error:
            raise AssertionError((self._folder / "log").read_text()[-2000:]) from error

    def stop(self) -> None:
        self._run(*self._control, "-m", "immediate", "stop", check=False)

    def kill(self) -> None:
        """Kill the server and all its processes at once, and wait until they are gone."""
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # it starts no others meanwhile
        family = [first, *_children(first)]
        for process in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until = time.monotonic() + 20.0
        while any(_alive(process) for process in family):
            assert time.monotonic() < until
            time.sleep(0.01)
        # Where nobody waits for dead processes, its number would still look alive.
        for lock in (self._data / "postmaster.pid", *self._folder.glob(".s.PGSQL.*.lock")):
            lock.unlink(missing_ok=True)


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name is in brackets, and may hold anything; the parent is the second after it.
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


def _alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"  # a dead one that nobody has waited for


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Start a server of our own, which goes with the test."""
    folder = Path(tempfile.mkdtemp(prefix="detectable-pg-", dir="/tmp"))
    try:
        made = Server(folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
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
