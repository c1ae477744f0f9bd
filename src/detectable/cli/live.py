"""Options of plans against logs, looks at logs, and ``detectable subsample``."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from detectable.cli import options
from detectable.cli.command import command
from detectable.core.choices import StopScope, SubsampleFormat, words
from detectable.core.errors import InputError
from detectable.core.wording import plain_digits

if TYPE_CHECKING:
    from detectable.live.order import Subsample
    from detectable.live.plan import LivePlan

C = TypeVar("C", bound=Callable[..., Any])


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
    click.option(
        "--attempt",
        type=int,
        metavar="N",
        help="This is the Nth try of one candidate: tested at alpha / 2^N.",
    ),
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


def live_options(function: C) -> C:
    """Add the options of plans that run against logs."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def taken(choices: dict[str, Any]) -> dict[str, Any] | None:
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
    futility = given.pop("stop_futile")
    return {**shared, **given, "futility": futility}


def _was_typed(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def _flag(name: str) -> str:
    for one in click.get_current_context().command.params:
        if one.name == name:
            return max(one.opts, key=len)
    return name


def make_live_plan(path: Path, asked: dict[str, Any]) -> "LivePlan":
    """Freeze a plan against logs."""
    from detectable.live.plan import plan_live

    return plan_live(path, asked.pop("against", None), **asked)


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
    """Draw the questions of LOGS in a random order that is the same on every machine.

    The first 100 are part of the first 200, and every task has its own order. The format lm-eval is
    what its --samples takes, inspect what --sample-id takes.

    \b
    Examples:
        detectable subsample logs/old --n 100 --seed 7
        detectable subsample out/old --seed 7 --block 2/5 --format lm-eval
    """  # noqa: D301 (click reads the character \\b as «leave these lines as they are»)
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
