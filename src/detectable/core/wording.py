"""Numbers and texts of others, as they are shown and read: one way to print a p-value or a score."""

import math
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detectable.core.interval import Interval

_OFTEN = {
    0.5: "every other time",
    0.75: "three times in four",
    0.8: "four times in five",
    0.9: "nine times in ten",
    0.95: "19 times in 20",
    0.99: "99 times in 100",
}


def percent(share: float) -> str:
    """Return a share as percent, never as all of it where something is missing."""
    return "over 99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def share_text(value: float) -> str:
    """Return a small share as percent, never as zero."""
    if value >= 0.1:
        return f"{value:.0%}"
    return f"{value:.1%}" if value >= 0.001 else "<0.1%"


def p_value(value: float) -> str:
    """Return a p-value with four decimals, never as zero."""
    if math.isnan(value):
        return "–"
    shown = f"{value:.4f}"
    if shown == "0.0000":
        return "<.0001"
    return "1" if shown == "1.0000" else pointed(shown)


def pointed(number: str) -> str:
    """Return a number below 1 as papers print it: without the zero before its point.

    Examples
    --------
    >>> pointed("0.05"), pointed("1.5")
    ('.05', '1.5')
    """
    return number.lstrip("0")


def p_statement(value: float) -> str:
    """Return ``p = .0123`` or ``p < .0001``.

    Examples
    --------
    >>> p_statement(0.01234), p_statement(1e-9)
    ('p = .0123', 'p < .0001')
    """
    shown = p_value(value)
    return f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"


def number(
    value: float | None, *, digits: int = 2, sign: bool = False, thousands: bool = False
) -> str:
    """Return a number with fixed decimals and a real minus, or a dash where there is none.

    Examples
    --------
    >>> number(-1234.5, digits=1, thousands=True), number(0.25, sign=True), number(None)
    ('−1,234.5', '+0.25', '–')
    >>> number(float("inf"), sign=True), number(float("-inf"))
    ('+∞', '−∞')
    >>> number(-0.00004, digits=4), number(-0.0, digits=1, sign=True)  # what rounds to 0 has no side
    ('0.0000', '0.0')
    """
    if value is None or math.isnan(value):
        return "–"
    form = f"{'+' if sign else ''}{',' if thousands else ''}.{digits}f"
    shown = format(value, form)
    if shown.startswith("-") and not any(digit in shown for digit in "123456789i"):
        shown = shown[1:]
    return shown.replace("-", "−").replace("inf", "∞")


def significant(value: float, digits: int = 3) -> str:
    """Return a number with a few significant digits and a real minus, for a sentence.

    Examples
    --------
    >>> significant(1.06689), significant(-0.00123456), significant(2400.0)
    ('1.07', '−0.00123', '2,400')
    """
    return f"{float(f'{value:.{digits}g}'):,.10g}".replace("-", "−")


def how_often(share: float) -> str:
    """Return a chance in words where there are some, for a sentence.

    Examples
    --------
    >>> how_often(0.8), how_often(0.8125)
    ('four times in five', '81% of the time')
    """
    return _OFTEN.get(round(share, 6), f"{share:.0%} of the time")


def decimals(value: float) -> int:
    """Return as many decimals as a number was given with: a margin of .005 is not 0.01.

    Examples
    --------
    >>> decimals(0.005), decimals(3.0)
    (3, 0)
    """
    return len(f"{value:.10f}".rstrip("0").partition(".")[2])


def visible(value: float, digits: int) -> int:
    """Return enough decimals for a number above zero not to be printed as zero.

    Examples
    --------
    >>> visible(0.41, 2), visible(0.00041, 2), visible(0.0, 2)
    (2, 4, 2)
    """
    if not 0.0 < value < 0.5 * 10.0**-digits:
        return digits
    return max(digits, -math.floor(math.log10(value)))


def interval(value: "Interval | None", *, digits: int = 2, sign: bool = False) -> str:
    """Return ``[low, high]``, or a dash where there is none."""
    if value is None:
        return "–"
    low, high = (number(x, digits=digits, sign=sign) for x in (value.low, value.high))
    return f"[{low}, {high}]"


def scale_words(low: float, high: float) -> str:
    """Return a scale with its ends; one of them may be open.

    Examples
    --------
    >>> scale_words(0.0, 100.0), scale_words(-math.inf, 0.0)
    ('scale 0 to 100', 'scale, which ends at 0')
    """
    if math.isinf(low):
        return f"scale, which ends at {high:g}"
    if math.isinf(high):
        return f"scale, which begins at {low:g}"
    return f"scale {low:g} to {high:g}"


def capital(text: str) -> str:
    """Return a sentence with a capital; not for one that begins with a name."""
    return f"{text[:1].upper()}{text[1:]}"


def begun(text: str) -> str:
    """Return a sentence with a capital, unless it begins with a name, which stays as it is.

    Examples
    --------
    >>> begun("undecided between a and b."), begun("a is better than b.")
    ('Undecided between a and b.', 'a is better than b.')
    """
    worded = text.startswith(("undecided ", "not shown "))
    return capital(text) if worded else text


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return ``1 segment`` or ``1,002 segments``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listing(items: list[str], *, most: int = 5) -> str:
    """Join names with commas, cutting a long list and saying how many were cut."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def plain_digits(text: str) -> str:
    """Return the text of a number, if it has no digits or signs that only Python would take.

    Python reads ``1_000`` and digits of all scripts, for which others have another number or none.

    Examples
    --------
    >>> float(plain_digits("1e-3"))
    0.001
    >>> plain_digits("1_000")
    Traceback (most recent call last):
    ...
    ValueError: a number has the digits 0 to 9, and no underscores
    """
    if "_" in text or not text.isascii():
        raise ValueError("a number has the digits 0 to 9, and no underscores")
    return text


# --- Text of others, made harmless where it is shown ---
#
# A name in somebody's file can hold what moves the cursor of a terminal, hides a part of a line,
# or is a formula to a spreadsheet. Here is what each place makes of it.

# What turns the direction of writing, and with it the order of what a reader sees.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_COMMANDS = ("Cc", "Cs", "Zl", "Zp")  # controls, halves of characters, separators of lines
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# What GitHub's runner takes for a command; to it a carriage return ends a line, too.
_RUNNER = re.compile(r"(?:^|\r)[^\S\n]*::|##\[", re.MULTILINE)
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
    text = for_runner(text)
    if not any(is_harmful(c) for c in text if c != "\n"):
        return text
    return "".join(
        c if c == "\n" or not is_harmful(c) else c.encode("unicode_escape").decode()
        for c in text
    )


def for_runner(text: str) -> str:
    r"""Return text in which a runner of GitHub Actions finds no command.

    It takes a line that begins with ``::`` for one, with blanks before it too, and ``##[`` anywhere.
    A space of no width parts them: people read the same.

    Examples
    --------
    >>> for_runner("  ::stop-commands::x").encode("ascii", "backslashreplace")
    b'  :\\u200b:stop-commands::x'
    """
    return _RUNNER.sub(lambda found: f"{found[0][:-1]}\u200b{found[0][-1]}", text)


def in_one_line(text: str) -> str:
    r"""Return text in one line, with a space in place of what is no character to read.

    Examples
    --------
    >>> in_one_line("a\x1b[2J\n b")
    'a [2J b'
    """
    if not text.isprintable():  # nearly all text is, which is told at once
        text = "".join(" " if is_harmful(c) else c for c in text)
    return " ".join(text.split())


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
