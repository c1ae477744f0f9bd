"""Files that charts are drawn into, and what is said where nothing can be drawn."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from detectable.report.blocks import Block


def ending_of(file: str) -> str:
    """Return the ending of a file, which says what is drawn into it."""
    return os.path.splitext(file)[1].removeprefix(".").lower()


def refuse_undrawable(file: str) -> None:
    """Stop before the work if a chart is asked in a form that cannot be drawn."""
    from detectable.report.render.picture import ENDINGS, refuse_without_converter

    ending = ending_of(file)
    if ending not in ENDINGS:
        known = ", ".join(f".{known}" for known in ENDINGS)
        raise click.UsageError(f"--chart {file} must end in one of {known}.")
    if ending != "json":
        refuse_without_converter()


def refuse_without_pictures() -> None:
    """Stop before the work if an interactive page is asked and nothing can draw it."""
    from detectable.report.render.picture import refuse_without_converter

    refuse_without_converter()


def without_pictures(blocks: "Sequence[Block]") -> list[str]:
    """Say how to get pictures, where a page should have some and nothing can draw them."""
    from detectable.report.blocks import Chart
    from detectable.report.render.picture import HOW_TO_GET, can_draw
    from detectable.report.sections import unsectioned

    if can_draw() or not any(isinstance(block, Chart) for block in unsectioned(blocks)):
        return []
    return [f"The page has no pictures, as drawing needs a package. To get them: {HOW_TO_GET}."]
