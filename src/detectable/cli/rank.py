"""``detectable rank``, ``arena`` and ``mixed``: systems from judgments and battles."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli import judgment_options, options
from detectable.cli import judgment_options as model_judgments
from detectable.cli.command import Output, command, note, refuse_existing
from detectable.cli.options import column_option
from detectable.cli.output_options import Unrepeated
from detectable.core import choices
from detectable.core.choices import MixedRepeats, MixedUnit, SlopeWord
from detectable.core.options import declared
from detectable.study.ranking.settings import (
    RankSettings,
    RepeatSettings,
    needs_all_judgments,
)
from detectable.study.settings import ArenaSettings

if TYPE_CHECKING:
    from detectable.core.choices import KeptDirection, RepeatKind
    from detectable.core.types import Progress
    from detectable.mixed.result import MixedFit
    from detectable.study.arena.result import Arena
    from detectable.study.ranking.item_scores import SegmentScores
    from detectable.study.ranking.ranking import Ranking


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(","))


@command(unfold=options.pairs, charts=("ranking", "matrix", "repeat", "repeat-plan"))
@click.argument("judgments", metavar="FILE")
@click.option(
    "--segment-scores",
    is_flag=True,
    help="FILE holds one score per system and segment (columns system, sid, raw, z, N).",
)
@judgment_options.judgment_options
@click.option("--campaign", help="Which campaign, where FILE holds several.")
@options.language()
@options.direction
@click.option("--systems", callback=_names, metavar="A,B[,C…]", help="Rank these systems only.")
@options.of(RankSettings, "preset", "n_resamples")
@options.of(RepeatSettings)
@options.show_pairs
@options.of(RankSettings, "alpha", "power")
@options.seed
@options.jobs
def rank(
    judgments: str,
    *,
    segment_scores: bool,
    campaign: str | None,
    language: str | None,
    repeat: "RepeatKind | None",
    progress: "Progress",
    **settings: Any,
) -> "Ranking":
    """Clusters of systems from human scores.

    Rank systems from human judgments in FILE, into clusters that differ significantly.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, score and where known rater, document, domain; or what a campaign wrote.

    \b
    Examples:
        detectable rank judgments.csv --seed 1
        detectable rank judgments.csv --margin 2 --pairs
        detectable rank judgments.csv --repeat both --seed 1
        detectable rank --segment-scores segments.parquet --campaign wmt21.de-en \\
            --preset wmt21
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    sizes = {one.name: one.flag for one in declared(RepeatSettings) if one.name != "repeat"}
    asked = {name: settings.pop(name) for name in sizes}
    typed = click.get_current_context().get_parameter_source
    given = [name for name in sizes if typed(name) is ParameterSource.COMMANDLINE]
    if repeat is None and given:
        flag = sizes[given[0]]
        raise click.UsageError(f"{flag} has no effect without --repeat. Drop it.")
    whole = needs_all_judgments(repeat=repeat, **settings)
    ranking = _ranked(
        judgments,
        {"campaign": campaign, "language": language},
        settings,
        progress,
        segment_scores=segment_scores,
        whole=whole,
    )
    if repeat is None:
        return ranking
    return ranking.with_repeat(repeat, rng=settings["rng"], **asked)


def _ranked(
    judgments: str,
    chosen: dict[str, Any],
    settings: dict[str, Any],
    progress: "Progress",
    *,
    segment_scores: bool,
    whole: bool,
) -> "Ranking":
    """Rank what FILE holds; a large table is scanned, unless it is needed `whole`."""
    from detectable.study.ranking.rank_systems import rank_systems

    reading = judgment_options.reading({**settings, "language": chosen["language"]})
    settings = {name: one for name, one in settings.items() if name not in reading}
    if segment_scores:
        segments = _segments(judgments, chosen, reading)
        return rank_systems(segments, progress=progress, **settings)
    if not whole and reading["direction"] == "all":
        plain = {k: v for k, v in reading.items() if k not in ("direction", "language_pair")}
        scanned = judgment_options.scan(judgments, chosen, **plain)
        if scanned is not None:
            return rank_systems(scanned, progress=progress, **settings)
    data = judgment_options.load(judgments, **reading)
    return rank_systems(data, progress=progress, **chosen, **settings)


def _segments(path: str, chosen: dict[str, Any], reading: dict[str, Any]) -> "SegmentScores":
    from detectable.study.ranking.item_scores import read_segment_scores

    judgment_options.refuse(reading, "--segment-scores reads a plain table")
    return read_segment_scores(path, **chosen)


# --- ``detectable arena``: strengths and ranks of systems from battles ---


