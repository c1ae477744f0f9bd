"""What a quality control shows, against one made by hand."""

from typing import Any

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of


def _chart(**changes: Any) -> Chart:
    made = block_of(results.quality_control(**changes), "chart raters")
    assert isinstance(made, Chart)
    return made


def test_what_is_drawn_of_a_rater() -> None:
    drawn = str(_chart().make(720))
    assert "'gap': 21.5" in drawn
    assert "'mean': 65.0" in drawn
    assert drawn.count("'kind': 'passes'") == 3  # of its interval, its gap and its mean
    assert "bob" not in drawn


def test_long_names_can_be_read() -> None:
    raters = [
        results.rater(LONG, "good"),
        results.rater(JAPANESE, "bad", mean_difference=3.0, mean_system=20.0),
    ]
    check(blocks_of(results.quality_control(raters=tuple(raters))))
    many = [
        results.rater(f"{LONG}{i}", "good" if i % 3 else "bad", mean_difference=-float(i))
        for i in range(40)
    ]
    check(blocks_of(results.quality_control(raters=tuple(many))))


def test_kinds_of_raters_differ_in_shape_or_filling() -> None:
    gaps = _chart().make(720)["hconcat"][0]["layer"][2]["encoding"]
    looks = [gaps[channel]["scale"]["range"] for channel in ("shape", "fill", "stroke")]
    kinds = gaps["shape"]["scale"]["domain"]
    assert kinds == ["passes", "does not pass", "tested too little"]
    assert all(len(values) == 3 for values in looks)
    assert len({(shape, fill) for shape, fill in zip(looks[0], looks[1], strict=True)}) == 3


def test_of_very_many_raters_a_part_is_drawn() -> None:
    raters = tuple(
        results.rater(f"r{i}", "good", mean_difference=-float(i)) for i in range(1100)
    )
    chart = _chart(raters=raters)
    assert "A part of the 1,100 raters is drawn; the table has all." in chart.caption
    points = chart.make(720)["hconcat"][0]["layer"][2]["data"]["values"]
    assert len(points) == 367
    assert [point["gap"] for point in points[:3]] == [0.0, 3.0, 6.0]
