"""What a variance components shows, against one made by hand."""

from dataclasses import replace
from typing import Any

from detectable.core.interval import Interval
from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.variance_components()) == [
        "Verdict",
        "chart shares",
        "Text",
        "variances",
        "shares",
        "advice",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.variance_components(), "Verdict") == Verdict(
        status="info",
        headline="72% [56, 82] of the variance of one judgment is quality; the rest is noise between raters.",
        detail=(
            "Total variance 225.00, noise 64.00, from 209 judgments of 88 translations, 68 of them by two raters or more.",
            "The same rater, asked again, varies by 4.00 (correlation 0.97, 17 repeats).",
            "For the mean of a system one judgment per item on more items is best, unless items are scarce (two raters per item cost 1.71 times the judgments for the same precision).",
        ),
    )


def test_the_table_of_variances() -> None:
    table = table_of(results.variance_components(), "variances")
    assert (table.title, table.breaks, table.folded) == (
        "Where the spread comes from",
        (),
        False,
    )
    assert columns(table) == [
        "part: variance, name",
        "estimate: estimate, number",
        "sd: SD, number",
        "interval: 90% interval, interval",
    ]
    assert rows(table) == [
        "total, of a judgment | 225.00 | 15.00 | [160.00, 300.00]",
        "noise between raters | 64.00 | 8.00 | [45.00, 90.00]",
        "the same rater, asked again | 4.00 | 2.00 | –",
    ]
    assert csv_lines(table) == [
        "part,estimate,sd,interval_low,interval_high",
        '"total, of a judgment",225.0,15.0,160.0,300.0',
        "noise between raters,64.0,8.0,45.0,90.0",
        '"the same rater, asked again",4.0,2.0,,',
    ]


def test_the_table_of_shares() -> None:
    table = table_of(results.variance_components(), "shares")
    assert (table.title, table.breaks, table.folded) == ("Quality", (), False)
    assert columns(table) == [
        "estimator: share of quality, name",
        "share: share, share",
        "interval: 90% interval, shares",
        "untruncated: untruncated, share, keep 3",
        "gamma: noise/quality, number, keep 2",
    ]
    assert rows(table) == [
        "1 − noise/total | 71.5% | [55.5, 82.5]% | 72.0% | 0.40",
        "covariance/total | 0.0% | – | −5.0% | ∞",
    ]
    assert csv_lines(table) == [
        "estimator,share,interval_low,interval_high,untruncated,gamma",
        "1 − noise/total,0.715,0.555,0.825,0.72,0.4",
        "covariance/total,0.0,,,-0.05,inf",
    ]


def test_the_table_of_advice() -> None:
    table = table_of(results.variance_components(), "advice")
    assert (table.title, table.breaks, table.folded) == (
        "The same number of judgments, spent differently",
        (),
        False,
    )
    assert columns(table) == [
        "n_raters: raters per item / raters, count",
        "n_items: items, count",
        "standard_error: SE of a system's mean / SE, number",
        "relative_cost: judgments for equal precision, × / judgments ×, number",
    ]
    assert rows(table) == [
        "1 | 7,000 | 1.804 | 1.00",
        "2 | 3,500 | 2.357 | 1.71",
    ]
    assert csv_lines(table) == [
        "n_raters,n_items,standard_error,relative_cost",
        "1,7000,1.8035,1.0",
        "2,3500,2.357,1.71",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "49 judgments left out."),)
    ) in blocks_of(results.variance_components())


def test_repeat() -> None:
    assert block_of(results.variance_components(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_without_repeats_there_are_two_variances() -> None:
    table = table_of(results.variance_components(intra=None), "variances")
    assert table.column("part") == ("total, of a judgment", "noise between raters")


def test_limits() -> None:
    assert block_of(results.variance_components(), "Text") == Text(
        role="limits",
        title="What could not be told",
        text="With 20 documents and 68 translations judged by two raters or more, any share from 56% "
        "to 82% fits the data. The covariance of two raters says 0%; the two differ where the "
        "translations with several raters are unlike the others.",
    )


def _chart(**changes: Any) -> Chart:
    made = block_of(results.variance_components(**changes), "chart shares")
    assert isinstance(made, Chart)
    return made


def test_the_chart_says_how_much_is_quality() -> None:
    chart = _chart()
    assert (chart.key, chart.twin) == (True, "shares")
    assert chart.title == "Quality is 72% [56, 82] of the variance of one judgment"
    assert chart.caption == (
        "Line and numbers: share of quality with its 90% interval, by two estimators. Rater "
        "against self: the same rater, asked again."
    )
    assert chart.alt == (
        f"{chart.title}. By the covariance of two raters it is 0% (est. < 0). The same rater, asked "
        "again, accounts for 2%."
    )


def test_the_chart_where_nothing_is_quality_and_nobody_was_asked_again() -> None:
    made = results.variance_components()
    other = replace(made.by_covariance, value=0.25, untruncated=0.25)
    found = replace(made, by_difference=made.by_covariance, by_covariance=other, intra=None)
    chart = block_of(found, "chart shares")
    assert isinstance(chart, Chart)
    assert chart.title == "No part of the variance of one judgment can be told to be quality"
    assert chart.alt == f"{chart.title}. By the covariance of two raters it is 25%."
    assert "self" not in chart.caption
    assert block_of(found, "Verdict").headline == (  # type: ignore[union-attr]
        f"{chart.title}: the estimate is below zero."
    )
    check(blocks_of(found))


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


def test_methods() -> None:
    assert block_of(results.variance_components(), "Methods") == Methods(
        "The variance of one judgment, within systems, was split into quality of the translation and "
        "noise between raters (Wei et al., 2022), from 209 judgments of 88 translations by 4 raters, "
        "68 of the translations by two raters or more. Quality accounts for 71.5% (90% interval "
        "[55.5, 82.5], bootstrap over 20 documents) by one minus noise over total, and for 0.0% by "
        "the covariance of two raters. Estimates below zero were set to zero.",
        ("wei-etal-2022",),
    )


def test_two_estimators_that_disagree() -> None:
    made = results.variance_components()
    other = replace(
        made.by_covariance, value=0.25, untruncated=0.25, interval=Interval(0.125, 0.5, 0.9)
    )
    found = replace(made, by_covariance=other)
    said = block_of(found, "Verdict")
    assert isinstance(said, Verdict)
    assert (said.status, said.headline) == (
        "warning",
        "72% [56, 82] or 25% [12, 50] of the variance of one judgment is quality: two estimators "
        "disagree.",
    )
    chart = block_of(found, "chart shares")
    assert isinstance(chart, Chart)
    assert chart.title == (
        "Quality is 72% [56, 82] or 25% [12, 50] of the variance: two estimators disagree"
    )
    higher = replace(other, interval=Interval(0.875, 0.9, 0.9))
    assert block_of(replace(made, by_covariance=higher), "Verdict").status == "warning"  # type: ignore[union-attr]
    close = replace(other, interval=Interval(0.125, 0.5625, 0.9))
    assert block_of(replace(made, by_covariance=close), "Verdict").status == "info"  # type: ignore[union-attr]
