"""Charts as pictures: SVG for a page, and SVG, PNG, PDF or the specification for a file."""

import html
import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from detectable.core.errors import InputError
from detectable.report.blocks import Block, Chart, sections_of, unsectioned
from detectable.report.charts.theme import (
    COLOUR,
    NARROW,
    WIDE,
    framed,
    is_known,
    text_width,
    untitled,
    visible,
)
from detectable.report.render.csv import refuse_ambiguous
from detectable.report.render.drawing import drawn

ENDINGS = ("svg", "png", "pdf", "json")
HOW_TO_GET = 'pip install "detectable[charts]"'
_SCALE = 2.0  # dots per pixel of a PNG
_TOKEN = {colour: name for name, colour in COLOUR.items()}
_HEX = re.compile(r"#[0-9a-f]{6}")
_DIGITS = re.compile(r"(\d+\.\d\d)\d+")
_NEEDLESS = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events|xmlns:xlink|version|font-family)="[^"]*"'
)
_EMPTY = re.compile(r'<path d="M0,0h0v0h0Z"/>| opacity="1"')
_TAG = re.compile(r"<[^>]*>")
_LETTERING = re.compile(r"<text\b[^>]*>.*?</text>", re.DOTALL)
_LINE = re.compile(r"<(?P<tag>text|tspan)(?P<rest>[^>]*)>(?P<said>[^<]+)</")
_SIZE = re.compile(r'font-size="([\d.]+)px"')
_BOLD = 'font-weight="bold"'
_OUTER = re.compile(
    r'<svg\b(?=[^>]* width="(?P<width>[\d.]+)")(?=[^>]* height="(?P<height>[\d.]+)")[^>]*>'
)
_PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_CLIP = re.compile(r'(?P<before> id="|url\(#)(?P<id>clip\d+)\b')
_SHORT = 2  # letters; a single one stays as it is


def can_draw() -> bool:
    """Say whether the package that draws is installed."""
    return find_spec("vl_convert") is not None


def inline_svg(chart: Chart, width: int, *, name: str) -> str:
    """Return a chart for a page: coloured by the page's own tokens, with one label for all.

    Its coordinates are cut to hundredths of a pixel, and what a page says once is left out: a
    picture is half as large then. What is written in it stays as it is.

    Parameters
    ----------
    name : str
        Its class in CSS.
    """
    svg = _TAG.sub(_slim, _drawn_svg(chart.make(width)))
    opening = f'<svg class="{name}" role="img" aria-label="{html.escape(visible(chart.alt))}"'
    return svg.replace("<svg", opening, 1)


def with_own_clips(page: str, prefix: str = "clip") -> str:
    """Give every picture of a page clips of its own, numbered in their order.

    Who draws numbers them from 1, and begins again where it was started again.

    Examples
    --------
    >>> with_own_clips('<svg><a id="clip7" b="url(#clip7)"></svg><svg><a id="clip7"></svg>')
    '<svg><a id="clip1" b="url(#clip1)"></svg><svg><a id="clip2"></svg>'
    """
    numbers = itertools.count(1)

    def numbered(picture: re.Match[str]) -> str:
        own: dict[str, str] = defaultdict(lambda: f"{prefix}{next(numbers)}")
        return _CLIP.sub(lambda found: found["before"] + own[found["id"]], picture[0])

    return _PICTURE.sub(numbered, page)


def _drawn_svg(made: dict[str, Any]) -> str:
    """Return a chart as SVG whose texts are as wide as they were laid out.

    A reader without Arial, or a font of its widths, sees another one, and many are wider: texts
    would run into each other and out of the frame. ``textLength`` squeezes them instead.
    """
    refuse_without_converter()
    return _LETTERING.sub(_as_laid_out, drawn("svg", made).decode())


def _as_laid_out(text: re.Match[str]) -> str:
    size = _SIZE.search(text[0])
    if size is None:
        return text[0]
    bold = _BOLD in text[0]

    def with_length(line: re.Match[str]) -> str:
        said = " ".join(html.unescape(line["said"]).split())  # as SVG shows white space
        if not is_known(said) or len(said) < _SHORT:
            return line[0]
        length = text_width(said, float(size[1]), bold=bold)
        fixed = f'textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs"'
        return f"<{line['tag']}{line['rest']} {fixed}>{line['said']}</"

    return _LINE.sub(with_length, text[0])


def _slim(tag: re.Match[str]) -> str:
    """Return a tag with the page's colours and without what it does not need."""
    coloured = _HEX.sub(lambda found: _variable(found[0]), tag[0])
    return _EMPTY.sub("", _NEEDLESS.sub("", _DIGITS.sub(r"\1", coloured)))


