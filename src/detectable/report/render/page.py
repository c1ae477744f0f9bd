"""Blocks as one HTML file: no network, no script, nothing beside it."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from detectable.core.version import VERSION
from detectable.report.blocks import (
    LEGEND,
    Block,
    Column,
    Examples,
    Matrix,
    Repeat,
    Table,
    Text,
    Verdict,
    plain,
    status_of,
)
from detectable.report.render.arrange import Arranged, arrange

if TYPE_CHECKING:
    from jinja2 import Environment

_ON_PHONES = 2  # columns with a larger `keep` are hidden where the screen is narrow
_SENTENCE = 30  # characters that may be broken into lines


def render_page(blocks: Sequence[Block], *, title: str = "") -> str:
    """Return a whole page.

    Its order is that of reading: the verdict, what could not have been seen, short tables, long
    tables folded, examples, checks, and how to repeat it.

    Parameters
    ----------
    title : str
        What the page is about; by default the verdict says it.
    """
    verdict = next(block for block in blocks if isinstance(block, Verdict))
    texts = [block for block in blocks if isinstance(block, Text)]
    page: str = (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title,
            verdict=verdict,
            limits=[text for text in texts if text.role == "limits"],
            checks=[text for text in texts if text.role == "checks"],
            remarks=[text for text in texts if text.role == "note"],
            evidence=_evidence(blocks),
            examples=[block for block in blocks if isinstance(block, Examples)],
            repeat=next(block for block in blocks if isinstance(block, Repeat)),
            version=VERSION,
        )
    )
    return page


def _evidence(blocks: Sequence[Block]) -> list[Table | Matrix]:
    """Return tables and matrices, the folded ones last."""
    found = [block for block in blocks if isinstance(block, Table | Matrix)]
    return sorted(found, key=lambda block: isinstance(block, Table) and block.folded)


def _shown_columns(table: Table, arranged: Arranged) -> list[tuple[int, Column, str]]:
    """Return place, column and class of what a page shows."""
    places = {column.key: place for place, column in enumerate(table.columns)}
    shown = []
    for column in arranged.columns:
        classes = (
            *(("left",) if column.left else ()),
            *(("optional",) if column.keep > _ON_PHONES else ()),
            *(("wrap",) if _long(table, column) else ()),
        )
        shown.append((places[column.key], column, " ".join(classes)))
    return shown


def _long(table: Table, column: Column) -> bool:
    """Say whether a column holds sentences, which may be broken, rather than words."""
    texts = (str(value) for value in table.column(column.key) if value is not None)
    return column.kind == "text" and any(len(text) > _SENTENCE for text in texts)


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("detectable.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["zip"] = zip
    made.globals |= {
        "arrange": arrange,
        "shown_columns": _shown_columns,
        "legend": LEGEND,
        "status_of": status_of,
        "plain": plain,
        "is_table": lambda block: isinstance(block, Table),
    }
    return made
