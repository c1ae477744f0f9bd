"""What a significant result is worth."""

from functools import partial
from typing import Any

import pytest

from detectable.core.wording import share_text
from detectable.planning.closed_forms import normal_power
from detectable.report.blocks import Chart
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.charts.type_errors import Worth, type_errors
from tests.report.charts.drawn import check_readable
from tests.report.charts.overlap import boxes


def worth(distance: float) -> Worth:
    found = normal_power(distance, 1.0, 1.959964)
    return Worth(found.power, found.type_m, found.type_s)


POINTS = tuple(worth(0.2 * k) for k in range(1, 22))


def draw(asked: Worth | None, points: tuple[Worth, ...], width: int) -> dict[str, Any]:
    return type_errors(points, width=width, asked=asked)


@pytest.mark.parametrize("distance", [0.3, 0.8, 1.3, 2.0, 2.5, 2.8, 3.2, 4.1])
def test_no_text_covers_another(distance: float) -> None:
    made = partial(draw, worth(distance), POINTS)
    check_readable(Chart("n", "A title", "A caption.", "1", made, "t"))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_answer_is_written_in_both_panels(width: int) -> None:
    converter = pytest.importorskip("vl_convert")
    asked = worth(1.0)
    svg = converter.vegalite_to_svg(draw(asked, POINTS, width))
    written = [box.text for box in boxes(svg)]
    assert f"{asked.exaggeration:.1f} × at {asked.power:.0%}" in written
    assert f"{asked.wrong_sign:.1%} at {asked.power:.0%}" in written
    assert {"Exaggeration (Type M)", "Wrong sign (Type S)"} < set(written)


def test_panels_stand_below_each_other_on_a_phone() -> None:
    assert "hconcat" in draw(None, POINTS, WIDE)
    assert "vconcat" in draw(None, POINTS, NARROW)


def test_each_panel_draws_its_own_number() -> None:
    first, second = draw(None, POINTS, WIDE)["hconcat"]
    for panel, of in ((first, "exaggeration"), (second, "wrong_sign")):
        line = next(layer for layer in panel["layer"] if layer["mark"]["type"] == "line")
        drawn = {row["power"]: row["value"] for row in line["data"]["values"]}
        known = {p.power: getattr(p, of) for p in POINTS if p.power >= 0.03}
        assert drawn == {power: value for power, value in known.items() if power in drawn}
        assert len(drawn) > 15


def test_only_the_answer_is_ringed_in_ink() -> None:
    def inked(asked: Worth | None) -> int:
        panels = draw(asked, POINTS, WIDE)["hconcat"]
        return sum(
            layer["mark"]["type"] == "point" and layer["mark"]["color"] == COLOUR["ink"]
            for panel in panels
            for layer in panel["layer"]
        )

    assert (inked(None), inked(worth(2.0))) == (0, 2)


def test_what_is_written_besides_was_computed_not_read_off() -> None:
    converter = pytest.importorskip("vl_convert")
    few = tuple(worth(d) for d in (0.9, 2.0, 3.0))  # power .15, .52 and .85
    written = [box.text for box in boxes(converter.vegalite_to_svg(draw(None, few, WIDE)))]
    tags = [text for text in written if " at " in text]
    assert {tag.rpartition(" at ")[2] for tag in tags} == {"14%", "52%"}


def test_a_small_share_is_never_zero() -> None:
    assert [share_text(x) for x in (0.00001, 0.0123, 0.25)] == ["<0.1%", "1.2%", "25%"]
