"""From texts or score tables to the samples that are tested, with tasks as strata."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from detectable.contrasts.analysis import Pairs
from detectable.core import check
from detectable.core.choices import Tasks
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray, Progress
from detectable.core.wording import count, listing, visible
from detectable.data.texts.corpus import Corpus
from detectable.inference.randomization import SwapParts, swap_parts
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate, robust_variance
from detectable.metrics.base import Metric, ScoreMetric, TextMetric
from detectable.metrics.encode import statistics_in_blocks
from detectable.metrics.registry import USUAL
from detectable.metrics.registry import metric as named_metric
from detectable.metrics.sacrebleu import SacrebleuMetric
from detectable.study.comparison.result import PairComparison

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.inference.sampled_answers import SampledAnswers

_FEWEST = 2  # units: one says nothing about another


class Measured(NamedTuple):
    """One sample per metric, by segment for reading and by unit for testing.

    Attributes
    ----------
    n_samples, answers
        With several samples of an item: how many of every system and segment, and what they say
        about each system.
    item_word : {'segment', 'item'}
        What a segment is called: "segment" for texts, "item" for scores.
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

    @property
    def counted(self) -> tuple[bool, ...]:
        """Of every metric, whether it counts right answers to independent items, one each.

        These McNemar's exact test decides by counting: no swap needs to be drawn. Samples of an item
        that are all equal are one answer.
        """
        alone = (
            self.unit == "segment" and self.tasks is None and max(self.segments[0].runs) == 1
        )
        return tuple(
            alone
            and sample.metric.answers == "share"
            and (self.n_samples is None or _all_or_none(sample))
            for sample in self.segments
        )

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
        return self._replace(segments=segments, units=units), notes

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
        from detectable.study.comparison.given_scores import check_lower

        check_lower(data, metrics, lower_is_better)
    if metrics is None:
        metrics = USUAL if isinstance(data, Corpus) else _default(data, lower_is_better)
    if isinstance(metrics, str | Metric):
        metrics = (metrics,)
    chosen = tuple(_metric(m, lower_is_better) for m in metrics)
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


def with_further_scores(
    data: "Corpus | Scores", metrics: Any, lower_is_better: Sequence[str]
) -> "tuple[Corpus | Scores, Any, Sequence[str], tuple[str, ...]]":
    """Return texts as they are; scores as `several_scores` does."""
    if isinstance(data, Corpus):
        return data, metrics, lower_is_better, ()
    from detectable.study.comparison.given_scores import several_scores

    return several_scores(data, metrics, lower_is_better)


def _default(data: "Scores", lower_is_better: Sequence[str]) -> str:
    from detectable.study.comparison.given_scores import default_metric

    return default_metric(data, lower_is_better)


def _metric(metric: "str | Metric | Scores", lower_is_better: Sequence[str]) -> Metric:
    if not isinstance(metric, str | Metric):
        from detectable.study.comparison.given_scores import given_metric

        return given_metric(metric, lower_is_better)
    return named_metric(metric) if isinstance(metric, str) else metric


