"""``detectable rank``: rank systems from human judgments."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options, output
from detectable.cli.progress import Bars

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.study.ranking.ranking import Ranking
    from detectable.study.ranking.segment_scores import SegmentScores

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("judgments", metavar="FILE")
@click.option(
    "--segment-scores",
    is_flag=True,
    help="FILE holds one score per system and segment (columns system, sid, raw, z, N).",
)
@judgment_options.judgment_options
@click.option("--campaign", help="Which campaign, where FILE holds several.")
@click.option("--language", help="Which language pair, where FILE holds several.")
@click.option(
    "--preset",
    type=click.Choice(["wmt21", "wmt24", "wmt25"]),
    help="Rank as WMT did that year, and say where that is weak.",
)
@click.option(
    "--test",
    type=click.Choice(
        [
            "auto",
            "rank-sum",
            "rank-sum-matched",
            "signed-rank",
            "permutation",
            "stouffer",
            "mixed",
        ]
    ),
    default="auto",
    show_default=True,
    help="auto: sign flips of matched differences where the design allows.",
)
@click.option(
    "--standardise",
    type=click.Choice(["auto", "z", "none", "mixed"]),
    default="auto",
    show_default=True,
    help="How to take out the severity of raters.",
)
@click.option(
    "--over",
    type=click.Choice(["all", "ordinary"]),
    default="all",
    show_default=True,
    help="What z is standardised over: ordinary leaves out references and degraded copies.",
)
@click.option(
    "--unit",
    type=click.Choice(["auto", "item", "document"]),
    default="auto",
    show_default=True,
    help="What is independent; auto: documents where known.",
)
@click.option(
    "--level",
    type=click.Choice(["item", "judgment"]),
    default="item",
    show_default=True,
    help="Test items (n); judgment tests N judgments as if they were items, which is wrong.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="For the number of pairs.",
)
@click.option(
    "--cluster-rule",
    type=click.Choice(["all-pairs", "wmt-last", "min-wins", "rank-ranges"]),
    default="all-pairs",
    show_default=True,
    help="Where a line is drawn between clusters.",
)
@click.option(
    "--average",
    type=click.Choice(["auto", "items", "domains"]),
    default="auto",
    show_default=True,
    help="Mean over items, or mean of the means of domains.",
)
@click.option(
    "--margin", type=float, help="Differences below this do not matter (units tested)."
)
@click.option(
    "--resamples", "n_resamples", default=10_000, show_default=True, help="Sign patterns."
)
@click.option("--pairs", "show_pairs", is_flag=True, help="Show every pair.")
@click.option("--csv", "csv_path", type=_FILE, help="Write the pairs as CSV.")
@click.option("--latex", "latex_path", type=_FILE, help="Write the tables as LaTeX.")
@options.alpha
@options.power
@options.seed
@options.jobs
@options.force
@options.as_json
def rank(  # noqa: PLR0913 (only what the command itself uses; the rest goes to the library)
    judgments: str,
    *,
    segment_scores: bool,
    campaign: str | None,
    language: str | None,
    show_pairs: bool,
    csv_path: Path | None,
    latex_path: Path | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Rank systems from human judgments in FILE, into clusters that can be told apart.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, score and where known rater, document, domain; or what a campaign wrote.

    \b
    Examples:
        detectable rank judgments.csv --seed 1
        detectable rank judgments.csv --margin 2 --pairs
        detectable rank --segment-scores segments.parquet --campaign wmt21.de-en --preset wmt21
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core.errors import DetectableWarning
    from detectable.report.ranking import ranking_csv, ranking_latex
    from detectable.study.ranking.rank_systems import rank_systems

    output.refuse_existing([csv_path, latex_path], force=force)
    reading = judgment_options.reading(settings)
    chosen: dict[str, Any] = {"campaign": campaign, "language": language}
    data: Judgments | SegmentScores
    if segment_scores:
        data, chosen = _segments(judgments, chosen, reading), {}
    else:
        data = judgment_options.load(judgments, **reading)
    with Bars() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)  # the notes of the result say it all
        result = rank_systems(data, progress=progress, **chosen, **settings)
    for note in result.notes:
        click.echo(f"Note: {note}", err=True)
    output.write_new(csv_path, lambda: ranking_csv(result), force=force)
    output.write_new(latex_path, lambda: ranking_latex(result), force=force)
    output.show(result, as_json=as_json, text=lambda found: _print(found, pairs=show_pairs))


def _segments(path: str, chosen: dict[str, Any], reading: dict[str, Any]) -> "SegmentScores":
    from detectable.study.ranking.segment_scores import read_segment_scores

    judgment_options.refuse(reading, "--segment-scores reads a plain table")
    return read_segment_scores(path, **chosen)


def _print(result: "Ranking", *, pairs: bool) -> None:
    from detectable.report.ranking import pairs_table, systems_table

    click.echo(result.summary())
    click.echo()
    output.print_table(systems_table(result))
    if pairs:
        output.print_table(pairs_table(result))
