"""What only some comparisons have: given scores, tasks, samples of an item, several runs or metrics.

It is imported where it is needed: a comparison of two texts is over in the time that it takes to
load all of it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from detectable.core.errors import InputError
from detectable.data.texts.corpus import Corpus
from detectable.inference.swap_parts import SwapParts
from detectable.metrics.base import Metric, TextMetric
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.on_scale import on_scale
from detectable.study.comparison.pair import PairComparison
from detectable.study.comparison.question import Question
from detectable.study.comparison.result import Agreement
from detectable.study.comparison.settings import CompareSettings
from detectable.study.pairs.analysis import Analysis, Pairs, by_t

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.inference.random_runs import RandomRuns
    from detectable.study.comparison.sample_table import Sampled
    from detectable.study.comparison.strata import Strata
    from detectable.study.comparison.task_table import TaskRows

Part = TypeVar("Part")


def directions_of(
    data: "Corpus | Scores", metrics: tuple[Metric, ...], *, asked: bool
) -> tuple[str, ...]:
    """Return what is to be said of the direction of given scores."""
    given = [m for m in metrics if not isinstance(m, TextMetric) or m.given]
    if not given:
        return ()
    from detectable.study.comparison.direction import direction_notes

    return direction_notes(data, metrics, asked=asked)


def samples_of(
    data: "Corpus | Scores", question: Question, rows: tuple[PairComparison, ...]
) -> "tuple[Sampled | None, tuple[str, ...]]":
    """Return what several samples of an item say, and what is to be said of them."""
    if isinstance(data, Corpus) or question.measured.n_samples is None:
        return None, ()
    from detectable.study.comparison.sampled import sample_notes, sampled

    return sampled(data, question, rows), sample_notes(question)


def tasks_of(question: Question) -> "TaskRows | None":
    """Return a row for every task; None where there are no tasks."""
    if question.measured.tasks is None:
        return None
    from detectable.study.comparison.task_rows import task_rows

    return task_rows(question)


def strata_of(data: "Corpus | Scores", settings: CompareSettings) -> "Strata | None":
    """Return the tasks of scores, after checking that the options leave them room."""
    if isinstance(data, Corpus):
        if settings.tasks != "fixed" or settings.weights != "macro":
            raise InputError("`tasks` and `weights` are for scores that hold several tasks.")
        return None
    from detectable.study.comparison.strata import choose_strata

    strata = choose_strata(data, settings.tasks, settings.weights)
    if strata is not None:
        settings.check_tasks(len(strata.names))
    elif settings.task_correction != "holm":
        raise InputError(
            f"`task_correction={settings.task_correction!r}` needs several tasks. Drop it."
        )
    return strata


def task_parts_of(measured: Measured, pairs: Pairs) -> list[list[list[SwapParts]]]:
    """Return [pair][metric][task]; nothing where there are no tasks."""
    tasks = measured.tasks
    if tasks is None:
        return []
    return by_pair([tasks.pair_parts(sample, pairs) for sample in measured.units])


def by_pair(columns: list[list[Part]]) -> list[list[Part]]:
    """Turn [metric][pair] into [pair][metric]."""
    return [list(row) for row in zip(*columns, strict=True)]


def two_way_of(question: Question, fixed: Analysis) -> "list[list[RandomRuns]] | None":
    """Return all pairs with runs as a sample; None where no system has two runs."""
    samples = question.measured.units
    if max(samples[0].runs) < 2 or question.settings.compat is not None:
        return None
    from detectable.inference.random_runs import random_runs

    return by_pair(
        [
            random_runs(
                sample,
                question.pairs,
                [row[m] for row in fixed.estimates],
                variance=question.settings.run_variance,
            )
            for m, sample in enumerate(samples)
        ]
    )


def by_runs(question: Question, two_way: "list[list[RandomRuns]]") -> Analysis:
    """Test every pair by t over units and runs, where runs are a sample."""
    settings = question.settings
    found = by_t(
        [[cell.estimate for cell in row] for row in two_way],
        question.margins,
        question.groups,
        question.chosen.stepwise,
        alpha=settings.alpha,
        power=settings.power,
    )
    mde = np.empty(question.shape)
    for p, m in np.ndindex(*question.shape):
        level = float(found.level[p, m])
        mde[p, m] = two_way[p][m].detectable(alpha=level, power=settings.power)
    return on_scale(question.measured, replace(found, mde=mde))


def groups_of(
    measured: Measured, rows: tuple[PairComparison, ...], *, ranked: bool
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return rank groups under every metric; none where not all pairs were tested."""
    if not ranked:
        return {}
    from detectable.study.comparison.metric_agreement import groups_by_metric

    return groups_by_metric(measured, rows)


def agreement_of(measured: Measured, rows: tuple[PairComparison, ...]) -> tuple[Agreement, ...]:
    """Return how far each two metrics agree; nothing of one."""
    if len(measured.units) < 2:
        return ()
    from detectable.study.comparison.metric_agreement import agreement

    return agreement(measured, rows)
