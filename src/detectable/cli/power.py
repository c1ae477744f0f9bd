"""``detectable power``, ``mde``, ``sample-size`` and ``power-curve``, each for every scenario."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import (
    options,
    output,
    scenario_accuracy,
    scenario_bleu,
    scenario_likert,
    scenario_pilot,
    scenario_preference,
    scenario_rank_sum,
    scenario_ratings,
)
from detectable.cli.progress import Bars
from detectable.cli.scenario import ScenarioCommand, numbers

if TYPE_CHECKING:
    from detectable.planning.result import (
        DetectableEffect,
        PowerCurve,
        PowerEstimate,
        SampleSize,
    )
    from detectable.planning.scenario import Scenario

SCENARIOS = (
    scenario_accuracy.SCENARIO,
    scenario_bleu.SCENARIO,
    scenario_rank_sum.SCENARIO,
    scenario_preference.SCENARIO,
    scenario_ratings.SCENARIO,
    scenario_likert.SCENARIO,
    scenario_pilot.SCENARIO,
)

_WORK = (
    click.option("--simulate", is_flag=True, help="Simulate even where a closed form exists."),
    click.option(
        "--trials", "n_trials", default=10_000, show_default=True, help="Simulated evaluations."
    ),
    options.seed,
    options.jobs,
    options.as_json,
)


# What goes to the question; all other options go to the scenario.
_ASKED = ("n_items", "effect", "power", "alpha", "simulate", "n_trials", "rng", "n_jobs")


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


def _power(scenario: "Scenario", **settings: Any) -> "PowerEstimate":
    from detectable.planning.ask import power

    return power(scenario, **settings)


def _mde(scenario: "Scenario", **settings: Any) -> "DetectableEffect":
    from detectable.planning.ask import mde

    return mde(scenario, **settings)


def _sample_size(scenario: "Scenario", **settings: Any) -> "SampleSize":
    from detectable.planning.ask import sample_size

    return sample_size(scenario, **settings)


def _power_curve(scenario: "Scenario", **settings: Any) -> "PowerCurve":
    from detectable.planning.ask import power_curve

    return power_curve(scenario, **settings)


def _print_result(result: "PowerEstimate | DetectableEffect | SampleSize") -> None:
    click.echo(result.summary())
    for name, value in result.details.items():
        shown = f"{value:.6g}" if isinstance(value, float) else value
        click.echo(f"{name.replace('_', ' ')}: {shown}")
    for note in result.notes:
        click.echo(f"Note: {note}", err=True)


def _print_curve(result: "PowerCurve") -> None:
    from detectable.report.power import power_table

    output.print_table(power_table(result))
    for note in dict.fromkeys(note for point in result.points for note in point.notes):
        click.echo(f"Note: {note}", err=True)


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
    return click.option(
        "--effect",
        type=float,
        required=scenario.default_effect is None,
        default=scenario.default_effect,
        help=scenario.effect,
    )


def _command(
    scenario: ScenarioCommand,
    ask: Callable[..., Any],
    question: Iterable[Callable[[Any], Any]],
    show: Callable[[Any], None],
) -> click.Command:
    """Make the command that puts one question to one scenario."""

    def run(*, as_json: bool, **given: Any) -> None:
        asked = {name: given.pop(name) for name in _ASKED if name in given}
        built = scenario.build(**given)
        with Bars() as progress:
            result = ask(built, progress=progress, **asked)
        output.show(result, as_json=as_json, text=show)

    for option in reversed((*question, *scenario.options, options.alpha, *_WORK)):
        run = option(run)
    text = scenario.help
    if ask is _power:
        text += f"\n\n\b\nExample:\n    detectable power {scenario.name} {scenario.example}"
    return click.command(scenario.name, help=text)(run)


for _scenario in SCENARIOS:
    _one_size, _one_effect = _size(_scenario, several=False), _effect(_scenario, several=False)
    _sizes, _effects = _size(_scenario, several=True), _effect(_scenario, several=True)
    power.add_command(_command(_scenario, _power, (_one_size, _one_effect), _print_result))
    mde.add_command(_command(_scenario, _mde, (_one_size, options.power), _print_result))
    sample_size.add_command(
        _command(_scenario, _sample_size, (_one_effect, options.power), _print_result)
    )
    power_curve.add_command(_command(_scenario, _power_curve, (_sizes, _effects), _print_curve))
