"""What is expected to be needed after a look, against simulation."""

import math

import numpy as np
import pytest

from detectable.sequential.design import design
from detectable.sequential.design_result import Design
from detectable.sequential.look_boundary import expected_remaining


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
