"""Stopping procedures: tests on paths of counts against a loop of scipy's mannwhitneyu."""

import numpy as np
from scipy import stats

from benchmarks.timing import HEADER, cpu, line
from detectable.core.types import IntArray
from detectable.kernels.paths import rank_paths
from detectable.kernels.resample import seed_words
from detectable.sequential.design import design
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedures import Procedure, simulate_procedures

SEED = 22
N = 600  # judgments per system at the last look
LOOKS = 12  # a look every 100 judgments of both systems
PATHS = 20_000
SCIPY_PATHS = 20
PAIRS, REPEATS = 400, 100


def histograms(pairs: int) -> tuple[IntArray, IntArray]:
    """Return made-up ratings from 0 to 100 with a spike at the top, 500 of each system."""
    rng = np.random.default_rng(SEED)
    drawn = [
        np.clip(np.rint(100.0 - rng.gamma(1.0, 20.0 + shift, (pairs, 500))), 0, 100)
        for shift in (0.0, 2.0)
    ]
    first, second = (
        np.stack([np.bincount(row.astype(np.int64), minlength=101) for row in scores])
        for scores in drawn
    )
    return first, second


def by_scipy(first: IntArray, second: IntArray, paths: int) -> float:
    """Return the share of significant looks, drawing and testing one at a time."""
    rng = np.random.default_rng(SEED)
    a, b = np.repeat(np.arange(101), first), np.repeat(np.arange(101), second)
    hits = 0
    for _ in range(paths):
        x, y = rng.choice(a, N), rng.choice(b, N)
        for look in range(1, LOOKS + 1):
            n = look * N // LOOKS
            hits += stats.mannwhitneyu(x[:n], y[:n], method="asymptotic").pvalue <= 0.05
    return hits / (paths * LOOKS)


def by_paths(first: IntArray, second: IntArray, paths: int) -> float:
    wanted = np.ones(LOOKS, np.bool_)
    state = seed_words(np.random.default_rng(SEED))
    z = rank_paths(first, second, paths, wanted, N // LOOKS, state)
    return float((np.abs(z) >= 1.959964).mean())


def main() -> None:
    print("\nstopping procedures")
    print(HEADER)
    first, second = histograms(PAIRS)
    by_paths(first[0], second[0], 1)  # the library is loaded before the clock starts
    ours, share = cpu(lambda: by_paths(first[0], second[0], PATHS), repeats=3)
    theirs, peer = cpu(lambda: by_scipy(first[0], second[0], SCIPY_PATHS))
    theirs *= PATHS / SCIPY_PATHS
    note = f"{ours / (PATHS * LOOKS) * 1e9:.0f} ns per test; {share:.3f}, scipy {peer:.3f}"
    print(line(f"{PATHS * LOOKS:,} tests on paths", theirs, ours, 1000, note, against="scipy"))

    archive = ComparisonArchive.from_histograms(np.arange(101), first, second)
    procedures = [
        Procedure.fixed(),
        Procedure.interim(futility=True),
        Procedure.from_design(design("hsd", looks=12), name="hsd"),
    ]
    budgets = range(600, 5401, 600)
    whole, _ = cpu(
        lambda: simulate_procedures(
            archive, procedures, budgets, n_repeats=REPEATS, step=100, rng=SEED
        )
    )
    tests = PAIRS * REPEATS * 54
    loop = theirs / (PATHS * LOOKS) * tests
    print(
        line(
            f"{PAIRS} pairs, {REPEATS} repetitions, 27 plans",
            loop,
            whole,
            note="scipy from the row above",
            against="scipy",
        )
    )


if __name__ == "__main__":
    main()
