"""What any other result shows: its summary, its plain numbers and how to repeat it.

For results of the library that no command returns, and for those of other packages.
"""

from collections.abc import Iterator
from typing import Any

from detectable.core.result import Result
from detectable.report.blocks import Block, Column, Repeat, notes, opening, table

_LEFT_OUT = ("signature", "kind", "notes")


def show_result(result: Result) -> Iterator[Block]:
    """Show the summary and every plain value."""
    yield opening("info", result.summary())
    rows = [
        (name.replace("_", " "), value)
        for name, value in result.to_dict().items()
        if name not in _LEFT_OUT and _is_plain(value)
    ]
    if rows:
        columns = (
            Column("quantity", "quantity", "text", of=lambda row: row[0]),
            Column("value", "value", "text", of=lambda row: row[1]),
        )
        yield table("numbers", "Numbers", columns, rows)
    yield from notes(getattr(result, "notes", ()))
    yield Repeat(str(result.signature))


def _is_plain(value: Any) -> bool:
    """Say whether a value is one number, word or answer."""
    return value is None or isinstance(value, str | int | float)
