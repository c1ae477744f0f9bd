"""Prose for a terminal: lines that break between words, also in scripts without spaces."""

import re
import unicodedata
from collections.abc import Iterator

from detectable.core.harmless import in_one_line
from detectable.report.render.terminal_width import character_columns, text_width

WIDTH = 80  # where the terminal does not say, and the widest prose

# Spaces at which a number would lose its meaning: «p = .03», «α ≤ .05», «[−0.28, +0.85]».
_HELD = re.compile(r" (?=[=<>≤≥±] )|(?<= [=<>≤≥±]) |(?<=[\d%],) (?=[−+]?[\d.]+%?\])")
_NO_BREAK = "\N{NO-BREAK SPACE}"


def prose(text: str, width: int = WIDTH, mark: str = "") -> str:
    """Break text between words, with `mark` before the first line.

    Signs stay with what they compare, intervals with their brackets. Text without spaces (Chinese, Japanese) breaks between its characters. A long mark does not
    push all lines to the right.
    """
    limit = min(width, WIDTH)
    indent = " " * min(text_width(mark), limit // 3)
    lines, line, empty = [], mark, True
    for space, piece in _pieces(text, limit - len(indent)):
        gap = " " if space and not empty else ""
        if text_width(line + gap + piece) > limit and (not empty or len(mark) > len(indent)):
            lines.append(line.rstrip())
            line, gap = indent, ""
        line += gap + piece.replace(_NO_BREAK, " ")
        empty = False
    return "\n".join([*lines, line.rstrip()]) if line.strip() else ""


def _pieces(text: str, room: int) -> Iterator[tuple[bool, str]]:
    """Yield what no line may break, and whether a space stands before it."""
    for word in _words(text, room):
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


def _words(text: str, room: int) -> Iterator[str]:
    for word in _HELD.sub(_NO_BREAK, one_line(text)).split(" "):
        if text_width(word) > room:  # held together it would stand out
            yield from word.split(_NO_BREAK)
        else:
            yield word


def one_line(text: str) -> str:
    """Return text without line breaks, tabs and what else moves the cursor of a terminal."""
    return in_one_line(text)
