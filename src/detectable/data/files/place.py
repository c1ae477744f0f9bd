"""Where something stands in a file, in words."""

import os
from typing import TypeAlias

FilePath: TypeAlias = str | os.PathLike[str]


def place(path: FilePath, line: int | None = None, column: str | None = None) -> str:
    """Return ``scores.csv, line 3, column 'A'``, the opening of every message about a file.

    A Parquet file has no lines; there the number is that of the row.

    Examples
    --------
    >>> place("scores.csv", 3, "A")
    "scores.csv, line 3, column 'A'"
    """
    parts = [os.fspath(path)]
    if line is not None:
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
