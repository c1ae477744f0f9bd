"""Growing samples: at every step exactly multinomial, and sums that are those of the draws."""

from math import factorial, prod
from types import SimpleNamespace

import numpy as np
import pytest

from detectable.kernels import growing
from detectable.kernels.growing import grow
from detectable.kernels.resample import Values

SIZES = (3, 1, 4, 2)


def _grown(rows: int, seed: int) -> list[np.ndarray]:
    """Return the counts of every segment after each document."""
    n = sum(SIZES)
    values: list[Values] = [np.eye(n), np.arange(2.0 * n, dtype=np.float32).reshape(n, 2)]
    totals = [np.zeros((rows, n)), np.zeros((rows, 2))]
    drawn = np.empty((rows, n), dtype=np.int32)
    rng = np.random.default_rng(seed)
    found, start = [], 0
    for size in SIZES:
        grow(drawn, values, totals, start, start + size, rng)
        start += size
        counts = totals[0].copy()
        rowwise = drawn[:, :start] + n * np.arange(rows)[:, None]
        again = np.bincount(rowwise.ravel(), minlength=rows * n).reshape(rows, n)
        assert (again == counts).all()
        assert (totals[1] == counts @ values[1]).all()
        found.append(counts)
    return found


def test_every_step_draws_as_many_as_there_are() -> None:
    for k, counts in enumerate(_grown(200, 1)):
        n = sum(SIZES[: k + 1])
        assert (counts.sum(axis=1) == n).all()
        assert (counts[:, n:] == 0).all()
        assert (counts >= 0).all()


def test_every_step_is_multinomial() -> None:
    rows = 200_000
    for k, counts in enumerate(_grown(rows, 2)):
        n = sum(SIZES[: k + 1])
        kept = counts[:, :n]
        # Mean 1, variance 1 − 1/n, covariance −1/n; five standard errors, whose sizes follow
        # from fourth moments below 4.
        error = 5.0 * np.sqrt(4.0 / rows)
        assert np.abs(kept.mean(axis=0) - 1.0).max() < 5.0 / np.sqrt(rows)
        expected = np.eye(n) - 1.0 / n
        assert np.abs(np.cov(kept.T) - expected).max() < error


def test_whole_samples_are_as_frequent_as_multinomial_ones() -> None:
    rows = 100_000
    counts = _grown(rows, 3)[1][:, :4]  # four draws from four segments: 35 outcomes
    codes = (counts @ [1, 5, 25, 125]).astype(int)
    found = 0
    for code in np.unique(codes):
        outcome = counts[codes == code][0].astype(int)
        chance = factorial(4) / prod(factorial(x) for x in outcome) / 4**4
        share = (codes == code).mean()
        assert abs(share - chance) < 4.5 * np.sqrt(chance * (1 - chance) / rows)
        found += 1
    assert found == 35


def test_compiling_is_announced_once() -> None:
    told: list[str] = []

    def listen(step: str, done: int, total: int | None) -> None:
        told.append(step)

    _grown(3, 4)
    growing.announce(listen)
    assert told == []


@pytest.mark.parametrize(
    ("settled", "added", "said"), [(0, 2, True), (1, 1, True), (0, 0, True), (1, 2, False)]
)
def test_compiling_is_announced_where_it_will_happen(
    settled: int, added: int, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums are compiled for two types of numbers: whole and not."""
    told: list[tuple[str, int, int | None]] = []
    monkeypatch.setattr(growing, "_settle", SimpleNamespace(signatures=["x"] * settled))
    monkeypatch.setattr(growing, "_add_rows", SimpleNamespace(signatures=["x"] * added))
    growing.announce(lambda *step: told.append(step))
    expected = ("compiling the kernels of growing samples (first use only)", 0, None)
    assert told == ([expected] if said else [])
