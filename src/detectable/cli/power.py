"""``detectable power``, ``mde``, ``sample-size`` and ``power-curve``, each for every scenario."""

import pkgutil
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from detectable import cli
from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.scenario import ScenarioCommand, numbers

if TYPE_CHECKING:
    from detectable.core.result import Result

# Every file cli/scenario_<name>.py is a scenario.
SCENARIOS: tuple[ScenarioCommand, ...] = tuple(
    import_module(f"{cli.__name__}.{found.name}").SCENARIO
    for found in pkgutil.iter_modules(cli.__path__)
    if found.name.startswith("scenario_")
)

_WORK = (
    click.option("--simulate", is_flag=True, help="Simulate even where a closed form exists."),
    click.option(
        "--trials", "n_trials", default=10_000, show_default=True, help="Simulated evaluations."
    ),
    options.seed,
    options.jobs,
)


# What goes to the question; all other options go to the scenario.
_ASKED = (
    *("n_items", "effect", "power", "alpha", "simulate", "n_trials", "rng"),
    *("n_jobs", "executor"),
)


@click.group()
def power() -> None:
    """Say how likely an evaluation is to show a true effect."""


@click.group()
def mde() -> None:
    """Say the smallest effect that an evaluation can reliably show."""


@click.group("sample-size")
def sample_size() -> None:
    """Say how many items are needed to show an effect."""


@click.group("power-curve")
def power_curve() -> None:
    """Say the power for several sizes and effects, as a table."""


def _size(scenario: ScenarioCommand, *, several: bool) -> Callable[[Any], Any]:
    if several:
        return click.option(
            *scenario.size_names,
            "n_items",
            multiple=True,
            required=True,
            callback=numbers,
            help=f"{scenario.size} Several, with commas.",
        )
    return click.option(
        *scenario.size_names, "n_items", type=int, required=True, help=scenario.size
    )


def _effect(scenario: ScenarioCommand, *, several: bool) -> Callable[[Any], Any]:
    if several:
        return click.option(
            "--effect",
            multiple=True,
            required=True,
            callback=numbers,
            help=f"{scenario.effect} Several, with commas.",
        )
    return click.option("--effect", type=float, required=True, help=scenario.effect)


def _command(
    scenario: ScenarioCommand, question: str, asked_with: Iterable[Callable[[Any], Any]]
) -> click.Command:
    """Make the command that puts one question to one scenario."""

    def run(*, progress: Any, **given: Any) -> "Result":
        from detectable.planning import ask

        asked = {name: given.pop(name) for name in _ASKED if name in given}
        built = scenario.build(**given)
        answer: Result = getattr(ask, question)(built, progress=progress, **asked)
        return answer

    for option in reversed((*asked_with, *scenario.options, options.alpha, *_WORK)):
        run = option(run)
    text = scenario.help
    if question == "power":
        text += f"\n\n\b\nExample:\n    detectable power {scenario.name} {scenario.example}"
    run.__doc__ = text
    return command(scenario.name)(run)


for _scenario in SCENARIOS:
    _one_size, _one_effect = _size(_scenario, several=False), _effect(_scenario, several=False)
    _sizes, _effects = _size(_scenario, several=True), _effect(_scenario, several=True)
    power.add_command(_command(_scenario, "power", (_one_size, _one_effect)))
    mde.add_command(_command(_scenario, "mde", (_one_size, options.power)))
    sample_size.add_command(_command(_scenario, "sample_size", (_one_effect, options.power)))
    power_curve.add_command(_command(_scenario, "power_curve", (_sizes, _effects)))
