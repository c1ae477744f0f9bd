"""``detectable meta`` and ``meaning``: metrics judged by human scores, and differences by people."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options
from detectable.cli.command import command, note
from detectable.cli.options import column_option
from detectable.core import choices
from detectable.core.wording import plain_digits
from detectable.study.meta.settings import MetaSettings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from detectable.core.choices import KeptDirection
    from detectable.core.types import Progress
    from detectable.data.scores.scores import Scores
    from detectable.study.archive.meaning import Meaning, MeaningCurve
    from detectable.study.meta.result import Meta


class _Statistic(click.Choice[str]):
    """A statistic; ``acc_eq`` means ``acc-eq``."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        chosen: str = super().convert(str(value).replace("_", "-"), param, ctx)
        return chosen


def _threshold(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> float | str | None:
    if text is None or text in ("best", "two-fold"):
        return text
    try:
        return float(plain_digits(text))
    except ValueError:
        raise click.BadParameter(
            f"takes a number, best or two-fold; got {text!r}.", param=parameter
        ) from None


@command(charts=("metrics",))
@click.argument("file")
@click.option(
    "--human",
    metavar="COLUMN",
    help="The column of FILE with human scores (default: the score).",
)
@click.option(
    "--metric",
    "given",
    multiple=True,
    required=True,
    metavar="COLUMN|NAME=FILE",
    help="A column of FILE, or a file of scores in any format that `compare` reads (repeatable).",
)
@options.of(MetaSettings, "level")
@click.option(
    "--statistic",
    multiple=True,
    type=_Statistic(choices.words(choices.MetaStatistic)),
    help="How agreement is measured (default: spa for systems, acc-eq for segments; repeatable).",
)
@options.of(MetaSettings, "average_by", "undefined")
@click.option(
    "--epsilon",
    callback=_threshold,
    metavar="NUMBER|best|two-fold",
    help="Differences of a metric that are ties; two-fold: chosen on the other half.",
)
@options.of(MetaSettings, "pair_p")
@click.option(
    "--baseline", help="Compare all other metrics with this one (default: all pairs)."
)
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="METRIC",
    help="Negate this metric (or human), where its name does not tell (repeatable).",
)
@click.option("--keep-references", is_flag=True, help="Keep human references as systems.")
@options.choice(
    "--unit",
    of=choices.MetaUnit,
    help="What is drawn and swapped whole (auto: documents from ten on).",
)
@options.of(MetaSettings, "draw_systems")
@click.option(
    "--judgments", "judged", is_flag=True, help="FILE holds judgments, one in each row or MQM."
)
@judgment_options.beside_inputs
@options.language(help="What is translated, where FILE does not say: zh-en.")
@options.direction
@column_option(choices.words(choices.ScoreRole), "item=segment")
@options.resamples("Draws of intervals and swaps of tests.", default=2000)
@options.alpha
@options.seed
@options.jobs
def meta(  # noqa: PLR0913 (options)
    file: str,
    human: str | None,
    given: tuple[str, ...],
    columns: dict[str, str],
    n_jobs: int,
    executor: "Executor | None",
    *,
    judged: bool,
    language: str | None,
    direction: "KeptDirection",
    progress: "Progress",
    **settings: Any,
) -> "Meta":
    """Which metric agrees with people?

    Say which metric agrees with the human scores in FILE, and which agrees more.

    FILE is a table with a row per output (system, segment and perhaps document) and columns of
    scores; or any file of human scores, with metrics in files of their own.

    \b
    Example:
        detectable meta scores.csv --human mqm --metric comet --metric bleu \\
            --level segment
        detectable meta mqm.tsv --judgments --metric comet=comet.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.files.content import FileContent
    from detectable.study.meta.meta import meta as measure

    if judged and (human is not None or columns):
        raise click.UsageError("--human and --column have no effect on --judgments. Drop them.")
    if language is not None and direction == "all":
        raise click.UsageError("--language has no effect without --direction. Drop it.")
    reading = judgment_options.reading_beside(settings, judged=judged)
    content = FileContent.of(file)
    people = (
        judgment_options.load(file, **reading, direction=direction, language_pair=language)
        if judged
        else _kept(_column(content, human, columns, "human"), direction, language)
    )
    metrics = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not name or (equals and not path):
            raise click.UsageError(f"--metric takes a column or name=file; got {text!r}.")
        if name in metrics:
            raise click.UsageError(f"two --metric are called {name!r}. Name them apart.")
        if not equals and judged:
            raise click.UsageError(
                f"--metric takes name=file beside --judgments; got {text!r}."
            )
        metrics[name] = (
            _column(FileContent.of(path), None, {}, name)
            if equals
            else _column(content, name, columns, name)
        )
    return measure(
        people, metrics, n_jobs=n_jobs, executor=executor, progress=progress, **settings
    )


def _kept(people: "Scores", direction: "KeptDirection", language: str | None) -> "Scores":
    """Keep the human scores of a direction; metrics are matched to them by item."""
    from detectable.data.directions import keep_direction

    kept = keep_direction(people, direction, language_pair=language)
    note(*kept.notes[len(people.notes) :])
    return kept


def _column(content: Any, score: str | None, columns: dict[str, str], name: str) -> "Scores":
    """Read a file of scores, or one column of a table."""
    from dataclasses import replace

    from detectable.data.scores.read_scores import read_scores

    if score is None:
        return read_scores(content, columns=columns or None)
    loaded = read_scores(
        content, format="table", layout="long", columns={**columns, "score": score}
    )
    return replace(loaded, metric=score if name == "human" else name)


# --- ``detectable meaning``: how often people agreed with a difference of some size ---


@command(charts=("meaning",))
@click.argument("metric_name", metavar="METRIC", required=False)
@click.argument("difference", type=float, required=False)
@click.option(
    "--archive",
    metavar="FILE",
    help="Fit an archive of your own: a row per system of a campaign.",
)
@click.option("--metric", metavar="COLUMN", help="The column of the archive with the metric.")
@column_option(("campaign", "system", "human", "human_se", "language_pair"), "human=score")
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="METRIC",
    help="The metric, if it falls when systems improve.",
)
@options.resamples("Draws of whole campaigns.", default=1000)
@options.seed
def meaning(
    metric_name: str | None,
    difference: float | None,
    *,
    archive: str | None,
    metric: str | None,
    columns: dict[str, str],
    lower_is_better: tuple[str, ...],
    **settings: Any,
) -> "Meaning | MeaningCurve":
    """Would people notice a difference of this size?

    Say how often people agreed with a difference of a METRIC of this size in past campaigns.

    METRIC is bleu, chrf or ter, from 3,800 pairs of systems (ShipData, CC BY-SA 4.0); without a
    DIFFERENCE the whole curve is shown. Other metrics have other scales: give an archive of your
    own, a table with campaign, system, human and the metric.

    \b
    Examples:
        detectable meaning bleu 1.0
        detectable meaning chrf
        detectable meaning --archive ours.csv --metric comet --seed 1 \\
            --out ours.json
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.archive import meaning as shipped

    if archive is None:
        if metric_name is None:
            raise click.UsageError("give a METRIC, or --archive FILE with --metric COLUMN.")
        if metric or columns or lower_is_better:
            raise click.UsageError(
                "--metric, --column and --lower-is-better have no effect without --archive."
            )
        if difference is None:
            return shipped.curve_of(metric_name)
        return shipped.meaning(metric_name, difference)
    if metric is None or metric_name is not None:
        raise click.UsageError("--archive takes the metric as --metric COLUMN.")
    from detectable.study.archive.agreement_curve import fit_meaning

    return fit_meaning(
        archive,
        metric=metric,
        columns=columns or None,
        lower_is_better=lower_is_better,
        **settings,
    )
