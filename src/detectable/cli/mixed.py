"""``detectable mixed``: fit ratings with raters and items as crossed random effects."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import Output, command, refuse_existing

if TYPE_CHECKING:
    from detectable.core.progress import Progress
    from detectable.mixed.result import MixedFit

_SLOPES = {"auto": "auto", "none": "none", "rater": ("rater",), "item": ("item",)}
_SLOPES |= {"both": ("rater", "item")}


@command()
@click.argument("ratings")
@click.option("--response", required=True, help="Column of the rating, a number.")
@click.option("--system", required=True, help="Column of the system.")
@click.option("--rater", required=True, help="Column of the rater.")
@click.option("--item", required=True, help="Column of the item.")
@click.option("--document", help="Column of the document; items lie within documents.")
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
    type=click.Choice(["refuse", "keep"]),
    default="refuse",
    show_default=True,
    help="When a rater rated an item of a system twice.",
)
@click.option(
    "--effects",
    "effects_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write severity of raters and difficulty of items as CSV.",
)
@options.alpha
def mixed(
    ratings: str,
    *,
    slopes: str,
    ml: bool,
    alpha: float,
    effects_path: Path | None,
    output: Output,
    progress: "Progress",
    **columns: Any,
) -> "MixedFit":
    """Compare systems from human RATINGS, with raters and items as samples.

    RATINGS is a table with one row per rating: CSV, TSV, JSON lines or Parquet.

    \b
    Example:
        detectable mixed ratings.csv --response score --system system --rater rater --item item
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.mixed.fit import fit_mixed
    from detectable.mixed.predictions import predict_effects
    from detectable.report.effects_csv import effects_csv

    if effects_path is not None:
        refuse_existing([effects_path], force=output.force)
    progress("fitting (kernels compile on first use)", 0, None)
    fit = fit_mixed(ratings, slopes=_SLOPES[slopes], reml=not ml, alpha=alpha, **columns)
    if effects_path is not None:
        effects = effects_csv(predict_effects(fit, factor=role) for role in fit.groups)
        output.put(effects_path, effects)
    return fit
