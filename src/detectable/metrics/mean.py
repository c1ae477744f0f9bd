"""Means of given segment scores, and the share of correct answers."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from detectable.core.errors import DataError
from detectable.core.progress import Progress, silent
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.metrics.base import ScoreMetric


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
