"""What is measured, by document: metrics of outputs, given scores and human scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.choices import RaterWeights
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, Progress
from detectable.core.wording import count
from detectable.data.human.cells import Cells
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.prefixes import Documents
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric
from detectable.metrics.bleu import Bleu
from detectable.metrics.mean import Mean
from detectable.study.comparison.measure import choose_metrics, describe_metrics, measure
from detectable.study.comparison.remarks import suspicions

ROUNDING = 1e-9  # of a score: a smaller spread is that of rounding, not of data
HUMAN = "human"  # what judgments are called that were given without a name
_FEW_MATCHES = 10  # n-grams of the longest order: below, BLEU is made of smoothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One metric, or one scale of judgments.

    Attributes
    ----------
    name, label : str
        By which options know it, and what people call it.
    documents : Documents
        Its data, shared with all measures of the same segments.
    place : int
        Which of the samples of `documents` it is.
    higher_is_better : bool or None
        None: the number describes, it does not judge.
    relative : bool
        Whether a spread can be stated as a share of the score: scores of both signs have no
        natural zero, and their mean may be anything.
    """

    name: str
    label: str
    documents: Documents
    place: int
    higher_is_better: bool | None
    digits: int
    signature: str
    relative: bool

    @property
    def sample(self) -> Sample:
        """Its statistics."""
        return self.documents.samples[self.place]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems that it scores."""
        return self.documents.systems

    def scores(self) -> FloatArray:
        """Return the score of every system on all documents."""
        return np.array([self.sample.score(s) for s in range(len(self.systems))])

    def document_influence(self, system: int) -> FloatArray:
        """Return the influence of each document on a system's score."""
        values = self.documents.influence(self.place, system)
        sums: FloatArray = np.add.reduceat(values, self.documents.starts[:-1])
        return sums


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All measures of a study, and what was left out or looks odd."""

    measures: tuple[Measure, ...]
    notes: tuple[str, ...]

    @property
    def sources(self) -> tuple[Documents, ...]:
        """The data, one for all measures of the same segments."""
        found: list[Documents] = []
        for one in self.measures:
            if not any(one.documents is known for known in found):
                found.append(one.documents)
        return tuple(found)

    def of(self, source: Documents) -> tuple[Measure, ...]:
        """Return the measures of a source, in the order of its samples."""
        return tuple(one for one in self.measures if one.documents is source)


def gather(
    data: Corpus | Scores | None,
    metrics: Sequence[str | Metric] | str | Metric | None,
    scores: Mapping[str, Scores],
    judgments: Mapping[str, Judgments],
    *,
    campaign: str | None,
    language: str | None,
    rater_weights: RaterWeights = "equal",
    progress: Progress,
) -> Measured:
    """Bring all data into one form: additive statistics by document."""
    if data is None and not scores and not judgments:
        raise InputError(
            "there is nothing to measure. Give outputs and references, scores, or judgments."
        )
    if data is None and metrics is not None:
        raise InputError("`metrics` must be left out where there are no texts and no `data`.")
    if rater_weights != "equal" and not judgments:
        raise InputError(
            "`rater_weights='agreement'` is about judgments, and there are none. Give them, or drop it."
        )
    found: list[Measure] = []
    notes: list[str] = []
    if data is not None:
        found += _from_data(data, metrics, progress, notes)
    for name, table in scores.items():
        placed = _with_documents(name, table, data, notes)
        found += _from_scores(name, placed, progress, notes)
    order = found[0].documents.names if found else ()
    for name, given in judgments.items():
        given.refuse_weights("`reliability`", "judgments of a random sample")
        chosen = one_evaluation(given, campaign=campaign, language=language)
        found.append(_from_judgments(name, chosen, order, notes, rater_weights))
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{name!r} names two measures. Give scores and judgments other names."
            )
    for one in found:
        _check_varies(one, notes)
        _look_at_documents(one, notes)
    return Measured(measures=tuple(found), notes=tuple(dict.fromkeys(notes)))


def _from_data(
    data: Corpus | Scores,
    metrics: Sequence[str | Metric] | str | Metric | None,
    progress: Progress,
    notes: list[str],
) -> list[Measure]:
    chosen = choose_metrics(data, metrics)
    if isinstance(data, Scores):
        data = _complete(data.of_one_task(), notes)
    else:
        notes += suspicions(data, chosen, refuse=True)
    measured = measure(data, chosen, unit="segment", progress=progress)
    measured, copies = measured.without_copies()
    notes += copies
    what = "the outputs" if isinstance(data, Corpus) else "the scores"
    if measured.documents is None:
        raise InputError(_no_documents(what))
    codes, names = measured.documents
    _several(names, what)
    documents = Documents.build(measured.segments, codes, names)
    about = describe_metrics(data, chosen)
    return [
        Measure(
            name=row["metric"],
            label=row["label"],
            documents=documents,
            place=i,
            higher_is_better=row["higher_is_better"],
            digits=row["digits"],
            signature=row["signature"],
            relative=not isinstance(one, Mean) or _one_sign(documents.samples[i]),
        )
        for i, (row, one) in enumerate(zip(about, chosen, strict=True))
    ]


def _from_scores(
    name: str, scores: Scores, progress: Progress, notes: list[str]
) -> list[Measure]:
    """Return given scores as a measure of their own, beside those of texts."""
    (made,) = _from_data(scores, None, progress, notes)
    return [replace(made, name=name, label=name)]


def _with_documents(
    name: str, scores: Scores, data: Corpus | Scores | None, notes: list[str]
) -> Scores:
    """Take the documents of the texts for scores that are known by their position only."""
    placed = scores.documents is not None
    if placed or not scores.are_numbered or not isinstance(data, Corpus):
        return scores
    if data.documents is None or data.n_segments != scores.n_items:
        return scores
    notes.append(f"{name} names no documents: those of the texts, line by line.")
    return replace(scores, documents=data.documents)


def _complete(scores: Scores, notes: list[str]) -> Scores:
    gaps = scores.incomplete()
    if gaps:
        notes.append(
            f"{count(len(gaps), 'item')} of {scores.n_items} left out, because some system has "
            "no score there."
        )
    return scores.complete()


def _from_judgments(
    name: str,
    judgments: Judgments,
    order: tuple[str, ...],
    notes: list[str],
    weights: RaterWeights,
) -> Measure:
    """Return human scores: (mean of the item, 1), and (0, 0) where a system was not judged."""
    cells = judgments.cells()
    notes += [*judgments.notes, *cells.notes]
    where = judgments.path or f"the judgments {name!r}"
    if cells.document is None or cells.documents is None:
        raise InputError(_no_documents(where))
    _warn_of_raters(name, cells, notes)
    means = cells.table() if weights == "equal" else _by_agreement(name, cells, notes)
    counts = cells.counts()
    judged = counts.any(axis=1)  # items of degraded copies only have no score
    present = np.flatnonzero(counts.any(axis=0))
    systems = tuple(cells.systems[s] for s in present.tolist())
    table = means[judged][:, present].T
    known = ~np.isnan(table)
    statistics = np.stack([np.where(known, table, 0.0), known.astype(np.float64)], axis=-1)
    # In the order of the texts where they are given too: curves add the same documents.
    labels = [cells.documents[code] for code in cells.document[judged].tolist()]
    position = {label: i for i, label in enumerate(order)}
    names = sorted(dict.fromkeys(labels), key=lambda label: position.get(label, len(order)))
    _several(tuple(names), where)
    place = {label: i for i, label in enumerate(names)}
    codes = np.array([place[label] for label in labels], dtype=np.int64)
    sample = Sample(Mean(), systems, (1,) * len(systems), statistics)
    documents = Documents.build((sample,), codes, tuple(names))
    return Measure(
        name=name,
        label=name,
        documents=documents,
        place=0,
        higher_is_better=True,
        digits=2,
        signature="aggregation:mean-of-items"
        + ("|raters:agreement" if weights == "agreement" else ""),
        relative=_one_sign(sample),
    )


_FEWEST_RATERS = 3  # of two judgments that differ nobody can say which is the odd one
_HUBER = 1.345  # standard deviations: 95 % efficient where errors are normal
_NORMAL_PAIR = 0.9538725524  # median of the difference of two standard normal variables


def _by_agreement(name: str, cells: Cells, notes: list[str]) -> FloatArray:
    r"""Return the score of every item (row) and system, judgments far from the others counting less.

    The future work of Estrella et al. (2007): with three judgments of an output and more, one that
    is unlike the others gets a lower weight. A judgment x of an output with median m weighs

    .. math:: w = \min\bigl(1,\; 1.345\, s / |x - m|\bigr),

    with s from the median of all differences of two judgments of one output, over .954, the median
    for normal errors. Outputs with fewer judgments have their mean.

    References
    ----------
    Huber (1964), "Robust estimation of a location parameter", Annals of Mathematical Statistics
    35(1), 73–101.
    """
    means = cells.table()
    key = cells.item * len(cells.systems) + cells.system
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(key[order]) > 0])
    outputs = [
        (int(key[rows[0]]), cells.mean[rows])
        for rows in np.split(order, starts[1:])
        if rows.size >= _FEWEST_RATERS
    ]
    if not outputs:
        raise InputError(
            f"`rater_weights='agreement'` needs {_FEWEST_RATERS} raters of an output, and no output "
            f"of {name} has so many. Drop it."
        )
    apart = [np.abs(x[:, None] - x)[np.triu_indices(x.size, 1)] for _, x in outputs]
    scale = float(np.median(np.concatenate(apart))) / _NORMAL_PAIR
    lowered = 0
    for place, values in outputs:
        far = np.abs(values - np.median(values))
        most = _HUBER * scale
        weight = np.where(far > most, most / np.where(far > 0.0, far, 1.0), 1.0)
        if scale > 0.0:
            lowered += int((weight < 1.0).sum())
            means.flat[place] = float((weight * values).sum() / weight.sum())
    judged = sum(values.size for _, values in outputs)
    notes.append(
        f"{name}: {lowered:,} of {count(judged, 'judgment')} of outputs with three raters or more "
        "count less, being far from the others."
    )
    return means


def _warn_of_raters(name: str, cells: Cells, notes: list[str]) -> None:
    """Say where documents cannot be told from raters: one rater judged a system's document."""
    if cells.rater is None or cells.document is None:
        return
    document = cells.document[cells.item]
    both = np.unique(np.stack([cells.system, document, cells.rater]), axis=1)
    _, raters = np.unique(both[:2], axis=1, return_counts=True)
    if (raters == 1).mean() > 0.5:
        notes.append(
            f"Most documents of a system were judged by one rater under {name}: what documents of "
            "a system share is then also what their rater adds, and pairing systems by document "
            "saves little."
        )


