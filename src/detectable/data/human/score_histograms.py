"""How often each system of each campaign got each score: judgments without items and raters."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreHistograms:
    """One row per system of a campaign. Read them with `read_score_histograms`.

    Attributes
    ----------
    values : array
        The scores, rising.
    counts : array of shape (rows, values)
        How often each was given.
    campaign, system : Factor
        What each row is about.
    language : Factor or None
        Its language pair, where known.
    path : str
        The file, for messages.
    """

    values: FloatArray
    counts: IntArray = field(repr=False)
    campaign: Factor
    system: Factor
    language: Factor | None = None
    path: str = ""

    @property
    def n_judgments(self) -> int:
        """The number of judgments."""
        return int(self.counts.sum())

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the rows of all pairs of systems within a campaign, campaign by campaign."""
        order = np.argsort(self.campaign.codes, kind="stable")
        ends = np.flatnonzero(np.diff(self.campaign.codes[order])) + 1
        found = [pair for rows in np.split(order, ends) for pair in combinations(rows, 2)]
        if not found:
            raise DataError(
                f"{self.path or 'the histograms'}: no campaign has two systems to compare."
            )
        first, second = np.array(found, dtype=np.int64).T
        return first, second
