"""``detectable mixed``: fit judgments with raters and items as crossed random effects."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import judgment_options, model_judgments, options, output
from detectable.cli.progress import Bars
from detectable.core.choices import MixedRepeats, MixedUnit, words

if TYPE_CHECKING:
    from detectable.mixed.result import MixedFit

_SLOPES = {"auto": "auto", "none": "none", "rater": ("rater",), "item": ("item",)}
_SLOPES |= {"both": ("rater", "item")}


@click.command()
@click.argument("judgments", metavar="FILE")
@model_judgments.model_judgment_options
@click.option(
    "--unit",
    type=click.Choice(words(MixedUnit)),
    default="auto",
    show_default=True,
    help="auto: documents take part where they are known; item leaves them out.",
)
@click.option(
    "--slopes",
    type=click.Choice(list(_SLOPES)),
    default="auto",
    show_default=True,
    help="By what the differences between systems may vary; auto: what the design allows.",
)
@click.option("--ml", is_flag=True, help="Maximum likelihood (default: restricted, REML).")
@click.option("--baseline", help="Compare all others with this system (default: all pairs).")
@click.option("--numeric-system", is_flag=True, help="The system column holds a regressor.")
@click.option(
    "--repeats",
    type=click.Choice(words(MixedRepeats)),
    default="mean",
    show_default=True,
    help="Several scores of a rater for an item of a system: average, or count each.",
)
@click.option(
    "--effects",
    "effects_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write severity of raters and difficulty of items as CSV.",
)
@options.alpha
@options.force
@options.as_json
def mixed(
    judgments: str,
    *,
    slopes: str,
    ml: bool,
    alpha: float,
    effects_path: Path | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare systems from human judgments in FILE, with raters and items as samples.

    FILE has one row per judgment: a table (CSV, TSV, JSON lines, Parquet) with columns system,
    item, rater, score and where known document; or what a campaign wrote. Scores may be any
    numbers, unless --scale bounds them. References and degraded copies are left out.

    \b
    Examples:
        detectable mixed judgments.csv --baseline old
        detectable mixed ratings.csv --column score=stars --column rater=who
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.core import check
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects
    from detectable.report.mixed import effects_csv

    output.refuse_existing([effects_path], force=force)
    alpha = check.probability(alpha, "alpha")
    reading = judgment_options.reading(settings)
    data = model_judgments.load(judgments, reading, repeats=settings["repeats"])
    with Bars() as progress:
        progress("fitting (kernels compile on first use)", 0, None)
        fit = fit_mixed(data, slopes=_SLOPES[slopes], reml=not ml, alpha=alpha, **settings)
    for note in fit.notes:
        click.echo(f"Note: {note}", err=True)
    output.write_new(
        effects_path,
        lambda: effects_csv(predict_effects(fit, factor=role) for role in fit.groups),
        force=force,
    )
    output.show(fit, as_json=as_json, text=_print)


def _print(fit: "MixedFit") -> None:
    from detectable.report.mixed import components_table, contrasts_table, means_table

    click.echo(fit.summary())
    click.echo()
    for table in (contrasts_table(fit), means_table(fit), components_table(fit)):
        output.print_table(table)
