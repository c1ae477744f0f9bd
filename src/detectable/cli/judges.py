"""``detectable control-variates`` and ``labels``: people beside a metric or a judge."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command, note
from detectable.cli.judgment_options import (
    judgment_options,
    load,
    reading,
    reading_of_pair,
    refuse,
)
from detectable.core.choices import JudgeMethod
from detectable.study.settings import ControlVariatesSettings, LabelSettings

if TYPE_CHECKING:
    from detectable.core.choices import KeptDirection
    from detectable.data.human.judgments import Judgments
    from detectable.data.scores.scores import Scores
    from detectable.study.precision.control_variate_result import ControlVariates
    from detectable.study.precision.label_plan import Labels
    from detectable.study.precision.rogan_gladen import RoganGladen


@command("control-variates", charts=("intervals",))
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
@options.baseline
@options.language()
@options.direction
@click.option("--campaign", help="Take the judgments of this campaign.")
@options.of(ControlVariatesSettings, "target", "alpha")
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
    """Human means, made more precise by a metric.

    Estimate means and differences from JUDGMENTS, corrected by METRIC_SCORES.

    JUDGMENTS is a table with one row per judgment; METRIC_SCORES holds a metric's scores of the
    same systems on all items, judged or not, in any format that `compare` reads.

    \b
    Example:
        detectable control-variates judgments.csv comet.csv --baseline old
        detectable control-variates labels.csv --judge gpt.csv --judge claude.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.scores.read_scores import read_scores
    from detectable.study.precision.control_variates import control_variates as estimate

    given = reading({**settings, "language": language})
    settings = {name: one for name, one in settings.items() if name not in given}
    table = load(judgments, **given)
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
    scores: "list[Scores]",
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


# --- ``detectable labels``: how many human labels beside a judge ---


@command()
@options.of(LabelSettings, "half_width", "target")
@click.option("--pilot", metavar="FILE", help="Judgments to measure --sd and --correlation on.")
@click.option("--judge", metavar="FILE", help="The judge's scores of the pilot's pool.")
@click.option("--system", help="Of the pilot.")
@click.option("--baseline", help="Of the pilot, with --mde.")
@judgment_options
@options.language()
@options.direction
@options.of(LabelSettings, "alpha", "power")
def labels(*, pilot: str | None, judge: str | None, **settings: Any) -> "Labels":
    """How many human labels beside a judge?

    Say how many items people must label beside a judge that scores all of them.

    \b
    Example:
        detectable labels --half-width .05 --sd .5 --correlation .7 --n-pool 2000
        detectable labels --mde .05 --pilot judgments.csv --judge judge.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.precision.label_plan import labels as plan

    given = reading_of_pair(settings)
    if pilot is None:
        refuse(given, "there is no --pilot")
        if judge is not None:
            raise click.UsageError("--judge has no effect without --pilot. Drop it.")
        return plan(**settings)
    if judge is None:
        raise click.UsageError("--pilot needs --judge, the scores of the judge.")
    pool = _pool(judge, given["direction"], given["language"])
    return plan(pilot=load(pilot, **given), judge=pool, **settings)


def _pool(path: str, direction: "KeptDirection", language: str | None) -> "Scores":
    """Read what a judge scored, and keep a direction where its items say theirs."""
    from detectable.data.directions import keep_direction, languages_in
    from detectable.data.scores.read_scores import read_scores

    scores = read_scores(path)
    if direction == "all":
        return scores
    if languages_in(scores) is None:
        note(
            f"{path} does not say in which language items were first written: all {scores.n_items:,} "
            "count as the pool."
        )
        return scores
    kept = keep_direction(scores, direction, language_pair=language)
    note(*kept.notes[len(scores.notes) :])
    return kept
