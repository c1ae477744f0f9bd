"""Human scores and metrics of the same outputs, laid side by side with higher as better."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.table import TableSource
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.direction import Direction, direction_of, direction_of_name
from detectable.data.scores.scores import Scores
from detectable.study.metric_pool import MetricSource, as_scores

HumanSource: TypeAlias = Judgments | Scores | TableSource

HUMAN = "human"
# A reference translation among the systems: ref, refA, reference-B, Human-A.0.
_REFERENCE = re.compile(r"(?:ref|reference|human)s?(?:[-_. ]?[a-z0-9](?:\.[0-9]+)?)?", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaTable:
    """Scores of systems (rows) on segments (columns), NaN where an output lacks one of them."""

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    human: FloatArray
    metrics: Mapping[str, FloatArray]
    turned: tuple[str, ...]  # metrics that were negated
    documents: IntArray | None
    references: tuple[str, ...]  # left out
    notes: tuple[str, ...]

    @property
    def n_outputs(self) -> int:
        """Outputs with all scores."""
        return int(np.isfinite(self.human).sum())

    @property
    def n_documents(self) -> int | None:
        """The number of documents, where they are known."""
        return None if self.documents is None else int(np.unique(self.documents).size)


def meta_table(
    human: HumanSource,
    metrics: Mapping[str, MetricSource],
    *,
    lower_is_better: Sequence[str] = (),
    keep_references: bool = False,
) -> MetaTable:
    """Match people and metrics by the names of systems and segments."""
    if not metrics:
        raise InputError("`metrics` must name at least one metric; got none.")
    people, said = _human(human)
    notes = list(said)
    given = {}
    for name, source in metrics.items():
        given[name], its = as_scores(source)
        notes += [f"{name}: {note}" for note in its]
    for name in lower_is_better:
        if name not in (HUMAN, *given):
            raise InputError(
                f"`lower_is_better` must name {HUMAN} or a metric ({', '.join(given)}); "
                f"got {name!r}."
            )
    systems, references, more = _systems(people, given, keep_references=keep_references)
    notes += more
    places = {name: _places(people, scores, name) for name, scores in given.items()}
    scores = np.stack([_mean(people.systems[name]) for name in systems])
    side: dict[str, FloatArray] = {}
    for name, table in given.items():
        place = places[name]
        found = np.stack([_mean(table.systems[system]) for system in systems])
        side[name] = np.where(place >= 0, found[:, np.maximum(place, 0)], np.nan)
    known = np.isfinite(scores) & np.logical_and.reduce([np.isfinite(v) for v in side.values()])
    notes += _gaps(scores, side, known)
    keep = known.any(axis=0)
    if not keep.any():
        raise DataError(
            "no output has a human score and a score by every metric. Do all name systems and "
            "segments in the same way?"
        )
    turned = []
    signs = {}
    for name, table in {HUMAN: people, **given}.items():
        sign, turning = _direction(table, name, asked=name in lower_is_better)
        signs[name], notes = sign, [*notes, *turning]
        if sign < 0.0 and name != HUMAN:
            turned.append(name)
    blank = np.where(known, 0.0, np.nan)[:, keep]
    return MetaTable(
        systems=tuple(systems),
        segments=tuple(item for item, kept in zip(people.items, keep, strict=True) if kept),
        human=signs[HUMAN] * scores[:, keep] + blank,
        metrics={name: signs[name] * values[:, keep] + blank for name, values in side.items()},
        turned=tuple(turned),
        documents=_documents(people, given, places, keep),
        references=tuple(references),
        notes=tuple(notes),
    )


def _human(source: HumanSource) -> tuple[Scores, tuple[str, ...]]:
    if not isinstance(source, Judgments):
        return as_scores(source)
    judgments = one_evaluation(source)
    if judgments.sampling_weight is not None:
        raise InputError(
            f"{judgments.path or 'the judgments'}: there is a column sampling_weight, and `meta` knows no "
            "sampling weights; use a random sample of judgments without it."
        )
    cells = judgments.cells()
    table = cells.table()
    documents = None
    if cells.document is not None and cells.documents is not None:
        documents = [cells.documents[code] for code in cells.document.tolist()]
    systems = {str(name): table[:, s] for s, name in enumerate(cells.systems)}
    scores = Scores.build(
        systems, items=list(cells.items), documents=documents, lower_is_better=False
    )
    return scores, (*judgments.notes, *cells.notes)


def _mean(table: FloatArray) -> FloatArray:
    """Return the mean of the runs or samples that an item has."""
    known = np.isfinite(table)
    n = known.sum(axis=0)
    sums = np.where(known, table, 0.0).sum(axis=0)
    mean: FloatArray = np.where(n > 0, sums, np.nan) / np.maximum(n, 1)
    return mean


def _systems(
    people: Scores, given: Mapping[str, Scores], *, keep_references: bool
) -> tuple[list[str], list[str], list[str]]:
    shared = [name for name in people.systems if all(name in s.systems for s in given.values())]
    every = dict.fromkeys([*people.systems, *(n for s in given.values() for n in s.systems)])
    lost = [name for name in every if name not in shared]
    if not shared:
        first = next(iter(given))
        raise DataError(
            "no system has scores of people and of every metric. People judged: "
            f"{listing(list(people.systems))}; {first} has {listing(list(given[first].systems))}."
        )
    notes = []
    if lost:
        notes.append(
            f"{count(len(lost), 'system')} left out, not scored by all: {listing(lost)}."
        )
    references = [] if keep_references else [n for n in shared if _REFERENCE.fullmatch(n)]
    kept = [name for name in shared if name not in references]
    if references:
        notes.append(
            f"Left out, as a reference is no system: {listing(references)} "
            "(--keep-references keeps it)."
        )
    if len(kept) < 2:
        raise DataError(
            f"at least two systems are needed to see whether a metric orders them; got "
            f"{count(len(kept), 'system')}{f' ({kept[0]})' if kept else ''}."
        )
    return kept, references, notes


def _places(people: Scores, scores: Scores, name: str) -> IntArray:
    """Return where a metric has each segment that people judged, -1 where it has not.

    By name, by ``document:name`` on either side, or by position where both merely count their
    segments, one from 0 and the other from 1.
    """
    if (
        people.are_numbered
        and scores.are_numbered
        and people.n_items == scores.n_items
        and people.items != scores.items
    ):
        return np.arange(people.n_items)
    best = np.full(people.n_items, -1)
    for ours in _names(people):
        for theirs in _names(scores):
            position = {label: i for i, label in enumerate(theirs)}
            found = np.array([position.get(label, -1) for label in ours])
            if (found >= 0).sum() > (best >= 0).sum():
                best = found
    if not (best >= 0).any():
        raise DataError(
            f"{name} has no score of a segment that people judged. They call segments "
            f"{listing(list(people.items), most=3)}; {name} has "
            f"{listing(list(scores.items), most=3)}."
        )
    return best


def _names(scores: Scores) -> list[tuple[str, ...]]:
    names = [scores.items] if len(set(scores.items)) == scores.n_items else []
    if scores.documents is not None:
        pairs = zip(scores.documents, scores.items, strict=True)
        names.append(tuple(f"{document}:{item}" for document, item in pairs))
    return names


def _gaps(people: FloatArray, side: Mapping[str, FloatArray], known: np.ndarray) -> list[str]:
    judged = np.isfinite(people)
    lost = judged & ~known
    if not lost.any():
        return []
    by = [
        f"{name} lacks {int((judged & ~np.isfinite(values)).sum()):,}"
        for name, values in side.items()
        if (judged & ~np.isfinite(values)).any()
    ]
    return [
        f"{int(lost.sum()):,} of {count(int(judged.sum()), 'judged output')} left out, without a "
        f"score by every metric: {listing(by)}."
    ]


def _direction(scores: Scores, name: str, *, asked: bool) -> tuple[float, list[str]]:
    """Return -1 where lower scores are better, and what to say about it."""
    if asked:
        return -1.0, [f"{name}: lower is better, so it was negated."]
    found: Direction = direction_of(replace(scores, metric=name))
    label = name
    if found == "unknown" and scores.metric is not None:
        found, label = direction_of(scores), scores.metric
    if found == "lower":
        return -1.0, [f"{name}: lower is better, so it was negated."]
    minus = scores.lower_is_better is None and direction_of_name(label) == "lower"
    if found == "higher" and minus:
        return 1.0, [f"{name}: written with a minus, so higher is better."]
    if found == "unknown" and name != HUMAN:
        return 1.0, [
            f"{name}: higher is taken to be better, as its name and scores do not tell. If lower is "
            f"better, say so (--lower-is-better {name})."
        ]
    return 1.0, []


def _documents(
    people: Scores,
    given: Mapping[str, Scores],
    places: Mapping[str, IntArray],
    keep: np.ndarray,
) -> IntArray | None:
    if people.documents is not None:
        names = [name for name, kept in zip(people.documents, keep, strict=True) if kept]
        return factor("document", names).codes
    for name, scores in given.items():
        if scores.documents is not None:  # and it has all segments that are kept
            place = places[name][keep].tolist()
            return factor("document", [scores.documents[i] for i in place]).codes
    return None
