"""What a reliability study shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.report.blocks import Chart
from detectable.study.reliability.result import (
    AnotherOrder,
    Curve,
    OrderBand,
    Reliability,
    SystemFit,
)
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of, shown, table_of

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


def test_a_title_speaks_of_drawn_lines_alone() -> None:
    point = results.reliability().tau["bleu"][0]
    names = [f"m{i}" for i in range(6)]
    metrics = tuple(
        {**results.reliability().metrics[0], "metric": name, "label": name} for name in names
    )
    tau = {name: (replace(point, remainder=0.5 + 0.05 * i),) for i, name in enumerate(names)}
    chart = _chart(
        _study(metrics=(*results.reliability().metrics, *metrics), tau=tau), "stability"
    )
    assert chart.title.endswith("τ = 0.70 by m4, 0.50 by m0")


def _figures(**changes: Any) -> Reliability:
    """A study whose systems change places on the fourth document."""
    made = _study(**changes)
    means = (
        (30.0, 33.0, 31.0, 33.5, 33.0, 33.5),
        (31.0, 30.0, 30.5, 32.5, 32.0, 32.5),
        (29.0, 34.0, 32.0, 31.5, 31.0, 31.5),
    )
    curves = tuple(
        replace(
            curve,
            mean=mean,
            score=mean[-1],
            another=AnotherOrder(mean=mean[::-1], stdev=curve.stdev),
        )
        for curve, mean in zip(made.curves, means, strict=True)
    )
    return replace(made, curves=curves, chart_metrics=("bleu",), order="random")


def test_figures_of_the_paper_say_what_is_to_be_seen() -> None:
    made = _figures()
    titles = {
        "scores": "BLEU: 3 systems keep the order of all documents from 4 of 6 documents on",
        "interval": "BLEU of middling: ± 6.00 on the first document, ± 2.00 on all 6",
        "spread": "The relative spread of BLEU is 10.0 % on the first document and 4.0 % on all 6",
        "orders": "BLEU of middling in two random orders: 2.00 apart on 5 documents, equal on all 6",
        "tangents": "BLEU: tangents at the first document meet zero at 3.0 (narrow) and 3.0 (wide)",
    }
    for name, title in titles.items():
        chart = _chart(made, f"{name}-bleu")
        assert chart.title == title
        check_readable(chart)


def test_an_order_that_only_all_documents_have() -> None:
    made = _figures()
    swapped = tuple(
        replace(curve, mean=(*curve.mean[:-1], end), score=end)
        for curve, end in zip(made.curves, (31.5, 32.5, 33.5), strict=True)
    )
    title = _chart(replace(made, curves=swapped), "scores-bleu").title
    assert title == "BLEU: only all 6 documents put 3 systems into their order"


def test_figures_are_of_the_systems_that_were_named() -> None:
    made = _figures(chart_systems=("wide", "narrow"))
    assert _chart(made, "scores-bleu").title.startswith("BLEU: 2 systems")
    assert _chart(made, "interval-bleu").title.startswith("BLEU of wide:")
    assert _chart(made, "tangents-bleu").title.endswith("3.0 (wide) and 3.0 (narrow)")
    assert "Grey: the other systems." in _chart(made, "spread-bleu").caption
    alone = _figures(chart_systems=("wide",))
    said = "BLEU of wide lies between 29.00 and 34.00 on the first documents"
    assert _chart(alone, "scores-bleu").title == said


def test_curves_in_the_given_order_have_no_second_order() -> None:
    names = shown(replace(_figures(), order="given"))
    assert "chart scores-bleu" in names
    assert "chart orders-bleu" not in names


def test_a_tangent_goes_through_the_law_at_one_to_zero() -> None:
    layers = _chart(_figures(), "tangents-bleu").make(720)["layer"]
    ends = [one["data"]["values"] for one in layers if len(one["data"]["values"]) == 2]
    assert ends == [[{"k": 1.0, "y": 0.125}, {"k": 3.0, "y": 0.0}]] * 2


def test_words_have_two_figures() -> None:
    made = _study(words_per_segment=25.3)
    segments = table_of(made, "documents").column("segments")
    words = table_of(made, "documents").column("words")
    assert len(words) == len(segments)
    for n, said in zip(segments, words, strict=True):
        assert said == pytest.approx(25.3 * n, rel=0.05)
        assert len(str(said).rstrip("0")) <= 2
    assert "words" not in [column.key for column in table_of(_study(), "documents").columns]


def test_the_curves_of_every_system_are_a_table() -> None:
    made = table_of(_figures(), "fits-systems")
    assert made.column("system") == ("narrow", "middling", "wide")
    assert made.column("x_max") == (12.0,) * 3
    assert made.column("r2_cubic") == (0.9,) * 3
    assert made.column("better") == ("power",) * 3
