"""``detectable agreement``: how far raters agree."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.core.choices import AgreementLevel

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.precision.rater_agreement import RaterAgreement


@command()
@click.argument("judgments")
@judgment_options
@options.choice(
    "--level",
    of=AgreementLevel,
    help="How scores are compared: squared difference, rank, or same and not same.",
)
@click.option(
    "--min-overlap",
    default=10,
    show_default=True,
    help="Translations that two raters must share for a correlation.",
)
@options.resamples("Bootstrap.", default=2000)
@options.alpha
@options.seed
@options.checkpoint
def agreement(judgments: str, *, progress: "Progress", **settings: Any) -> "RaterAgreement":
    """Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters.

    \b
    Example:
        detectable agreement judgments.csv --level ordinal
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.precision.rater_agreement import agreement as measure

    table = load(judgments, **reading(settings))
    return measure(table, progress=progress, **settings)
