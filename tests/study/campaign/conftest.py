"""Campaigns in a file and on a PostgreSQL server, for what is kept in both."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from detectable.data.store.open_store import AnyStore, open_store
from tests.data.store import databases


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with databases.server() as running:
        yield running.address


# The tests of stores ask both of them the same every time; whole campaigns on a server are slow.
@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyStore]:
    """Return an empty store, in a file and on a server."""
    address: str | Path = tmp_path / "c.sqlite"
    if request.param == "postgres":
        address = databases.empty(request.getfixturevalue("postgres"))
    made = open_store(address, new=True)
    yield made
    made.close()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[AnyStore]:
    made = open_store(tmp_path / "c.sqlite", new=True)
    yield made
    made.close()
