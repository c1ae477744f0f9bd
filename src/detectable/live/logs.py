"""Look at the logs of a live plan between blocks, and conclude from them."""

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.write import write_whole
from detectable.data.files.place import FilePath
from detectable.data.scores.scores import StoppedLog
from detectable.live.order import order_hash, subsample
from detectable.live.plan import LivePlan, LiveTask, read_live_plan
from detectable.live.rule import CONTINUE, ZERO_ONE, Prefixes, Rule, precise_interval
from detectable.live.task_logs import TaskLog, log_name, task_logs
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.stopped import StoppedRun

Verdict: TypeAlias = Literal[
    "pass", "fail", "better", "worse", "inconclusive", "precise", "imprecise", "open"
]
_SAME = 1e-6  # statistics of one prefix that differ by more are of other answers
_ENDS: Mapping[str, Verdict] = {
    "stop: pass": "pass",
    "stop: fail": "fail",
    "stop: better": "better",
    "stop: worse": "worse",
    "stop: precise": "precise",
    "stop: imprecise": "imprecise",
}


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
class _Run:
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
    final : bool
        Declare this the last look: what is left of α is spent on the first samples without a gap.
        The error rate holds if the reason has nothing to do with the scores.
    """
    frozen = read_live_plan(plan.path if isinstance(plan, LivePlan) else plan)
    found = task_logs(logs)
    rows: list[TaskLook] = []
    for task in frozen.tasks:
        log = _log_of(found, task)
        if log is None:
            rows.append(_not_run(task))
            continue
        rows.append(_look(frozen, _run_of(frozen, task, log, baseline), final=final))
    failed = any(row.decision in ("stop: fail", "stop: worse") for row in rows)
    open_now = any(row.decision in (CONTINUE, "not run") for row in rows)
    ended = not open_now or (failed and frozen.stop == "all")
    return LiveLook(
        decision="stop" if ended else CONTINUE,
        tasks=tuple(rows),
        plan=frozen.path,
        signature=Signature("live-look", {"plan": frozen.fingerprint[:12]}, str(frozen.seed)),
    )


def _log_of(found: Mapping[str, TaskLog], task: LiveTask) -> TaskLog | None:
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


def _run_of(plan: LivePlan, task: LiveTask, log: TaskLog, baseline: FilePath | None) -> _Run:
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
    return _Run(
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


def _look(plan: LivePlan, run: _Run, *, final: bool) -> TaskLook:
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
            _check_run(plan, run, begun)
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


def _check_run(plan: LivePlan, run: _Run, begun: Mapping[str, Any]) -> None:
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
    plan: LivePlan, run: _Run, prefixes: Prefixes, known: Sequence[Mapping[str, Any]]
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


# --- The conclusion ---


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskConclusion:
    """What may be said of one task.

    Attributes
    ----------
    verdict : str
        ``pass``, ``fail``, ``better``, ``worse``, ``inconclusive``, ``precise``, ``imprecise``; or
        ``open`` where no look took place.
    look : int
        At which planned prefix it stopped, counted among those that the ledger has.
    n, n_planned : int
        Samples in the prefix that decided, and of the schedule.
    questions : int
        Questions planned.
    epochs : int
        Samples of each.
    logged, not_run : int
        Samples with an answer, and those that the stop saved.
    new, old : float
        Mean scores of the questions in both, by all data; `old` is NaN for one system.
    difference : float
        New − old.
    interval : Interval
        Of the difference, or of the one score; at 1 − 2α over all looks (a target of precision:
        1 − α).
    p_value : float
        Over all looks, of the side that was decided; NaN otherwise.
    cap : str
        What declared the end, if anything did.
    """

    task: str
    metric: str
    verdict: Verdict
    look: int
    n: int
    n_planned: int
    questions: int
    epochs: int
    logged: int
    not_run: int
    new: float
    old: float
    difference: float
    interval: Interval | None
    p_value: float
    margin: float | None
    cap: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveConclusion(Result):
    """How a live evaluation ended.

    Attributes
    ----------
    verdict : str
        Of all tasks: a fail of one fails; else what is open leaves it open.
    """

    verdict: Verdict
    baseline: str
    question: str
    alpha: float
    tasks: tuple[TaskConclusion, ...]
    plan: str = field(metadata={"path": True})
    notes: tuple[str, ...] = ()


def conclude_logs(
    plan: LivePlan | FilePath,
    logs: FilePath,
    *,
    baseline: FilePath | None = None,
    force: bool = False,
) -> LiveConclusion:
    """Return the verdicts of a live plan that has stopped, with all data and over all looks.

    Logs whose run, order or looks are not those of the ledger are refused.

    Parameters
    ----------
    plan, logs, baseline
        As for `look_at_logs`.
    force : bool
        Replace an earlier conclusion that said something else.

    Notes
    -----
    The verdict is also written beside the plan, as ``….conclusion.json``.
    """
    frozen = read_live_plan(plan.path if isinstance(plan, LivePlan) else plan)
    found = task_logs(logs)
    lines = frozen.ledger_lines()
    ended = any(
        line["event"] == "look"
        and (
            (frozen.stop == "all" and line["decision"] in ("stop: fail", "stop: worse"))
            or line.get("cap") in ("max_tokens", "max_cost")
        )
        for line in lines
    )  # what goes on elsewhere may then be left as it is
    rows = []
    for task in frozen.tasks:
        looks = [one for one in lines if one["event"] == "look" and one["task"] == task.task]
        log = _log_of(found, task)
        if log is None:
            if looks or not ended:
                raise DataError(f"{logs}: there is no log of {task.task!r}. Give all logs.")
            continue
        begun = next(
            (one for one in lines if one["event"] == "live" and one["task"] == task.task), None
        )
        if begun is None or (ended and not log.questions):
            if ended:
                continue
            raise DataError(
                f"{frozen.path}: {log_name(log)} was not looked at yet. Look first: detectable look "
                f"{frozen.path} {logs}."
            )
        run = _run_of(frozen, task, log, baseline)
        _check_run(frozen, run, begun)
        _check_record(frozen, run, looks)
        going = not looks or looks[-1]["decision"] == CONTINUE
        if going and not ended:
            raise DataError(
                f"{frozen.ledger_path}: {log_name(log)} goes on: no look has stopped it. Run more "
                "and look again, or end it with a last look: --final."
            )
        rows.append(_concluded(frozen, run, looks))
    made = LiveConclusion(
        verdict=_together([row.verdict for row in rows]),
        baseline=frozen.baseline,
        question=frozen.question,
        alpha=frozen.rule(frozen.tasks[0].task).alpha,
        tasks=tuple(rows),
        plan=frozen.path,
        notes=tuple(_notes(frozen, found, rows)),
        signature=Signature(
            "live-conclusion", {"plan": frozen.fingerprint[:12]}, str(frozen.seed)
        ),
    )
    _write(frozen, made, force=force)
    return made


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    for one in ("fail", "worse", "open", "inconclusive", "imprecise"):
        if one in verdicts:
            return one
    return verdicts[0] if len(set(verdicts)) == 1 else "inconclusive"


def _check_record(plan: LivePlan, run: _Run, looks: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a log whose own looks are not those of the ledger."""
    early = run.log.stopped
    if early is None or early.get("manager") != "detectable":
        return
    record = early.get("metadata") or {}
    told = [(one["n"], one["decision"]) for one in record.get("looks") or ()]
    kept = [(one["n"], one["decision"]) for one in looks]
    if record.get("plan") != plan.fingerprint or told != kept[: len(told)]:
        raise DataError(
            f"{run.log.paths[0]}: the looks that the log tells are not those of "
            f"{plan.ledger_path}. Give the log of the run of this plan."
        )


