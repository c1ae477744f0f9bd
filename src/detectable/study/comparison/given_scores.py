"""Given scores as metrics: which way they go, what the reader is told of it, several of the same items.

Texts alone never load this file.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from detectable.core.errors import InputError
from detectable.core.wording import count, listing
from detectable.data.scores.direction import direction_of, direction_of_name
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import Metric
from detectable.metrics.mean import Accuracy, GivenScore, ScoresBy

_FEWEST = 2  # items that all metrics have
_UNNAMED = "score"


def name_of(scores: Scores) -> str:
    """Return what `lower_is_better` calls given scores."""
    return scores.metric or _UNNAMED


def default_metric(scores: Scores, lower_is_better: Sequence[str] = ()) -> str:
    """Return the metric that suits given scores: their direction decides, and their values."""
    if lower_is_better:
        return "mean-error"
    direction = direction_of(scores)
    if direction == "lower":
        return "mean-error"
    values = np.concatenate([table.ravel() for table in scores.systems.values()])
    known = values[~np.isnan(values)]
    return "accuracy" if np.isin(known, (0.0, 1.0)).all() else "mean"


def given_metric(scores: Scores, lower_is_better: Sequence[str]) -> GivenScore:
    """Return given scores as one more metric of texts, with their direction."""
    name = name_of(scores)
    asked = name.casefold() in {one.casefold() for one in lower_is_better}
    return GivenScore(name, scores, not asked and direction_of(scores) != "lower")


def check_lower(data: Corpus | Scores, metrics: object, lower_is_better: Sequence[str]) -> None:
    """Refuse names that are not those of the given scores, or that a metric contradicts."""
    if not lower_is_better:
        return
    if isinstance(data, Corpus):
        listed = metrics if isinstance(metrics, Sequence) else ()
        known = [name_of(one) for one in listed if isinstance(one, Scores)]
        for name in lower_is_better:
            if name.casefold() not in {one.casefold() for one in known}:
                raise InputError(
                    "`lower_is_better` is about given scores; metrics of texts know their "
                    f"direction. Given are: {', '.join(known) or 'none'}; got {name!r}."
                )
        return
    for name in lower_is_better:
        if name.casefold() != name_of(data).casefold():
            raise InputError(
                f"`lower_is_better` must name the scores, {name_of(data)!r}; got {name!r}."
            )
    if metrics is not None:
        raise InputError(
            "`lower_is_better` and `metrics` both say the direction of given scores. Give one of "
            "them: the metric 'mean-error' is the mean where lower is better."
        )


def direction_notes(
    data: Corpus | Scores, metrics: Sequence[Metric], *, asked: bool
) -> tuple[str, ...]:
    """Say which way given scores were taken, unless that was asked for or is plain.

    Parameters
    ----------
    data, metrics
        The data and the metrics that were chosen for them.
    asked : bool
        Whether the user named the metric, and with it the direction.
    """
    if isinstance(data, Corpus):
        given = [metric for metric in metrics if isinstance(metric, GivenScore)]
        return tuple(note for metric in given for note in _notes(metric.scores, metric))
    return () if asked else _notes(data, metrics[0])


def _notes(data: Scores, chosen: Metric) -> tuple[str, ...]:
    name = name_of(data)
    if chosen.higher_is_better is False:
        return (f"{name}: lower is better.",)
    if chosen.name == "accuracy":  # right or wrong, whatever it is called
        return ()
    if direction_of(data) == "higher":
        turned = data.lower_is_better is None and direction_of_name(name) == "lower"
        said = f"{name}: written with a minus, so higher is better."
        return (said,) if turned else ()
    because = "the scores have no name" if data.metric is None else "the name does not tell"
    return (
        f"{name}: higher is taken to be better, as {because}. If lower is better, "
        f"say so (--lower-is-better {name}, lower_is_better=[{name!r}]).",
    )


# --- Several scores of the same items: a metric each ---


def several_scores(
    data: Scores, metrics: Any, lower_is_better: Sequence[str]
) -> tuple[Scores, Any, Sequence[str], tuple[str, ...]]:
    """Return scores with further scores of the same items as metrics of their own.

    Returns
    -------
    data, metrics, lower_is_better, notes
        As they are, unless `metrics` holds scores too. Then the items that all have, samples
        averaged; a metric for each; no name left; and what is to be said.
    """
    listed = list(metrics) if isinstance(metrics, list | tuple) else []
    further = [one for one in listed if isinstance(one, Scores)]
    if not further:
        return data, metrics, lower_is_better, ()
    if len(further) < len(listed):
        raise InputError(
            "`metrics` must be further scores alone beside scores, each of which is compared by its "
            "mean; got names too. Compare by these in a call of their own."
        )
    names = [name_of(one) for one in (data, *further)]
    unknown = [n for n in lower_is_better if n.casefold() not in map(str.casefold, names)]
    if unknown:
        raise InputError(
            f"`lower_is_better` must name the scores, {listing(names)}; got {unknown[0]!r}."
        )
    tables, notes = _of_same_items([data, *further], names)
    lower = {name.casefold() for name in lower_is_better}
    chosen = tuple(
        _scores_by(name, table, lower=name.casefold() in lower)
        for name, table in zip(names, tables, strict=True)
    )
    directions = [said for one in chosen for said in _notes(one.scores, one)]
    return tables[0], chosen, (), (*notes, *directions)


def _scores_by(name: str, scores: Scores, *, lower: bool) -> ScoresBy:
    if not lower and default_metric(scores) == "accuracy":
        return ScoresBy(
            name=name, scores=scores, limits=Accuracy.limits, answers=Accuracy.answers
        )
    up = not lower and direction_of(scores) != "lower"
    return ScoresBy(name=name, scores=scores, higher_is_better=up)


def _of_same_items(
    tables: Sequence[Scores], names: Sequence[str]
) -> tuple[list[Scores], tuple[str, ...]]:
    """Return the tables cut to the items that every system has a score for in all of them."""
    first = tables[0]
    for name, one in zip(names[1:], tables[1:], strict=True):
        lacking = sorted(set(first.systems) ^ set(one.systems))
        if lacking:
            raise InputError(
                f"{names[0]} and {name} must be of the same systems; {listing(lacking)} "
                f"{'is' if len(lacking) == 1 else 'are'} in one of them only."
            )
    notes = []
    if any(one.repeats == "samples" for one in tables):
        notes.append(
            "Samples of an item are averaged, as several metrics are compared. Compare one metric "
            "alone to see how much samples differ."
        )
    means = [one.averaged() for one in tables]
    for name, one in zip(names, means, strict=True):
        for system in first.systems:
            if one.n_runs(system) != means[0].n_runs(system):
                raise InputError(
                    f"{system} has {count(means[0].n_runs(system), 'run')} in {names[0]} and "
                    f"{count(one.n_runs(system), 'run')} in {name}. Score every run by each metric."
                )
    whole = [set(one.complete().items) for one in means]
    shared = set.intersection(*whole)
    left = len(set(first.items).union(*(one.items for one in means)) - shared)
    if left:
        notes.append(
            f"{count(left, 'item')} left out, because some system has no score there in one of the "
            "metrics."
        )
    if len(shared) < _FEWEST:
        raise InputError(
            f"{listing(list(names))} share {count(len(shared), 'item')} that every system was scored "
            "on. Give scores of the same items."
        )
    kept = []
    for one in means:
        position = {item: i for i, item in enumerate(one.items)}
        kept.append(one.take([position[item] for item in first.items if item in shared]))
    return kept, tuple(notes)
