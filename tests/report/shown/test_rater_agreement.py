"""What a rater agreement shows, against one made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.precision.rater_agreement import RaterPair
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check, check_readable
from tests.report.results import NAN
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.rater_agreement()) == [
        "Verdict",
        "chart agreement",
        "Text",
        "agreement",
        "pairs",
        "Text",
        "Methods",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.rater_agreement(), "Verdict") == Verdict(
        status="info",
        headline="Raters agree enough for tentative conclusions: Krippendorff's α = 0.70 [0.60, 0.80].",
        detail=(
            "From 68 translations judged by two or more of 3 raters, scores compared as interval.",
            "Two raters correlate at 0.65 on average (ranks: 0.55; 1 pair with 10 or more translations in common).",
        ),
    )


def test_limits() -> None:
    assert block_of(results.rater_agreement(), "Text") == Text(
        role="limits",
        title="What could not be told",
        text="With 20 documents, any α from 0.60 to 0.80 fits the data. 2 pairs of raters share "
        "fewer than 10 translations and have no correlation here.",
    )
    one = replace(results.rater_agreement().pairs[0], n_translations=29)
    made = results.rater_agreement(pairs=(one,), interval=None, n_pairs_below=0)
    said = block_of(made, "Text")
    assert isinstance(said, Text)
    assert said.text == (
        "1 of 1 pair rests on fewer than 30 translations: who agrees with whom hangs on few of them."
    )


def test_the_table_of_agreement() -> None:
    table = table_of(results.rater_agreement(), "agreement")
    assert rows(table) == [
        "Krippendorff's α | 0.70 | [0.60, 0.80] | 68",
        "Pearson, mean of pairs | 0.65 | – | –",
        "Spearman, mean of pairs | 0.55 | – | –",
    ]
    assert len(table_of(results.rater_agreement(pairs=()), "agreement").rows) == 1


def test_the_table_of_pairs() -> None:
    table = table_of(results.rater_agreement(), "pairs")
    assert (table.title, table.breaks, table.folded) == ("Pairs of raters", (), False)
    assert columns(table) == [
        "rater: rater, name",
        "other: other, name",
        "n_translations: translations, count, keep 2",
        "pearson: Pearson, number",
        "by_chance: by chance, interval, keep 4 (where Pearson's correlation would lie if all pairs agreed alike)",
        "spearman: Spearman, number",
        "mean_difference: mean difference / difference, signed number",
    ]
    assert rows(table) == [
        "ann | bob | 1,043 | 0.75 | [0.61, 0.68] | 0.62 | −8.50",
    ]
    assert csv_lines(table)[0] == (
        "rater,other,n_translations,pearson,by_chance_low,by_chance_high,spearman,mean_difference"
    )


def _pair(name: str, n: int, pearson: float) -> RaterPair:
    return replace(
        results.rater_agreement().pairs[0], other=name, n_translations=n, pearson=pearson
    )


def _chart(**changes: Any) -> Chart:
    made = block_of(results.rater_agreement(**changes), "chart agreement")
    assert isinstance(made, Chart)
    return made


def test_the_chart_says_alpha_and_the_correlations() -> None:
    chart = _chart()
    assert (chart.key, chart.twin) == (True, "pairs")
    assert chart.title == "Krippendorff's α = 0.70 [0.60, 0.80]; two raters correlate at 0.75"
    assert chart.alt == (
        f"{chart.title}. The mean correlation is 0.65; 1 of 1 pair lies outside what chance allows "
        "if all agree alike."
    )
    pairs = (_pair("b", 20, 0.1), _pair("c", 103, 0.9), _pair("d", 3, 0.7), _pair("e", 50, NAN))
    chart = _chart(pairs=pairs, interval=None, krippendorff=-0.125, alpha=0.1)
    assert (
        chart.title == "Krippendorff's α = −0.12; 3 pairs of raters correlate at 0.10 to 0.90"
    )
    # Around .65, 90 % of 20 translations reach .355, of 103 .75; of 3 nothing is known.
    assert "2 of 2 pairs lie outside" in chart.alt
    assert chart.caption == (
        "Dotted: 0.667 for tentative conclusions, 0.8 for reliable ones. Grey: where chance would "
        "put 90% of the pairs if all agreed alike, translations taken as independent."
    )


def test_the_chart_without_pairs() -> None:
    chart = _chart(pairs=())
    assert (chart.title, chart.twin) == ("Krippendorff's α = 0.70 [0.60, 0.80]", "agreement")
    assert chart.alt == f"{chart.title}. No two raters share 10 translations."
    assert chart.caption == (
        "Line: 95% interval. Dotted: 0.667 for tentative conclusions, 0.8 for reliable ones."
    )
    check(blocks_of(results.rater_agreement(pairs=())))


def test_few_pairs_have_names_and_many_are_a_cloud() -> None:
    few = _chart(pairs=(_pair(LONG, 20, 0.1), _pair(JAPANESE, 103, 0.9)))
    drawn = few.make(720)["vconcat"][1]["layer"]
    # The pair that agrees best stands first.
    assert [row["value"] for row in drawn[3]["data"]["values"]] == [0.9, 0.1]
    many = tuple(_pair(f"r{i}", 10 + i, 0.03 * i - 0.3) for i in range(25))
    cloud = _chart(pairs=many)
    assert cloud.caption.endswith("A dot is a pair of raters.")
    points = cloud.make(720)["vconcat"][1]["layer"][2]["data"]["values"]
    assert points[3] == {"n": 13, "value": pytest.approx(-0.21)}
    for chart in (few, cloud):
        check_readable(chart)


def test_methods() -> None:
    assert block_of(results.rater_agreement(), "Methods") == Methods(
        "Agreement between raters was measured by Krippendorff's alpha with the interval metric "
        "(Krippendorff, 2011) on 150 judgments of 68 translations by two or more of 3 raters: α = "
        "0.70 (95% interval [0.60, 0.80], bootstrap over 20 documents). Over 1 pair of raters with "
        "10 or more translations in common, Pearson's correlation was 0.65 on average.",
        ("krippendorff-2011",),
    )


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "17 repeats left out."),)
    ) in blocks_of(results.rater_agreement())


def test_repeat() -> None:
    assert block_of(results.rater_agreement(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_without_pairs_there_is_no_table() -> None:
    assert "pairs" not in shown(results.rater_agreement(pairs=()))


def test_many_pairs_are_folded() -> None:
    one = results.rater_agreement().pairs[0]
    assert table_of(results.rater_agreement(pairs=(one,) * 13), "pairs").folded
    assert not table_of(results.rater_agreement(pairs=(one,) * 12), "pairs").folded
