"""``detectable power``, ``mde``, ``sample-size`` and ``power-curve``, each for every scenario."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.cli.command_table import LazyCommands, Whole
from detectable.cli.scenario import (
    DOCUMENT_SIZE,
    ScenarioCommand,
    assumptions,
    in_units,
    numbers,
    ranged,
)
from detectable.core.choices import PastBy
from detectable.core.registry import at

if TYPE_CHECKING:
    from detectable.core.result import Result

# What each scenario tells the command line, by the name that is typed.
_PLACES = {
    "accuracy": "detectable.cli.scenarios_of_answers:ACCURACY",
    "arena": "detectable.cli.scenarios_of_answers:ARENA",
    "bleu": "detectable.cli.scenarios_of_answers:BLEU",
    "likert": "detectable.cli.scenarios_of_ratings:LIKERT",
    "pilot": "detectable.cli.scenarios_of_ratings:PILOT",
    "preference": "detectable.cli.scenarios_of_answers:PREFERENCE",
    "rank-sum": "detectable.cli.scenarios_of_ratings:RANK_SUM",
    "ratings": "detectable.cli.scenarios_of_ratings:RATINGS",
    "samples": "detectable.cli.scenarios_of_answers:SAMPLES",
}

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


# Past ratings in place of a mean and a spread.
_ARCHIVE = ("source", "by", "only")
_FROM = (
    click.option(
        "--from",
        "source",
        metavar="FILE",
        help="Mean and sd of past ratings: judgments of campaigns, or their histograms (.npz).",
    ),
    options.choice("--by", of=PastBy, help="Of --from: a curve for each.", optional=True),
    click.option(
        "--only",
        multiple=True,
        help="Of --by: this group (repeatable; default: the ten with most comparisons).",
    ),
)


def _size(scenario: ScenarioCommand, *, several: bool) -> Callable[[Any], Any]:
    needed = not scenario.counts_documents  # else documents may be given in place of items
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
        *scenario.size_names, "n_items", type=int, required=needed, help=scenario.size
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
        n_documents = given.pop("n_documents", None)
        if question == "power_curve" and scenario.ranges:
            several = assumptions(given, scenario)
            if len(several) > 1:
                return _curves(scenario, given, asked, several, progress)
            given |= next(iter(several.values()))
        archive = {name: given.pop(name, None) for name in _ARCHIVE}
        if question == "sample_size":
            return _sizes(scenario, asked, archive, given, progress)
        built = scenario.build(**given)
        if scenario.counts_documents and "n_items" in asked:
            units = scenario.name == "pilot"
            asked["n_items"] = in_units(
                built, asked["n_items"], n_documents, counts_units=units
            )
        answer: Result = getattr(ask, question)(built, progress=progress, **asked)
        return answer

    for option in reversed((*asked_with, *scenario.options, options.alpha, *_WORK)):
        run = option(run)
    text = scenario.help
    if question == "power":
        text += f"\n\n\b\nExample:\n    detectable power {scenario.name} {scenario.example}"
    run.__doc__ = text
    charts = {
        "power_curve": ("power", "surface"),
        "sample_size": ("power", "significant", "sizes"),
    }.get(question, ("power", "significant"))
    made = command(scenario.name, charts=charts)(run)
    return ranged(made, scenario) if question == "power_curve" else made


def _curves(
    scenario: ScenarioCommand,
    given: dict[str, Any],
    asked: dict[str, Any],
    several: dict[str, dict[str, Any]],
    progress: Any,
) -> "Result":
    """Ask for the power under each of several assumptions."""
    from detectable.planning.ask import power_curves

    built = {name: scenario.build(**given, **chosen) for name, chosen in several.items()}
    if scenario.counts_documents:
        first = next(iter(built.values()))
        asked["n_items"] = in_units(first, asked["n_items"], None, counts_units=False)
    return power_curves(built, progress=progress, **asked)


def _sizes(
    scenario: ScenarioCommand,
    asked: dict[str, Any],
    archive: dict[str, Any],
    given: dict[str, Any],
    progress: Any,
) -> "Result":
    """Return the size for one effect, or those for several effects and groups of an archive."""
    if archive["source"] is None:
        for name in ("by", "only"):
            if archive[name]:
                raise click.UsageError(f"--{name} has no effect without --from. Drop it.")
        effects = asked.pop("effect")
        built = scenario.build(**given)
        if len(effects) == 1:
            from detectable.planning.ask import sample_size

            return sample_size(built, effect=effects[0], progress=progress, **asked)
        from detectable.planning.sample_sizes import sample_sizes

        return sample_sizes(built, effect=effects, progress=progress, **asked)
    from detectable.planning.sample_sizes import past_ratings, sample_sizes

    for name in ("mean", "sd"):
        if given.pop(name) is not None:
            raise click.UsageError(f"--from says the {name} of ratings. Drop --{name}.")
    found, notes = past_ratings(archive["source"], by=archive["by"], only=archive["only"])
    return sample_sizes(
        {one.group: scenario.build(mean=one.mean, sd=one.sd, **given) for one in found},
        name=archive["by"] or "archive",
        details={
            one.group: {"mean": one.mean, "sd": one.sd, "systems": one.systems} for one in found
        },
        notes=notes,
        progress=progress,
        **asked,
    )


def _commands(
    question: str, asked_with: Callable[[ScenarioCommand], tuple[Callable[[Any], Any], ...]]
) -> LazyCommands:
    """Return the commands that put one question to each scenario, made when they are called."""

    def maker(name: str) -> Callable[[], click.Command]:
        def make() -> click.Command:
            found = scenario(name)
            return _command(found, question, asked_with(found))

        return make

    return LazyCommands({name: maker(name) for name in _PLACES})


def scenario_names() -> tuple[str, ...]:
    """Return the names of all scenarios."""
    return tuple(_PLACES)


def scenario(name: str) -> ScenarioCommand:
    """Import what a scenario tells the command line."""
    found: ScenarioCommand = at(_PLACES[name])
    return found


def _one_size(scenario: ScenarioCommand) -> tuple[Callable[[Any], Any], ...]:
    documents = (DOCUMENT_SIZE,) if scenario.counts_documents else ()
    return _size(scenario, several=False), *documents


def _size_and_effect(scenario: ScenarioCommand) -> tuple[Callable[[Any], Any], ...]:
    return *_one_size(scenario), _effect(scenario, several=False)


def _size_and_power(scenario: ScenarioCommand) -> tuple[Callable[[Any], Any], ...]:
    return *_one_size(scenario), options.power


def _effects_and_power(scenario: ScenarioCommand) -> tuple[Callable[[Any], Any], ...]:
    past = _FROM if scenario.name == "ratings" else ()
    return _effect(scenario, several=True), options.power, *past


def _sizes_and_effects(scenario: ScenarioCommand) -> tuple[Callable[[Any], Any], ...]:
    return _size(scenario, several=True), _effect(scenario, several=True), options.power


@click.group(commands=_commands("power", _size_and_effect), cls=Whole)
def power() -> None:
    """How likely are you to show a true effect?

    Say how likely an evaluation is to show a true effect.
    """


@click.group(commands=_commands("mde", _size_and_power), cls=Whole)
def mde() -> None:
    """Smallest difference you could detect.

    Say the smallest effect that an evaluation can detect.
    """


@click.group("sample-size", commands=_commands("sample_size", _effects_and_power), cls=Whole)
def sample_size() -> None:
    """How many items show an effect?

    Say how many items are needed to show an effect.
    """


@click.group("power-curve", commands=_commands("power_curve", _sizes_and_effects), cls=Whole)
def power_curve() -> None:
    """Power by size, effect and assumption.

    Say the power for several sizes and effects, as a table, and under several assumptions.
    """
