"""Where the gain of pairing comes from: means instead of ranks, pairs, and whose opinion it is.

``python -m replications.wei2022.like_for_like FOLDER`` prints the numbers; FOLDER holds
``shipdata_hist.npz`` and ``shipdata_judgments.parquet``. The mixed models take seven minutes.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import ndtr, stdtr

from detectable.core.types import FloatArray, IntArray
from detectable.data.human.cells import Matched
from detectable.data.human.judgments import Judgments
from detectable.kernels.pairing import moments
from detectable.mixed.fit import fit_mixed
from replications.listed import Number
from replications.wei2022.archive import CRITICAL, ShipData, load
from replications.wei2022.paired import judgments

RANK_POWER = 0.4512  # of the fixed Mann-Whitney test of 1,200 judgments (`expected.toml`)


def unpaired(data: ShipData) -> dict[str, Number]:
    """Return what Welch's t test decides, and how many judgments equal 1,200 with ranks.

    Its power is the normal approximation, averaged over comparisons: judgments are drawn with
    replacement, half for each system.
    """
    scores = data.scores()
    first, second = scores.first, np.asarray(scores.second)
    (mean, variance), (other, spread) = (moments(h, scores.values) for h in (first, second))
    difference = np.abs(mean - other)
    a, b = variance / first.sum(axis=1), spread / second.sum(axis=1)
    df = (a + b) ** 2 / (a**2 / (first.sum(axis=1) - 1) + b**2 / (second.sum(axis=1) - 1))
    significant = 2.0 * stdtr(df, -difference / np.sqrt(a + b)) < 0.05

    def power(n: float) -> float:
        z = difference / np.sqrt((variance + spread) / (n / 2.0))
        return float((ndtr(z - CRITICAL) + ndtr(-z - CRITICAL)).mean())

    return {
        "unpaired t, significant": Number(int(significant.sum())),
        "unpaired t, 1200, power": Number(power(1200.0)),
        "unpaired t, needs for the power of 1200 with ranks": Number(
            float(brentq(lambda n: power(n) - RANK_POWER, 100.0, 3000.0))
        ),
    }


def two_way(matched: Matched) -> dict[str, Number]:
    """Return what a paired test decides with texts and raters both as clusters.

    The variance is by text plus by rater less by cell (Cameron, Gelbach and Miller 2011), with
    one degree of freedom less than there are raters; or at least that by text and that by rater.
    """
    found = np.zeros((matched.n_pairs, 2), dtype=bool)
    difference = matched.score_first - matched.score_second
    for pair in range(matched.n_pairs):
        own = slice(matched.starts[pair], matched.starts[pair + 1])
        values = difference[own]
        if values.size < 2:
            continue
        mean, n = values.mean(), values.size
        rater = np.asarray(matched.rater)[own]
        text, raters = _clustered(matched.item[own], values), _clustered(rater, values)
        cell = _clustered(np.arange(n), values)
        df = float(np.unique(rater).size - 1)
        for way, variance in enumerate(
            (text + raters - cell, max(text, raters, text + raters - cell))
        ):
            # Without any variance left, all signs agree.
            p = 2.0**-df if variance <= 0.0 else 2.0 * stdtr(df, -abs(mean) / variance**0.5)
            found[pair, way] = p < 0.05 and mean != 0.0
    plain, held = found.sum(axis=0).tolist()
    return {
        "two-way clusters, significant": Number(plain),
        "two-way clusters, never below one way, significant": Number(held),
    }


def _clustered(code: IntArray, values: FloatArray) -> float:
    """Return the variance of the mean with clusters."""
    _, place = np.unique(code, return_inverse=True)
    sums = np.bincount(place, values - values.mean())
    n = sums.size
    return float((sums**2).sum() / values.size**2 * n / (n - 1)) if n > 1 else np.nan


def mixed(folder: Path, *, every: int = 1) -> dict[str, Number]:
    """Return what a mixed model of each pair decides, texts and raters both random."""
    table = pl.read_parquet(
        folder / "shipdata_judgments.parquet",
        columns=["campaign", "system", "segment", "user", "score"],
    )
    significant = tested = 0
    campaigns = [rows for _, rows in table.group_by("campaign", maintain_order=True)]
    for rows in campaigns[::every]:
        for pair in combinations(sorted(rows["system"].unique().to_list()), 2):
            own = (
                rows.filter(pl.col("system").is_in(pair))
                .group_by("system", "segment", "user")
                .agg(pl.col("score").mean().cast(pl.Float64))
            )
            columns = {
                "system": own["system"].cast(pl.String),
                "item": own["segment"],
                "rater": own["user"],
                "score": own["score"],
            }
            significant += fit_mixed(Judgments.build(columns)).contrasts[0].p_value < 0.05
            tested += 1
    return {
        "mixed model, comparisons": Number(tested),
        "mixed model, significant": Number(significant),
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    place = Path(sys.argv[1])
    numbers = unpaired(load(place)) | two_way(judgments(place).cells().matched()) | mixed(place)
    for key, (value, _) in numbers.items():
        print(f"{key:52} {value:10.5g}")
