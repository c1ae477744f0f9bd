"""Random and ugly cases of every numeric kernel: compiled and by numpy, the same to the last bit.

`make check-native` runs this file with the sanitizers, so cases reach for the edges: empty parts,
one entry, the longest rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from detectable.kernels import betting, pairing, paths
from detectable.kernels import resample as growing
from detectable.kernels.resample import Values
from tests.kernels.engines import engine

Arrays = tuple[Any, ...]
CASES = 60


def betting_case(rng: np.random.Generator) -> Arrays:
    """Cut streams of bets, quiet and wild, with rescaling in between; a band; moments."""
    n, stakes = int(rng.integers(1, 1500)), int(rng.integers(1, 13))
    x = np.clip(rng.normal(rng.uniform(-1, 1), rng.choice([0.01, 0.5, 2.0]), n), -1.0, 1.0)
    bets = rng.uniform(0.001, 0.9999, stakes)
    shape = (2, stakes)
    state = np.ones(shape), np.zeros(shape, np.int64), np.ones(shape)
    cut = int(rng.integers(0, n + 1))
    paths = [betting.wealth_path(part, bets, *state) for part in (x[:cut], x[cut:])]
    half = int(rng.integers(0, 30))
    grid = np.arange(-half, half + 1) / max(half, 1)
    threshold = float(rng.choice([0.5, 3.7, 50.0, 500.0]))
    moments = np.zeros(3)
    running = betting.moments_path(1e3 * x, moments)
    return (
        *paths,
        *state,
        betting.betting_band(x[:300], bets, grid, threshold),
        running,
        moments,
    )


def pairing_case(rng: np.random.Generator) -> Arrays:
    """Pairs of all sizes, also empty; differences with ties, zeros and far exponents."""
    pairs = int(rng.integers(1, 12))
    starts = np.append(0, np.cumsum(rng.integers(0, rng.choice([1, 3, 60]), pairs)))
    n = int(starts[-1])
    d = rng.integers(-3, 4, n) * rng.choice([1.0, 0.1, -0.0]) * 10.0 ** rng.integers(-12, 12, n)
    other = np.where(rng.random(n) < 0.5, d, rng.normal(size=n))
    clusters, values = int(rng.integers(1, 20)), int(rng.integers(1, 9))
    cluster, seed = rng.integers(0, clusters, n), int(rng.integers(0, 1 << 63))
    slots = rng.integers(0, pairs, (2, 6))
    rows = starts, rng.integers(0, values, n), cluster
    some = rng.permutation(6)[: rng.integers(0, 7)]
    return (
        *pairing.clustered_means(starts, cluster, d, clusters),
        pairing.correlations(starts, d, other),
        pairing.signed_ranks_z(starts, d),
        pairing.swap_units(starts, cluster, seed),
        *pairing.pair_counts(some, (slots[0], slots[1]), rows, values, seed),
        *pairing.pair_counts(some, (slots[0], slots[1]), rows, values, -1),
    )


def growing_case(rng: np.random.Generator) -> Arrays:
    """Documents of one segment and of many, values in single and in double precision."""
    sizes = rng.integers(1, rng.choice([2, 6, 50]), int(rng.integers(1, 8)))
    n, rows = int(sizes.sum()), int(rng.integers(1, 40))
    values: list[Values] = [
        rng.normal(size=(n, int(rng.integers(1, 6)))),
        rng.integers(0, 99, (n, 3)).astype(np.float32),
    ]
    totals = [np.zeros((rows, matrix.shape[1])) for matrix in values]
    drawn = np.zeros((rows, n), np.int32)
    start = 0
    for size in sizes.tolist():
        growing.grow(drawn, values, totals, start, start + size, rng)
        start += size
    return drawn, *totals


def paths_case(rng: np.random.Generator) -> Arrays:
    """Pairs with few and many values, steps of one judgment and of many, looks at any step."""
    shape = int(rng.integers(1, 5)), int(rng.integers(1, 12))
    first, second = rng.integers(0, 9, (2, *shape)) * (rng.random((2, *shape)) < 0.6)
    first[:, -1] += 1
    second[:, rng.integers(shape[1])] += 1
    values = rng.normal(size=shape[1])
    steps, step, repeats = (int(rng.integers(1, most)) for most in (9, 40, 20))
    wanted = rng.random(steps) < 0.7
    wanted[-1] = True
    looks = [
        np.flatnonzero(wanted)[rng.integers(wanted.sum()) :] for _ in range(rng.integers(1, 6))
    ]
    start = np.append(0, np.cumsum([look.size for look in looks]))
    bound = rng.uniform(0.5, 3.0, start[-1])
    futility = rng.choice([0.0, 0.4], start[-1])
    plans = paths.Plans(start, np.concatenate(looks), bound, futility)
    state = rng.integers(1, 1 << 63, 4).astype(np.uint64)
    return (
        paths.rank_paths(first[0], second[0], repeats, wanted, step, state),
        paths.mean_paths(first[0], values, repeats, steps, step, state),
        *paths.rank_tallies(first, second, repeats, wanted, step, plans, state),
        *paths.mean_tallies(first, values, repeats, steps, step, plans, state),
        state,
    )


KERNELS = {
    "betting": betting_case,
    "pairing": pairing_case,
    "growing": growing_case,
    "paths": paths_case,
}


@pytest.mark.parametrize("case", KERNELS.values(), ids=KERNELS.keys())
def test_both_engines_give_the_same_bits(case: Callable[[np.random.Generator], Arrays]) -> None:
    found = {}
    for name in ("native", "numpy"):
        with engine(name):
            found[name] = [case(np.random.default_rng(seed)) for seed in range(CASES)]
    for compiled, plain in zip(found["native"], found["numpy"], strict=True):
        for one, other in zip(compiled, plain, strict=True):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            assert one.tobytes() == other.tobytes()
