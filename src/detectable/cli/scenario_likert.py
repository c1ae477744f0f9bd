"""``detectable power likert`` and its like."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import model_judgments, options
from detectable.cli.scenario import ScenarioCommand
from detectable.core.choices import LikertPreset, LikertTest

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario

# What pilot ratings say themselves.
_SPREAD = (
    *("preset", "rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd"),
    *("raters_per_item", "missing"),
)


def _build(*, ratings: str | None, test: str, **settings: Any) -> "Scenario":
    """Build the scenario from a preset, from SDs, or from pilot ratings."""
    from detectable.planning.likert import Likert

    if ratings is None:
        model_judgments.refuse(settings, "without --ratings no judgments are read")
        if settings["n_raters"] is None:
            raise click.UsageError("--raters is missing.")
        return Likert(test=test, **settings)  # type: ignore[arg-type]
    if any(settings[name] not in (None, 0.0) for name in _SPREAD):
        raise click.UsageError(
            "--ratings says how ratings spread; drop --preset, the SDs, --raters-per-item and "
            "--missing."
        )
    return Likert.from_ratings(
        model_judgments.load_ordinary(ratings, settings),
        n_raters=settings["n_raters"],
        test=test,  # type: ignore[arg-type]
    )


def _sd(name: str, of: str) -> Any:
    return click.option(f"--{name}-sd", type=float, help=f"SD of {of}.")


SCENARIO = ScenarioCommand(
    name="likert",
    help="All raters rate all items of two systems; mixed model with rater and item slopes.",
    effect="True difference of the mean ratings (twice the β of card2020).",
    size="Items.",
    options=(
        click.option("--raters", "n_raters", type=int, help="Raters."),
        options.choice(
            "--preset",
            of=LikertPreset,
            help="The two settings of card2020, on a scale from 0 to 1.",
            optional=True,
        ),
        _sd("rater", "raters' levels"),
        _sd("rater-slope", "half the difference between the systems, by rater"),
        _sd("item", "items' levels"),
        _sd("item-slope", "half the difference between the systems, by item"),
        _sd("residual", "everything else"),
        click.option(
            "--ratings",
            metavar="FILE",
            help="Judgments of a pilot to take the SDs from (see docs/judgments.md).",
        ),
        model_judgments.model_judgment_options,
        options.choice(
            "--test",
            of=LikertTest,
            help="REML with Satterthwaite's df, or the authors' ML with t > 1.96.",
        ),
        click.option("--raters-per-item", type=int, help="Fewer than all, in rotation."),
        click.option(
            "--missing", type=float, default=0.0, help="Share of ratings that get lost."
        ),
    ),
    build=_build,
    example="--raters 3 --items 100 --effect .4 --preset card-high",
    size_names=("--items", "--n"),
)
