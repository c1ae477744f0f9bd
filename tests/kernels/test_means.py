"""Means that do not depend on the order."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detectable.kernels.means import exact_histogram_means, exact_mean
from detectable.kernels.pairing import clustered_means

numbers = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1, max_size=60)


@given(numbers, st.randoms(use_true_random=False))
def test_any_order_gives_the_same_bits(values: list[float], random: object) -> None:
    expected = float(sum(Fraction(v) for v in values)) / len(values)
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    d = np.array(shuffled)
    assert exact_mean(d) == expected
    different, counts = np.unique(d, return_counts=True)
    assert exact_histogram_means(counts[None], different)[0] == expected
    starts = np.array([0, d.size])
    assert clustered_means(starts, np.arange(d.size), d, d.size)[0][0] == expected


def test_a_large_count_is_exact_too() -> None:
    counts = np.array([[10_000_019, 3]])
    values = np.array([0.1, 1e9 + 0.7])
    total = sum(int(n) * Fraction(v) for n, v in zip(counts[0], values, strict=True))
    assert exact_histogram_means(counts, values)[0] == float(total) / 10_000_022


def test_nothing_has_no_mean() -> None:
    assert math.isnan(exact_mean(np.zeros(0)))
