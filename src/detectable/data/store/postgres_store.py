"""Campaigns in PostgreSQL, for many raters and several servers."""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from detectable.core.errors import DataError, MissingExtraError
from detectable.core.write import refuse_existing
from detectable.data.store.sql import BLOCK, COUNTED, check_schema, migrate, newest
from detectable.data.store.store import Store

_SECRET = frozenset({"password", "sslpassword", "passfile"})  # of the query of an address
# As PostgreSQL's own library takes it apart; urllib ends a password at “#”, and it does not.
_ONE_HOST = r"(?:\[[^\]]*\]|[^:,@/?\[\]]*)(?::\d*)?"
_ADDRESS = re.compile(
    r"(?P<scheme>postgres(?:ql)?)://(?:(?P<user>[^:@/]*)(?::(?P<password>[^@/]*))?@)?"
    rf"(?P<where>{_ONE_HOST}(?:,{_ONE_HOST})*(?:/[^@?]*)?)(?:\?(?P<query>[^=&]+=.*))?",
    re.DOTALL,
)
_ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
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
    lock_row = " FOR NO KEY UPDATE"  # rows that name a rater may be added meanwhile

    def __init__(
        self, address: str, *, new: bool = True, read_only: bool = False, empty: bool = False
    ) -> None:
        super().__init__()
        try:
            import psycopg
        except ImportError as error:
            raise MissingExtraError(
                "PostgreSQL needs psycopg: pip install 'detectable[postgres]'."
            ) from error
        if _ADDRESS.fullmatch(address) is None:
            raise DataError(
                "the address of the database cannot be read, and is not shown, since it may hold a "
                "password. Write postgresql://USER:PASSWORD@HOST:PORT/NAME, and within names and "
                "passwords %2F for /, %40 for @, %3A for : and %25 for %."
            )
        self._errors = psycopg
        self.where = without_password(address)
        self._address = address
        self._within = False  # of a transaction, which goes with its connection
        with self._named():
            self._connection: Any = psycopg.connect(address, autocommit=True)
        if empty:  # nothing is asked of its tables
            return
        try:
            self._prepare(new=new, read_only=read_only)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, *, new: bool, read_only: bool) -> None:
        if read_only:
            self.run("SET default_transaction_read_only = on")
            check_schema(self._version(), self.where)
            self.counts_kept = self._version() >= COUNTED
            return
        if not new and not self._version() and self._has_tables():
            raise DataError(
                f"{self.where} holds tables, but no store of campaigns. Nothing was changed. "
                "Name another database, or make a campaign there (detectable campaign new)."
            )
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
            before = self._version()
            migrate(self.run, before, self.where)
            self.count_after(before)

    def _has_tables(self) -> bool:
        sql = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"
        return self.one(sql) is not None

    def _version(self) -> int:
        if self.one("SELECT to_regclass('schema_version')")[0] is None:
            return 0
        return int(self.one("SELECT MAX(version) FROM schema_version")[0] or 0)

    def _execute(self, sql: str, args: Iterable[Any]) -> Any:
        with self._named():
            self._connect_again()
            return self._connection.execute(sql, tuple(args))

    @contextlib.contextmanager
    def _begin(self, *, reads: bool = False) -> Iterator[None]:
        with self._named():
            self._connect_again()
            with self._connection.transaction():
                if reads:
                    self._connection.execute(_ONE_MOMENT)
                self._within = True
                try:
                    yield
                finally:
                    self._within = False

    def each(self, sql: str, *args: Any) -> Iterator[Any]:
        """Give all rows, block by block; the server keeps the rest."""
        with self.snapshot(), self._connection.cursor(name="each") as cursor:
            cursor.execute(sql.replace("?", self.placeholder), args)
            while block := cursor.fetchmany(BLOCK):
                yield from block

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
            for secret in _passwords(self._address):
                said = said.replace(secret, "…")
            raise DataError(f"{self.where}: {said}. Nothing was changed.") from error

    def backup(self, path: Path) -> None:
        """Write a dump that is whole, by PostgreSQL's own tool."""
        refuse_existing(path, remedy="Choose another name.")
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        words = ["--no-owner", "--no-privileges", "--file", str(path)]
        _tool("pg_dump", self._address, words)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def restore_dump(address: str, dump: bytes) -> None:
    """Put a dump into an empty database, by PostgreSQL's own tool: all of it or nothing."""
    store = PostgresStore(address, new=False, read_only=True, empty=True)
    try:
        if store.one("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"):
            raise DataError(f"{store.where} is not empty. Restore into an empty database.")
    finally:
        store.close()
    words = ["--quiet", "--no-psqlrc", "--single-transaction", "--set", "ON_ERROR_STOP=1"]
    _tool("psql", address, words, given=dump)


def _tool(name: str, address: str, words: Sequence[str], *, given: bytes | None = None) -> None:
    """Run a tool of PostgreSQL; its password is inherited, and not among the words."""
    known, asked = _passwords(address), _query(address)
    secret = {"PGPASSWORD": known[0]} if known else {}
    if "passfile" in asked:
        secret["PGPASSFILE"] = asked["passfile"]
    where = without_password(address)
    try:
        done = (
            subprocess.run(  # everybody can read the words of a process; not what it inherits
                [name, "--dbname", where, *words],
                capture_output=True,
                check=False,
                input=given,
                env={**os.environ, **secret},
            )
        )
    except FileNotFoundError as error:
        raise MissingExtraError(
            f"a backup of PostgreSQL needs its {name}, which is not installed here."
        ) from error
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise DataError(f"{where}: {name} failed: {said}")


def without_password(address: str) -> str:
    """Return an address that may be shown; of one that cannot be read nothing is.

    Examples
    --------
    >>> without_password("postgresql://me:secret@localhost:5432/db")
    'postgresql://me@localhost:5432/db'
    >>> without_password("postgresql://me:sec/ret@localhost/db")
    'postgresql://…'
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return f"{address.partition('://')[0]}://…"
    who = "" if found["user"] is None else f"{found['user']}@"
    kept = {name: text for name, text in _query(address).items() if name not in _SECRET}
    asked = f"?{urlencode(kept, safe='/')}" if kept else ""
    return f"{found['scheme']}://{who}{found['where']}{asked}"


def _passwords(address: str) -> list[str]:
    """Return the password of an address: as it means, and as it was typed."""
    found = _ADDRESS.fullmatch(address)
    typed = (found["password"] if found else None) or ""
    asked = _query(address)
    given = [
        asked.get("password", ""),
        unquote(typed),
        typed,
        asked.get("sslpassword", ""),
    ]
    return [one for one in given if one]


def _query(address: str) -> dict[str, str]:
    found = _ADDRESS.fullmatch(address)
    return dict(parse_qsl(found["query"] or "")) if found else {}
