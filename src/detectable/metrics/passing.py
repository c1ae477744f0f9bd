r"""pass@k and pass^k: a question is passed if one of k answers is right, or if all k are.

Of m sampled answers to a question c are right. Over all choices of k of them,

.. math::

    \text{pass@}k = 1 - \binom{m - c}{k} \Big/ \binom{m}{k}, \qquad
    \text{pass\^{}}k = \binom{c}{k} \Big/ \binom{m}{k},

both unbiased [1]_ [2]_; :math:`1 - (1 - c/m)^k` and :math:`(c/m)^k` are not. There is no unbiased
estimate where k > m, and none is made.

References
----------
.. [1] Chen et al. (2021), "Evaluating large language models trained on code", arXiv:2107.03374.
.. [2] Yao et al. (2024), "τ-bench", arXiv:2406.12045.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from detectable.core import check
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray, Progress, silent
from detectable.core.wording import count
from detectable.data.scores.scores import Scores
from detectable.metrics.mean import Mean, check_right_or_wrong


def all_of(right: IntArray, answers: IntArray, k: int) -> FloatArray:
    r"""Return :math:`\binom{c}{k} / \binom{m}{k}` of every question.

    Examples
    --------
    >>> all_of(np.array([8, 2]), np.array([10, 10]), 3).round(6).tolist()
    [0.466667, 0.0]
    """
    chance = np.ones(right.shape)
    for drawn in range(k):
        chance *= np.maximum(right - drawn, 0.0) / (answers - drawn)
    return chance


@dataclass(frozen=True, slots=True)
class PassAll(Mean):
    """The chance that all of k sampled answers are right, averaged over questions."""

    limits: ClassVar[tuple[float, float] | None] = (0.0, 1.0)
    answers: ClassVar[Literal["share", "chance"] | None] = "chance"
    symbol: ClassVar[str] = "^"
    k: int = 1

    def __post_init__(self) -> None:
        check.positive_int(self.k, "k")

    @property
    def name(self) -> str:  # type: ignore[override]  # of other metrics it is that of the class
        """``pass^3``, say."""
        return f"pass{self.symbol}{self.k}"

    def statistics(self, scores: Scores, *, progress: Progress = silent) -> FloatArray:
        """Return (chance, 1) of every item of every system, or of every run."""
        progress(self.name, 0, 1)
        check_right_or_wrong(scores, self.name)
        rows = [
            self._chance(system, right, answers, scores)
            for system, table in scores.systems.items()
            for right, answers in self._counts(table, scores)
        ]
        progress(self.name, 1, 1)
        values = np.stack(rows)
        return np.stack([values, np.ones_like(values)], axis=-1)

    @staticmethod
    def _counts(table: FloatArray, scores: Scores) -> list[tuple[IntArray, IntArray]]:
        known = ~np.isnan(table)
        right = np.where(known, table, 0.0)
        if scores.repeats == "samples":
            return [(right.sum(axis=0).astype(np.int64), known.sum(axis=0))]
        return [
            (row.astype(np.int64), one.astype(np.int64))
            for row, one in zip(right, known, strict=True)
        ]

    def _chance(
        self, system: str, right: IntArray, answers: IntArray, scores: Scores
    ) -> FloatArray:
        few = np.flatnonzero(answers < self.k)
        if few.size:
            least = int(answers.min())
            of_all = "" if few.size == answers.size else f" ({count(few.size, 'such item')})"
            raise DataError(
                f"{self.name} needs {self.k} samples of every item; system {system!r}, item "
                f"{scores.items[few[0]]!r} has {answers[few[0]]}{of_all}. Nothing is "
                f"extrapolated: take at most pass{self.symbol}{max(least, 1)}."
            )
        return self._of(right, answers)

    def _of(self, right: IntArray, answers: IntArray) -> FloatArray:
        return all_of(right, answers, self.k)

    def signature(self) -> str:
        """Return the settings."""
        return f"aggregation:mean|k:{self.k}|unbiased"


@dataclass(frozen=True, slots=True)
class PassAny(PassAll):
    """The chance that at least one of k sampled answers is right, averaged over questions."""

    symbol: ClassVar[str] = "@"

    def _of(self, right: IntArray, answers: IntArray) -> FloatArray:
        return 1.0 - all_of(answers - right, answers, self.k)
