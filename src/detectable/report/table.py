"""A table of strings, and the forms in which people want it."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "<": "$<$",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and how its cells stand."""

    title: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of ready-made text under headings."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_latex(self) -> str:
        """Return a ``tabular`` with booktabs rules, every character escaped."""
        layout = "".join("l" if column.align == "left" else "r" for column in self.columns)
        lines = [rf"% {self.title}", rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
        lines.append(_latex_row(column.title for column in self.columns))
        lines.append(r"\midrule")
        lines += [_latex_row(row) for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Iterable[str]) -> str:
    escaped = (
        "".join(_LATEX.get(character, character) for character in cell) for cell in cells
    )
    return " & ".join(escaped) + r" \\"


def to_csv(header: tuple[str, ...], rows: Iterable[Sequence[object]]) -> str:
    """Return comma-separated values with full precision, as RFC 4180 wants them."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()
