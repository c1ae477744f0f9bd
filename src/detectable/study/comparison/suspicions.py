"""What about the data should make one look twice."""

import itertools
from typing import TYPE_CHECKING

import numpy as np

from detectable.core.wording import count, listing
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import Metric

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores

_UNEQUAL = 0.02  # between shares of missing samples
_MANY = 3  # texts of which the same is said once


def suspicions(data: "Corpus | Scores", metrics: tuple[Metric, ...]) -> list[str]:
    """Return one sentence for each thing that looks wrong."""
    if not isinstance(data, Corpus):
        return _score_suspicions(data)
    from detectable.data.texts.inspect_corpus import inspect_corpus

    tokenizing = any(getattr(metric, "tokenize", "none") != "none" for metric in metrics)
    found = inspect_corpus(data, tokenizing=tokenizing)
    kinds = dict.fromkeys(finding.kind for finding in found)
    return [
        sentence
        for kind in kinds
        for sentence in _of_one_kind([one.message for one in found if one.kind == kind])
    ]


def _of_one_kind(messages: list[str]) -> list[str]:
    """Say the same of many texts once: the first is told whole, the others are counted."""
    if len(messages) < _MANY:
        return messages
    return [f"{messages[0]} The same holds for {len(messages) - 1} more texts."]


def _score_suspicions(scores: "Scores") -> list[str]:
    found = []
    for (a, first), (b, second) in itertools.combinations(scores.systems.items(), 2):
        if first.shape == second.shape and np.array_equal(first, second, equal_nan=True):
            found.append(f"systems {a!r} and {b!r} have identical scores: is one a copy?")
    gaps = scores.incomplete()
    if gaps:
        found.append(
            f"{count(len(gaps), 'item')} of {scores.n_items} left out, because some system has no "
            f"score there: {listing(list(gaps))}."
        )
        found += _lost_tasks(scores, set(gaps))
    if scores.repeats == "samples":
        return [*found, *_lost_samples(scores)]
    sizes = {name: len(table) for name, table in scores.systems.items()}
    if len(set(sizes.values())) > 1:
        found.append(f"systems have different numbers of runs: {sizes}.")
    return found


def _lost_tasks(scores: "Scores", gaps: set[str]) -> list[str]:
    """Name the tasks of which no item is left."""
    if scores.tasks is None:
        return []
    pairs = zip(scores.items, scores.tasks, strict=True)
    left = {task for item, task in pairs if item not in gaps}
    lost = [task for task in scores.task_names if task not in left]
    return (
        [f"no item is left of {listing(lost)}: some system has no score there."] if lost else []
    )


def _lost_samples(scores: "Scores") -> list[str]:
    """Say where systems lost samples unequally: those that are left may be the easy ones."""
    shares = {name: scores.missing_share(name) for name in scores.systems}
    if max(shares.values()) - min(shares.values()) <= _UNEQUAL:
        return []
    listed = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    return [
        f"systems lost different shares of their samples: {listed}. If long or hard answers failed, "
        "what is left flatters the system that lost more."
    ]
