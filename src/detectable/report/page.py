"""A result as one HTML file: no network, no script, nothing beside it."""

from functools import cache
from typing import TYPE_CHECKING

from detectable.core.wording import p_statement
from detectable.report.comparison import (
    documents_table,
    pairs_table,
    segments_to_read,
    systems_table,
)
from detectable.study.comparison.result import Comparison

if TYPE_CHECKING:
    from jinja2 import Environment


def comparison_page(result: Comparison, *, title: str = "Comparison of systems") -> str:
    """Return the whole page of a comparison."""
    tables = [pairs_table(result), systems_table(result), documents_table(result)]
    page: str = (
        _templates()
        .get_template("comparison.html.j2")
        .render(
            title=title,
            result=result,
            p_statement=p_statement,
            sentences=[(pair.verdict, result.sentence(pair)) for pair in result.pairs],
            tables=[table for table in tables if table is not None],
            segments=segments_to_read(result),
        )
    )
    return page


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("detectable.report"), autoescape=True, undefined=StrictUndefined
    )
