"""Conditional and predictive power, and the conditional error."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from detectable.core.errors import InputError
from detectable.sequential.boundaries import grid_for, surviving
from detectable.sequential.design import design
from detectable.sequential.futility import (
    conditional_error,
    conditional_power,
    conditional_power_bound,
    conditional_rejection,
    predictive_power,
    predictive_power_bound,
)
from tests.sequential.gold import gold


@pytest.mark.golden
def test_what_the_rule_of_the_paper_means() -> None:
    plan = design("pocock", looks=3, futility="none", power=0.9)
    for key, case in gold("p_gt_0.5_equivalents_in_conditional_power").items():
        t, z, c = round(3 * float(key[2:])) / 3, case["z"], plan.z[-1]
        assert conditional_power(z, t, c) == pytest.approx(case["cp_trend"], abs=1e-6)
        assert predictive_power(z, t, c) == pytest.approx(case["pred_power"], abs=1e-6)
        # The table has the drift 3.4769 here; its own inflation gives 3.4771, and so do we.
        planned = conditional_power(z, t, c, drift=3.4769)
        assert planned == pytest.approx(case["cp_design_power90"], abs=5e-6)
    assert plan.drift == pytest.approx(3.4771, abs=1e-5)


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.9), st.floats(1.0, 5.0))
def test_bounds_are_where_power_meets_the_threshold(t: float, g: float, drift: float) -> None:
    c = 2.0
    assert conditional_power(conditional_power_bound(t, c, g), t, c) == pytest.approx(g)
    z = conditional_power_bound(t, c, g, drift=drift)
    assert conditional_power(z, t, c, drift=drift) == pytest.approx(g)
    assert predictive_power(predictive_power_bound(t, c, g), t, c) == pytest.approx(g)


def test_predictive_power_averages_conditional_power() -> None:
    z, t, c = 0.8, 0.4, 2.1
    rng = np.random.default_rng(3)
    drifts = (z + rng.normal(size=400_000)) / math.sqrt(t)  # a flat prior's posterior
    powers = ndtr((z * math.sqrt(t) + drifts * (1 - t) - c) / math.sqrt(1 - t))
    error = powers.std() / len(powers) ** 0.5
    assert powers.mean() == pytest.approx(predictive_power(z, t, c), abs=4 * error)


def test_one_look_left_has_a_closed_form() -> None:
    found = conditional_rejection((0.4, 1.0), (2.6, 2.0), None, stage=1, z=1.1, drift=2.0)
    assert found.upward == pytest.approx(conditional_power(1.1, 0.4, 2.0, drift=2.0), abs=1e-12)
    assert found.downward == 0.0


@pytest.mark.parametrize("stage", [1, 2])
@pytest.mark.parametrize("sided", [1, 2])
def test_conditional_errors_add_up_to_what_is_left_of_alpha(stage: int, sided: int) -> None:
    """By quadrature: their mean over the paths that go on is alpha minus what is spent."""
    plan = design("hsd", looks=4, futility="none", sided=sided)
    paths = surviving(plan.stops.without_inside(), grid_for(4))[stage]
    errors = [
        conditional_error(plan.information, plan.z, plan.z_lower, stage=stage, z=z).either
        for z in paths.nodes.tolist()
    ]
    left = plan.alpha - plan.alpha_spent[stage - 1]
    assert float(paths.mass @ errors) == pytest.approx(left, abs=1e-8)


@pytest.mark.golden
def test_conditional_error_as_in_rpact() -> None:
    """rpact 3.3.4, getConditionalRejectionProbabilities, z = 1.2 at 30 % of the information."""
    plan = design("hsd", at=(0.3, 0.7, 1.0), sided=1, alpha=0.025, futility="none")
    found = conditional_error(plan.information, plan.z, None, stage=1, z=1.2)
    assert found.upward == pytest.approx(0.05770790, abs=5e-8)


def test_conditional_error_by_simulation() -> None:
    plan = design("pocock", looks=3, futility="none", power=0.9)
    found = conditional_error(plan.information, plan.z, plan.z_lower, stage=1, z=1.5)
    rng, n = np.random.default_rng(8), 400_000
    start = 1.5 * math.sqrt(1 / 3)
    walk = start + np.cumsum(rng.normal(0.0, math.sqrt(1 / 3), size=(n, 2)), axis=1)
    z = walk / np.sqrt([2 / 3, 1.0])
    first_up, first_down = z[:, 0] >= plan.z[1], z[:, 0] <= -plan.z[1]
    on = ~(first_up | first_down)
    up = (first_up | (on & (z[:, 1] >= plan.z[2]))).mean()
    assert up == pytest.approx(found.upward, abs=4 * (up * (1 - up) / n) ** 0.5)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="`stage` must be an interim look, from 1 to 1; got 2"):
        conditional_error((0.5, 1.0), (2.6, 2.0), None, stage=2, z=1.0)
    with pytest.raises(InputError, match="`z` must lie inside the boundaries of look 1"):
        conditional_error((0.5, 1.0), (2.6, 2.0), None, stage=1, z=2.7)
