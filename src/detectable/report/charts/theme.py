"""Colours, type and the frame that all charts share, the width of texts, and where labels go.

A colour never carries a meaning alone: verdicts have a shape and a word as well, lines a dash and
a label. All marks keep a contrast of 4.5 and more on paper, light and dark.
"""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias
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
    "“": 333,
    "”": 333,
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
    """Return a text that fits, cut in the middle: the ends distinguish names.

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


# --- Colours, type and the frame that all charts share ---
#
# A colour never carries a meaning alone: verdicts have a shape and a word as well, lines a dash and
# a label. All marks keep a contrast of 4.5 and more on paper, light and dark.

Spec: TypeAlias = dict[str, Any]  # a Vega-Lite specification, or a part of one

WIDE = 720  # pixels: a page on a desk
NARROW = 342  # a phone
_NARROW_BELOW = 480
# Arial's widths everywhere. One family alone would draw no text where it is not installed.
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
TEXT = 12  # pixels

TOKENS: Mapping[str, tuple[str, str]] = {  # light and dark
    "paper": ("#ffffff", "#14181d"),
    "ink": ("#1b1f24", "#e8eaed"),
    "soft": ("#57606a", "#a3abb5"),
    "grid": ("#e3e6ea", "#2f353d"),
    "rule": ("#8c959f", "#6e7781"),
    "band": ("#eef1f4", "#20262d"),
    "blind": ("#d5dae0", "#3d454f"),  # too small to be seen
    "better": ("#0067a5", "#56b4e9"),
    "worse": ("#c44e00", "#f0934a"),
    "equal": ("#00795c", "#3cc39a"),
    "undecided": ("#6b7280", "#9aa3ad"),
    "look": ("#8a3f83", "#cc79a7"),
}
COLOUR: Mapping[str, str] = {name: light for name, (light, _) in TOKENS.items()}
SERIES = tuple(COLOUR[name] for name in ("better", "worse", "equal", "look", "ink"))
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3])


def is_narrow(width: float) -> bool:
    """Say whether a chart has to do without what stands beside it."""
    return width < _NARROW_BELOW


def tokens_css(*, dark: bool = False) -> str:
    """Return the colours as custom properties of CSS."""
    return " ".join(f"--{name}: {pair[dark]};" for name, pair in TOKENS.items())


def spec(**parts: Any) -> Spec:
    """Return a whole specification with the house's look."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "config": _config(),
        **parts,
    }


def framed(made: Spec, title: str, caption: str, width: int) -> Spec:
    """Add title and caption to a chart that stands alone in a file."""
    heading = {
        "text": wrapped(title, width, 15, bold=True),
        "subtitle": wrapped(caption, width, TEXT),
        "fontSize": 15,
        "subtitleFontSize": TEXT,
        "subtitleColor": COLOUR["soft"],
        "subtitlePadding": 5,
        "anchor": "start",
        "frame": "bounds",
        "offset": 14,
        "lineHeight": 19,
        "subtitleLineHeight": 16,
    }
    return {**untitled(made), "title": heading, "padding": 12}


def untitled(made: Spec) -> Spec:
    """Return a chart for a file that a text around it explains."""
    return {**made, "background": COLOUR["paper"], "padding": 2}


def _config() -> Spec:
    axis = {
        "domain": False,
        "ticks": False,
        "grid": True,
        "gridColor": COLOUR["grid"],
        "labelColor": COLOUR["soft"],
        "labelFontSize": TEXT,
        "titleColor": COLOUR["soft"],
        "titleFontWeight": "normal",
        "titleFontSize": TEXT,
        "labelPadding": 6,
        "titlePadding": 8,
    }
    return {
        "font": FONT,
        "background": None,
        "view": {"stroke": None},
        "aria": False,  # one label for the whole picture; one per mark would double its size
        "axis": axis,
        "header": {
            "labelColor": COLOUR["ink"],
            "labelFontSize": 13,
            "labelFontWeight": "bold",
            "titleColor": COLOUR["soft"],
            "labelAnchor": "start",
        },
        "legend": {
            "labelColor": COLOUR["ink"],
            "labelFontSize": TEXT,
            "titleColor": COLOUR["soft"],
            "titleFontWeight": "normal",
            "titleFontSize": TEXT,
            "orient": "top",
            "direction": "horizontal",
            "offset": 4,
            "columnPadding": 16,
            "symbolSize": 80,
        },
        "text": {"color": COLOUR["ink"], "fontSize": TEXT, "font": FONT},
        "title": {
            "anchor": "start",
            "color": COLOUR["ink"],
            "fontSize": 13,
            "fontWeight": "bold",
            "offset": 8,
            "font": FONT,
            "subtitleColor": COLOUR["soft"],
        },
        "point": {"opacity": 1},
        "tick": {"opacity": 1},
        "concat": {"spacing": 22},
        "facet": {"spacing": 22},
    }


