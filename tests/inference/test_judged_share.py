"""A share corrected for a judge's errors: published intervals, coverage, and the coin."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.inference.agreement import JudgedShare
from tests.helpers import golden


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("judged_share"), ids=lambda case: case["name"])
def test_published_intervals(case: dict[str, Any]) -> None:
    sizes = {name: case[name] for name in ("n_pool", "n_right", "n_wrong")}
    found = JudgedShare(case["judged"], case["sensitivity"], case["specificity"], **sizes)
    made = found.interval(case["level"])
    assert [made.low, made.high] == pytest.approx(case["interval"], abs=1e-12)
    assert made.level == case["level"]


def test_the_power_of_a_judge_has_the_interval_of_agresti_and_caffo() -> None:
    # 18 of 20 and 2 of 10 with a success and a failure more: 19/22 − 3/12.
    found = JudgedShare(0.5, 0.9, 0.8, 1000, 20, 10)
    made = found.power_interval(0.95)
    error = (19 * 3 / 22**3 + 9 * 3 / 12**3) ** 0.5
    assert found.power == pytest.approx(0.7)
    assert made.low == pytest.approx(19 / 22 - 3 / 12 - 1.959964 * error, abs=1e-6)
    assert made.high == pytest.approx(19 / 22 - 3 / 12 + 1.959964 * error, abs=1e-6)


def test_a_judge_without_an_error_may_still_err() -> None:
    made = JudgedShare(0.5, 1.0, 1.0, 100, 5, 5).interval(0.95)
    assert made.low < 0.4 < 0.6 < made.high
    assert JudgedShare(0.5, 1.0, 1.0, 100, 5, 5).power_interval(0.95).high - 5 / 7 > 0.3


counts = st.integers(5, 60)


@given(data=st.data())
def test_the_estimate_lies_in_its_interval_and_turning_right_and_wrong_mirrors_it(
    data: st.DataObject,
) -> None:
    n, n1, n0 = data.draw(st.integers(10, 2000)), data.draw(counts), data.draw(counts)
    x, tp, tn = (data.draw(st.integers(0, most)) for most in (n, n1, n0))
    found = JudgedShare(x / n, tp / n1, tn / n0, n, n1, n0)
    if found.power_interval(0.95).low <= 0.0 or not 0.0 <= found.share <= 1.0:
        return
    made = found.interval(0.95)
    assert 0.0 <= made.low <= found.share <= made.high <= 1.0
    turned = JudgedShare(1 - x / n, tn / n0, tp / n1, n, n0, n1).interval(0.95)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((made.low, made.high), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("labels", [30, 60, 200])
def test_intervals_cover(share: float, labels: int) -> None:
    rng, trials, held, asked = np.random.default_rng([labels, int(100 * share)]), 4000, 0, 0
    for _ in range(trials):
        n1 = int(np.clip(rng.binomial(labels, 0.6), 5, labels - 5))
        n0 = labels - n1
        se, sp = rng.binomial(n1, 0.9) / n1, rng.binomial(n0, 0.8) / n0
        p = rng.binomial(1000, 0.9 * share + 0.2 * (1 - share)) / 1000
        found = JudgedShare(p, se, sp, 1000, n1, n0)
        if found.power_interval(0.95).low <= 0.0 or not 1 - sp <= p <= se:
            continue  # refused
        asked += 1
        held += share in found.interval(0.95)
    assert held / asked > 0.95 - 3 * (0.05 * 0.95 / asked) ** 0.5
