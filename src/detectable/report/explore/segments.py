"""The segments behind a result, for reading: texts and scores of every system, one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.types import FloatArray, IntArray, silent
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.sample import Sample
from detectable.study.comparison.measure import measure
from detectable.study.comparison.result import Comparison
from detectable.study.ranking.item_scores import SegmentScores

_DIGITS = 6  # of a score: more than anybody reads, and half the bytes
_TAG_PARTS = 2  # en-de


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What one metric says of every segment and every document.

    Attributes
    ----------
    label : str
        What people call it.
    digits : int
        Decimals that make sense to show.
    lower_is_better : bool
        Whether a small number is a good one.
    scores, by_document : mapping of system to array
        One number per segment, or per document; NaN where there is none.
    """

    label: str
    digits: int
    lower_is_better: bool
    scores: Mapping[str, FloatArray]
    by_document: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """Segments with what is known of each; every list has one entry per segment.

    Attributes
    ----------
    names : tuple of str
        Line numbers, or what the items are called.
    documents : tuple of str
        Names of the documents; empty where they are not known.
    of_document : array or None
        The position in `documents` of every segment.
    sources, references : tuple or None
        Texts; of several references the first that a segment has.
    outputs : mapping of system to texts, or None
        Of the median run, where there are several.
    languages : (str, str)
        Of source and outputs, as tags; empty where they are not known.
    measures : tuple of Measure
        In the order of the result; the first is the one that is sorted by.
    n_left_out : int
        Segments that are not here, for lack of room.
    """

    systems: tuple[str, ...]
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    documents: tuple[str, ...] = ()
    of_document: IntArray | None = None
    sources: Sequence[str] | None = None
    references: Sequence[str] | None = None
    outputs: Mapping[str, Sequence[str]] | None = None
    languages: tuple[str, str] = ("", "")
    n_left_out: int = 0

    @property
    def has_texts(self) -> bool:
        """Whether there is something to read besides numbers."""
        return self.outputs is not None

    def to_values(self) -> dict[str, Any]:
        """Return it as JSON values, column by column."""
        return {
            "systems": list(self.systems),
            "names": list(self.names),
            "documents": list(self.documents),
            "ofDocument": None if self.of_document is None else self.of_document.tolist(),
            "sources": None if self.sources is None else list(self.sources),
            "references": None if self.references is None else list(self.references),
            "outputs": None
            if self.outputs is None
            else {name: list(texts) for name, texts in self.outputs.items()},
            "languages": list(self.languages),
            "measures": [_measure_values(measure) for measure in self.measures],
            "leftOut": self.n_left_out,
        }

    def most_different(self, n: int) -> "Segments":
        """Return the `n` segments in which systems differ most by the first metric, in order."""
        if n >= len(self.names):
            return self
        table = np.stack([*self.measures[0].scores.values()])
        known = np.where(np.isnan(table), np.nanmean(table) if table.size else 0.0, table)
        spread = known.max(axis=0) - known.min(axis=0)
        kept = np.sort(np.argsort(-spread, kind="stable")[:n])
        left_out = self.n_left_out + len(self.names) - n
        return _taken(self, kept, n_left_out=left_out)


def _taken(whole: Segments, kept: IntArray, *, n_left_out: int) -> Segments:
    rows = kept.tolist()

    def cut(texts: Sequence[str] | None) -> tuple[str, ...] | None:
        return None if texts is None else tuple(texts[i] for i in rows)

    return Segments(
        systems=whole.systems,
        names=tuple(whole.names[i] for i in rows),
        measures=tuple(
            Measure(
                label=one.label,
                digits=one.digits,
                lower_is_better=one.lower_is_better,
                scores={name: scores[kept] for name, scores in one.scores.items()},
                by_document=one.by_document,
            )
            for one in whole.measures
        ),
        documents=whole.documents,
        of_document=None if whole.of_document is None else whole.of_document[kept],
        sources=cut(whole.sources),
        references=cut(whole.references),
        outputs=None
        if whole.outputs is None
        else {name: cut(texts) or () for name, texts in whole.outputs.items()},
        languages=whole.languages,
        n_left_out=n_left_out,
    )


