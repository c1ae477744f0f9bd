"""How wide a table will be on paper, before LaTeX sets it.

Widths are those of Computer Modern, in which LaTeX sets by default and which is wider than Times:
what fits here fits in the styles of conferences.
"""

import unicodedata
from collections.abc import Sequence
from typing import Literal, TypeAlias

from detectable.report.render.latex_text import is_printable, normalised
from detectable.report.render.terminal_width import shorten, text_width

Size: TypeAlias = Literal["normalsize", "small", "footnotesize", "scriptsize"]

COLUMN = 219.0  # points: a column of a paper in two columns (77 mm, as in the style of ACL)
PAGE = 455.0  # points: both columns (160 mm)
# Of a font of 10 points: cmr10, by tftopl.
_GROUPS = {
    2.8: "il!',.:;[]`|",
    3.4: "fj- ",
    4.0: "Irst()",
    4.5: "cez",
    5.0: '?0123456789ago$*/\\^{}~"_–·',
    5.4: "Jkqvxy⋆†‡",
    5.7: "bdhnpuS",
    6.9: "ZLFEPßæ",
    7.3: "BwCT",
    7.9: "RAHNUVXYDGKOQ&+=@<>−±×≤≥α○▲▼◆↑↓«»",
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
