"""What is claimed of every pair and of every task: corrected p-value, interval and verdict together."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.analysis import Analysis, by_t, families
from detectable.contrasts.claim import claims_of
from detectable.contrasts.contrast import Contrast, Family
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.rank_sets import rank_ranges
from detectable.metrics.base import Metric
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.parts import (
    Standing,
    Standings,
    TaskLeaders,
    TaskRow,
    TaskRows,
)
from detectable.study.comparison.result import PairComparison
from detectable.study.comparison.settings import Question


def check_claim(question: Question) -> None:
    """Refuse a claim that lacks its margin, or a metric that has no better and worse."""
    claim = question.settings.claim
    for sample, margin in zip(question.measured.units, question.margins, strict=True):
        name = sample.metric.name
        if sample.metric.answers == "share" and margin >= 1.0:
            raise InputError(
                f"`margin` of accuracy must be below 1, because accuracy is a fraction; got "
                f"{margin:g}. Write 0.015 for 1.5 points."
            )
        if claim == "better":
            continue
        if math.isnan(margin):
            raise InputError(
                f"`claim={claim!r}` needs a margin for every metric; {name} has none. Give "
                f"`margin={{'{name}': …}}`."
            )
        if claim == "non-inferior" and sample.metric.higher_is_better is None:
            raise InputError(
                f"`claim='non-inferior'` needs a metric with a better and a worse side; {name} "
                "only describes. Use claim='equivalent'."
            )


def claims(question: Question, found: Analysis) -> list[list[Contrast]]:
    """Return what may be said of every pair under every metric: [pair][metric]."""
    return _claims(question, found, question.groups, question.chosen.stepwise)


def _claims(
    question: Question, found: Analysis, groups: tuple[IntArray, ...], stepped: str
) -> list[list[Contrast]]:
    settings = question.settings
    return claims_of(
        found,
        groups,
        stepped,
        claim=settings.claim,
        margins=question.margins,
        better=[sample.metric.higher_is_better for sample in question.measured.units],
        alpha=settings.alpha,
        power=settings.power,
    )


def margins_of(names: tuple[str, ...], margins: dict[str, float]) -> FloatArray:
    """Return the margin of every metric; NaN where there is none."""
    return np.array([margins.get(name, math.nan) for name in names])


# --- One row per task: the same difference in every part of an evaluation, corrected over tasks ---


def task_rows(question: Question) -> "TaskRows | None":
    """Test every pair in every task by t; None where there are no tasks."""
    measured, settings = question.measured, question.settings
    units = measured.tasks
    if units is None:
        return None
    from detectable.study.comparison.parts import TaskRow, TaskRows

    strata, metrics = units.strata, [sample.metric for sample in measured.units]
    n_units, n_segments = np.bincount(units.of_unit), np.bincount(strata.of_segment)
    samples = [units.samples(sample) for sample in measured.units]
    scores = [[[one.score(s) for s in range(len(one.systems))] for one in of] for of in samples]
    groups = families((len(strata.names), len(metrics)), "systems")
    correction = settings.task_correction
    rows = []
    for p, (system, baseline) in enumerate(question.pairs):
        by_metric = [question.task_parts[p][m] for m in range(len(metrics))]
        cells = [[part.estimate() for part in tasks] for tasks in zip(*by_metric, strict=True)]
        found = by_t(
            cells,
            question.margins,
            groups,
            correction,
            alpha=settings.alpha,
            power=settings.power,
        )
        if settings.test != "t":
            from detectable.contrasts.margins import with_margin_scores
            from detectable.study.comparison.margin_scores import task_margin_scores

            against = task_margin_scores(question, p)
            found = with_margin_scores(found, against, question.margins)
        found = on_scale(measured, found)
        said = _claims(question, found, groups, correction)
        rows += [
            TaskRow.of(
                said[t][m],
                part=name,
                measure=metric.name,
                system=measured.systems[system],
                baseline=measured.systems[baseline],
                score=scores[m][t][system],
                baseline_score=scores[m][t][baseline],
                n_segments=int(n_segments[t]),
                n=int(n_units[t]),
                weight=float(strata.weights[t]),
            )
            for m, metric in enumerate(metrics)
            for t, name in enumerate(strata.names)
        ]
    given = settings.weights
    return TaskRows(
        kind=strata.kind,
        weighting=given if isinstance(given, str) else "given",
        correction=correction,
        names=strata.names,
        rows=tuple(rows),
    )


# --- Intervals that do not leave the scale of their metric ---


def on_scale(measured: Measured, found: Analysis) -> Analysis:
    """Return intervals of differences that end where the metric does: ±100 for BLEU, ±1 for shares.

    Score intervals of right or wrong answers never leave the scale; those by t, by halves of few
    documents and from a bootstrap may. What is cut off is impossible, so no verdict moves. Chances
    of k answers that differ by the same amount in every unit get an interval that is not of zero
    width.
    """
    metrics = [sample.metric for sample in measured.units]
    if all(metric.span is None for metric in metrics):
        return found

    def cut(p: int, m: int, interval: Interval, a: float) -> Interval:
        span, cell = metrics[m].span, found.estimates[p][m]
        if span is None:
            return interval
        if metrics[m].answers == "chance" and cell.standard_error == 0.0:
            from detectable.inference.shares import equal_values_interval
            from detectable.inference.standard_errors import agreeing_interval

            made = equal_values_interval(cell.value, cell.df + 1.0, 1.0 - a, (-span, span))
            made = Interval(made.low, made.high, interval.level)
            return agreeing_interval(made, cell.value, rejected=False)
        return within(interval, -span, span)

    def alone(p: int, m: int, a: float) -> Interval:
        return cut(p, m, found.interval_alone(p, m, a), a)

    def against(p: int, m: int, a: float) -> Interval:
        interval, span = found.margins.interval(p, m, a), metrics[m].span
        return interval if span is None else within(interval, -span, span)

    return found._replace(
        intervals=[
            [cut(p, m, cell, float(found.level[p, m])) for m, cell in enumerate(row)]
            for p, row in enumerate(found.intervals)
        ],
        interval_alone=alone,
        margins=found.margins._replace(interval=against),
    )


def score_on_scale(metric: Metric, value: float, interval: Interval) -> Interval:
    """Return the interval of a score, cut to the scale of its metric; it keeps the score itself."""
    if metric.limits is None:
        return interval
    low, high = metric.limits
    return within(
        interval, min(low, value), max(high, value)
    )  # a score may be 100 but for rounding


def within(interval: Interval, low: float, high: float) -> Interval:
    """Return the part of an interval that lies between two bounds."""
    return Interval(max(interval.low, low), min(interval.high, high), interval.level)


# --- Many systems on many tasks: which ranks they may have, and who may be best in each task ---

_FEWEST_RANKED = 3  # systems: of two their pair says it


def standings(
    question: Question, rows: Sequence[PairComparison], tasks: TaskRows
) -> Standings | None:
    r"""Return the ranks that systems may have in the mean over tasks, and the leaders of every task.

    Ranks are :math:`[1 + \#\{j : j > i\}, K - \#\{j : i > j\}]` over the pairs that are significant
    after the correction for all pairs, so that all true ranks are in their sets at once [1]_. A
    system may be best in a task unless it is significantly worse than another there; p-values of
    all pairs and tasks of a metric are corrected together, after Holm.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91(1), 476–518.
    """
    names = question.measured.systems
    paired = len(question.pairs) == len(names) * (len(names) - 1) // 2
    ranked = paired and question.settings.claim == "better"
    if not ranked or len(names) < _FEWEST_RANKED:
        return None
    order: list[Standing] = []
    leaders: list[TaskLeaders] = []
    for sample in question.measured.units:
        metric = sample.metric
        if metric.higher_is_better is None:
            continue
        sign = 1.0 if metric.higher_is_better else -1.0
        low, high = rank_ranges(
            _above(names, [row for row in rows if row.metric == metric.name])
        )
        scores = question.measured.tasks
        means = [
            float(sample.score(s)) if scores is None else scores.score(sample, s).value
            for s in range(len(names))
        ]
        order += [
            Standing(
                metric=metric.name,
                system=names[i],
                score=means[i],
                rank_low=int(low[i]),
                rank_high=int(high[i]),
            )
            for i in sorted(range(len(names)), key=lambda i: -sign * means[i])
        ]
        own = [row for row in tasks.rows if row.metric == metric.name]
        leaders += _leaders(names, own, sign, question.settings.alpha)
    return Standings(systems=tuple(order), tasks=tuple(leaders))


def _above(names: Sequence[str], rows: Sequence[PairComparison]) -> NDArray[np.bool_]:
    """Return who is significantly above whom."""
    place = {name: i for i, name in enumerate(names)}
    above = np.zeros((len(names), len(names)), dtype=bool)
    for row in rows:
        if row.verdict in ("better", "worse"):
            ends = place[row.system], place[row.baseline]
            above[ends if row.verdict == "better" else ends[::-1]] = True
    return above


def _leaders(
    names: Sequence[str], rows: Sequence[TaskRow], sign: float, alpha: float
) -> list[TaskLeaders]:
    """Return who may be best in every task, with one correction over all its pairs and tasks."""
    p = Family(alpha=alpha).adjusted(np.array([row.p_value for row in rows]))
    beaten: dict[str, set[str]] = {}
    by_task: dict[str, dict[str, float]] = {}
    sizes: dict[str, int] = {}
    for row, adjusted in zip(rows, p.tolist(), strict=True):
        found = by_task.setdefault(row.task, {})
        found |= {row.system: row.score, row.baseline: row.baseline_score}
        sizes[row.task] = row.n_segments
        if adjusted <= alpha:
            worse = row.baseline if sign * row.difference > 0.0 else row.system
            beaten.setdefault(row.task, set()).add(worse)
    made = []
    for task, scores in by_task.items():
        order = sorted(names, key=lambda name: -sign * scores[name])
        metric = rows[0].metric
        made.append(
            TaskLeaders(
                metric=metric,
                task=task,
                n_segments=sizes[task],
                best=order[0],
                score=scores[order[0]],
                leaders=tuple(one for one in order if one not in beaten.get(task, ())),
            )
        )
    return made
