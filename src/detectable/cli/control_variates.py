"""``detectable control-variates``: fewer judgments with an automatic metric."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.core.choices import Target

if TYPE_CHECKING:
    from detectable.study.precision.control_variate_result import ControlVariates


@command("control-variates")
@click.argument("judgments")
@click.argument("metric_scores")
@judgment_options
@click.option("--metric", help="Which of several metrics in METRIC_SCORES, or its name.")
@click.option("--baseline", help="Compare all others with this system (default: all pairs).")
@click.option("--language", help="Take the judgments of this language pair.")
@click.option("--campaign", help="Take the judgments of this campaign.")
@options.choice(
    "--target",
    of=Target,
    help="Means over all texts like these, or over the items with metric scores.",
)
@click.option(
    "--quality-share",
    type=float,
    help="Share of quality in the variance of a judgment, from `detectable variance`; with "
    "--target test-set only quality is known once it is judged.",
)
@options.alpha
def control_variates(
    judgments: str,
    metric_scores: str,
    *,
    metric: str | None,
    language: str | None,
    campaign: str | None,
    **settings: Any,
) -> "ControlVariates":
    """Estimate means and differences from JUDGMENTS, corrected by METRIC_SCORES.

    JUDGMENTS is a table with one row per judgment; METRIC_SCORES holds a metric's scores of the
    same systems on all items, judged or not, in any format that `compare` reads.

    \b
    Example:
        detectable control-variates judgments.csv comet.csv --baseline old
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.scores.read_scores import read_scores
    from detectable.study.precision.control_variates import control_variates as estimate

    table = load(judgments, **reading(settings))
    names = {"language": language, "campaign": campaign}
    table = table.where(**{role: name for role, name in names.items() if name is not None})
    return estimate(table, read_scores(metric_scores, metric=metric), **settings)