def _no_documents(what: str) -> str:
    return (
        f"{what}: the document of each segment is not known, and the question is how many "
        "documents are needed. Name them (--documents, or the column of the document)."
    )


def _several(names: tuple[str, ...], what: str) -> None:
    if len(names) < 2:
        raise InputError(
            f"{what}: there is one document, {names[0]!r}, which says nothing about other "
            "documents. Give at least two."
        )


def _one_sign(sample: Sample) -> bool:
    totals = sample.statistics[..., 0]
    return not (bool((totals > 0).any()) and bool((totals < 0).any()))


def _check_varies(one: Measure, notes: list[str]) -> None:
    """Refuse a measure that is the same everywhere, and name systems of which that is true."""
    still = [
        name
        for s, name in enumerate(one.systems)
        if not np.linalg.norm(one.documents.influence(one.place, s))
        > ROUNDING * abs(one.sample.score(s))
    ]
    if len(still) == len(one.systems):
        raise DataError(
            f"{one.label} is the same in all segments of every system, so nothing can be said "
            "about its spread. Is it the right column?"
        )
    if still:
        notes.append(
            f"{one.label} is the same in all segments of {', '.join(still)}: no curve is fitted."
        )
    _warn_of_smoothing(one, notes)
    if not one.relative:
        notes.append(
            f"Scores of {one.label} have both signs, as standardised scores do, so their mean "
            "may be near zero: its spread is stated in points, not as a share of the score."
        )


def _warn_of_smoothing(one: Measure, notes: list[str]) -> None:
    if not isinstance(one.sample.metric, Bleu):
        return
    order = one.sample.metric.max_order
    longest = one.sample.statistics.sum(axis=1)[:, 1 + order]
    starts = np.cumsum([0, *one.sample.runs[:-1]])
    few = np.minimum.reduceat(longest, starts) < _FEW_MATCHES
    if few.any():
        who = ", ".join(name for name, low in zip(one.systems, few, strict=True) if low)
        notes.append(
            f"{one.label} of {who} is about zero, made of smoothing: on few documents its spread "
            "by Poisson weights or the delta method is off by 10 % and more. `method='exact'` is "
            "right."
        )


def _look_at_documents(one: Measure, notes: list[str]) -> None:
    if int(one.documents.sizes.max()) == 1:
        notes.append(
            f"Every document of {one.label} has one segment: documents and segments are the same "
            "here, there is no intraclass correlation, and the design effect is 1."
        )
