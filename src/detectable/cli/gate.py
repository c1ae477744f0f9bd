"""``detectable gate``: the new system in place of the one in use, or not."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from detectable.cli import inputs, options
from detectable.cli.command import Output, command, note
from detectable.cli.gate_inputs import GateInputs, gate_inputs
from detectable.cli.gate_outputs import GateOutputs
from detectable.cli.output_options import Unrepeated, Writing
from detectable.core.choices import GateRule, Inconclusive

if TYPE_CHECKING:
    from detectable.study.gate.accept import AcceptedBaseline
    from detectable.study.gate.result import Gate

# What has no effect where a baseline is accepted.
_OF_A_TEST = {
    "rule": "--rule",
    "margin": "--margin",
    "watch": "--watch",
    "watch_tasks": "--watch-task",
    "inconclusive": "--inconclusive",
    "allow_different_items": "--allow-different-items",
    "attempt": "--attempt",
    "count_attempts": "--count-attempts",
    "self_test": "--self-test",
    "alpha": "--alpha",
    "power": "--power",
    "summary": "--summary",
    "junit": "--junit",
    "github": "--github",
    "baseline_system": "--baseline-system",
}
_OF_A_SELF_TEST = {"n_resamples": "--resamples", "rng": "--seed"}
_FILE = click.Path(dir_okay=False)


@command(json_file=True)
@gate_inputs
@options.choice(
    "--rule", of=GateRule, help="What lets it pass; the first and last need --margin."
)
@click.option(
    "--margin",
    multiple=True,
    callback=inputs.numbers,
    metavar="[METRIC=]X",
    help="The loss that you would mind: 0.05, or accuracy=0.05 (repeatable).",
)
@click.option(
    "--watch", multiple=True, metavar="METRIC", help="Show it, without a say (repeatable)."
)
@click.option(
    "--watch-task",
    "watch_tasks",
    multiple=True,
    metavar="TASK",
    help="Show it, without a say (repeatable).",
)
@options.choice(
    "--inconclusive",
    of=Inconclusive,
    help="Exit as after a pass or a fail where it is open (default: exit 4).",
    optional=True,
)
@click.option(
    "--allow-different-items",
    is_flag=True,
    help="Go on with the questions in both, even if they are below 90 %.",
)
@click.option(
    "--attempt",
    type=int,
    metavar="N",
    help="This is the Nth try of one candidate: tested at alpha / 2^N.",
)
@click.option(
    "--count-attempts",
    cls=Writing,
    is_flag=True,
    help="Count the tries of this system in the baseline file, which is written.",
)
@click.option(
    "--accept", cls=Writing, is_flag=True, help="Write NEW as the baseline, whatever it scored."
)
@click.option("--commit", metavar="TEXT", help="With --accept: the commit that NEW belongs to.")
@click.option(
    "--self-test",
    is_flag=True,
    help="Say how often an unchanged system would pass, fail, flip.",
)
@options.resamples("Evaluations that --self-test simulates.", 2000)
@click.option(
    "--summary",
    cls=Unrepeated,
    type=_FILE,
    metavar="FILE",
    help="Append Markdown there: $GITHUB_STEP_SUMMARY.",
)
@click.option("--junit", cls=Unrepeated, type=_FILE, metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--github/--no-github",
    cls=Unrepeated,
    default=None,
    help="Annotations and outputs of the step (default: if GitHub Actions runs this).",
)
@options.alpha
@options.power
@options.seed
def gate(
    given: GateInputs,
    *,
    accept: bool,
    commit: str | None,
    summary: str | None,
    junit: str | None,
    github: bool | None,
    output: Output,
    **settings: Any,
) -> "Gate | AcceptedBaseline":
    """Say whether NEW may take the place of the baseline: pass, fail or inconclusive.

    NEW is any file or folder of item scores that `compare --scores` reads. The exit code is 0 for
    a pass, 3 for a fail, 4 where these questions cannot tell; 1 if the data cannot be used, 2 if
    something was typed wrongly.

    \b
    Examples:
        detectable gate logs/new --baseline evals/baseline.json --margin accuracy=0.05
        detectable gate scores.csv --baseline old --system new --margin 0.02 --self-test
        detectable gate logs/main --baseline evals/baseline.json --accept
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
    if accept:
        _refuse(_OF_A_TEST | _OF_A_SELF_TEST, "--accept")
        return _accepted(given, commit, overwrite=output.force)
    if commit is not None:
        raise click.UsageError("--commit has no effect without --accept. Drop it.")
    if not settings["self_test"]:
        _refuse(_OF_A_SELF_TEST, "a gate without --self-test")
    outputs = GateOutputs(summary, junit, github, output)
    with outputs.told():
        result = _gated(given, **settings)
        outputs.write(result)
    return result


