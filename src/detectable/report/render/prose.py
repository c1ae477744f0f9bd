"""Prose for a terminal: lines that break between words, also in scripts without spaces."""

import unicodedata
from collections.abc import Iterator

from detectable.core.harmless import in_one_line
from detectable.report.render.terminal_width import character_columns, text_width

WIDTH = 80  # where the terminal does not say, and the widest prose


def prose(text: str, width: int = WIDTH, mark: str = "") -> str:
    """Break text between words, with `mark` before the first line.

    Text without spaces (Chinese, Japanese) breaks between its characters. A long mark does not
    push all lines to the right.
    """
    limit = min(width, WIDTH)
    indent = " " * min(text_width(mark), limit // 3)
    lines, line, empty = [], mark, True
    for space, piece in _pieces(text):
        gap = " " if space and not empty else ""
        if text_width(line + gap + piece) > limit and (not empty or len(mark) > len(indent)):
            lines.append(line.rstrip())
            line, gap = indent, ""
        line += gap + piece
        empty = False
    return "\n".join([*lines, line.rstrip()]) if line.strip() else ""


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield what no line may break, and whether a space stands before it."""
    for word in one_line(text).split(" "):
        piece, space = "", True
        for character in word:
            # A line may begin with a wide character, but not with a comma or closing bracket.
            closes = unicodedata.category(character) in ("Po", "Pe", "Pf")
            wide = character_columns(character) == 2 or (
                piece and character_columns(piece[-1]) == 2
            )
            if piece and wide and not closes:
                yield space, piece
                piece, space = "", False
            piece += character
        yield space, piece


def one_line(text: str) -> str:
    """Return text without line breaks, tabs and what else moves the cursor of a terminal."""
    return in_one_line(text)
