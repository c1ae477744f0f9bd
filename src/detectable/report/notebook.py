"""What a notebook shows of a result: the verdict, the key chart and the first table."""

from html import escape

from detectable.core.result import Result
from detectable.report.blocks_of import blocks_of, can_show
from detectable.report.render.page import render_notebook


def in_notebook(result: Result) -> str:
    """Return HTML for the output of a cell; the summary, where a result has no blocks."""
    if not can_show(result):
        return f"<pre>{escape(result.summary())}</pre>"
    return render_notebook(blocks_of(result))
