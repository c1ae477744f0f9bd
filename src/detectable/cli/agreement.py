"""``detectable agreement``: how far raters agree."""

import warnings
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options, output
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.cli.progress import Bars
from detectable.core.errors import DetectableWarning

if TYPE_CHECKING:
    from detectable.study.precision.rater_agreement import RaterAgreement


@click.command()
@click.argument("judgments")
@judgment_options
@click.option(
    "--level",
    type=click.Choice(["interval", "ordinal", "nominal"]),
    default="interval",
    show_default=True,
    help="How scores are compared: squared difference, rank, or same and not same.",
)
@click.option(
    "--min-overlap",
    default=10,
    show_default=True,
    help="Translations that two raters must share for a correlation.",
)
@click.option("--resamples", "n_resamples", default=2000, show_default=True, help="Bootstrap.")
@options.alpha
@options.seed
@options.as_json
def agreement(judgments: str, *, alpha: float, as_json: bool, **settings: Any) -> None:
    """Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters.

    \b
    Example:
        detectable agreement judgments.csv --level ordinal
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core import check
    from detectable.study.precision.rater_agreement import agreement as measure

    alpha = check.probability(alpha, "alpha")
    table = load(judgments, **reading(settings))
    with Bars() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # the notes of the result say it all
        found = measure(table, alpha=alpha, progress=progress, **settings)
    for note in found.notes[len(table.notes) :]:
        click.echo(f"Note: {note}", err=True)
    output.show(found, as_json=as_json, text=_print)


def _print(found: "RaterAgreement") -> None:
    from detectable.report.rater_agreement import pairs_table

    click.echo(found.summary())
    table = pairs_table(found)
    if table is not None:
        click.echo()
        output.print_table(table)
