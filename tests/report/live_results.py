"""Results of evaluations that stop by themselves, made by hand."""

from typing import Any

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.live.conclusion import LiveConclusion, TaskConclusion
from detectable.live.logs import KeptLook, LiveHistory, LiveLook, TaskLook
from detectable.live.order import Subsample, drawn
from detectable.live.plan import LivePlan, LiveTask

SIGNATURE = Signature("live-plan", {"tasks": 2, "alpha": 0.05}, "7")
ARITH = LiveTask(
    task="arith",
    metric="match",
    margin=0.1,
    questions=120,
    epochs=1,
    scale=(0.0, 1.0),
    baseline_score=0.775,
    baseline_sha256="a" * 64,
    tokens=194.36,
    cost=0.002439,
)
LOOKUP = LiveTask(
    task="lookup",
    metric="includes",
    margin=0.1,
    questions=50,
    epochs=2,
    scale=(0.0, 1.0),
    baseline_score=0.82,
    baseline_sha256="b" * 64,
)


def live_plan(**changes: Any) -> LivePlan:
    known: dict[str, Any] = {
        "question": "Ship new?",
        "baseline": "old",
        "against": "logs/old",
        "tasks": (ARITH, LOOKUP),
        "alpha": 0.05,
        "seed": 7,
        "looks": 20,
        "first": 30,
        "family": "hsd",
        "half_width": None,
        "stop": "all",
        "futility": False,
        "agreement": 0.9,
        "max_tokens": 1e6,
        "max_cost": None,
        "attempt": None,
        "created": "2026-11-17T17:30:54+00:00",
        "path": "ship.json",
        "fingerprint": "3674ea11" * 8,
        "signature": SIGNATURE,
    }
    return LivePlan(**{**known, **changes})


def live_look(**changes: Any) -> LiveLook:
    tasks = (
        TaskLook(
            task="arith",
            metric="match",
            decision="continue",
            looks=3,
            samples=44,
            samples_planned=120,
            ahead=48,
            futile=True,
        ),
        TaskLook(
            task="lookup",
            metric="includes",
            decision="not run",
            looks=0,
            samples=0,
            samples_planned=100,
            ahead=None,
        ),
    )
    known: dict[str, Any] = {
        "decision": "continue",
        "tasks": tasks,
        "plan": "ship.json",
        "signature": SIGNATURE,
    }
    return LiveLook(**{**known, **changes})


def kept_look(**changes: Any) -> KeptLook:
    known: dict[str, Any] = {
        "task": "arith",
        "look": 1,
        "n": 30,
        "t": 0.25,
        "unfinished": 0,
        "z_pass": -2.7,
        "z_fail": -3.16,
        "bound": 2.947,
        "bound_fail": 3.155,
        "decision": "stop: fail",
        "time": "2026-11-17T17:31:00+00:00",
    }
    return KeptLook(**{**known, **changes})


def live_history(**changes: Any) -> LiveHistory:
    known: dict[str, Any] = {
        "plan": live_plan(),
        "looks": (kept_look(),),
        "signature": SIGNATURE,
    }
    return LiveHistory(**{**known, **changes})


def task_conclusion(**changes: Any) -> TaskConclusion:
    known: dict[str, Any] = {
        "task": "arith",
        "metric": "match",
        "verdict": "fail",
        "look": 1,
        "n": 30,
        "n_planned": 120,
        "questions": 120,
        "epochs": 1,
        "logged": 32,
        "not_run": 88,
        "new": 0.375,
        "old": 0.719,
        "difference": -0.344,
        "interval": Interval(-0.599, -0.173, 0.9),
        "p_value": 0.0005,
        "margin": 0.1,
    }
    return TaskConclusion(**{**known, **changes})


def live_conclusion(**changes: Any) -> LiveConclusion:
    lookup = task_conclusion(
        task="lookup", metric="includes", look=2, n=35, n_planned=100, questions=50, epochs=2,
        logged=35, not_run=65,
    )  # fmt: skip
    known: dict[str, Any] = {
        "verdict": "fail",
        "baseline": "old",
        "question": "Ship new?",
        "alpha": 0.05,
        "tasks": (task_conclusion(), lookup),
        "plan": "ship.json",
        "notes": ("summary was not run: the others ended it first.",),
        "signature": SIGNATURE,
    }
    return LiveConclusion(**{**known, **changes})


def subsample(**changes: Any) -> Subsample:
    return drawn({"arith": [f"q{i}" for i in range(9)]}, seed=7, n=4, **changes)
