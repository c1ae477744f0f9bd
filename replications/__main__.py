"""Run the replications and write their tables and figures: ``make replications``.

    python -m replications                    all five, into replications/_build
    python -m replications card2020           one of them

Needs the reference data (DETECTABLE_REFERENCE_DATA).
"""

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from detectable.cli.terminal import Bars
from detectable.core.errors import DetectableError
from detectable.report.render.picture import refuse_without_converter
from replications.listed import KINDS
from replications.papers import PAPERS, Effort
from replications.write import matched, write_index, write_page

VARIABLE = "DETECTABLE_REFERENCE_DATA"
BUILD = Path(__file__).parent / "_build"


@click.command()
@click.argument("papers", nargs=-1, type=click.Choice(list(PAPERS)))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=BUILD,
    show_default="replications/_build",
    help="Where to write.",
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Processes.")
def main(papers: tuple[str, ...], output: Path, jobs: int) -> None:
    """Run PAPERS, all by default, and write a table and the figures of each."""
    data = reference_folder()
    try:
        refuse_without_converter()
    except DetectableError as error:
        raise click.ClickException(str(error)) from error
    pages, seconds = [], {}
    click.echo(f"Matched: {'; '.join(KINDS.values())}.")
    for name in papers or PAPERS:
        started = cpu_seconds()
        # The tables that a replication prints while it runs are for those who run it alone.
        with Bars() as bars, redirect_stdout(io.StringIO()):
            page = PAPERS[name](data, Effort(n_jobs=jobs, progress=bars))
            write_page(page, output)
        seconds[name] = cpu_seconds() - started
        pages.append(page)
        figures = f"{len(page.figures)} figures"
        counts = "".join(f"{count:>12}" for count in matched(page))
        click.echo(f"{name:14} {counts}  {figures:>10}  {seconds[name]:6.0f} s CPU")
        for problem in page.problems:
            click.echo(f"  not as listed: {problem}", err=True)
    write_index(pages, seconds, output)
    click.echo(f"Open {output / 'index.html'}.")
    sys.exit(1 if any(page.problems for page in pages) else 0)


def reference_folder() -> Path:
    """Return the folder of the data, or say in one sentence that it is missing."""
    given = os.environ.get(VARIABLE, "")
    folder = Path(given) / "data"
    if not given or not folder.is_dir():
        found = f"got {given}, which holds no folder data" if given else "it is not set"
        raise click.ClickException(
            f"{VARIABLE} must name the folder of the reference data, which are public but not in "
            f"this repository; {found}. See replications/README.md."
        )
    return folder


def cpu_seconds() -> float:
    """Return the processor time of this process and of those it has started."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main(prog_name="python -m replications")
