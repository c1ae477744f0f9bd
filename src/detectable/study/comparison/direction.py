"""Which way given scores go, and what the reader is told about it."""

from collections.abc import Sequence

import numpy as np

from detectable.core.errors import InputError
from detectable.data.scores.direction import direction_of, direction_of_name
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import Metric
from detectable.metrics.given_score import GivenScore

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
