"""``detectable plan``, ``look`` and ``conclude``: freeze, peek, and give the verdict."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from detectable.cli import family_options, inputs, options
from detectable.cli.at_once import remember
from detectable.cli.command import Output, command
from detectable.cli.command_table import Whole
from detectable.cli.judgment_options import judgment_options, read_scale, refuse
from detectable.core.choices import (
    AdmissionFew,
    AdmissionRule,
    CheckAgainst,
    StopScope,
    SubsampleFormat,
    words,
)
from detectable.core.errors import InputError
from detectable.core.options import declared
from detectable.core.wording import plain_digits
from detectable.study.settings import GateSettings, PlanSettings

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.live.conclusion import LiveConclusion
    from detectable.live.logs import LiveHistory, LiveLook
    from detectable.live.order import Subsample
    from detectable.live.plan import LivePlan
    from detectable.study.monitoring.conclusion import Conclusion
    from detectable.study.monitoring.look import Look
    from detectable.study.monitoring.plan import Plan
    from detectable.study.monitoring.plan_history import PlanHistory

C = TypeVar("C", bound=Callable[..., Any])


def _names(
    _: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[str, ...] | None:
    if text is None:
        return None
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
        return tuple(float(plain_digits(part)) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"takes shares with commas between, for example .25,.5,1; got {text!r}.",
            param=parameter,
        ) from None


# --- Options of plans against logs ---


def _pair(kind: type, example: str) -> Callable[..., Any]:
    def read(_: click.Context, parameter: click.Parameter, text: str | None) -> Any:
        if text is None:
            return None
        parts = text.split("/" if "/" in example else ",")
        try:
            first, second = (kind(plain_digits(part)) for part in parts)
        except ValueError:
            raise click.BadParameter(
                f"takes two numbers, for example {example}; got {text!r}.", param=parameter
            ) from None
        return first, second

    return read


def _by_task(
    _: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> str | dict[str, str] | None:
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    found: dict[str, str] = {}
    for text in texts:
        task, equals, metric = text.partition("=")
        if not (task and equals and metric):
            raise click.BadParameter(
                f"takes METRIC, or TASK=METRIC for every task; got {text!r}.", param=parameter
            )
        found[task] = metric
    return found


_OPTIONS = (
    click.option(
        "--against",
        metavar="LOGS",
        help="Plan an evaluation that stops by itself, against these logs of a harness.",
    ),
    click.option(
        "--half-width",
        type=float,
        help="End where the interval is ± this, of one system or with --against of a difference.",
    ),
    click.option(
        "--metric",
        multiple=True,
        callback=_by_task,
        metavar="[TASK=]METRIC",
        help="Which scorer decides (default: the only one, or that of --margin).",
    ),
    click.option(
        "--task", "tasks", multiple=True, help="Only this task of --against (repeatable)."
    ),
    click.option("--system", help="Which system of --against, where there are several."),
    click.option("--first", type=int, help="Samples before which nobody looks (default: 30)."),
    click.option(
        "--stop",
        type=click.Choice(words(StopScope)),
        help="Whether a fail ends all tasks or its own (default: all).",
    ),
    click.option(
        "--stop-futile",
        "stop_futile",
        is_flag=True,
        help="Also end where pass and fail are both unlikely.",
    ),
    click.option(
        "--price",
        callback=_pair(float, "3,15"),
        metavar="IN,OUT",
        help="Dollars per million tokens, if the logs of --against tell no costs.",
    ),
    click.option("--max-tokens", type=float, help="End there at the latest: a last look."),
    click.option("--max-cost", type=float, help="The same in dollars."),
    options.of(GateSettings, "attempt"),
    click.option(
        "--lower-is-better",
        multiple=True,
        metavar="METRIC",
        help="A scorer of --against where lower is better (repeatable).",
    ),
    click.option(
        "--higher-is-better",
        multiple=True,
        metavar="METRIC",
        help="A scorer of --against where higher is better, if its name does not tell.",
    ),
)
_OWN = ("against", "half_width", "metric", "tasks", "system", "first", "stop", "stop_futile",
        "price", "max_tokens", "max_cost", "attempt", "lower_is_better", "higher_is_better")  # fmt: skip
_SHARED = ("margin", "n_max", "question", "alpha", "seed", "agreement", "budget", "family", "looks",
           "scale")  # fmt: skip


def _live_options(function: C) -> C:
    """Add the options of plans that run against logs."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def _taken(choices: dict[str, Any]) -> dict[str, Any] | None:
    """Take the options of a live plan out of what was typed; None where it is about judgments.

    What has no effect on the one or the other is refused.
    """
    own = {name: choices.pop(name) for name in _OWN}
    live = own["against"] is not None or own["half_width"] is not None
    if not live:
        for name in _OWN:
            if _was_typed(name):
                raise click.UsageError(
                    f"{_flag(name)} has no effect without --against LOGS or --half-width."
                )
        return None
    for name in choices:
        if name not in _SHARED and _was_typed(name):
            raise click.UsageError(
                f"{_flag(name)} is about judgments, and has no effect with --against or --half-width."
            )
    shared = {name: choices[name] for name in _SHARED if choices.get(name) is not None}
    given = {name: value for name, value in own.items() if value is not None}
    return {**shared, **given}


