"""The picture of a design says where it stops."""

import math

import pytest

from detectable.report.blocks_of import blocks_of
from detectable.report.shown.design import boundary_title, design_charts, stop_regions
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


def test_titles_say_what_it_takes_to_stop() -> None:
    assert boundary_title(results.design()) == (
        "Look 2 stops from |z| = 2.75 on, the last from 2.01"
    )
    assert boundary_title(design("pocock", looks=3)) == "Every look stops from |z| = 2.29 on"
    one_sided = design(looks=3, sided=1)
    assert boundary_title(one_sided) == (
        f"Look 1 stops from z = {one_sided.z[0]:.2f} on, the last from {one_sided.z[2]:.2f}"
    )
    late = results.design(z=(math.inf, math.inf, 1.96))
    assert boundary_title(late) == "Only the last look can stop, from |z| = 1.96 on"


def test_captions_and_alternatives_say_what_is_there() -> None:
    made = next(design_charts(results.design()))
    assert made.caption == (
        "Blue and orange: stop with a result. Grey: giving up is advised. α: spent up to each "
        "look. It stops only at looks, ● each."
    )
    assert made.alt == (
        f"{made.title}. 300 items: not reachable, α spent .0001; 600 items: 2.75, futile below "
        "0.31, α spent .0062; 1,200 items: 2.01, α spent .0500."
    )
    assert (made.id, made.twin, made.key) == ("boundaries", "looks", True)
    bound = next(design_charts(results.design(binding=True, sided=1)))
    assert bound.caption.startswith(
        "Blue: stop with a result. Grey: giving up is part of the plan."
    )
    plain = next(design_charts(results.design(futility=(None,) * 3)))
    assert "Grey" not in plain.caption


def test_many_looks_are_told_by_three() -> None:
    made = next(design_charts(design(looks=10)))
    told = made.alt.removeprefix(f"{made.title}. ").split("; ")
    assert [part.split(":")[0] for part in told] == ["10%", "60%", "100%"]


@pytest.mark.parametrize("looks", [2, 7, 40])
@pytest.mark.parametrize("n_max", [None, 1_234_567])
def test_real_designs_are_readable(looks: int, n_max: int | None) -> None:
    check(blocks_of(design(looks=looks, n_max=n_max)))
