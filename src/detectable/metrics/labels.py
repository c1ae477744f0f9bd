r"""F1 and Matthews' correlation, of lines that are labels: an answer each, against the right one.

Both follow from counts that add up over items, so that swaps, resamples and influence values work on
them as on BLEU. With :math:`p_k` items given label k, :math:`t_k` items of that label and
:math:`h_k` of both,

.. math::

    F_{1,k} = \frac{2 h_k}{p_k + t_k}, \qquad
    R_K = \frac{n \sum_k h_k - \sum_k p_k t_k}
               {\sqrt{(n^2 - \sum_k p_k^2)(n^2 - \sum_k t_k^2)}},

where :math:`R_K` is Gorodkin's correlation of K categories [1]_, for two labels that of Matthews [2]_.

References
----------
.. [1] Gorodkin (2004), "Comparing two K-category assignments by a K-category correlation
   coefficient", Computational Biology and Chemistry 28, 367–374.
.. [2] Matthews (1975), "Comparison of the predicted and observed secondary structure of T4 phage
   lysozyme", Biochimica et Biophysica Acta 405, 442–451.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import F1Average, words
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, Progress, silent
from detectable.core.wording import count, listing
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import output_blocks

_MOST = 200  # labels; more are texts
# Pairs of labels of which one is usually what is looked for.
_POSITIVE = (
    ("0", "1"),
    ("no", "yes"),
    ("false", "true"),
    ("negative", "positive"),
    ("-1", "1"),
)


class _LabelMetric(TextMetric):
    """What metrics of labels share: (n, right of each label, given, true of each label)."""

    __slots__ = ()
    digits: ClassVar[int] = 4
    of_labels: ClassVar[bool] = True

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return for every output and segment 1, and one-hot counts: both, given, true."""
        truth = _truth(corpus, self.name)
        given = {line.strip() for output in corpus.outputs for line in corpus.output(*output)}
        labels = sorted({*truth, *given})
        if len(labels) > _MOST:
            raise DataError(
                f"{self.name} needs labels, one a line; found {len(labels):,} different lines, such "
                f"as {labels[0]!r}. At most {_MOST} are labels: compare texts by metrics of texts."
            )
        chosen = self._chosen(labels)
        place = {label: k for k, label in enumerate(labels)}
        true = np.eye(len(labels))[[place[line] for line in truth]]
        table = np.empty((len(corpus.outputs), len(truth), 1 + 3 * len(chosen)))
        table[..., 0] = 1.0
        for rows, lines in output_blocks(corpus, self.name, progress):
            codes = np.array([place[line.strip()] for line in lines])
            said = np.eye(len(labels))[codes].reshape(-1, len(truth), len(labels))
            parts = np.stack([said * true, said, np.broadcast_to(true, said.shape)], axis=-1)
            table[rows, :, 1:] = parts[..., chosen, :].reshape(*said.shape[:2], -1)
        return table

    def _chosen(self, labels: list[str]) -> list[int]:
        """Return the places of the labels that are counted."""
        return list(range(len(labels)))

    @staticmethod
    def _counts(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return both, given and true of each label, over the last axis."""
        parts = sums[..., 1:].reshape(*sums.shape[:-1], -1, 3)
        return parts[..., 0], parts[..., 1], parts[..., 2]


@dataclass(frozen=True, slots=True)
class F1(_LabelMetric):
    """F1 of one label, or the mean over all labels.

    Parameters
    ----------
    average : {'positive', 'macro'}
        F1 of the positive label, or the unweighted mean over all labels that occur.
    positive : str
        The label that is looked for; by default 1, yes, true or positive of two labels.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["1", "1", "0", "0"]}, ["1", "0", "0", "1"])
    >>> float(F1().score(F1().statistics(corpus)[0].sum(axis=0)))
    0.5
    """

    average: F1Average = "positive"
    positive: str = ""

    name: ClassVar[str] = "f1"
    printed: ClassVar[str] = "F1"
    higher_is_better: ClassVar[bool | None] = True
    limits: ClassVar[tuple[float, float] | None] = (0.0, 1.0)

    def __post_init__(self) -> None:
        check.one_of(self.average, words(F1Average), "average")
        if self.average == "macro" and self.positive:
            raise DataError(
                "f1: with average=macro no label is the positive one. Drop positive."
            )

    def _chosen(self, labels: list[str]) -> list[int]:
        if self.average == "macro":
            return list(range(len(labels)))
        if self.positive:
            if self.positive not in labels:
                raise DataError(
                    f"f1: no line holds the positive label {self.positive!r}. Found: "
                    f"{listing(labels, most=10)}."
                )
            return [labels.index(self.positive)]
        lower = [label.casefold() for label in labels]
        known = next(
            (two for two in _POSITIVE if set(lower) <= set(two) and two[1] in lower), None
        )
        if known is None:
            raise DataError(
                f"f1 needs the label that is looked for; found {listing(labels, most=10)}. Say it: "
                "--metric f1:positive=LABEL, or take the mean over all: f1:average=macro."
            )
        return [lower.index(known[1])]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return F1; nan where no item has or is given a label that is counted."""
        both, given, true = self._counts(sums)
        size = given + true
        each = 2.0 * both / np.where(size > 0.0, size, 1.0)
        known = size > 0.0
        n = known.sum(axis=-1)
        mean: FloatArray = np.where(known, each, 0.0).sum(axis=-1) / np.maximum(n, 1)
        return np.where(n > 0, mean, np.nan)

    def signature(self) -> str:
        """Return the settings."""
        said = f"|positive:{self.positive}" if self.positive else ""
        return f"average:{self.average}{said}"


@dataclass(frozen=True, slots=True)
class Mcc(_LabelMetric):
    """Matthews' correlation of given and true labels; of more than two labels Gorodkin's.

    Where all items are given one label it is 0, the value of a guess.

    Examples
    --------
    >>> corpus = Corpus.build({"A": ["1", "1", "0", "0"]}, ["1", "0", "0", "1"])
    >>> float(Mcc().score(Mcc().statistics(corpus)[0].sum(axis=0)))
    0.0
    """

    name: ClassVar[str] = "mcc"
    printed: ClassVar[str] = "MCC"
    higher_is_better: ClassVar[bool | None] = True
    limits: ClassVar[tuple[float, float] | None] = (-1.0, 1.0)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the correlation; nan where all items have one true label."""
        n = sums[..., 0]
        both, given, true = self._counts(sums)
        above = n * both.sum(axis=-1) - (given * true).sum(axis=-1)
        spread = n * n - np.square(given).sum(axis=-1)
        truth = n * n - np.square(true).sum(axis=-1)
        below = np.sqrt(np.maximum(spread * truth, 0.0))
        found: FloatArray = np.where(below > 0.0, above, 0.0) / np.where(
            below > 0.0, below, 1.0
        )
        return np.where(truth > 0.0, found, np.nan)

    def signature(self) -> str:
        """Return the settings."""
        return "labels:all"


def _truth(corpus: Corpus, name: str) -> list[str]:
    if len(corpus.references) != 1:
        raise DataError(
            f"{name} needs one right label of each item; got {count(len(corpus.references), 'reference')}."
        )
    lines = list(corpus.references[0])
    missing = [i for i, line in enumerate(lines) if line is None]
    if missing:
        raise DataError(f"{name} needs a label of every item; line {missing[0] + 1} has none.")
    return [str(line).strip() for line in lines]
