"""Tables for a paper: booktabs, each with a caption, no wider than a page.

A result that offers tables for papers shows these, and with ``--all`` the others too. Needs the
packages booktabs and amssymb, and longtable for what goes over several pages.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from detectable.core.wording import count
from detectable.report.blocks import (
    DATA_ONLY,
    Block,
    Column,
    Matrix,
    Methods,
    Papers,
    Repeat,
    Section,
    Table,
    Verdict,
    drawn,
)
from detectable.report.paper_table import PaperTable
from detectable.report.render.latex_paper import (
    LONGEST,
    PAGE,
    SEPARATION,
    SIZES,
    UNPRINTABLE,
    Float,
    Size,
    columns_points,
    comment,
    cut_to_points,
    escape,
    in_prose,
    paper_matrix,
    paper_tables,
    row,
    text_points,
)
from detectable.report.render.text_table import Arranged, arrange


def render_latex(blocks: Sequence[Block], *, everything: bool = False) -> str:
    """Return the tables of a result, each with the signature as a comment above.

    The methods paragraph stands below them, as a comment: it belongs into the text of a paper.

    Parameters
    ----------
    everything : bool
        Every table, every row, and every column that fits the page; tables of more than 40 rows
        go over several pages.
    """
    blocks = drawn(blocks, Papers)
    verdict = next((block.headline for block in blocks if isinstance(block, Verdict)), "")
    signature = next((block.signature for block in blocks if isinstance(block, Repeat)), "")
    offered = any(isinstance(block, PaperTable) for block in blocks)
    made, left, methods = [], [], []
    for block in blocks:
        if isinstance(block, Section):
            inner = render_latex(_labelled(block), everything=everything)
            made.append(f"{comment(block.name)}\n{inner}")
        elif isinstance(block, PaperTable):
            made += [part.latex((signature,)) for part in paper_tables(block)]
        elif isinstance(block, Matrix) and block.numbers is not None:
            made.append(paper_matrix(block, block.numbers).latex((signature,)))
        elif isinstance(block, Methods):
            methods.append(comment(f"For your paper: {in_prose(block.paragraph)}"))
        elif isinstance(block, Table):
            if everything or not (offered or block.folded or len(block.rows) > LONGEST):
                made.append(table_latex(block, (signature,), everything=everything))
            else:
                left.append(f"{block.title} ({count(len(block.rows), 'row')})")
    said = [verdict] if verdict else []
    said += [f"Only with --all: {', '.join(left)}."] if left else []
    body = "\n".join([*made, *methods])
    needed = [UNPRINTABLE] if r"\unprintable{" in body else []
    return "\n".join([*map(comment, said), *needed, body]).strip("\n") + "\n"


def _labelled(section: Section) -> list[Block]:
    """Return the blocks of one of several results, whose labels begin with its name."""
    return [
        replace(block, id=f"{section.name}-{block.id}")
        if isinstance(block, Table | Matrix | PaperTable)
        else block
        for block in section.blocks
    ]


# --- A table of any result as LaTeX: as much of it as the width of a page allows ---

_WIDE = 3  # columns with a larger `keep` come only with everything


def table_latex(table: Table, said: Sequence[str] = (), *, everything: bool = False) -> str:
    """Return a floating table, or a ``longtable`` for what fills more than a page."""
    most = DATA_ONLY - 1 if everything else _WIDE
    places = [i for i, column in enumerate(table.columns) if column.keep <= most]
    kept = replace(
        table,
        columns=tuple(table.columns[i] for i in places),
        rows=tuple(tuple(cells[i] for i in places) for cells in table.rows),
    )
    fitted = _fit(kept)
    if len(table.rows) > LONGEST:
        return _over_pages(fitted, said)
    return Float(
        id=table.id,
        caption=fitted.caption,
        layout=fitted.layout,
        lines=[fitted.head, r"\midrule", *fitted.body],
        size=fitted.size,
        points=fitted.points,
    ).latex(said)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A table as it is printed, and how wide it will be: all of it, and its names."""

    caption: str
    layout: str
    head: str
    body: list[str]
    size: Size
    points: float
    names: tuple[float, ...]


def _fit(table: Table) -> _Fitted:
    """Give way as a terminal does: smaller, then fewer columns, then shorter names."""
    arranged = arrange(table)
    columns = arranged.columns
    while True:
        made = [_set(table, arranged, columns, size) for size in SIZES[1:]]
        found = next((one for one in made if one.points <= PAGE), None)
        if found is not None:
            return found
        worst = max(column.keep for column in columns)
        if all(column.keep == worst for column in columns):
            break
        columns = [column for column in columns if column.keep < worst]
    room = PAGE - (made[-1].points - sum(made[-1].names))
    return _set(table, arranged, columns, SIZES[-1], room / max(1, len(made[-1].names)))


def _set(
    table: Table,
    arranged: Arranged,
    columns: Sequence[Column],
    size: Size,
    room: float = math.inf,  # for a name
) -> _Fitted:
    places = [table.columns.index(column) for column in columns]
    is_name = [column.kind in ("name", "text") for column in columns]
    rows = [
        [
            cut_to_points(texts[place], room, size) if name else texts[place]
            for place, name in zip(places, is_name, strict=True)
        ]
        for texts in table.texts()
    ]
    heads = [column.short or column.title for column in columns]
    widths = [
        max(text_points(t, size) for t in texts) for texts in zip(heads, *rows, strict=True)
    ]
    groups = [] if arranged.group is None else list(map(str, table.column(arranged.group.key)))
    body = []
    for place, cells in enumerate(rows):
        body += [r"\midrule"] if place in table.breaks else []
        if groups and (place == 0 or place in table.breaks):
            body.append(
                rf"\multicolumn{{{len(columns)}}}{{l}}{{\emph{{{escape(groups[place])}}}}} \\"
            )
        body.append(row(map(escape, cells)))
    return _Fitted(
        caption=" ".join(p for p in (table.caption or f"{arranged.title}.", table.note) if p),
        layout="".join("l" if column.left else "r" for column in columns),
        head=row(map(in_prose, heads)),
        body=body,
        size=size,
        points=columns_points(widths, SEPARATION),
        names=tuple(w for w, name in zip(widths, is_name, strict=True) if name),
    )


def _over_pages(fitted: _Fitted, said: Sequence[str]) -> str:
    """Return a table that goes over pages and repeats its headings."""
    return "\n".join(
        [
            *(comment(text) for text in said if text),
            comment("A longtable needs one column: \\onecolumn in a paper of two."),
            rf"{{\{fitted.size}\begin{{longtable}}{{{fitted.layout}}}",
            rf"\caption{{{in_prose(fitted.caption)}}}\\",
            r"\toprule",
            fitted.head,
            r"\midrule\endfirsthead",
            r"\toprule",
            fitted.head,
            r"\midrule\endhead",
            r"\bottomrule\endlastfoot",
            *fitted.body,
            r"\end{longtable}}",
            "",
        ]
    )
