"""What control variates say of a pair, from a row made by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.data.human.judgments import Judgments
from detectable.study.precision.control_variate_result import (
    AdjustedDifference,
    ControlVariates,
    data_efficiency,
    observed_data_efficiency,
    within_system_correlation,
)

PAIR = AdjustedDifference(
    system="new",
    baseline="old",
    difference=3.59,
    standard_error=1.0,
    df=98.0,
    interval=Interval(1.58, 5.59, 0.95),
    p_value=0.0005,
    p_adjusted=0.001,
    verdict="better",
    plain_estimate=3.61,
    plain_standard_error=1.25,
    plain_p_value=0.0015,
    plain_p_adjusted=0.003,
    correlation=0.6,
    paired=True,
    n=100,
)


def said(pair: AdjustedDifference, saved: float = 0.36) -> list[str]:
    made = ControlVariates(
        metric="chrf",
        systems=(),
        pairs=(pair,),
        correlation=0.6,
        data_efficiency=1.5625,
        quality_share=None,
        true_correlation=0.6,
        true_data_efficiency=1.5625,
        saved=saved,
        target="domain",
        unit="item",
        alpha=0.05,
        notes=(),
        signature=Signature("control-variates", {}),
    )
    return made.summary().splitlines()


def test_the_sentence_of_a_pair() -> None:
    numbers = "+3.59 [+1.58, +5.59], p = .0010 (without the metric +3.61, p = .0030)."
    assert said(PAIR)[1] == f"new is better than old: {numbers}"
    assert said(replace(PAIR, verdict="worse"))[1] == f"new is worse than old: {numbers}"
    undecided = said(replace(PAIR, verdict="undecided"))
    assert undecided[1] == f"undecided between new and old: {numbers}"


def test_what_the_metric_saves() -> None:
    assert PAIR.saved == 1.0 - 0.8**2
    assert said(PAIR)[0] == (
        "With chrf the same precision takes 36% fewer judgments (correlation 0.60 within "
        "systems, data efficiency 1.56)."
    )
    assert said(PAIR, saved=0.004)[0].startswith("chrf saves no judgments here (")


# --- What a metric is worth in judgments ---


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
