"""What a reliability study shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.report.blocks import Chart
from detectable.study.reliability.result import Curve, OrderBand, Reliability, SystemFit
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of

DOCUMENTS = (1, 2, 3, 4, 5, 6)


def _curve(system: str, spread: float, **changes: Any) -> Curve:
    made = results.curve(
        system=system,
        documents=DOCUMENTS,
        segments=(9, 12, 20, 25, 31, 40),
        mean=(30.0, 33.0, 31.0, 31.5, 32.0, 31.5),
        stdev=(0.1, 0.07, 0.06, 0.05, 0.045, 0.04),
        interval=tuple(Interval(31.5 - half, 31.5 + half, 0.95) for half in (6, 4, 4, 3, 3, 2)),
        stdev_document=(NAN, NAN, NAN, NAN, spread, spread),
        band=OrderBand(
            documents=(1, 3, 6),
            low=(0.08, 0.05, 0.03),
            median=(0.1,) * 3,
            high=(0.2, 0.09, 0.05),
        ),
    )
    return replace(made, **changes)


def _fitted(system: str, x_max: float | None) -> SystemFit:
    return SystemFit(
        system=system,
        power=PowerLaw(a=0.125, b=0.5, r2_log=0.9, r2_lin=0.9),
        cubic=CubicCurve(d=-0.0001, c=0.002, b=-0.02, a=0.1, r2=0.9),
        x_min=3.0,
        x_max=x_max,
        x_min_cubic=None,
        x_max_cubic=None,
    )


def _study(x_max: float | None = 12.0, **changes: Any) -> Reliability:
    made = results.reliability()
    curves = [_curve("narrow", 0.03), _curve("middling", 0.05), _curve("wide", 0.09)]
    fits = tuple(_fitted(curve.system, x_max) for curve in curves)
    made = replace(made, curves=tuple(curves), fits=(replace(made.fits[0], systems=fits),))
    return replace(made, **changes)


def _chart(result: Reliability, name: str = "documents") -> Chart:
    made = block_of(result, f"chart {name}")
    assert isinstance(made, Chart)
    return made


def test_what_is_drawn_of_the_documents() -> None:
    score, spread = _chart(_study()).make(720)["hconcat"]
    wide, close, line = (one["data"]["values"] for one in score["layer"])
    # t with 5 degrees of freedom, 5 % of 31.5 points.
    half = 2.5705818 * 0.05 * 31.5
    assert wide[-1] == {
        "k": 6,
        "low": pytest.approx(31.5 - half),
        "high": pytest.approx(31.5 + half),
    }
    assert [row["k"] for row in wide] == [5, 6]
    assert close[0] == {"k": 2, "low": 27.5, "high": 35.5}
    assert line[0] == {"k": 2, "mean": 33.0}
    orders, power, cubic, dots, *marks = spread["layer"]
    assert orders["data"]["values"][1] == {"k": 3, "low": 0.05, "high": 0.09}
    assert power["data"]["values"][0] == {"k": 1.0, "y": 0.125}
    assert cubic["data"]["values"][-1]["k"] == 6.0
    assert dots["data"]["values"][0] == {"k": 1, "y": 0.1}
    assert "x_min 3.0" in str(marks)
    assert "x_max 12" in str(marks)


@pytest.mark.parametrize("x_max", [None, 3.5, 12.0, 900.0])
def test_marks_never_cover_each_other(x_max: float | None) -> None:
    check_readable(_chart(_study(x_max=x_max)))
    assert ("x_max 900 →" in str(_chart(_study(x_max=x_max)).make(720))) == (x_max == 900.0)


def test_a_spread_in_points() -> None:
    made = _study(x_max=None)
    metrics = ({**made.metrics[0], "relative": False}, *made.metrics[1:])
    score, spread = _chart(replace(made, metrics=metrics)).make(720)["hconcat"]
    assert spread["title"]["text"] == ["Spread in points"]
    high = score["layer"][0]["data"]["values"][-1]["high"]
    assert high == pytest.approx(31.5 + 2.5705818 * 0.05)


def test_many_measures_with_long_names_can_be_read() -> None:
    point = results.reliability().tau["bleu"][0]
    names = [f"{LONG}-{i}" for i in range(5)] + [JAPANESE]
    metrics = tuple(
        {**results.reliability().metrics[0], "metric": name, "label": name} for name in names
    )
    made = _study(
        metrics=(*results.reliability().metrics, *metrics),
        tau=dict.fromkeys(names, (point, point)),
    )
    chart = _chart(made, "stability")
    assert chart.caption.endswith("The first 5 of 6 measures are drawn.")
    check_readable(chart)
