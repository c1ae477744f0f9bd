"""Tables as papers set them: scores with half intervals and marks, and matrices of pairs.

A table is set in the largest size in which it fits. One that fits a column is a ``table``, a
wider one a ``table*``, which in a paper of one column is the same.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Literal, TypeAlias

from detectable.core.wording import in_one_line, number
from detectable.report.blocks import Matrix
from detectable.report.paper_table import (
    PairNumbers,
    PaperCell,
    PaperColumn,
    PaperTable,
    mark_of,
    marks_legend,
    significance_marks,
)
from detectable.report.render.text_table import shorten, text_width

UNPRINTABLE = r"\providecommand{\unprintable}[2]{\ifdefined\Umathchar#1\else{\tiny#2}\fi}"
# Beyond ASCII, what pdflatex prints in any encoding of its fonts (OT1 has no ogonek, for one).
_PRINTED = frozenset(
    "¡¢£¥§©ª®°¶º¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝ"
    "ĞğĠġĢģĤĥĨĩĪīĬĭİıĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžȘșȚț"
    "—‘’“”•"
)
_LIGATURES = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "[": "{[}",  # after the end of a row a bracket would be taken for its height
    "*": "{*}",  # and a star for a row that no page break may follow
    "|": r"\textbar{}",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\textquotedblright{}",
    "`": r"\textquoteleft{}",
    "«": r"$\ll$",  # guillemets are not in every encoding
    "»": r"$\gg$",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "○": r"$\circ$",
    "◆": r"$\blacklozenge$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "⁺": "$^{+}$",
    "⁻": "$^{-}$",
    "⁼": "$^{=}$",
    "⋆": r"$^{\star}$",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
}


def escape(text: str) -> str:
    r"""Return text that LaTeX prints as it is, in one line.

    Examples
    --------
    >>> print(escape("50% of a_b"), escape("日本"))
    50\% of a\_b \unprintable{日本}{65E5\,672C}
    """
    parts = _LIGATURES.split(normalised(text))  # two hyphens would become a dash
    return "{}".join(map(_characters, parts))


def normalised(text: str) -> str:
    """Return text in one line, a letter and its accent as one character."""
    return unicodedata.normalize("NFC", in_one_line(text))


def comment(text: str) -> str:
    """Return text as a comment, in one line."""
    return f"% {in_one_line(text)}"


def is_printable(character: str) -> bool:
    """Say whether pdflatex prints a character in its usual fonts."""
    return character.isascii() or character in _ESCAPES or character in _PRINTED


def _characters(text: str) -> str:
    made = []
    for found in re.finditer(_RUNS, text):
        if found[1] is None:
            made.append("".join(_ESCAPES.get(c, c) for c in found[0]))
        else:
            codes = r"\,".join(f"{ord(c):04X}" for c in found[0])
            made.append(rf"\unprintable{{{found[0]}}}{{{codes}}}")
    return "".join(made)


_KNOWN = re.escape("".join([*_ESCAPES, *sorted(_PRINTED)]))
_RUNS = re.compile(rf"[\x00-\x7f{_KNOWN}]+|([^\x00-\x7f{_KNOWN}]+)")


# --- How wide a table will be on paper, before LaTeX sets it ---
#
# Widths are those of Computer Modern, in which LaTeX sets by default and which is wider than Times:
# what fits here fits in the styles of conferences.

Size: TypeAlias = Literal["normalsize", "small", "footnotesize", "scriptsize"]

COLUMN = 219.0  # points: a column of a paper in two columns (77 mm, as in the style of ACL)
PAGE = 455.0  # points: both columns (160 mm)
# Of a font of 10 points: cmr10, by tftopl.
_GROUPS = {
    2.8: "il!',.:;[]`|",
    3.4: "fj- ",
    4.0: "Irst()",
    4.5: "cez",
    5.0: '?0123456789ago$*/\\^{}~"_–·“”',
    5.4: "Jkqvxy⋆†‡",
    5.7: "bdhnpuS",
    6.9: "ZLFEPßæ",
    7.3: "BwCT",
    7.9: "RAHNUVXYDGKOQ&+=@<>−±×≤≥αλγρΔστ○▲▼◆↑↓«»",
    8.4: "m#%⁺⁻⁼",
    10.4: "MW∞…—",
}
_WIDTHS = {character: width for width, group in _GROUPS.items() for character in group}
_OTHER = 8.0
_DIGIT, _GAP = 3.6, 1.8  # of the code point of a character that no font has, set tiny
_SCALE: dict[Size, float] = {
    "normalsize": 1.0,
    "small": 0.926,
    "footnotesize": 0.85,
    "scriptsize": 0.815,
}
SIZES: tuple[Size, ...] = tuple(_SCALE)
BOLD = 1.21
FEWEST = 12  # characters that remain of a name


def text_points(text: str, size: Size = "normalsize") -> float:
    """Return about how many points a text takes; rather too many than too few.

    Examples
    --------
    >>> text_points("10.5"), round(text_points("10.5", "small"), 1)
    (17.8, 16.5)
    """
    shown = normalised(text)
    printed = sum(_letter(c) for c in shown if is_printable(c))
    codes = [_DIGIT * len(f"{ord(c):04X}") + _GAP for c in shown if not is_printable(c)]
    return _SCALE[size] * printed + sum(codes)


def _letter(character: str) -> float:
    """Return the width of a character; an accent adds nothing to its letter."""
    plain = unicodedata.normalize("NFD", character)[0]
    return _WIDTHS.get(plain, _OTHER)


def cut_to_points(name: str, points: float, size: Size) -> str:
    """Cut a name in the middle until it takes no more than that, or has 12 characters left."""
    longest, cut = text_width(name), name
    while text_points(cut, size) > points and longest > FEWEST:
        longest -= 1
        cut = shorten(name, longest)
    return cut


def columns_points(widths: Sequence[float], separation: float) -> float:
    """Return the width of a table: every column has its separation on both sides."""
    return sum(widths) + 2.0 * separation * len(widths)


# --- Tables as papers set them: scores with half intervals and marks, and matrices of pairs ---
#
# A table is set in the largest size in which it fits. One that fits a column is a ``table``, a
# wider one a ``table*``, which in a paper of one column is the same.

LONGEST = 40  # rows of a table that stays on one page
MOST_NUMBERS = 20  # systems of a matrix with numbers; of more there are marks only
SEPARATION = 6.0  # points on both sides of a column, as LaTeX has it
_TIGHT = (2.5, 1.5)  # the same in a matrix, and the first where a table then fits a column
_SMALLER: dict[Size, str] = {
    "normalsize": "scriptsize",
    "small": "scriptsize",
    "footnotesize": "tiny",
    "scriptsize": "tiny",
}
_COLUMNS = {"name": "l", "number": "r", "score": r"r@{\,}l@{}l"}
_TEX_COLUMNS = {"name": 1, "number": 1, "score": 3}


@dataclass(frozen=True, slots=True)
class Float:
    """A floating table: what is in its ``tabular``, how it is set, and how wide it will be."""

    id: str
    caption: str
    layout: str
    lines: Sequence[str]
    size: Size
    points: float
    separation: float = SEPARATION

    def latex(self, said: Iterable[str] = ()) -> str:
        """Return the table with its caption below; `said` are comments above."""
        name = "table" if self.points <= COLUMN else "table*"
        size = "" if self.size == "normalsize" else f"\\{self.size}"
        if self.separation != SEPARATION:
            size += rf"\setlength{{\tabcolsep}}{{{self.separation}pt}}"
        return "\n".join(
            [
                *(comment(text) for text in said if text),
                rf"\begin{{{name}}}[t]",
                r"\centering",
                f"{{{size}%",
                rf"\begin{{tabular}}{{{self.layout}}}",
                r"\toprule",
                *self.lines,
                r"\bottomrule",
                r"\end{tabular}}",
                rf"\caption{{{in_prose(self.caption)}}}",
                rf"\label{{tab:{re.sub('[^a-z0-9]+', '-', self.id.lower())}}}",
                rf"\end{{{name}}}",
                "",
            ]
        )


def in_prose(text: str) -> str:
    """Return a caption, a heading or a paragraph, with its formulas set as such.

    Long signatures may be broken behind every bar.
    """
    made = re.sub(r"\bs\\_(sel|dev|test)\b", r"$s_{\\mathrm{\1}}$", escape(text))
    made = made.replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
    made = made.replace(r" \textasciitilde{} ", r" $\sim$ ")  # of a model, not an accent
    made = re.sub(r"\bAve\. ", r"Ave.\\ ", made)  # no space of a sentence after it
    made = re.sub(r"\bp \$\\leq\$ (\.\d+)", r"${p \\leq \1}$", made)  # in one line
    made = re.sub(r"(\$\^\{\\\w+\}\$) (?=\$\{p )", r"\1~", made)  # a mark with what it means
    return re.sub(r"(?<![\w$\\'{-])([pz]|t(?= test))(?![\w$'-])", r"$\1$", made)


def row(cells: Iterable[str]) -> str:
    """Return a row of cells that are LaTeX already."""
    return " & ".join(cells) + r" \\"


def paper_tables(table: PaperTable) -> list[Float]:
    """Return a table in parts that fit a page each, cut at its rules where they are near enough."""
    cuts, last = [0], 0
    for end in (*table.breaks, len(table.rows)):
        if end - cuts[-1] > LONGEST and last > cuts[-1]:
            cuts.append(last)
        while end - cuts[-1] > LONGEST:
            cuts.append(cuts[-1] + LONGEST)
        last = end
    if len(cuts) == 1:
        return [paper_table(table)]
    return [
        paper_table(
            replace(
                table,
                id=f"{table.id}-{part}" if part > 1 else table.id,
                caption=f"{table.caption} Part {part} of {len(cuts)}.",
                rows=table.rows[start:end],
                breaks=tuple(place - start for place in table.breaks if start < place < end),
            )
        )
        for part, (start, end) in enumerate(pairwise((*cuts, len(table.rows))), 1)
    ]


def paper_table(table: PaperTable) -> Float:
    """Return a table in the largest size that fits a column, else the page.

    Before it leaves a column its own move together; where the smallest size is too wide for the
    page, long names are cut.
    """
    tries = [*((size, COLUMN, SEPARATION) for size in SIZES[:2]), (SIZES[1], COLUMN, _TIGHT[0])]
    tries += [(size, PAGE, SEPARATION) for size in SIZES]
    rows = table.rows
    fitting = (
        (size, gap)
        for size, room, gap in tries
        if _points(table.columns, rows, size, gap) <= room
    )
    size, gap = next(fitting, (SIZES[-1], SEPARATION))
    points = _points(table.columns, rows, size, gap)
    if points > PAGE:
        rows = _cut(table, points - PAGE, size)
        points = _points(table.columns, rows, size, gap)
    return Float(
        id=table.id,
        caption=table.caption,
        layout="".join(_COLUMNS[column.kind] for column in table.columns),
        lines=[*_heads(table.columns), r"\midrule", *_body(table, rows, size)],
        size=size,
        points=points,
        separation=gap,
    )


def _cut(table: PaperTable, excess: float, size: Size) -> tuple[tuple[PaperCell, ...], ...]:
    """Return the rows with names that take so much less than the longest, in all columns of names."""
    places = [i for i, column in enumerate(table.columns) if column.kind == "name"]
    longest = {i: max(text_points(_named(row[i]), size) for row in table.rows) for i in places}
    room = (sum(longest.values()) - excess) / len(places)
    spare = sum(max(0.0, room - points) for points in longest.values())
    wider = sum(points > room for points in longest.values())
    room += spare / max(1, wider)  # what a column of short names leaves

    def cut(cell: PaperCell) -> PaperCell:
        taken = text_points(_named(replace(cell, text="")), size)
        return replace(cell, text=cut_to_points(cell.text, room - taken, size))

    return tuple(
        tuple(cut(cell) if i in longest else cell for i, cell in enumerate(row))
        for row in table.rows
    )


def _points(
    columns: Sequence[PaperColumn],
    rows: Sequence[tuple[PaperCell, ...]],
    size: Size,
    gap: float,
) -> float:
    """Return the width of all columns; a heading over several may be the widest."""
    widths = []
    for place, column in enumerate(columns):
        cells = [row[place] for row in rows]
        if column.kind == "name":
            points = max(text_points(_named(cell), size) for cell in cells)
        else:
            points = _column_points(cells, size)
        widths.append(max(text_points(column.title, size), points))
    wide = columns_points(widths, gap)
    start = 0
    for over, group in groupby(columns, key=lambda column: column.over):
        end = start + len(list(group))
        beside = columns_points(widths[start:end], gap)
        needed = text_points(over, size) + 2.0 * gap
        wide += max(0.0, needed - beside) if over else 0.0
        start = end
    return wide


def _column_points(cells: Sequence[PaperCell], size: Size) -> float:
    """Return the width of numbers, what is beside them, and marks: columns of their own."""
    small = SIZES[-1]
    text = max(text_points(c.text, size) * (BOLD if c.bold else 1.0) for c in cells)
    half = max(text_points(f"±{c.beside}", small) + 2.0 if c.beside else 0.0 for c in cells)
    return text + half + max(text_points(c.mark, small) for c in cells)


def _named(cell: PaperCell) -> str:
    return f"{cell.text} ({cell.beside})" if cell.beside else cell.text


def _heads(columns: Sequence[PaperColumn]) -> list[str]:
    """Return the headings, in two lines where some are shared."""
    titles = row(
        _head(column.title, column.kind, _TEX_COLUMNS[column.kind]) for column in columns
    )
    if not any(column.over for column in columns):
        return [titles]
    over, rules, place = [], [], 1
    for shared, group in groupby(columns, key=lambda column: column.over):
        width = sum(_TEX_COLUMNS[column.kind] for column in group)
        if shared:
            over.append(_head(shared, "number", max(2, width)))
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        else:
            over += [""] * width
        place += width
    return [row(over), "".join(rules), titles]


def _head(title: str, kind: str, width: int) -> str:
    text = in_prose(title)
    return rf"\multicolumn{{{width}}}{{c}}{{{text}}}" if kind == "score" or width > 1 else text


def _body(table: PaperTable, rows: Sequence[tuple[PaperCell, ...]], size: Size) -> list[str]:
    lines = []
    for place, cells in enumerate(rows):
        lines += [r"\midrule"] if place in table.breaks else []
        made: list[str] = []
        for column, cell in zip(table.columns, cells, strict=True):
            made += _cell(column, cell, size)
        lines.append(row(made))
    return lines


def _cell(column: PaperColumn, cell: PaperCell, size: Size) -> list[str]:
    text = escape(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold else text
    if column.kind != "score":
        return [f"{text} ({escape(cell.beside)})" if cell.beside else text]
    half = rf"{{\{_SMALLER[size]}$\pm${escape(cell.beside)}}}" if cell.beside else ""
    return [text, half, escape(cell.mark)]


def paper_matrix(matrix: Matrix, numbers: PairNumbers) -> Float:
    """Return the pairs above the diagonal: numbers while they fit the page, else marks.

    Columns move together before a name is cut.
    """
    tries = [(True, gap) for gap in _TIGHT if len(matrix.names) <= MOST_NUMBERS]
    tries += [(False, gap) for gap in _TIGHT]
    laid = [_lay(matrix, numbers, gap, with_numbers=numeric) for numeric, gap in tries]
    fitting = [one for one in laid if one.points <= PAGE] or laid[-1:]
    found = min(fitting, key=lambda one: (not one.with_numbers, one.names != [*matrix.names]))
    span = 2 if found.with_numbers else 1
    heads = [_head(str(j + 1), "number", span) for j in range(len(found.names))]
    return Float(
        id=matrix.id,
        caption=_matrix_caption(numbers, found),
        layout=f"rl{('r@{}l' if found.with_numbers else 'c') * len(found.names)}",
        lines=[
            row(["", "", *heads]),
            r"\midrule",
            *(
                row(
                    [
                        str(i + 1),
                        escape(name),
                        *_pairs_latex(found.cells[i], found.with_numbers),
                    ]
                )
                for i, name in enumerate(found.names)
            ),
        ],
        size=SIZES[-1],
        points=found.points,
        separation=found.separation,
    )


@dataclass(frozen=True, slots=True)
class _Laid:
    """A matrix with or without numbers, and how wide it is."""

    cells: list[list[PaperCell]]
    names: list[str]
    points: float
    separation: float
    with_numbers: bool


def _lay(
    matrix: Matrix, numbers: PairNumbers, separation: float, *, with_numbers: bool
) -> _Laid:
    n, size = len(matrix.names), SIZES[-1]
    cells = [
        [_pair(matrix, numbers, i, j, with_numbers=with_numbers) for j in range(n)]
        for i in range(n)
    ]
    widths = [_column_points([cells[i][j] for i in range(j + 1)], size) for j in range(n)]
    heads = [text_points(str(j + 1), size) for j in range(n)]
    beside = columns_points([heads[-1], 0.0, *map(max, widths, heads)], separation)
    names = [cut_to_points(name, PAGE - beside, size) for name in matrix.names]
    points = beside + max(text_points(name, size) for name in names)
    return _Laid(cells, names, points, separation, with_numbers)


def _matrix_caption(numbers: PairNumbers, found: _Laid) -> str:
    """Say what stands in the cells: marks that do not occur are not explained."""
    legend = marks_legend(numbers.alpha)
    said = [cell for line in found.cells for cell in line]
    same = f"; ⁼: {numbers.same}" if any(cell.mark == "⁼" for cell in said) else ""
    if found.with_numbers:
        return (
            f"Differences (row − column) {numbers.caption} Bold: {numbers.told}; {legend}{same}; "
            "all others: undecided."
        )
    turned = any(cell.text == "−" for cell in said)
    worse = "; −: the row is the worse one" if turned else ""
    return (
        f"Pairs (row against column) {numbers.caption} {legend}: {numbers.told}{same}{worse}; a "
        "dot: undecided."
    )


def _pair(
    matrix: Matrix, numbers: PairNumbers, i: int, j: int, *, with_numbers: bool
) -> PaperCell:
    """Return what is said of two systems: below the diagonal nothing, it is said above."""
    if i == j:
        return PaperCell("–")
    verdict, difference = matrix.verdicts[i][j], numbers.differences[i][j]
    if j < i or verdict is None or difference is None:
        return PaperCell("")
    told = verdict != "undecided"
    mark = mark_of(numbers.p_values[i][j], significance_marks(numbers.alpha)) if told else ""
    if verdict == "equivalent" and numbers.same:
        told, mark = False, "⁼"
    if with_numbers:
        rounded = round(difference, numbers.digits) + 0.0  # no minus before a zero
        text = re.sub(r"^(−?)0\.", r"\1.", number(rounded, digits=numbers.digits))
        return PaperCell(text, mark=mark, bold=told)
    worse = "−" if verdict in ("worse", "lower", "inferior") else ""
    return PaperCell(worse if mark else "·", mark=mark)


def _pairs_latex(cells: Iterable[PaperCell], with_numbers: bool) -> list[str]:  # noqa: FBT001
    """Return cells with their marks behind them, in a column of their own beside numbers."""
    made = []
    for cell in cells:
        text, mark = escape(cell.text), escape(cell.mark)
        if with_numbers:
            made += [rf"\textbf{{{text}}}" if cell.bold else text, mark]
        else:
            made.append(text + mark.replace("^", ""))  # alone it need not be raised
    return made
