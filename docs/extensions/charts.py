"""Charts on the site, drawn while it is built. On a forge their markers are not seen.

``<!-- chart NAME -->`` draws a chart of this folder, ``<!-- chart ID = EXPRESSION -->`` a chart of a
result, without ID its first. In the expression `dt` is the package, `campaign` the bundled one and
`good` its judgments by raters who passed. Charts are inline SVG with the colours of the page, in two
widths, of which one is shown.
"""

import html
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

import detectable as dt
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.theme import NARROW, WIDE, tokens_css
from detectable.report.render.picture import HOW_TO_GET, can_draw, chosen_chart, inline_svg

MARKER = re.compile(r"^<!-- chart (?P<what>[^\n]+?) -->$", re.MULTILINE)
STYLE = f"""<style>
body {{ {tokens_css()} }}
body[data-theme="dark"] {{ {tokens_css(dark=True)} }}
@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{ {tokens_css(dark=True)} }} }}
</style>"""
LOG = logging.getLogger(__name__)


def figure(chart: Chart, source: str = "") -> str:
    """Return a chart as HTML that needs nothing else, with what it was made from."""
    wide = inline_svg(chart, WIDE, name="wide")
    narrow = inline_svg(chart, NARROW, name="narrow")
    said = f"<strong>{html.escape(chart.title)}.</strong> {html.escape(chart.caption)}"
    if source:
        campaign = re.search("campaign|good", source)
        where = "The campaign of the demo: " if campaign else "Made by "
        said += f" {where}<code>{html.escape(source)}</code>."
    return f'<figure class="chart">{wide}{narrow}<figcaption>{said}</figcaption></figure>'


@cache
def _names() -> dict[str, Any]:
    campaign = dt.example_campaign()
    good = dt.quality_control(campaign.judgments).apply(campaign.judgments)
    return {"dt": dt, "campaign": campaign, "good": good}


def drawn(what: str) -> str:
    """Return the figure that a marker asks for."""
    name, equals, expression = what.partition("= ")
    if not equals:
        return figure(NAMED[name]())
    result = eval(expression, dict(_names()))
    return figure(chosen_chart(blocks_of(result), name.strip() or None), expression)


def _calibration() -> Chart:
    from calibration_tables import groups

    from detectable.report.charts.past import calibration_chart

    return calibration_chart(groups(), twin="tables")


def _performance() -> Chart:
    from performance_chart import performance_chart

    return performance_chart()


def _performance_in_process() -> Chart:
    from performance_chart import performance_chart

    return performance_chart(whole=False)


NAMED: dict[str, Callable[[], Chart]] = {
    "calibration": _calibration,
    "performance": _performance,
    "performance-in-process": _performance_in_process,
}


def _draw(_app: Sphinx, name: str, source: list[str]) -> None:
    if not MARKER.search(source[0]):
        return
    if not can_draw():
        LOG.info("%s: without its charts (%s)", name, HOW_TO_GET)
        return
    text = MARKER.sub(lambda found: f"```{{raw}} html\n{drawn(found['what'])}\n```", source[0])
    source[0] = f"{text}\n\n```{{raw}} html\n{STYLE}\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the step."""
    app.connect("source-read", _draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