def compared_segments(
    data: Corpus | Scores, metrics: tuple[Any, ...], result: Comparison, *, languages: str = ""
) -> Segments:
    """Return the segments that a comparison is about.

    Parameters
    ----------
    metrics : tuple of Metric
        Those of the comparison, in its order.
    languages : str
        Source and target, as in ``en-de``; empty where they are not known.
    """
    table = data if isinstance(data, Corpus) else data.complete()
    found = measure(table, metrics, unit="segment", progress=silent)
    runs = {row.system: row.median_run for row in reversed(result.systems)}
    picked = [_runs(sample, runs) for sample in found.segments]
    documents = found.documents
    by_document = (
        [sample.by_document(documents[0]) for sample in picked] if documents else picked
    )
    measures = tuple(
        Measure(
            label=result.label(sample.metric.name),
            digits=result.digits(sample.metric.name),
            lower_is_better=sample.metric.higher_is_better is False,
            scores=_scored(sample),
            by_document=_scored(grouped) if documents else {},
        )
        for sample, grouped in zip(picked, by_document, strict=True)
    )
    tags = languages.split("-")
    made: dict[str, Any] = {
        "systems": found.systems,
        "measures": measures,
        "documents": documents[1] if documents else (),
        "of_document": documents[0] if documents else None,
        "languages": tuple(tags) if len(tags) == _TAG_PARTS else ("", ""),
    }
    if isinstance(table, Scores):
        return Segments(**made, names=table.items, sources=_questions(table))
    return Segments(
        **made,
        names=tuple(str(row + 1) for row in range(table.n_segments)),
        sources=table.sources,
        references=tuple(
            next((text for text in row if text is not None), "")
            for row in zip(*table.references, strict=True)
        ),
        outputs={name: table.output(name, runs[name]) for name in table.systems},
    )


def ranked_segments(scores: SegmentScores, *, digits: int = 1) -> Segments:
    """Return the items that a ranking is about, each with the mean of its judgments."""
    raw = {name: scores.raw[:, s] for s, name in enumerate(scores.systems)}
    document = scores.document
    by_document = {}
    if document is not None:
        codes, n = document.codes, document.n_levels
        for name, values in raw.items():
            known = ~np.isnan(values)
            sums = np.bincount(codes[known], values[known], minlength=n)
            sizes = np.bincount(codes[known], minlength=n)
            by_document[name] = np.where(sizes > 0, sums, np.nan) / np.maximum(sizes, 1)
    mean = Measure(
        label="mean score",
        digits=digits,
        lower_is_better=False,
        scores=raw,
        by_document=by_document,
    )
    return Segments(
        systems=scores.systems,
        names=scores.items,
        measures=(mean,),
        documents=() if document is None else document.levels,
        of_document=None if document is None else document.codes,
    )


def _runs(sample: Sample, runs: Mapping[str, int]) -> Sample:
    """Return the sample with the run of each system that is read."""
    kept = []
    for s, name in enumerate(sample.systems):
        table = sample.of(s)
        kept.append(table[min(runs[name], len(table) - 1)])
    return Sample(
        sample.metric,
        sample.systems,
        (1,) * len(kept),
        np.stack(kept).astype(np.float64),
    )


def _scored(sample: Sample) -> dict[str, FloatArray]:
    return {
        name: np.asarray(sample.metric.score(sample.statistics[s]), dtype=np.float64)
        for s, name in enumerate(sample.systems)
    }


def _questions(scores: Scores) -> Sequence[str] | None:
    """Return the questions behind items where a log holds their text, and not only a hash."""
    known = scores.questions
    return known if known is not None and any(" " in text for text in known) else None


def _measure_values(measure: Measure) -> dict[str, Any]:
    return {
        "label": measure.label,
        "digits": measure.digits,
        "lower": measure.lower_is_better,
        "scores": {name: _numbers(values) for name, values in measure.scores.items()},
        "byDocument": {name: _numbers(values) for name, values in measure.by_document.items()},
    }


def _numbers(values: FloatArray) -> list[float | None]:
    return [
        None if not np.isfinite(value) else float(f"{value:.{_DIGITS}g}")
        for value in values.tolist()
    ]
