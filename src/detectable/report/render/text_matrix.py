"""A matrix of pairs for a terminal: a symbol for every two systems, beside what is said of each."""

from detectable.report.blocks import LEGEND, Column, Matrix, Table
from detectable.report.render.prose import WIDTH, prose
from detectable.report.render.text_table import GAP, Layout, fit

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
