"""``detectable report``: show results that were kept, one or several, in any form."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, command, note, refuse_existing

if TYPE_CHECKING:
    from detectable.report.several import Report


@command(keeps=False)
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]RESULT…")
@click.option(
    "--output",
    "-o",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it all to one file: .html, .md, .tex or .txt; see --html for the others.",
)
@click.option("--title", default="", help="What the results are about.")
def report(
    files: tuple[str, ...], path: Path | None, title: str, *, output: Output
) -> "Report":
    """Show results that --out kept, one or several together.

    With -o the terminal gets one line for each; without, all of it.

    \b
    Examples:
        detectable report rank.json
        detectable report rank.json compare.json -o page.html --title "June evaluation"
        detectable report before=june/rank.json after=july/rank.json -o page.html
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.report.several import check_ending, name_of
    from detectable.report.several import report as together

    if path is not None:
        check_ending(path)
        refuse_existing([path], force=output.force)
    named = [_named(text) for text in files]
    names = [name or name_of(file) for name, file in named]
    made = together(*(file for _, file in named), title=title, names=names)
    note(*made.remarks)
    if path is None:
        return made
    output.put(path, made.form_of(path))
    click.echo(f"Written: {path}", err=True)
    return replace(made, brief=not output.everything)


def _named(text: str) -> tuple[str, str]:
    """Read ``name=FILE`` or ``FILE``; a file that is really called so is meant by it."""
    name, equals, file = text.partition("=")
    return (name, file) if equals and name and file and not os.path.exists(text) else ("", text)
