"""``detectable labels``: how many human labels beside a judge."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading, refuse
from detectable.core.choices import Target

if TYPE_CHECKING:
    from detectable.study.precision.label_plan import Labels


@command()
@click.option("--half-width", type=float, help="Of the interval of one system's mean.")
@click.option(
    "--mde", type=float, help="Or: the difference of two systems that is to be found."
)
@click.option("--sd", type=float, help="Of human scores; of their differences with --mde.")
@click.option(
    "--correlation", type=float, help="Of human scores and judge; of differences with --mde."
)
@click.option("--n-pool", type=int, help="Items that the judge scores (default: no limit).")
@options.choice("--target", of=Target, help="All texts like these, or the items of the pool.")
@click.option("--pilot", metavar="FILE", help="Judgments to measure --sd and --correlation on.")
@click.option("--judge", metavar="FILE", help="The judge's scores of the pilot's pool.")
@click.option("--system", help="Of the pilot.")
@click.option("--baseline", help="Of the pilot, with --mde.")
@judgment_options
@options.alpha
@options.power
def labels(*, pilot: str | None, judge: str | None, **settings: Any) -> "Labels":
    """Say how many items people must label beside a judge that scores all of them.

    \b
    Example:
        detectable labels --half-width .05 --sd .5 --correlation .7 --n-pool 2000
        detectable labels --mde .05 --pilot judgments.csv --judge judge.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.precision.label_plan import labels as plan

    given = reading(settings)
    if pilot is None:
        refuse(given, "there is no --pilot")
        if judge is not None:
            raise click.UsageError("--judge has no effect without --pilot. Drop it.")
        return plan(**settings)
    if judge is None:
        raise click.UsageError("--pilot needs --judge, the scores of the judge.")
    return plan(pilot=load(pilot, **given), judge=judge, **settings)
