"""Stop an evaluation of Inspect when it is decided: for ``Task(early_stopping=…)``.

Inspect asks before it starts a sample, and again before every retry, and tells the scores of what has
ended; of a sample that ended in an error only its hooks know. What was admitted is always let through:
a retry that was skipped would leave no trace in the log, and its error with it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from detectable.core.errors import DataError
from detectable.core.wording import listing
from detectable.data.files.place import FilePath
from detectable.live.order import subsample
from detectable.live.plan import LivePlan, read_live_plan
from detectable.live.stop import Stop
from detectable.live.task_logs import TaskLog

if TYPE_CHECKING:
    from inspect_ai.dataset import Dataset

_CAPS = ("max_tokens", "max_cost")


class InspectStop:
    """The tasks of one plan, run by Inspect.

    Parameters
    ----------
    plan : path or LivePlan
        What was fixed before the first answer.
    baseline : path, optional
        Where the logs of the system in use are now, if not where the plan found them.

    Notes
    -----
    Every task has a manager of its own (`task`), and they share the plan: its ledger, its caps, and
    that a fail of one ends all.
    """

    def __init__(self, plan: FilePath | LivePlan, *, baseline: FilePath | None = None) -> None:
        self.plan = plan if isinstance(plan, LivePlan) else read_live_plan(plan)
        self.baseline = (baseline or self.plan.against) if self.plan.baseline else None
        self.tasks: dict[str, TaskStop] = {}
        self.used = dict.fromkeys(_CAPS, 0.0)
        _listen()

    def dataset(self, data: "Dataset", *, task: str, n: int | None = None) -> "Dataset":
        """Return the questions in the random order of the plan, the first n of them.

        Parameters
        ----------
        n : int, optional
            By default as many as the plan says.
        """
        from inspect_ai.dataset import MemoryDataset

        by_id = {str(i if one.id is None else one.id): one for i, one in enumerate(data, 1)}
        planned = self.plan.task(task)
        chosen = subsample(
            by_id, seed=self.plan.seed, task=task, n=planned.questions if n is None else n
        )
        return MemoryDataset([by_id[one] for one in chosen], name=data.name, shuffled=True)

    def task(self, name: str) -> "TaskStop":
        """Return the manager of one task, for ``Task(early_stopping=…)``."""
        self.plan.task(name)
        return self.tasks.setdefault(name, TaskStop(self, name))

    def failed(self, name: str) -> None:
        """End the other tasks after a fail of one, if the plan says so."""
        if self.plan.stop == "all":
            for other, task in self.tasks.items():
                if other != name and task.stop is not None:
                    task.stop.stop_with(name)

    def use(self, tokens: float, cost: float) -> None:
        """Count what a sample used."""
        self.used["max_tokens"] += tokens
        self.used["max_cost"] += cost

    @property
    def cap(self) -> str:
        """The cap that was reached, if one was."""
        for name in _CAPS:
            most = getattr(self.plan, name)
            if most is not None and self.used[name] >= most:
                return name
        return ""


class TaskStop:
    """Inspect's protocol of early stopping, for one task of a plan."""

    def __init__(self, of: InspectStop, name: str) -> None:
        self._of = of
        self._name = name
        self.stop: Stop | None = None
        self.skipped = 0
        self.trouble = ""
        self._admitted: set[tuple[str, int]] = set()
        self._ended: set[tuple[str, int]] = set()

    async def start_task(self, task: Any, samples: list[Any], epochs: int) -> str:
        """Check order, scorers and baseline before any sample runs, and begin in the ledger."""
        plan = self._of.plan
        if self.stop is not None:
            raise DataError(
                f"{self._name} was started with this manager already. Make an InspectStop for every "
                "run."
            )
        planned = plan.task(self._name)
        scorers = [str(one.name).rpartition("/")[2] for one in task.scorers or []]
        metric = _scorer(self._name, scorers, planned.metric)
        if task.config.log_samples is False:
            raise DataError(
                "with log_samples=False Inspect asks nobody before it runs a sample, so nothing can "
                "be skipped. Drop it."
            )
        known = None
        if self._of.baseline is not None:
            log = plan.baseline_log(self._name, self._of.baseline)
            _check_texts(log, samples)
            known = plan.baseline_scores(self._name, log)
        stop = Stop(plan, task=self._name, baseline=known)
        ids = [str(one.id) for one in samples]
        ordered = ids == subsample(ids, seed=plan.seed, task=self._name)
        if not (ordered or task.dataset.shuffled or task.config.sample_shuffle):
            raise DataError(
                "the questions come in the order of their file, so the first ones are no random "
                "sample. Use stop.dataset(…), or --sample-shuffle SEED."
            )
        stop.start(ids, epochs=epochs, eval_id=task.eval_id)
        self._metric = metric
        self._eval_id = str(task.eval_id)
        self.stop = stop
        _RUNNING[self._eval_id] = self
        return "detectable"

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Let a sample through, or say why it is skipped; a retry is always let through."""
        from inspect_ai.util import EarlyStop

        key = (str(id), epoch)
        if key in self._admitted:
            return None
        reason = self._reason()
        if not reason:
            self._admitted.add(key)
            return None
        self.skipped += 1
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    def _reason(self) -> str:
        if self.stop is not None and self.stop:
            return self.stop.decision
        return f"stop: {self._of.cap}" if self._of.cap else ""

    async def complete_sample(
        self, id: str | int, epoch: int, scores: Mapping[str, Any]
    ) -> None:
        """Take the score of a sample that has ended."""
        self._safely(lambda: self._take(id, epoch, _value(scores, self._metric)))

    def errored(self, id: str | int, epoch: int) -> None:
        """Take a sample that ended in an error, of which the protocol says nothing."""
        if (str(id), epoch) not in self._ended:
            self._safely(lambda: self._take(id, epoch, None))

    def used(self, tokens: float, cost: float) -> None:
        """Count what a sample used."""
        self._of.use(tokens, cost)

    def _take(self, id: str | int, epoch: int, value: float | None) -> None:
        if self.stop is None or self.trouble:
            return
        self._ended.add((str(id), epoch))
        before = bool(self.stop)
        if self.stop.add(id, value, epoch=epoch) and not before:
            self._after()

    def _after(self) -> None:
        if self.stop is not None and self.stop.decision in ("stop: fail", "stop: worse"):
            self._of.failed(self._name)

    def _safely(self, act: Callable[[], None]) -> None:
        """Do something in a hook, in which an exception would end the whole evaluation."""
        try:
            act()
        except Exception as error:  # noqa: BLE001  # whatever it is, the run must go on
            self.trouble = self.trouble or f"{type(error).__name__}: {error}"

    async def complete_task(self) -> dict[str, Any]:
        """Return what goes into the log."""
        _RUNNING.pop(self._eval_id, None)
        stop = self.stop
        if stop is None:
            return {}
        if self._of.cap and not stop and not self.trouble:
            self._safely(lambda: self._end(stop))
        record = stop.record()
        return {**record, "samples_skipped": self.skipped, "trouble": self.trouble or None}

    def _end(self, stop: Stop) -> None:
        stop.end(self._of.cap)
        self._after()


def _scorer(task: str, scorers: Iterable[str], metric: str) -> str:
    """Return the scorer that decides, or say which there are."""
    known = list(scorers)
    if not metric and len(known) > 1:
        raise DataError(
            f"the task {task} has {len(known)} scorers: {listing(known)}. Say which one decides in "
            f"the plan: --metric {known[0]}."
        )
    if metric and known and metric.partition("/")[0] not in known:
        raise DataError(f"the task {task} has no scorer {metric!r}. Found: {listing(known)}.")
    return metric


def _check_texts(log: TaskLog, samples: Iterable[Any]) -> None:
    """Refuse a question that has another text in the baseline."""
    for one in samples:
        before = log.questions.get(str(one.id), "")
        if before and isinstance(one.input, str) and one.input != before:
            raise DataError(
                f"question {str(one.id)!r} has another text than in {log.paths[0]}. Plan against a "
                "log of the same questions."
            )


def _value(scores: Mapping[str, Any], metric: str) -> float | None:
    """Return the score that decides, as Inspect itself turns it into a number; None for none."""
    from inspect_ai.scorer import value_to_float

    scorer, _, key = metric.partition("/")
    found = (
        scores.get(metric) or scores.get(scorer)
        if metric
        else next(iter(scores.values()), None)
    )
    if found is None:
        return None
    value = found.score.value
    if key and isinstance(value, dict):
        value = value.get(key)
    if value is None:
        return None
    number = value_to_float()(value)
    return None if number != number else float(number)


# --- What the hooks of Inspect tell: samples that ended in an error, and what samples used ---

_RUNNING: dict[str, TaskStop] = {}  # by eval_id
_HEARD: list[bool] = []


def _listen() -> None:
    """Register with the hooks of Inspect, once."""
    if _HEARD:
        return
    from inspect_ai.hooks import Hooks, hooks

    @hooks(name="detectable", description="tells detectable.live how samples ended")
    class _Ends(Hooks):
        async def on_sample_end(self, data: Any) -> None:
            one = _RUNNING.get(data.eval_id)
            if one is None:
                return
            sample = data.sample
            usage = (sample.model_usage or {}).values()
            one.used(
                float(sum(part.total_tokens or 0 for part in usage)),
                float(sum(getattr(part, "total_cost", None) or 0.0 for part in usage)),
            )
            if sample.error is not None:
                one.errored(sample.id, sample.epoch)

    _HEARD.append(True)
