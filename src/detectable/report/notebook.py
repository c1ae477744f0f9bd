"""What a notebook shows of a result: the verdict, the key chart and the first table."""

from detectable.core.result import Result
from detectable.report.blocks_of import blocks_of
from detectable.report.render.page import render_notebook


def in_notebook(result: Result) -> str:
    """Return HTML for the output of a cell."""
    return render_notebook(blocks_of(result))
