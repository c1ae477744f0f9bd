"""Segment scores computed elsewhere, as one more metric of texts."""

from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError
from detectable.core.progress import Progress, silent
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric
from detectable.metrics.mean import Mean

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