def _variable(colour: str) -> str:
    return f"var(--{_TOKEN[colour]})" if colour in _TOKEN else colour


# Millimetres of the styles of ACL: a column, and both with the space between them. A column is as
# wide as a phone in letters, so that charts are laid out for it and text is 7.7 points high.
PAPER = {"column": 77.0, "text": 160.0}
_LEAST_PAPER, _MOST_PAPER = 60.0, 400.0
_POINTS = 72.0 / 25.4  # in a millimetre
_DENSE = 300.0  # dots per inch of a PNG for print


def paper_width(given: str) -> float:
    """Return a width on paper in millimetres, as users write it: column, text or a number.

    Examples
    --------
    >>> paper_width("column"), paper_width("90")
    (77.0, 90.0)
    """
    try:
        found = PAPER[given] if given in PAPER else float(given)
    except ValueError:
        found = math.nan
    if not _LEAST_PAPER <= found <= _MOST_PAPER:
        raise InputError(
            f"`width` must be column, text or {_LEAST_PAPER:g} to {_MOST_PAPER:g} millimetres; "
            f"got {given!r}."
        )
    return found


def render_picture(
    chart: Chart,
    ending: str,
    *,
    width: int = WIDE,
    paper: float | None = None,
    title: bool = True,
) -> str | bytes:
    """Return a chart as a file that stands alone, with its title and how to read it.

    Parameters
    ----------
    ending : {'svg', 'png', 'pdf', 'json'}
        ``'json'`` is the Vega-Lite specification, which needs no package to be written.
    width : int
        In pixels.
    paper : float, optional
        The width in millimetres at which it is printed: the chart is laid out anew, so that its
        text has the size of a paper's.
    title : bool
        Whether title and caption stand in the picture, and not only in the text around it.
    """
    if ending not in ENDINGS:
        raise InputError(f"`ending` must be one of {', '.join(ENDINGS)}; got {ending!r}.")
    if paper is not None:
        width = max(round(paper * NARROW / PAPER["column"]), NARROW)
    plain = chart.make(width)
    made = framed(plain, chart.title, chart.caption, width) if title else untitled(plain)
    made["description"] = visible(chart.alt)
    if ending == "json":
        return json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    refuse_without_converter()
    if paper is not None:
        return _printed(made, ending, paper)
    if ending == "svg":
        return _drawn_svg(made)
    return drawn(ending, made, **({"scale": _SCALE} if ending == "png" else {}))


def _printed(made: dict[str, Any], ending: str, paper: float) -> str | bytes:
    """Return a picture that is so many millimetres wide."""
    # In a PDF fonts are embedded; `textLength` is for readers of SVG, who have other ones.
    svg = _drawn_svg(made) if ending == "svg" else drawn("svg", made).decode()
    size = _OUTER.search(svg)
    if size is None:
        raise InputError("the picture has no size. Draw it without a width on paper.")
    wide, high = float(size["width"]), float(size["height"])
    unit, scale = ("mm", 1.0) if ending == "svg" else ("", _POINTS)
    lengths = {"width": paper * scale, "height": paper * high / wide * scale}
    opening = size[0]
    for name, length in lengths.items():
        opening = re.sub(rf' {name}="[^"]*"', f' {name}="{length:.3f}{unit}"', opening, count=1)
    sized = svg.replace(size[0], opening, 1)
    if ending == "svg":
        return sized
    return drawn(ending, sized, **({"ppi": _DENSE} if ending == "png" else {}))


def chosen_chart(blocks: Sequence[Block], name: str | None = None) -> Chart:
    """Return the chart of that name; without one the key chart, or the first."""
    charts = [block for block in unsectioned(blocks) if isinstance(block, Chart)]
    if not charts:
        raise InputError("this result has no chart. Its tables: --csv FILE.")
    if sections_of(blocks):
        refuse_ambiguous("chart", name, [chart.id for chart in charts])
    if name is None:
        return next((chart for chart in charts if chart.key), charts[0])
    found = [chart for chart in charts if chart.id == name]
    if not found:
        known = ", ".join(chart.id for chart in charts)
        raise InputError(f"there is no chart {name!r}; known here: {known}.")
    return found[0]


def refuse_without_converter() -> None:
    """Say how to get the package that draws, where it is missing."""
    if not can_draw():
        raise InputError(
            f"drawing needs the package vl-convert-python. Install it: {HOW_TO_GET}. "
            "A file that ends in .json needs no package."
        )
