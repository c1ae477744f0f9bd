"""Files that charts are drawn to: what they end in, and what cannot be drawn."""

from pathlib import Path

import click


def refuse_undrawable(file: str) -> None:
    """Stop before the work if a chart is asked in a form that cannot be drawn."""
    from detectable.report.render.picture import ENDINGS, refuse_without_converter

    ending = ending_of(file)
    if ending not in ENDINGS:
        known = ", ".join(f".{known}" for known in ENDINGS)
        raise click.UsageError(f"--chart {file} must end in one of {known}.")
    if ending != "json":
        refuse_without_converter()


def ending_of(file: str) -> str:
    """Return how the name of a file ends, without the point."""
    return Path(file).suffix.removeprefix(".").lower()
