"""A leaderboard: all pairs of many systems, from scores against scipy, and from texts."""

import itertools
import random
import tempfile
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from scipy import stats

from benchmarks.timing import HEADER, cpu, line, measured
from benchmarks.whole_command import whole_command
from detectable.cli import main as command

SYSTEMS, ITEMS, RESAMPLES = 34, 805, 9_999
_TIMED = 3  # pairs that scipy is timed on; all pairs cost it the same
SEED = 1
TEXTS, SEGMENTS, SWAPS = 40, 1_000, 10_000


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


def write_texts(folder: Path) -> list[str]:
    """Write a reference and the outputs of 40 systems, each a little worse than the one before."""
    rng = random.Random(SEED)
    words = [f"w{i}" for i in range(3_000)]
    lines = [rng.choices(words, k=rng.randint(8, 30)) for _ in range(SEGMENTS)]
    files = {"ref": 0.0} | {f"s{k:02}": 0.25 + 0.002 * k for k in range(TEXTS)}
    for name, share in files.items():
        kept = [[w if rng.random() >= share else rng.choice(words) for w in x] for x in lines]
        (folder / name).write_text("".join(" ".join(x) + "\n" for x in kept))
    systems = [name for name in files if name != "ref"]
    options = [f"--system={name}={folder / name}" for name in systems]
    return ["compare", f"--refs={folder / 'ref'}", *options]


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
    print(
        line(
            f"{len(pairs)} pairs of {SYSTEMS} systems",
            peer,
            ours,
            note=f"`permutation_test` pair by pair, p-values only; {_TIMED} timed",
            against="scipy",
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        files = write_texts(Path(folder))
        options = (
            "--metric=bleu",
            "--metric=chrf",
            f"--resamples={SWAPS}",
            "--seed=1",
            "--json",
        )
        used = whole_command(*files, *options)
    pairs_of = TEXTS * (TEXTS - 1) // 2
    what = f"BLEU and chrF of {TEXTS} systems, {pairs_of} pairs, {SEGMENTS:,} segments"
    found = f"{used.peak:.2f} GB, {used.cpu:.0f} s CPU"
    print(measured(what, found, f"{SWAPS:,} swaps", kind="whole command"))


if __name__ == "__main__":
    main()
