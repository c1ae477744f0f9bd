"""Campaigns in PostgreSQL, for many raters and several servers."""

import contextlib
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from detectable.core.errors import DataError, MissingExtraError
from detectable.core.write import refuse_existing
from detectable.data.store.sql import migrate, newest
from detectable.data.store.store import Store

_LOCK = 7461  # an advisory lock of ours: set-up and new campaigns, one at a time


class PostgresStore(Store):
    """A store in a database server.

    READ COMMITTED is enough: every call holds the row of its rater first, work is claimed by
    ``UPDATE … RETURNING`` over rows that no other transaction holds, and rows are always held in
    the order rater, work, page, status.

    A server that was restarted is asked for a new connection by the next call; the call that found
    the old one dead has changed nothing, and may be tried again.
    """

    placeholder = "%s"
    skip_locked = " FOR UPDATE SKIP LOCKED"
    lock_row = " FOR UPDATE"

    def __init__(self, address: str) -> None:
        super().__init__()
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError(
                "PostgreSQL needs psycopg: pip install 'detectable[postgres]'."
            ) from error
        self._errors = psycopg
        self.where = without_password(address)
        self._address = address
        self._within = False  # of a transaction, which goes with its connection
        with self._named():
            self._connection: Any = psycopg.connect(address, autocommit=True)
        self._migrate()

    def _connect_again(self) -> None:
        if self._connection.closed and not self._within:
            self._connection = self._errors.connect(self._address, autocommit=True)

    def _migrate(self) -> None:
        # Never on a live schema: creating an index there can deadlock with those who save.
        if self._version() == newest():
            return
        with self.transaction():
            self.alone()
            migrate(self.run, self._version(), self.where)

    def _version(self) -> int:
        if self.one("SELECT to_regclass('schema_version')")[0] is None:
            return 0
        return int(self.one("SELECT MAX(version) FROM schema_version")[0] or 0)

    def _execute(self, sql: str, args: Iterable[Any]) -> Any:
        with self._named():
            self._connect_again()
            return self._connection.execute(sql, tuple(args))

    @contextlib.contextmanager
    def _begin(self) -> Iterator[None]:
        with self._named():
            self._connect_again()
            with self._connection.transaction():
                self._within = True
                try:
                    yield
                finally:
                    self._within = False

    def alone(self) -> None:
        """Wait for the advisory lock, which goes with the transaction."""
        self.run("SELECT pg_advisory_xact_lock(?)", _LOCK)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Say what is wrong with the server in one sentence."""
        try:
            yield
        except self._errors.IntegrityError:
            raise
        except self._errors.Error as error:
            said = " ".join(str(error).split()) or type(error).__name__
            raise DataError(f"{self.where}: {said}. Nothing was changed.") from error

    def backup(self, path: Path) -> None:
        """Write a dump that is whole, by PostgreSQL's own tool."""
        refuse_existing(path, remedy="Choose another name.")
        try:
            done = subprocess.run(
                ["pg_dump", "--dbname", self._address, "--file", str(path)],
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise MissingExtraError(
                "a backup of PostgreSQL needs its pg_dump, which is not installed here."
            ) from error
        if done.returncode:
            said = " ".join(done.stderr.split())
            raise DataError(f"{self.where}: pg_dump failed: {said}")

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def without_password(address: str) -> str:
    """Return an address that may be shown.

    Examples
    --------
    >>> without_password("postgresql://me:secret@localhost:5432/db")
    'postgresql://me@localhost:5432/db'
    """
    parts = urlsplit(address)
    if parts.password is None:
        return address
    plain = f"{parts.username}@{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    return urlunsplit((parts.scheme, plain, parts.path, "", ""))
