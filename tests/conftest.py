"""Settings that hold for all tests."""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

# Two workers on two cores: threads of linear algebra would wait for each other, which takes longer
# than their work. Said before numpy is loaded, and inherited by every process that a test starts.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from detectable.data.files import parquet, table_scan
from detectable.data.files.place import FilePath
from detectable.data.store.sqlite_store import SqliteStore
from detectable.kernels.word_matches import is_native
from detectable.report.render import drawing

# No test asserts a time: machines are noisy, and a first call may compile. A quarter of the usual
# examples do for every change; `make test-slow` asks for all of them (--hypothesis-profile). On CI
# they are the same every time, so that a change is judged by what it changes; elsewhere fresh.
settings.register_profile("quick", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.register_profile("ci", parent=settings.get_profile("quick"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update``."""
    parser.addoption("--update", action="store_true", help="Write what is frozen anew.")


def pytest_configure(config: pytest.Config) -> None:
    """Take a warning of slow ways for what it is where there is no compiler."""
    if not is_native():
        config.addinivalue_line("filterwarnings", "ignore::detectable.core.errors.SlowWarning")


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Write without waiting for the disk: a file need not outlive a power cut during its test.

    Processes that tests start, and kill, wait as those of users do.
    """
    prepare = SqliteStore._prepare

    def prepared(store: SqliteStore) -> None:
        prepare(store)
        if not store._read_only:
            store.run("PRAGMA synchronous = OFF")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteStore, "_prepare", prepared)
        patch.setattr(os, "fsync", lambda file: None)  # noqa: ARG005
        yield


@pytest.fixture(scope="session", autouse=True)
def _each_picture_is_drawn_once() -> Iterator[None]:
    """Draw a picture once, however many tests look at the same one: drawing is dear."""
    drawings: dict[bytes, tuple[bytes, bytes]] = {}
    ask = drawing._Child.ask

    @wraps(ask)
    def asked(child: drawing._Child, request: bytes) -> tuple[bytes, bytes]:
        if request not in drawings:
            found = ask(child, request)
            if found[0] != b"o":
                return found
            drawings[request] = found
        return drawings[request]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing._Child, "ask", asked)
        yield


@pytest.fixture
def sound_parquet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare whole Parquet files that a test wrote itself a process each that reads them first."""
    import polars as pl

    whole, trial, describe = parquet.PARQUET, parquet._trial, parquet.described_parquet

    def tried(data: bytes, most: int) -> int | str:
        return 0 if data.endswith(whole) else trial(data, most)

    def described(path: FilePath) -> int:
        try:
            return int(
                pl.scan_parquet(os.fspath(path), glob=False).select(pl.len()).collect().item()
            )
        except pl.exceptions.PolarsError:
            return describe(path)

    monkeypatch.setattr(parquet, "_tried", {})
    monkeypatch.setattr(parquet, "_trial", tried)
    monkeypatch.setattr(table_scan, "described_parquet", described)


@pytest.fixture
def freeze(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Return what compares a text with the file that keeps it; ``--update`` writes the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        # Lists of lines, because pytest shows where two of them differ.
        assert text.splitlines() == kept.splitlines(), f"{path.name} (pytest --update)"

    return compare
