"""Tables for a paper: booktabs, every character escaped, long ones over several pages."""

import re
from collections.abc import Iterable, Sequence

from detectable.core.harmless import in_one_line
from detectable.report.blocks import (
    LEGEND,
    Block,
    Matrix,
    Repeat,
    Section,
    Table,
    Verdict,
)

_LONGEST = 40  # rows of a table that stays on one page
_WIDE = 3  # columns with a larger `keep` stay out
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "[": "{[}",  # after the end of a row a bracket would be taken for its height
    "|": r"\textbar{}",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
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
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
    "σ": r"$\sigma$",
}


def render_latex(blocks: Sequence[Block]) -> str:
    """Return all tables, with verdict and signature as comments.

    Needs the packages booktabs, amssymb, and longtable where a table is long.
    """
    lines = []
    for block in blocks:
        if isinstance(block, Section):
            lines += [_comment(block.name), render_latex(block.blocks)]
        elif isinstance(block, Verdict):
            lines.append(_comment(block.headline))
        elif isinstance(block, Repeat):
            lines.insert(0, _comment(block.signature))
        elif isinstance(block, Table):
            lines.append(table_latex(block))
        elif isinstance(block, Matrix):
            lines.append(_matrix(block))
    return "\n".join(lines).rstrip("\n") + "\n"


def escape(text: str) -> str:
    """Return text that LaTeX prints as it is, in one line."""
    parts = re.split("(?<=-)(?=-)", in_one_line(text))  # two hyphens would become a dash
    return "{}".join("".join(_ESCAPES.get(c, c) for c in part) for part in parts)


def _comment(text: str) -> str:
    return f"% {in_one_line(text)}"


def table_latex(table: Table) -> str:
    """Return a ``tabular``, or a ``longtable`` for what fills more than a page."""
    places = [i for i, column in enumerate(table.columns) if column.keep <= _WIDE]
    columns = [table.columns[i] for i in places]
    layout = "".join("l" if column.left else "r" for column in columns)
    head = _row(column.title for column in columns)
    body = []
    for number, texts in enumerate(table.texts()):
        body += [r"\midrule"] if number in table.breaks else []
        body.append(_row(texts[i] for i in places))
    if len(table.rows) > _LONGEST:
        return _long(table, layout, head, body)
    return "\n".join(
        [
            *(_comment(text) for text in (table.title, table.note) if text),
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _long(table: Table, layout: str, head: str, body: list[str]) -> str:
    caption = escape(". ".join(part for part in (table.title, table.note) if part))
    return "\n".join(
        [
            rf"{{\small\begin{{longtable}}{{{layout}}}",
            rf"\caption{{{caption}}}\\",
            r"\toprule",
            head,
            r"\midrule\endfirsthead",
            r"\toprule",
            head,
            r"\midrule\endhead",
            r"\bottomrule\endlastfoot",
            *body,
            r"\end{longtable}}",
            "",
        ]
    )


def _matrix(matrix: Matrix) -> str:
    n = len(matrix.names)
    rows = []
    for i, name in enumerate(matrix.names):
        rows.append(_row([str(i + 1), name, *(matrix.mark(i, j) for j in range(n))]))
    return "\n".join(
        [
            *(_comment(text) for text in (matrix.title, LEGEND, matrix.note) if text),
            r"{\scriptsize\setlength{\tabcolsep}{2.5pt}",
            rf"\begin{{tabular}}{{rl{'c' * n}}}",
            r"\toprule",
            _row(["", "", *(str(i + 1) for i in range(n))]),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}}",
            "",
        ]
    )


def _row(cells: Iterable[str]) -> str:
    return " & ".join(escape(text) for text in cells) + r" \\"
