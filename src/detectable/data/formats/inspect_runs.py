"""Which logs of Inspect are of one system: what was evaluated, with which settings, and when."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.files.place import FilePath
from detectable.data.names import value_name

# Settings of the generation that change how fast answers come, and not which.
_OF_THE_WIRE = frozenset(("max_connections", "adaptive_connections", "max_retries", "timeout",
                          "attempt_timeout", "batch", "cache"))  # fmt: skip
# Limits within which a system must answer: with another one it is another system.
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")
_NO_DATE = datetime.datetime.min.replace(tzinfo=datetime.UTC)
_MOST_SHOWN = 3  # values of a setting in a message


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """What the header of a log says about its run.

    Attributes
    ----------
    model, task : str
        What was evaluated, on what.
    arguments : mapping of str to str
        Of the task.
    settings : mapping of str to str
        All else by which systems of one model differ: metadata, tags, solvers with their
        arguments, settings of the model, limits, and the revision of the code.
    created : datetime
        When the run began.
    finished : bool
        Whether it succeeded, and nobody withdrew it afterwards.
    """

    path: FilePath
    model: str
    task: str
    arguments: Mapping[str, str]
    settings: Mapping[str, str]
    created: datetime.datetime
    finished: bool

    @classmethod
    def of(cls, path: FilePath, header: Mapping[str, Any]) -> "LoggedRun":
        """Read a header; it has a part ``eval``."""
        about = header["eval"]
        return cls(
            path,
            str(about.get("model") or "model"),
            str(about.get("task")),
            _named(about.get("task_args")),
            _settings(header, about),
            _date(about.get("created")),
            header.get("status") == "success" and not header.get("invalidated"),
        )

    @property
    def known(self) -> dict[str, str]:
        """Arguments and settings together."""
        return {**self.arguments, **self.settings}

    @property
    def age(self) -> tuple[datetime.datetime, str]:
        """Rises with the time of the run; of logs without a date, with the name of the file."""
        return self.created, str(self.path)


def system_names(runs: Sequence[LoggedRun]) -> list[str]:
    """Return the name of the system of each run: its model, and what sets it apart.

    That is each argument of a task that differs between runs of the task, and as few of the other
    settings as tell all runs of a task with different settings from each other.
    """
    shown = {model: _telling([run for run in runs if run.model == model]) for model in
             dict.fromkeys(run.model for run in runs)}  # fmt: skip
    names = []
    for run in runs:
        own = run.known
        said = [f"{key}={own[key]}" for key in shown[run.model] if key in own]
        names.append(f"{run.model} ({', '.join(said)})" if said else run.model)
    return names


def _telling(runs: Sequence[LoggedRun]) -> list[str]:
    """Return the keys that distinguish the systems of one model."""
    chosen = [
        key for key in _keys(run.arguments for run in runs) if _differ_within_task(runs, key)
    ]
    for key in _keys(run.settings for run in runs):
        if _systems(runs, [*chosen, key]) > _systems(runs, chosen):
            chosen.append(key)
    return chosen


def _differ_within_task(runs: Sequence[LoggedRun], key: str) -> bool:
    return _systems(runs, [key]) > _systems(runs, [])


def _systems(runs: Sequence[LoggedRun], keys: Sequence[str]) -> int:
    """Return how many pairs of a task and a system there are, by these keys."""
    return len({(run.task, *(run.known.get(key) for key in keys)) for run in runs})


def _keys(several: Iterable[Mapping[str, str]]) -> list[str]:
    return list(dict.fromkeys(key for one in several for key in one))


def newest(runs: Sequence[LoggedRun]) -> LoggedRun:
    """Return the run to read of those with equal settings: the newest of those that finished."""
    return max(runs, key=lambda run: (run.finished, *run.age))


def refuse_different(system: str, runs: Sequence[LoggedRun]) -> list[str]:
    """Refuse logs of one task that were given for one system and are of several.

    Returns
    -------
    list of str
        A note on every task with several logs, which are taken as further samples.
    """
    notes = []
    for task in dict.fromkeys(run.task for run in runs):
        own = [run for run in runs if run.task == task]
        if len(own) == 1:
            continue
        first = own[0]
        for other in own[1:]:
            if (first.model, first.known) != (other.model, other.known):
                raise DataError(
                    f"{first.path} and {other.path} are given for {system!r}, and are logs of "
                    f"different systems: {_difference(first, other)}. Give the logs of one of "
                    "them, or a name to each."
                )
        notes.append(
            f"{system}: {count(len(own), 'log')} of {task} are read as samples of each question."
        )
    return notes


def _difference(one: LoggedRun, other: LoggedRun) -> str:
    before, after = ({"model": run.model, **run.known} for run in (one, other))
    said = [
        f"{key} is {before.get(key, 'not given')} in the one and {after.get(key, 'not given')} in "
        "the other"
        for key in _keys((before, after))
        if before.get(key) != after.get(key)
    ]
    return listing(said, most=_MOST_SHOWN)


def _settings(header: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a run, those first that people choose to distinguish runs."""
    plan = _object(header.get("plan"))
    generate = {**_object(about.get("model_generate_config")), **_object(plan.get("config"))}
    limits = _object(about.get("config"))
    return {
        # The header repeats both, with what was edited afterwards.
        **_named(_last(header, about, "metadata"), "metadata."),
        **_named({"tags": sorted(map(str, _last(header, about, "tags") or []))}),
        **_solvers(plan.get("steps")),
        **_named({k: v for k, v in generate.items() if k not in _OF_THE_WIRE}, "config."),
        **_named(about.get("model_args"), "model_args."),
        **_named({"model_roles": about.get("model_roles")}),
        **_named({key: limits.get(key) for key in _LIMITS}),
        **_named({"task_version": about.get("task_version")}),
        **_named({"revision": _revision(about.get("revision"))}),
    }


def _last(header: Mapping[str, Any], about: Mapping[str, Any], key: str) -> Any:
    found = header.get(key) or about.get(key)  # logs of older versions have the latter only
    return found if isinstance(found, dict | list) else None


def _solvers(steps: Any) -> dict[str, str]:
    """Return the solvers by name, and the arguments of each."""
    found = (
        [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    )
    names = [str(step.get("solver")) for step in found]
    settings = _named({"solver": " + ".join(names)})
    for place, (name, step) in enumerate(zip(names, found, strict=True)):
        again = names[:place].count(name)
        label = f"{name}#{again + 1}" if again else name
        settings |= _named(step.get("params"), f"{label}.")
    return settings


def _revision(found: Any) -> str | None:
    about = _object(found)
    if not about.get("commit"):
        return None
    return f"{about['commit']}{' with changes' if about.get('dirty') else ''}"


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _named(found: Any, before: str = "") -> dict[str, str]:
    """Return values by short names; what is empty is not given."""
    return {
        f"{before}{key}": value_name(value)
        for key, value in _object(found).items()
        if value not in (None, "", [], {})
    }


def _date(text: Any) -> datetime.datetime:
    try:
        found = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        return _NO_DATE
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
