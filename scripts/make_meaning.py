"""Fit the shipped curves of `detectable meaning`: python scripts/make_meaning.py PAIRS SYSTEMS.

PAIRS is a table of pairs of systems of ShipData (Kocmi et al. 2021), SYSTEMS one of the systems of
WMT21 with z scores. Both stay outside the repository; what is written is a table of numbers.
"""

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import detectable
from detectable.study.archive.agreement_curve import (
    ArchivePairs,
    fit_curve,
    noise_free,
    resampled,
    slope_spread,
)

TABLE = Path(detectable.__file__).parent / "study" / "archive" / "meaning.tsv"
METRICS = {"bleu": 1.0, "chrf": 1.0, "ter": -1.0}
GRID = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
RESAMPLES, ROUNDS, SEED = 1000, 40, 9
HEADER = """\
# How often people agreed with a metric difference of some size; made by scripts/make_meaning.py.
# ShipData rows: derived from ShipData (Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita and
# Menezes, 2021, "To ship or not to ship", WMT), licensed CC BY-SA 4.0
# (https://creativecommons.org/licenses/by-sa/4.0/). This table is under the same licence; changes: pairs
# of systems were reduced to the curves below. WMT21 rows: from the human scores of the WMT21 news task.
# metric, archive, then: size PAIRS CAMPAIGNS ACCURACY LIMIT | slope MEAN SD LANGUAGE-PAIRS |
# knot DIFFERENCE AGREEMENT | point DIFFERENCE LOW HIGH [WITHOUT-NOISE]
"""


def shipdata_pairs(path: str, metric: str) -> ArchivePairs:
    """Return the pairs of ShipData, with the variance of the human difference."""
    table = pl.read_parquet(path).filter(pl.col(metric).is_not_null())
    two_way = table["var_segments"] + table["var_raters"] - table["var_cells"]
    least = np.maximum(table["var_segments"].to_numpy(), 0.01)
    direction = (table["source"] + "-" + table["target"]).to_numpy()
    return ArchivePairs.of(
        METRICS[metric] * table[metric].to_numpy(),
        table["human_difference"].to_numpy(),
        table["campaign"].to_numpy(),
        variance=np.maximum(two_way.to_numpy(), least),
        language_pair=np.unique(direction, return_inverse=True)[1],
    )


def wmt_pairs(path: str, metric: str, limit: float) -> ArchivePairs:
    """Return the pairs of WMT21, by z scores."""
    differences, human, campaign = [], [], []
    for code, (_, rows) in enumerate(
        pl.read_parquet(path).group_by("language_pair", maintain_order=True)
    ):
        values, scores = rows[metric].to_numpy(), rows["human_z"].to_numpy()
        for i, j in itertools.combinations(range(len(values)), 2):
            differences.append(values[i] - values[j])
            human.append(scores[i] - scores[j])
            campaign.append(code)
    return ArchivePairs.of(
        np.array(differences), np.array(human), np.array(campaign), limit=limit
    )


def lines(pairs: ArchivePairs, parts: int) -> Iterator[str]:
    """Give the rows of one metric and archive."""
    fit = fit_curve(pairs.size, pairs.agrees, parts=parts)
    yield (
        f"size\t{pairs.size.size}\t{pairs.n_campaigns}\t{pairs.agrees.mean():.4f}\t"
        f"{pairs.limit:.4f}"
    )
    spread = slope_spread(pairs, fit)
    if spread is not None:
        yield f"slope\t{spread.mean:.3f}\t{spread.sd:.3f}\t{spread.n}"
    for knot, share in zip(fit.knots, fit.at(fit.knots), strict=True):
        yield f"knot\t{knot:.4f}\t{share:.4f}"
    grid = np.array([x for x in GRID if x < pairs.limit] + [pairs.limit])
    rng = np.random.default_rng(SEED)
    drawn = resampled(pairs, grid, rng, n_resamples=RESAMPLES, parts=parts)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    free = None
    if pairs.variance is not None:
        free = noise_free(pairs, grid, np.random.default_rng(SEED), rounds=ROUNDS)
    for k, x in enumerate(grid):
        more = "" if free is None else f"\t{free[k]:.4f}"
        yield f"point\t{x:.4f}\t{low[k]:.4f}\t{high[k]:.4f}{more}"


def main(pairs: str, systems: str) -> None:
    """Write the table."""
    rows = []
    for metric in METRICS:
        own = shipdata_pairs(pairs, metric)
        rows += [f"{metric}\tShipData\t{line}" for line in lines(own, 7)]
        if metric != "ter":  # WMT21 has no TER
            other = wmt_pairs(systems, metric, own.limit)
            rows += [f"{metric}\tWMT21\t{line}" for line in lines(other, 4)]
    TABLE.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
