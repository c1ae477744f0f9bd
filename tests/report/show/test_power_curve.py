"""What a power curve shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.power_curve()) == [
        *("Verdict", "chart power", "power", "Text", "Methods", "Repeat")
    ]


def test_verdict() -> None:
    assert block_of(results.power_curve(), "Verdict") == Verdict(
        status="info",
        headline="80% power needs 1,500 judgments per system for 0.4.",
        detail=(
            "500 judgments per system: none of the effects with at least 80% power.",
            "1,500 judgments per system: effects from 0.4 with at least 80% power.",
        ),
    )


def test_the_table_of_power() -> None:
    table = table_of(results.power_curve(), "power")
    assert (table.title, table.breaks, table.folded) == (
        "Power by size and effect (α = 0.05, closed-form and simulated)",
        (),
        False,
    )
    assert columns(table) == [
        "n_items: judgments, count",
        "0.2: 0.2, number",
        "0.4: 0.4, number",
    ]
    assert rows(table) == [
        "500 | 0.250 | 0.750",
        "1,500 | 0.500 | 0.950",
    ]
    assert csv_lines(table) == [
        "n_items,0.2,0.4",
        "500,0.25,0.75",
        "1500,0.5,0.95",
    ]


def test_note() -> None:
    assert Text(
        role="note",
        title="Notes",
        text="",
        points=(("plain", "Simulated."), ("plain", "For 500."), ("plain", "For 1500.")),
    ) in blocks_of(results.power_curve())


def test_repeat() -> None:
    assert block_of(results.power_curve(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_every_cell_is_its_own_point() -> None:
    table = table_of(results.power_curve(unit="item"), "power")
    assert table.columns[0].title == "items"
    assert table.rows == ((500, 0.25, 0.75), (1500, 0.5, 0.95))
