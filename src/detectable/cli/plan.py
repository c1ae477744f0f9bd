"""``detectable plan``: freeze a plan, or show one with its looks."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import family_options, options
from detectable.cli.command import command
from detectable.cli.scale_option import read_scale
from detectable.core.choices import AdmissionFew, AdmissionRule, Claim, JudgmentUnit, PlanTest

if TYPE_CHECKING:
    from detectable.study.monitoring.plan import Plan
    from detectable.study.monitoring.plan_history import PlanHistory


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


@command(repeats=False)
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
@options.named_test(of=PlanTest, help="How.")
@options.choice(
    "--unit",
    of=JudgmentUnit,
    help="What is independent; auto: documents where they are named, else items.",
)
@click.option(
    "--scale",
    metavar="LOW:HIGH",
    callback=read_scale,
    help="Lowest and highest possible score (default: 0:100; for proportions 0:1).",
)
@options.choice(
    "--claim",
    of=Claim,
    help="What is to be shown of a system; better is two-sided unless --sided 1.",
)
@click.option("--margin", type=float, help="Of non-inferior or equivalent, in points.")
@options.alpha
@click.option("--seed", default=0, show_default=True, help="Of everything random.")
@click.option(
    "--sd",
    type=float,
    help="Of the difference of two outputs (default: a fifth of the scale; 0.3 if unpaired).",
)
@click.option(
    "--pilot", metavar="FILE", help="Judgments that show the sd; no part of the evaluation."
)
@click.option("--effect", type=float, help="A true difference to state the power for.")
@click.option("--power", type=float, help="Power of the detectable effect (default: 0.9).")
@click.option("--cost", "cost_per_judgment", type=float, help="Price of one judgment.")
@click.option("--budget", type=float, help="What may be spent; --n-max must fit or follows.")
@options.choice(
    "--admission", of=AdmissionRule, help="Count work only if its controls pass.", optional=True
)
@click.option(
    "--admission-alpha", type=float, help="Chance that a random clicker passes (default: .05)."
)
@click.option(
    "--admission-pairs", type=int, help="Degraded copies that decide about work (default: 10)."
)
@options.choice(
    "--admission-few",
    of=AdmissionFew,
    help="What becomes of work with fewer copies at the end (default: refuse).",
    optional=True,
)
@family_options.family
@click.option("--looks", type=int, help="Equally spaced looks that the plan counts on.")
@click.option("--at", callback=_shares, metavar="T,…,1", help="Looks as shares of the maximum.")
@click.option("--sided", type=click.IntRange(1, 2), help="Sides of the test (default: 2).")
@family_options.futility
@family_options.parameters
def new(path: Path, **choices: Any) -> "Plan":
    """Freeze a plan into PATH, which must not exist.

    \b
    Example:
        detectable plan new ship.json --systems new,old --n-max 600 --question "Ship new?"
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.study.monitoring.plan import plan as make_plan

    return make_plan(path, admission=_admission(choices), **choices)


def _admission(choices: dict[str, Any]) -> dict[str, Any] | None:
    """Take the options on admission out of what was typed."""
    rule = choices.pop("admission")
    names = ("alpha", "pairs", "few")
    more = {name: choices.pop(f"admission_{name}") for name in names}
    if rule is None:
        given = next((name for name in names if more[name] is not None), None)
        if given is not None:
            raise click.UsageError(f"--admission-{given} has no effect without --admission.")
        return None
    return {"rule": rule, **more}


@command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def show(path: Path) -> "PlanHistory":
    """Show a plan and all looks at it so far."""
    from detectable.study.monitoring.plan_history import plan_history

    return plan_history(path)


plan.add_command(new)
plan.add_command(show)
