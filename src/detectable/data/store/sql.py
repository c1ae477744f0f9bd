"""One SQL text for two databases, and the migrations that bring them to this version."""

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from typing import Any, TypeVar

from detectable.core.errors import DataError, InputError

T = TypeVar("T")
BLOCK = 1_000  # rows that are fetched together


class Sql(ABC):
    """A connection that SQLite and PostgreSQL both can be.

    Every public method of a store is one transaction. Within a group commit (`together`) it is a
    savepoint of the common one.
    """

    placeholder = "?"
    skip_locked = ""  # rows that another transaction claims are passed over
    lock_row = ""  # a row is held until the transaction ends

    def __init__(self) -> None:
        self._nested = False  # in a transaction of several calls
        self._begun = False  # in one of this call

    @abstractmethod
    def _execute(self, sql: str, args: Iterable[Any]) -> Any:
        """Run one statement and return its cursor."""

    @abstractmethod
    def _begin(self, *, reads: bool = False) -> contextlib.AbstractContextManager[Any]:
        """Begin a transaction that can write; with `reads`, one that sees a single moment."""

    @abstractmethod
    def each(self, sql: str, *args: Any) -> Iterator[Any]:
        """Give all rows one after the other, and never hold more than a block of them."""

    @abstractmethod
    def alone(self) -> None:
        """Wait until no other transaction is in here, until this one ends."""

    def run(self, sql: str, *args: Any) -> Any:
        """Run one statement and return its cursor."""
        for one in args:
            if isinstance(one, str) and not _is_text(one):
                raise InputError(
                    "`text` must not hold NUL or half a character (a surrogate), which databases "
                    f"do not keep; got {one[:60]!r}. Remove it."
                )
        return self._execute(sql.replace("?", self.placeholder), args)

    def one(self, sql: str, *args: Any) -> Any:
        """Return the first row, or None."""
        return self.run(sql, *args).fetchone()

    def all(self, sql: str, *args: Any) -> list[Any]:
        """Return all rows."""
        rows: list[Any] = self.run(sql, *args).fetchall()
        return rows

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of it or nothing."""
        if self._nested:
            yield
            return
        with self._begin(), self._going():
            yield

    @contextlib.contextmanager
    def _going(self) -> Iterator[None]:
        self._begun = True
        try:
            yield
        finally:
            self._begun = False

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """See one moment, however many questions are asked, while others go on writing."""
        if self._nested or self._begun:
            yield
            return
        with self._begin(reads=True), self._going():
            yield

    def together(self, calls: Iterable[Callable[[], T]]) -> list[T | Exception]:
        """Do several calls in one transaction; one that fails leaves the others whole.

        The answers are valid once this has returned: then they are on the disk.
        """
        answers: list[T | Exception] = []
        with self._begin():
            self._nested = True
            try:
                for call in calls:
                    self.run("SAVEPOINT one")
                    try:
                        answers.append(call())
                    except Exception as error:  # noqa: BLE001 (it is handed to who called)
                        self.run("ROLLBACK TO SAVEPOINT one")
                        answers.append(error)
                    self.run("RELEASE SAVEPOINT one")
            finally:
                self._nested = False
        return answers


def _is_text(value: str) -> bool:
    """Say whether both databases keep a text; each refuses another part of the rest by itself."""
    try:
        return "\0" not in value and (value.isascii() or bool(value.encode()))
    except UnicodeEncodeError:
        return False


# --- Bring a database to the schema of this version; forward only ---

Run = Callable[[str], Any]
READABLE = 3  # the oldest schema that can be read as it is
COUNTED = 4  # the schema since which running counts are kept


def migrations() -> list[tuple[int, str]]:
    """Return the number and the text of every migration, in order."""
    folder = files("detectable.data.store") / "migrations"
    found = [
        (int(entry.name.removesuffix(".sql")), entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".sql")
    ]
    return sorted(found)


def newest() -> int:
    """Return the version of the schema that this program writes."""
    return migrations()[-1][0]


def statements(text: str) -> list[str]:
    """Cut the text of a migration into statements, without comments.

    PostgreSQL takes several at once and SQLite does not, within a transaction that is ours.
    """
    lines = [line.partition("--")[0].rstrip() for line in text.splitlines()]
    return [one.strip() for one in "\n".join(lines).split(";") if one.strip()]


def check_schema(version: int, where: str) -> None:
    """Refuse a store that cannot be read as it is: from another version, or none at all."""
    if version == 0:
        raise DataError(f"{where} is no store of campaigns. Nothing was changed.")
    if version < READABLE:
        raise DataError(
            f"{where} was written by an older version (schema {version}; this one writes "
            f"{newest()}). detectable serve, or any command that changes it, brings it up to date."
        )
    _refuse_newer(version, newest(), where)


def _refuse_newer(version: int, known: int, where: str) -> None:
    if version > known:
        raise DataError(
            f"{where} was written by a newer version (schema {version}; this one knows "
            f"{known}). Update detectable."
        )


def migrate(run: Run, version: int, where: str) -> int:
    """Apply what is missing, within a transaction of the caller, and return the version.

    Parameters
    ----------
    run : callable
        Executes one statement.
    version : int
        What the database has; 0 for an empty one.
    where : str
        The database, for messages.
    """
    known = migrations()
    _refuse_newer(version, known[-1][0], where)
    for number, text in known:
        if number > version:
            for statement in statements(text):
                run(statement)
            run(f"INSERT INTO schema_version VALUES ({number}, {time.time()!r})")
    return known[-1][0]
