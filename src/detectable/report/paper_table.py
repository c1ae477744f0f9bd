"""What a paper prints and no other form does: a table that is set as papers set it.

`PaperTable` is a block like the others: a result offers it among its blocks, only LaTeX shows
it. Its texts are plain; ⁺ ⁻ ⁼ ⋆ † ‡ stand for marks that are raised.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from detectable.core.errors import InputError

# A score has room behind it for half an interval and a mark.
PaperKind: TypeAlias = Literal["name", "number", "score"]


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column; `over` is a heading that it shares with the columns beside it."""

    title: str
    kind: PaperKind = "number"
    over: str = ""


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A cell: its text, what stands beside it, and a raised mark.

    Beside a score stands half an interval, small and behind ±; beside a name what it is, in
    brackets.
    """

    text: str
    beside: str = ""
    mark: str = ""
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table for a paper, with the caption that it needs to be understood.

    Attributes
    ----------
    id : str
        Its label is ``tab:ID``.
    caption : str
        What the numbers are; the test, its correction and its level; what is not marked.
    rows : tuple of tuple of PaperCell
        One cell per column.
    breaks : tuple of int
        Rows above which a rule is drawn.
    """

    id: str
    caption: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[tuple[PaperCell, ...], ...]
    breaks: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InputError(
                    f"row {number} of paper table {self.id!r} must have {len(self.columns)} "
                    f"cells, one per column; got {len(row)}."
                )


@dataclass(frozen=True, slots=True)
class PairNumbers:
    """What a paper prints in a matrix of pairs: differences, row − column, and their p-values.

    Attributes
    ----------
    differences, p_values : nested tuples
        [row][column]; None where two systems were not compared.
    digits : int
        Decimals of a difference.
    alpha : float
        The level: a p-value up to it is marked.
    caption : str
        Goes on after “Differences (row − column)”: in what, the test, its correction, its level.
    told : str
        What is said of a pair whose p-value is marked.
    same : str
        What is said of a pair that was tested for a difference and found equivalent.
    """

    differences: tuple[tuple[float | None, ...], ...]
    p_values: tuple[tuple[float | None, ...], ...]
    digits: int
    alpha: float
    caption: str
    told: str = "significantly different"
    same: str = ""

    @classmethod
    def build(
        cls,
        names: Sequence[str],
        pairs: Mapping[tuple[str, str], tuple[float, float]],
        *,
        digits: int,
        alpha: float,
        caption: str,
        told: str = "significantly different",
        same: str = "",
    ) -> "PairNumbers":
        """Arrange difference and p-value of every pair; a pair read backwards changes its sign."""
        both = {(b, a): (-difference, p) for (a, b), (difference, p) in pairs.items()} | dict(
            pairs
        )
        found = [[both.get((a, b), (None, None)) for b in names] for a in names]
        return cls(
            tuple(tuple(difference for difference, _ in row) for row in found),
            tuple(tuple(p for _, p in row) for row in found),
            digits,
            alpha,
            caption,
            told,
            same,
        )


def significance_marks(alpha: float) -> tuple[tuple[float, str], ...]:
    """Return the levels that are marked and their marks, the strictest first.

    Examples
    --------
    >>> significance_marks(0.05)
    ((0.001, '‡'), (0.01, '†'), (0.05, '⋆'))
    >>> significance_marks(0.01)
    ((0.001, '†'), (0.01, '⋆'))
    """
    levels = [alpha, *(level for level in (0.01, 0.001) if level < alpha)]
    return tuple(zip(levels, "⋆†‡", strict=False))[::-1]


def mark_of(p: float | None, marks: Sequence[tuple[float, str]]) -> str:
    """Return the mark of a p-value; nothing above the level."""
    return next((mark for level, mark in marks if p is not None and p <= level), "")


def marks_legend(alpha: float) -> str:
    """Say what the marks of p-values stand for.

    Examples
    --------
    >>> marks_legend(0.01)
    '⋆ p ≤ .01, † p ≤ .001'
    """
    marks = reversed(significance_marks(alpha))
    return ", ".join(f"{mark} p ≤ {f'{level:g}'.lstrip('0')}" for level, mark in marks)
