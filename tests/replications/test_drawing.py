"""Panels of lines and dots: axes, names that do not collide, both widths."""

import re

import pytest

from detectable.report.charts.theme import NARROW, WIDE
from replications.drawing import Axis, Panel, Series, around, drawn
from tests.report.charts.drawn import JAPANESE, LONG
from tests.report.charts.overlap import boxes, problems

SHARES = Axis("power", (0.0, 1.0), (0.0, 0.5, 1.0), "share")
SIZES = Axis("difference", (0.0, 4.0), (0.0, 1.0, 2.0, 3.0, 4.0))


def curve(name: str, steepness: float, look: int = 0) -> Series:
    points = tuple((0.1 * i, min(1.0, steepness * 0.1 * i)) for i in range(41))
    return Series(name, points, look)


def svg(panels: list[Panel], width: int, **how: object) -> str:
    converter = pytest.importorskip("vl_convert")
    drawing: str = converter.vegalite_to_svg(drawn(panels, width=width, **how))  # type: ignore[arg-type]
    return drawing


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (43.0, 84.0, (40, 50, 60, 70, 80, 90)),
        (-0.11, 0.51, (-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    ],
)
def test_an_axis_has_round_ticks_around_its_values(
    low: float, high: float, ticks: tuple[float, ...]
) -> None:
    axis = around("score", low, high)
    assert axis.ticks == pytest.approx(ticks)
    assert axis.domain == (axis.ticks[0], axis.ticks[-1])


def test_values_stand_where_the_scale_puts_them() -> None:
    assert Axis("x", (0.0, 4.0), (0.0,)).pixel(1.0, 100.0) == 25.0
    assert Axis("x", (1.0, 100.0), (1.0,), scale="log").pixel(10.0, 100.0) == pytest.approx(
        50.0
    )
    assert Axis("x", (0.0, 16.0), (0.0,), scale="sqrt").pixel(4.0, 100.0) == 50.0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_names_stand_on_their_lines_and_never_on_each_other(width: int) -> None:
    close = [curve(f"{n:,}", 0.4 + 0.02 * i, i) for i, n in enumerate((5000, 3000, 2000, 1000))]
    panel = Panel("", SIZES, SHARES, (*close, curve("flat", 0.05, 4)), at=0.45)
    assert [one.name for one in panel.at_end()] == ["flat"]
    made = svg([panel], width)
    assert problems(made) == []
    said = [box.text for box in boxes(made)]
    assert {"5,000", "3,000", "2,000", "1,000", "flat"} <= set(said)
    for one, x, y in panel.on_line(400.0, 200.0):
        level = 1.0 - y / 200.0
        at = min(one.points, key=lambda point: abs(point[0] - x / 100.0))
        assert level == pytest.approx(at[1], abs=0.04)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", [LONG, JAPANESE])
def test_long_names_leave_room_for_the_lines(width: int, name: str) -> None:
    lines = (curve(f"{name} 1", 0.2), curve(f"{name} 2", 0.24, 1))
    rows = Axis("", (0.0, 2.0), (0.5, 1.5), labels=(name, f"{name} b"))
    for panels in (
        [Panel("Left", SIZES, SHARES, lines), Panel("Right", SIZES, SHARES, lines)],
        [Panel("", SIZES, rows, (Series("x", ((1.0, 0.5), (2.0, 1.5)), dots=True),))],
    ):
        made = svg(panels, width, columns=len(panels))
        assert problems(made) == []
        size = re.search(r'width="([\d.]+)"', made)
        assert size is not None
        assert float(size[1]) <= width + 1.0


def test_the_same_lines_are_named_once_in_a_row_and_everywhere_below_each_other() -> None:
    panels = [Panel(title, SIZES, SHARES, (curve("ours", 0.2),)) for title in ("a", "b", "c")]
    for width, times in ((WIDE, 1), (NARROW, 3)):
        said = [box.text for box in boxes(svg(panels, width, columns=3, once=True))]
        assert said.count("ours") == times


def test_a_colour_that_comes_back_has_another_dash() -> None:
    looks = [curve("x", 1.0, look) for look in range(10)]
    assert len({(one.colour, tuple(one.dash)) for one in looks}) == 10


def test_dots_that_coincide_share_a_name_and_stay_off_the_diagonal() -> None:
    axis = Axis("z", (0.0, 1.0), (0.0, 1.0))
    dots = ((0.2, 0.8, "a"), (0.2005, 0.8, "b"), (0.6, 0.62, "near the line"))
    series = Series("dots", tuple((x, y) for x, y, _ in dots), dots=True)
    panel = Panel("", axis, axis, (series,), named=dots, diagonal=True)
    made = svg([panel], WIDE, height=300)
    named = {box.text: box for box in boxes(made)}
    assert "a, b" in named
    # The diagonal is at the same height where it is as far to the right.
    box = named["near the line"]
    plot = {text: box for text, box in named.items() if text in ("0", "1")}
    assert plot
    assert problems(made) == []
    assert box.right < box.left + 80


def test_the_numbers_of_a_panel_are_all_its_points() -> None:
    panel = Panel(
        "p", SIZES, SHARES, (Series("a", ((1.0, 0.5),)), Series("b", ((2.0, 0.7),), dots=True))
    )
    assert list(panel.values()) == [("p", "a", 1.0, 0.5), ("p", "b", 2.0, 0.7)]
