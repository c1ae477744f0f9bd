"""The pictures of planning say what the results say."""

import itertools
import math
from dataclasses import replace
from typing import Any

import pytest

import detectable as dt
from detectable.core.wording import percent
from detectable.planning.nearby import NearbyPower, PowerLine
from detectable.planning.result import PlanningAnswer, PowerCurve
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.design import stop_regions
from detectable.report.shown.planning_pictures import (
    answer_charts,
    curve_charts,
    design_lines,
    worth_of,
)
from detectable.sequential.design import design
from tests.report import results
from tests.report.charts.drawn import LONG, check
from tests.report.shown.shown import csv_lines, rows, table_of

RANK_SUM = dt.scenarios.RankSum()


def chart(answer: PlanningAnswer, place: int = 0) -> Chart:
    return list(answer_charts(answer))[place]


def by_size(**changes: Any) -> NearbyPower:
    """Return power by size for three effects."""
    made = NearbyPower(
        n_items=(200, 400, 600, 800),
        effect=(0.2, 0.25, 0.3125),
        power=((0.2, 0.3, 0.45), (0.4, 0.55, 0.75), (0.6, 0.8, 0.93), (0.85, 0.92, 0.99)),
        type_m=((3.0, 2.5, 2.0), (2.0, 1.5, 1.25), (1.25, 1.12, 1.06), (1.2, 1.1, 1.0)),
        type_s=((0.05, 0.04, 0.03),) * 4,
        span=(0.0, 800.0),
    )
    return replace(made, **changes)


def test_the_line_asked_for_is_the_strong_one_and_holds_the_answer() -> None:
    layers = chart(results.power_estimate()).make(720)["layer"]
    lines = [layer for layer in layers if layer["mark"]["type"] == "line"]
    strong = max(lines, key=lambda layer: layer["mark"]["strokeWidth"])
    rows = [(row["x"], row["power"]) for row in strong["data"]["values"]]
    nearby = results.nearby_power()
    assert set(zip(nearby.effect, nearby.power[1], strict=True)) <= set(rows)
    smallest = [row["x"] for row in lines[0]["data"]["values"]]
    assert max(smallest) < max(nearby.effect)  # the largest effect is not possible there
    assert sorted(rows) == rows
    # Between its points a line runs as it is read off: straight in the quantiles of power.
    steps = [b[0] - a[0] for a, b in itertools.pairwise(rows[:5])]
    assert len(rows) > len(nearby.effect)
    assert max(steps) - min(steps) < 1e-12
    dots = [layer["data"]["values"] for layer in layers if layer["mark"]["type"] == "point"]
    assert dots == [[{"x": 0.5, "power": 0.8125}]]


def test_what_a_finding_is_worth_is_that_of_its_own_line() -> None:
    made = chart(results.power_estimate(), 1)
    assert made.title == (
        "At 81% power a significant estimate is 1.12 times the truth on average"
    )
    assert made.alt.endswith(
        "and <0.1% have the wrong sign. At 29% power it is 2.5 times, and 0.8% have the wrong sign."
    )
    assert [one.exaggeration for one in worth_of(results.power_estimate())] == [
        *(4.5, 2.5, 1.5, 1.125, 1.05, 1.0)
    ]
    sized = results.sample_size(n_items=600, attainable=True, nearby=by_size())
    assert [one.exaggeration for one in worth_of(sized)] == [2.5, 1.5, 1.12, 1.1]
    assert [one.power for one in worth_of(sized)] == [0.3, 0.55, 0.8, 0.92]


def test_a_share_is_never_said_to_be_all_of_it() -> None:
    assert [percent(x) for x in (0.994, 0.999, 1.0)] == ["99%", "over 99%", "100%"]


# Grids


def curve(sizes: list[int], effects: list[float]) -> PowerCurve:
    return dt.power_curve(RANK_SUM, n_items=sizes, effect=effects)


def test_sizes_of_one_effect_are_on_a_log_scale_from_fifty_times_on() -> None:
    def title(sizes: list[int]) -> str:
        made = next(curve_charts(curve(sizes, [0.47])))
        return str(made.make(720)["layer"][1]["encoding"]["x"]["title"])

    assert title([100, 5000]).endswith("(log scale)")
    assert not title([100, 4900]).endswith("(log scale)")


