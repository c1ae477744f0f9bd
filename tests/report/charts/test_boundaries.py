"""The picture of a design with looks."""

import math
import re
from typing import Any

import pytest

from detectable.report.charts.boundaries import (
    FanPoint,
    LookBounds,
    Path,
    StopRegions,
    boundaries,
)
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from tests.report.charts.drawn import JAPANESE, LONG
from tests.report.charts.overlap import boxes, problems

FIVE = StopRegions(
    tuple(
        LookBounds(at, z, -z, None if bound is None else (-bound, bound), spent)
        for at, z, bound, spent in (
            (120, 3.25, None, 0.0012),
            (240, 2.99, None, 0.004),
            (360, 2.69, 0.53, 0.0092),
            (480, 2.37, 1.07, 0.0219),
            (600, 2.02, None, 0.05),
        )
    ),
    "items judged for both systems",
)
ONE_SIDED = StopRegions(
    (
        LookBounds(0.5, 2.5, futile=(-math.inf, 0.25), spent=0.0002),
        LookBounds(1.0, 1.75, spent=0.05),
    ),
    "share of the maximum",
    shares=True,
)
PATHS = (
    Path("first", ((120, 2.5), (240, 3.75))),
    Path("second", ((120, 1.25), (240, 1.5), (360, 1.0), (480, 0.625))),
)


def texts(spec: dict[str, Any]) -> list[str]:
    converter = pytest.importorskip("vl_convert")
    return [box.text for box in boxes(converter.vegalite_to_svg(spec))]


