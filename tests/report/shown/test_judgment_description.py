"""What a judgment description shows, against one made by hand."""

from dataclasses import replace
from typing import Any

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.judgment_description()) == [
        *("Verdict", "chart scores", "counts", "scores", "Text", "Methods", "Repeat")
    ]
    assert shown(results.judgment_description(scores=())) == [
        *("Verdict", "counts", "Text", "Methods", "Repeat")
    ]


def test_verdict() -> None:
    assert block_of(results.judgment_description(), "Verdict") == Verdict(
        status="info",
        headline="judgments.csv holds 1,234 judgments.",
        detail=(
            "There: 3 systems, 400 items, 12 raters.",
            "Kinds: 1,200 system, 34 degraded.",
            "Scale: 0 to no upper bound.",
        ),
    )


def test_the_table_of_counts() -> None:
    table = table_of(results.judgment_description(), "counts")
    assert (table.title, table.breaks, table.folded) == ("Counts", (3,), False)
    assert columns(table) == [
        "what: what, name",
        "name: name, name",
        "n: n, count",
    ]
    assert rows(table) == [
        "number of | system | 3",
        "number of | item | 400",
        "number of | rater | 12",
        "judgments of kind | system | 1,200",
        "judgments of kind | repeat | 0",
        "judgments of kind | degraded | 34",
    ]
    assert csv_lines(table) == [
        "what,name,n",
        "number of,system,3",
        "number of,item,400",
        "number of,rater,12",
        "judgments of kind,system,1200",
        "judgments of kind,repeat,0",
        "judgments of kind,degraded,34",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "2 rows left out."),)
    ) in blocks_of(results.judgment_description())


def test_repeat() -> None:
    assert block_of(results.judgment_description(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def _chart(**changes: Any) -> Chart:
    made = block_of(results.judgment_description(**changes), "chart scores")
    assert isinstance(made, Chart)
    return made


def test_the_chart_of_scores() -> None:
    chart = _chart()
    assert (chart.key, chart.twin) == (True, "scores")
    assert chart.title == (
        "The median score of systems' output is 62.5 (6% at an end of the scale), of degraded copies "
        "25"
    )
    assert chart.alt == (
        f"{chart.title}. Systems' output: 1,200 judgments, half of them from 40 to 80, median 62.5. "
        "Degraded copies: 34 judgments, half of them from 12 to 45, median 25."
    )
    [first, _] = chart.make(720)["layer"][0]["data"]["values"]
    assert first == {
        "row": 0,
        "text": "62.5",
        "least": 1.5,
        "low": 40.0,
        "median": 62.5,
        "high": 80.0,
        "most": 100.0,
    }
    first_kind = replace(results.judgment_description().scores[0], at_ends=0.04)
    assert _chart(scores=(first_kind,)).title == "The median score of systems' output is 62.5"


def test_the_table_of_scores() -> None:
    table = table_of(results.judgment_description(), "scores")
    assert rows(table) == [
        "systems' output | 1,200 | 1.5 | 40 | 62.5 | 80 | 100 | 6.2%",
        "degraded copies | 34 | 0 | 12 | 25 | 45 | 90 | 12.5%",
    ]


def test_methods() -> None:
    assert block_of(results.judgment_description(), "Methods") == Methods(
        "The data hold 1,234 judgments (3 systems, 400 items, 12 raters). 34 of them are controls: "
        "degraded copies or references."
    )
    plain = results.judgment_description(scale=(0.0, 100.0), kinds={"system": 1234})
    assert block_of(plain, "Methods") == Methods(
        "The data hold 1,234 judgments on a scale from 0 to 100 (3 systems, 400 items, 12 raters)."
    )
