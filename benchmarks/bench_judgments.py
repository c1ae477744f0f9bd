"""Human judgments: an archive of campaigns, rank sums from counts, permutations of all pairs."""

import os
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from benchmarks.timing import HEADER, cpu, line, measured
from detectable.inference.sign_flips import paired_permutation
from detectable.kernels.pairing import rank_sum_z
from detectable.study.archive.campaign_pairs import CampaignPairs, campaign_pairs
from replications.wei2022.paired import judgments

SEED = 31
PEER_PAIRS = 100  # of 4,004; scaled up
PEER_PERMUTED = 10  # of 190; scaled up
SYSTEMS, ITEMS, DOCUMENTS, RESAMPLES = 20, 1300, 130, 10_000


def archive(folder: Path) -> CampaignPairs:
    """Read all judgments, match them and test all pairs."""
    return campaign_pairs(judgments(folder))


Name = tuple[str, frozenset[str]]


def archive_by_scipy(folder: Path, most: int) -> dict[Name, tuple[float, float]]:
    """Match by a polars join and test pair by pair; at most `most` pairs."""
    keys = ["campaign", "segment", "user"]
    frame = pl.read_parquet(folder / "shipdata_judgments.parquet")
    found: dict[Name, tuple[float, float]] = {}
    for (campaign,), part in frame.group_by("campaign", maintain_order=True):
        cells = part.group_by("system", *keys).agg(pl.col("score").mean())
        scores = {name: one for (name,), one in part.group_by("system", maintain_order=True)}
        for a, b in combinations(scores, 2):
            test = stats.mannwhitneyu(scores[a]["score"], scores[b]["score"])
            one, other = (cells.filter(pl.col("system") == s) for s in (a, b))
            both = one.join(other, on=keys)
            items = both.group_by("segment").agg(pl.col("score", "score_right").mean())
            paired = stats.ttest_rel(items["score"], items["score_right"])
            name = str(campaign), frozenset((str(a), str(b)))
            found[name] = float(test.pvalue), float(paired.pvalue)
            if len(found) == most:
                return found
    return found


def rank_sums_by_scipy(first: np.ndarray, second: np.ndarray) -> list[float]:
    """Test two samples at a time; the samples are written out before."""
    return [
        float(stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
        for a, b in zip(first, second, strict=True)
    ]


def scores() -> tuple[np.ndarray, np.ndarray]:
    """Return scores of 20 systems on 1,300 items and the document of each item."""
    rng = np.random.default_rng(SEED)
    documents = np.repeat(np.arange(DOCUMENTS), ITEMS // DOCUMENTS)
    ease = rng.normal(0, 10, DOCUMENTS)[documents, None] + rng.normal(0, 12, (ITEMS, 1))
    values = 70 + ease + np.linspace(0, 2, SYSTEMS) + rng.normal(0, 12, (ITEMS, SYSTEMS))
    return np.clip(values, 0, 100), documents


def permuted_by_scipy(table: np.ndarray, documents: np.ndarray, pairs: Any) -> list[float]:
    """Flip document sums pair by pair, in the batches that scipy makes."""
    sums = np.stack([np.bincount(documents, column) for column in table.T], axis=1)
    return [
        float(
            stats.permutation_test(
                (sums[:, i], sums[:, j]),
                lambda x, y, axis: np.sum(x - y, axis=axis),
                permutation_type="samples",
                n_resamples=RESAMPLES,
                vectorized=True,
                rng=SEED,
            ).pvalue
        )
        for i, j in pairs
    ]


def main() -> None:
    data = os.environ.get("DETECTABLE_REFERENCE_DATA")
    print("\nhuman judgments")
    print(HEADER)
    if data:
        _archive(Path(data) / "data" / "shipdata")
    else:
        print("DETECTABLE_REFERENCE_DATA is not set: no archive of campaigns to test")
    _permutations()


def _archive(folder: Path) -> None:
    archive(folder)  # compiles once per machine
    ours, result = cpu(lambda: archive(folder), repeats=2)
    reading, _ = cpu(lambda: archive_by_scipy(folder, 1))
    peer, found = cpu(lambda: archive_by_scipy(folder, PEER_PAIRS + 1))
    whole = reading + (peer - reading) / PEER_PAIRS * result.n_pairs
    names = [
        (campaign.split(":")[0], frozenset(pair))  # after the colon: the language pair
        for campaign, *pair in zip(result.campaign, result.first, result.second, strict=True)
    ]
    ours_p = np.stack([result.columns[f"p {name}"] for name in ("rank-sum", "paired")], axis=1)
    rows = [names.index(name) for name in found]
    np.testing.assert_allclose(np.array(list(found.values())), ours_p[rows], atol=1e-9)
    note = f"peer: {PEER_PAIRS} pairs, scaled to {result.n_pairs:,}"
    print(line("ShipData: read, pair, test", whole, ours, note=note, against="scipy"))
    read, table = cpu(lambda: judgments(folder))
    testing, _ = cpu(lambda: campaign_pairs(table))
    said = f"{table.n_judgments:,} judgments (asked: below 10 s together)"
    print(measured("ShipData: of it reading, testing", f"{read:.2f}, {testing:.2f} s", said))
    with np.load(folder / "shipdata_hist.npz") as stored:
        counts, campaign = stored["all"].astype(np.int64), stored["campaign"]
    rows = [np.flatnonzero(campaign == one) for one in np.unique(campaign)]
    first, second = np.array([pair for own in rows for pair in combinations(own, 2)]).T
    a, b = counts[first], counts[second]
    rank_sum_z(a[:1], b[:1])
    ours, z = cpu(lambda: rank_sum_z(a, b), repeats=5)
    values = np.arange(101)
    written = [[np.repeat(values, row) for row in side[:PEER_PAIRS]] for side in (a, b)]
    peer, p = cpu(lambda: rank_sums_by_scipy(*written))
    np.testing.assert_allclose(2 * stats.norm.sf(np.abs(z[:PEER_PAIRS])), p, atol=1e-12)
    whole = peer / PEER_PAIRS * z.size
    print(line("Mann-Whitney of real scores", whole, ours, 150, note, against="scipy"))


def _permutations() -> None:
    table, documents = scores()
    pairs = list(combinations(range(SYSTEMS), 2))
    i, j = np.array(pairs).T

    def ours_once() -> Any:
        return paired_permutation(
            table[:, i] - table[:, j], documents, n_resamples=RESAMPLES, rng=SEED
        )

    ours, result = cpu(ours_once, repeats=3)
    chosen = pairs[:: len(pairs) // PEER_PERMUTED]
    peer, p = cpu(lambda: permuted_by_scipy(table, documents, chosen))
    mine = result.p_values[[pairs.index(pair) for pair in chosen]]
    error = np.sqrt(np.maximum(mine * (1 - mine), 1e-4) * 2 / RESAMPLES)
    assert (np.abs(mine - p) < 5 * error).all()
    whole = peer / len(chosen) * len(pairs)
    note = f"peer: {len(chosen)} pairs, scaled to {len(pairs)}"
    print(
        line(
            f"{RESAMPLES:,} document permutations",
            whole,
            ours,
            note=note,
            against="scipy",
        )
    )


if __name__ == "__main__":
    main()
