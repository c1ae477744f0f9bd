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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from detectable.core.errors import DetectableWarning
from detectable.data.human.read_judgments import read_judgments
from detectable.planning.ask import power
from detectable.planning.rank_sum import RankSum
from detectable.study.ranking.item_scores import read_segment_scores
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
from replications.graham2020.hassan2018 import replicate
from replications.listed import Compared, Number

ROUNDED = 1e-6  # means are written with six decimals
JUDGED = ("cs", "is", "ja", "ru")


def main(folder: Path, release: Path | None = None) -> list[str]:
    """Print every table and return what does not match."""
    return [row.problem for row in compared(folder, release) if row.problem]


def compared(folder: Path, release: Path | None = None) -> list[Compared]:
    """Print every table, and return each number beside the official one or the paper's."""
    expected = tomllib.loads((Path(__file__).parent / "expected.toml").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DetectableWarning)
        rows = _clusters(folder, expected["campaign"])
        rows += _power(expected["power"])
        _judgments(folder)
        rows += replicate(folder, release, expected)
    return rows


def _clusters(folder: Path, expected: list[dict[str, Any]]) -> list[Compared]:
    """Compare official clusters with ours, and show what other rules make of the data."""
    print("Clusters (sizes, best first), and pairs told apart")
    print(
        f"{'campaign':12} {'official':16} {'all pairs':16} {'pairs':>9}  default: clusters, pairs"
    )
    rows: list[Compared] = []
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
        rows += _campaign(row, official, strict, found)
    return rows


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


def _campaign(
    row: dict[str, Any], official: Ranking, strict: list[list[str]], found: int
) -> Iterator[Compared]:
    """Yield the numbers of one campaign beside the official ones."""
    campaign, names = row["name"], [name for name, *_ in row["systems"]]
    ours = {system.system: system for system in official.systems}
    if [system.system for system in official.systems] != names:
        yield Compared(f"{campaign}, order", None, "other", problem=f"{campaign}: order differ")
    for name, z, n, total in row["systems"]:
        what = f"{campaign}, {name}"
        yield _number(f"{what}, mean z", ours[name].mean_z, z, ROUNDED)
        yield _number(f"{what}, n", ours[name].n, n, 0.0)
        yield _number(f"{what}, N", ours[name].N, total, 0.0)
    yield _number(f"{campaign}, significant pairs", found, row["significant"], 0.0)
    groups = [list(group) for group in official.clusters]
    for place, (first, last) in enumerate(row["clusters"], start=1):
        fits = names[first - 1 : last] in groups
        what = f"{campaign}, cluster {place}"
        official_ranks = f"ranks {first} to {last}"
        shown = official_ranks if fits else _sizes(groups)
        problem = "" if fits else f"{what} differs"
        yield Compared(what, official_ranks, shown, 0.0, fits, problem=problem)
    same = strict == [names[a - 1 : b] for a, b in row["clusters_all_pairs"]]
    what = f"{campaign}, clusters by all pairs"
    yield Compared(what, None, _sizes(strict), problem="" if same else f"{what} differ")


def _number(name: str, ours: float, stated: float, tolerance: float) -> Compared:
    """Return a number beside the one it must be."""
    fits = abs(ours - stated) <= tolerance
    problem = "" if fits else f"{name}: {ours:.6g}, stated {stated}"
    return Compared(name, stated, Number(ours), tolerance, fits, problem=problem)


def _sizes(groups: Any) -> str:
    return "+".join(str(len(group)) for group in groups)


def _power(expected: list[dict[str, Any]]) -> list[Compared]:
    """Print the power of the rank-sum test, and check it against the paper's numbers."""
    sizes = (55, 100, 200, 385, 500, 1000, 1500, 2000)
    print("\nPower of the rank-sum test, two-sided .05, n segments per system (rows: P(A < B))")
    print("      " + "".join(f"{n:>7}" for n in sizes))
    for effect in (0.40, 0.42, 0.44, 0.45, 0.46, 0.47, 0.48, 0.49):
        values = [power(RankSum(), n_items=n, effect=effect, drawn=0).power for n in sizes]
        print(f"{effect:.2f}  " + "".join(f"{value:7.3f}" for value in values))
    rows = []
    for row in expected:
        found = power(RankSum(), n_items=row["n"], effect=row["effect"], drawn=0).power
        what = f"power, n = {row['n']}, P(A < B) = {row['effect']}"
        if row.get("at_least"):
            fits = found >= row["paper"]
            problem = "" if fits else f"{what}: {found:.3f}, below {row['paper']}"
            least = f"at least {row['paper']}"
            made = Compared(what, least, Number(found), 0.0, fits, problem=problem)
        else:
            made = _number(what, found, row["paper"], row["tolerance"])
        print(made.line())
        rows.append(made)
    return rows


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
