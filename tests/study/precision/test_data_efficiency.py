"""What a metric is worth in judgments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.study.precision.control_variate_result import (
    data_efficiency,
    observed_data_efficiency,
    within_system_correlation,
)


@pytest.mark.golden
@pytest.mark.parametrize(("rho", "published"), [(1.0, 1.30), (0.5, 1.06), (0.2, 1.01)])
def test_table_3_of_wei_et_al(rho: float, published: float) -> None:
    found = data_efficiency(rho, gamma=(1 - 0.231) / 0.231)
    assert found == pytest.approx(published, abs=0.005)


@given(st.floats(-0.99, 0.99), st.floats(0.01, 50))
def test_both_forms_are_one_number(rho: float, gamma: float) -> None:
    seen = rho / (1 + gamma) ** 0.5
    assert observed_data_efficiency(seen) == pytest.approx(data_efficiency(rho, gamma=gamma))


def test_limits() -> None:
    assert data_efficiency(0.0, gamma=2.0) == 1.0
    assert data_efficiency(0.9, gamma=math.inf) == 1.0
    assert data_efficiency(1.0, gamma=0.0) == math.inf
    assert observed_data_efficiency(-1.0) == math.inf
    with pytest.raises(InputError, match="`correlation` must lie between -1 and 1"):
        data_efficiency(1.2, gamma=1.0)
    with pytest.raises(InputError, match="`gamma` must be at least 0"):
        data_efficiency(0.2, gamma=-1.0)


def test_correlation_is_taken_within_systems() -> None:
    rng = np.random.default_rng(1)
    metric = rng.normal(size=400)
    system = np.repeat(["A", "B"], 200)
    score = 50 + 3 * metric + rng.normal(0, 4, 400) + 30 * (system == "B")
    columns = {"system": system, "item": np.arange(400), "score": score}
    judgments = Judgments.build(columns, scale=(-100, 200))
    metric[:10] = np.nan
    found, n = within_system_correlation(judgments, metric)
    parts = [slice(10, 200), slice(200, 400)]
    x = np.concatenate([metric[p] - metric[p].mean() for p in parts])
    y = np.concatenate([score[p] - score[p].mean() for p in parts])
    assert found == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert n == 390
    with pytest.raises(InputError, match="one value for each of the 400 judgments"):
        within_system_correlation(judgments, metric[:5])
    with pytest.raises(DataError, match="no correlation"):
        within_system_correlation(judgments, np.full(400, np.nan))
