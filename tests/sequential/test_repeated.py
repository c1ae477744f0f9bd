"""Repeated intervals and p-values."""

import math

import numpy as np
import pytest

from detectable.core.errors import InputError
from detectable.sequential.design import design
from detectable.sequential.stagewise import repeated_interval, repeated_p_value


def test_all_looks_together_cover_the_truth() -> None:
    plan, drift, n = design("hsd", looks=5), 1.7, 200_000
    rng, times = np.random.default_rng(4), np.array(plan.information)
    steps = np.diff(times, prepend=0.0)
    walk = np.cumsum(rng.normal(drift * steps, np.sqrt(steps), (n, 5)), axis=1)
    distance = np.abs(walk / times - drift)  # estimates have the standard error 1 / sqrt(t)
    covered = np.mean((distance < np.array(plan.z) / np.sqrt(times)).all(axis=1))
    assert covered == pytest.approx(0.95, abs=4 * (0.95 * 0.05 / n) ** 0.5)


@pytest.mark.parametrize("family", ["hsd", "ld-obf", "pocock"])
@pytest.mark.parametrize("sided", [1, 2])
def test_the_p_value_is_alpha_at_the_boundary(family: str, sided: int) -> None:
    plan = design(family, looks=4, sided=sided)
    for look in range(1, 5):
        p = plan.repeated_p(plan.information[:look], plan.z[look - 1])
        assert p == pytest.approx(0.05, abs=1e-6)
    assert plan.repeated_p(plan.information[:2], 10.0) < 0.05
    assert plan.repeated_p(plan.information[:2], plan.z[1] - 0.1) > 0.05


def test_the_p_value_of_a_two_sided_test_ignores_the_sign() -> None:
    plan = design(looks=3)
    times = (0.2, 0.7)
    assert plan.repeated_p(times, -2.9) == pytest.approx(plan.repeated_p(times, 2.9))
    final = plan.repeated_p(times, 2.5, final=True)
    assert final < plan.repeated_p(times, 2.5)


def test_weak_and_overwhelming_evidence() -> None:
    plan = design(looks=3)
    assert plan.repeated_p((1 / 3,), 0.01) == 1.0
    assert repeated_p_value(50.0, lambda alpha: -math.log(alpha)) == 1e-10


def test_an_infinite_boundary_gives_an_infinite_interval() -> None:
    found = repeated_interval(1.0, 0.5, math.inf).interval
    assert found.low == -math.inf
    assert found.high == math.inf
    with pytest.raises(InputError, match="`standard_error` must be a finite number above 0"):
        repeated_interval(1.0, 0.0, 2.0)
