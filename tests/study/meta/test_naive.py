"""What the usual tests between two metrics say, against their definitions."""

import itertools

import numpy as np
import pytest

from detectable.inference.correlation import williams
from detectable.study.meta import measuring as naive
from detectable.study.meta.measuring import cell_swap_p, williams_p

HUMAN = np.array([1.0, 4.0, 2.0, 6.0, 5.0])
ONE = np.array([2.0, 3.0, 1.0, 9.0, 4.0])
OTHER = np.array([60.0, 10.0, 30.0, 40.0, 20.0])


def r(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def test_swaps_of_outputs_are_all_patterns_in_the_long_run() -> None:
    """Five outputs have 32 patterns, two of them as far apart as the data: none and all swapped."""
    x, y = ((v - v.mean()) / v.std() for v in (ONE, OTHER))
    gaps = []
    for pattern in itertools.product((False, True), repeat=5):
        a, b = np.where(pattern, y, x), np.where(pattern, x, y)
        gaps.append(abs(r(HUMAN, a) - r(HUMAN, b)))
    exact = float(np.mean(np.array(gaps) >= gaps[0] - 1e-9))
    assert exact == 2 / 32
    drawn = cell_swap_p(HUMAN, ONE, OTHER, n_resamples=20_000, rng=np.random.default_rng(1))
    assert drawn == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 20_000) ** 0.5)


@pytest.mark.parametrize("cells", [1, 60, 400])
def test_every_swap_counts_whatever_the_batches(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal metrics: every pattern is as extreme as the data, so that p is 1."""
    monkeypatch.setattr(naive, "_NAIVE_CELLS", cells)
    p = cell_swap_p(HUMAN, ONE, 3 * ONE + 1, n_resamples=130, rng=np.random.default_rng(1))
    assert p == 1.0
    far = cell_swap_p(
        np.arange(60.0), np.arange(60.0), np.arange(60.0)[::-1].copy(),
        n_resamples=130, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert far == 1 / 131


def test_a_metric_that_says_one_thing_has_no_spread_to_divide_by() -> None:
    flat = np.full(5, 0.5)
    assert np.isnan(naive._standard_scores(flat)).sum() == 0
    assert naive._standard_scores(ONE).std() == pytest.approx(1.0)
    assert naive._standard_scores(ONE).mean() == pytest.approx(0.0)


def test_williams_is_taken_from_both_sides() -> None:
    one = williams(r(ONE, HUMAN), r(OTHER, HUMAN), r(ONE, OTHER), 5)
    assert one < 0.5
    assert williams_p(HUMAN, ONE, OTHER) == pytest.approx(2 * one)
    assert williams_p(HUMAN, OTHER, ONE) == pytest.approx(2 * one)
