"""Power as a surface."""

from functools import partial
from typing import Any

import pytest

from detectable.planning.rank_sum import RankSum
from detectable.report.blocks import Chart
from detectable.report.charts.power import Surface, is_table, power_surface, reaches
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from tests.report.charts.drawn import check_readable
from tests.report.charts.overlap import boxes

FORM = RankSum()


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
def test_no_text_covers_another(shown: Surface) -> None:
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
