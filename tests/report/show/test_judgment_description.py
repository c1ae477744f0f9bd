"""What a judgment description shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.judgment_description()) == ["Verdict", "counts", "Text", "Repeat"]


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
