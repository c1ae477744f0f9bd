"""WMT's human rankings, their power, and translationese: ``replicate FOLDER [RELEASE]``.

Run it as python -m replications.graham2020.replicate.

FOLDER holds ``wmt21_22_toen_segscores.parquet``, the official segment scores of eight campaigns
(columns campaign, system, sid, raw, z, N), and ``wmt21_XXen_da.parquet``, the judgments of four of
them (columns worker, hit, system_id, type, sid, raw); see README.md. RELEASE is the folder of the
judgments of Hassan et al. (2018), for those who have it; the variable DETECTABLE_HASSAN2018 serves
as well. What needs it is skipped otherwise, and said so.
"""

import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

from detectable.core.errors import DetectableWarning
from detectable.data.human.read_judgments import read_judgments
from detectable.planning.ask import power
from detectable.planning.rank_sum import RankSum
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from detectable.study.ranking.segment_scores import read_segment_scores
from replications.graham2020.hassan2018 import replicate

ROUNDED = 1e-6  # means are written with six decimals
JUDGED = ("cs", "is", "ja", "ru")


def main(folder: Path, release: Path | None = None) -> list[str]:
    """Print every table and return what does not match."""
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        problems = _clusters(folder, expected["campaign"])
        problems += _power(expected["power"])
        _judgments(folder)
        problems += replicate(folder, release, expected)
    return problems


def _clusters(folder: Path, expected: list[dict[str, Any]]) -> list[str]:
    """Compare official clusters with ours, and show what other rules make of the data."""
    print("Clusters (sizes, best first), and pairs told apart")
    print(
        f"{'campaign':12} {'official':16} {'all pairs':16} {'pairs':>9}  default: clusters, pairs"
    )
    problems = []
    for row in expected:
        path = folder / "wmt21_22_toen_segscores.parquet"
        scores = read_segment_scores(path, campaign=row["name"])
        official = rank_systems(scores, preset="wmt21")
        strict = _all_pairs(official)
        ours = rank_systems(scores, rng=2020)
        found = sum(pair.verdict == "better" for pair in official.pairs)
        print(
            f"{row['name']:12} {_sizes(official.clusters):16} {_sizes(strict):16} "
            f"{found:4}/{len(official.pairs):<4}  {_sizes(ours.clusters)}, {ours.n_significant}"
        )
        problems += _differences(row, official, strict, found)
    return problems


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


def _differences(
    row: dict[str, Any], official: Ranking, strict: list[list[str]], found: int
) -> list[str]:
    names = [name for name, *_ in row["systems"]]
    checks = {
        "order": [system.system for system in official.systems] == names,
        "clusters": _same(official.clusters, row["clusters"], names),
        "clusters by all pairs": _same(strict, row["clusters_all_pairs"], names),
        "significant pairs": found == row["significant"],
        "n and N": [(s.n, s.N) for s in official.systems]
        == [(n, total) for _, _, n, total in row["systems"]],
        "mean z": all(
            abs(s.mean_z - z) <= ROUNDED
            for s, (_, z, _, _) in zip(official.systems, row["systems"], strict=True)
        ),
    }
    return [f"{row['name']}: {name} differ" for name, fine in checks.items() if not fine]


def _same(groups: Any, bounds: list[list[int]], names: list[str]) -> bool:
    return [list(group) for group in groups] == [names[a - 1 : b] for a, b in bounds]


def _sizes(groups: Any) -> str:
    return "+".join(str(len(group)) for group in groups)


def _power(expected: list[dict[str, Any]]) -> list[str]:
    """Print the power of the rank-sum test, and check it against the paper's numbers."""
    sizes = (55, 100, 200, 385, 500, 1000, 1500, 2000)
    print("\nPower of the rank-sum test, two-sided .05, n segments per system (rows: P(A < B))")
    print("      " + "".join(f"{n:>7}" for n in sizes))
    for effect in (0.40, 0.42, 0.44, 0.45, 0.46, 0.47, 0.48, 0.49):
        values = [power(RankSum(), n_items=n, effect=effect).power for n in sizes]
        print(f"{effect:.2f}  " + "".join(f"{value:7.3f}" for value in values))
    problems = []
    for row in expected:
        found = power(RankSum(), n_items=row["n"], effect=row["effect"]).power
        if row.get("at_least"):
            fits = found >= row["paper"]
        else:
            fits = abs(found - row["paper"]) <= row["tolerance"]
        said = f"n = {row['n']}, effect {row['effect']}: ours {found:.3f}, paper {row['paper']}"
        print(f"{said}  {'ok' if fits else 'DIFFERS'}")
        problems += [] if fits else [said]
    return problems


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
