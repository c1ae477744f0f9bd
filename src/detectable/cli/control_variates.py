"""``detectable control-variates``: fewer judgments with an automatic metric."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.judgment_options import judgment_options, load, reading
from detectable.core.choices import JudgeMethod, Target

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.data.loaded import Loaded
    from detectable.data.scores.scores import Scores
    from detectable.study.precision.control_variate_result import ControlVariates
    from detectable.study.precision.rogan_gladen import RoganGladen


@command("control-variates")
@click.argument("judgments")
@click.argument("metric_scores", required=False)
@judgment_options
@click.option("--metric", help="Which of several metrics in METRIC_SCORES, or its name.")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="FILE",
    help="Another word for METRIC_SCORES; several are used together (repeatable).",
)
@options.choice(
    "--method",
    of=JudgeMethod,
    help="rogan-gladen: JUDGMENTS are 0 and 1 of another data set, whose judge is --labelled-judge.",
)
@click.option(
    "--labelled-judge",
    metavar="FILE",
    help="Of rogan-gladen: the judge's answers on the data set of JUDGMENTS.",
)
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
    metric_scores: str | None,
    *,
    judges: tuple[str, ...],
    method: str,
    labelled_judge: str | None,
    metric: str | None,
    language: str | None,
    campaign: str | None,
    **settings: Any,
) -> "ControlVariates | RoganGladen":
    """Estimate means and differences from JUDGMENTS, corrected by METRIC_SCORES.

    JUDGMENTS is a table with one row per judgment; METRIC_SCORES holds a metric's scores of the
    same systems on all items, judged or not, in any format that `compare` reads.

    \b
    Example:
        detectable control-variates judgments.csv comet.csv --baseline old
        detectable control-variates labels.csv --judge gpt.csv --judge claude.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.scores.read_scores import read_scores
    from detectable.study.precision.control_variates import control_variates as estimate

    table = load(judgments, **reading(settings))
    names = {"language": language, "campaign": campaign}
    table = table.where(**{role: name for role, name in names.items() if name is not None})
    if (metric_scores is None) == (not judges):
        raise click.UsageError("give METRIC_SCORES or --judge: they are the same thing.")
    files = judges if metric_scores is None else (metric_scores,)
    scores = [read_scores(file, metric=metric) for file in files]
    if method == "rogan-gladen":
        return _corrected(table, labelled_judge, scores, settings)
    if labelled_judge is not None:
        raise click.UsageError("--labelled-judge has no effect without --method rogan-gladen.")
    return estimate(table, scores if len(scores) > 1 else scores[0], **settings)


def _corrected(
    labels: "Judgments",
    labelled_judge: str | None,
    scores: "list[Loaded[Scores]]",
    settings: dict[str, Any],
) -> "RoganGladen":
    """Correct by labels of another data set, after refusing what has no effect on it."""
    from detectable.study.precision.rogan_gladen import rogan_gladen

    if labelled_judge is None:
        raise click.UsageError(
            "--method rogan-gladen needs --labelled-judge, the judge's answers on the data set of "
            "JUDGMENTS. With labels of this data set, leave --method out: it is better then."
        )
    if len(scores) > 1:
        raise click.UsageError("--method rogan-gladen takes one judge.")
    given = {name: settings[name] for name in ("baseline", "quality_share")}
    if settings["target"] != "domain":
        given["target"] = settings["target"]
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(
                f"--{name.replace('_', '-')} has no effect with --method rogan-gladen. Drop it."
            )
    return rogan_gladen(labels, labelled_judge, scores[0], alpha=settings["alpha"])
