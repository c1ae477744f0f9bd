"""Families, corrections and intervals that agree with their p-values."""

import math

import numpy as np
import pytest

from detectable.contrasts.analysis import (
    agreeing,
    by_t,
    families,
    family_sizes,
    stepwise,
    t_margins,
    t_p_value,
)
from detectable.core.interval import Interval
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import Estimate

SHAPE = (3, 2)  # pairs, metrics


def test_families_are_metrics_or_everything() -> None:
    assert [group.tolist() for group in families(SHAPE, "systems")] == [[0, 2, 4], [1, 3, 5]]
    [everything] = families(SHAPE, "systems-and-metrics")
    assert everything.tolist() == [0, 1, 2, 3, 4, 5]
    assert family_sizes(SHAPE, families(SHAPE, "systems")).tolist() == [[3.0, 3.0]] * 3
    assert family_sizes(SHAPE, (everything,)).tolist() == [[6.0, 6.0]] * 3


def test_holm_runs_within_each_family_and_leaves_gaps() -> None:
    p = np.array([[0.01, 0.04], [0.02, math.nan], [0.5, 0.03]])
    found = stepwise(p, families(SHAPE, "systems"), "holm")
    assert found[:, 0].tolist() == holm(p[:, 0]).tolist()
    assert [found[0, 1], found[2, 1]] == holm(np.array([0.04, 0.03])).tolist()
    assert math.isnan(found[1, 1])
    assert stepwise(p, families(SHAPE, "systems"), "none") is p
    assert p[0, 0] == 0.01  # not changed in place


def test_nothing_is_claimed_where_nothing_varies() -> None:
    assert t_p_value(Estimate(0.3, 0.0, 4.0)) == 1.0
    assert t_p_value(Estimate(0.3, math.nan, math.nan)) == 1.0
    assert t_p_value(Estimate(2.0, 1.0, 1.0)) == pytest.approx(1 - 2 * math.atan(2) / math.pi)
    found = t_margins(
        [[Estimate(0.3, 0.0, 4.0), Estimate(0.3, 0.1, 4.0)]], np.array([1.0, 1.0])
    )
    assert (found.above[0, 0], found.below[0, 0]) == (1.0, 1.0)
    assert max(found.above[0, 1], found.below[0, 1]) < 0.01


def test_margins_that_are_not_given_have_no_p_value() -> None:
    found = t_margins([[Estimate(0.3, 0.1, 4.0)]], np.array([math.nan]))
    assert math.isnan(found.above[0, 0])
    assert math.isnan(found.below[0, 0])


@pytest.mark.parametrize(
    ("value", "p", "interval", "wanted"),
    [
        (1.0, 0.05, (-0.2, 2.0), (math.ulp(0.0), 2.0)),  # p of exactly α rejects
        (1.0, 0.051, (0.2, 2.0), (0.0, 2.0)),
        (-1.0, 0.01, (-2.0, 0.1), (-2.0, -math.ulp(0.0))),
        (-1.0, 0.2, (-2.0, -0.1), (-2.0, 0.0)),
        (0.0, 0.01, (-1.0, 1.0), (-1.0, 1.0)),  # a difference of 0 decides nothing
    ],
)
def test_intervals_hold_zero_unless_it_was_rejected(
    value: float, p: float, interval: tuple[float, float], wanted: tuple[float, float]
) -> None:
    cells = [[Estimate(value, 1.0, 9.0)]]
    [[found]] = agreeing(cells, np.array([[p]]), 0.05, lambda *_: Interval(*interval, 0.95))
    assert (found.low, found.high) == wanted


def test_by_t_shares_alpha_among_the_tests() -> None:
    cells = [[Estimate(value, 1.0, 20.0)] for value in (4.0, 2.4, 0.5)]
    groups = families((3, 1), "systems")
    found = by_t(cells, np.array([math.nan]), groups, "holm", alpha=0.05, power=0.8)
    assert found.level.tolist() == [[0.05 / 3]] * 3
    assert found.p_adjusted.ravel().tolist() == holm(found.p_values.ravel()).tolist()
    for p, cell in enumerate(cells):
        assert found.mde[p, 0] == cell[0].detectable(alpha=0.05 / 3, power=0.8)
        assert found.interval_alone(p, 0, 0.05) == cell[0].interval(0.95)
    wide = cells[0][0].interval(1 - 0.05 / 3)
    assert found.intervals[0][0] == Interval(wide.low, wide.high, 0.95)
    assert not found.attainable.any()
    assert not found.attainable_margin.any()
    plain = by_t(cells, np.array([math.nan]), groups, "none", alpha=0.05, power=0.8)
    assert plain.p_adjusted.tolist() == plain.p_values.tolist()
    assert plain.level.tolist() == [[0.05]] * 3
