"""The picture of what each task of a benchmark can show."""

from typing import Any

import pytest

from detectable.report.charts.past import (
    Group,
    Rates,
    TaskLimit,
    calibration,
    calibration_chart,
    task_limits,
)
from detectable.report.charts.theme import NARROW, WIDE
from tests.report.charts.drawn import LONG, check_readable


def axis(width: int, *, following: float, claim: float = 4.0) -> dict[str, list[float]]:
    """Return the domain and the ticks of the axis of two tasks."""
    tasks = [
        TaskLimit("QQP", 0.1, 9.0, [(0.2, True)], following),
        TaskLimit("RTE", 1.2, 9.0, [(claim, True)], 2.0),
    ]
    x = task_limits(tasks, width=width)["layer"][0]["encoding"]["x"]
    return {"domain": x["scale"]["domain"], "ticks": x["axis"]["values"]}


def test_what_is_below_zero_stands_off_the_names() -> None:
    assert axis(WIDE, following=-0.25)["domain"][0] == -0.4
    assert axis(WIDE, following=0.25)["domain"][0] == 0.0


def test_ticks_stand_on_both_sides_of_zero_as_far_as_the_axis_goes() -> None:
    assert axis(WIDE, following=-0.25)["ticks"] == [-0.1, 0.0, 0.1, 0.5, 1.0, 2.0]
    assert axis(WIDE, following=0.25)["ticks"] == [0.0, 0.1, 0.5, 1.0, 2.0]


def test_no_tick_stands_beside_zero_on_a_phone() -> None:
    assert axis(NARROW, following=-0.25)["ticks"] == [0.0, 1.0]
    assert axis(NARROW, following=0.25, claim=6.0)["ticks"] == [0.0, 1.0, 5.0]
    assert 0.1 in axis(WIDE, following=0.25)["ticks"]


# --- test_calibration ---

GROUPS = (
    Group(
        "Two systems",
        (Rates("swaps", (0.048, 0.051), ours=True), Rates("bootstrap", (0.11,), ours=False)),
        nominal=0.05,
        standard_error=0.002,
    ),
    Group("Documents", (Rates(LONG, (0.519, 0.151), ours=False),), 0.05, 0.003),
)


def test_the_title_states_the_lowest_and_the_highest_rates() -> None:
    chart = calibration_chart(GROUPS, twin="rates")
    assert chart.title == (
        "Ours reject a true null in 4.8 to 5.1\N{NO-BREAK SPACE}% of all cases, "
        "the others in 11 to 51.9\N{NO-BREAK SPACE}%"
    )
    assert "Grey: 5\N{NO-BREAK SPACE}% ± 2 standard errors." in chart.caption
    assert chart.alt.startswith("Two systems: swaps 4.8 to 5.1")
    assert "bootstrap 11\N{NO-BREAK SPACE}%. Documents:" in chart.alt


def test_it_can_be_read_at_both_widths() -> None:
    check_readable(calibration_chart(GROUPS, twin="rates"))


def marks(panel: dict[str, Any]) -> tuple[Any, Any, list[Any]]:
    band, line, points = panel["layer"]
    ends = (band["encoding"]["x"]["datum"], band["encoding"]["x2"]["datum"])
    return ends, line["encoding"]["x"]["datum"], points["data"]["values"]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_rate_is_drawn_beside_its_band(width: int) -> None:
    first, second = calibration(GROUPS, width)["vconcat"]
    ends, line, points = marks(first)
    assert ends == (pytest.approx(0.046), pytest.approx(0.054))
    assert line == 0.05
    assert points == [
        {"row": 0, "rate": 0.048, "who": "ours"},
        {"row": 0, "rate": 0.051, "who": "ours"},
        {"row": 1, "rate": 0.11, "who": "others"},
    ]
    assert marks(second)[0] == (pytest.approx(0.044), pytest.approx(0.056))
    assert [p["rate"] for p in marks(second)[2]] == [0.519, 0.151]
    low, high = axis_of_calibration(first)["scale"]["domain"]
    assert low == pytest.approx(0.044 / 1.15)  # the lowest end of a band
    assert high == pytest.approx(0.519 * 1.15)


def axis_of_calibration(panel: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = panel["layer"][2]["encoding"]["x"]
    return found


@pytest.mark.parametrize(
    ("width", "ticks"), [(WIDE, [0.05, 0.1, 0.2, 0.5]), (NARROW, [0.05, 0.2, 0.5])]
)
def test_panels_share_their_axis_and_stand_below_each_other(
    width: int, ticks: list[float]
) -> None:
    panels = calibration(GROUPS, width)["vconcat"]
    assert [axis_of_calibration(panel)["axis"]["values"] for panel in panels] == [ticks, ticks]
    assert [axis_of_calibration(panel)["title"] for panel in panels] == [
        None,
        "rejected true nulls (log scale)",
    ]
    room = {panel["layer"][2]["encoding"]["y"]["axis"]["minExtent"] for panel in panels}
    assert len(room) == 1, "names of all panels end at the same place"
    assert {panel["width"] for panel in panels} == {width - room.pop() - 6 - 18}


def test_rare_and_certain_rejections_have_ticks() -> None:
    rows = (Rates("never", (0.004,), ours=True), Rates("always", (1.0,), ours=False))
    made = calibration((Group("Both", rows, 0.05, 0.01),), WIDE)["vconcat"][0]
    assert axis_of_calibration(made)["axis"]["values"] == [
        0.005,
        0.01,
        0.02,
        0.05,
        0.1,
        0.2,
        0.5,
        1.0,
    ]
