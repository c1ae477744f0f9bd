"""``detectable variance``, ``agreement`` and ``quality``: how far raters can be relied on."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli import options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.judgment_options import (
    check_ending,
    judgment_options,
    load,
    reading_of_pair,
)
from detectable.cli.output_options import Unrepeated
from detectable.cli.scenario import numbers
from detectable.study.settings import AgreementSettings, QualitySettings, VarianceSettings

if TYPE_CHECKING:
    from detectable.core.types import Progress
    from detectable.study.precision.judge_agreement import JudgeAgreement
    from detectable.study.precision.rater_agreement import RaterAgreement
    from detectable.study.precision.variance_components import VarianceComponents
    from detectable.study.raters.quality_control import QualityControl


@command(charts=("shares",))
@click.argument("judgments", nargs=-1, required=True, metavar="JUDGMENTS…")
@judgment_options
@click.option(
    "--raw",
    is_flag=True,
    help="Turn z-scores of WMT back to points, by ad-…-trk-mean-sd.txt beside each file.",
)
@click.option(
    "--metric-correlation",
    multiple=True,
    callback=numbers,
    metavar="R,…",
    help="Say how many judgments a metric saves that correlates so with true quality; with commas.",
)
@options.language()
@options.direction
@options.of(VarianceSettings)
def variance(
    judgments: tuple[str, ...],
    *,
    raw: bool,
    metric_correlation: tuple[float, ...],
    **settings: Any,
) -> "VarianceComponents":
    """How much of the variance is noise?

    Split the variance of JUDGMENTS into quality and noise between raters.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters, and with
    some translations judged by two raters or more. Several files are one collection.

    \b
    Examples:
        detectable variance judgments.csv
        detectable variance cs-en.csv ja-en.csv --pooled all \\
            --metric-correlation 1,.5,.2
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.human.judgments import Judgments
    from detectable.study.precision.variance_components import variance_components

    read = reading_of_pair(settings)
    if metric_correlation:
        settings["metric_correlation"] = metric_correlation
    parts = [load(path, **read) for path in judgments]
    if raw:
        from detectable.data.formats.wmt_da import raw_scores

        parts = [raw_scores(part) for part in parts]
    return variance_components(Judgments.join(parts), **settings)


# --- ``detectable agreement``: how far raters agree ---


@command(charts=("agreement",))
@click.argument("judgments")
@judgment_options
@options.language()
@options.direction
@options.of(AgreementSettings, "level", "min_overlap")
@click.option(
    "--spans",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Errors that raters marked (spans.jsonl of an export): F1 of letters, and γ.",
)
@click.option(
    "--judge",
    metavar="FILE",
    help="Compare people with this judge's scores instead: agreement and bias by system.",
)
@click.option("--threshold", type=float, help="Of --judge: a score from here on is 1, else 0.")
@click.option(
    "--epsilon",
    type=float,
    help="May --judge stand in for raters, if worse by less than this: .1 crowd, .2 experts.",
)
@click.option(
    "--earlier",
    metavar="FILE",
    help="Scores of --judge at an earlier time, of the same outputs: has it drifted?",
)
@click.option("--by", metavar="COLUMN", help="Of --judge: where does it err more (a slice)?")
@click.option(
    "--length",
    metavar="COLUMN",
    help="Of --judge: outputs or their lengths; does it favour long ones?",
)
@options.of(AgreementSettings, "alpha")
def agreement(
    judgments: str,
    *,
    judge: str | None,
    threshold: float | None,
    epsilon: float | None,
    earlier: str | None,
    by: str | None,
    length: str | None,
    **settings: Any,
) -> "RaterAgreement | JudgeAgreement":
    """How far do raters agree?

    Measure from JUDGMENTS how far raters agree: Krippendorff's alpha and correlations.

    JUDGMENTS is a table with one row per judgment (or a known format), with raters.

    \b
    Example:
        detectable agreement judgments.csv --level ordinal
        detectable agreement ship.csv --spans ship.spans.jsonl
        detectable agreement labels.csv --judge judge.csv
        detectable agreement labels.csv --judge judge.csv --epsilon 0.15
        detectable agreement labels.csv --judge judge.csv \\
            --earlier march.csv --by topic
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.precision.rater_agreement import agreement as measure

    table = load(judgments, **reading_of_pair(settings))
    of_judge: dict[str, Any] = {
        "threshold": threshold,
        "epsilon": epsilon,
        "earlier": earlier,
        "by": by,
        "length": length,
    }
    if judge is not None:
        from detectable.study.precision.judge_agreement import judge_agreement

        context = click.get_current_context()
        for name in ("level", "min_overlap", "spans"):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"--{name.replace('_', '-')} has no effect with --judge. Drop it."
                )
        return judge_agreement(table, judge, **of_judge, alpha=settings["alpha"])
    for name, value in of_judge.items():
        if value is not None:
            raise click.UsageError(f"--{name} has no effect without --judge. Drop it.")
    return measure(table, **settings)


# --- ``detectable quality``: which raters read carefully ---


@command(charts=("raters",))
@click.argument("judgments")
@judgment_options
@options.language()
@options.direction
@options.of(QualitySettings, "test", "effect")
@click.option(
    "--keep",
    cls=Unrepeated,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the judgments of good raters; FILE ends in .csv, .tsv, .jsonl or .parquet.",
)
@options.of(QualitySettings, "alpha")
@options.seed
def quality(
    judgments: str,
    *,
    keep: Path | None,
    output: Output,
    progress: "Progress",
    **settings: Any,
) -> "QualityControl":
    """Which raters notice degraded copies?

    Test from JUDGMENTS whether each rater scores degraded copies below their originals.

    JUDGMENTS is a table with one row per judgment, or the export of a campaign.

    \b
    Examples:
        detectable quality judgments.csv
        detectable quality judgments.csv --test signed-rank --keep good.csv
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.data.human.write_judgments import write_judgments
    from detectable.study.raters.quality_control import quality_control

    if keep is not None:
        check_ending(keep)
        refuse_existing([keep], force=output.force)
    loaded = load(judgments, **reading_of_pair(settings))
    result = quality_control(loaded, progress=progress, **settings)
    if keep is not None:
        kept = result.apply(loaded)
        write_judgments(kept, keep, overwrite=output.force)
        note(kept.notes[-1])
    return result
