"""Freeze when a live evaluation will stop, before its first answer, and keep its ledger."""

import contextlib
import datetime
import functools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from detectable.core import check
from detectable.core.choices import StopScope
from detectable.core.errors import DataError, InputError
from detectable.core.result import Result, Signature, to_json
from detectable.core.version import VERSION
from detectable.core.wording import listing
from detectable.data.files.inputs import unnoted_inputs
from detectable.data.files.ledger_file import (
    append_entry,
    fingerprint,
    fits,
    locked,
    read_entries,
)
from detectable.data.files.place import FilePath
from detectable.data.files.read_json import read_json
from detectable.live.rule import ZERO_ONE, PrefixLook, Rule
from detectable.live.task_logs import TaskLog, log_name, means_hash, task_logs
from detectable.sequential.boundaries import stop_chances, symmetric_stops
from detectable.sequential.families import DEFAULT_FAMILY
from detectable.sequential.prefix_looks import FIRST, PrefixLooks
from detectable.study.gate.baseline import level
from detectable.study.monitoring.plan import LIVE, write_frozen
from detectable.study.monitoring.planned import beside

_FORMAT = 1
_NOT_IN_THE_FILE = {"signature", "path", "fingerprint"}
_LOOKS = 20  # parts of the samples
_AGREEMENT = 0.9  # of two versions of a system, where nobody says it


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTask:
    """One task of a live plan.

    Attributes
    ----------
    task, metric : str
        Its name, and the scorer that decides; empty where any is meant.
    margin : float or None
        The loss that a pass rules out.
    questions, epochs : int or None
        How many will run at most, and how often each; None leaves it to the run.
    scale : (float, float) or None
        The lowest and the highest score.
    baseline_score : float
        The mean of the system in use; NaN without one.
    baseline_sha256 : str
        Of its scores.
    tokens, cost : float
        Of a sample of the system in use, on average; NaN where its log does not say.
    """

    task: str
    metric: str
    margin: float | None
    questions: int | None
    epochs: int | None
    scale: tuple[float, float] | None
    lower_is_better: bool = False
    baseline_score: float = math.nan
    baseline_sha256: str = ""
    tokens: float = math.nan
    cost: float = math.nan

    @property
    def samples(self) -> int | None:
        """Samples at most."""
        if self.questions is None or self.epochs is None:
            return None
        return self.questions * self.epochs


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What an evaluation takes at most, and on average if nothing changed or the margin is lost.

    Shares are of the samples; NaN where the spread of the scores would have to be known.
    """

    samples: int
    tokens: float
    cost: float
    share_unchanged: float
    share_lost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePlan(Result):
    """A frozen plan of an evaluation that stops when it is decided.

    Attributes
    ----------
    baseline : str
        The system in use, as its logs name it; empty for one system.
    against : str
        Where its logs were.
    tasks : tuple of LiveTask
        What is run.
    alpha : float
        One-sided level of a pass; all tasks share it for a fail.
    stop : {'all', 'task'}
        Whether a fail ends all tasks, or its own.
    half_width : float or None
        The target of precision that ends it instead of a claim.
    max_tokens, max_cost : float or None
        Caps: reaching one is a declared last look.
    attempt : int or None
        Which try of the candidate it is: the j-th has α·2⁻ʲ.
    """

    question: str
    baseline: str
    against: str
    tasks: tuple[LiveTask, ...]
    alpha: float
    seed: int
    looks: int
    first: int
    family: str
    half_width: float | None
    stop: StopScope
    futility: bool
    agreement: float
    max_tokens: float | None
    max_cost: float | None
    attempt: int | None
    created: str
    path: str = field(default="", compare=False, metadata={"path": True})
    fingerprint: str = ""

    @property
    def ledger_path(self) -> Path:
        """The ledger, beside the plan."""
        return beside(self.path, ".ledger.jsonl")

    @property
    def conclusion_path(self) -> Path:
        """The conclusion, beside the plan."""
        return beside(self.path, ".conclusion.json")

    def task(self, name: str | None) -> LiveTask:
        """Return a task by its name, or the only one."""
        if len(self.tasks) == 1 and (name is None or not self.tasks[0].task):
            return self.tasks[0]
        for one in self.tasks:
            if one.task == name:
                return one
        raise DataError(
            f"{self.path}: the plan has no task {name!r}. Found: "
            f"{listing([one.task for one in self.tasks])}."
        )

    def rule(self, name: str | None) -> Rule:
        """Return what is fixed for one task."""
        one = self.task(name)
        alpha = level(self.alpha, self.attempt)
        return Rule(
            seed=self.seed,
            metric=one.metric or None,
            margin=one.margin,
            alpha=alpha,
            alpha_fail=alpha / len(self.tasks),
            looks=self.looks,
            first=self.first,
            family=self.family,
            half_width=self.half_width,
            lower_is_better=one.lower_is_better,
            scale=one.scale,
            futility=self.futility,
        )

    def baseline_log(self, name: str | None, source: FilePath) -> TaskLog:
        """Return the log of a task of the system in use."""
        one = self.task(name)
        found = task_logs(source, likely=self.baseline)
        log = found.get(one.task) or (next(iter(found.values())) if len(found) == 1 else None)
        if log is None:
            raise DataError(
                f"{source}: there is no log of the task {one.task!r}. Found: {listing(list(found))}."
            )
        return log

    def baseline_scores(self, name: str | None, log: TaskLog) -> dict[str, float]:
        """Return the mean scores of the system in use, if they are those of the plan."""
        one = self.task(name)
        means = log.means(one.metric, self.rule(name).errors_count)
        if means_hash(means) != one.baseline_sha256:
            raise DataError(
                f"{log.paths[0]}: the scores of {log_name(log)} are not those that {self.path} was "
                "made against. Give the same logs, or make a new plan."
            )
        return means

    def forecast(self, task: LiveTask) -> Forecast | None:
        """Return what a task takes; None where the run decides how many samples there are."""
        total = task.samples
        if total is None:
            return None
        shares = (math.nan, math.nan)
        if task.epochs == 1 and task.scale == ZERO_ONE and task.margin is not None:
            shares = self._shares(self.rule(task.task), task.margin, total)
        return Forecast(
            samples=total,
            tokens=total * task.tokens,
            cost=total * task.cost,
            share_unchanged=shares[0],
            share_lost=shares[1],
        )

    def _shares(self, rule: Rule, margin: float, total: int) -> tuple[float, float]:
        """Return the expected shares if nothing changed, and if the margin is lost.

        Either way the nearest boundary is as far away as the margin; 0/1 answers that agree in a
        share A differ with variance 1 − A.
        """
        looks: PrefixLooks = rule.schedule(total)
        drift = margin * math.sqrt(total / (1.0 - self.agreement))
        found = [
            float(
                (stop_chances(symmetric_stops(looks.times, z, sided=1), drift).anywhere()
                 @ np.asarray(looks.times))[0]
            )
            for z in (looks.z, looks.z_fail)
        ]  # fmt: skip
        return found[0], found[1]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan with its forecast, as JSON values."""
        forecast = [self.forecast(one) for one in self.tasks]
        return {**Result.to_dict(self), "forecast": to_json(forecast)}

    # --- The ledger ---

    @contextlib.contextmanager
    def ledger(self) -> Iterator["LiveLedger"]:
        """Hold the ledger, which other tasks of the same run wait for."""
        with locked(self.ledger_path, wait=True):
            yield LiveLedger(self, self.ledger_lines())

    def ledger_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the ledger, refusing one that is lost or of another plan."""
        with unnoted_inputs():
            lines = read_entries(self.ledger_path)
        if not lines:
            raise DataError(
                f"{self.path}: its ledger {self.ledger_path} is not here, and with it the looks so "
                "far. Use the plan where it was made."
            )
        for number, line in enumerate(lines, start=1):
            if line.get("plan") != self.fingerprint:
                raise DataError(
                    f"{self.ledger_path}, line {number}: this entry belongs to another plan than "
                    f"{self.path}."
                )
        return lines

    def begin(self, task: str, eval_id: str, *, order: str, n: int, epochs: int) -> None:
        """Write that a task begins, or refuse a second run of it."""
        with self.ledger() as ledger:
            before = ledger.run_of(task)
            if before is not None:
                raise DataError(
                    f"{self.path}: {task or 'its task'} was run with this plan already (eval_id "
                    f"{before['eval_id'] or 'unknown'}, {before['time']}). A second try needs a plan "
                    "of its own: plan new … --attempt 2, which tests it at a quarter of α."
                )
            ledger.add_run(task, eval_id, order=order, n=n, epochs=epochs)

    def note_look(
        self, task: str, eval_id: str, number: int, look: PrefixLook, *, cap: str
    ) -> None:
        """Write a look into the ledger."""
        with self.ledger() as ledger:
            ledger.add_look(task, eval_id, number, look, cap=cap)


class LiveLedger:
    """The lines of a live plan, while its lock is held."""

    def __init__(self, plan: LivePlan, lines: Sequence[Mapping[str, Any]]) -> None:
        self._plan = plan
        self.lines = tuple(lines)

    def run_of(self, task: str) -> Mapping[str, Any] | None:
        """Return the line with which a task began, if it did."""
        found = [one for one in self.lines if one["event"] == "live" and one["task"] == task]
        return found[-1] if found else None

    def looks_of(self, task: str) -> list[Mapping[str, Any]]:
        """Return the looks at a task."""
        return [one for one in self.lines if one["event"] == "look" and one["task"] == task]

    def add_run(self, task: str, eval_id: str, *, order: str, n: int, epochs: int) -> None:
        """Write the beginning of a task."""
        self._add(
            {
                "event": "live",
                "task": task,
                "eval_id": eval_id,
                "order": order,
                "questions": n,
                "epochs": epochs,
                "baseline": self._plan.task(task).baseline_sha256,
            }
        )

    def add_look(
        self, task: str, eval_id: str, number: int, look: PrefixLook, *, cap: str = ""
    ) -> None:
        """Write a look."""
        kept = {"event": "look", "task": task, "eval_id": eval_id, "look": number}
        self._add({**kept, **to_json(look), **({"cap": cap} if cap else {})})

    def _add(self, content: Mapping[str, Any]) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        line = {**content, "plan": self._plan.fingerprint, "time": now}
        written = append_entry(self._plan.ledger_path, line, self.lines)
        self.lines = (*self.lines, written)


# --- Make a plan, and read it ---


def plan_live(  # noqa: PLR0913 (all that must be fixed before the first answer)
    path: FilePath,
    against: FilePath | None = None,
    *,
    margin: float | Mapping[str, float] | None = None,
    metric: str | Mapping[str, str] | None = None,
    tasks: Sequence[str] = (),
    system: str | None = None,
    half_width: float | None = None,
    n_max: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    looks: int | None = None,
    first: int | None = None,
    family: str | None = None,
    scale: tuple[float, float] | None = None,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    stop: StopScope | None = None,
    stop_futile: bool = False,
    agreement: float | None = None,
    price: tuple[float, float] | None = None,
    budget: float | None = None,
    max_tokens: float | None = None,
    max_cost: float | None = None,
    attempt: int | None = None,
    question: str = "",
) -> LivePlan:
    r"""Freeze when an evaluation against the logs of a system in use will stop.

    Parameters
    ----------
    path : path
        The plan file to make; its ledger will stand beside it.
    against : path, optional
        The log of the system in use, or a folder with one of every task. Without it the plan is
        about the precision of one system.
    margin : float or mapping of str to float, optional
        The loss to be ruled out, for all tasks, or by names of tasks or metrics. Without one it
        ends as better or worse.
    metric : str or mapping of str to str, optional
        Which scorer decides, for all tasks or by task; needed where a task has several and
        `margin` names none.
    tasks : sequence of str
        Only these.
    system : str, optional
        Which one, where the logs hold several.
    half_width : float, optional
        End where the interval is at most ± this wide, in place of a claim.
    n_max : int, optional
        Questions of a task at most: the first ones of the random order.
    seed : int
        Of the order of the questions.
    alpha : float
        One-sided level of a pass, over all looks; tasks share it for a fail.
    looks, first, family
        At every how many-th part of the samples (20), from which on (30), and what spends α (hsd).
    scale : (float, float), optional
        Of the scores; known where all of the system in use lie between 0 and 1.
    stop : {'all', 'task'}, optional
        Whether a fail ends all tasks (the default), or its own.
    stop_futile : bool
        Also end where pass and fail have both become unlikely.
    agreement : float, optional
        The share of questions that both systems get right or wrong, for the forecast alone (.9).
    price : (float, float), optional
        Dollars per million input and output tokens, where the logs do not tell costs.
    budget : float, optional
        What may be spent, in dollars: so many questions run as fit.
    max_tokens, max_cost : float, optional
        Caps on what is used; reaching one is a declared last look.
    attempt : int, optional
        Which try of this candidate it is, where tries are counted: the j-th has α·2⁻ʲ.
    """
    if against is None and half_width is None:
        raise InputError("`against` must be logs of the system in use, or give `half_width`.")
    if against is None:
        for name, value in (("margin", margin), ("budget", budget), ("price", price)):
            if value is not None:
                raise InputError(f"`{name}` has no effect without `against`. Drop it.")
        if metric is None or isinstance(metric, str):
            planned = [
                LiveTask(
                    task="",
                    metric=metric or "",
                    margin=None,
                    questions=n_max,
                    epochs=None,
                    scale=scale or ZERO_ONE,
                )
            ]
        else:
            raise InputError("`metric` must be one name without `against`.")
        baseline = ""
    else:
        logs = task_logs(against, system=system)
        wanted = _wanted(against, logs, tasks)
        asked = _Asked(margin, metric, half_width, scale, lower_is_better, higher_is_better)
        planned = [asked.of(log, price, n_max) for log in wanted]
        asked.refuse_unused()
        baseline = wanted[0].system
        if budget is not None:
            planned = _within(planned, check.positive(budget, "budget"))
    return _frozen(
        path,
        question=question,
        baseline=baseline,
        against="" if against is None else str(against),
        tasks=tuple(planned),
        alpha=check.probability(alpha, "alpha"),
        seed=check.positive_int(seed, "seed", minimum=0, maximum=None),
        looks=check.positive_int(_LOOKS if looks is None else looks, "looks"),
        first=check.positive_int(FIRST if first is None else first, "first", minimum=2),
        family=DEFAULT_FAMILY if family is None else family,
        half_width=None if half_width is None else check.positive(half_width, "half_width"),
        stop="all" if stop is None else check.literal(stop, StopScope, "stop"),
        futility=bool(stop_futile),
        agreement=check.probability(
            _AGREEMENT if agreement is None else agreement, "agreement"
        ),
        max_tokens=None if max_tokens is None else check.positive(max_tokens, "max_tokens"),
        max_cost=None if max_cost is None else check.positive(max_cost, "max_cost"),
        attempt=attempt,
    )


def _wanted(
    against: FilePath, logs: Mapping[str, TaskLog], tasks: Sequence[str]
) -> list[TaskLog]:
    unknown = [name for name in tasks if name not in logs]
    if unknown:
        raise InputError(
            f"`tasks` must be of {against}: {listing(list(logs))}; got {listing(unknown)}."
        )
    return [log for name, log in logs.items() if not tasks or name in tasks]


class _Asked:
    """What was said of margins and metrics, by task or metric."""

    def __init__(
        self,
        margin: float | Mapping[str, float] | None,
        metric: str | Mapping[str, str] | None,
        half_width: float | None,
        scale: tuple[float, float] | None,
        lower: Sequence[str],
        higher: Sequence[str],
    ) -> None:
        self.margins = margin
        self.metrics = metric
        self.precise = half_width is not None
        self.scale, self.lower, self.higher = scale, lower, higher
        self._used: set[str] = set()
        if self.precise and margin is not None:
            raise InputError("`half_width` and `margin` ask for different ends. Give one.")

    def of(
        self, log: TaskLog, price: tuple[float, float] | None, n_max: int | None
    ) -> LiveTask:
        metric = self._metric(log)
        margin = self._margin(log, metric)
        scores = [one for one in log.answers(metric).values() if one is not None]
        scale = self.scale
        if scale is None and scores and min(scores) >= 0.0 and max(scores) <= 1.0:
            scale = ZERO_ONE
        if (
            scale is not None
            and scores
            and not scale[0] <= min(scores) <= max(scores) <= scale[1]
        ):
            raise InputError(
                f"`scale` must hold the scores of {log_name(log)}, {min(scores):g} to "
                f"{max(scores):g}; got {scale[0]:g} to {scale[1]:g}."
            )
        lower = self._lower_is_better(log, metric)
        errors = Rule(lower_is_better=lower, scale=scale).errors_count
        means = log.means(metric, errors)
        cost = log.cost
        if price is not None:
            cost = (price[0] * log.tokens_in + price[1] * log.tokens_out) / 1e6
        n = len(means) if n_max is None else min(n_max, len(means))
        return LiveTask(
            task=log.task,
            metric=metric,
            margin=margin,
            questions=check.positive_int(n, "n_max", minimum=2),
            epochs=log.epochs,
            scale=scale,
            lower_is_better=lower,
            baseline_score=math.fsum(means.values()) / len(means),
            baseline_sha256=means_hash(means),
            tokens=log.tokens,
            cost=cost,
        )

    def _metric(self, log: TaskLog) -> str:
        if isinstance(self.metrics, str):
            return log.chosen(self.metrics)
        if self.metrics is not None and log.task in self.metrics:
            return log.chosen(self.metrics[log.task])
        if isinstance(self.margins, Mapping) and len(log.metrics) > 1:
            named = [one for one in log.metrics if one in self.margins]
            if len(named) > 1:
                raise DataError(
                    f"{log_name(log)}: margins for {listing(named)}, and one scorer decides. Say "
                    f"which: --metric {log.task}={named[0]}."
                )
            if named:
                self._used.add(named[0])
                return named[0]
        return log.chosen(None)

    def _margin(self, log: TaskLog, metric: str) -> float | None:
        if self.precise or self.margins is None:
            return None
        if not isinstance(self.margins, Mapping):
            return check.positive(self.margins, "margin")
        for name in (log.task, metric):
            if name in self.margins:
                self._used.add(name)
                return check.positive(self.margins[name], "margin")
        raise DataError(
            f"{log_name(log)} has no margin: it is scored by {metric}, and there are margins for "
            f"{listing(list(self.margins))}. Add --margin {metric}=…, or name the tasks that are "
            "meant with --task."
        )

    def _lower_is_better(self, log: TaskLog, metric: str) -> bool:
        if metric in self.lower:
            return True
        if metric in self.higher:
            return False
        way = log.direction(metric)
        if way == "unknown":
            raise InputError(
                f"Which way does {metric} go? Say --lower-is-better {metric} or "
                f"--higher-is-better {metric}."
            )
        return way == "lower"

    def refuse_unused(self) -> None:
        if isinstance(self.margins, Mapping):
            unused = [name for name in self.margins if name not in self._used]
            if unused:
                raise InputError(
                    f"`margin` must name tasks or the scorers that decide; got {listing(unused)}."
                )


def _within(planned: Sequence[LiveTask], budget: float) -> list[LiveTask]:
    """Return the tasks cut to the largest common share of questions that a budget pays for."""
    costs = [float(one.samples or 0) * one.cost for one in planned]
    if not all(math.isfinite(cost) and cost > 0.0 for cost in costs):
        raise InputError(
            "`budget` needs the costs of samples, and the logs do not say them. Give `price`, in "
            "dollars per million input and output tokens."
        )
    share = min(1.0, budget / sum(costs))
    cut = [
        replace(one, questions=math.floor(share * (one.questions or 0) + 1e-9))
        for one in planned
    ]
    if any((one.questions or 0) < 2 for one in cut):
        raise InputError(
            f"`budget` must pay for two questions of every task or more, and all cost "
            f"{sum(costs):.4g}; got {budget:g}."
        )
    return cut


def _frozen(path: FilePath, **values: Any) -> LivePlan:
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    made = _checked(**values, created=created)
    content = {LIVE: _FORMAT, "version": VERSION}
    content |= {
        part.name: to_json(getattr(made, part.name))
        for part in fields(made)
        if part.name not in _NOT_IN_THE_FILE
    }
    stamp = fingerprint(content)
    text = json.dumps({**content, "fingerprint": stamp}, indent=2, ensure_ascii=False) + "\n"
    birth = {"event": "plan", "plan": stamp, "file": Path(path).name, "time": created}
    write_frozen(Path(path), text, birth)
    with unnoted_inputs():
        return read_live_plan(path)


def is_live_plan(path: FilePath) -> bool:
    """Say whether a plan is one of a live evaluation."""
    with unnoted_inputs():
        content = read_json(path)
    return isinstance(content, dict) and LIVE in content


def read_live_plan(path: FilePath) -> LivePlan:
    """Read the plan of a live evaluation, refusing one that was changed after it was frozen."""
    content = read_json(path)
    if not isinstance(content, dict) or LIVE not in content:
        raise DataError(
            f"{path}: this is no plan of a live evaluation. Make one with `detectable plan new "
            "… --against LOGS`."
        )
    stamp = content.pop("fingerprint", None)
    if not isinstance(stamp, str) or not fits(content, stamp):
        raise DataError(
            f"{path}: the plan was changed after it was frozen: its content does not fit its "
            "fingerprint. Put back the file as it was made; a new question needs a new plan."
        )
    if content[LIVE] != _FORMAT:
        raise DataError(
            f"{path}: a plan of format {content[LIVE]}; this version reads {_FORMAT}. Use the "
            f"version that made it ({content.get('version')})."
        )
    names = {part.name for part in fields(LivePlan)} - _NOT_IN_THE_FILE
    values = {key: value for key, value in content.items() if key in names}
    try:
        values["tasks"] = tuple(_read_task(one) for one in values["tasks"])
        return _checked(**values, path=str(path), fingerprint=stamp)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: this is no whole plan ({error}).") from error


def _read_task(content: Mapping[str, Any]) -> LiveTask:
    values = dict(content)
    for name in ("baseline_score", "tokens", "cost"):
        if values[name] is None:
            values[name] = math.nan
    if values["scale"] is not None:
        values["scale"] = tuple(values["scale"])
    return LiveTask(**values)


@functools.cache
def _boundaries_of(family: str, looks: int) -> PrefixLooks:
    return PrefixLooks.of(10 * looks, looks=looks, first=2, family=family)


def _checked(**values: Any) -> LivePlan:
    settings = {"tasks": len(values["tasks"]), "alpha": values["alpha"]}
    made = LivePlan(**values, signature=Signature("live-plan", settings, str(values["seed"])))
    if not 0.0 < made.alpha < 0.5:
        raise InputError(
            f"`alpha` must lie between 0 and .5, as it is one-sided; got {made.alpha}."
        )
    for one in made.tasks:
        if one.margin is not None and one.scale is not None:
            length = one.scale[1] - one.scale[0]
            if one.margin >= length:
                raise InputError(
                    f"`margin` of {one.task or one.metric} must be below the length of its scale, "
                    f"{length:g}; got {one.margin:g}."
                )
    _boundaries_of(made.family, made.looks)  # refuses a family that takes no looks at any time
    for one in made.tasks:
        made.rule(one.task)
    return made
