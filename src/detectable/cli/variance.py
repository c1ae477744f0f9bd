"""``detectable variance``: how much of the spread of human scores is noise between raters."""

import warnings
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options, output
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.cli.progress import Bars
from detectable.core.errors import DetectableWarning

if TYPE_CHECKING:
    from detectable.study.precision.variance_components import VarianceComponents


@click.command()
@click.argument("judgments")
@judgment_options
@click.option(
    "--pooled",
    type=click.Choice(["within-system", "all", "mean-of-systems"]),
    default="within-system",
    show_default=True,
    help="Total variance: within systems, of all scores, or the mean of the systems' own.",
)
@click.option(
    "--repeats",
    type=click.Choice(["mean", "first"]),
    default="mean",
    show_default=True,
    help="Several scores of one rater for one translation.",
)
@click.option(
    "--unit",
    type=click.Choice(["auto", "document", "item", "rater"]),
    default="auto",
    show_default=True,
    help="What the bootstrap draws; auto: documents, or items without them.",
)
@click.option("--resamples", "n_resamples", default=2000, show_default=True, help="Bootstrap.")
@options.alpha
@options.seed
@options.as_json
def variance(
    judgments: str,
    *,
    alpha: float,
    as_json: bool,
    **settings: Any,
) -> None:
    """Split the variance of JUDGMENTS into quality and noise between raters.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters, and with
    some translations judged by two raters or more.

    \b
    Example:
        detectable variance judgments.csv --seed 1
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core import check
    from detectable.study.precision.variance_components import variance_components

    alpha = check.probability(alpha, "alpha")
    table = load(judgments, **reading(settings))
    with Bars() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # the notes of the result say it all
        found = variance_components(table, alpha=alpha, progress=progress, **settings)
    for note in found.notes[len(table.notes) :]:
        click.echo(f"Note: {note}", err=True)
    output.show(found, as_json=as_json, text=_print)


def _print(found: "VarianceComponents") -> None:
    from detectable.report.variance import advice_table, shares_table, variance_table

    click.echo(found.summary())
    click.echo()
    for table in (variance_table(found), shares_table(found), advice_table(found)):
        output.print_table(table)
