"""``detectable quality``: which raters read carefully."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.output_options import Unrepeated
from detectable.core.choices import CheckCorrection, CheckTest

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.raters.quality_result import QualityControl


@command()
@click.argument("judgments")
@judgment_options.judgment_options
@options.choice(
    "--test",
    of=CheckTest,
    help="The rule of WMT; Wilcoxon's; Appraise's, which ignores the pairing.",
)
@options.choice(
    "--correction",
    of=CheckCorrection,
    help="Which p-value decides, as several raters are tested.",
)
@click.option(
    "--effect",
    type=float,
    help="Points by which a careful rater lowers a degraded copy (default: from the data).",
)
@click.option(
    "--keep",
    cls=Unrepeated,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the judgments of good raters; FILE ends in .csv, .tsv, .jsonl or .parquet.",
)
@options.alpha
@options.seed
def quality(
    judgments: str,
    *,
    keep: Path | None,
    output: Output,
    progress: "Progress",
    **settings: Any,
) -> "QualityControl":
    """Test from JUDGMENTS whether each rater scores degraded copies below their originals.

    JUDGMENTS is a table with one row per judgment, or the export of a campaign.

    \b
    Examples:
        detectable quality judgments.csv
        detectable quality judgments.csv --test signed-rank --keep good.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.human.write_judgments import write_judgments
    from detectable.study.raters.quality_control import quality_control

    if keep is not None:
        judgment_options.check_ending(keep)
        refuse_existing([keep], force=output.force)
    loaded = judgment_options.load(judgments, **judgment_options.reading(settings))
    result = quality_control(loaded, progress=progress, **settings)
    if keep is not None:
        kept = result.apply(loaded)
        write_judgments(kept, keep, overwrite=output.force)
        note(kept.notes[-1])
    return result
