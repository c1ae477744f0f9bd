"""The power of a one-sided t test of a margin."""

import math

import numpy as np
import pytest
from scipy import stats

from detectable.inference.standard_errors import Estimate
from detectable.planning.closed_forms import growth_for_margin, non_inferiority_power


@pytest.mark.parametrize(("n", "margin"), [(6, 0.8), (30, 0.4), (30, 1e-9)])
def test_the_power_is_what_tests_of_equal_systems_show(n: int, margin: float) -> None:
    rng, trials, alpha = np.random.default_rng(3), 20_000, 0.05
    d = rng.normal(size=(trials, n))
    error = d.std(axis=1, ddof=1) / math.sqrt(n)
    shown = (d.mean(axis=1) + margin) / error > stats.t.ppf(1 - alpha, n - 1)
    power = non_inferiority_power(Estimate(0.0, 1 / math.sqrt(n), n - 1.0), margin, alpha=alpha)
    assert shown.mean() == pytest.approx(
        power, abs=3.5 * math.sqrt(power * (1 - power) / trials)
    )


@pytest.mark.parametrize("df", [1.0, 4.0, 40.0])
@pytest.mark.parametrize("margin", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("error", [0.005, 1.0, 3.0])
def test_so_much_data_give_the_power(df: float, margin: float, error: float) -> None:
    now = Estimate(0.0, error, df)
    growth = growth_for_margin(now, margin, alpha=0.025, power=0.9)
    then = Estimate(0.0, error / math.sqrt(growth), df * growth)
    power = non_inferiority_power(then, margin, alpha=0.025)
    if df * growth > 1.0 + 1e-9:
        assert power == pytest.approx(0.9, abs=1e-6)
    else:  # less than one degree of freedom is not asked for
        assert growth == pytest.approx(1.0 / df)
        assert power >= 0.9


def test_nothing_is_known_without_an_error() -> None:
    for nothing in (
        Estimate(0.0, math.nan, math.nan),
        Estimate(0.0, 0.0, 9.0),
        Estimate(0.0, 1.0, 0.0),
    ):
        assert math.isnan(non_inferiority_power(nothing, 1.0, alpha=0.05))
        assert math.isnan(growth_for_margin(nothing, 1.0, alpha=0.05, power=0.8))
