"""The recursion: against exact probabilities, on finer grids, and for any drift."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from detectable.core.errors import ConvergenceError
from detectable.sequential.boundaries import (
    ORIGIN,
    Grid,
    Paths,
    Stops,
    grid_for,
    lower_crossing,
    spending_boundary,
    stop_chances,
    surviving,
    symmetric_stops,
    type_one_error,
    upper_crossing,
)
from detectable.sequential.families import Family
from tests.sequential.gold import equal_looks, gold


@pytest.mark.golden
def test_naive_peeking() -> None:
    z = float(-ndtri(0.025))
    for n, error in gold("naive_peeking_type1_alpha0.05").items():
        stops = symmetric_stops(equal_looks(int(n)), [z] * int(n), sided=2)
        assert type_one_error(stops) == pytest.approx(error, abs=5.1e-6)


@pytest.mark.golden
def test_naive_peeking_as_published() -> None:
    """Armitage, McPherson and Rowe (1969), table 2: .083, .107, .126, .142, .193 for .05."""
    z = float(-ndtri(0.025))
    published = {2: 0.083, 3: 0.107, 4: 0.126, 5: 0.142, 10: 0.193, 20: 0.248, 50: 0.320}
    for n, error in published.items():
        stops = symmetric_stops(equal_looks(n), [z] * n, sided=2)
        assert type_one_error(stops) == pytest.approx(error, abs=5.1e-4)


@pytest.mark.parametrize("drift", [0.0, 1.3, -2.0])
def test_two_looks_agree_with_the_bivariate_normal(drift: float) -> None:
    times, upper, lower = (0.4, 1.0), (2.5, 2.0), (-2.1, -1.7)
    chances = stop_chances(Stops(times, upper, lower), drift)
    correlation = math.sqrt(0.4)
    mean = [drift * math.sqrt(0.4), drift]
    both = multivariate_normal(mean, [[1, correlation], [correlation, 1]])

    def box(a: float, b: float, c: float, d: float) -> float:
        return float(both.cdf([b, d], lower_limit=[a, c]))

    assert chances.up[0, 0] == pytest.approx(float(ndtr(mean[0] - 2.5)), abs=1e-14)
    assert chances.down[0, 0] == pytest.approx(float(ndtr(-2.1 - mean[0])), abs=1e-14)
    assert chances.up[0, 1] == pytest.approx(box(-2.1, 2.5, 2.0, 30.0), abs=1e-9)
    assert chances.down[0, 1] == pytest.approx(box(-2.1, 2.5, -30.0, -1.7), abs=1e-9)


@given(st.floats(-6.0, 6.0), st.booleans())
def test_nothing_is_lost(drift: float, unbounded: bool) -> None:
    upper = (math.inf, 2.4, 2.2) if unbounded else (2.5, 2.4, 2.2)
    inside = (None, (-0.4, 0.4), (-2.2, 2.2))
    stops = Stops((0.2, 0.7, 1.0), upper, (-math.inf, -2.4, -2.2), inside)
    chances = stop_chances(stops, drift)
    total = chances.up.sum() + chances.down.sum() + chances.inside.sum()
    assert total == pytest.approx(1.0, abs=1e-11)


def test_the_likelihood_ratio_equals_a_recursion_with_a_drift() -> None:
    grid, drift = Grid().covering(0.0, 3.0), 2.5
    times, region = (0.3, 0.6, 1.0), ((-2.0, -0.3), (0.3, 2.4))
    paths = ORIGIN.advance(times[0], region, times[1], grid)
    density = ORIGIN.density(times[0], paths.nodes, drift)
    weights = paths.mass / ORIGIN.density(times[0], paths.nodes)
    assert paths.alive(drift) == pytest.approx(density * weights, rel=1e-12)
    # A recursion that carries the drift along, written as in the textbooks.
    nodes, mass, step = paths.nodes, density * weights, times[1] - times[0]
    second = paths.advance(times[1], region, times[2], grid)
    distance = (
        second.nodes[:, None] * math.sqrt(times[1]) - nodes * math.sqrt(times[0]) - drift * step
    ) / math.sqrt(step)
    carried = np.exp(-0.5 * distance**2) @ mass * math.sqrt(times[1] / step / (2 * math.pi))
    w = second.mass / paths.density(times[1], second.nodes)
    assert second.alive(drift) == pytest.approx(carried * w, rel=1e-10)


@pytest.mark.parametrize("looks", [3, 10, 19, 20, 40, 80])
def test_half_the_panels_change_nothing(looks: int) -> None:
    times, rule = equal_looks(looks), Family("hsd", -4.0)
    spent = [rule.spent(0.025, t) for t in times]
    coarse = grid_for(looks)
    fine = Grid(0.5 * coarse.width, 0.5 * coarse.kernel_widths)
    ours = spending_boundary(times, spent, sided=2, grid=coarse)
    theirs = spending_boundary(times, spent, sided=2, grid=fine)
    assert ours == pytest.approx(theirs, abs=1e-9)
    stops = symmetric_stops(times, ours, sided=2)
    here = stop_chances(stops, np.array([0.0, 1.0, 3.3]), grid=coarse)
    there = stop_chances(stops, np.array([0.0, 1.0, 3.3]), grid=fine)
    assert here.up == pytest.approx(there.up, abs=1e-9)


def test_unequal_looks_close_together_change_nothing_either() -> None:
    times = (0.1, 0.1001, 0.5, 0.5002, 0.9999, 1.0)
    rule = Family("ld-pocock")
    spent = [rule.spent(0.025, t) for t in times]
    ours = spending_boundary(times, spent, sided=2)
    finer = spending_boundary(times, spent, sided=2, grid=Grid(0.25, 0.5))
    assert ours == pytest.approx(finer, abs=1e-9)
    assert type_one_error(symmetric_stops(times, ours, sided=2)) == pytest.approx(
        0.05, abs=1e-9
    )


@given(st.floats(1e-12, 0.4), st.floats(-3.0, 3.0))
def test_a_crossing_is_found_at_any_level(chance: float, drift: float) -> None:
    stops = Stops((0.3, 0.8), (2.0, math.inf), (-2.0, -math.inf))
    paths = surviving(stops, grid_for(2))[-1]
    chance = chance * float(paths.alive(drift).sum())
    z = upper_crossing(paths, 0.8, chance, drift)
    assert float(paths.above(0.8, z, drift)) == pytest.approx(chance, rel=1e-8)
    a = lower_crossing(paths, 0.8, chance, drift)
    assert float(paths.below(0.8, a, drift)) == pytest.approx(chance, rel=1e-8)


def test_more_than_all_paths_cannot_cross() -> None:
    few = Paths(0.5, np.array([0.0]), np.array([0.01]))
    with pytest.raises(ConvergenceError, match="too few paths come that far"):
        upper_crossing(few, 1.0, 0.02)
