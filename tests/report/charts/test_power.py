"""Power as lines."""

from functools import partial
from typing import Any

import pytest

from detectable.planning.nearby import PowerLine
from detectable.planning.rank_sum import RankSum
from detectable.report.blocks import Chart
from detectable.report.charts.power import (
    PowerPicture,
    Surface,
    is_table,
    log_ticks,
    power_lines,
    power_surface,
    reaches,
)
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from tests.report.charts.drawn import check_readable
from tests.report.charts.overlap import boxes

FORM = RankSum()


def line(n: int, **more: Any) -> PowerLine:
    effects = [0.5 + 0.005 * k for k in range(1, 21)]
    points = tuple((e, FORM.closed_form(n, e, alpha=0.05).power) for e in effects)
    return PowerLine(f"{n:,}", points, **more)


OWN = line(1500, marks=((0.53, 0.8122, "0.53"),), own=True)
PICTURE = PowerPicture((line(750), OWN, line(3000)), "true P(A < B)", 0.8, (0.5, 0.6))


def texts(picture: PowerPicture, width: int) -> list[str]:
    converter = pytest.importorskip("vl_convert")
    return [
        box.text for box in boxes(converter.vegalite_to_svg(power_lines(picture, width=width)))
    ]


def strokes(picture: PowerPicture, width: int) -> list[dict[str, Any]]:
    spec = power_lines(picture, width=width)
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]


def test_where_a_line_reaches_a_power_is_read_off_on_the_probit_scale() -> None:
    exact = 0.5 + (1.959964 + 0.841621) / (6 * 1500) ** 0.5
    assert OWN.where(0.8) == pytest.approx(exact, abs=1e-6)
    assert OWN.at(exact) == pytest.approx(0.8, abs=1e-6)
    coarse = PowerLine("", (OWN.points[0], OWN.points[10]))
    assert coarse.where(0.8) == pytest.approx(exact, abs=2e-4)
    assert OWN.where(0.001) is None
    assert line(10).where(0.8) is None


def test_a_falling_line_is_read_as_well() -> None:
    falling = PowerLine("", tuple((1 - x, p) for x, p in reversed(OWN.points)))
    known = OWN.where(0.8)
    assert known is not None
    assert falling.where(0.8) == pytest.approx(1 - known, abs=1e-9)
    assert falling.at(0.47) == pytest.approx(OWN.at(0.53))


def test_outside_its_points_a_line_stays_where_it_ends() -> None:
    assert OWN.at(0.0) == OWN.points[0][1]
    assert OWN.at(0.9) == OWN.points[-1][1]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_lines_have_their_names_the_target_and_the_drop(width: int) -> None:
    written = texts(PICTURE, width)
    for text in ("750", "1,500", "3,000", "80% power", "0.53", "true P(A < B)", "power"):
        assert text in written


def test_the_line_asked_for_is_drawn_through_and_strong() -> None:
    drawn = strokes(PICTURE, WIDE)
    dashes = [layer["mark"]["strokeDash"] for layer in drawn]
    assert [dash == [1, 0] for dash in dashes] == [False, True, False]
    assert len({str(dash) for dash in dashes}) == 3
    widths = [layer["mark"]["strokeWidth"] for layer in drawn]
    assert widths[1] > widths[0] == widths[2]
    assert [(row["x"], row["power"]) for row in drawn[1]["data"]["values"]] == list(OWN.points)


def test_a_phone_shows_three_lines_and_always_the_one_asked_for() -> None:
    many = [line(100 * 2**k) for k in range(9)]
    many[3] = many[3]._replace(own=True)
    shown = [
        layer["data"]["values"][9]["power"]
        for layer in strokes(PICTURE._replace(lines=tuple(many)), NARROW)
    ]
    assert len(shown) == 3
    assert many[3].points[9][1] in shown
    assert len(strokes(PICTURE._replace(lines=tuple(many)), WIDE)) == 5


def test_one_line_needs_no_name() -> None:
    assert "1,500" not in texts(PICTURE._replace(lines=(OWN,)), WIDE)


