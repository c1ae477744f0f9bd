"""``detectable variance``: how much of the spread of human scores is noise between raters."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.core.choices import CellRepeats, JudgmentUnit, Pooled

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.precision.variance_components import VarianceComponents


@command()
@click.argument("judgments")
@judgment_options
@options.choice(
    "--pooled",
    of=Pooled,
    help="Total variance: within systems, of all scores, or the mean of the systems' own.",
)
@options.choice(
    "--repeats", of=CellRepeats, help="Several scores of one rater for one translation."
)
@options.choice(
    "--unit",
    of=JudgmentUnit,
    help="What the bootstrap draws; auto: documents, or items without them.",
)
@options.resamples("Bootstrap.", default=2000)
@options.alpha
@options.seed
@options.checkpoint
def variance(judgments: str, *, progress: "Progress", **settings: Any) -> "VarianceComponents":
    """Split the variance of JUDGMENTS into quality and noise between raters.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters, and with
    some translations judged by two raters or more.

    \b
    Example:
        detectable variance judgments.csv --seed 1
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.precision.variance_components import variance_components

    table = load(judgments, **reading(settings))
    return variance_components(table, progress=progress, **settings)
