"""``detectable quality``: which raters read carefully."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options, output
from detectable.cli.progress import Bars

if TYPE_CHECKING:
    from detectable.study.raters.quality_result import QualityControl


@click.command()
@click.argument("judgments")
@judgment_options.judgment_options
@click.option(
    "--test",
    type=click.Choice(["paired-t", "signed-rank", "mann-whitney"]),
    default="paired-t",
    show_default=True,
    help="The rule of WMT; Wilcoxon's; Appraise's, which ignores the pairing.",
)
@click.option(
    "--correction",
    type=click.Choice(["none", "holm", "benjamini-hochberg"]),
    default="none",
    show_default=True,
    help="Which p-value decides, as several raters are tested.",
)
@click.option(
    "--effect",
    type=float,
    help="Points by which a careful rater lowers a degraded copy (default: from the data).",
)
@click.option(
    "--keep",
    "keep_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the judgments of good raters as CSV.",
)
@click.option("--all", "show_all", is_flag=True, help="List every rater (default: 20).")
@options.alpha
@options.seed
@options.force
@options.as_json
def quality(
    judgments: str,
    *,
    keep_path: Path | None,
    show_all: bool,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Test from JUDGMENTS whether each rater scores degraded copies below their originals.

    JUDGMENTS is a table with one row per judgment, or the export of a campaign.

    \b
    Examples:
        detectable quality judgments.csv
        detectable quality judgments.csv --test signed-rank --keep good.csv
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.data.human.write_judgments import judgments_csv
    from detectable.study.raters.quality_control import quality_control

    output.refuse_existing([keep_path], force=force)
    loaded = judgment_options.load(judgments, **judgment_options.reading(settings))
    with Bars() as progress:
        result = quality_control(loaded, progress=progress, **settings)
    for note in result.notes[len(loaded.notes) :]:
        click.echo(f"Note: {note}", err=True)
    if keep_path is not None:
        kept = result.apply(loaded)
        output.write_new(keep_path, lambda: judgments_csv(kept), force=force)
        click.echo(f"Note: {kept.notes[-1]}", err=True)
    output.show(result, as_json=as_json, text=lambda found: _print(found, show_all=show_all))


def _print(result: "QualityControl", *, show_all: bool) -> None:
    from detectable.report.quality import raters_table

    click.echo(result.summary())
    click.echo()
    table = raters_table(result, most=None if show_all else 20)
    output.print_table(table)
    if len(table.rows) < len(result.raters):
        click.echo("Add --all to see every rater.")
