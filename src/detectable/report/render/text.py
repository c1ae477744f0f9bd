"""Blocks as text for a terminal: verdict first, what is long or for reading only on request."""

from collections.abc import Callable, Iterable, Sequence

from detectable.core.wording import count
from detectable.report.blocks import (
    LEGEND,
    LONG,
    Block,
    Column,
    Examples,
    Matrix,
    Section,
    Table,
    Text,
    Verdict,
    headline_of,
    sections_of,
)
from detectable.report.render.text_table import (
    FEWEST,
    GAP,
    MOST_ROWS,
    WIDTH,
    Layout,
    fit,
    one_line,
    prose,
    shorten,
    table_text,
    text_width,
)

SCREEN = 58  # lines that a result should not exceed
GLANCE = 39  # the same where a matrix shows many systems
_MARKS = {"ok": "✓ ", "look": "! ", "plain": "· "}


def render_text(
    blocks: Sequence[Block],
    *,
    width: int = WIDTH,
    everything: bool = False,
    unfold: Iterable[str] = (),
    colour: Callable[[str], str] = str,
) -> str:
    """Return what a terminal shows, verdict first.

    Parameters
    ----------
    width : int
        Of the terminal.
    everything : bool
        Show every table and every row, what there is to read, and every check.
    unfold : iterable of str
        Tables to show whole.
    colour : callable
        Paints a verdict.
    """
    sections = sections_of(blocks)
    if sections:
        shown = [_section(one, width, set(unfold), colour, everything) for one in sections]
        return "\n\n".join([overview(sections, width), *shown])
    if everything:
        made = [_whole(block, width, colour) for block in blocks]
        return "\n\n".join(text for text in made if text)
    return _short(blocks, width, set(unfold), colour)


def overview(sections: Sequence[Section], width: int) -> str:
    """Return a line or more for each of several results."""
    return "\n".join(
        prose(headline_of(section), width, f"{one_line(section.name)}: ")
        for section in sections
    )


def _section(
    section: Section,
    width: int,
    unfold: set[str],
    colour: Callable[[str], str],
    everything: bool,  # noqa: FBT001 (of render_text)
) -> str:
    """Return one of several results under its name."""
    limit = min(width, WIDTH)
    line = f"══ {shorten(one_line(section.name), max(limit - 6, FEWEST))} "
    inside = render_text(
        section.blocks, width=width, everything=everything, unfold=unfold, colour=colour
    )
    return f"{line}{'═' * max(limit - text_width(line), 2)}\n\n{inside}"


def _whole(block: Block, width: int, colour: Callable[[str], str]) -> str:
    if isinstance(block, Text):
        return _text(block, block.points, width)
    if isinstance(block, Table):
        return table_text(block, width, most=None, colour=colour)
    if isinstance(block, Matrix):
        return matrix_text(block, width)
    if isinstance(block, Examples):
        return _examples(block, width)
    return _verdict(block, width) if isinstance(block, Verdict) else ""


def _short(
    blocks: Sequence[Block], width: int, unfold: set[str], colour: Callable[[str], str]
) -> str:
    """Return what is read at one look; a last line says what else there is."""
    matrices = [block for block in blocks if isinstance(block, Matrix)]
    beside = _beside(matrices, blocks)
    parts: list[str] = []
    more: list[str] = []
    checks: list[Text] = []
    for block in blocks:
        if isinstance(block, Text) and block.role == "checks":
            checks.append(block)
        elif isinstance(block, Table):
            if block.id in unfold:
                parts.append(table_text(block, width, most=None, colour=colour))
            elif (block.folded and not block.key) or (
                beside is not None and beside.id == block.id
            ):
                more.append(f"{block.id} ({count(len(block.rows), 'row')})")
            else:
                parts.append(table_text(block, width, colour=colour))
        elif isinstance(block, Examples):
            more.append(count(len(block.items), "example"))
        elif isinstance(block, Matrix) and block in matrices[1:] and len(block.names) > LONG:
            more.append(block.id)
        elif isinstance(block, Matrix):
            parts.append(matrix_text(block, width, beside=block.beside if beside else None))
        else:
            parts.append(_whole(block, width, colour))
    shown = [part for part in parts if part]
    many = beside is not None and len(beside.rows) > MOST_ROWS
    looked, left = _looked_at(
        [prose(text, width, _MARKS["look"]) for text in _to_look_at(checks)],
        room=(GLANCE if many else SCREEN)
        - _lines([*shown, *_more(["99 points to look at", *more], width)]),
        at_least=0 if many else 1,
    )
    if left:
        more.insert(0, f"{count(left, 'point')} to look at")
    return "\n\n".join([*shown, *looked, *_more(more, width)])


def _lines(parts: Iterable[str]) -> int:
    """Return how many lines some parts take, with an empty one behind each."""
    return sum(text.count("\n") + 2 for text in parts)


def _beside(matrices: Sequence[Matrix], blocks: Sequence[Block]) -> Table | None:
    """Return what stands beside the marks: a table that would not be shown whole by itself."""
    beside = matrices[0].beside if matrices else None
    if beside is None or len(beside.rows) > MOST_ROWS:
        return beside
    folded = {block.id for block in blocks if isinstance(block, Table) and block.folded}
    return beside if beside.id in folded else None