def rows(spec: dict[str, Any], kind: str, colour: str) -> list[dict[str, float]]:
    """Return the data of the layer with this mark and colour."""
    found = [
        layer["data"]["values"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == kind and layer["mark"]["color"] == COLOUR[colour]
    ]
    assert len(found) == 1
    values: list[dict[str, float]] = found[0]
    return values


def many(looks: int) -> StopRegions:
    """Return many looks with long numbers below them."""
    return StopRegions(
        tuple(
            LookBounds(
                12_345 * k, 4.5 - 2.5 * k / looks, -4.5 + 2.5 * k / looks, None, 0.0017 * k
            )
            for k in range(1, looks + 1)
        ),
        "items",
    )


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("regions", [FIVE, ONE_SIDED, many(1), many(30)])
@pytest.mark.parametrize("names", [("short", "other"), (LONG, JAPANESE)])
def test_no_text_covers_another(regions: StopRegions, names: Any, width: int) -> None:
    converter = pytest.importorskip("vl_convert")
    end = regions.looks[-1].at
    close = ((0.4 * end, 1.0), (0.9 * end, 1.5))
    paths = [
        Path(names[0], close),
        Path(names[1], tuple((at, z - 0.1) for at, z in close)),
        Path(names[0], ((0.3 * end, 5.0), (0.9 * end, 6.5))),
    ]
    svg = converter.vegalite_to_svg(boundaries(regions, width=width, paths=paths))
    assert problems(svg) == []
    size = re.search(r'width="([\d.]+)"', svg)
    assert size is not None
    assert float(size[1]) <= width + 1.0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_below_each_look_stand_its_items_and_the_error_spent(width: int) -> None:
    written = texts(boundaries(FIVE, width=width))
    for shown in ("120", "α .001", "360", "α .009", "600", "α .050"):
        assert shown in written
    shares = texts(boundaries(ONE_SIDED, width=width))
    assert {"50%", "α <.001", "100%", "α .050"} < set(shares)


def test_where_looks_are_many_the_last_keeps_its_label() -> None:
    written = texts(boundaries(many(30), width=NARROW))
    assert "370,350" in written
    assert sum(text.startswith("α") for text in written) < 8


def test_regions_begin_at_the_boundaries() -> None:
    spec = boundaries(FIVE, width=WIDE)
    up = rows(spec, "area", "better")
    assert [(row["at"], row["z"]) for row in up] == [(x.at, x.upper) for x in FIVE.looks]
    down = rows(spec, "area", "worse")
    assert [row["z"] for row in down] == [x.lower for x in FIVE.looks]
    wedge = rows(spec, "area", "blind")
    assert [(row["at"], row["low"], row["high"]) for row in wedge] == [
        (360, -0.53, 0.53),
        (480, -1.07, 1.07),
        (600, -2.02, 2.02),  # what is not shown by then is not shown
    ]


def test_a_look_that_cannot_stop_has_no_boundary() -> None:
    first = LookBounds(60, math.inf, -math.inf, None, 0.0)
    spec = boundaries(StopRegions((first, *FIVE.looks), "items"), width=WIDE)
    assert [row["at"] for row in rows(spec, "line", "better")] == [120, 240, 360, 480, 600]


def test_what_lies_far_out_is_drawn_at_the_edge_without_a_point() -> None:
    spec = boundaries(many(10), width=WIDE)
    assert next(row["z"] for row in rows(spec, "line", "better")) == 4.0
    assert [row["z"] for row in rows(spec, "point", "worse")] == [
        pytest.approx(-4.5 + 0.25 * k) for k in range(2, 11)
    ]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_one_sided_design_has_nothing_that_stops_below_but_futility(width: int) -> None:
    spec = boundaries(ONE_SIDED, width=width)
    assert {"stop: better", "stop: futile"} < set(texts(spec))
    assert "stop: worse" not in texts(spec)
    assert [(row["low"], row["high"]) for row in rows(spec, "area", "blind")] == [
        (-1.0, 0.25),
        (-1.0, 1.75),
    ]


def test_without_futility_there_is_no_wedge() -> None:
    looks = tuple(LookBounds(x.at, x.upper, x.lower) for x in FIVE.looks)
    written = texts(boundaries(StopRegions(looks, "items"), width=WIDE))
    assert "stop: futile" not in written
    assert not any(text.startswith("α") for text in written)


def test_a_path_starts_at_nothing_and_has_its_name_at_its_end() -> None:
    spec = boundaries(FIVE, width=WIDE, paths=PATHS)
    lines = [
        layer["data"]["values"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "line" and layer["mark"]["color"] == COLOUR["ink"]
    ]
    assert [[(row["at"], row["z"]) for row in line] for line in lines] == [
        [(0, 0), *path.points] for path in PATHS
    ]
    dashes = [
        layer["mark"]["strokeDash"] for layer in spec["layer"] if "strokeDash" in layer["mark"]
    ]
    assert dashes[0] != dashes[1]
    assert {"first", "second"} < set(texts(spec))


def test_a_value_outside_the_drawing_is_written() -> None:
    far = Path("far", ((120, 3.0), (240, 7.25)))
    below = Path("below", ((120, -3.0), (240, -5.5)))
    spec = boundaries(FIVE, width=WIDE, paths=(far, below))
    assert {"far (+7.2)", "below (−5.5)"} < set(texts(spec))
    values = [
        layer["data"]["values"]
        for layer in spec["layer"]
        if layer["mark"]["type"] == "point" and layer["mark"]["color"] == COLOUR["ink"]
    ]
    assert [row["z"] for row in values[0]] == [3.0, 4.0]


def test_the_fan_is_a_band_around_a_dashed_middle() -> None:
    fan = [FanPoint(240, 2.0, 2.0, 2.0), FanPoint(600, 1.5, 3.5, 5.5)]
    spec = boundaries(FIVE, width=WIDE, paths=PATHS[:1], fan=fan)
    assert (
        rows(spec, "area", "look")
        == rows(spec, "line", "look")
        == [
            {"at": 240, "low": 2.0, "middle": 2.0, "high": 2.0},
            {"at": 600, "low": 1.5, "middle": 3.5, "high": 4.0},
        ]
    )


def test_an_overrun_widens_the_axis() -> None:
    late = Path("late", ((120, 1.0), (660, 2.5)))
    spec = boundaries(FIVE, width=WIDE, paths=(late,))
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 660]


def futile_word(*points: tuple[float, float]) -> float:
    """Return how far down «stop: futile» stands on a phone, beside a path."""
    made = boundaries(FIVE, width=NARROW, paths=(Path("a", points),) if points else ())
    (layer,) = (
        one
        for one in made["layer"]
        if one["mark"].get("text") == "stop: futile"
        or one.get("encoding", {}).get("text", {}).get("value") == "stop: futile"
    )
    down: float = layer["encoding"]["y"]["value"]
    return down


def test_a_path_moves_the_word_that_it_would_run_through() -> None:
    alone = futile_word()
    assert futile_word((120, 2.5), (240, 3.0)) == alone
    assert futile_word((120, -1.0), (240, -0.5), (360, -0.3), (480, -0.25)) != alone
    # A dot alone is enough: half of it would stand in the word.
    assert futile_word((520, -0.45)) != alone


def test_at_a_desk_the_words_stand_right_of_the_looks() -> None:
    converter = pytest.importorskip("vl_convert")
    found = {
        box.text: box for box in boxes(converter.vegalite_to_svg(boundaries(FIVE, width=WIDE)))
    }
    last = found["600"]
    for word in ("stop: better", "stop: futile", "stop: worse"):
        assert found[word].left > (last.left + last.right) / 2
