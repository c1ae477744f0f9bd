"""From texts or score tables to the samples that are tested."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.progress import Progress
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import visible
from detectable.data.texts.corpus import Corpus
from detectable.inference.sample import Sample
from detectable.metrics.base import Metric, ScoreMetric, TextMetric
from detectable.metrics.in_blocks import statistics_in_blocks
from detectable.metrics.registry import USUAL
from detectable.metrics.registry import metric as named_metric
from detectable.study.comparison.pair import PairComparison

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.inference.sampled_answers import SampledAnswers
    from detectable.study.comparison.strata import Strata, StratifiedUnits

_FEWEST = 2  # units: one says nothing about another


@dataclass(frozen=True, slots=True)
class Measured:
    """One sample per metric, by segment for reading and by unit for testing.

    Attributes
    ----------
    n_samples, answers
        With several samples of an item: how many of every system and segment, and what they say
        about each system.
    item_word : {'segment', 'item'}
        What a segment is called: so it is of texts, an item of scores.
    tasks : StratifiedUnits or None
        Where there are several; then statistics are multiplied by the weight of their segment.
    """

    segments: tuple[Sample, ...]
    units: tuple[Sample, ...]
    unit: Literal["segment", "document"]
    documents: tuple[IntArray, tuple[str, ...]] | None
    n_samples: IntArray | None = None
    answers: "tuple[SampledAnswers, ...]" = ()
    tasks: "StratifiedUnits | None" = None
    item_word: Literal["segment", "item"] = "segment"

    @property
    def unit_word(self) -> str:
        """What the data call the unit."""
        return self.item_word if self.unit == "segment" else self.unit

    def without_copies(self) -> "tuple[Measured, tuple[str, ...]]":
        """Count the runs of a system once where they are all the same, and say so.

        A system without any randomness, run three times, is one run: it says nothing about how
        much other runs would differ.
        """
        copied = [
            s
            for s, n in enumerate(self.segments[0].runs)
            if n > 1 and all((x.of(s) == x.of(s)[:1]).all() for x in self.segments)
        ]
        if not copied:
            return self, ()
        notes = tuple(
            f"The {self.segments[0].runs[s]} runs of {self.systems[s]} are equal: counted once."
            for s in copied
        )
        segments = tuple(sample.first_runs(copied) for sample in self.segments)
        units = tuple(sample.first_runs(copied) for sample in self.units)
        return replace(self, segments=segments, units=units), notes

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return self.segments[0].systems


def choose_metrics(
    data: "Corpus | Scores",
    metrics: "Sequence[str | Metric | Scores] | str | Metric | None",
    lower_is_better: Sequence[str] = (),
) -> tuple[Metric, ...]:
    """Return metric objects, with a default that suits the data, and check that they fit."""
    if lower_is_better:
        from detectable.study.comparison.direction import check_lower

        check_lower(data, metrics, lower_is_better)
    if metrics is None:
        metrics = USUAL if isinstance(data, Corpus) else _default(data, lower_is_better)
    if isinstance(metrics, str | Metric):
        metrics = (metrics,)
    chosen = tuple(_metric(data, m, lower_is_better) for m in metrics)
    if not chosen:
        raise InputError("`metrics` must name at least one metric; got none.")
    wanted = TextMetric if isinstance(data, Corpus) else ScoreMetric
    for metric in chosen:
        if not isinstance(metric, wanted):
            kinds = ("texts", "segment scores")
            has, needs = kinds if isinstance(data, Corpus) else kinds[::-1]
            raise InputError(f"metric {metric.name!r} needs {needs}, but the data hold {has}.")
    names = [metric.name for metric in chosen]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"metric {name!r} is given twice. Compare its settings in two calls."
            )
    return chosen


def _default(data: "Scores", lower_is_better: Sequence[str]) -> str:
    from detectable.study.comparison.direction import default_metric

    return default_metric(data, lower_is_better)


def _metric(
    data: "Corpus | Scores", metric: "str | Metric | Scores", lower_is_better: Sequence[str]
) -> Metric:
    if not isinstance(metric, str | Metric):
        if not isinstance(data, Corpus):
            raise InputError(
                "`metrics` may hold given scores only beside texts; the data are scores already. "
                "Compare them in two calls."
            )
        from detectable.study.comparison.direction import given_metric

        return given_metric(metric, lower_is_better)
    return named_metric(metric) if isinstance(metric, str) else metric


def describe_metrics(
    data: "Corpus | Scores",
    metrics: tuple[Metric, ...],
    rows: Iterable[PairComparison] = (),
) -> tuple[dict[str, Any], ...]:
    """Return name, label and settings of each metric; given scores are labelled by what they are.

    Scores on a tiny scale get more decimals, so that differences of `rows` that lie above their
    noise are not printed as 0.
    """
    given = None if isinstance(data, Corpus) else data.metric
    noise: dict[str, float] = {}
    for row in rows:
        error = row.standard_error if math.isfinite(row.standard_error) else 0.0
        noise[row.metric] = max(noise.get(row.metric, 0.0), error)
    found = []
    for m in metrics:
        about = m.describe()
        digits = visible(noise.get(m.name, 0.0), int(about["digits"]))
        found.append({**about, "digits": digits, "label": given or m.printed or m.name})
    return tuple(found)


def measure(
    data: "Corpus | Scores",
    metrics: tuple[Metric, ...],
    *,
    unit: Literal["auto", "segment", "document"],
    progress: Progress,
    compact: bool = False,
    strata: "Strata | None" = None,
) -> Measured:
    """Compute the statistics of every metric and group them by the unit of the test.

    `compact` allows small integers for the whole numbers of a large corpus; see `Sample`. With
    `strata` no unit lies in two tasks, and scores are weighted means over tasks.
    """
    systems = tuple(data.systems)
    runs = tuple(data.n_runs(name) for name in systems)
    segments = tuple(
        Sample(metric, systems, runs, _statistics(data, metric, progress, compact=compact))
        for metric in metrics
    )
    if strata is not None:
        segments = tuple(_weighted(sample, strata) for sample in segments)
    word: Literal["segment", "item"] = "segment" if isinstance(data, Corpus) else "item"
    documents = _documents(data)
    if unit == "document" and documents is None:
        raise InputError(f"`unit='document'` needs the document of each {word}; none is given.")
    if segments[0].n_units < _FEWEST:
        raise InputError(
            f"`data` must hold at least two {word}s that every system was scored on; got "
            f"{segments[0].n_units}. One {word} says nothing about another."
        )
    n_samples, answers = _samples(data, documents)
    if documents is None or unit == "segment":
        tasks = None if strata is None else strata.units(strata.of_segment)
        return Measured(
            segments, segments, "segment", documents, n_samples, answers, tasks, word
        )
    if len(documents[1]) < _FEWEST:
        raise InputError(
            f"there must be at least two documents; all {word}s belong to "
            f"{documents[1][0]!r}, which says nothing about other documents. Use `unit='segment'` "
            f"if its {word}s are independent, which they rarely are."
        )
    tasks, units = None, documents[0]
    if strata is not None:
        both = np.stack([strata.of_segment, documents[0]])
        (of_unit, document), units = np.unique(both, axis=1, return_inverse=True)
        units = units.ravel()
        crossed = np.unique(document).size < document.size
        tasks = strata.units(of_unit, document if crossed else None)
    by_document = tuple(sample.by_document(units) for sample in segments)
    return Measured(
        segments, by_document, "document", documents, n_samples, answers, tasks, word
    )


def _weighted(sample: Sample, strata: "Strata") -> Sample:
    """Return the sample with the statistics of every segment times its weight."""
    from detectable.metrics.mean import Mean

    if not isinstance(sample.metric, Mean):
        raise InputError(
            f"metric {sample.metric.name!r} is no mean of items, so tasks have no weighted mean of "
            "it. Use `tasks='pooled'`, or compare the tasks one by one."
        )
    weights = strata.segment_weights()[:, np.newaxis]
    return Sample(sample.metric, sample.systems, sample.runs, sample.statistics * weights)


def _samples(
    data: "Corpus | Scores", documents: tuple[IntArray, tuple[str, ...]] | None
) -> "tuple[IntArray | None, tuple[SampledAnswers, ...]]":
    if isinstance(data, Corpus) or data.repeats == "runs":
        return None, ()
    from detectable.inference.sampled_answers import sampled_answers

    clusters = None if documents is None else documents[0]
    counts = np.stack([data.n_samples(name) for name in data.systems])
    return counts, tuple(sampled_answers(one, clusters) for one in data.systems.values())


def _statistics(
    data: "Corpus | Scores", metric: Metric, progress: Progress, *, compact: bool
) -> NDArray[Any]:
    # `choose_metrics` has checked that each metric takes this kind of data.
    if isinstance(data, Corpus) and isinstance(metric, TextMetric):
        return statistics_in_blocks(metric, data, compact=compact, progress=progress)
    found: FloatArray = metric.statistics(data, progress=progress)  # type: ignore[attr-defined]
    if len(found) != len(data.outputs):
        raise InputError(
            f"metric {metric.name!r} does not know samples of an item: it gave {len(found)} "
            f"outputs for {len(data.outputs)} systems. Average the samples first."
        )
    return found


def _documents(data: "Corpus | Scores") -> tuple[IntArray, tuple[str, ...]] | None:
    if data.documents is None:
        return None
    position = {label: i for i, label in enumerate(dict.fromkeys(data.documents))}
    n = len(data.documents)
    index = np.fromiter(map(position.__getitem__, data.documents), np.int64, n)
    return index, tuple(position)
