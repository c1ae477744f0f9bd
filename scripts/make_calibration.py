"""Measure error rates, coverage and power, and write the tables into docs/calibration.md.

    make calibration                                      all of them: hours
    python scripts/make_calibration.py --quick            a check that they all run
    python scripts/make_calibration.py --only families    one section

A section stands between ``<!-- tables NAME -->`` and ``<!-- end NAME -->``, or each of its tables
between markers with a number, ``<!-- tables NAME 1 -->``. Only what is between them is written, the
prose around is kept; a section without a place on the page is printed. Needs the reference data
(DETECTABLE_REFERENCE_DATA).
"""

import os
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the measurements are part of the tests, which are not installed

from tests.calibration.effort import Effort  # noqa: E402
from tests.calibration.sections import SECTIONS, TRIALS  # noqa: E402

PAGE = ROOT / "docs" / "calibration.md"
QUICK = 40  # data sets per table, for a check


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(SECTIONS)), help="Just these.")
@click.option("--quick", is_flag=True, help=f"{QUICK} data sets; printed and not written.")
@click.option("--trials", type=int, help="Data sets per table; by default as on the page.")
@click.option("--seed", default=2021, show_default=True, help="Repeats the tables.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Processes.")
def main(
    only: tuple[str, ...], trials: int | None, seed: int, jobs: int, *, quick: bool
) -> None:
    """Measure, and write the tables into docs/calibration.md."""
    if not os.environ.get("DETECTABLE_REFERENCE_DATA"):
        raise click.ClickException("DETECTABLE_REFERENCE_DATA must name the reference data.")
    with _workers(jobs) as pool:
        for name in only or SECTIONS:
            started = time.monotonic()
            wanted = QUICK if quick else trials or TRIALS[name]
            effort = Effort(wanted, seed, executor=pool)
            tables = list(SECTIONS[name](effort))
            page = PAGE.read_text("utf-8")
            if quick or f"<!-- tables {name}" not in page:
                click.echo("\n\n".join(tables))
            else:
                # One section at a time: hours of work survive an interruption.
                PAGE.write_text(written(page, name, tables), "utf-8")
            click.echo(f"{name}: {time.monotonic() - started:.0f} s", err=True)


def _workers(jobs: int) -> Executor:
    """Return processes that serve all tables: starting them anew for each would cost minutes."""
    return ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn"))


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
