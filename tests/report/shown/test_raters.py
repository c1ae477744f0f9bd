"""What a quality control shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.study.precision.rater_agreement import RaterPair
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check, check_readable
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


# --- What a rater agreement shows, against one made by hand ---


def _pair(name: str, n: int, pearson: float) -> RaterPair:
    return replace(
        results.rater_agreement().pairs[0], other=name, n_translations=n, pearson=pearson
    )


def _chart_of_rater_agreement(**changes: Any) -> Chart:
    made = block_of(results.rater_agreement(**changes), "chart agreement")
    assert isinstance(made, Chart)
    return made


def test_few_pairs_have_names_and_many_are_a_cloud() -> None:
    few = _chart_of_rater_agreement(pairs=(_pair(LONG, 20, 0.1), _pair(JAPANESE, 103, 0.9)))
    drawn = few.make(720)["vconcat"][1]["layer"]
    # The pair that agrees best stands first.
    assert [row["value"] for row in drawn[3]["data"]["values"]] == [0.9, 0.1]
    many = tuple(_pair(f"r{i}", 10 + i, 0.03 * i - 0.3) for i in range(25))
    cloud = _chart_of_rater_agreement(pairs=many)
    assert cloud.caption.endswith("A dot is a pair of raters.")
    points = cloud.make(720)["vconcat"][1]["layer"][2]["data"]["values"]
    assert points[3] == {"n": 13, "value": pytest.approx(-0.21)}
    for chart in (few, cloud):
        check_readable(chart)


# --- What a variance components shows, against one made by hand ---


def _chart_of_variance_components(**changes: Any) -> Chart:
    made = block_of(results.variance_components(**changes), "chart shares")
    assert isinstance(made, Chart)
    return made


def test_the_bars_of_the_chart_fill_the_whole() -> None:
    layers = _chart_of_variance_components().make(720)["layer"]
    bars = layers[0]["data"]["values"]
    assert [(bar["part"], bar["from"], round(bar["to"], 3)) for bar in bars[:3]] == [
        ("quality", 0.0, 0.715),
        ("rater against rater", 0.715, 0.982),
        ("rater against self", 1.0 - 4.0 / 225.0, 1.0),
    ]
    assert layers[1]["data"]["values"] == [{"row": 0, "low": 0.555, "high": 0.825}]
    without = _chart_of_variance_components(intra=None).make(720)["layer"][0]["data"]["values"]
    assert [(bar["part"], bar["from"], bar["to"]) for bar in without[:2]] == [
        ("quality", 0.0, 0.715),
        ("noise between raters", 0.715, 1.0),
    ]
