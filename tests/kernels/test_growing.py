"""Growing samples: at every step exactly multinomial, and sums that are those of the draws."""

import contextlib
from functools import partial
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.kernels.resample import Values, grow

pytestmark = pytest.mark.usefixtures("each_engine")

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


def test_a_document_beyond_the_room_is_refused() -> None:
    values: list[Values] = [np.eye(4)]
    drawn, totals = np.zeros((2, 4), np.int32), [np.zeros((2, 4))]
    for start, stop in ((0, 5), (2, 2), (-1, 2)):
        with pytest.raises(InputError, match=f"`drawn` must have room for {stop} draws; got 4"):
            grow(drawn, values, totals, start, stop, np.random.default_rng(1))


@given(st.integers(-5, 9), st.integers(0, 20))
def test_draws_that_are_no_segments_are_an_error_and_no_crash(wrong: int, seed: int) -> None:
    rows, start = 8, 6
    drawn = np.full((rows, 12), wrong, np.int32)
    values: list[Values] = [np.ones((12, 1))]
    totals = [np.full((rows, 1), float(start))]
    grown = partial(grow, drawn, values, totals, start, 12, np.random.default_rng(seed))
    if 0 <= wrong < start:
        grown()
        assert (totals[0] == 12.0).all()
        return
    with contextlib.suppress(InputError):  # where nothing is taken back, nothing is looked up
        grown()
    assert np.isfinite(totals[0]).all()


def test_a_draw_that_is_no_segment_is_named() -> None:
    drawn = np.full((50, 12), 7, np.int32)
    values: list[Values] = [np.ones((12, 1))]
    totals = [np.full((50, 1), 6.0)]
    with pytest.raises(InputError, match="`drawn` must lie in 0 to 5; got 7"):
        grow(drawn, values, totals, 6, 12, np.random.default_rng(1))


def test_totals_of_other_columns_are_refused() -> None:
    values: list[Values] = [np.eye(4)]
    drawn, totals = np.zeros((2, 4), np.int32), [np.zeros((2, 3))]
    with pytest.raises(
        InputError, match=r"`totals` must have the shape \(2, 4\); got \(2, 3\)"
    ):
        grow(drawn, values, totals, 0, 4, np.random.default_rng(1))
