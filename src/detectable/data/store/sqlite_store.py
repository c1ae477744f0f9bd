"""Campaigns in one SQLite file: nothing to install, one writer at a time."""

import contextlib
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from detectable.core.errors import DataError
from detectable.core.write import refuse_existing
from detectable.data.store.admissions import WorkEpoch
from detectable.data.store.sql import migrate, newest
from detectable.data.store.store import Store

_OLDEST = (3, 35)  # UPDATE … RETURNING
_WAIT = 30.0  # seconds for another process to finish its transaction


class SqliteStore(Store):
    """A store in a file.

    With a write-ahead log and ``synchronous=FULL`` a transaction is on the disk when COMMIT has
    returned, and a process that is killed leaves the last one that was: SQLite takes back by
    itself what was begun.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.where = str(path)
        if sqlite3.sqlite_version_info < _OLDEST:
            raise DataError(
                f"SQLite {sqlite3.sqlite_version} is too old: campaigns need "
                f"{'.'.join(map(str, _OLDEST))} or newer. Use a newer Python, or PostgreSQL."
            )
        with self._named():
            self._connection = sqlite3.connect(
                path, isolation_level=None, timeout=_WAIT, check_same_thread=False
            )
            for setting in (
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                "secure_delete = ON",  # what is deleted is overwritten
            ):
                self._connection.execute(f"PRAGMA {setting}")
        self._migrate()

    def _migrate(self) -> None:
        if self._version() == newest():
            return
        with self.transaction():  # another process may have been faster
            migrate(self.run, self._version(), self.where)

    def _version(self) -> int:
        known = self.one("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'")
        if known is None:
            return 0
        return int(self.one("SELECT MAX(version) FROM schema_version")[0] or 0)

    def _execute(self, sql: str, args: Iterable[Any]) -> Any:
        with self._named():
            return self._connection.execute(sql, tuple(args))

    @contextlib.contextmanager
    def _begin(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE", ())
        try:
            yield
        except BaseException:
            # A full disk may have taken it back already.
            if self._connection.in_transaction:
                self._execute("ROLLBACK", ())
            raise
        try:
            self._execute("COMMIT", ())
        except BaseException:
            if self._connection.in_transaction:
                self._execute("ROLLBACK", ())
            raise

    def alone(self) -> None:
        """Do nothing: a transaction that can write is alone from its beginning."""

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Say what is wrong with the file in one sentence."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise DataError(f"{self.where}: {error}. Nothing was changed.") from error
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError):
                raise
            raise DataError(f"{self.where} is no store of campaigns: {error}.") from error

    def erase(
        self,
        campaign: str,
        code: str,
        seen: Collection[WorkEpoch],
        detail: Mapping[str, Any],
        now: float | None = None,
    ) -> int:
        """Delete the judgments of a rater, in the log of the database too; see `Withdrawals`."""
        n = super().erase(campaign, code, seen, detail, now)
        with contextlib.suppress(DataError):  # others read: it is done when they have finished
            self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return n

    def backup(self, path: Path) -> None:
        """Write a copy that is whole, while others go on writing."""
        refuse_existing(path, remedy="Choose another name.")
        self.run("VACUUM INTO ?", str(path))

    def close(self) -> None:
        """Put everything into the one file, and let go of it."""
        with contextlib.suppress(DataError):
            self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
