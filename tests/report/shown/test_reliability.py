"""What a reliability study shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.inference.curves import CubicCurve, PowerLaw
from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from detectable.report.render.text_table import text_width
from detectable.study.reliability.result import Curve, OrderBand, Reliability, SystemFit
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.reliability()) == [
        "Verdict",
        "chart documents",
        "Text",
        "documents",
        "clustering",
        "ranking",
        "chart stability",
        "difficult",
        "fits",
        "ranking-points",
        "curves",
        "Text",
        "Text",
        "Methods",
        "Repeat",
    ]
    alone = results.reliability(tau={}, difficult=(), notes=())
    assert shown(alone) == [
        "Verdict",
        "chart documents",
        "Text",
        "documents",
        "clustering",
        "fits",
        "curves",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.reliability(), "Verdict") == Verdict(
        status="info",
        headline="107 documents (1,000 segments) give BLEU to ± 1.98 (95% interval) and find a "
        "paired difference of 1.68 with 80% power.",
        detail=(
            "± 0.75 takes 344 documents.",
            "A paired difference of 0.50 takes 249 documents.",
            "A ranking by BLEU with a mean Kendall τ of 0.9 to that of all documents takes 39 "
            "documents in random order.",
        ),
    )


def test_a_ranking_that_has_not_settled() -> None:
    made = results.reliability()
    *others, tau = made.documents_for
    late = replace(made, documents_for=(*others, replace(tau, documents=None)))
    found = block_of(late, "Verdict")
    assert isinstance(found, Verdict)
    assert found.detail[-1] == (
        "The ranking by BLEU has not settled: no smaller number of these documents gives one "
        "with a mean Kendall τ of 0.9 to it."
    )


def test_what_resampling_segments_gets_wrong() -> None:
    text = block_of(results.reliability(), "Text")
    assert isinstance(text, Text)
    assert (text.role, text.title) == ("limits", "Documents, not segments")
    assert "two-sided tests at 0.05 with 80% power, one pair" in text.text
    assert text.points == (
        (
            "plain",
            "BLEU: segments of a document resemble each other, so 1,000 segments are worth 444. "
            "A segment bootstrap is too narrow by √2.25 = 1.50: its 95% interval covers about "
            "81%.",
        ),
    )
    assert results.reliability().clustering_sentence("z") == (
        "DA z: segments of a document do not resemble each other (design effect 0.99), so a "
        "segment bootstrap is not too narrow."
    )


def test_the_table_of_documents() -> None:
    table = table_of(results.reliability(), "documents")
    assert columns(table) == [
        "target: for, name",
        "metric: metric, name",
        "now: now, number",
        "value: wanted, number",
        "documents: documents / docs., count (of the middle system or pair)",
        "segments: segments / segm., count, keep 3",
        "documents_most: documents, hardest / hardest, count, keep 2 "
        "(of the system or pair that takes most)",
    ]
    assert rows(table) == [
        "95% interval of a score, ± | BLEU | 1.98 | 0.75 | 344 | 3,215 | 545",
        "paired difference, 80% power | BLEU | 1.68 | 0.50 | 249 | 3,215 | 529",
        "ranking, Kendall's τ | BLEU | – | 0.90 | 39 | 3,215 | –",
    ]
    assert table.breaks == (1, 2)


def test_targets_of_several_measures_stand_together() -> None:
    made = results.reliability()
    other = results.documents_for("z", "half-width", value=NAN, documents=None, now=0.5)
    table = table_of(replace(made, documents_for=(*made.documents_for, other)), "documents")
    assert [row[1] for row in table.rows] == ["BLEU", "DA z", "BLEU", "BLEU"]
    assert table.breaks == (2, 3)
    assert rows(table)[1].endswith("| DA z | 0.50 | – | – | 3,215 | 545")


def test_the_table_of_clustering() -> None:
    table = table_of(results.reliability(), "clustering")
    assert csv_lines(table) == [
        "metric,n_documents,n_segments,icc,icc_range_low,icc_range_high,design_effect,"
        "design_effect_range_low,design_effect_range_high,n_effective,too_narrow,coverage,"
        "difference_design_effect,pairing",
        "BLEU,107,1000,0.095,0.058,0.158,2.25,1.75,2.875,444.4,1.5,0.81,1.21,0.42",
        "DA z,107,1000,-0.01,0.058,0.158,0.99,1.75,2.875,444.4,0.995,0.951,1.21,0.42",
    ]


def test_the_tables_of_the_ranking() -> None:
    made = results.reliability()
    half = table_of(made, "ranking")
    assert half.title == "The ranking by half of the documents (200 random orders)"
    assert rows(half) == ["BLEU | 53 | 0.92 | 0.87 | 83% | 99% | 13%"]
    every = table_of(made, "ranking-points")
    assert rows(every) == [
        "BLEU | 53 | 0.92 | 0.87 | 83% | 99% | 13%",
        "BLEU | 107 | 1.00 | – | 100% | 100% | 100%",
    ]
    assert not every.folded


def test_the_table_of_difficult_documents() -> None:
    table = table_of(results.reliability(), "difficult")
    assert rows(table) == [
        "story-3 | 3 | 29 | scores move apart | 8.0 | 3.9 | DA z +4.8, BLEU −3.2",
        "story-32 | 32 | 24 | all scores move | 5.5 | 2.8 | BLEU +5.8",
    ]


def test_the_table_of_fits_says_what_x_min_is_not() -> None:
    table = table_of(results.reliability(), "fits")
    assert rows(table) == [
        "BLEU | relative | 0.0924 | 0.43 | [0.36, 0.59] | 0.985 | 0.975 | 3.3 | 66.3 | [63, 75] "
        "| 53.7 | 1",
        "DA z | absolute | 0.0924 | 0.43 | [0.36, 0.59] | 0.985 | 0.975 | 3.3 | – | – | – | 1",
    ]
    assert "x_max, documents (ε 0.0001)" in [column.title for column in table.columns]
    assert "a fraction) by ε = 0.0001" in table.note
    assert "x_min = 1 + 1/b only restates b" in table.note


def test_the_table_of_curves() -> None:
    table = table_of(results.reliability(), "curves")
    assert rows(table)[:3] == [
        "BLEU | new | 1 | 9 | 30.25 | 0.0625 | [26.50, 34.00] | – | 0.0500 | 0.0700 | 0.0900",
        "BLEU | new | 2 | 12 | 31.50 | 0.0425 | [28.75, 34.25] | 0.0575 | – | – | –",
        "DA z | new | 1 | 9 | 0.25 | 0.0625 | [26.50, 34.00] | – | 0.0500 | 0.0700 | 0.0900",
    ]
    assert table.breaks == (2,)


def test_checks_say_how_it_was_made() -> None:
    def points(**changes: object) -> tuple[tuple[str, str], ...]:
        found = [b for b in blocks_of(results.reliability(**changes)) if isinstance(b, Text)]
        return found[1].points

    assert points()[0] == (
        "ok",
        "Curves by 1,500 resamples of segments (Poisson weights).",
    )
    assert points(method="exact")[0][1].endswith("(multinomial samples).")
    assert points(method="delta", n_resamples=None)[0] == (
        "ok",
        "Curves by the delta method: no draw was made.",
    )
    assert points()[-1] == (
        "look",
        "The spread of DA z is in points, so ε and x_max have no meaning there.",
    )


def test_every_line_fits_eighty_columns() -> None:
    text = render_text(blocks_of(results.reliability()), width=80, everything=True)
    assert max(text_width(line) for line in text.splitlines()) <= 80


def test_repeat() -> None:
    assert block_of(results.reliability(), "Repeat") == Repeat("toy|n:3|seed:7|detectable:0.0")


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


def test_the_chart_is_of_the_middle_system() -> None:
    chart = _chart(_study())
    assert (chart.key, chart.twin) == (True, "curves")
    assert chart.title == "107 documents fix BLEU to ± 1.98; counting segments gives ± 2.00"
    assert chart.caption == (
        "middling, the middle system. Left: 95% intervals, from documents from five on. Right: the "
        "spread of resampled segments (grey: in 90% of random orders); at x_max one document more "
        "lowers it by 0.0001."
    )
    assert chart.alt == (
        f"{chart.title}. middling scores 31.50 on all documents. Its spread falls as 0.125 times "
        "documents to the power of −0.50. x_max is 12 documents."
    )


def test_the_chart_of_narrow_segments_says_what_they_claim() -> None:
    made = _study(x_max=None)
    first, *others = made.documents_for
    made = replace(made, documents_for=(replace(first, now=2.5), *others))
    chart = _chart(made)
    assert (
        chart.title == "107 documents fix BLEU to ± 2.50; counting segments would claim ± 2.00"
    )
    assert "x_max" not in chart.caption
    assert "x_max" not in chart.alt


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


def test_without_intervals_from_documents_there_is_no_chart() -> None:
    curves = (_curve("a", NAN),)
    assert "chart documents" not in shown(_study(curves=curves))


def test_the_chart_of_the_ranking() -> None:
    point = results.reliability().tau["bleu"][0]
    tau = {
        "bleu": (replace(point, documents=10, remainder=0.5), point),
        "z": (replace(point, remainder=-0.001), replace(point, documents=107, remainder=NAN)),
    }
    chart = _chart(_study(tau=tau), "stability")
    assert not chart.key
    assert chart.twin == "ranking-points"
    assert chart.title == (
        "Two halves of the documents rank the systems with τ = 0.87 by BLEU, 0.00 by DA z"
    )
    assert chart.caption.startswith("Means of 200 random orders.")
    assert chart.alt.endswith("At half of the documents: BLEU 0.87; DA z 0.00.")
    first, second = (one["data"]["values"] for one in chart.make(720)["layer"][:2])
    assert first == [{"k": 10, "tau": 0.5}, {"k": 53, "tau": 0.87}]
    assert second == [{"k": 53, "tau": -0.001}]
    check_readable(chart)
    one = _chart(_study(tau={"bleu": tau["bleu"]}), "stability")
    assert one.title == "Two halves of the documents rank the systems with τ = 0.87 by BLEU"


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


def test_methods() -> None:
    assert block_of(results.reliability(), "Methods") == Methods(
        "How far 107 documents (1,000 segments) fix the scores was studied with documents as the "
        "units that vary, after Estrella et al. (2007). The design effect of BLEU is 2.25 "
        "(intraclass correlation 0.095), so resampling segments gives intervals too narrow by "
        "1.50. A score is known to ± 1.98 (95% interval), and a paired difference of 1.68 is found "
        "with 80% power (two-sided, α = 0.05, one pair, not corrected).",
        ("estrella-etal-2007",),
    )
