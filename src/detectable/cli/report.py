"""``detectable report``: show results that were kept, one or several, in any form."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, command, note, refuse_existing, refuse_twice

if TYPE_CHECKING:
    from detectable.report.explore.segments import Segments
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
@click.option(
    "--bake",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Write the explorer with these results as one page, down to their segments.",
)
@click.option(
    "--segments/--no-segments",
    default=None,
    help="With --bake: put the segments on the page, read again from the data (default: yes).",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, exists=True),
    help="With --bake: where the commands of the results were typed (default: here).",
)
def report(
    files: tuple[str, ...],
    path: Path | None,
    title: str,
    bake: Path | None,
    *,
    segments: bool | None,
    folder: str | None,
    output: Output,
) -> "Report":
    """Pages from saved results.

    Show results that --out kept, one or several together.

    With -o the terminal gets one line for each; without, all of it.

    \b
    Examples:
        detectable report rank.json
        detectable report compare.json --bake page.html
        detectable report rank.json compare.json -o page.html \\
            --title "June evaluation"
        detectable report before=june/rank.json after=july/rank.json -o page.html
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.report.several import check_ending, name_of
    from detectable.report.several import report as together

    baked = _checked_bake(bake, segments=segments, folder=folder)
    if path is not None:
        check_ending(path)
    written = [one for one in (path, baked) if one is not None]
    refuse_twice([*output.paths(), *written])
    refuse_existing(written, force=output.force)
    named = [_named(text) for text in files]
    names = [name or name_of(file) for name, file in named]
    made = together(*(file for _, file in named), title=title, names=names)
    note(*made.remarks)
    if baked is not None:
        given = dict(zip(names, (file for _, file in named), strict=True))
        found = {} if segments is False else _segments(given, folder or ".")
        page = made.explorer(found)
        output.put(baked, page.text)
        note(*page.notes)
    if path is not None:
        output.put(path, made.form_of(path))
    for one in written:
        click.echo(f"Written: {one}", err=True)
    return replace(made, brief=bool(written) and not output.everything)


def _checked_bake(
    bake: Path | None, *, segments: bool | None, folder: str | None
) -> Path | None:
    """Return the page to bake, or refuse what does not go together."""
    if bake is None:
        for given, option in ((segments, "--segments"), (folder, "--folder")):
            if given is not None:
                raise click.UsageError(f"{option} has no effect without --bake. Drop it.")
    elif bake.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"--bake takes a name that ends in .html; got {str(bake)!r}.")
    return bake


def _segments(files: dict[str, str], folder: str) -> "dict[str, Segments]":
    """Return the segments of every result that has some, and say why the others have none."""
    from detectable.cli.rerun import NotRepeatable, segments_again
    from detectable.report.saved.load import read_saved

    found = {}
    for name, file in files.items():
        try:
            segments = segments_again(read_saved(file), folder)
        except NotRepeatable as error:
            note(f"{name}: its segments are not on the page, since {str(error).rstrip('.')}.")
        else:
            if segments is not None:
                found[name] = segments
    return found


def _named(text: str) -> tuple[str, str]:
    """Read ``name=FILE`` or ``FILE``; a file that is really called so is meant by it."""
    name, equals, file = text.partition("=")
    return (name, file) if equals and name and file and not os.path.exists(text) else ("", text)
