"""Margins of a comparison: which scores the score rule sees, what is known of their scale, its notes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from detectable.contrasts.margins import AgainstMargins, KnownRange, margin_notes
from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.direction import HEAVIEST_MQM, penalty_range
from detectable.data.scores.scores import Scores
from detectable.inference.margin_score import MarginScore
from detectable.inference.margin_test import StratifiedScore, check_largest_loss, check_on_scale
from detectable.metrics.base import Metric
from detectable.metrics.mean import GivenScore, Mean, ScoresBy
from detectable.study.comparison.measure import StratifiedUnits
from detectable.study.comparison.settings import Question

if TYPE_CHECKING:
    from detectable.data.texts.corpus import Corpus
    from detectable.inference.shares import PairedShares

T = TypeVar("T")
Scale = tuple[float, float]


def ranges_of(
    data: "Corpus | Scores",
    metrics: Sequence[Metric],
    *,
    scale: Scale | Mapping[str, Scale] | None,
    largest_loss: float | Mapping[str, float] | None,
    margins: Mapping[str, float],
) -> tuple[KnownRange, ...]:
    """Return what is known of the scores of every metric: as told, or as metric and format say.

    Scores off their scale are refused, and margins that no loss reaches.
    """
    if not margins and not (scale is None and largest_loss is None):
        raise InputError(
            "`scale` and `largest_loss` are about a margin. Give one, or drop them."
        )
    given = {metric.name: _scores_of(data, metric) for metric in metrics}
    scales = _per_given(scale, given, "scale")
    losses = _per_given(largest_loss, given, "largest_loss")
    found = []
    for metric in metrics:
        name, scores = metric.name, given[metric.name]
        known = KnownRange(scale=metric.limits)
        if name in scales:
            if metric.limits is not None and metric.limits != scales[name]:
                low, high = metric.limits
                raise InputError(f"`scale` of {name} is {low:g}:{high:g} by itself. Drop it.")
            check_on_scale(scales[name], margins.get(name, 0.0), _named(scores))
            known = KnownRange(scale=scales[name])
        elif scores is not None and metric.limits is None:
            values = np.concatenate([table.ravel() for table in scores.systems.values()])
            length = penalty_range(
                scores.metric, values, lower_is_better=metric.higher_is_better is False
            )
            if length is not None:
                known = KnownRange(scale=length, largest_loss=HEAVIEST_MQM, of="MQM")
        if name in losses:
            loss = check.positive(losses[name], "largest_loss")
            known = replace(known, largest_loss=loss, of="")
        found.append(known)
    return tuple(found)


def _scores_of(data: "Corpus | Scores", metric: Metric) -> Scores | None:
    if isinstance(metric, ScoresBy):
        return metric.scores
    if isinstance(data, Scores):
        return data
    return metric.scores if isinstance(metric, GivenScore) else None


def _named(scores: Scores | None) -> dict[str, FloatArray]:
    return {} if scores is None else {f"system {n!r}": t for n, t in scores.systems.items()}


def _per_given(
    value: "T | Mapping[str, T] | None", given: Mapping[str, Scores | None], name: str
) -> dict[str, T]:
    """Return an option for every metric of given scores that has one."""
    if value is None:
        return {}
    known = tuple(metric for metric, scores in given.items() if scores is not None)
    if not known:
        raise InputError(f"`{name}` is about given scores, and there are none. Drop it.")
    if isinstance(value, Mapping):
        for metric in value:
            check.one_of(metric, known, f"{name} of metric")
        return dict(value)
    if len(known) > 1:
        raise InputError(
            f"`{name}` must name its metric when there are several; got {value!r} for "
            f"{', '.join(known)}."
        )
    return {known[0]: value}


# --- Which scores the rule sees ---


NEW_RUNS = (
    "Margins of new runs are tested by t, which is too lenient where few items have skewed losses: "
    "with 15 items and 3 runs, .15 passed at the margin, promised .05."
)


def margin_scores(
    question: Question,
    answers: "Mapping[tuple[int, int], PairedShares]",
    *,
    without: list[list[int]] | None = None,
) -> dict[tuple[int, int], MarginScore | StratifiedScore]:
    """Return every pair under every metric with a margin, as the score rule sees it.

    None where another test of margins was asked for, unless scores are 0 and 1. Means of scores go
    by their items; corpus scores (BLEU) have no items, and go by what their units add.

    Parameters
    ----------
    answers : mapping of (pair, metric) to PairedShares
        Of scores of 0 and 1.
    without : list of list of int, optional
        For every pair and metric a unit to leave out.
    """
    with_margin = np.flatnonzero(~np.isnan(question.margins)).tolist()
    measured = question.measured
    found: dict[tuple[int, int], MarginScore | StratifiedScore] = {}
    if measured.tasks is not None:
        return _of_weighted_tasks(question, measured.tasks) if question.by_score else {}
    for m in with_margin:
        sample = measured.segments[m]
        for p in range(len(question.pairs)):
            if (p, m) in answers:
                n = measured.units[m].n_units - (without is not None)
                found[p, m] = MarginScore.of_shares(answers[p, m], n)
            elif not question.by_score:
                continue
            elif isinstance(sample.metric, Mean | GivenScore):
                out = None if without is None else without[p][m]
                found[p, m] = _of_items(question, p, m, np.ones(sample.n_units, bool), out)
            else:
                part = question.parts[p][m]
                if without is not None:
                    part = part.without_unit(without[p][m])
                found[p, m] = MarginScore.of_units(part.parts, part.shares)
    return found


def task_margin_scores(question: Question, pair: int) -> dict[tuple[int, int], MarginScore]:
    """Return the tasks of one pair under every metric with a margin: (task, metric)."""
    tasks = question.measured.tasks
    if tasks is None:
        return {}
    return {
        (t, m): _of_items(question, pair, m, tasks.strata.of_segment == t, None)
        for m in np.flatnonzero(~np.isnan(question.margins)).tolist()
        for t in range(len(tasks.strata.names))
    }


def _of_weighted_tasks(
    question: Question, tasks: StratifiedUnits
) -> dict[tuple[int, int], MarginScore | StratifiedScore]:
    """Return what the weighted mean of all tasks says; of tasks that stand for others, their means."""
    found: dict[tuple[int, int], MarginScore | StratifiedScore] = {}
    for m in np.flatnonzero(~np.isnan(question.margins)).tolist():
        for p in range(len(question.pairs)):
            parts, weights = question.task_parts[p][m], tasks.strata.weights
            if tasks.strata.kind == "random":
                values = np.array([part.value for part in parts])
                found[p, m] = MarginScore.of_units(weights * values, weights)
                continue
            every = np.ones(tasks.strata.of_segment.size, bool)
            new, old, clusters, chosen = _scored(question, p, m, every, None)
            found[p, m] = StratifiedScore.of(
                new,
                old,
                tasks.strata.of_segment[chosen],
                weights=weights,
                clusters=clusters,
                scale=question.ranges[m].scale,
                largest_loss=question.ranges[m].largest_loss,
            )
    return found


def _of_items(
    question: Question, p: int, m: int, chosen: IntArray, out: int | None
) -> MarginScore:
    """Return what some items of one pair say."""
    known = question.ranges[m]
    new, old, clusters, _ = _scored(question, p, m, chosen, out)
    return MarginScore.of(
        new, old, clusters, scale=known.scale, largest_loss=known.largest_loss
    )


def _scored(
    question: Question, p: int, m: int, chosen: IntArray, out: int | None
) -> tuple[FloatArray, FloatArray, IntArray | None, IntArray]:
    """Return the scores of one pair on some items, their documents, and which items they are."""
    measured, known = question.measured, question.ranges[m]
    sample = measured.segments[m]
    clusters = None
    unit = np.arange(sample.n_units)
    if measured.unit == "document" and measured.documents is not None:
        unit = clusters = measured.documents[0]
    ours, theirs = (_item_scores(sample.of(system)) for system in question.pairs[p])
    chosen = chosen & ~np.isnan(ours) & ~np.isnan(theirs)
    if out is not None:
        chosen &= unit != out
    new, old = ours[chosen], theirs[chosen]
    within = None if clusters is None else clusters[chosen]
    lost = (new - old) if sample.metric.higher_is_better is not False else (old - new)
    if known.largest_loss is not None and not known.of:
        check_largest_loss(known.largest_loss, lost)
    return new, old, within, chosen


def _item_scores(statistics: FloatArray) -> FloatArray:
    """Return the mean score of every item over runs; NaN where it has none."""
    total, size = statistics[..., 0].sum(axis=0), statistics[..., 1].sum(axis=0)
    found: FloatArray = np.where(size > 0.0, total, np.nan) / np.where(size > 0.0, size, 1.0)
    return found


def notes_of_margins(question: Question, found: AgainstMargins) -> tuple[str, ...]:
    """Say what claims about margins rest on; the same sentence once."""
    if question.settings.claim == "better":
        return ()
    said: dict[str, None] = {}
    if question.chosen.runs == "random":
        said[NEW_RUNS] = None
    for (_, m), score in found.items():
        said |= dict.fromkeys(
            margin_notes(
                score,
                question.ranges[m],
                margin=float(question.margins[m]),
                alpha=question.settings.alpha,
                item=question.measured.item_word,
            )
        )
    return tuple(said)
