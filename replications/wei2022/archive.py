"""ShipData as an archive of comparisons: all pairs of systems within each campaign.

The data are Microsoft's (github.com/MicrosoftTranslator/ToShipOrNotToShip, CC BY-SA 4.0). FOLDER
holds two extracts: ``shipdata_hist.npz`` with a histogram of the scores 0 to 100 of every system
in every campaign, and ``shipdata_judgments.parquet`` with one row per judgment.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from detectable.core.types import FloatArray, IntArray
from detectable.data.human.score_histograms import read_score_histograms
from detectable.kernels.pairing import moments
from detectable.study.archive.comparison_archive import ComparisonArchive

SCORES = np.arange(101.0)
CRITICAL = 1.959963984540054  # two-sided .05


@dataclass(frozen=True)
class ShipData:
    """The histograms of all systems, and which of them are compared."""

    histograms: IntArray  # one row per system in a campaign
    campaign: IntArray
    system: IntArray
    first: IntArray  # rows of the histograms that make up each comparison
    second: IntArray
    languages: NDArray[np.str_]  # of each comparison

    def scores(self) -> ComparisonArchive:
        """Return the comparisons as pairs of histograms."""
        return ComparisonArchive.from_histograms(
            SCORES, self.histograms[self.first], self.histograms[self.second]
        )


def load(folder: Path) -> ShipData:
    """Read the histograms; compare every system with every other of its campaign."""
    stored = read_score_histograms(folder / "shipdata_hist.npz")
    first, second = stored.pairs()
    campaign, system = (
        np.array([int(name) for name in column.labels()])
        for column in (stored.campaign, stored.system)
    )
    languages = np.array([] if stored.language is None else stored.language.labels())
    return ShipData(stored.counts, campaign, system, first, second, languages[first])


def paired(folder: Path, data: ShipData) -> ComparisonArchive:
    """Return the differences of judgments of the same segment by the same rater.

    A rater who saw the same output twice counts with the mean of both. That makes half points,
    and in 28 of 2.2 million differences other fractions, which are rounded to half points.
    """
    judgments = pl.read_parquet(
        folder / "shipdata_judgments.parquet",
        columns=["campaign", "system", "segment", "user", "score"],
    )
    place = pl.DataFrame(
        {
            "campaign": data.campaign.astype(np.int16),
            "system": data.system.astype(np.int16),
            "row": np.arange(data.campaign.size),
        }
    )
    keys = ["campaign", "segment", "user"]
    means = (
        judgments.group_by("system", *keys)
        .agg(pl.col("score").mean())
        .join(place, on=["campaign", "system"])
    )
    joined = means.join(means, on=keys, suffix="_b").filter(pl.col("row") < pl.col("row_b"))
    comparison = np.full((data.campaign.size, data.campaign.size), -1, np.int32)
    comparison[data.first, data.second] = np.arange(data.first.size)
    which = comparison[joined["row"].to_numpy(), joined["row_b"].to_numpy()].astype(np.int64)
    halves = np.rint(2.0 * (joined["score"] - joined["score_b"]).to_numpy()).astype(np.int64)
    cells = which * 401 + halves + 200
    counts = np.bincount(cells, minlength=data.first.size * 401).reshape(-1, 401)
    return ComparisonArchive.from_difference_histograms(np.arange(-200, 201) / 2.0, counts)


def without_noise(pairs: ComparisonArchive) -> FloatArray:
    r"""Return the factors by which to shrink the differences so that their squares are right.

    Chance adds its variance to the square of a difference, on average:
    :math:`E[\bar d^2] = \delta^2 + s^2 / n`. So :math:`f^2 = 1 - s^2 / (n \bar d^2)`, or 0.
    """
    mean, variance = moments(pairs.first, pairs.values)
    noise = variance / pairs.first.sum(axis=1)
    signal = np.square(mean) - noise
    factors: FloatArray = np.sqrt(
        np.divide(signal, np.square(mean), out=np.zeros_like(mean), where=signal > 0.0)
    )
    return factors
