"""The picture of a design says where it stops."""

import math

import pytest

from detectable.report.blocks_of import blocks_of
from detectable.report.shown.design import stop_regions
from detectable.sequential.design import design
from tests.report import results
from tests.report.charts.drawn import check


def test_regions_are_those_of_the_design_in_items() -> None:
    regions = stop_regions(results.design())
    assert [look.at for look in regions.looks] == [300, 600, 1200]
    assert [look.upper for look in regions.looks] == [math.inf, 2.75, 2.0125]
    assert [look.lower for look in regions.looks] == [-math.inf, -2.75, -2.0125]
    assert [look.futile for look in regions.looks] == [None, (-0.3125, 0.3125), None]
    assert [look.spent for look in regions.looks] == [0.0001, 0.0062, 0.05]
    assert (regions.unit, regions.shares) == ("items judged for both systems", False)


def test_without_a_number_of_items_they_are_in_shares() -> None:
    regions = stop_regions(results.design(items=None, n_max=None, sided=1))
    assert [look.at for look in regions.looks] == [0.25, 0.5, 1.0]
    assert [look.lower for look in regions.looks] == [-math.inf] * 3
    assert regions.looks[1].futile == (-math.inf, 0.3125)
    assert (regions.unit, regions.shares) == ("share of the planned maximum", True)


@pytest.mark.parametrize("looks", [2, 7, 40])
@pytest.mark.parametrize("n_max", [None, 1_234_567])
def test_real_designs_are_readable(looks: int, n_max: int | None) -> None:
    check(blocks_of(design(looks=looks, n_max=n_max)))
