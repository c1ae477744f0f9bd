"""Leaderboards on many simulated evaluations at once, decided as `holm_look` decides one."""

import functools
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from detectable.core.choices import FutilityRule
from detectable.sequential.design import design

Array = NDArray[np.float64]
SYSTEMS = 10
LOOKS = 10


def pairs_of(*, baseline: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two systems of every pair."""
    if baseline:
        return np.arange(1, SYSTEMS), np.zeros(SYSTEMS - 1, dtype=np.int64)
    second, first = np.triu_indices(SYSTEMS, 1)
    return first, second


@functools.cache
def bounds(m: int, futility: str) -> tuple[Array, Array]:
    """Return boundary and futility bound after r rejections at look k, shape (m, looks)."""
    rule = cast(FutilityRule, futility)
    made = [design("hsd", looks=LOOKS, alpha=0.05 / (m - r), futility=rule) for r in range(m)]
    low = [[-1.0 if f is None else f for f in d.futility] for d in made]
    return np.array([d.z for d in made]), np.array(low)


def z_paths(
    means: Array, n_max: int, runs: int, rng: np.random.Generator, *, baseline: bool
) -> Array:
    """Return paired t statistics as z, shape (runs, looks, pairs).

    Scores have a segment effect and noise of 20 points each around 72, cut to 0 to 100.
    """
    per_look = n_max // LOOKS
    segment = rng.normal(0.0, 20.0, (runs, LOOKS, per_look, 1))
    score = 72.0 + means + segment + rng.normal(0.0, 20.0, (runs, LOOKS, per_look, SYSTEMS))
    np.clip(score, 0.0, 100.0, out=score)
    score -= 72.0  # so that sums of squares keep their digits
    sums = np.cumsum(score.sum(axis=2), axis=1)
    squares = np.cumsum(np.einsum("rlni,rlnj->rlij", score, score, optimize=True), axis=1)
    a, b = pairs_of(baseline=baseline)
    n = (per_look * np.arange(1.0, LOOKS + 1.0))[None, :, None]
    mean = (sums[..., a] - sums[..., b]) / n
    total = squares[..., a, a] + squares[..., b, b] - 2.0 * squares[..., a, b]
    error = np.sqrt((total - n * mean**2) / (n - 1.0) / n)
    t = mean / error
    z: Array = np.sign(t) * -ndtri(stdtr(n - 1.0, -np.abs(t)))
    return z


@dataclass(frozen=True)
class Ends:
    """How many evaluations ended."""

    verdict: NDArray[np.int8]  # +1, −1 or 0 per run and pair
    judged: NDArray[np.int64]  # looks during which each system was judged, per run


def holm_paths(z: Array, *, futility: str, baseline: bool) -> Ends:
    """Run Holm's procedure with elimination over all looks."""
    runs, looks, m = z.shape
    upper, give_up = bounds(m, futility)
    a, b = pairs_of(baseline=baseline)
    verdict = np.zeros((runs, m), dtype=np.int8)
    going = np.ones((runs, m), dtype=bool)
    judged = np.zeros((runs, SYSTEMS), dtype=np.int64)
    for k in range(looks):
        for system in range(SYSTEMS):
            mine = (a == system) | (b == system)
            judged[:, system] += going[:, mine].any(axis=1)
        now = z[:, k]
        while True:
            rejected = np.minimum((verdict != 0).sum(axis=1), m - 1)
            crossed = going & (np.abs(now) >= upper[rejected, k][:, None])
            if not crossed.any():
                break
            verdict[crossed] = np.sign(now[crossed]).astype(np.int8)
            going &= ~crossed
        going &= ~(np.abs(now) < give_up[rejected, k][:, None])
    return Ends(verdict, judged)
