"""Boundaries of all families."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from detectable.core.errors import ConvergenceError, InputError
from detectable.sequential.boundaries import (
    ORIGIN,
    Grid,
    Paths,
    Stops,
    drift_for_power,
    fixed_drift,
    grid_for,
    haybittle_peto_boundary,
    increasing_root,
    lower_crossing,
    operating_points,
    spending_boundary,
    stop_chances,
    surviving,
    symmetric_stops,
    type_one_error,
    upper_crossing,
    wang_tsiatis_boundary,
)
from detectable.sequential.families import Family
from tests.sequential.gold import equal_looks, gold, setting, spending

TOLERANCE = 2e-6


@pytest.mark.golden
def test_classical_boundaries() -> None:
    for key, case in gold("classical_boundaries").items():
        name, alpha, looks, sided = key.split("|")
        times, sides = equal_looks(int(setting(looks))), int(setting(sided))
        if name.startswith("haybittle"):
            found = haybittle_peto_boundary(times, setting(alpha), interim_z=3.0, sided=sides)
        else:
            shape = {"pocock": 0.5, "obrien_fleming": 0.0}
            delta = shape[name] if name in shape else float(name.rpartition("_")[2])
            found = wang_tsiatis_boundary(times, setting(alpha), delta=delta, sided=sides)
        assert found == pytest.approx(case["z"], abs=TOLERANCE), key


@pytest.mark.golden
def test_boundaries_as_published() -> None:
    """Jennison and Turnbull (2000), tables 2.1, 2.3 and 2.9, two-sided .05."""
    pocock = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555, 20: 2.672}
    fleming = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087, 20: 2.126}
    for delta, table in ((0.5, pocock), (0.0, fleming)):
        for looks, constant in table.items():
            found = wang_tsiatis_boundary(equal_looks(looks), 0.05, delta=delta, sided=2)
            assert found[-1] == pytest.approx(constant, abs=5.1e-4)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("family", "z"),
    [
        (Family("ld-obf"), (4.876885, 2.962629, 2.711639, 1.982017)),
        (Family("ld-pocock"), (2.437977, 2.332825, 2.460253, 2.279016)),
        (Family("hsd", -4.0), (3.252668, 2.801736, 2.729627, 1.993873)),
        (Family("kim-demets", 2.0), (3.090232, 2.539434, 2.517675, 2.048480)),
    ],
)
def test_unequal_looks_as_in_rpact(family: Family, z: tuple[float, ...]) -> None:
    """rpact 3.3.4, getDesignGroupSequential, information rates .2, .5, .6, 1."""
    assert family.boundary((0.2, 0.5, 0.6, 1.0), 0.05, sided=2) == pytest.approx(z, abs=1e-6)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("family", "times", "z"),
    [
        (Family("hsd", -4.0), (0.3, 0.7, 1.0), (3.066699549, 2.480369307, 1.969336472)),
        (Family("pocock"), (1 / 3, 2 / 3, 1.0), (2.28215425, 2.28215425, 2.28215425)),
    ],
)
def test_binding_futility_as_in_rpact(
    family: Family, times: tuple[float, ...], z: tuple[float, ...]
) -> None:
    """rpact 3.3.4, one-sided .025, futilityBounds = c(0, .5), bindingFutility = TRUE."""
    inside = ((-math.inf, 0.0), (-math.inf, 0.5), None)
    found = family.boundary(times, 0.025, sided=1, inside=inside)
    assert found == pytest.approx(z, abs=1e-7)


@pytest.mark.golden
def test_haybittle_peto_as_in_rpact() -> None:
    """rpact 3.3.4, typeOfDesign = "HP", one-sided .025, four looks."""
    found = haybittle_peto_boundary(equal_looks(4), 0.025, interim_z=3.0, sided=1)
    assert found == pytest.approx((3.0, 3.0, 3.0, 1.98275137), abs=1e-7)


@pytest.mark.golden
@pytest.mark.parametrize("section", ["alpha_spending_equal", "alpha_spending_unequal"])
def test_spending_boundaries(section: str) -> None:
    for key, case in gold(section).items():
        name, alpha = key.split("|")[:2]
        # The table prints six digits of 1/3, 1/6 and so on.
        times = [
            round(60 * t) / 60 if abs(60 * t - round(60 * t)) < 1e-3 else t for t in case["t"]
        ]
        spent = [spending(name).spent(setting(alpha) / 2, t) for t in times]
        found = spending_boundary(times, spent, sided=2)
        for ours, theirs in zip(found, case["z"], strict=True):
            if theirs is None:
                assert math.isinf(ours), key
            else:
                assert ours == pytest.approx(theirs, abs=TOLERANCE), key


@pytest.mark.golden
def test_the_paper_s_threshold_exceeds_alpha_a_little() -> None:
    from scipy.special import ndtri

    z = float(-ndtri(0.0221 / 2))
    error = type_one_error(symmetric_stops(equal_looks(3), [z] * 3, sided=2))
    assert error == pytest.approx(0.050103, abs=1e-6)


@pytest.mark.golden
def test_continuous_looks_are_the_limit_of_many() -> None:
    many = wang_tsiatis_boundary(equal_looks(200), 0.05, delta=0.0, sided=2)[-1]
    few = wang_tsiatis_boundary(equal_looks(20), 0.05, delta=0.0, sided=2)[-1]
    assert few < many < 2.2414027273  # P(max |W| ≥ c) = .05 for a Brownian motion on [0, 1]


@given(
    name=st.sampled_from(
        ["hsd", "ld-obf", "ld-pocock", "kim-demets", "pocock", "wang-tsiatis"]
    ),
    gaps=st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6),
    alpha=st.sampled_from([0.001, 0.025, 0.05, 0.2]),
    sided=st.sampled_from([1, 2]),
)
@settings(max_examples=60, deadline=None)
def test_every_boundary_keeps_alpha(
    name: str, gaps: list[float], alpha: float, sided: int
) -> None:
    times = [sum(gaps[: k + 1]) / sum(gaps) for k in range(len(gaps))]
    times[-1] = 1.0
    family = Family(name)
    upper = family.boundary(times, alpha, sided=sided)
    error = type_one_error(symmetric_stops(times, upper, sided=sided))
    assert error == pytest.approx(alpha, abs=1e-9)


def test_one_side_is_half_of_two() -> None:
    times, rule = equal_looks(5), Family("hsd", -4.0)
    spent = [rule.spent(0.025, t) for t in times]
    one, two = (spending_boundary(times, spent, sided=s) for s in (1, 2))
    assert one == pytest.approx(two, abs=1e-5)
    assert one != pytest.approx(two, abs=1e-12)


def test_what_cannot_be_spent_early_is_left_for_later() -> None:
    rule = Family("ld-obf")
    times = (0.02, 0.05, 0.5, 1.0)
    spent = [rule.spent(0.025, t) for t in times]
    found = spending_boundary(times, spent, sided=2)
    assert [math.isinf(z) for z in found] == [True, True, False, False]
    assert type_one_error(symmetric_stops(times, found, sided=2)) == pytest.approx(0.05)


def test_binding_futility_must_leave_room() -> None:
    inside = ((-5.0, 5.0), None)
    with pytest.raises(InputError, match="`futility` must leave room below the boundary"):
        spending_boundary((0.5, 1.0), (0.01, 0.025), sided=2, inside=inside)


def test_haybittle_peto_must_leave_something() -> None:
    with pytest.raises(InputError, match="`interim_z` must leave some of alpha"):
        haybittle_peto_boundary(equal_looks(10), 0.01, interim_z=2.0, sided=2)


def test_families_are_checked() -> None:
    with pytest.raises(InputError, match="`family` must be one of hsd, ld-obf"):
        Family("obf")
    with pytest.raises(InputError, match="`delta` must lie between"):
        Family("wang-tsiatis", 3.0)
    with pytest.raises(InputError, match="`interim_z` must be a finite number above 0"):
        Family("haybittle-peto", -3.0)
    with pytest.raises(InputError, match="must be a spending family here"):
        Family("pocock").cumulative((0.5, 1.0), 0.05)


# --- Power, expected sample and inflation ---


def family(name: str) -> Family:
    """Return the family that the table calls ``obrien_fleming`` or ``wang_tsiatis_0.1``."""
    if name.startswith("wang_tsiatis"):
        return Family("wang-tsiatis", float(name.rpartition("_")[2]))
    return Family(name.replace("_", "-"))


@pytest.mark.golden
def test_inflation_and_expected_samples() -> None:
    for key, case in gold("inflation").items():
        name, alpha, looks, power = key.split("|")
        times, level = equal_looks(int(setting(looks))), setting(alpha)
        upper = family(name).boundary(times, level, sided=2)
        stops = symmetric_stops(times, upper, sided=2)
        drift = drift_for_power(stops, setting(power))
        assert drift == pytest.approx(case["drift"], abs=1.1e-5), key
        ratio = (drift / fixed_drift(level, 2, setting(power))) ** 2
        assert ratio == pytest.approx(case["R"], abs=1.1e-5), key
        points = operating_points(stops, drift * np.array([0.0, 0.5, 1.0]))
        samples = [ratio * point.expected_n for point in points]
        assert samples == pytest.approx(list(case["asn_over_fixed"].values()), abs=2e-5), key


@pytest.mark.golden
@pytest.mark.parametrize(
    ("key", "made"),
    [
        ("OBF K=40", Family("obrien-fleming")),
        ("WT.25 K=40", Family("wang-tsiatis", 0.25)),
        ("LD-OBF K=40", Family("ld-obf")),
        ("HSD-4 K=40", Family("hsd", -4.0)),
    ],
)
def test_many_looks(key: str, made: Family) -> None:
    case, times = gold("many_look_and_mixture_designs_power90")[key], equal_looks(40)
    stops = symmetric_stops(times, made.boundary(times, 0.05, sided=2), sided=2)
    drift, fixed = drift_for_power(stops, 0.9), fixed_drift(0.05, 2, 0.9)
    points = operating_points(stops, drift * np.array([0.0, 0.5, 1.0, 1.5]))
    ratio = (drift / fixed) ** 2
    found = [ratio, *(ratio * point.expected_n for point in points)]
    names = ("R", "asn0", "asn_half", "asn1", "asn_1p5")
    assert found == pytest.approx([case[name] for name in names], abs=6e-4)
    at_fixed = operating_points(stops, np.array([fixed]))[0]
    assert at_fixed.power == pytest.approx(case["power_at_fixed90"], abs=6e-4)


def test_a_negative_drift_mirrors_a_positive_one() -> None:
    stops = symmetric_stops((0.5, 1.0), (2.4, 2.0), sided=2)
    up, down = operating_points(stops, np.array([2.0, -2.0]))
    assert up.power == pytest.approx(down.power, rel=1e-12)
    assert up.expected_n == pytest.approx(down.expected_n, rel=1e-12)
    assert up.stop_efficacy == pytest.approx(down.stop_efficacy, rel=1e-12)


def test_simulated_paths_stop_as_often_as_computed() -> None:
    times, drift, n = np.array([0.2, 0.5, 1.0]), 2.2, 200_000
    upper, inner = np.array([2.8, 2.4, 2.0]), np.array([0.3, 0.7, 0.0])
    rng = np.random.default_rng(11)
    steps = np.diff(times, prepend=0.0)
    walk = np.cumsum(rng.normal(drift * steps, np.sqrt(steps), size=(n, 3)), axis=1)
    z = np.abs(walk / np.sqrt(times))
    rejects, gives_up = z >= upper, z < inner
    stop = np.argmax(rejects | gives_up | [False, False, True], axis=1)
    counts = [np.sum(rejects[np.arange(n), stop] & (stop == k)) for k in range(3)]
    futile = [np.sum(gives_up[np.arange(n), stop] & (stop == k)) for k in range(2)]
    inside = ((-0.3, 0.3), (-0.7, 0.7), None)
    chances = stop_chances(Stops(tuple(times), tuple(upper), tuple(-upper), inside), drift)
    expected = [*(chances.up + chances.down)[0], *chances.inside[0, :2]]
    for seen, chance in zip([*counts, *futile], expected, strict=True):
        assert seen / n == pytest.approx(chance, abs=4 * (chance * (1 - chance) / n) ** 0.5)


def test_an_unreachable_power_is_named() -> None:
    with pytest.raises(ConvergenceError, match="No drift up to 64"):
        increasing_root(lambda drift: -1.0 - drift, 1.0)


# --- The recursion: against exact probabilities, on finer grids, and for any drift ---


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
