"""One PostgreSQL server for all tests of stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.store import databases


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with databases.server() as running:
        yield running.address


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty store, in a file and on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "c.sqlite")
    server: str = request.getfixturevalue("postgres")
    return databases.empty(server)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    databases.close_all()
