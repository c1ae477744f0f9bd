import pytest

from detectable.inference.shares import chance_interval, equal_values_interval
from detectable.inference.standard_errors import Estimate
from tests.gold_evals import evals


@pytest.mark.golden
def test_all_of_fifty_pass() -> None:
    found = equal_values_interval(1.0, 50, 0.95, (0.0, 1.0))
    assert [found.low, found.high] == pytest.approx(evals("ci.cp_50_50"), rel=1e-6)


def test_values_between_the_ends_may_lie_on_both_sides() -> None:
    found = equal_values_interval(0.25, 10, 0.95, (-1.0, 1.0))
    share = 1 - 0.025 ** (1 / 10)
    assert (found.low, found.high) == pytest.approx((0.25 - 1.25 * share, 0.25 + 0.75 * share))
    assert found.level == 0.95


def test_where_values_vary_it_is_a_t_interval_on_the_scale() -> None:
    wide = chance_interval(Estimate(0.9, 0.1, 20.0), 0.95, (0.0, 1.0))
    assert wide.high == 1.0
    assert wide.low == pytest.approx(0.9 - 0.1 * 2.0859634, abs=1e-6)
    low = chance_interval(Estimate(0.1, 0.1, 20.0), 0.95, (0.0, 1.0))
    assert low.low == 0.0
    equal = chance_interval(Estimate(0.0, 0.0, 19.0), 0.95, (0.0, 1.0))
    assert (equal.low, equal.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))
