"""WMT's human rankings, their power, and translationese: ``replicate FOLDER [RELEASE]``.

Run it as python -m replications.graham2020.replicate.

FOLDER holds ``wmt21_22_toen_segscores.parquet``, the official segment scores of eight campaigns
(columns campaign, system, sid, raw, z, N), and ``wmt21_XXen_da.parquet``, the judgments of four of
them (columns worker, hit, system_id, type, sid, raw); see README.md. RELEASE is the folder of the
judgments of Hassan et al. (2018), for those who have it; the variable DETECTABLE_HASSAN2018 serves
as well. What needs it is skipped otherwise, and said so.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

from detectable.core.errors import DetectableWarning
from detectable.data.human.read_judgments import read_judgments
from detectable.planning.ask import power
from detectable.planning.rank_sum import RankSum
from detectable.study.ranking.item_scores import read_segment_scores
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from replications import listed
from replications.graham2020 import hassan2018
from replications.listed import Compared, Number

LIST = hassan2018.LIST
CAMPAIGNS = LIST.with_name("campaigns.toml")
RANKED = (
    *("wmt21.cs-en", "wmt21.de-en", "wmt21.is-en", "wmt21.ja-en", "wmt21.ru-en"),
    *("wmt22.cs-en", "wmt22.ja-en", "wmt22.zh-en"),
)
STEP, INFERRED = 55, 0.44  # the paper says neither how 385 was found nor for which effect
JUDGED = ("cs", "is", "ja", "ru")


def main(folder: Path, release: Path | None = None) -> list[str]:
    """Print every table and return what does not match."""
    return [row.problem for row in compared(folder, release) if row.problem]


def compared(folder: Path, release: Path | None = None) -> list[Compared]:
    """Print every table, and return each number beside the official one or the paper's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        rows = listed.compared(CAMPAIGNS, _clusters(folder))
        powers = _powers()
        _judgments(folder)
        replicated = hassan2018.replicate(folder, release, hassan2018.expected())
    found = powers | replicated.numbers
    rows += listed.compared(LIST, found, missing={"the release": replicated.missing})
    return rows + replicated.rows


def _clusters(folder: Path) -> dict[str, Number | str]:
    """Rank the systems of each campaign by WMT's rule, and show what other rules make of the data."""
    print("Clusters (sizes, best first), and pairs told apart")
    print(
        f"{'campaign':12} {'official':16} {'all pairs':16} {'pairs':>9}  default: clusters, pairs"
    )
    found: dict[str, Number | str] = {}
    for campaign in RANKED:
        path = folder / "wmt21_22_toen_segscores.parquet"
        scores = read_segment_scores(path, campaign=campaign)
        official = rank_systems(scores, preset="wmt21")
        strict = _all_pairs(official)
        ours = rank_systems(scores, rng=2020)
        better = sum(pair.verdict == "better" for pair in official.pairs)
        print(
            f"{campaign:12} {_sizes(official.clusters):16} {_sizes(strict):16} "
            f"{better:4}/{len(official.pairs):<4}  {_sizes(ours.clusters)}, {ours.n_significant}"
        )
        found |= _campaign(campaign, official)
        found[f"{campaign}, significant pairs"] = Number(better)
        found[f"{campaign}, clusters by all pairs"] = _sizes(strict)
    return found


def _all_pairs(official: Ranking) -> list[list[str]]:
    """Draw a line only where every system above beats every system below."""
    names = [row.system for row in official.systems]
    wins = {(pair.better, pair.worse) for pair in official.pairs if pair.verdict == "better"}
    groups: list[list[str]] = [[]]
    for i, name in enumerate(names):
        if i and all((a, b) in wins for a in names[:i] for b in names[i:]):
            groups.append([])
        groups[-1].append(name)
    return groups


def _campaign(campaign: str, official: Ranking) -> dict[str, Number | str]:
    """Return mean z, n and N of every system, and the clusters as ranks of their ends."""
    found: dict[str, Number | str] = {}
    for row in official.systems:
        name = f"{campaign}, {row.system}"
        found[f"{name}, mean z"] = Number(row.mean_z)
        found[f"{name}, n"] = Number(row.n)
        found[f"{name}, N"] = Number(row.N)
    # Ranks stand for names: the order is that of the mean z above.
    first = 1
    for place, group in enumerate(official.clusters, start=1):
        last = first + len(group) - 1
        found[f"{campaign}, cluster {place}"] = f"ranks {first} to {last}"
        first = last + 1
    return found


def _sizes(groups: Any) -> str:
    return "+".join(str(len(group)) for group in groups)


def _powers() -> dict[str, Number | str]:
    """Print the power of the rank-sum test, and return what the paper says of it."""
    sizes = (55, 100, 200, 385, 500, 1000, 1500, 2000)
    print("\nPower of the rank-sum test, two-sided .05, n segments per system (rows: P(A < B))")
    print("      " + "".join(f"{n:>7}" for n in sizes))
    for effect in (0.40, 0.42, 0.44, 0.45, 0.46, 0.47, 0.48, 0.49):
        values = [_power(n, effect) for n in sizes]
        print(f"{effect:.2f}  " + "".join(f"{value:7.3f}" for value in values))
    enough = next(n for n in range(STEP, 100 * STEP, STEP) if _power(n, INFERRED) >= 0.8)
    return {
        "power, n = 1500, P(A < B) = .47": Number(_power(1500, 0.47)),
        "power, n = 55, P(A < B) = .47": Number(_power(55, 0.47)),
        "least n with power .8, P(A < B) = .44, in steps of 55": Number(enough),
    }


def _power(n: int, effect: float) -> float:
    return power(RankSum(), n_items=n, effect=effect, drawn=0).power


def _judgments(folder: Path) -> None:
    """Show what counting judgments instead of segments does to the number of significant pairs."""
    print("\nSegments (n) against judgments (N): pairs with p ≤ .05, rank-sum on z, two-sided")
    for source in JUDGED:
        path = folder / f"wmt21_{source}en_da.parquet"
        data = read_judgments(path, format="wmt-da")
        options: dict[str, Any] = {"test": "rank-sum", "correction": "none", "standardise": "z"}
        by_item = rank_systems(data, unit="item", **options)
        by_judgment = rank_systems(data, level="judgment", **options)
        n, total = (sum(getattr(s, name) for s in by_item.systems) for name in ("n", "N"))
        print(
            f"WMT21 {source}-en: n = {n:,}, N = {total:,}: {by_item.n_significant} and "
            f"{by_judgment.n_significant} of {len(by_item.pairs)} pairs"
        )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(1 if main(*map(Path, sys.argv[1:])) else 0)
