"""What a planning answer shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.power_estimate()) == [
        *("Verdict", "chart power", "Text", "chart significant"),
        *("details", "nearby", "Text", "Methods", "Repeat"),
    ]


def test_without_power_around_it_there_is_no_picture() -> None:
    assert shown(results.power_estimate(nearby=None)) == [
        *("Verdict", "Text", "details", "Text", "Methods", "Repeat")
    ]


def test_verdict() -> None:
    assert block_of(results.power_estimate(), "Verdict") == Verdict(
        status="info",
        headline="With 1,500 items an effect of 0.5 is found 81% of the time.",
        detail=("Power 0.812 ± 0.004 (α = 0.05, simulated).",),
    )
    assert block_of(results.power_estimate(), "Text") == Text(
        "limits",
        "What it will miss, and exaggerate",
        "Half of it (0.25) is found in 29% of such evaluations. A significant result exaggerates "
        "the effect 1.12 times on average and has the wrong sign in under 0.1% of cases.",
    )


def test_the_table_of_details() -> None:
    table = table_of(results.power_estimate(), "details")
    assert (table.title, table.breaks, table.folded) == ("Numbers behind it", (), False)
    assert columns(table) == [
        "name: quantity, name",
        "value: value, text",
    ]
    assert rows(table) == [
        "power | 0.8125",
        "Type-M (exaggeration) | 1.125",
        "Type-S (wrong sign) | 0.0005",
        "method | simulated",
        "agreement | 0.975",
        "test used | mcnemar",
        "n big | 12345678",
    ]
    assert csv_lines(table) == [
        "name,value",
        "power,0.8125",
        "Type-M (exaggeration),1.125",
        "Type-S (wrong sign),0.0005",
        "method,simulated",
        "agreement,0.975",
        "test used,mcnemar",
        "n big,12345678",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Simulated."),)
    ) in blocks_of(results.power_estimate())


def test_repeat() -> None:
    assert block_of(results.power_estimate(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_an_effect_is_shown_by_the_same_file() -> None:
    assert block_of(results.detectable_effect(), "Verdict") == Verdict(
        "info",
        "With 900 items an effect of 0.25 is found four times in five; smaller ones less often.",
        ("Smallest effect 0.25 (80% power, α = 0.05, closed-form).",),
    )
    table = table_of(results.detectable_effect(), "details")
    assert rows(table) == [
        "power | 0.75",
        "Type-M (exaggeration) | –",
        "Type-S (wrong sign) | –",
        "method | closed-form",
    ]


def test_what_cannot_be_reached_warns() -> None:
    assert block_of(results.sample_size(), "Verdict") == Verdict(
        "warning", "Not attainable: power stays below .62."
    )


def test_csv_keeps_all_digits() -> None:
    third = table_of(results.power_estimate(power=1.0 / 3.0), "details")
    assert rows(third)[0] == "power | 0.333333"
    assert csv_lines(third)[1] == "power,0.3333333333333333"


# --- What a power curve shows, against one made by hand ---


def test_blocks_in_order_of_power_curve() -> None:
    assert shown(results.power_curve()) == [
        *("Verdict", "chart power", "power", "Text", "Methods", "Repeat")
    ]


def test_verdict_of_power_curve() -> None:
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


def test_note_of_power_curve() -> None:
    assert Text(
        role="note",
        title="Notes",
        text="",
        points=(("plain", "Simulated."), ("plain", "For 500."), ("plain", "For 1500.")),
    ) in blocks_of(results.power_curve())


def test_repeat_of_power_curve() -> None:
    assert block_of(results.power_curve(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_every_cell_is_its_own_point() -> None:
    table = table_of(results.power_curve(unit="item"), "power")
    assert table.columns[0].title == "items"
    assert table.rows == ((500, 0.25, 0.75), (1500, 0.5, 0.95))
