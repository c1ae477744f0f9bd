"""A leaderboard: 34 systems, 561 pairs, 805 items, the whole command against scipy pair by pair."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from scipy import stats

from benchmarks.timing import HEADER, cpu, line
from detectable.cli import main as command

SYSTEMS, ITEMS, RESAMPLES = 34, 805, 9_999
_TIMED = 3  # pairs that scipy is timed on; all pairs cost it the same
SEED = 1


def scores() -> dict[str, np.ndarray]:
    """Return scores of systems that lie a fiftieth of a standard deviation apart."""
    rng = np.random.default_rng(SEED)
    hard = rng.normal(size=ITEMS)
    return {f"s{k:02}": 0.02 * k + hard + rng.normal(size=ITEMS) for k in range(SYSTEMS)}


def write(folder: Path, table: dict[str, np.ndarray]) -> Path:
    """Write the scores as a table with one row per system and item."""
    path = folder / "scores.csv"
    rows = ["system,item,score"]
    rows += [f"{name},{i},{x:.6f}" for name, own in table.items() for i, x in enumerate(own)]
    path.write_text("\n".join(rows) + "\n")
    return path


def by_scipy(a: np.ndarray, b: np.ndarray) -> float:
    """Return the p-value of one pair by scipy's vectorised permutation test of samples."""
    found = stats.permutation_test(
        (a - b,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        random_state=SEED,
    )
    return float(found.pvalue)


def by_command(path: Path) -> str:
    """Run ``detectable compare`` on all pairs: p, max-T, simultaneous intervals, MDE, leverage."""
    answer = CliRunner().invoke(
        command, ["compare", "--scores", str(path), "--seed", str(SEED), "--json"]
    )
    if answer.exit_code != 0:
        raise RuntimeError(answer.output)
    return answer.output


def main() -> None:
    table = scores()
    names = list(table)
    pairs = list(itertools.combinations(names, 2))
    print(f"\nleaderboard: {SYSTEMS} systems, {len(pairs)} pairs, {ITEMS} items, whole command")
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), table)
        by_command(path)  # imports
        ours, _ = cpu(lambda: by_command(path))
    one, _ = cpu(lambda: [by_scipy(table[a], table[b]) for a, b in pairs[:_TIMED]])
    peer = one / _TIMED * len(pairs)
    print(line(f"scipy permutation_test, {RESAMPLES}", peer, ours, note="scipy: p-values only"))


if __name__ == "__main__":
    main()
