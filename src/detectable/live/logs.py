"""Look at the logs of a live plan between blocks, and conclude from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from detectable.core.errors import DataError
from detectable.core.result import Result, Signature
from detectable.data.files.place import FilePath
from detectable.live.order import order_hash, subsample
from detectable.live.plan import LivePlan, LiveTask, read_live_plan
from detectable.live.rule import CONTINUE, Prefixes, Rule
from detectable.live.task_logs import TaskLog, log_name, task_logs

_SAME = 1e-6  # statistics of one prefix that differ by more are of other answers


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLook:
    """Where one task stands.

    Attributes
    ----------
    decision : str
        ``continue``, ``stop: …``, or ``not run`` without a log.
    looks : int
        Prefixes that were looked at so far, earlier looks among them.
    samples, samples_planned : int
        With an answer, and of the whole schedule.
    ahead : int or None
        How many samples the next look needs from the first one on; None after a stop.
    futile : bool
        Whether pass and fail have both become unlikely.
    """

    task: str
    metric: str
    decision: str
    looks: int
    samples: int
    samples_planned: int
    ahead: int | None
    futile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLook(Result):
    """One look at the logs of a live plan.

    Attributes
    ----------
    decision : str
        ``stop`` once no task goes on, or one failed and the plan ends all.
    """

    decision: str
    tasks: tuple[TaskLook, ...]
    plan: str = field(metadata={"path": True})
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRun:
    """The logs of one task, in the order of its schedule."""

    task: LiveTask
    rule: Rule
    log: TaskLog
    order: tuple[str, ...]
    epochs: int
    answers: Mapping[tuple[str, int], float | None]
    old: Mapping[str, float] | None
    old_epochs: int = 1  # samples of a question in the baseline

    def prefixes(self) -> Prefixes:
        """Return the schedule with all answers so far."""
        old = None if self.old is None else np.array([self.old[one] for one in self.order])
        made = Prefixes(self.rule, old, n_questions=len(self.order), n_epochs=self.epochs)
        places = {item: place for place, item in enumerate(self.order)}
        for (item, epoch), score in self.answers.items():
            if item in places and 1 <= epoch <= self.epochs:
                value = made.error() if score is None else made.checked(score)
                made.take(places[item], epoch - 1, value)
        return made

    @property
    def n_answered(self) -> int:
        """Samples of the schedule with an answer."""
        known = set(self.order)
        return sum(item in known and epoch <= self.epochs for item, epoch in self.answers)


def look_at_logs(
    plan: LivePlan | FilePath,
    logs: FilePath,
    *,
    baseline: FilePath | None = None,
    system: str | None = None,
    final: bool = False,
) -> LiveLook:
    """Look at the logs of a plan so far, and write what they say into its ledger.

    Looks are at prefixes of the schedule, also in a running log: what happens to be there is no random
    sample. Every planned prefix that is whole, or decided whatever comes, is looked at once.

    Parameters
    ----------
    plan : path or LivePlan
        The plan; its ledger stands beside it.
    logs : path
        A log, or a folder with those of all tasks and blocks.
    baseline : path, optional
        Where the logs of the system in use are now, if not where the plan found them.
    system : str, optional
        Which one of `logs` is new, where they hold several.
    final : bool
        Declare this the last look: what is left of α is spent on the first samples without a gap.
        The error rate holds if the reason has nothing to do with the scores.
    """
    frozen = read_live_plan(plan.path if isinstance(plan, LivePlan) else plan)
    found = task_logs(logs, system=system)
    rows: list[TaskLook] = []
    for task in frozen.tasks:
        log = log_of(found, task)
        if log is None:
            rows.append(_not_run(task))
            continue
        rows.append(_look(frozen, run_of(frozen, task, log, baseline), final=final))
    failed = any(row.decision in ("stop: fail", "stop: worse") for row in rows)
    open_now = any(row.decision in (CONTINUE, "not run") for row in rows)
    ended = not open_now or (failed and frozen.stop == "all")
    return LiveLook(
        decision="stop" if ended else CONTINUE,
        tasks=tuple(rows),
        plan=frozen.path,
        signature=Signature("live-look", {"plan": frozen.fingerprint[:12]}, str(frozen.seed)),
    )


def log_of(found: Mapping[str, TaskLog], task: LiveTask) -> TaskLog | None:
    """Return the log of a task of a plan, if it was run."""
    if task.task in found:
        return found[task.task]
    return next(iter(found.values())) if len(found) == 1 and not task.task else None


def _not_run(task: LiveTask) -> TaskLook:
    return TaskLook(
        task=task.task,
        metric=task.metric,
        decision="not run",
        looks=0,
        samples=0,
        samples_planned=task.samples or 0,
        ahead=None,
    )


def run_of(plan: LivePlan, task: LiveTask, log: TaskLog, baseline: FilePath | None) -> TaskRun:
    """Return the answers of a log in the order of the schedule, or say why it has none."""
    _refuse_stopped(plan, log)
    rule = plan.rule(task.task)
    old, old_epochs = None, 1
    if plan.baseline:
        before = plan.baseline_log(task.task, baseline or plan.against)
        _check_texts(before, log)
        old, old_epochs = plan.baseline_scores(task.task, before), before.epochs
    answers = log.answers(task.metric or None)
    epochs = task.epochs if log.schedule is None and task.epochs is not None else log.epochs
    order = _schedule(plan, task, log, old, answers, epochs)
    return TaskRun(
        task=task,
        rule=rule,
        log=log,
        order=order,
        epochs=epochs,
        answers=answers,
        old=old,
        old_epochs=old_epochs,
    )


def _refuse_stopped(plan: LivePlan, log: TaskLog) -> None:
    """Refuse a log that something else than this plan ended: its end hangs on its scores."""
    early = log.stopped
    if early is None or not early.get("early_stops"):
        return
    record = early.get("metadata") or {}
    if early.get("manager") != "detectable" or record.get("plan") != plan.fingerprint:
        other = str(record.get("plan") or record.get("rule_sha256") or "")[:8]
        who = f"plan {other}" if other else repr(early.get("manager"))
        raise DataError(
            f"{log.paths[0]}: stopped early by {who}, and not by {plan.path}. Look at logs of whole "
            "runs, or of runs of this plan."
        )


def _schedule(
    plan: LivePlan,
    task: LiveTask,
    log: TaskLog,
    old: Mapping[str, float] | None,
    answers: Mapping[tuple[str, int], float | None],
    epochs: int,
) -> tuple[str, ...]:
    """Return the questions in the random order in which they run."""
    items = list(log.schedule) if log.schedule is not None else list(old or log.questions)
    if old is not None:
        known = [item for item in items if item in old]
        if len(known) < 0.9 * len(items):
            raise DataError(
                f"{log.paths[0]}: the baseline has {len(known)} of {len(items)} questions; 90 % must "
                "be in both. Plan against a log of the same questions."
            )
        items = known
    wanted = subsample(items, seed=plan.seed, task=task.task)
    if log.schedule is not None and items != wanted:
        if log.shuffled:
            return tuple(items)
        # A log that is whole has every prefix of every order.
        if not all((item, e) in answers for item in items for e in range(1, epochs + 1)):
            raise DataError(
                f"{log.paths[0]}: the questions come in the order of their file, so the first ones "
                "are no random sample. Use stop.dataset(…), or --sample-shuffle SEED."
            )
    return tuple(wanted[: task.questions])


def _check_texts(before: TaskLog, log: TaskLog) -> None:
    for item, text in log.questions.items():
        if text and before.questions.get(item) and before.questions[item] != text:
            raise DataError(
                f"{log.paths[0]}: question {item!r} has another text than in {before.paths[0]}. "
                "Plan against a log of the same questions."
            )


def _look(plan: LivePlan, run: TaskRun, *, final: bool) -> TaskLook:
    prefixes = run.prefixes()
    name = run.task.task
    with plan.ledger() as ledger:
        begun = ledger.run_of(name)
        if begun is None:
            ledger.add_run(
                name,
                run.log.eval_id,
                order=order_hash(run.order),
                n=len(run.order),
                epochs=run.epochs,
            )
        else:
            check_run(plan, run, begun)
        known = ledger.looks_of(name)
        _pass_known(plan, run, prefixes, known)
        made = [] if _has_ended(known) else prefixes.test()
        decided = _has_ended(known) or (made and made[-1].decision != CONTINUE)
        if final and not decided:
            made.append(prefixes.end(prefixes.finished()))
        for number, look in enumerate(made, start=len(known) + 1):
            declared = final and look is made[-1] and not decided
            ledger.add_look(name, run.log.eval_id, number, look, cap="final" * declared)
        last = made[-1] if made else None
        decision = str(known[-1]["decision"]) if known else CONTINUE
        if last is not None:
            decision = last.decision
        taken = ledger.looks_of(name)
    ahead = prefixes.looks.at[prefixes.next :] if decision == CONTINUE else ()
    return TaskLook(
        task=name,
        metric=run.task.metric,
        decision=decision,
        looks=len(taken),
        samples=run.n_answered,
        samples_planned=prefixes.total,
        ahead=ahead[0] if ahead else None,
        futile=bool(taken and taken[-1].get("futile")),
    )


def _has_ended(known: Sequence[Mapping[str, Any]]) -> bool:
    return bool(known) and known[-1]["decision"] != CONTINUE


def check_run(plan: LivePlan, run: TaskRun, begun: Mapping[str, Any]) -> None:
    """Refuse logs of another run than the ledger knows."""
    where = f"{run.log.paths[0]}: the ledger {plan.ledger_path}"
    if begun["eval_id"] != run.log.eval_id:
        raise DataError(
            f"{where} is of the run {begun['eval_id'] or 'without an eval_id'}, and this is "
            f"{run.log.eval_id or 'one without'}. Give its log, or make a plan for this run: plan new "
            "… --attempt 2."
        )
    if begun["order"] != order_hash(run.order):
        raise DataError(
            f"{where} has another order of the questions than this log. Give the logs of the run "
            "that was begun."
        )


def _pass_known(
    plan: LivePlan, run: TaskRun, prefixes: Prefixes, known: Sequence[Mapping[str, Any]]
) -> None:
    """Pass the looks that the ledger has, or refuse answers that have changed since."""
    times = [round(float(one["t"]) * prefixes.total) for one in known]
    for entry, n in zip(known, times, strict=True):
        if entry["unfinished"] == 0 and n in prefixes.looks.at:
            found = prefixes.look_at(n)
            if abs(found.z_pass - float(entry["z_pass"])) > _SAME or found.n != entry["n"]:
                raise DataError(
                    f"{run.log.paths[0]}: the first {n} samples of {log_name(run.log)} are not those "
                    f"that look {entry['look']} in {plan.ledger_path} saw. Give all logs of the run, "
                    "unchanged."
                )
    prefixes.pass_over(max(times, default=0))


# --- A plan with its looks so far, as the ledger has them ---


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLook:
    """One look in the ledger."""

    task: str
    look: int
    n: int
    t: float
    unfinished: int
    z_pass: float
    z_fail: float
    bound: float | None
    bound_fail: float | None
    decision: str
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHistory(Result):
    """A live plan with all its looks so far."""

    plan: LivePlan
    looks: tuple[KeptLook, ...]


def live_history(plan: LivePlan | FilePath) -> LiveHistory:
    """Return a live plan with all its looks so far."""
    frozen = read_live_plan(plan.path if isinstance(plan, LivePlan) else plan)
    names = [part.name for part in fields(KeptLook)]
    return LiveHistory(
        plan=frozen,
        looks=tuple(
            KeptLook(**{name: line[name] for name in names})
            for line in frozen.ledger_lines()
            if line["event"] == "look"
        ),
        signature=frozen.signature,
    )
