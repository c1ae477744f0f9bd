"""Campaigns in one SQLite file: nothing to install, one writer at a time."""

import contextlib
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from detectable.core.errors import DataError
from detectable.core.write import refuse_existing
from detectable.data.store.records import WorkEpoch
from detectable.data.store.sql import BLOCK, COUNTED, check_schema, migrate, newest
from detectable.data.store.store import Store

_OLDEST = (3, 35)  # UPDATE … RETURNING
_OURS = {"schema_version", "campaign", "judgment"}  # tables that every store has
_MEMORY = ":memory:"
_WAIT = 30.0  # seconds for another process to finish its transaction


class SqliteStore(Store):
    """A store in a file.

    With a write-ahead log and ``synchronous=FULL`` a transaction is on the disk when COMMIT has
    returned, and a process that is killed leaves the last one that was: SQLite takes back by
    itself what was begun.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        super().__init__()
        self.where = str(path)
        self._read_only = read_only
        if sqlite3.sqlite_version_info < _OLDEST:
            raise DataError(
                f"SQLite {sqlite3.sqlite_version} is too old: campaigns need "
                f"{'.'.join(map(str, _OLDEST))} or newer. Use a newer Python, or PostgreSQL."
            )
        if str(path) != _MEMORY:
            self._refuse_strangers(path)
        with self._named():
            self._connection = self._connect(path, writes=not read_only)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        if self._read_only:
            check_schema(self._version(), self.where)
            self.counts_kept = self._version() >= COUNTED
            return
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",  # what is deleted is overwritten
        ):
            self.run(f"PRAGMA {setting}")
        self._migrate()

    def _connect(
        self, path: Path, *, writes: bool = True, alone: bool = False
    ) -> sqlite3.Connection:
        place: str | Path = path
        if not writes:
            # Also a reader makes files beside one with a write-ahead log, unless nobody changes it.
            place = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' * alone}"
        return sqlite3.connect(
            place,
            isolation_level=None,
            timeout=_WAIT,
            check_same_thread=False,
            uri=not writes,
        )

    def _refuse_strangers(self, path: Path) -> None:
        """Refuse a database of somebody else before anything is written; make a new file private."""
        if not path.exists():
            with contextlib.suppress(OSError):  # what is wrong with it, SQLite says
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            return
        if not path.is_file() or not path.stat().st_size:
            return
        alone = not path.with_name(f"{path.name}-wal").exists()
        with (
            self._named(),
            contextlib.closing(self._connect(path, writes=False, alone=alone)) as found,
        ):
            tables = {name for (name,) in found.execute("SELECT name FROM sqlite_master")}
        if tables and not tables >= _OURS:
            raise DataError(
                f"{path} is a database, but no store of campaigns. Nothing was changed. "
                "Name another file."
            )

    def _migrate(self) -> None:
        if self._version() == newest():
            return
        with self.transaction():  # another process may have been faster
            before = self._version()
            migrate(self.run, before, self.where)
            self.count_after(before)

    def _version(self) -> int:
        known = self.one("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'")
        if known is None:
            return 0
        return int(self.one("SELECT MAX(version) FROM schema_version")[0] or 0)

    def _execute(self, sql: str, args: Iterable[Any]) -> Any:
        with self._named():
            return self._connection.execute(sql, tuple(args))

    @contextlib.contextmanager
    def _begin(self, *, reads: bool = False) -> Iterator[None]:
        self._execute("BEGIN" if self._read_only or reads else "BEGIN IMMEDIATE", ())
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

    def each(self, sql: str, *args: Any) -> Iterator[Any]:
        """Give all rows, block by block."""
        with contextlib.closing(self.run(sql, *args)) as cursor:
            while True:
                with self._named():
                    block = cursor.fetchmany(BLOCK)
                if not block:
                    return
                yield from block

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
        if not self._read_only:
            with contextlib.suppress(DataError):
                # Who still reads, an export perhaps, is not waited for: the log stays beside the file.
                self.run("PRAGMA busy_timeout = 100")
                self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()
