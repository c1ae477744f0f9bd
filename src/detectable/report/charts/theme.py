"""Colours, type and the frame that all charts share.

A colour never carries a meaning alone: verdicts have a shape and a word as well, lines a dash and
a label. All marks keep a contrast of 4.5 and more on paper, light and dark.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from detectable.report.charts.lettering import wrapped

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
    return {**made, "title": heading, "background": COLOUR["paper"], "padding": 12}


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