def _gated(
    given: GateInputs,
    *,
    count_attempts: bool,
    **settings: Any,
) -> "Gate":
    from detectable.study.gate.gate import gate as run

    file = given.baseline_file()
    named = _named(
        settings["margin"], settings["watch"], given, None if file is None else file.metrics
    )
    loaded = given.load_new(named)
    note(*(said for one in loaded for said in one.notes))
    tables = [one.table for one in loaded]
    old = given.load_old(tables, named) if file is None else file
    common: dict[str, Any] = {
        "system": given.system,
        "baseline_system": given.baseline_system,
        "lower_is_better": given.lower_is_better,
    }
    if not count_attempts:
        return run(tables, old, **common, **settings)
    return _counted(given, tables, file, **common, **settings)


def _counted(given: GateInputs, tables: Any, file: Any, **settings: Any) -> "Gate":
    """Gate a try that is counted in the baseline file."""
    from detectable.study.gate.accept import write_attempts
    from detectable.study.gate.attempts import counted
    from detectable.study.gate.gate import gate as run
    from detectable.study.gate.gate import new_scores

    if settings.pop("attempt") is not None:
        raise click.UsageError("--attempt and --count-attempts both say which try it is.")
    if file is None:
        raise click.UsageError(
            "--count-attempts needs a baseline file. Make one with --accept."
        )
    new = new_scores(tables, settings.pop("system"), file, settings["lower_is_better"])
    tries = counted(file.attempts, new.system, new.sha256)
    result = run(new, file, attempt=tries.number, **settings)
    if tries.tried != dict(file.attempts):
        write_attempts(given.baseline, replace(file, attempts=tries.tried))
        note(f"{given.baseline}: attempt {tries.number} of {new.system} is counted.")
    return result


def _named(
    margin: Any, watch: tuple[str, ...], given: GateInputs, known: "tuple[str, ...] | None"
) -> tuple[str, ...]:
    """Return the metrics to read: those of margins and watched ones, or those of the baseline."""
    if isinstance(margin, dict):
        return (*margin, *watch)
    if known:
        return (*known, *watch)
    if watch and not given.metrics:
        raise click.UsageError(
            "--watch needs to know what decides: give --margin METRIC=X, or --score-name."
        )
    return ()


def _accepted(given: GateInputs, commit: str | None, *, overwrite: bool) -> "AcceptedBaseline":
    from detectable.study.gate.accept import accept_baseline

    loaded = given.load_new(())
    note(*(said for one in loaded for said in one.notes))
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true"
    return accept_baseline(
        [one.table for one in loaded],
        given.baseline,
        system=given.system,
        commit=commit or (os.environ.get("GITHUB_SHA", "") if in_actions else ""),
        lower_is_better=given.lower_is_better,
        overwrite=overwrite,
    )


def _refuse(names: dict[str, str], where: str) -> None:
    """Refuse options that would be ignored."""
    context = click.get_current_context()
    for name, option in names.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} has no effect on {where}. Drop it.")
