"""Options on boundaries: their family, read off the table of families, and when to give up."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import click

from detectable.cli import options
from detectable.cli.options import LazyChoice
from detectable.core.choices import FutilityRule, words
from detectable.sequential import families

Command = TypeVar("Command", bound=Callable[..., object])

family = click.option(
    "--family",
    type=LazyChoice(lambda: families.FAMILIES),
    help=f"Family of boundaries (default {families.DEFAULT_FAMILY}).",
)
futility = options.choice(
    "--futility",
    of=FutilityRule,
    help=f"When to advise giving up (default {words(FutilityRule)[0]}).",
    optional=True,
)
beta_family = click.option(
    "--beta-family",
    type=LazyChoice(families.spending_names),
    help=f"How beta-spending spends (default {families.DEFAULT_BETA_FAMILY}).",
)


def parameters(command: Command) -> Command:
    """Add one option for every parameter of a family."""
    for name, owners in reversed(families.parameter_owners().items()):
        option = click.option(
            f"--{name.replace('_', '-')}", name, type=float, help=_help(owners)
        )
        command = option(command)
    return command


def _help(owners: Iterable[families.FamilyRow]) -> str:
    of = (f"{row.name} (default {row.parameter.default:g})" for row in owners if row.parameter)
    return f"Parameter of {', of '.join(of)}."
