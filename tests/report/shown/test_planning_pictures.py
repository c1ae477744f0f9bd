"""The pictures of planning say what the results say."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

import detectable as dt
from detectable.planning.nearby import NearbyPower
from detectable.planning.result import PlanningAnswer, PowerCurve
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.power import PowerLine
from detectable.report.shown.planning_pictures import (
    answer_charts,
    curve_charts,
    curve_title,
    percent,
    worth_of,
)
from tests.report import results
from tests.report.charts.drawn import check

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


def test_power_says_what_was_found_and_where_the_target_is_reached() -> None:
    made = chart(results.power_estimate())
    assert (
        made.title == "1,500 items have 81% power at an effect of 0.5; 80% is reached at 0.492"
    )
    assert made.caption == (
        "Lines: items. ● what was asked. The lines are a normal approximation; the answer was "
        "simulated."
    )
    assert made.alt == (
        f"{made.title}. Where 80% power is reached, by size: 750: 71% at most; 1,500: 0.492; "
        "3,000: 0.351."
    )
    assert (made.twin, made.key) == ("nearby", True)


def test_where_the_answer_is_the_target_twice_as_many_are_told() -> None:
    answer = dt.power(RANK_SUM, n_items=1500, effect=0.4705)
    assert chart(answer).title == (
        "1,500 judgments per system have 80% power at an effect of 0.47; twice as many reach 80% "
        "at 0.479"
    )


def test_a_detectable_effect_says_what_twice_as_many_would_show() -> None:
    answer = dt.mde(dt.scenarios.Bleu(), n_items=2000)
    assert chart(answer).title == (
        "2,000 segments reach 80% power at 1.07, twice as many at 0.754"
    )
    assert chart(answer).caption == "Lines: segments. ● what was asked."
    nine = dt.mde(dt.scenarios.Bleu(), n_items=2000, power=0.9)
    assert chart(nine).title.startswith("2,000 segments reach 90% power at 1.23, twice as many")


def test_a_sample_size_says_what_a_smaller_effect_needs() -> None:
    answer = results.sample_size(
        n_items=600, effect=0.25, power=0.8, attainable=True, limit="", nearby=by_size()
    )
    made = chart(answer)
    assert made.title == "600 items reach 80% power for 0.25; 0.2 needs about 750"
    assert made.alt.endswith("0.2: about 750; 0.25: 600; 0.312: about 440.")
    assert made.caption == "Lines: true effect. ● what was asked."
    assert "effect" not in made.make(720)["layer"][1]["encoding"]["x"]["title"]


def test_a_claim_about_a_margin_is_no_effect() -> None:
    answer = dt.sample_size(
        dt.scenarios.AccuracyMargin(
            dt.scenarios.Accuracy(agreement=0.95), margin=0.02, claim="equivalent"
        ),
        effect=0.0,
    )
    charts = list(answer_charts(answer))
    assert [one.id for one in charts] == ["power"]
    assert charts[0].title == "1,123 items reach 80% power if the truth is 0"


def test_what_cannot_be_reached_has_no_dot() -> None:
    answer = dt.mde(dt.scenarios.Accuracy(agreement=0.975), n_items=50)
    charts = list(answer_charts(answer))
    assert [one.id for one in charts] == ["power"]
    assert charts[0].title == "No effect reaches 80% power: 0% at most"
    assert "●" not in charts[0].caption
    never = results.sample_size(nearby=by_size(span=(200.0, 800.0)))
    assert chart(never).title == "No number of items reaches 80% power: 62% at most"
    assert chart(never).make(720)["layer"][1]["encoding"]["x"]["title"].endswith("(log scale)")


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


def test_a_picture_of_high_power_only_would_show_nothing() -> None:
    high = by_size(power=((0.5,) * 3, (0.6,) * 3, (0.8,) * 3, (0.9,) * 3))
    made = results.sample_size(n_items=600, attainable=True, nearby=high)
    assert [one.id for one in answer_charts(made)] == ["power"]
    low = results.sample_size(n_items=600, attainable=True, nearby=by_size())
    assert [one.id for one in answer_charts(low)] == ["power", "significant"]


# Grids


def curve(sizes: list[int], effects: list[float]) -> PowerCurve:
    return dt.power_curve(RANK_SUM, n_items=sizes, effect=effects)


def test_a_curve_says_the_smallest_effect_within_reach_and_its_size() -> None:
    assert curve_title(results.power_curve()) == (
        "80% power needs 1,500 judgments per system for 0.4"
    )
    below = curve([500, 1500, 5000], [0.45, 0.47])  # below ½, where smaller is farther away
    assert curve_title(below) == "80% power needs 1,500 judgments per system for 0.47"
    none = curve([20, 30], [0.51, 0.52])
    assert curve_title(none) == "No size and effect of this grid reaches 80% power: 5% at most"


def test_lines_of_a_curve_are_told_by_where_they_reach_the_target() -> None:
    made = next(curve_charts(results.power_curve()))
    assert made.title == "80% power is reached at 0.302 with 1,500 judgments per system"
    assert made.alt == f"{made.title}. 500: 75% at most; 1,500: 80% at 0.302."
    three = next(curve_charts(curve([500, 1500, 5000], [0.51, 0.53, 0.56])))
    assert three.title == (
        "80% power is reached at 0.551 with 500 judgments per system, at 0.516 with 5,000"
    )
    assert made.caption == (
        "Lines: judgments per system. ● where a line reaches 80%, read off between the points."
    )
    high = next(curve_charts(curve([100_000, 200_000], [0.55, 0.6])))
    assert high.alt.endswith("100,000: 100% everywhere; 200,000: 100% everywhere.")
    assert "●" not in high.caption
    assert high.title == "80% power needs 100,000 judgments per system for 0.55"


def test_one_effect_is_drawn_against_the_size() -> None:
    made = next(curve_charts(curve([500, 1000, 2000], [0.47])))
    title = made.make(720)["layer"][1]["encoding"]["x"]["title"]
    assert title == "judgments per system"
    assert made.alt.endswith("0.47: 80% at 1,500.")
    assert made.title == (
        "An effect of 0.47 reaches 80% power with about 1,500 judgments per system"
    )
    assert made.caption.startswith("Line: true P(A < B).")


def test_a_single_cell_has_no_picture() -> None:
    assert list(curve_charts(curve([500], [0.47]))) == []
    assert len(list(curve_charts(curve([500], [0.46, 0.47])))) == 1


def test_sizes_of_one_effect_are_on_a_log_scale_from_fifty_times_on() -> None:
    def title(sizes: list[int]) -> str:
        made = next(curve_charts(curve(sizes, [0.47])))
        return str(made.make(720)["layer"][1]["encoding"]["x"]["title"])

    assert title([100, 5000]).endswith("(log scale)")
    assert not title([100, 4900]).endswith("(log scale)")


def test_a_line_needs_two_possible_effects() -> None:
    one = results.nearby_power(power=((0.1,) + (None,) * 5, (0.2,) + (None,) * 5, (0.3,) * 6))
    assert list(answer_charts(results.power_estimate(nearby=one))) == []


def test_a_fine_grid_has_a_surface_too() -> None:
    made = list(curve_charts(curve([200, 500, 1500, 5000], [0.51, 0.53, 0.55, 0.6])))
    assert [one.id for one in made] == ["power", "surface"]
    assert made[1].title == "8 of 16 combinations reach 80% power"
    assert "with 1,500 at 0.53, with 5,000 at 0.516" in made[1].alt
    assert made[1].caption.endswith("Numbers: power.")
    assert [one.key for one in made] == [True, False]
    coarse = list(curve_charts(curve([200, 500, 1500], [0.51, 0.53, 0.55, 0.6])))
    assert [one.id for one in coarse] == ["power"]


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
    ],
    ids=["huge", "tiny", "sign-test", "margin", "grid"],
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
