"""Preference: the binomial test, ties, and the saw-tooth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import detectable as dt


def binomial_power(n: int, effect: float) -> float:
    wins = np.arange(n + 1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(wins, n - wins), n, 0.5))
    right = (wins > n / 2) if effect > 0.5 else (wins < n / 2)
    return float(stats.binom.pmf(wins, n, effect)[(p <= 0.05) & right].sum())


@given(st.integers(2, 300), st.floats(0.01, 0.99).filter(lambda x: abs(x - 0.5) > 1e-3))
def test_without_ties_it_is_the_binomial_test(n: int, effect: float) -> None:
    found = dt.power(dt.scenarios.Preference(), n_items=n, effect=effect)
    assert found.power == pytest.approx(binomial_power(n, effect), abs=1e-10)
    assert found.method == "exact"


@pytest.mark.parametrize("effect", [0.65, 0.3])
def test_ties_thin_out_the_comparisons(effect: float) -> None:
    n, ties = 80, 0.35
    sizes = np.arange(2, n + 1)
    weights = stats.binom.pmf(sizes, n, 1 - ties)
    expected = sum(
        w * binomial_power(int(m), effect) for w, m in zip(weights, sizes, strict=True)
    )
    found = dt.power(dt.scenarios.Preference(ties=ties), n_items=n, effect=effect)
    assert found.power == pytest.approx(expected, abs=1e-10)
    assert found.details["expected_decided"] == pytest.approx(52)


@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_simulation_agrees(ties: float) -> None:
    scenario = dt.scenarios.Preference(ties=ties)
    for n, effect in ((50, 0.65), (200, 0.42)):
        exact = dt.power(scenario, n_items=n, effect=effect)
        drawn = dt.power(scenario, n_items=n, effect=effect, simulate=True, rng=n)
        assert drawn.power == pytest.approx(exact.power, abs=4 * (drawn.standard_error or 0))
        assert drawn.type_m == pytest.approx(exact.type_m, rel=0.02)


@pytest.mark.parametrize(
    ("effect", "ties"),
    [(0.65, 0.0), (0.6, 0.0), pytest.param(0.55, 0.0, marks=pytest.mark.slow), (0.7, 0.3)],
)
def test_power_stays_above_the_target_from_the_sample_size_on(
    effect: float, ties: float
) -> None:
    scenario = dt.scenarios.Preference(ties=ties)
    n = dt.sample_size(scenario, effect=effect).n_items or 0
    powers = [
        dt.power(scenario, n_items=m, effect=effect, drawn=0).power for m in range(n - 1, 2 * n)
    ]
    assert powers[0] < 0.8 <= min(powers[1:])


def test_the_saw_tooth_is_real() -> None:
    powers = [
        dt.power(dt.scenarios.Preference(), n_items=n, effect=0.65).power
        for n in range(80, 110)
    ]
    first = next(n for n, power in zip(range(80, 110), powers, strict=True) if power >= 0.8)
    assert first < (dt.sample_size(dt.scenarios.Preference(), effect=0.65).n_items or 0)


def test_messages() -> None:
    with pytest.raises(dt.InputError, match=r"`ties` must lie between 0 and 1.*got 1\.0"):
        dt.scenarios.Preference(ties=1.0)
    with pytest.raises(dt.InputError, match="chance to win a decided comparison"):
        dt.power(dt.scenarios.Preference(), n_items=10, effect=-0.2)
