"""The picture of designs by cost says what the result says."""

from dataclasses import replace

import pytest

import detectable as dt
from detectable.core.result import Signature
from detectable.report.blocks import Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.cheapest import cheapest_charts, design_lines
from tests.report import results
from tests.report.charts.drawn import LONG, check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_a_line_per_number_of_raters_with_the_best_marked() -> None:
    lines = design_lines(results.cheapest_design())
    assert [line.name for line in lines] == ["2 raters", "5 raters", "8 raters"]
    assert [line.own for line in lines] == [False, True, False]
    assert lines[1].points == ((475.0, 0.55), (925.0, 0.805), (1825.0, 0.95))
    assert lines[1].marks == ((925.0, 0.805, "925"),)
    assert lines[0].marks == ()


def test_the_title_names_what_never_reaches_the_power() -> None:
    made = next(cheapest_charts(results.cheapest_design()))
    assert made.title == (
        "5 raters reach 80% power at a cost of 925; 2 raters do not even at 1,610"
    )
    assert made.alt == (
        f"{made.title}. By cost: 2 raters 50% at most; 5 raters 80% from about 910; 8 raters 80% "
        "from about 1,100."
    )
    assert made.caption == (
        "A dot per design, a line per number of raters, more items to the right. ● the cheapest."
    )
    assert (made.twin, made.key) == ("prices", True)


def test_where_all_reach_it_the_dearest_is_named() -> None:
    found = results.cheapest_design()
    some = replace(found, nearby=found.nearby[2:])
    made = next(cheapest_charts(some))
    assert made.title == "5 raters reach 80% power at a cost of 925, 8 raters at 1,100"


def test_designs_that_differ_by_test_are_named_by_it() -> None:
    found = results.cheapest_design()
    nearby = tuple(
        replace(one, test="signed-rank" if one.n_raters == 8 else "two-means")
        for one in found.nearby[2:]
    )
    assert found.best is not None
    best = replace(found.best, test="two-means")
    made = next(cheapest_charts(replace(found, best=best, options=(best,), nearby=nearby)))
    assert made.title == "Two-means reaches 80% power at a cost of 925, signed-rank at 1,100"
    assert "a line per test" in made.caption


def test_without_designs_around_it_there_is_no_picture() -> None:
    assert list(cheapest_charts(results.cheapest_design(nearby=()))) == []
    assert list(cheapest_charts(results.cheapest_design(best=None))) == []


def test_long_names_are_readable() -> None:
    found = results.cheapest_design()
    nearby = tuple(
        replace(one, test=LONG if one.n_raters == 8 else "two-means") for one in found.nearby
    )
    assert found.best is not None
    best = replace(found.best, test="two-means")
    check(blocks_of(replace(found, best=best, options=(best,), nearby=nearby)))


def test_a_real_search_is_readable_and_its_designs_cost_what_they_say() -> None:
    costs = dt.Costs(judgment=1.0, item=0.5)
    scenario = dt.scenarios.Ratings(mean=75, sd=20, correlation=0.5, test="paired-mean")
    found = dt.cheapest(scenario, effect=3, costs=costs, rng=1)
    check(blocks_of(found))
    assert {one.test for one in found.nearby} == {"paired-mean", "two-means"}
    for one in found.nearby:
        assert one.cost == one.n_judgments + 0.5 * one.n_items
    paired = [one for one in found.nearby if one.test == "paired-mean"]
    assert [one.power for one in paired] == pytest.approx(
        [
            dt.power(
                replace(scenario, method="closed-form"), n_items=one.n_items, effect=3
            ).power
            for one in paired
        ]
    )


def test_likert_designs_around_the_best_have_their_own_power() -> None:
    plan = dt.scenarios.Likert(n_raters=3, preset="card-low")
    found = dt.cheapest(plan, effect=0.2, costs=dt.Costs(judgment=0.1, rater=5.0), max_raters=6)
    assert found.best is not None
    assert sorted({one.n_raters for one in found.nearby}) == [2, 4, 6]
    assert found.best in found.nearby
    for one in found.nearby[::5]:
        assert one.cost == pytest.approx(5.0 * one.n_raters + 0.1 * one.n_judgments)
        alone = replace(plan, n_raters=one.n_raters).closed_form(one.n_items, 0.2, alpha=0.05)
        assert alone is not None
        assert one.power == alone.power
    free = dt.cheapest(plan, effect=0.2, costs=dt.Costs(rater=5.0), max_raters=6)
    assert free.nearby == ()


# --- What a cheapest design shows, against one made by hand ---


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