def _two_names(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[str, str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise click.BadParameter(f"takes two systems, A,B; got {text!r}.", param=parameter)
    return names[0], names[1]


@command(unfold=options.pairs, charts=("strengths", "matrix"))
@click.argument("battles", metavar="FILES", nargs=-1, required=True)
@options.format_option(
    "--format",
    of="detectable.data.reader:battle_readers",
    help="Of the battles; see docs/arena.md.",
)
@column_option(choices.words(choices.BattleRole), "prompt=question")
@options.language(help="Take the battles in this language (default: all).")
@options.direction
@options.of(ArenaSettings, "ties", "effect")
@click.option(
    "--between",
    metavar="A,B",
    callback=_two_names,
    help="Two systems that the next vote is to separate (default: the two strongest).",
)
@options.show_pairs
@options.of(ArenaSettings, "alpha", "power")
@options.seed
def arena(
    battles: tuple[str, ...],
    *,
    columns: dict[str, str],
    direction: "KeptDirection",
    **settings: Any,
) -> "Arena":
    """Ranks of systems from battles.

    Rank systems from the battles in FILES: strengths, ranks that hold together, every pair.

    FILES have one row per battle: two systems and a winner, and where known the prompt, the voter
    and covariates (CSV, TSV, JSON lines, Parquet); or what an arena, AlpacaEval, Arena-Hard or
    MT-bench wrote. Several files are joined.

    \b
    Examples:
        detectable arena battles.csv --seed 1
        detectable arena battles.csv --covariate length --ties davidson --pairs
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.arena.arena import arena as rank

    source: Any = battles[0] if len(battles) == 1 else list(battles)
    if direction == "all":
        return rank(source, columns=columns or None, **settings)
    from detectable.data.battles.read_battles import read_battles
    from detectable.data.directions import keep_direction

    covariates = tuple(settings.get("covariates", ()))
    read = read_battles(
        source,
        format=settings.pop("format"),
        columns=columns or None,
        covariates=covariates,
    )
    kept = keep_direction(read, direction, language_pair=settings["language"])
    note(*kept.notes[len(read.notes) :])
    return rank(kept, **settings)


# --- ``detectable mixed``: fit judgments with raters and items as crossed random effects ---

# A word for what the library takes as factors.
_SLOPES: dict[str, str | tuple[str, ...]] = {
    "rater": ("rater",),
    "item": ("item",),
    "both": ("rater", "item"),
}


@command(charts=("differences", "spread"))
@click.argument("judgments", metavar="FILE")
@model_judgments.model_judgment_options
@options.direction
@options.choice(
    "--unit",
    of=MixedUnit,
    help="auto: documents take part where they are known; item leaves them out.",
)
@options.choice(
    "--slopes",
    of=SlopeWord,
    help="By what the differences between systems may vary; auto: what the design allows.",
)
@click.option("--ml", is_flag=True, help="Maximum likelihood (default: restricted, REML).")
@options.baseline
@click.option("--numeric-system", is_flag=True, help="The system column holds a regressor.")
@options.choice(
    "--repeats",
    of=MixedRepeats,
    help="Several scores of a rater for an item of a system: average, or count each.",
)
@click.option(
    "--effects",
    "effects_path",
    cls=Unrepeated,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write severity of raters and difficulty of items as CSV.",
)
@options.alpha
def mixed(
    judgments: str,
    *,
    slopes: str,
    ml: bool,
    alpha: float,
    effects_path: Path | None,
    output: Output,
    progress: "Progress",
    **settings: Any,
) -> "MixedFit":
    """Systems, with raters and items as samples.

    Compare systems from human judgments in FILE, with raters and items as samples.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, rater, score and where known document; or what a campaign wrote. Scores may be any
    numbers, unless --scale bounds them. References and degraded copies are left out.

    \b
    Examples:
        detectable mixed judgments.csv --baseline old
        detectable mixed ratings.csv --column score=stars --column rater=who
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects
    from detectable.report.shown.mixed_fit import effects_csv

    if effects_path is not None:
        refuse_existing([effects_path], force=output.force)
    reading = judgment_options.reading(settings)
    data = model_judgments.load_for_model(judgments, reading, repeats=settings["repeats"])
    progress("fitting", 0, None)
    fit = fit_mixed(
        data, slopes=_SLOPES.get(slopes, slopes), reml=not ml, alpha=alpha, **settings
    )
    if effects_path is not None:
        effects = effects_csv(predict_effects(fit, factor=role) for role in fit.groups)
        output.put(effects_path, effects)
    return fit
