"""Measure error rates, coverage and power, and write the tables into docs/calibration.md.

    make calibration                                      all of them: hours
    python scripts/make_calibration.py --quick            a check that they all run
    python scripts/make_calibration.py --only families    one section
    python scripts/make_calibration.py --notes            reasons alone: nothing is measured
    python scripts/make_calibration.py --checkpoint night --scheduler tcp://10.0.0.1:8786

With --checkpoint the finished blocks of each section stand in a file of that folder: the same
command goes on after a crash. On a cluster the workers need this folder on their PYTHONPATH.

A section stands between ``<!-- tables NAME -->`` and ``<!-- end NAME -->``, or each of its tables
between markers with a number, ``<!-- tables NAME 1 -->``. Only what is between them is written, the
prose around is kept; a section without a place on the page is printed. Every row with a bold number
says why, from tests/calibration/reasons.py; rows without a reason are named at the end, with exit
code 1. Needs the reference data (DETECTABLE_REFERENCE_DATA).
"""

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
from click.core import ParameterSource

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the measurements are part of the tests, which are not installed

from detectable.core.checkpoint import checkpoint  # noqa: E402
from detectable.core.errors import DetectableError  # noqa: E402
from detectable.core.scheduler import scheduler  # noqa: E402
from tests.calibration.effort import Effort  # noqa: E402
from tests.calibration.reasons import noted, unexplained  # noqa: E402
from tests.calibration.sections import SECTIONS, TRIALS  # noqa: E402

PAGE = ROOT / "docs" / "calibration.md"
QUICK = 40  # data sets per table, for a check
_SECTION = re.compile(r"<!-- tables (.+?) -->\n\n(.*?)\n\n<!-- end \1 -->", re.DOTALL)


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(SECTIONS)), help="Just these.")
@click.option("--quick", is_flag=True, help=f"{QUICK} data sets; printed and not written.")
@click.option("--trials", type=int, help="Data sets per table; by default as on the page.")
@click.option("--seed", default=2021, show_default=True, help="Repeats the tables.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Processes.")
@click.option("--scheduler", "address", help="Dask cluster in place of --jobs.")
@click.option(
    "--checkpoint",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep finished blocks in this folder, a file per section.",
)
@click.option("--notes", is_flag=True, help="Write the reasons anew, and measure nothing.")
def main(
    only: tuple[str, ...],
    trials: int | None,
    seed: int,
    jobs: int,
    address: str | None,
    folder: Path | None,
    *,
    quick: bool,
    notes: bool,
) -> None:
    """Measure, and write the tables into docs/calibration.md."""
    if notes:
        PAGE.write_text(with_notes(PAGE.read_text("utf-8")), "utf-8")
        refuse_unexplained()
        return
    if not os.environ.get("DETECTABLE_REFERENCE_DATA"):
        raise click.ClickException("DETECTABLE_REFERENCE_DATA must name the reference data.")
    given = click.get_current_context().get_parameter_source("jobs")
    if address is not None and given is not ParameterSource.DEFAULT:
        raise click.UsageError("--scheduler takes the place of --jobs. Drop one of them.")
    try:
        with _workers(jobs) if address is None else scheduler(address) as pool:
            for name in only or SECTIONS:
                started = time.monotonic()
                wanted = QUICK if quick else trials or TRIALS[name]
                with _kept(folder, name):
                    tables = list(SECTIONS[name](Effort(wanted, seed, executor=pool)))
                show(name, tables, printed=quick)
                click.echo(f"{name}: {time.monotonic() - started:.0f} s", err=True)
    except DetectableError as error:
        raise click.ClickException(str(error)) from error
    if not quick:
        refuse_unexplained()


def with_notes(page: str) -> str:
    """Return the page with the reasons of today in all its tables."""

    def again(found: re.Match[str]) -> str:
        name, body = found.groups()
        return found[0].replace(body, noted(_section(name), body))

    return _SECTION.sub(again, page)


def refuse_unexplained() -> None:
    """End with the rows of the page that are off and do not say why: their numbers are written."""
    page = PAGE.read_text("utf-8")
    lacking = [
        row
        for name, body in _SECTION.findall(page)
        for row in unexplained(_section(name), body)
    ]
    if lacking:
        raise click.ClickException(
            "these rows are more than two standard errors off and do not say why. Give each a "
            "reason in tests/calibration/reasons.py, and type --notes:\n" + "\n".join(lacking)
        )


def _section(marker: str) -> str:
    """Return the name of a section; a table between markers of its own has a number behind it."""
    return re.sub(r" \d+$", "", marker)


def _workers(jobs: int) -> "contextlib.AbstractContextManager[Executor | None]":
    """Return processes that serve all tables: starting them anew for each would cost minutes."""
    if jobs == 1:
        return contextlib.nullcontext()
    return ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn"))


@contextlib.contextmanager
def _kept(folder: Path | None, name: str) -> Iterator[None]:
    """Keep the blocks of a section in a file of its own, so that any sections can be asked for."""
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with checkpoint(folder / f"{name}.blocks") as kept:
        yield
    click.echo(f"{name}: {kept.taken} blocks from {kept.path}, {kept.done} computed", err=True)


def show(name: str, tables: list[str], *, printed: bool) -> None:
    """Write the tables of a section onto the page, or print them if they have no place there."""
    tables = [noted(name, table) for table in tables]
    page = PAGE.read_text("utf-8")
    if printed or f"<!-- tables {name}" not in page:
        click.echo("\n\n".join(tables))
    else:
        # One section at a time: hours of work survive an interruption.
        PAGE.write_text(written(page, name, tables), "utf-8")


def written(page: str, name: str, tables: list[str]) -> str:
    """Return the page with the tables of one section replaced."""
    if f"<!-- tables {name} 1 -->" in page:  # with prose between the tables
        for i, table in enumerate(tables, start=1):
            page = _replaced(page, f"{name} {i}", table)
        return page
    return _replaced(page, name, "\n\n".join(tables))


def _replaced(page: str, name: str, body: str) -> str:
    start, end = f"<!-- tables {name} -->", f"<!-- end {name} -->"
    if page.count(start) != 1 or page.count(end) != 1 or page.index(start) > page.index(end):
        raise click.ClickException(
            f"docs/calibration.md must hold {start} and {end} once, in this order. Put them where "
            "the tables belong."
        )
    before, rest = page.split(start)
    _, after = rest.split(end)
    return f"{before}{start}\n\n{body}\n\n{end}{after}"


if __name__ == "__main__":
    main()