def _was_typed(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def _flag(name: str) -> str:
    for one in click.get_current_context().command.params:
        if one.name == name:
            return max(one.opts, key=len)
    return name


def _make_live_plan(path: Path, asked: dict[str, Any]) -> "LivePlan":
    """Freeze a plan against logs."""
    from detectable.live.plan import plan_live

    return plan_live(path, asked.pop("against", None), **asked)


@click.group(cls=Whole)
def plan() -> None:
    """Freeze the question and looks before the data.

    Freeze what will be asked and when to stop, before the data.
    """


@command(charts=("boundaries",))
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--systems",
    callback=_names,
    metavar="A,B[,C…]",
    help="Who is compared; with two, the first against the second.",
)
@options.of(PlanSettings, "baseline", "unit")
@click.option(
    "--scale",
    metavar="LOW:HIGH",
    callback=read_scale,
    help="Lowest and highest possible score (default: 0:100; for proportions 0:1).",
)
@options.of(PlanSettings, "claim")
@click.option(
    "--margin",
    multiple=True,
    callback=inputs.numbers,
    metavar="[TASK_OR_METRIC=]X",
    help=next(one.said.help for one in declared(PlanSettings) if one.name == "margin"),
)
@options.of(PlanSettings, "alpha")
@click.option("--seed", default=0, show_default=True, help="Of everything random.")
@options.of(PlanSettings, "sd", "baseline_accuracy")
@click.option(
    "--pilot", metavar="FILE", help="Judgments that show the sd; no part of the evaluation."
)
@options.of(PlanSettings, "effect")
@click.option("--power", type=float, help="Power of the detectable effect (default: 0.8).")
@options.of(PlanSettings, "cost_per_judgment", "budget")
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
@options.choice(
    "--admission-against",
    of=CheckAgainst,
    help="Compare with the lines beside, for tasks of documents (default: original).",
    optional=True,
)
@family_options.family
@click.option("--looks", type=int, help="Equally spaced looks that the plan counts on.")
@click.option("--at", callback=_shares, metavar="T,…,1", help="Looks as shares of the maximum.")
@click.option("--sided", type=click.IntRange(1, 2), help="Sides of the test (default: 2).")
@family_options.futility
@family_options.parameters
@_live_options
def new(path: Path, **choices: Any) -> "Plan | LivePlan":
    """Freeze a plan into PATH, which must not exist.

    \b
    Examples:
        detectable plan new ship.json --systems new,old --n-max 600 \\
            --question "Ship new?"
        detectable plan new paper.json --systems new,old --n-max 600 \\
            --preset paper
        detectable plan new ship.json --against logs/old --margin match=0.1 \\
            --seed 7
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.monitoring.plan import plan as make_plan

    asked = _taken(choices)
    if asked is not None:
        return _make_live_plan(path, asked)
    if choices["systems"] is None:
        raise click.UsageError("Missing option '--systems', or '--against' LOGS of a harness.")
    if isinstance(choices["margin"], dict):
        raise click.UsageError("--margin is one number without --against.")
    return make_plan(path, admission=_admission(choices), **choices)


def _admission(choices: dict[str, Any]) -> dict[str, Any] | None:
    """Take the options on admission out of what was typed."""
    rule = choices.pop("admission")
    names = ("alpha", "pairs", "few", "against")
    more = {name: choices.pop(f"admission_{name}") for name in names}
    if rule is None:
        given = next((name for name in names if more[name] is not None), None)
        if given is not None:
            raise click.UsageError(f"--admission-{given} has no effect without --admission.")
        return None
    return {"rule": rule, **more}


@command(charts=("path",))
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False))
def show(path: Path) -> "PlanHistory | LiveHistory":
    """Show a plan and all looks at it so far."""
    from detectable.study.monitoring.plan import LivePlanError
    from detectable.study.monitoring.plan_history import plan_history

    try:
        return plan_history(path)
    except LivePlanError:
        from detectable.live.logs import live_history

        return live_history(path)


plan.add_command(new)
plan.add_command(show)


# --- The data of a plan, read with the options of the command line ---


def read_for_plan(plan: "Plan", path: str, **reading: Any) -> "Judgments":
    """Return the judgments of a file; for plans by preference, from its ``winner`` column."""
    from detectable.data.human.preferences import read_preferences
    from detectable.data.human.read_judgments import read_judgments
    from detectable.study.monitoring.planned import PREFERENCES

    if plan.test in PREFERENCES:
        refuse(reading, "preferences are read from the columns item and winner")
        return read_preferences(path, plan.systems)
    refuse(reading, "the plan fixes the scale", ["scale"])
    chosen = {**reading, "columns": reading["columns"] or None, "scale": plan.scale}
    return read_judgments(path, **chosen)


def _old_logs(function: Any) -> Any:
    """Add the options of looks at logs."""
    for option in (
        click.option("--system", help="Of a plan against logs: which of several is new."),
        click.option(
            "--baseline",
            metavar="LOGS",
            help="Of a plan against logs: where those of the system in use are now.",
        ),
    ):
        function = option(function)
    return function


def _only_logs(reading: dict[str, Any]) -> None:
    refuse(reading, "the plan is against logs of a harness, which need no options")


def _refuse_old_logs(plan: Path, baseline: str | None, system: str | None) -> None:
    """Refuse what only plans against logs take; a plan is read once more only if it was typed."""
    for flag, value in (("--baseline", baseline), ("--system", system)):
        if value is not None:
            from detectable.live.plan import is_live_plan

            if not is_live_plan(plan):
                raise click.UsageError(f"{flag} has no effect on a plan of judgments.")


# --- ``detectable look``: look at the data of a plan, and write it into the ledger ---


@command(charts=("path",))
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("data")
@click.option("--final", is_flag=True, help="Declare this the last look.")
@click.option(
    "--overrule-futility",
    is_flag=True,
    help="Go on although the last look advised to give up; the ledger keeps note.",
)
@_old_logs
@judgment_options
def look(
    plan: Path,
    data: str,
    *,
    final: bool,
    overrule_futility: bool,
    baseline: str | None,
    system: str | None,
    **reading: Any,
) -> "Look | LiveLook":
    """Look at the data so far: go on or stop?

    Look at DATA, all judgments so far, under PLAN, and decide whether to stop.

    The look is added to the ledger beside the plan. A look that the plan forbids is refused,
    and nothing is written. DATA of a plan against logs are the logs so far.

    \b
    Examples:
        detectable look ship.json judgments.csv
        detectable look ship.json logs/new
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.monitoring.look import look as look_at
    from detectable.study.monitoring.plan import LivePlanError

    _refuse_old_logs(plan, baseline, system)
    found: Look | LiveLook
    try:
        found = look_at(
            plan,
            lambda frozen: read_for_plan(frozen, data, **reading),
            final=final,
            overrule_futility=overrule_futility,
        )
    except LivePlanError:
        from detectable.live.logs import look_at_logs

        _only_logs(reading)
        if overrule_futility:
            raise click.UsageError(
                "--overrule-futility has no effect on a plan against logs."
            ) from None
        found = look_at_logs(plan, data, baseline=baseline, system=system, final=final)
    remember(f"The look is in the ledger: detectable plan show {plan} shows it.")
    return found


