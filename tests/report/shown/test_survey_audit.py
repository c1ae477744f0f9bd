"""What the audit of a survey shows, against one made by hand."""

from typing import Any

import numpy as np

from detectable.report.blocks import Chart
from tests.report import results
from tests.report.charts.drawn import check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of


def _chart(**changes: Any) -> Chart:
    made = block_of(results.survey_audit(**changes), "chart studies")
    assert isinstance(made, Chart)
    return made


def test_what_is_drawn_of_studies() -> None:
    _, assumed, curve, dots = _chart().make(720)["layer"]
    assert assumed["encoding"]["y"] == {"datum": 0.0625}
    assert curve["data"]["values"] == [
        {"n": 20.0, "effect": 0.0625 * 4.75},
        {"n": 850.0, "effect": 0.0625 * 1.25},
    ]
    assert dots["data"]["values"][0] == {"n": 20.0, "effect": 0.5}
    assert len(dots["data"]["values"]) == 7
    quiet = _chart(bands=(results.size_band(type_m=NAN),))
    assert quiet.caption == "A dot is a study."
    assert len(quiet.make(720)["layer"]) == 2


def test_of_very_many_studies_a_part_is_drawn() -> None:
    n = 1201
    chart = _chart(sizes=np.arange(1.0, n + 1.0), effects=np.linspace(-1.0, 1.0, n))
    assert chart.caption.startswith("A dot is a study; a part of them is drawn.")
    assert len(chart.make(720)["layer"][-1]["data"]["values"]) == 401
    check_readable(chart)
