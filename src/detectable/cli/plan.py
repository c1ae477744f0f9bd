"""``detectable plan``: freeze a plan, or show one with its looks."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import family_options, options, output

if TYPE_CHECKING:
    from detectable.study.monitoring.plan import Plan
    from detectable.study.monitoring.plan_history import PlanHistory

# Written out so that --help need not load the library; a test compares.
TESTS = (
    *("paired-mean", "signed-rank", "sign-flip", "rank-sum", "two-means", "proportions"),
    *("mixed", "preference", "e-process", "e-preference"),
)
CLUSTERS = ("auto", "item", "document", "rater")
CLAIMS = ("difference", "equivalence", "non-inferiority")


def _names(_: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if len(names) < 2 or not all(names):
        raise click.BadParameter(
            f"takes two or more names with commas between; got {text!r}.", param=parameter
        )
    return names


def _shares(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"takes shares with commas between, for example .25,.5,1; got {text!r}.",
            param=parameter,
        ) from None


@click.group()
def plan() -> None:
    """Freeze what will be asked and when to stop, before the data."""


@plan.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--systems",
    required=True,
    callback=_names,
    metavar="A,B[,C…]",
    help="Who is compared; with two, the first against the second.",
)
@click.option("--baseline", help="Compare all others with this one (default: all pairs).")
@click.option(
    "--n-max",
    type=int,
    help="Items (per system, if the test is unpaired) at which it ends at the latest.",
)
@click.option("--question", default="", help="What it is for, in your words.")
@click.option(
    "--test", type=click.Choice(TESTS), default="paired-mean", show_default=True, help="How."
)
@click.option(
    "--unit",
    type=click.Choice(CLUSTERS),
    default="auto",
    show_default=True,
    help="What is independent; auto: documents where they are named, else items.",
)
@click.option(
    "--scale",
    "bounds",
    type=(float, float),
    metavar="LOW HIGH",
    help="Lowest and highest possible score (default: 0 100; for proportions 0 1).",
)
@click.option(
    "--claim",
    type=click.Choice(CLAIMS),
    default="difference",
    show_default=True,
    help="What is to be shown.",
)
@click.option("--margin", type=float, help="Of equivalence or non-inferiority, in points.")
@options.alpha
@click.option("--seed", default=0, show_default=True, help="Of everything random.")
@family_options.family
@click.option("--looks", type=int, help="Equally spaced looks that the plan counts on.")
@click.option("--at", callback=_shares, metavar="T,…,1", help="Looks as shares of the maximum.")
@click.option("--sided", type=click.IntRange(1, 2), help="Sides of the test (default: 2).")
@click.option("--futility", help="When to advise giving up; none turns it off.")
@family_options.parameters
@options.as_json
def new(
    path: Path, *, bounds: tuple[float, float] | None, as_json: bool, **choices: Any
) -> None:
    """Freeze a plan into PATH, which must not exist.

    \b
    Example:
        detectable plan new ship.json --systems new,old --n-max 600 --question "Ship new?"
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.monitoring.plan import plan as make_plan

    made = make_plan(path, scale=bounds, **choices)
    output.show(made, as_json=as_json, text=_print_plan)


@plan.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--csv",
    "csv_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the looks as CSV, one row per pair and look, for a chart.",
)
@options.force
@options.as_json
def show(path: Path, *, csv_path: Path | None, force: bool, as_json: bool) -> None:
    """Show a plan and all looks at it so far."""
    from detectable.report.plan import history_csv
    from detectable.study.monitoring.plan_history import plan_history

    history = plan_history(path)
    output.write_new(csv_path, lambda: history_csv(history), force=force)
    output.show(history, as_json=as_json, text=_print_history)


def _print_plan(made: "Plan") -> None:
    from detectable.report.plan import boundaries_table

    click.echo(made.summary())
    click.echo(f"Frozen in {made.path}; looks will be kept in {made.ledger_path}.")
    table = boundaries_table(made)
    if table is not None:
        click.echo()
        if len(made.pairs) > 1:
            click.echo(
                f"Boundaries of the first decision among {len(made.pairs)} pairs; each decision "
                "lowers them for the others."
            )
        output.print_table(table)


def _print_history(history: "PlanHistory") -> None:
    from detectable.report.plan import history_table

    click.echo(history.summary())
    if history.looks:
        click.echo()
        output.print_table(history_table(history))
