"""Blocks as JSON values, for the explorer: it knows blocks as every renderer does, and no result.

Numbers are text already, as `cell` writes them, with the value beside it to sort by; charts are
their Vega-Lite specifications at both widths. A browser shows them and computes nothing.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from detectable.core.interval import Interval
from detectable.report.blocks import (
    LEGEND,
    Block,
    Chart,
    Column,
    Examples,
    Matrix,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    ends,
    plain,
    status_of,
)
from detectable.report.charts.theme import NARROW, WIDE
from detectable.report.methods.shared import OWN, bibtex
from detectable.report.render.text_table import arrange, cut_rows, shown_columns

MOST_ROWS = 2000  # of a table; a spreadsheet is the place for more
# How tables name the two systems that a row is about.
_PAIRS = (("system", "baseline"), ("better", "worse"))


def block_values(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Return the blocks of one result as JSON values; what only a paper prints is left out."""
    return [
        {"block": type(block).__name__.lower(), **_VALUES[type(block)](block)}
        for block in blocks
        if type(block) in _VALUES
    ]


def _verdict(block: Verdict) -> dict[str, Any]:
    return {"status": block.status, "headline": block.headline, "detail": list(block.detail)}


def _text(block: Text) -> dict[str, Any]:
    points = [list(point) for point in block.points]
    return {"role": block.role, "title": block.title, "text": block.text, "points": points}


def _table(block: Table) -> dict[str, Any]:
    arranged = arrange(block)
    cut = cut_rows(block, MOST_ROWS)
    found = shown_columns(cut, arranged)
    columns = list(found.columns)
    if arranged.group is not None:  # heads its rows, until they are sorted across blocks
        columns.insert(0, (block.columns.index(arranged.group), arranged.group, "left"))
    texts = cut.texts()
    made: dict[str, Any] = {
        "id": block.id,
        "title": arranged.title,
        "note": block.note,
        "folded": block.folded,
        "signs": found.signs,
        "grouped": arranged.group is not None,
        "breaks": [place for place in block.breaks if place < len(cut.rows)],
        "n_rows": len(block.rows),
        "columns": [_column(column, classes) for _, column, classes in columns],
        "rows": [
            [_cell(column, row[place], said[place]) for place, column, _ in columns]
            for row, said in zip(cut.rows, texts, strict=True)
        ],
    }
    return made | _who(cut)


def _column(column: Column, classes: str) -> dict[str, Any]:
    return {
        "key": column.key,
        "title": column.title,
        "short": column.short,
        "classes": classes,
        "verdict": column.kind == "verdict",
        "help": column.help,
    }


def _cell(column: Column, value: Any, text: str) -> str | list[Any]:
    """Return the text of a cell; with a number to sort by, or the status of a verdict."""
    bare = plain(value)
    if column.kind == "verdict":
        return [text, status_of(bare or "")]
    number = _sorted_by(bare)
    return text if number is None else [text, number]


def _sorted_by(value: Any) -> float | None:
    if isinstance(value, Interval | tuple) and value:
        value = ends(value)[0]
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return max(-1e300, min(1e300, value))


def _who(table: Table) -> dict[str, Any]:
    """Return which systems each row is about, where the table says so."""
    keys = {column.key for column in table.columns}
    for first, second in _PAIRS:
        if {first, second} <= keys:
            both = zip(table.column(first), table.column(second), strict=True)
            return {"pairs": [[str(a), str(b)] for a, b in both]}
    if "system" in keys:
        return {"systems": [str(name) for name in table.column("system")]}
    return {}


def _matrix(block: Matrix) -> dict[str, Any]:
    size = range(len(block.names))
    return {
        "id": block.id,
        "title": block.title,
        "names": list(block.names),
        "marks": [[block.mark(i, j) for j in size] for i in size],
        "statuses": [[status_of(block.verdicts[i][j] or "") for j in size] for i in size],
        "note": f"{LEGEND} {block.note}".strip(),
    }


def _chart(block: Chart) -> dict[str, Any]:
    return {
        "id": block.id,
        "title": block.title,
        "caption": block.caption,
        "alt": block.alt,
        "twin": block.twin,
        "key": block.key,
        "wide": block.make(WIDE),
        "narrow": block.make(NARROW),
    }


def _examples(block: Examples) -> dict[str, Any]:
    items = [[heading, [list(text) for text in texts]] for heading, texts in block.items]
    return {"title": block.title, "items": items}


def _methods(block: Methods) -> dict[str, Any]:
    return {
        "paragraph": block.paragraph,
        "bibtex": bibtex((*block.cite, OWN)),
    }


def _repeat(block: Repeat) -> dict[str, Any]:
    return {"signature": block.signature, "command": block.command}


_VALUES: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Verdict: _verdict,
    Text: _text,
    Table: _table,
    Matrix: _matrix,
    Chart: _chart,
    Examples: _examples,
    Methods: _methods,
    Repeat: _repeat,
}
