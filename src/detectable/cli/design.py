"""``detectable design``: interim looks that keep the error rate."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import family_options, options
from detectable.cli.command import command
from detectable.cli.scenario import numbers
from detectable.core.choices import DesignPreset

if TYPE_CHECKING:
    from detectable.sequential.design_result import Design
    from detectable.sequential.futility import Futility


@command(charts=("boundaries",))
@family_options.family
@click.option("--looks", type=int, help="Equally spaced looks (default 10).")
@click.option(
    "--at", multiple=True, callback=numbers, help="Shares of the maximum, with commas, last 1."
)
@options.alpha
@click.option("--sided", default=2, show_default=True, help="Sides of the test, 1 or 2.")
@click.option("--power", default=0.8, show_default=True, help="Power that is planned for.")
@family_options.futility
@click.option("--futility-threshold", type=float, help="Chance of success to give up below.")
@click.option("--futility-from", type=float, help="Share before which it is not looked at.")
@family_options.beta_family
@click.option("--binding", is_flag=True, help="Let the boundaries count on stops for futility.")
@family_options.parameters
@options.choice(
    "--preset",
    of=DesignPreset,
    help="paper: Pocock, 3 looks, give up where p > .5 (Wei et al. 2022).",
    optional=True,
)
@click.option("--n-max", type=int, help="Most items per system, to state samples in items.")
@click.option(
    "--drift",
    "drifts",
    multiple=True,
    callback=numbers,
    help="Drifts at which to state power and sample; several, with commas.",
)
def design(**given: Any) -> "Design":
    """Interim looks that keep the error rate.

    Plan interim looks that keep the chance of a false alarm.

    \b
    Examples:
        detectable design --looks 10 --n-max 1200
        detectable design --family pocock --looks 3 --alpha .05 --json
        detectable design --family hsd --gamma -4 --at .2,.5,.6,1
        detectable design --preset paper --drift 2.8,3.24
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    from detectable.sequential.design import design as plan

    given["at"] = given["at"] or None
    return plan(futility=_futility(given), **given)


def _futility(given: dict[str, Any]) -> "Futility | None":
    """Take the options on futility out of `given`, and return the rule."""
    from dataclasses import replace

    from detectable.sequential.families import Family
    from detectable.sequential.futility import resolve_futility

    name, threshold = given.pop("futility"), given.pop("futility_threshold")
    earliest, family = given.pop("futility_from"), given.pop("beta_family")
    if all(value is None for value in (name, threshold, earliest, family)):
        return None
    rule = resolve_futility(name or ("beta-spending" if family else None))
    powers = rule.rule not in ("none", "p>.5", "beta-spending")
    if not powers and (threshold is not None or earliest is not None):
        raise click.UsageError(
            f"--futility-threshold and --futility-from do not apply to {rule.rule!r}."
        )
    if family is not None and rule.rule != "beta-spending":
        raise click.UsageError(f"--beta-family does not apply to {rule.rule!r}.")
    if threshold is not None:
        rule = replace(rule, threshold=threshold)
    if earliest is not None:
        rule = replace(rule, earliest=earliest)
    return rule if family is None else replace(rule, spending=Family(family))
