"""``detectable design``: interim looks that keep the error rate."""

from typing import TYPE_CHECKING, Any

import click

from detectable.cli import family_options, options
from detectable.cli.command import command
from detectable.cli.scenario import numbers
from detectable.sequential.families import DesignSettings

if TYPE_CHECKING:
    from detectable.sequential.design_result import Design
    from detectable.sequential.futility import Futility


@command(charts=("boundaries",))
@family_options.family
@options.of(DesignSettings, "looks")
@click.option(
    "--at", multiple=True, callback=numbers, help="Shares of the maximum, with commas, last 1."
)
@options.of(DesignSettings, "alpha", "power")
@family_options.futility
@click.option("--futility-threshold", type=float, help="Chance of success to give up below.")
@click.option("--futility-from", type=float, help="Share before which it is not looked at.")
@family_options.beta_family
@options.of(DesignSettings, "binding")
@family_options.parameters
@options.of(DesignSettings, "preset", "n_max")
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
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
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
