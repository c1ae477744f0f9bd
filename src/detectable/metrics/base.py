"""What a metric is: additive statistics per segment, and a score of their sums.

Because the score depends on the segments only through sums, every bootstrap resample,
randomization shuffle, document subset and influence value is a matrix product over one array.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores

_ROWS = 1 << 16  # segments whose statistics are made doubles at a time


class Metric(ABC):
    r"""Base of all metrics. Subclasses are frozen dataclasses whose fields are their settings.

    A metric is a map :math:`S_i \in R^k` of segments and a function :math:`g` with
    corpus score :math:`g(\sum_i S_i)`.
    """

    name: ClassVar[str]
    printed: ClassVar[str] = ""  # in sentences and tables; nothing: as its name
    higher_is_better: ClassVar[bool | None]  # None: the number describes, it does not judge
    digits: ClassVar[int] = 2  # decimals that make sense to print
    limits: ClassVar[tuple[float, float] | None] = (
        None  # lowest and highest score, where there are
    )
    # Of right and wrong answers: the share of right ones, or the chance of k answers.
    answers: ClassVar[Literal["share", "chance"] | None] = None

    @property
    def span(self) -> float | None:
        """The largest difference of two scores; None where there is none."""
        return None if self.limits is None else self.limits[1] - self.limits[0]

    @abstractmethod
    def score(self, sums: FloatArray) -> FloatArray:
        """Return the corpus score of sums of statistics, over any leading axes."""

    @abstractmethod
    def signature(self) -> str:
        """Return the settings in sacreBLEU's notation, ``key:value|key:value``."""

    def gradient(self, sums: FloatArray) -> FloatArray:
        """Return the derivative of the score at vectors of sums, by central differences.

        Over any leading axes, as `score`.

        The relative step balances truncation against rounding (error about 1e-10). A sum of
        zero means that no segment contributes to that statistic, so its derivative is never
        used and is set to zero.
        """
        step = np.where(sums == 0.0, 1.0, 1e-5 * np.abs(sums))
        # No score of less than nothing: where a sum is zero, it stays.
        shifts = np.eye(sums.shape[-1]) * np.where(sums == 0.0, 0.0, step)[..., None, :]
        at = sums[..., None, :]
        slopes = (self.score(at + shifts) - self.score(at - shifts)) / (2.0 * step)
        return np.where(sums == 0.0, 0.0, slopes)

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return how much each unit weighs in the score, over the last axis; any common factor.

        The words of its references, say. It decides how much the spread of a heavy unit is
        underestimated (`inference.standard_errors`). By default all units weigh alike.
        """
        return np.ones(statistics.shape[:-1])

    def centred(self, statistics: FloatArray) -> FloatArray:
        """Return statistics with the same differences between systems, and less to cancel.

        Shape (systems, units, k). By default they stay as they are: counts are exact.
        """
        return statistics

    def influence(self, statistics: FloatArray) -> FloatArray:
        r"""Return the influence value of each segment on the corpus score.

        :math:`\psi_i = \nabla g(\sum_j S_j) \cdot S_i`, centred. The sum of their squares
        estimates the sampling variance of the score (Huber's infinitesimal jackknife).
        """
        slopes = self.gradient(statistics.sum(axis=0, dtype=np.float64))
        if statistics.dtype == np.float64:
            values = statistics @ slopes
        else:  # small integers of a large corpus, which would not fit as doubles
            values = np.empty(len(statistics))
            for start in range(0, len(values), _ROWS):
                part = statistics[start : start + _ROWS]
                values[start : start + _ROWS] = part.astype(np.float64) @ slopes
        # Zero already when g is homogeneous of degree 0, as a ratio is; smoothing breaks that.
        centred: FloatArray = values - values.mean()
        return centred

    def describe(self) -> dict[str, Any]:
        """Return name, direction, decimals and signature, for reports."""
        return {
            "metric": self.name,
            "higher_is_better": self.higher_is_better,
            "digits": self.digits,
            "signature": self.signature(),
        }


class TextMetric(Metric):
    """A metric of system outputs against references.

    Attributes
    ----------
    by_segment : bool
        Whether the statistics of a segment come from its own lines alone, so that a large corpus
        can be taken block by block (`metrics.encode`). Otherwise its lines are held.
    given : bool
        Whether its scores were computed elsewhere, so that their direction needs a word.
    of_labels : bool
        Whether its lines are labels and no texts, so that many are the same.
    """

    by_segment: ClassVar[bool] = False
    given: ClassVar[bool] = False
    of_labels: ClassVar[bool] = False

    @abstractmethod
    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return an array of shape (outputs, segments, k), outputs as in `corpus.outputs`."""


class ScoreMetric(Metric):
    """A metric of segment scores that were computed elsewhere."""

    @abstractmethod
    def statistics(self, scores: "Scores", *, progress: Progress = silent) -> FloatArray:
        """Return an array of shape (outputs, items, k), outputs as in `scores.outputs`."""
