"""Small evaluations to gate."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from detectable.data.scores.scores import Scores
from detectable.study.gate.matching import TaskTally


def answers(n: int, broken: int = 0, fixed: int = 0, **options: Any) -> Scores:
    """Return 0/1 scores of «old» and «new» on n questions, most of them right."""
    old, new = np.ones(n), np.ones(n)
    new[:broken] = 0.0
    old[broken : broken + fixed] = 0.0
    return Scores.build({"old": old, "new": new}, **options)


def sampled(
    n: int, k: int, *, shift: float = 0.0, seed: int = 1, tasks: Sequence[str] = ("math",)
) -> Scores:
    """Return k answers of «old» and «new» to n questions of every task."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(2.0, 1.0, n * len(tasks))
    return Scores.build(
        {
            "old": (rng.random((k, chance.size)) < chance).astype(float),
            "new": (rng.random((k, chance.size)) < np.clip(chance + shift, 0, 1)).astype(float),
        },
        items=[f"q{i:03d}" for i in range(chance.size)],
        tasks=[task for task in tasks for _ in range(n)],
        repeats="samples",
    )


def tally_of(
    task: str, sums: Sequence[float], samples: Sequence[int], **more: Any
) -> TaskTally:
    """Return a task whose questions are called q0, q1 …"""
    values = np.asarray(sums, dtype=float)
    return TaskTally(
        task=task,
        items=tuple(f"q{i}" for i in range(len(values))),
        sums=values,
        squares=more.pop("squares", values),
        samples=np.asarray(samples),
        **more,
    )