def test_a_log_scale_says_so() -> None:
    assert log_ticks(10, 100_000) == [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
    sizes = (10, 100, 1000, 10_000)
    points = tuple((float(n), FORM.closed_form(n, 0.51, alpha=0.05).power) for n in sizes)
    picture = PowerPicture((PowerLine("", points),), "items", 0.8, (10, 10_000), log=True)
    written = texts(picture, WIDE)
    assert "items (log scale)" in written
    assert "1,000" in written


def test_designs_are_dots() -> None:
    spec = power_lines(PICTURE._replace(dots=True), width=WIDE)
    dots = [
        layer["data"]["values"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "point" and len(layer["data"]["values"]) > 1
    ]
    assert [len(rows) for rows in dots] == [20, 20, 20]


@pytest.mark.parametrize(
    "lines",
    [
        (line(750), OWN, line(3000)),
        tuple(line(1000 + 20 * k, own=k == 2) for k in range(5)),  # nearly one line
        (line(1_000_000), line(2_000_000)),  # all at the top
        (line(2), line(3)),  # all at the bottom
        tuple(
            PowerLine(one.name, tuple((1 - x, p) for x, p in one.points[::-1]))
            for one in (line(500), OWN)
        ),
        tuple(
            line(n, marks=((0.52 + 0.001 * k, 0.8, f"0.52{k}"),))
            for k, n in enumerate((3000, 3200, 3400, 3600))
        ),
    ],
)
def test_no_text_covers_another(lines: tuple[PowerLine, ...]) -> None:
    ends = [x for one in lines for x, _ in one.points]
    picture = PowerPicture(lines, "true P(A < B)", 0.8, (min(ends), max(ends)))
    check_readable(
        Chart(
            "power",
            "A title",
            "A caption.",
            "1",
            lambda width: power_lines(picture, width=width),
            "t",
        )
    )


# --- Power as a surface ---


def surface(sizes: tuple[int, ...], effects: tuple[float, ...]) -> Surface:
    power = {(n, e): FORM.closed_form(n, e, alpha=0.05).power for n in sizes for e in effects}
    return Surface(sizes, effects, power, "judgments", "true P(A < B)")


SMALL = surface((100, 500, 1500, 20_000), (0.51, 0.53, 0.58, 0.6))
FINE = surface(
    tuple(round(100 * 10 ** (k / 8)) for k in range(17)),
    tuple(0.5 + 0.005 * k for k in range(1, 22)),
)


def draw(shown: Surface, width: int) -> dict[str, Any]:
    return power_surface(shown, width=width)


@pytest.mark.parametrize("shown", [SMALL, FINE])
def test_no_text_covers_another_of_power_surface(shown: Surface) -> None:
    check_readable(Chart("s", "A title", "A caption.", "1", partial(draw, shown), "t"))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_few_cells_hold_their_numbers(width: int) -> None:
    converter = pytest.importorskip("vl_convert")
    assert is_table(SMALL)
    written = [box.text for box in boxes(converter.vegalite_to_svg(draw(SMALL, width)))]
    for power in SMALL.power.values():
        assert f"{power:.0%}" in written
    assert {"100", "20,000", "0.51", "0.6", "judgments"} < set(written)


def test_cells_are_darker_with_more_power_and_meet_at_whole_pixels() -> None:
    layers = [layer for layer in draw(FINE, WIDE)["layer"] if layer["mark"]["type"] == "rect"]
    strengths = [layer["mark"]["opacity"] for layer in layers]
    assert strengths == sorted(strengths)
    lows = [min(cell["power"] for cell in layer["data"]["values"]) for layer in layers]
    highs = [max(cell["power"] for cell in layer["data"]["values"]) for layer in layers]
    assert all(low >= 0.2 * k for k, low in enumerate(lows))
    assert all(high < 0.2 * (k + 1) or k == 4 for k, high in enumerate(highs))
    cells = [cell for layer in layers for cell in layer["data"]["values"]]
    assert len(cells) == len(FINE.power)
    assert all(cell[side] == round(cell[side]) for cell in cells for side in ("left", "top"))
    area = sum((c["right"] - c["left"]) * (c["bottom"] - c["top"]) for c in cells)
    spec = draw(FINE, WIDE)
    assert area == pytest.approx(spec["width"] * spec["height"], rel=0.01)


def test_the_line_is_where_the_target_is_reached() -> None:
    found = dict(reaches(FINE))
    n = FINE.sizes[-1]
    assert found[n] == pytest.approx(0.5 + 2.801585 / (6 * n) ** 0.5, abs=1e-3)
    assert FINE.sizes[0] not in found  # 100 judgments do not reach it in this grid
    lines = [layer for layer in draw(FINE, WIDE)["layer"] if layer["mark"]["type"] == "line"]
    assert [layer["mark"]["color"] for layer in lines] == [COLOUR["ink"]]
    assert len(lines[0]["data"]["values"]) == len(found)


def test_larger_effects_stand_higher_and_larger_sizes_to_the_right() -> None:
    layers = [layer for layer in draw(SMALL, WIDE)["layer"] if layer["mark"]["type"] == "rect"]
    cells = [cell for layer in layers for cell in layer["data"]["values"]]
    strongest = max(cells, key=lambda cell: cell["power"])
    weakest = min(cells, key=lambda cell: cell["power"])
    assert strongest["left"] > weakest["left"]
    assert strongest["top"] < weakest["top"]
