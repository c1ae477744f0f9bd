"""Rows of evaluations that were stopped early: by a plan of ours they hold over all its looks.

A log that ended early holds what it happened to log when somebody decided, so plain tests of it claim
too much. Where a plan decided by fixed boundaries at prefixes of a random order, p-values and limits
are those of the ordering by look, with all data that came in by then (`sequential.prefix_looks`).
Other managers say nothing of their rule, and their logs are refused.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.wording import listing
from detectable.data.scores.scores import StoppedLog
from detectable.sequential.look_statistic import t_from_z, z_from_t
from detectable.sequential.prefix_looks import PrefixLooks, Side, StoppedLooks
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.matching import Matched

_SIDES: Mapping[str, Side] = {
    "stop: pass": "pass",
    "stop: better": "pass",
    "stop: fail": "fail",
    "stop: worse": "fail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedRun:
    """How a plan of ours ended one task.

    Attributes
    ----------
    log : StoppedLog
        What was left behind.
    looks : StoppedLooks
        The looks up to its end.
    metric : str or None
        That decided; None where the task had one.
    margin : float or None
        That a pass ruled out.
    decision : str
        As the log has it.
    """

    log: StoppedLog
    looks: StoppedLooks
    metric: str | None
    margin: float | None
    decision: str

    @classmethod
    def of(cls, log: StoppedLog) -> "StoppedRun | None":
        """Read what a plan wrote into a log; None where it looked at nothing."""
        record = log.record
        try:
            rule, taken = record["rule"], record["looks"]
            planned = PrefixLooks.of(
                int(record["samples_planned"]),
                alpha=float(rule["alpha"]),
                alpha_fail=rule.get("alpha_fail"),
                looks=int(rule["looks"]),
                first=int(rule["first"]),
                family=str(rule["family"]),
            )
            if not taken or rule.get("half_width") is not None:
                return None
            last, decision = taken[-1], str(record["decision"])
            n = round(float(last["t"]) * planned.total)
            looks = planned if n in planned.at else planned.ended_at(n)
            margin = rule.get("margin")
            metric = rule.get("metric") or rule.get("scorer")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{log.path}: what its plan wrote into the log is damaged ({error}). Copy the log "
                "again."
            ) from error
        return cls(
            log=log,
            looks=StoppedLooks(
                looks=looks,
                stage=looks.at.index(n) + 1,
                share=log.logged / planned.total,
                decided=_SIDES.get(decision),
            ),
            metric=None if metric is None else str(metric),
            margin=None if margin is None else float(margin),
            decision=decision,
        )

    def adjusted(self, found: Evidence, metric: str) -> "StoppedEvidence":
        """Return the evidence of a row by one metric, over all looks."""
        own = {part.name: getattr(found, part.name) for part in fields(Evidence)}
        return StoppedEvidence(**own, run=self, decides=self.metric in (None, metric))


@dataclass(frozen=True, slots=True)
class StoppedEvidence(Evidence):
    """A difference whose data ended by a plan: its p-values and limits know of all looks."""

    run: StoppedRun | None = None
    decides: bool = True  # whether the looks were at this metric

    def _ordered(self, side: Side) -> bool:
        return self.decides and self.run is not None and self.run.looks.is_ordered(side)

    def _z(self, bound: float) -> float:
        # As the looks took it: Tango's statistic also against 0, and no exact test.
        return z_from_t(self.score.score(bound), self.df)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true difference is at most `bound`”, over all looks."""
        if self.run is None or not self.speaks:
            return 1.0
        looks, z = self.run.looks, self._z(bound)
        if self._ordered("pass") and self._is_tested(bound):
            return looks.by_stage("pass", z, alpha=looks.looks.alpha)[0]
        return looks.any_stop_p(z)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true difference is at least `bound`”, over all looks."""
        if self.run is None or not self.speaks:
            return 1.0
        looks, z = self.run.looks, -self._z(bound)
        if self._ordered("fail") and bound == 0.0:
            return looks.by_stage("fail", z, alpha=looks.looks.alpha)[0]
        return looks.any_stop_p(z)

    def _is_tested(self, bound: float) -> bool:
        """Whether the looks tested against this bound."""
        margin = 0.0 if self.run is None or self.run.margin is None else self.run.margin
        return math.isclose(bound, -margin, abs_tol=1e-12)

    def interval(self, alpha: float) -> Interval:
        """Return the interval of both one-sided tests at α, over all looks."""
        if self.run is None or not self.speaks:
            return Interval(math.nan, math.nan, 1.0 - 2.0 * alpha)
        looks = self.run.looks
        low, high = self.score.limits(t_from_z(looks.bound(alpha), self.df))
        if self._ordered("pass"):
            tested = -(self.run.margin or 0.0)
            low = tested + self._reach("pass", tested, alpha)
        if self._ordered("fail"):
            high = -self._reach("fail", 0.0, alpha)
        return Interval(low, max(low, high), 1.0 - 2.0 * alpha)

    def _reach(self, side: Side, tested: float, alpha: float) -> float:
        """Return how far the limit of an ordered side lies from what the looks tested."""
        looks = self.run.looks  # type: ignore[union-attr]  # its callers have asked
        sign = 1.0 if side == "pass" else -1.0
        z, away = sign * self._z(tested), sign * (self.value - tested)
        # The error on the scale of z, so that estimate / error is z exactly.
        error = away / z if z != 0.0 else self.standard_error
        return looks.by_stage(side, z, alpha=alpha)[1] * error


# --- Which logs were stopped, and by whom ---


def stopped_runs(
    logs: Iterable[StoppedLog], *, allowed: bool
) -> tuple[dict[str, StoppedRun], tuple[str, ...]]:
    """Return the runs of our plans by task, and tasks that others stopped, which are only watched.

    Parameters
    ----------
    allowed : bool
        Whether logs that others stopped may be read.
    """
    runs: dict[str, StoppedRun] = {}
    others: list[str] = []
    for log in logs:
        run = StoppedRun.of(log) if log.is_ours else None
        if run is not None:
            runs[log.task] = run
        elif log.skipped:
            if not allowed:
                raise DataError(refused(log))
            others.append(log.task)
    return runs, tuple(others)


def refused(log: StoppedLog) -> str:
    """Say why a log that was stopped early cannot be read like another."""
    return (
        f"{log.path}: stopped early by {log.manager!r} after {log.logged} of {log.planned} samples, "
        "so plain tests of what it logged claim too much. Run it whole, or see it without a say: "
        "--allow-early-stop."
    )


def stopped_note(runs: Sequence[StoppedRun], grouped: Sequence[str] = ()) -> list[str]:
    """Say which tasks were stopped by which plan.

    Parameters
    ----------
    grouped : sequence of str
        Tasks whose questions depend on each other, which looks do not know.
    """
    by_plan: dict[str, list[str]] = {}
    for run in runs:
        by_plan.setdefault(run.log.plan, []).append(run.log.task)
    said = [
        f"{listing(tasks)} {'were' if len(tasks) > 1 else 'was'} stopped by plan {plan}; "
        f"{'their rows hold' if len(tasks) > 1 else 'its row holds'} over all its looks."
        for plan, tasks in by_plan.items()
    ]
    if grouped:
        said.append(
            f"{listing(list(dict.fromkeys(grouped)))}: looks of a plan take questions one by one. With "
            "groups of questions the limits are those of any reason to stop, which are wider."
        )
    return said


def unlooked_note(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Say which means of what samples took have no say: there is no analysis of them over looks."""
    if not rows:
        return []
    named = listing([f"{task}/{metric}" for metric, task in rows])
    return [f"{named}: only watched, because the plan that stopped the task looked at scores."]


def run_of(one: Matched, task: str, runs: Mapping[str, StoppedRun]) -> StoppedRun | None:
    """Return the run of a task that a plan stopped; a single task may have lost its name."""
    only = len(one.tasks) == 1 and len(runs) == 1
    return next(iter(runs.values())) if only else runs.get(task)


def tasks_of(pairs: Sequence[Matched], tasks: Sequence[str]) -> list[str]:
    """Return tasks that only are watched by the names of their rows: a single one may have none."""
    known = list(dict.fromkeys(task.task for one in pairs for task in one.tasks))
    found = [name if name in known else known[0] for name in dict.fromkeys(tasks)]
    if known and set(found) >= set(known):
        raise DataError(
            "every task was stopped early by another manager, so no row can decide. Run one whole; what was "
            "logged shows `detectable score`."
        )
    return found
