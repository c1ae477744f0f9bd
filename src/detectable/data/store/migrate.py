"""Bring a database to the schema of this version; forward only."""

import time
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from detectable.core.errors import DataError

Run = Callable[[str], Any]


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
    if version > known[-1][0]:
        raise DataError(
            f"{where} was written by a newer version (schema {version}; this one knows "
            f"{known[-1][0]}). Update detectable."
        )
    for number, text in known:
        if number > version:
            for statement in statements(text):
                run(statement)
            run(f"INSERT INTO schema_version VALUES ({number}, {time.time()!r})")
    return known[-1][0]
