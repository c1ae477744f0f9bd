"""What a scenario tells the command line: its options, and how to build it from them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from detectable.planning.scenario import Scenario


@dataclass(frozen=True, slots=True)
class ScenarioCommand:
    """One scenario under ``power``, ``mde``, ``sample-size`` and ``power-curve``.

    To add a scenario, make one of these in ``cli/scenario_<name>.py``; ``cli/power.py`` finds it
    by the name of the file (``scenario_rank_sum.py`` is ``rank-sum``).

    Attributes
    ----------
    name : str
        What the user types.
    help : str
        One or two sentences: the process, the test.
    effect : str
        What ``--effect`` means, for its help.
    size : str
        What the size means, for its help.
    options : tuple
        Decorators made by ``click.option``, for the settings of the scenario.
    build : callable
        Turns the values of `options` into a scenario; imports what it needs when called.
    size_names : tuple of str
        The option that gives the size.
    example : str
        Options of a ``detectable power`` that works.
    """

    name: str
    help: str
    effect: str
    size: str
    options: tuple[Callable[[Any], Any], ...]
    build: Callable[..., "Scenario"]
    example: str
    size_names: tuple[str, ...] = ("--n",)


def numbers(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Read ``0.1,0.2`` given once or several times."""
    parts = [part for text in texts for part in text.split(",") if part]
    try:
        return tuple(float(part) for part in parts)
    except ValueError:
        raise click.BadParameter(
            f"takes numbers with commas between; got {','.join(parts)!r}.", param=parameter
        ) from None
