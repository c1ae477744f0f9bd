"""Boundaries of all families."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.sequential.boundaries import (
    haybittle_peto_boundary,
    spending_boundary,
    symmetric_stops,
    type_one_error,
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
