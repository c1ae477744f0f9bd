"""Means of given segment scores, the share of correct answers, and scores computed elsewhere."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, Progress, silent
from detectable.core.wording import count, listing
from detectable.data.scores.scored_texts import check_scored_texts
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import ScoreMetric, TextMetric


@dataclass(frozen=True, slots=True)
class Mean(ScoreMetric):
    """The mean of segment scores; an item without a score counts in neither sum nor size.

    Items weigh the same, however many samples they have: the score of an item is their mean.
    """

    name: ClassVar[str] = "mean"
    higher_is_better: ClassVar[bool | None] = True
    digits: ClassVar[int] = 4

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        """Return (score, 1) of every item, (0, 0) where the score is missing."""
        progress(self.name, 0, 1)
        values = np.concatenate(list(scores.averaged().systems.values()))
        known = ~np.isnan(values)
        progress(self.name, 1, 1)
        return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the number of scores."""
        return statistics[..., 1]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the sum of scores over the number of scores; nan where there is none."""
        total, size = sums[..., 0], sums[..., 1]
        ratio: FloatArray = np.where(size > 0, total, np.nan) / np.where(size > 0, size, 1.0)
        return ratio

    def centred(self, statistics: FloatArray) -> FloatArray:
        """Take from every score what the systems share, which cancels in any swap.

        Where no score is missing that is the first system's score of the unit: what is left are
        differences. Otherwise swaps change the numbers of scores too, and only one constant, a
        score in the middle, may go.
        """
        total, size = statistics[..., 0], statistics[..., 1]
        if (size == size[0]).all():
            shared = total[0]
        else:
            scores = np.sort((total / np.where(size > 0, size, 1.0))[size > 0])
            shared = size * (scores[scores.size // 2] if scores.size else 0.0)
        return np.stack([total - shared, size], axis=-1)

    def signature(self) -> str:
        """Return the settings."""
        return "aggregation:mean"


@dataclass(frozen=True, slots=True)
class MeanError(Mean):
    """The mean of segment scores where lower is better (MetricX, error counts)."""

    name: ClassVar[str] = "mean-error"
    higher_is_better: ClassVar[bool | None] = False


@dataclass(frozen=True, slots=True)
class Accuracy(Mean):
    """The share of correct answers, from 0 to 1, of scores that are 0 or 1.

    A difference of .015 is what people call 1.5 points.
    """

    name: ClassVar[str] = "accuracy"
    limits: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    answers: ClassVar[Literal["share", "chance"] | None] = "share"

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        """Return (correct, 1) of every item."""
        check_right_or_wrong(scores, self.name)
        return super(Accuracy, self).statistics(scores, progress=progress)

    def signature(self) -> str:
        """Return the settings."""
        return "aggregation:share-correct"


def check_right_or_wrong(scores: Scores, metric: str) -> None:
    """Refuse scores other than 0 and 1 where a metric counts right answers."""
    for system, table in scores.systems.items():
        wrong = np.argwhere(~np.isnan(table) & (table != 0) & (table != 1))
        if wrong.size:
            run, item = wrong[0]
            raise DataError(
                f"{metric} needs scores of 0 or 1; system {system!r}, item "
                f"{scores.items[item]!r} has {table[run, item]:g}. Use the metric 'mean'."
            )


# --- One of several scores that the same items have ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresBy(Mean):
    """The mean of one of several given scores of the same items: latency beside accuracy, say.

    Attributes
    ----------
    name : str
        What the numbers measure.
    scores : Scores
        Theirs, of the same systems and runs.
    higher_is_better : bool
        Which way they go.
    limits, answers
        Of answers that are right or wrong, as `Accuracy` has them.

    Examples
    --------
    >>> first = Scores.build({"A": [1, 0]}, items=["q1", "q2"])
    >>> other = Scores.build({"A": [0.75, 0.25]}, items=["q2", "q1"])
    >>> ScoresBy(name="f1", scores=other).statistics(first)[0, :, 0].tolist()
    [0.25, 0.75]
    """

    name: str  # type: ignore[misc]  # of other metrics it is that of the class
    scores: Scores = field(repr=False, compare=False)
    higher_is_better: bool = True  # type: ignore[misc]
    limits: tuple[float, float] | None = None  # type: ignore[misc]
    answers: Literal["share", "chance"] | None = None  # type: ignore[misc]

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        """Return (score, 1) of every item, in the order of the data."""
        position = {item: i for i, item in enumerate(self.scores.items)}
        own = self.scores.take([position[item] for item in scores.items])
        systems = {name: own.systems[name] for name in scores.systems}
        return super(ScoresBy, self).statistics(
            replace(own, systems=systems), progress=progress
        )

    def signature(self) -> str:
        """Return the settings."""
        return "aggregation:share-correct" if self.answers else "aggregation:mean"


# --- Segment scores computed elsewhere, as one more metric of texts ---

_MEAN = Mean()


@dataclass(frozen=True, slots=True)
class GivenScore(TextMetric):
    """The mean of given scores of the same systems and segments as the texts.

    Attributes
    ----------
    name : str
        What the numbers measure.
    scores : Scores
        A score of every segment of every run, in the order of the texts.
    higher_is_better : bool
        Which way they go.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["a b", "c"]}, ["a b", "d"])
    >>> GivenScore("comet", Scores.build({"A": [0.75, 0.25]})).statistics(corpus)[0].tolist()
    [[0.75, 1.0], [0.25, 1.0]]
    """

    name: str  # type: ignore[misc]  # of other metrics it is that of the class
    scores: Scores = field(repr=False, compare=False)
    higher_is_better: bool = True  # type: ignore[misc]
    digits = 4
    given = True

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return (score, 1) of every segment of every output, in the order of the texts."""
        progress(self.name, 0, 1)
        self._check(corpus)
        values = np.concatenate([self.scores.systems[name] for name in corpus.systems])
        progress(self.name, 1, 1)
        return np.stack([values, np.ones_like(values)], axis=-1)

    def _check(self, corpus: Corpus) -> None:
        missing = [name for name in corpus.systems if name not in self.scores.systems]
        if missing:
            raise DataError(
                f"scores {self.name!r}: there is no system {missing[0]!r}, of which there are "
                f"texts. Found: {listing(list(self.scores.systems), most=20)}."
            )
        if not self.scores.are_numbered:
            raise DataError(
                f"scores {self.name!r}: items have names (first: {self.scores.items[0]!r}), so that "
                "they cannot be matched with the lines of the texts. Number them from 1, in order."
            )
        if self.scores.n_items != corpus.n_segments:
            raise DataError(
                f"scores {self.name!r}: {count(self.scores.n_items, 'score')} for "
                f"{count(corpus.n_segments, 'segment')} of the texts. Score the same segments, in "
                "the same order."
            )
        if self.scores.repeats == "samples":
            raise DataError(
                f"scores {self.name!r}: they hold several samples of an item, texts one output of a "
                "run. Compare the samples by themselves, or average them first."
            )
        for name in corpus.systems:
            table = self.scores.systems[name]
            if len(table) != corpus.n_runs(name):
                raise DataError(
                    f"scores {self.name!r}: system {name!r} has {count(len(table), 'run')}, its "
                    f"texts have {corpus.n_runs(name)}. Score every run."
                )
            gaps = np.argwhere(np.isnan(table))
            if gaps.size:
                raise DataError(
                    f"scores {self.name!r}: system {name!r} has no score for item "
                    f"{self.scores.items[gaps[0][1]]!r} ({count(len(gaps), 'gap')} in all). Beside "
                    "metrics of texts every segment needs one."
                )
        if self.scores.texts is not None:
            check_scored_texts(self.scores.texts, corpus, self.name)

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the number of scores."""
        return _MEAN.sizes(statistics)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean."""
        return _MEAN.score(sums)

    def centred(self, statistics: FloatArray) -> FloatArray:
        """Take from every score what the systems share, as `Mean` does."""
        return _MEAN.centred(statistics)

    def signature(self) -> str:
        """Return the settings."""
        return "given|aggregation:mean"
