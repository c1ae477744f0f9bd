"""Bands and evidence as drawings: what is thinned, clipped, named and marked."""

import json
import math
from typing import Any

import pytest

from detectable.report.charts.anytime import Band, Evidence, Wealth, anytime
from detectable.report.charts.forest import TwoWays, two_ways
from detectable.report.charts.marks import Part, shares
from detectable.report.charts.theme import NARROW, WIDE
from tests.report.charts.drawn import JAPANESE, LONG
from tests.report.charts.overlap import problems


def svg(made: dict[str, Any]) -> str:
    converter = pytest.importorskip("vl_convert")
    return str(converter.vegalite_to_svg(made))


def values(made: dict[str, Any], field: str) -> list[list[dict[str, Any]]]:
    """Return the data of the layers that hold a field."""
    panels = made.get("vconcat", [made])
    layers = [part["data"]["values"] for panel in panels for part in panel["layer"]]
    return [rows for rows in layers if rows and field in rows[0]]


def long_band(n: int = 1000, **options: Any) -> Band:
    points = tuple((float(k), 2.0, 2.0 - 900.0 / k, 2.0 + 900.0 / k) for k in range(1, n + 1))
    return Band("a − b", points, **options)


def test_a_long_path_is_thinned_but_keeps_its_decision_and_its_end() -> None:
    made = anytime(long_band(decided=451.0), None, unit="items", width=WIDE)
    area = values(made, "low")[0]
    places = [row["at"] for row in area]
    assert len(places) <= 165
    assert {451.0, 1000.0} <= set(places)
    assert places == sorted(places)
    assert "decided after 451" in json.dumps(made)


def test_the_wide_bands_of_the_beginning_do_not_squeeze_the_rest() -> None:
    made = anytime(long_band(), None, unit="items", width=WIDE)
    low, high = made["layer"][0]["encoding"]["y"]["scale"]["domain"]
    # After a sixth of the path the band is 2 ± 5.4.
    assert -5.0 < low < -3.0
    assert 7.0 < high < 9.0
    assert min(row["low"] for row in values(made, "low")[0]) == low


def test_a_few_looks_have_a_line_each_and_no_area_between() -> None:
    few = Band("a − b", ((10.0, 1.0, -3.0, 5.0), (20.0, 1.5, -math.inf, math.inf)))
    made = anytime(few, None, unit="items", width=WIDE, end=100.0)
    kinds = [part["mark"]["type"] for part in made["layer"]]
    assert "area" not in kinds
    rules = [rows for rows in values(made, "low") if len(rows) == 1]
    assert rules  # the look without a band has a point only
    assert rules[0][0]["low"] == -3.0
    assert made["layer"][1]["encoding"]["x"]["scale"]["domain"] == [0, 100.0]


def wealth(name: str, *logs: float) -> Wealth:
    return Wealth(name, tuple((10.0 * (k + 1), log_e) for k, log_e in enumerate(logs)))


def test_evidence_is_drawn_from_one_on_a_log_scale() -> None:
    found = Evidence((wealth("a", 1.0, 2.0),), ((10.0, 20.0),), "1/α = 20")
    made = anytime(None, found, unit="items", width=WIDE)
    line = values(made, "e")[-1]
    assert line[0] == {"at": 0.0, "e": 1.0}
    assert [row["e"] for row in line[1:]] == pytest.approx([math.e, math.e**2])
    assert made["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"
    steps = values(made, "e")[0]
    assert {row["e"] for row in steps} == {20.0}
    assert steps[0]["at"] == 0.0
    assert steps[-1]["at"] == 20.0


def test_evidence_beyond_a_million_is_cut() -> None:
    found = Evidence((wealth("a", 1.0, 400.0),), ((10.0, 20.0),), "1/α = 20")
    line = values(anytime(None, found, unit="items", width=WIDE), "e")[-1]
    assert line[-1]["e"] == pytest.approx(1e6)


def test_five_lines_have_names_and_the_others_are_thin() -> None:
    lines = tuple(wealth(f"s{k}", 0.5, 0.1 * k) for k in range(8))
    found = Evidence(lines, ((10.0, 320.0),), "decides: E ≥ 320")
    made = anytime(None, found, unit="items", width=WIDE)
    text = json.dumps(made)
    assert [f"s{k}" in text for k in range(8)] == [False] * 3 + [True] * 5
    thin = [part for part in made["layer"] if part["mark"].get("strokeWidth") == 1]
    assert len(thin) == 3


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_everything_can_be_read(width: int) -> None:
    names = (LONG, JAPANESE, "c", LONG[::-1])
    lines = tuple(wealth(name, 0.5, 1.0) for name in names)  # all end at the same place
    found = Evidence(lines, ((10.0, 20.0),), "decides: E ≥ 20", decided=20.0)
    band = Band(
        f"{LONG} − {JAPANESE}", ((10.0, 1.0, -3.0, 5.0), (20.0, 1.5, 0.5, 2.5)), decided=20.0
    )
    for made in (
        anytime(band, None, unit="items judged for both systems", width=width),
        anytime(band, found, unit="items judged for both systems", width=width, end=500.0),
        anytime(None, found, unit="items judged for both systems", width=width),
    ):
        assert problems(svg(made)) == []


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_shares_and_two_ways_can_be_read(width: int) -> None:
    parts = [
        Part(name, share, (f"{share:.0%} (SD 0.123)", f"{share:.0%}"), marked=share < 0.2)
        for name, share in ((LONG, 0.6), (JAPANESE, 0.4), ("zero", 0.0))
    ]
    assert problems(svg(shares(parts, width=width))) == []
    rows = [
        TwoWays(name, (1.0, None), (0.9, None), "better", "+0.90") for name in (LONG, JAPANESE)
    ]
    made = two_ways(rows, width=width, title=f"difference to {LONG} (mean difference)")
    assert problems(svg(made)) == []


def test_bars_are_as_long_as_their_shares_and_marked_as_told() -> None:
    made = shares(
        [Part("a", 0.75, ("75%", "75%"), marked=True), Part("b", 0.25, ("25%", "25%"))],
        width=WIDE,
    )
    data = made["layer"][0]["data"]["values"]
    assert [(row["share"], row["marked"]) for row in data] == [(0.75, True), (0.25, False)]
    assert made["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0.0, 0.75]
