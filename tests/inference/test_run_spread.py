"""Several runs: clark2011's standard deviations."""

import math

import numpy as np
import pytest

from detectable.inference.runs import deviation, run_spread
from tests.samples import mean_sample


def test_the_spread_of_known_runs() -> None:
    runs = np.array([[1.0, 3.0], [2.0, 6.0], [0.0, 2.0]])
    spread = run_spread(mean_sample(runs), 0, dev_scores=np.array([1.0, 2.0, 3.0]))
    assert spread.runs.tolist() == [2.0, 4.0, 1.0]
    assert spread.s_test == pytest.approx(np.std([2, 4, 1], ddof=1))
    assert spread.s_dev == 1.0
    assert spread.s_sel == pytest.approx(np.mean([1.0, 2.0, 1.0]))
    assert spread.median_run == 0


def test_of_two_runs_the_higher_is_the_median_as_in_multeval() -> None:
    assert run_spread(mean_sample(np.array([[5.0, 5.0], [1.0, 1.0]])), 0).median_run == 0


def test_one_run_has_no_spread_over_runs() -> None:
    spread = run_spread(mean_sample([1.0, 2.0]), 0)
    assert math.isnan(spread.s_test)
    assert math.isnan(spread.s_dev)


def test_two_runs_have_a_deviation() -> None:
    assert deviation(np.array([1.0, 3.0])) == pytest.approx(math.sqrt(2.0))
    assert math.isnan(deviation(np.array([1.0])))
