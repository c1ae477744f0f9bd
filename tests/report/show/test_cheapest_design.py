"""What a cheapest design shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.cheapest_design()) == ["Verdict", "designs", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.cheapest_design(), "Verdict") == Verdict(
        status="info",
        headline="5 raters and 90 items (900 judgments, card) cost 925 and show an effect of 0.2 with 80% power.",
        detail=(),
    )


def test_the_table_of_designs() -> None:
    table = table_of(results.cheapest_design(), "designs")
    assert (table.title, table.breaks, table.folded) == (
        "Designs that reach the power",
        (),
        False,
    )
    assert columns(table) == [
        "n_raters: raters, count",
        "n_items: items, count",
        "n_judgments: judgments, count",
        "test: test, text, keep 2",
        "cost: cost, number",
        "power: power, number",
    ]
    assert rows(table) == [
        "5 | 90 | 900 | card | 925.00 | 0.805",
        "3 | 400 | 2,400 | card | 2,415.50 | 0.812",
    ]
    assert csv_lines(table) == [
        "n_raters,n_items,n_judgments,test,cost,power",
        "5,90,900,card,925.0,0.805",
        "3,400,2400,card,2415.5,0.8125",
    ]


def test_note() -> None:
    assert Text(
        role="note",
        title="Notes",
        text="",
        points=(("plain", "With fewer than 3 raters nothing is enough."),),
    ) in blocks_of(results.cheapest_design())


def test_repeat() -> None:
    assert block_of(results.cheapest_design(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_no_design_is_a_warning_without_a_table() -> None:
    made = results.cheapest_design(best=None, options=(), notes=())
    assert shown(made) == ["Verdict", "Repeat"]
    assert block_of(made, "Verdict") == Verdict(
        "warning", "no design reaches 80% power for 0.2."
    )
