"""The binomial distribution against whole numbers and scipy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, gammaln

from detectable.kernels.distributions import binomial_at_most, log_factorials


def exact(k: int, n: int, share: Fraction) -> float:
    hits, of = share.numerator, share.denominator
    ways = sum(math.comb(n, j) * hits**j * (of - hits) ** (n - j) for j in range(k + 1))
    return float(Fraction(ways, of**n))


@given(st.integers(0, 120), st.integers(0, 120), st.integers(1, 63))
def test_chances_are_those_of_whole_numbers(k: int, n: int, parts: int) -> None:
    share = Fraction(parts, 64)  # which a float holds exactly
    found = binomial_at_most(k, n, float(share))
    assert found == pytest.approx(exact(min(k, n), n, share), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize(("n", "k"), [(1000, 460), (20_000, 9800), (20_000, 9000)])
def test_large_tails_of_a_fair_coin_keep_all_digits(n: int, k: int) -> None:
    # scipy's bdtr is off by 1.5e-11 at 20,000.
    ways, term = 0, math.comb(n, k)
    for j in range(k, max(k - 900, 0), -1):
        ways += term
        term = term * j // (n - j + 1)
    assert binomial_at_most(k, n, 0.5) == pytest.approx(float(Fraction(ways, 2**n)), rel=5e-15)


@given(st.integers(1, 3000), st.floats(0.0, 1.0), st.floats(1e-4, 0.9999))
def test_chances_are_scipy_s(n: int, place: float, share: float) -> None:
    k = math.floor(place * n)
    theirs = float(bdtr(float(k), n, share))
    # scipy's own error grows with n log n.
    assert binomial_at_most(k, n, share) == pytest.approx(theirs, rel=1e-11, abs=1e-250)


def test_the_ends() -> None:
    assert [binomial_at_most(k, 5, 0.3) for k in (-1, 5, 6)] == [0.0, 1.0, 1.0]
    assert [binomial_at_most(2, 5, share) for share in (0.0, 1.0)] == [1.0, 0.0]
    assert binomial_at_most(0, 0, 0.5) == 1.0


def test_log_factorials_are_scipy_s() -> None:
    rng = np.random.default_rng(3)
    k = np.concatenate([np.arange(2000), rng.integers(2000, 10**9, 2000)])
    found, theirs = log_factorials(k), gammaln(k + 1.0)
    assert np.max(np.abs(found - theirs) / np.maximum(theirs, 1.0)) <= 2.3e-16
    # To the bit from a thousand on, where one unit would show in a probability.
    assert np.array_equal(found[1000:], theirs[1000:])
    assert log_factorials(4) == pytest.approx(math.log(24.0), rel=1e-15)
    assert log_factorials(0).shape == ()