def _concluded(plan: LivePlan, run: _Run, looks: Sequence[Mapping[str, Any]]) -> TaskConclusion:
    last = looks[-1] if looks else None
    total = len(run.order) * run.epochs
    verdict: Verdict = (
        "open" if last is None else _ENDS.get(str(last["decision"]), "inconclusive")
    )
    means = _means(run)
    new = np.array(list(means.values()))
    old = None if run.old is None else np.array([run.old[item] for item in means])
    interval, p_value = None, math.nan
    if last is not None and plan.half_width is not None:
        both = new if old is None else np.concatenate([new, old])
        interval = precise_interval(
            new,
            old,
            alpha=run.rule.alpha,
            zero_one=run.epochs == 1 and bool(np.isin(both, (0.0, 1.0)).all()),
        )
        interval = Interval(interval.low, interval.high, 1.0 - run.rule.alpha)
    elif last is not None and old is not None:
        interval, p_value, verdict = _over_all_looks(run, last, looks, new, old, verdict)
    logged = run.n_answered
    return TaskConclusion(
        task=run.task.task,
        metric=run.task.metric,
        verdict=verdict,
        look=len(looks),
        n=0 if last is None else round(float(last["t"]) * total),
        n_planned=total,
        questions=len(run.order),
        epochs=run.epochs,
        logged=logged,
        not_run=total - logged,
        new=float(new.mean()),
        old=math.nan if old is None else float(old.mean()),
        difference=math.nan if old is None else float((new - old).mean()),
        interval=interval,
        p_value=p_value,
        margin=run.task.margin,
        cap="" if last is None else str(last.get("cap", "")),
    )


