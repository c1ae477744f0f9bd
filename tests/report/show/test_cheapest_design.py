"""What a cheapest design shows, against one made by hand."""

from detectable.core.result import Signature
from detectable.report.blocks import Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.cheapest_design()) == [
        *("Verdict", "chart designs", "Text", "designs", "prices"),
        *("Text", "Methods", "Repeat"),
    ]
    assert shown(results.cheapest_design(nearby=())) == [
        *("Verdict", "designs", "Text", "Methods", "Repeat"),
    ]


def test_limits_say_what_less_would_find() -> None:
    assert block_of(results.cheapest_design(), "Text") == Text(
        "limits",
        "What less would find",
        "For 51% of the cost the power is at most 55% (5 raters, 45 items).",
    )


def test_the_table_of_other_prices_holds_what_is_drawn() -> None:
    table = table_of(results.cheapest_design(), "prices")
    assert (table.title, table.folded) == ("Power at other prices", True)
    assert rows(table)[:3] == [
        "2 | 100 | 400 | card | 410.00 | 0.350",
        "2 | 400 | 1,600 | card | 1,610.00 | 0.500",
        "5 | 45 | 450 | card | 475.00 | 0.550",
    ]


def test_the_paragraph_says_prices_power_and_design() -> None:
    settings: dict[str, str | float] = {
        "scenario": "Likert",
        "item": 0.5,
        "judgment": 0.1,
        "rater": 0.0,
    }
    made = results.cheapest_design(signature=Signature("cheapest", settings))
    assert block_of(made, "Methods") == Methods(
        "The design was chosen by the power of a mixed model with raters and items as random (Card "
        "et al., 2020). At 0.5 an item, 0.1 a judgment, the cheapest of 2 designs with 80% power "
        "for an effect of 0.2 (α = 0.05) has 5 raters and 90 items (900 judgments).",
        ("card-etal-2020", "judd-etal-2012"),
    )
    none = block_of(results.cheapest_design(best=None, options=(), nearby=()), "Methods")
    assert isinstance(none, Methods)
    assert none.paragraph.endswith(
        "No design reaches 80% power for an effect of 0.2 (α = 0.05)."
    )


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
    made = results.cheapest_design(best=None, options=(), notes=(), nearby=())
    assert shown(made) == ["Verdict", "Methods", "Repeat"]
    assert block_of(made, "Verdict") == Verdict(
        "warning", "No design reaches 80% power for 0.2."
    )
