"""The conclusion of a live plan: what its logs say over all looks."""

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.write import write_whole
from detectable.data.files.place import FilePath
from detectable.data.scores.scores import StoppedLog
from detectable.live.logs import TaskRun, check_run, log_of, run_of
from detectable.live.plan import LivePlan, read_live_plan
from detectable.live.rule import CONTINUE, ZERO_ONE, precise_interval
from detectable.live.task_logs import TaskLog, log_name, task_logs
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.stopped import StoppedRun

Verdict: TypeAlias = Literal[
    "pass", "fail", "better", "worse", "inconclusive", "precise", "imprecise", "open"
]
_ENDS: Mapping[str, Verdict] = {
    "stop: pass": "pass",
    "stop: fail": "fail",
    "stop: better": "better",
    "stop: worse": "worse",
    "stop: precise": "precise",
    "stop: imprecise": "imprecise",
}


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
    system: str | None = None,
    force: bool = False,
) -> LiveConclusion:
    """Return the verdicts of a live plan that has stopped, with all data and over all looks.

    Logs whose run, order or looks are not those of the ledger are refused.

    Parameters
    ----------
    plan, logs, baseline, system
        As for `look_at_logs`.
    force : bool
        Replace an earlier conclusion that said something else.

    Notes
    -----
    The verdict is also written beside the plan, as ``….conclusion.json``.
    """
    frozen = read_live_plan(plan.path if isinstance(plan, LivePlan) else plan)
    found = task_logs(logs, system=system)
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
        log = log_of(found, task)
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
        run = run_of(frozen, task, log, baseline)
        check_run(frozen, run, begun)
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


def _check_record(plan: LivePlan, run: TaskRun, looks: Sequence[Mapping[str, Any]]) -> None:
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


def _concluded(
    plan: LivePlan, run: TaskRun, looks: Sequence[Mapping[str, Any]]
) -> TaskConclusion:
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


def _means(run: TaskRun) -> dict[str, float]:
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
    run: TaskRun,
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
