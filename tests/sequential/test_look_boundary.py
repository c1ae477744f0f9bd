"""Boundaries at the looks that took place."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.sequential.boundaries import symmetric_stops, type_one_error
from detectable.sequential.design import design
from detectable.sequential.design_result import Design
from detectable.sequential.look_statistic import expected_remaining, look_boundaries

THIRDS = (1 / 3, 2 / 3, 1.0)


def test_spending_families_are_those_of_the_design() -> None:
    made = design("hsd", looks=5)
    for times, final in (((0.2, 0.37), False), ((0.2, 0.37), True), ((0.4, 1.2), True)):
        found, expected = (
            look_boundaries(made, times, final=final),
            made.boundaries_for(times, final=final),
        )
        assert found.z == expected.z
        assert found.alpha_spent == expected.alpha_spent
        assert found.futility == expected.futility[-1]


@pytest.mark.golden
def test_classical_families_at_planned_times() -> None:
    made = design("obrien-fleming", looks=3)
    assert look_boundaries(made, THIRDS).z == pytest.approx(
        [3.471091, 2.454432, 2.004036], abs=1e-6
    )
    assert look_boundaries(made, THIRDS[:2]).z == pytest.approx([3.471091, 2.454432], abs=1e-6)
    assert look_boundaries(made, THIRDS).alpha_spent[-1] == pytest.approx(0.05, abs=1e-6)
    assert look_boundaries(made, THIRDS[:2]).futility == made.futility[1]


def test_a_look_that_is_left_out_makes_the_test_stricter() -> None:
    made = design("pocock", looks=3)
    found = look_boundaries(made, (2 / 3, 1.0))
    assert found.z == pytest.approx([2.289478, 2.289478], abs=1e-6)
    assert found.alpha_spent[-1] < 0.05


@pytest.mark.parametrize("sided", [1, 2])
@pytest.mark.parametrize("family", ["pocock", "obrien-fleming", "haybittle-peto"])
@pytest.mark.parametrize("times", [(0.8,), (1 / 3, 0.5), (1 / 3, 2 / 3), (1 / 3, 2 / 3, 1.1)])
def test_a_declared_end_spends_all_of_alpha(
    family: str, times: tuple[float, ...], sided: int
) -> None:
    made = design(family, looks=3, sided=sided)
    found = look_boundaries(made, times, final=True)
    stops = symmetric_stops(times, found.z, sided=sided)
    assert type_one_error(stops) == pytest.approx(0.05, abs=1e-6)
    assert found.z[:-1] == made.z[: len(times) - 1]
    assert found.futility is None


def test_other_times_are_refused() -> None:
    made = design("pocock", looks=3)
    with pytest.raises(InputError, match="must be planned times of the family pocock"):
        look_boundaries(made, (0.5,))
    with pytest.raises(InputError, match="must be planned times of the family pocock"):
        look_boundaries(made, (0.5, 2 / 3), final=True)
    with pytest.raises(InputError, match="must increase"):
        look_boundaries(made, (2 / 3, 1 / 3))


@pytest.mark.slow
def test_ending_early_because_of_the_data_breaks_the_error_rate() -> None:
    # The numbers that the tutorial warns with: an end for outside reasons keeps .05, an end
    # whenever it would be significant does not.
    made, runs = design("hsd", looks=10), 200_000
    rng = np.random.default_rng(2)
    t = np.array(made.information)
    paths = np.cumsum(rng.standard_normal((runs, 10)) * np.sqrt(0.1), axis=1)
    z = np.abs(paths / np.sqrt(t))
    last = np.array(
        [look_boundaries(made, made.information[: k + 1], final=True).z[-1] for k in range(10)]
    )
    end = rng.integers(2, 10, runs)
    looks = np.arange(10)
    bound = np.where(looks == end[:, None], last, np.array(made.z))
    honest = ((z >= bound) & (looks <= end[:, None])).any(axis=1).mean()
    assert honest == pytest.approx(0.05, abs=3.0 * (0.05 * 0.95 / runs) ** 0.5)
    cheating = (z >= last).any(axis=1).mean()
    assert cheating == pytest.approx(0.187, abs=0.003)


# --- What is expected to be needed after a look, against simulation ---


def simulated(plan: Design, t: float, z: float, drift: float, runs: int) -> tuple[float, float]:
    """Return the mean share still needed and its standard error."""
    rng = np.random.default_rng(5)
    total, now = np.full(runs, z * math.sqrt(t)), t
    going, used = np.ones(runs, dtype=bool), np.zeros(runs)
    for k, time in enumerate(plan.information):
        if time <= t + 1e-9:
            continue
        step = time - now
        total = total + drift * step + math.sqrt(step) * rng.standard_normal(runs)
        now = time
        used[going] = time - t
        at = total / math.sqrt(time)
        size = np.abs(at) if plan.sided == 2 else at
        stop = size >= plan.z[k]
        if (bound := plan.futility[k]) is not None:
            stop |= size < bound
        going &= ~stop
    return float(used.mean()), float(used.std() / math.sqrt(runs))


@pytest.mark.parametrize(
    ("sided", "t", "z", "drift"),
    [
        (2, 0.5, 2.5, None),
        (2, 0.5, 0.5, 0.0),
        (2, 0.3, -1.0, None),
        (2, 0.15, 0.5, 3.0),  # between two planned looks
        (1, 0.4, 1.2, None),
        (1, 0.4, 1.2, 0.0),
    ],
)
def test_the_expected_rest_is_that_of_simulation(
    sided: int, t: float, z: float, drift: float | None
) -> None:
    plan = design("hsd", looks=10, sided=sided)
    found = expected_remaining(plan, t=t, z=z, drift=drift)
    assumed = z / math.sqrt(t) if drift is None else drift
    mean, error = simulated(plan, t, z, assumed, 100_000)
    assert found == pytest.approx(mean, abs=4.0 * error)


def test_nothing_remains_at_the_end() -> None:
    assert expected_remaining(design("hsd", looks=5), t=1.0, z=1.0) == 0.0


def test_directions_mirror_each_other() -> None:
    plan = design("ld-obf", looks=4)
    up, down = (expected_remaining(plan, t=0.25, z=z) for z in (1.3, -1.3))
    assert up == pytest.approx(down)