# --- ``detectable conclude``: the verdict of a plan that has stopped ---


@command(charts=("path", "estimates"))
@click.argument("plan", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("data", required=False)
@_old_logs
@judgment_options
def conclude(
    plan: Path,
    data: str | None,
    *,
    output: Output,
    baseline: str | None,
    system: str | None,
    **reading: Any,
) -> "Conclusion | LiveConclusion":
    """Verdict, p and interval over all looks.

    Give the verdict of PLAN, with p-values and intervals that know of all looks.

    DATA is needed only if judgments came in after the stop: they are counted in, not dropped.
    A plan against logs takes them as DATA. The verdict is also written beside the plan, as
    ….conclusion.json.

    \b
    Examples:
        detectable conclude ship.json
        detectable conclude ship.json logs/new
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.study.monitoring.conclude import conclude as conclude_plan
    from detectable.study.monitoring.plan import LivePlanError

    _refuse_old_logs(plan, baseline, system)
    found: Conclusion | LiveConclusion
    try:
        if data is None:
            refuse(reading, "there is no DATA to read")
            found = conclude_plan(plan, force=output.force)
        else:
            found = conclude_plan(
                plan, lambda frozen: read_for_plan(frozen, data, **reading), force=output.force
            )
    except LivePlanError:
        from detectable.live.conclusion import conclude_logs

        _only_logs(reading)
        if data is None:
            raise click.UsageError(
                "a plan against logs needs DATA: the logs of the run."
            ) from None
        found = conclude_logs(plan, data, baseline=baseline, system=system, force=output.force)
    remember("The conclusion is written beside the plan (….conclusion.json).")
    return found


# --- ``detectable subsample``: the same questions of a benchmark for two runs ---


@command()
@click.argument("logs")
@click.option("--n", type=int, help="Questions of every task (default: all).")
@click.option("--seed", default=0, show_default=True, help="Of the order.")
@options.choice("--format", of=SubsampleFormat, help="For whom it is printed.")
@click.option(
    "--block",
    callback=_pair(int, "2/5"),
    metavar="I/K",
    help="Only the Ith of K parts, one after the other.",
)
@click.option("--task", "tasks", multiple=True, help="Only this task (repeatable).")
@click.option("--system", help="Which system, where LOGS holds several.")
@click.option(
    "--by", metavar="KEY", help="Draw groups whole: questions with the same metadata KEY."
)
@click.option(
    "--same-across-tasks",
    is_flag=True,
    help="Draw the same questions in tasks that have the same.",
)
def subsample(  # noqa: PLR0913 (the options of one command)
    logs: str,
    *,
    n: int | None,
    seed: int,
    format: SubsampleFormat,
    block: tuple[int, int] | None,
    tasks: tuple[str, ...],
    system: str | None,
    by: str | None,
    same_across_tasks: bool,
) -> "Subsample":
    """The same random questions for every model.

    Draw the questions of LOGS in a random order that is the same on every machine.

    The first 100 are part of the first 200, and every task has its own order. The format lm-eval is
    what its --samples takes, inspect what --sample-id takes.

    \b
    Examples:
        detectable subsample logs/old --n 100 --seed 7
        detectable subsample out/old --seed 7 --block 2/5 --format lm-eval
    """  # noqa: D301 (click reads the character \\b as “leave these lines as they are”)
    from detectable.live.order import drawn
    from detectable.live.task_logs import task_logs

    found = task_logs(logs, system=system)
    unknown = [name for name in tasks if name not in found]
    if unknown:
        raise InputError(f"`tasks` must be of {', '.join(found)}; got {unknown[0]!r}.")
    kept = {name: log for name, log in found.items() if not tasks or name in tasks}
    return drawn(
        {name: log.order for name, log in kept.items()},
        seed=seed,
        n=n,
        block=block,
        format=format,
        same_across_tasks=same_across_tasks,
        groups=None if by is None else {name: log.grouped(by) for name, log in kept.items()},
    )