@pytest.mark.parametrize(
    "answer",
    [
        dt.power(dt.scenarios.Accuracy(agreement=0.95), n_items=1_000_000, effect=0.0004),
        dt.mde(RANK_SUM, n_items=12, power=0.9),
        dt.sample_size(dt.scenarios.Preference(ties=0.2), effect=0.51),
        dt.power(
            dt.scenarios.AccuracyMargin(
                dt.scenarios.Accuracy(agreement=0.95), margin=0.02, claim="non-inferior"
            ),
            n_items=4500,
            effect=0.0,
        ),
        dt.power_curve(
            dt.scenarios.Bleu(),
            n_items=[500, 1000, 2000, 3000, 5000, 9000],
            effect=[0.25 * k for k in range(1, 14)],
        ),
        dt.power_curves(
            {f"agreement {a}": dt.scenarios.Accuracy(agreement=a) for a in (0.7, 0.95)},
            n_items=[100, 250, 500, 1000, 5000],
            effect=[0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05],
        ),
        dt.power_curves(
            {
                f"{preset}, {raters} raters": dt.scenarios.Likert(
                    n_raters=raters, preset=preset, test="card"
                )
                for preset in ("card-high", "card-low")
                for raters in (3, 10)
            },
            n_items=[50, 100, 500],
            effect=[0.1, 0.2, 0.4],
        ),
        dt.power_curves(
            {f"P0 = {p}": dt.scenarios.Bleu(p0=p) for p in (0.05, 0.13, 0.25)},
            n_items=[2000],
            effect=[1.0],
        ),
    ],
    ids=["huge", "tiny", "sign-test", "margin", "grid", "agreements", "raters", "one-point"],
)
def test_real_results_are_readable(answer: Any) -> None:
    check(blocks_of(answer))


def test_a_dot_where_a_line_reaches_a_power_lies_on_the_line_as_drawn() -> None:
    line = PowerLine("500", ((0.2, 0.5), (0.4, 0.95)))
    x = line.where(0.8)
    assert x is not None
    course = line.course()
    assert course[0] == (0.2, 0.5)
    assert course[-1] == (0.4, 0.95)
    left, right = next((a, b) for a, b in itertools.pairwise(course) if a[0] <= x <= b[0])
    share = (x - left[0]) / (right[0] - left[0])
    drawn = left[1] + share * (right[1] - left[1])
    assert abs(drawn - 0.8) < 0.002
    assert abs(0.5 + (x - 0.2) / 0.2 * 0.45 - 0.8) > 0.05  # a straight line would miss it


# --- What a planning answer shows, against one made by hand ---


def test_csv_keeps_all_digits() -> None:
    third = table_of(results.power_estimate(power=1.0 / 3.0), "details")
    assert rows(third)[0] == "power | 0.333333"
    assert csv_lines(third)[1] == "power,0.3333333333333333"


# --- The picture of designs by cost says what the result says ---


def test_a_line_per_number_of_raters_with_the_best_marked() -> None:
    lines = design_lines(results.cheapest_design())
    assert [line.name for line in lines] == ["2 raters", "5 raters", "8 raters"]
    assert [line.own for line in lines] == [False, True, False]
    assert lines[1].points == ((475.0, 0.55), (925.0, 0.805), (1825.0, 0.95))
    assert lines[1].marks == ((925.0, 0.805, "925"),)
    assert lines[0].marks == ()


def test_long_names_are_readable() -> None:
    found = results.cheapest_design()
    nearby = tuple(
        replace(one, test=LONG if one.n_raters == 8 else "two-means") for one in found.nearby
    )
    assert found.best is not None
    best = replace(found.best, test="two-means")
    check(blocks_of(replace(found, best=best, options=(best,), nearby=nearby)))


def test_a_real_search_is_readable_and_its_designs_cost_what_they_say() -> None:
    costs = dt.Costs(judgment=1.0, item=0.5)
    scenario = dt.scenarios.Ratings(mean=75, sd=20, correlation=0.5, test="paired-mean")
    found = dt.cheapest(scenario, effect=3, costs=costs, rng=1)
    check(blocks_of(found))
    assert {one.test for one in found.nearby} == {"paired-mean", "two-means"}
    for one in found.nearby:
        assert one.cost == one.n_judgments + 0.5 * one.n_items
    paired = [one for one in found.nearby if one.test == "paired-mean"]
    assert [one.power for one in paired] == pytest.approx(
        [
            dt.power(
                replace(scenario, method="closed-form"), n_items=one.n_items, effect=3
            ).power
            for one in paired
        ]
    )


@pytest.mark.slow
def test_likert_designs_around_the_best_have_their_own_power() -> None:
    plan = dt.scenarios.Likert(n_raters=3, preset="card-low")
    found = dt.cheapest(plan, effect=0.2, costs=dt.Costs(judgment=0.1, rater=5.0), max_raters=6)
    assert found.best is not None
    assert sorted({one.n_raters for one in found.nearby}) == [2, 4, 6]
    assert found.best in found.nearby
    for one in found.nearby[::5]:
        assert one.cost == pytest.approx(5.0 * one.n_raters + 0.1 * one.n_judgments)
        alone = replace(plan, n_raters=one.n_raters).closed_form(one.n_items, 0.2, alpha=0.05)
        assert alone is not None
        assert one.power == alone.power
    free = dt.cheapest(plan, effect=0.2, costs=dt.Costs(rater=5.0), max_raters=6)
    assert free.nearby == ()


# --- The picture of a design says where it stops ---


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
