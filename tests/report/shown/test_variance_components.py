"""What a variance components shows, against one made by hand."""

from typing import Any

from detectable.report.blocks import Chart
from tests.report import results
from tests.report.shown.shown import block_of


def _chart(**changes: Any) -> Chart:
    made = block_of(results.variance_components(**changes), "chart shares")
    assert isinstance(made, Chart)
    return made


def test_the_bars_of_the_chart_fill_the_whole() -> None:
    layers = _chart().make(720)["layer"]
    bars = layers[0]["data"]["values"]
    assert [(bar["part"], bar["from"], round(bar["to"], 3)) for bar in bars[:3]] == [
        ("quality", 0.0, 0.715),
        ("rater against rater", 0.715, 0.982),
        ("rater against self", 1.0 - 4.0 / 225.0, 1.0),
    ]
    assert layers[1]["data"]["values"] == [{"row": 0, "low": 0.555, "high": 0.825}]
    without = _chart(intra=None).make(720)["layer"][0]["data"]["values"]
    assert [(bar["part"], bar["from"], bar["to"]) for bar in without[:2]] == [
        ("quality", 0.0, 0.715),
        ("noise between raters", 0.715, 1.0),
    ]
