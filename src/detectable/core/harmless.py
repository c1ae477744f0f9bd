r"""Text of others, made harmless where it is shown.

A name in somebody's file can hold what moves the cursor of a terminal, hides a part of a line,
or is a formula to a spreadsheet. Here is what each place makes of it.
"""

import re
import unicodedata

# What turns the direction of writing, and with it the order of what a reader sees.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_COMMANDS = ("Cc", "Cs", "Zl", "Zp")  # controls, halves of characters, separators of lines
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBERS = re.compile(r"([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?( |$))+", re.ASCII)


def is_harmful(character: str) -> bool:
    """Say whether a character commands a terminal, breaks a line, or stands for none at all."""
    return unicodedata.category(character) in _COMMANDS or character in _TURNS


def for_terminal(text: str) -> str:
    r"""Return text for a terminal: line ends stay, other commands to it are spelled out.

    Examples
    --------
    >>> for_terminal("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if not any(is_harmful(c) for c in text if c != "\n"):
        return text
    return "".join(
        c if c == "\n" or not is_harmful(c) else c.encode("unicode_escape").decode()
        for c in text
    )


def in_one_line(text: str) -> str:
    r"""Return text in one line, with a space in place of what is no character to read.

    Examples
    --------
    >>> in_one_line("a\x1b[2J\n b")
    'a [2J b'
    """
    return " ".join("".join(" " if is_harmful(c) else c for c in text).split())


def for_spreadsheet(text: str) -> str:
    r"""Return a cell of text that a spreadsheet does not take for a formula.

    What begins like one gets an apostrophe before it, as OWASP advises, and so does what looks like
    a text with that mark: `from_spreadsheet` gives back every text. Numbers stay as they are.

    Examples
    --------
    >>> for_spreadsheet("=1+2"), for_spreadsheet("a=1"), for_spreadsheet("-1.5 2")
    ("'=1+2", 'a=1', '-1.5 2')
    """
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def from_spreadsheet(text: str) -> str:
    r"""Return the text of a cell without the mark of `for_spreadsheet`, if it has one.

    Examples
    --------
    >>> from_spreadsheet("'=1+2"), from_spreadsheet("'tis"), from_spreadsheet("'-1.5 2")
    ('=1+2', "'tis", "'-1.5 2")
    """
    return text[1:] if text.startswith("'") and _is_formula(text.lstrip("'")) else text


def _is_formula(text: str) -> bool:
    return text.startswith(_FORMULA) and not _NUMBERS.fullmatch(text)
