"""``detectable rank``: rank systems from human judgments."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, options
from detectable.cli.command import command
from detectable.core import choices

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.study.ranking.ranking import Ranking
    from detectable.study.ranking.segment_scores import SegmentScores


@command(unfold=options.pairs)
@click.argument("judgments", metavar="FILE")
@click.option(
    "--segment-scores",
    is_flag=True,
    help="FILE holds one score per system and segment (columns system, sid, raw, z, N).",
)
@judgment_options.judgment_options
@click.option("--campaign", help="Which campaign, where FILE holds several.")
@click.option("--language", help="Which language pair, where FILE holds several.")
@options.choice(
    "--preset",
    of=choices.RankingPreset,
    help="Rank as WMT did that year, and say where that is weak.",
    optional=True,
)
@options.named_test(
    of=choices.RankingTest,
    help="auto: sign flips of matched differences where the design allows.",
)
@options.choice(
    "--standardise", of=choices.Standardise, help="How to take out the severity of raters."
)
@options.choice(
    "--over",
    of=choices.Over,
    help="What z is standardised over: ordinary leaves out references and degraded copies.",
)
@options.choice(
    "--unit", of=choices.RankingUnit, help="What is independent; auto: documents where known."
)
@options.choice(
    "--level",
    of=choices.RankingLevel,
    help="Test items (n); judgment tests N judgments as if they were items, which is wrong.",
)
@options.choice("--correction", of=choices.PairCorrection, help="For the number of pairs.")
@options.choice(
    "--cluster-rule", of=choices.ClusterRule, help="Where a line is drawn between clusters."
)
@options.choice(
    "--average", of=choices.Average, help="Mean over items, or mean of the means of domains."
)
@options.choice(
    "--claim", of=choices.Claim, help="What is to be shown; the last two need --margin."
)
@click.option(
    "--margin", type=float, help="Differences below this do not matter (units tested)."
)
@options.family_resamples("Sign patterns")
@options.show_pairs
@options.alpha
@options.power
@options.seed
@options.jobs
def rank(
    judgments: str,
    *,
    segment_scores: bool,
    campaign: str | None,
    language: str | None,
    progress: "Progress",
    **settings: Any,
) -> "Ranking":
    """Rank systems from human judgments in FILE, into clusters that can be told apart.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, score and where known rater, document, domain; or what a campaign wrote.

    \b
    Examples:
        detectable rank judgments.csv --seed 1
        detectable rank judgments.csv --margin 2 --pairs
        detectable rank --segment-scores segments.parquet --campaign wmt21.de-en --preset wmt21
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.ranking.rank_systems import rank_systems
    from detectable.study.ranking.settings import needs_all_judgments

    reading = judgment_options.reading(settings)
    chosen: dict[str, Any] = {"campaign": campaign, "language": language}
    if segment_scores:
        segments = _segments(judgments, chosen, reading)
        return rank_systems(segments, progress=progress, **settings)
    if not needs_all_judgments(**settings):
        scanned = judgment_options.scan(judgments, chosen, **reading)
        if scanned is not None:
            return rank_systems(scanned, progress=progress, **settings)
    data = judgment_options.load(judgments, **reading)
    return rank_systems(data, progress=progress, **chosen, **settings)


def _segments(path: str, chosen: dict[str, Any], reading: dict[str, Any]) -> "SegmentScores":
    from detectable.study.ranking.segment_scores import read_segment_scores

    judgment_options.refuse(reading, "--segment-scores reads a plain table")
    return read_segment_scores(path, **chosen)
