"""``detectable mixed``: fit judgments with raters and items as crossed random effects."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, model_judgments, options
from detectable.cli.command import Output, command, refuse_existing
from detectable.cli.output_options import Unrepeated
from detectable.core.choices import MixedRepeats, MixedUnit, SlopeWord

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.mixed.result import MixedFit

# A word for what the library takes as factors.
_SLOPES: dict[str, str | tuple[str, ...]] = {
    "rater": ("rater",),
    "item": ("item",),
    "both": ("rater", "item"),
}


@command()
@click.argument("judgments", metavar="FILE")
@model_judgments.model_judgment_options
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
@click.option("--baseline", help="Compare all others with this system (default: all pairs).")
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
    """Compare systems from human judgments in FILE, with raters and items as samples.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, rater, score and where known document; or what a campaign wrote. Scores may be any
    numbers, unless --scale bounds them. References and degraded copies are left out.

    \b
    Examples:
        detectable mixed judgments.csv --baseline old
        detectable mixed ratings.csv --column score=stars --column rater=who
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects
    from detectable.report.effects_csv import effects_csv

    if effects_path is not None:
        refuse_existing([effects_path], force=output.force)
    reading = judgment_options.reading(settings)
    data = model_judgments.load(judgments, reading, repeats=settings["repeats"])
    progress("fitting", 0, None)
    fit = fit_mixed(
        data, slopes=_SLOPES.get(slopes, slopes), reml=not ml, alpha=alpha, **settings
    )
    if effects_path is not None:
        effects = effects_csv(predict_effects(fit, factor=role) for role in fit.groups)
        output.put(effects_path, effects)
    return fit