# --- Where labels go so that none covers another ---


class Place(NamedTuple):
    """Where a label stands beside its point."""

    align: str
    dx: float
    dy: float


_PLACES = (
    Place("left", 9, 0),
    Place("right", -9, 0),
    Place("left", 7, -9),
    Place("left", 7, 9),
    Place("right", -7, -9),
    Place("right", -7, 9),
    Place("center", 0, -13),
    Place("center", 0, 13),
    # Farther off, where the near ones are taken.
    Place("left", 7, -17),
    Place("left", 7, 17),
    Place("right", -7, -17),
    Place("right", -7, 17),
    Place("center", 0, -19),
    Place("center", 0, 19),
)
_ROUNDS = 200
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


def dodge(positions: Sequence[float], gap: float) -> list[float]:
    """Move positions apart until neighbours keep `gap`; their order stays.

    Examples
    --------
    >>> dodge([10.0, 12.0, 40.0], 14)
    [4.0, 18.0, 40.0]
    """
    order = sorted(range(len(positions)), key=lambda place: positions[place])
    moved = list(positions)
    for _ in range(_ROUNDS):
        close = [(a, b) for a, b in pairwise(order) if moved[b] - moved[a] < gap - 1e-6]
        if not close:
            break
        for a, b in close:
            push = (gap - moved[b] + moved[a]) / 2
            moved[a] -= push
            moved[b] += push
    return moved


def place_labels(
    points: Sequence[tuple[float, float, str]],
    width: float,
    height: float,
    *,
    size: float = 11,
    radius: float = 6,
    taken: Sequence[Box] = (),
) -> list[Place | None]:
    """Return a place for the label of each point, or None where there is no room for it.

    Parameters
    ----------
    points : sequence of (x, y, text)
        In pixels, downwards. The first ones choose first.
    radius : float
        Of a point, which no label may cover.
    taken : sequence of Box
        Where something else is written already.
    """
    kept: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for x, y, _ in points]
    kept += taken
    chosen: list[Place | None] = []
    for own, (x, y, text) in enumerate(points):
        found = None
        for place in _PLACES:
            box = _box(x, y, text_width(text, size), place, size)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            others = (other for k, other in enumerate(kept) if k != own)
            if inside and not any(clash(box, other) for other in others):
                found = place
                kept.append(box)
                break
        chosen.append(found)
    return chosen


def boxes_along(points: Sequence[tuple[float, float]], *, step: float = 6) -> list[Box]:
    """Return small boxes along a line through points, which labels are to keep off.

    Examples
    --------
    >>> boxes_along([(0, 0), (18, 0)])
    [(4.0, -2.0, 8.0, 2.0), (10.0, -2.0, 14.0, 2.0)]
    """
    boxes: list[Box] = []
    for (x, y), (to_x, to_y) in pairwise(points):
        steps = max(2, int(math.hypot(to_x - x, to_y - y) / step))
        for k in range(1, steps):
            at, down = x + (to_x - x) * k / steps, y + (to_y - y) * k / steps
            boxes.append((at - 2, down - 2, at + 2, down + 2))
    return boxes


def _box(x: float, y: float, width: float, place: Place, size: float) -> Box:
    before = {"left": 0.0, "right": width, "center": width / 2}[place.align]
    left, middle = x + place.dx - before, y + place.dy
    return left, middle - 0.55 * size, left + width, middle + 0.55 * size


def clash(a: Box, b: Box) -> bool:
    """Say whether two boxes overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


# --- The colours of pages and their charts, as CSS: light and dark; paper is light ---


def colours_css(root: str = ":root") -> str:
    """Return the custom properties.

    Parameters
    ----------
    root : str
        The selector under which they hold.
    """
    light = f"{tokens_css()} --shade: #1b1f2433;"
    dark = f"{tokens_css(dark=True)} --shade: #000c;"
    return (
        f"{root} {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ {root} {{ {dark} }} }}\n"
        f"@media print {{ {root} {{ color-scheme: light; }} }}"
    )


# --- Names of strangers in pictures ---

# Characters that XML 1.0 forbids (section 2.2 of the recommendation): no picture can hold them.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def visible(value: Any) -> Any:
    r"""Return a specification in which every character can stand in a picture.

    Examples
    --------
    >>> visible({"a": ["x\x1by", 1, "\ufffe"]})
    {'a': ['x␛y', 1, '�']}
    """
    if isinstance(value, str):
        return _FORBIDDEN.sub(_sign, value)
    if isinstance(value, dict):
        return {visible(key): visible(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [visible(one) for one in value]
    return value


def _sign(found: re.Match[str]) -> str:
    # Not spelled out as \\x1b: an expression of Vega would read that as the character itself.
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