def _means(run: _Run) -> dict[str, float]:
    """Return the mean of every question with an answer, errors as the plan counts them."""
    worst = run.rule.errors_count
    sums: dict[str, list[float]] = {}
    known = set(run.order)
    for (item, epoch), score in run.answers.items():
        value = worst if score is None else score
        if item in known and epoch <= run.epochs and value is not None:
            sums.setdefault(item, []).append(value)
    return {item: math.fsum(sums[item]) / len(sums[item]) for item in run.order if item in sums}


def _over_all_looks(
    run: _Run,
    last: Mapping[str, Any],
    looks: Sequence[Mapping[str, Any]],
    new: Any,
    old: Any,
    verdict: Verdict,
) -> tuple[Interval, float, Verdict]:
    """Return interval, p-value and verdict with all data, as a gate of the log has them."""
    rule = run.rule
    stopped = StoppedRun.of(
        StoppedLog(
            path=str(run.log.paths[0]),
            task=run.task.task,
            eval_id=run.log.eval_id,
            manager="detectable",
            logged=run.n_answered,
            skipped=len(run.order) * run.epochs - run.n_answered,
            record={
                "rule": {
                    "alpha": rule.alpha,
                    "alpha_fail": rule.alpha_fail,
                    "looks": rule.looks,
                    "first": rule.first,
                    "family": rule.family,
                    "margin": rule.margin,
                    "metric": rule.metric,
                },
                "samples_planned": len(run.order) * run.epochs,
                "looks": list(looks),
                "decision": last["decision"],
            },
        )
    )
    whole = [score in (None, *ZERO_ONE) for score in run.answers.values()]
    shares = np.isclose(old * run.old_epochs, np.rint(old * run.old_epochs))
    found = Evidence.of(
        new,
        old,
        clusters=None,
        answers=2.0 / (1.0 / run.old_epochs + new.size / run.n_answered),
        zero_one=run.task.scale == ZERO_ONE and all(whole) and bool(shares.all()),
        sign=-1.0 if rule.lower_is_better else 1.0,
    )
    if stopped is None:
        return found.interval(rule.alpha), math.nan, verdict
    over = stopped.adjusted(found, rule.metric or run.task.metric)
    interval = over.interval(rule.alpha)
    if rule.lower_is_better:
        interval = Interval(-interval.high, -interval.low, interval.level)
    p_value = math.nan
    if verdict in ("pass", "better"):
        p_value = over.p_above(-(rule.margin or 0.0))
        if p_value > rule.alpha:
            verdict = "inconclusive"
    elif verdict in ("fail", "worse"):
        p_value = over.p_below(0.0)
        if p_value > (rule.alpha_fail or rule.alpha):
            verdict = "inconclusive"
    return interval, p_value, verdict


def _notes(
    plan: LivePlan, found: Mapping[str, TaskLog], rows: Sequence[TaskConclusion]
) -> list[str]:
    notes = [_declared(row) for row in rows if row.cap]
    shown = {row.task for row in rows}
    missing = [task.task for task in plan.tasks if task.task not in shown]
    notes += [f"{name} was not run: the others ended it first." for name in missing]
    for log in found.values():
        trouble = ((log.stopped or {}).get("metadata") or {}).get("trouble")
        if trouble:
            notes.append(
                f"{log_name(log)}: from some sample on nothing was looked at: {trouble}"
            )
    return notes


def _declared(row: TaskConclusion) -> str:
    at = f"{row.task or row.metric}: "
    where = f"at {row.n} of {row.n_planned} samples"
    if row.cap == "final":
        return (
            f"{at}declared the last look {where}. The error rate holds if the reason has nothing to "
            "do with the scores."
        )
    return (
        f"{at}the cap --{row.cap.replace('_', '-')} ended it {where}, as a declared last look. The "
        "error rate holds, for the cap was set before the run."
    )


def _write(plan: LivePlan, made: LiveConclusion, *, force: bool) -> None:
    path = plan.conclusion_path
    text = json.dumps(made.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if os.path.exists(path) and not force:
        with contextlib.suppress(OSError):
            if path.read_bytes() == text.encode():
                return
        raise DataError(
            f"{path} holds another conclusion of this plan. Keep it, or replace it with --force "
            "(force=True)."
        )
    write_whole(path, text)
