"""How wide a text is in Arial, and how to make it fit."""

from unicodedata import east_asian_width

# Advance widths of Helvetica in thousandths of the size, U+0020 to U+007E (Adobe's font metrics
# for the core 14 fonts); Arial and Liberation Sans have the same.
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556,) * 10,
    *(278, 278, 584, 584, 584, 556, 1015),
    *(667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833),
    *(722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611),
    *(278, 278, 278, 469, 556, 333),
    *(556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833),
    *(556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500),
    *(334, 260, 334, 584),
)
_BOLD_ASCII = (  # Helvetica Bold, likewise
    *(278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556,) * 10,
    *(333, 333, 584, 584, 584, 611, 975),
    *(722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833),
    *(722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611),
    *(333, 278, 333, 584, 556, 333),
    *(556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889),
    *(611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500),
    *(389, 280, 389, 584),
)
_SIGNS = {
    "…": 1000,
    "–": 556,
    "—": 1000,
    "−": 584,
    "×": 584,
    "±": 584,
    "·": 333,
    "←": 1000,
    "→": 1000,
    "≤": 549,
    "≥": 549,
    "«": 556,
    "»": 556,
    "\u00a0": 278,
    "▲": 990,
    "▼": 990,
    "●": 604,
    "○": 604,
    "½": 834,
    "²": 333,
}
_OTHER = 600
_WIDE = 1000
_CUT = "…"


def text_width(text: str, size: float = 12, *, bold: bool = False) -> float:
    """Return the width of a text in pixels.

    Examples
    --------
    >>> text_width("BLEU", 12)
    31.344
    """
    widths = _BOLD_ASCII if bold else _ASCII
    return round(sum(_units(letter, widths) for letter in text) * size / 1000, 3)


def is_known(text: str) -> bool:
    """Say whether the widths of all letters are known, so that none is a guess."""
    return all(0 <= ord(letter) - 32 < len(_ASCII) or letter in _SIGNS for letter in text)


def _units(letter: str, widths: tuple[int, ...]) -> int:
    place = ord(letter) - 32
    if 0 <= place < len(widths):
        return widths[place]
    if letter in _SIGNS:
        return _SIGNS[letter]
    return _WIDE if east_asian_width(letter) in "WF" else _OTHER


def widest(texts: list[str], size: float = 12, *, bold: bool = False) -> float:
    """Return the width of the widest text; 0 of none."""
    return max((text_width(text, size, bold=bold) for text in texts), default=0.0)


def wrapped(text: str, width: float, size: float = 12, *, bold: bool = False) -> list[str]:
    """Return a text as lines that are not wider than `width`, unless one word is."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def shortened(text: str, width: float, size: float = 12) -> str:
    """Return a text that fits, cut in the middle: the ends tell names apart.

    Examples
    --------
    >>> shortened("a-system-with-a-long-name-01", 100)
    'a-syste…name-01'
    """
    if text_width(text, size) <= width:
        return text
    for kept in range(len(text) - 1, 1, -1):
        cut = f"{text[: (kept + 1) // 2]}{_CUT}{text[len(text) - kept // 2 :]}"
        if text_width(cut, size) <= width:
            return cut
    return _CUT
