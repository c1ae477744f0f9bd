"""How many columns of a terminal a text takes, and names that are cut to fit."""

import unicodedata


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(map(character_columns, text))


def character_columns(character: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shorten(name: str, width: int) -> str:
    """Cut a name in the middle: the ends of system names tell them apart.

    Examples
    --------
    >>> shorten("system-with-a-long-name-01", 15)
    'system-…name-01'
    """
    if text_width(name) <= width:
        return name
    head = tail = name
    while text_width(tail) > (width - 1) // 2:
        tail = tail[1:]
    while text_width(head) > width - 1 - text_width(tail):
        head = head[:-1]
    return f"{head}…{tail}"