def describe_metrics(
    data: "Corpus | Scores",
    metrics: tuple[Metric, ...],
    rows: Iterable[PairComparison] = (),
) -> tuple[dict[str, Any], ...]:
    """Return name, label and settings of each metric; labels of given scores say what they are.

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
        label = _label(m, given, alone=len(metrics) == 1)
        named = {**about, "digits": digits, "label": label}
        if isinstance(data, Corpus) and isinstance(m, SacrebleuMetric):
            named["sacrebleu"] = m.sacrebleu_signature(data)
        found.append(named)
    return tuple(found)


# Means of the scores as they are: what such a column shows are the scores.
_PLAIN_MEANS = frozenset(("accuracy", "mean", "mean-error"))


def _label(metric: Metric, given: str | None, *, alone: bool) -> str:
    """Return what a table calls a metric: of given scores also their name, or only that.

    ``pass@2`` of the scorer “includes” is neither of the two; nor is the mean beside it.
    """
    own = metric.printed or metric.name
    if given is None or given == own:
        return own
    from detectable.metrics.mean import ScoresBy

    if isinstance(metric, ScoresBy):
        return own
    return given if alone and metric.name in _PLAIN_MEANS else f"{own} ({given})"


def _all_or_none(sample: Sample) -> bool:
    """Return whether every item is answered always right or always wrong."""
    systems = range(len(sample.systems))
    return all(np.isin(sample.of(s)[..., 0], (0.0, 1.0)).all() for s in systems)


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


# --- Tasks as strata: a difference in every task, and the weighted mean of them ---

FEWEST_RANDOM = (
    5  # tasks that may stand for others: with fewer, T − 1 degrees say next to nothing
)


class Strata(NamedTuple):
    """The tasks of a comparison.

    Attributes
    ----------
    names : tuple of str
        The tasks.
    of_segment : array of int
        The task of every segment.
    weights : array
        Of every task; they add up to 1.
    kind : {'fixed', 'random'}
        Whether the claim is about these tasks, or about others like them.
    """

    names: tuple[str, ...]
    of_segment: IntArray
    weights: FloatArray
    kind: Tasks = "fixed"

    def segment_weights(self) -> FloatArray:
        """Return by what the statistics of every segment are multiplied; their mean is 1."""
        sizes = np.bincount(self.of_segment)
        weights: FloatArray = (self.weights / sizes)[self.of_segment] * self.of_segment.size
        return weights

    def units(
        self, of_unit: IntArray, document_of_unit: IntArray | None = None
    ) -> "StratifiedUnits":
        """Return units of the test that lie in these tasks, and in these documents."""
        return StratifiedUnits(self, of_unit, document_of_unit)


def choose_strata(
    data: "Scores", tasks: Tasks, weights: str | Mapping[str, float]
) -> Strata | None:
    """Return the tasks of complete scores, or None where there is one or they are pooled."""
    names = data.task_names
    if tasks == "pooled" or len(names) < 2:
        if tasks == "random" or weights != "macro":
            option = "tasks='random'" if tasks == "random" else f"weights={weights!r}"
            why = "the items are taken together" if tasks == "pooled" else "the scores hold one"
            raise InputError(f"`{option}` needs several tasks, and {why}. Drop it.")
        return None
    position = {name: i for i, name in enumerate(names)}
    codes = np.array([position[name] for name in data.tasks or ()])
    if tasks == "random":
        if len(names) < FEWEST_RANDOM:
            raise InputError(
                f"`tasks='random'` takes the tasks for a sample of others like them, and needs at "
                f"least {FEWEST_RANDOM}; got {len(names)}. Use `tasks='fixed'`, a claim about "
                "these tasks."
            )
        if weights != "macro":
            raise InputError(
                f"`weights={weights!r}` does not go with `tasks='random'`: tasks of a sample "
                "weigh alike. Drop one of them."
            )
    return Strata(names, codes, _weights(names, codes, weights), tasks)


def _weights(
    names: tuple[str, ...], codes: IntArray, weights: str | Mapping[str, float]
) -> FloatArray:
    sizes = np.bincount(codes).astype(np.float64)
    if isinstance(weights, str):
        check.one_of(weights, ("macro", "items"), "weights")
        given = sizes if weights == "items" else np.ones(len(names))
        return normalised(given)
    for name in weights:
        check.one_of(name, names, "weights of task")
    lacking = [name for name in names if name not in weights]
    if lacking:
        raise InputError(
            f"`weights` must give a weight to every task; {listing(lacking)} has none. Leave the "
            "items of a task out that should not count."
        )
    return normalised(np.array([check.positive(weights[name], "weights") for name in names]))


def normalised(weights: FloatArray) -> FloatArray:
    """Return weights that add up to 1."""
    found: FloatArray = weights / weights.sum()
    return found


class StratifiedUnits(NamedTuple):
    """Units of the test, each of one task.

    Attributes
    ----------
    of_unit : array of int
        The task of every unit.
    document_of_unit : array of int or None
        Its document: one document may lie in several tasks, as a source text in several languages.
    """

    strata: Strata
    of_unit: IntArray
    document_of_unit: IntArray | None = None

    def check(self, unit: str) -> None:
        """Refuse a task of which no standard error can be had."""
        for name, n in zip(
            self.strata.names,
            np.bincount(self.of_unit, minlength=len(self.strata.names)),
            strict=True,
        ):
            if n < 2:
                raise InputError(
                    f"task {name!r} has {count(int(n), unit)}, from which no standard error "
                    "follows. Leave it out, or use `tasks='pooled'`."
                )

    def samples(self, sample: Sample) -> list[Sample]:
        """Return the units of every task by themselves."""
        return [
            Sample(sample.metric, sample.systems, sample.runs, sample.statistics[:, of])
            for of in (self.of_unit == t for t in range(len(self.strata.names)))
        ]

    def pair_parts(self, sample: Sample, pairs: Pairs) -> list[list[SwapParts]]:
        """Return what every unit adds to the difference of its task: [pair][task]."""
        by_task = [swap_parts(one, pairs) for one in self.samples(sample)]
        return [list(row) for row in zip(*by_task, strict=True)]

    def difference(self, parts: list[SwapParts]) -> Estimate:
        """Return the weighted mean of the differences of all tasks."""
        return self._combined([part.estimate() for part in parts], self._shared(parts))

    def score(self, sample: Sample, system: int) -> Estimate:
        """Return the weighted mean score of a system over tasks."""
        found = []
        for one in self.samples(sample):
            influence = one.influence(system).mean(axis=0)
            variance, df = robust_variance(influence, one.shares(system))
            found.append(Estimate(one.score(system), float(variance) ** 0.5, float(df)))
        return self._combined(found, 0.0)

    def _combined(self, estimates: list[Estimate], shared: float) -> Estimate:
        from detectable.inference.multiplicity import fixed_strata, random_strata

        if self.strata.kind == "random":
            return random_strata(np.array([one.value for one in estimates]))
        return fixed_strata(estimates, self.strata.weights, shared=shared)

    def _shared(self, parts: list[SwapParts]) -> float:
        """Return what documents of several tasks add to the variance."""
        if self.document_of_unit is None:
            return 0.0
        n = int(self.document_of_unit.max()) + 1
        alone, together = 0.0, np.zeros(n)
        for t, part in enumerate(parts):
            residuals = self.strata.weights[t] * (part.parts - part.shares * part.value)
            documents = self.document_of_unit[self.of_unit == t]
            own = np.bincount(documents, weights=residuals, minlength=n)
            alone += float(np.square(own).sum())
            together += own
        return float(np.square(together).sum()) - alone
