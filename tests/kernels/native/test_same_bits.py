"""Random and ugly cases of every numeric kernel: compiled and by numpy, the same to the last bit.

`make check-native` runs this file with the sanitizers, so cases reach for the edges: empty parts,
one entry, the longest rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from detectable.kernels import betting
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


KERNELS = {"betting": betting_case}


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
