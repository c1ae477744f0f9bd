"""``detectable agreement``: how far raters agree."""

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.core.choices import AgreementLevel

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.precision.judge_agreement import JudgeAgreement
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
@click.option(
    "--judge",
    metavar="FILE",
    help="Compare people with this judge's scores instead: agreement and bias by system.",
)
@click.option("--threshold", type=float, help="Of --judge: a score from here on is 1, else 0.")
@options.resamples("Bootstrap.", default=2000)
@options.alpha
@options.seed
@options.checkpoint
def agreement(
    judgments: str,
    *,
    judge: str | None,
    threshold: float | None,
    progress: "Progress",
    **settings: Any,
) -> "RaterAgreement | JudgeAgreement":
    """Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters.

    \b
    Example:
        detectable agreement judgments.csv --level ordinal
        detectable agreement labels.csv --judge judge.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.precision.rater_agreement import agreement as measure

    table = load(judgments, **reading(settings))
    if judge is not None:
        from detectable.study.precision.judge_agreement import judge_agreement

        context = click.get_current_context()
        for name in ("level", "min_overlap", "n_resamples", "rng"):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                option = {"n_resamples": "resamples", "rng": "seed"}.get(name, name)
                raise click.UsageError(
                    f"--{option.replace('_', '-')} has no effect with --judge. Drop it."
                )
        return judge_agreement(table, judge, threshold=threshold, alpha=settings["alpha"])
    if threshold is not None:
        raise click.UsageError("--threshold has no effect without --judge. Drop it.")
    return measure(table, progress=progress, **settings)
