"""The first lines of a file of scores, by which its format is told."""

import re

from detectable.data.files.content import FileContent
from detectable.data.files.missing import is_missing

_PEEK = 50  # lines that must agree on a format
_NUMBER = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?")


def first_lines(content: FileContent) -> list[str]:
    """Return the first lines of a text without outer space; none of what is no text or JSON."""
    if not content.first_line or content.first_line.startswith(("{", "[")):
        return []
    return [line.strip() for line in content.text.strip().split("\n", _PEEK)[:_PEEK]]


def is_score(text: str) -> bool:
    """Return whether a text is a number, or says that there is none.

    Examples
    --------
    >>> is_score("-1.5e-3"), is_score("None"), is_score("score")
    (True, True, False)
    """
    return is_missing(text) or _NUMBER.fullmatch(text) is not None
