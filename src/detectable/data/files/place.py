"""Where something stands in a file, what is wrong there, and what counts as an empty cell."""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from detectable.core.errors import DataError
from detectable.core.wording import count

FilePath: TypeAlias = str | os.PathLike[str]


def place(path: FilePath, line: int | None = None, column: str | None = None) -> str:
    """Return ``scores.csv, line 3, column 'A'``, the opening of every message about a file.

    A Parquet file has no lines; there the number is that of the row. So it is without a path: in
    a table in memory, whose rows are counted from 0.

    Examples
    --------
    >>> place("scores.csv", 3, "A"), place("", 3, "A")
    ("scores.csv, line 3, column 'A'", "row 3 (from 0), column 'A'")
    """
    parts = [os.fspath(path)]
    if not parts[0]:
        parts = ["the table" if line is None else f"row {line:,} (from 0)"]
    elif line is not None:
        unit = "row" if parts[0].endswith(".parquet") else "line"
        parts.append(f"{unit} {line:,}")
    if column is not None:
        parts.append(f"column {column!r}")
    return ", ".join(parts)


def quote(value: object, *, most: int = 60) -> str:
    """Return a value as it stands in the file, cut to a length that fits a message.

    Examples
    --------
    >>> quote("abcdef", most=4)
    "'abc…'"
    """
    if isinstance(value, str) and len(value) > most:
        value = value[: most - 1] + "…"
    text = repr(value)
    return text if isinstance(value, str) or len(text) <= most else text[: most - 1] + "…"


# --- All that is wrong with a file, in one message ---


@dataclass(slots=True)
class Problems:
    """Collects sentences about a file, so that a user mends them all at once.

    Examples
    --------
    >>> problems = Problems("a.csv")
    >>> problems.add("line 3: the score is missing.")
    >>> problems.add("line 5: the score is 101.")
    >>> problems.stop()
    Traceback (most recent call last):
    ...
    detectable.core.errors.DataError: a.csv has 2 problems.
    - line 3: the score is missing.
    - line 5: the score is 101.
    """

    path: str  # of the file; empty for a table in memory
    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Note one problem: place, what was found, what to do."""
        self.sentences.append(sentence)

    def add_rows(
        self,
        rows: Sequence[int],
        place: Callable[[int], str],
        sentence: str,
        remedy: str,
    ) -> None:
        """Note one problem that several rows have; the first is named, all are counted."""
        if len(rows):
            more = f" ({count(len(rows), 'row')} in all)" if len(rows) > 1 else ""
            self.add(f"{place(int(rows[0]))}: {sentence}{more}. {remedy}")

    def stop(self) -> None:
        """Raise one DataError with everything that was noted; do nothing if all is well."""
        if not self.sentences:
            return
        if len(self.sentences) == 1:
            raise DataError(self.sentences[0])
        subject = self.path or "the table"
        listed = "\n".join(f"- {sentence}" for sentence in self.sentences)
        raise DataError(f"{subject} has {count(len(self.sentences), 'problem')}.\n{listed}")


# --- What counts as a cell without content, in every table that we read ---

MISSING_WORDS = frozenset(("", "nan", "na", "n/a", "none", "null"))
_PANDAS = frozenset(("NAType", "NaTType"))  # told by name, so that pandas need not be there


def is_missing(value: object) -> bool:
    """Return whether a cell says that there is nothing: one rule for scores, names and times.

    An empty cell, ``nan``, ``na``, ``n/a``, ``none`` and ``null`` in any case and with any space
    around them; None, a float that is no number, and what pandas calls missing.

    Examples
    --------
    >>> [is_missing(cell) for cell in (" N/A ", "", None, float("nan"))]
    [True, True, True, True]
    >>> [is_missing(cell) for cell in ("ann", 0, False, "nano")]
    [False, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS
    if value is None or type(value).__name__ in _PANDAS:
        return True
    try:
        return bool(value != value)  # only what is not a number differs from itself
    except (TypeError, ValueError):  # a list of numbers has no single answer
        return False


def missing_names(names: Collection[str]) -> list[int]:
    """Return the positions of the texts that mean “missing”; there may be millions of them.

    Examples
    --------
    >>> missing_names(["ann", "N/A", "bob", " "])
    [1, 3]
    """
    # Names come again and again: each is looked at once.
    wrong = {name for name in set(names) if name.strip().lower() in MISSING_WORDS}
    return [i for i, name in enumerate(names) if name in wrong] if wrong else []