def _verdict(block: Verdict, width: int) -> str:
    return "\n".join(prose(text, width) for text in (block.headline, *block.detail))


def _text(block: Text, points: Iterable[tuple[str, str]], width: int) -> str:
    if block.role == "note":
        return ""  # the command line says these on stderr
    said = [prose(text, width, _MARKS[mark]) for mark, text in points]
    if block.role == "story" and block.text:  # what was typed stands beside the heading
        heading = block.title if block.title.endswith("?") else f"{block.title}:"
        return "\n".join([prose(f"{heading} {block.text}", width), *said])
    above = [prose(block.text, width)] if block.text else []
    return "\n".join([prose(block.title, width), *above, *said]) if above or said else ""


def _to_look_at(checks: Iterable[Text]) -> list[str]:
    return [text for block in checks for mark, text in block.points if mark == "look"]


def _looked_at(points: Sequence[str], *, room: int, at_least: int) -> tuple[list[str], int]:
    """Return the points that there is room for, and how many there are more."""
    lines = [text.count("\n") + 1 for text in points]
    fitting = [i + 1 for i in range(len(points)) if sum(lines[: i + 1]) <= room]
    kept = points[: max([at_least, *fitting])]
    return (["\n".join(kept)] if kept else []), len(points) - len(kept)


def _more(what: Sequence[str], width: int) -> list[str]:
    if not what:
        return []
    table = " Tables: --csv NAME:FILE." if any("row" in text for text in what) else ""
    return [prose(f"More with --all: {', '.join(what)}.{table}", width)]


def _examples(block: Examples, width: int) -> str:
    lines = [prose(block.title, width)]
    for heading, texts in block.items:
        lines.append(prose(heading, width))
        lines += [prose(text, width, f"    {label}: ") for label, text in texts]
    return "\n".join(lines)


# --- A matrix of pairs for a terminal: a symbol for every two systems, beside what is said of each ---

MOST_SYSTEMS = 24  # of a matrix in 80 columns
_LONGEST = 22  # characters of a name that has no more to be said of it
_NUMBER = 2 + len(GAP)  # before every row


def matrix_text(matrix: Matrix, width: int = WIDTH, *, beside: Table | None = None) -> str:
    """Return one symbol for every two systems; the first that fit, where there are many.

    Parameters
    ----------
    beside : Table, optional
        What is said of every system, in the order of the matrix; else its name.
    """
    n = min(len(matrix.names), MOST_SYSTEMS)
    layout, step = _left(matrix, beside, n, width)
    while n > 1 and _NUMBER + layout.width + step * n > width:
        n -= 1
        layout, step = _left(matrix, beside, n, width)
    lines = _heads(matrix, layout, step, n, width)
    for i, cells in enumerate(layout.body):
        said = layout.line(cells, padded=True)
        marks = "".join(f"{matrix.mark(i, j):>{step}}" for j in range(n))
        lines.append(f"{i + 1:>2}{GAP}{said}{marks}".rstrip())
    lines.append(prose(LEGEND, width))
    if n < len(matrix.names):
        lines.append(prose(f"(the first {n} of {len(matrix.names)} systems)", width))
    return "\n".join([*lines, *([prose(matrix.note, width)] if matrix.note else [])])


def _left(matrix: Matrix, beside: Table | None, n: int, width: int) -> tuple[Layout, int]:
    """Return what stands before the marks, and how many columns a mark takes: 3 if they fit."""
    room = {step: width - _NUMBER - step * n for step in (3, 2)}
    table = beside
    if table is None:
        rows = tuple((name,) for name in matrix.names)
        table = Table("names", "", (Column("name", "", "name"),), rows)
        room = {step: min(_LONGEST, space) for step, space in room.items()}
    columns, shown = list(table.columns), table.rows[:n]
    # A wide step must not cost a column or a part of a name.
    widest = fit(columns, table, shown, max(WIDTH, width) if beside else _LONGEST)
    if widest.width <= room[3]:
        return widest, 3
    return fit(columns, table, shown, room[2]), 2


def _heads(matrix: Matrix, layout: Layout, step: int, n: int, width: int) -> list[str]:
    """Return title and numbers: tens over units, and beside the title, where marks are narrow."""
    before = " " * _NUMBER + layout.line(layout.heads, padded=True)
    if step == 3:
        numbers = "".join(f"{i:>3}" for i in range(1, n + 1))
        return [prose(matrix.title, width), f"{before}{numbers}".rstrip()]
    units = "".join(f"{i % 10:>2}" for i in range(1, n + 1))
    tens = "".join(f"{i // 10 or '':>2}" for i in range(1, n + 1))
    above = f"{' ' * len(before)}{tens}".rstrip()
    title = prose(matrix.title, width)
    lines = [title, above] if above else [title]
    # Nothing stands over the first nine columns.
    if above and len(title) < len(before) + 2 * 9:
        lines = [title + above[len(title) :]]
    return [*lines, f"{before}{units}".rstrip()]
