"""The picture of savings says what the result says."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart, Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.savings import Spending, savings
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.shown.procedure_savings import savings_charts, savings_title
from detectable.study.archive.procedure_savings import OPTIMISTIC, Saving
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of

_OTHERS = tuple(
    replace(one, budget=2000, judgments=judgments, saving=saving)
    for one, judgments, saving in zip(
        results.procedure_savings().savings[1:3], (1600.0, 500.0), (0.2, 0.75), strict=True
    )
)


def chart(**changes: Any) -> Chart:
    return next(savings_charts(results.procedure_savings(**changes)))


def test_the_title_is_the_largest_saving_of_a_fair_procedure() -> None:
    made = chart()
    assert made.title == (
        "1,600 judgments under «looks» find what the fixed test finds with 2,000"
    )
    assert made.alt == (
        f"{made.title}. Spent of 2,000 planned judgments: fixed 2,000 with 70% power; looks 1,500 "
        "with 68% power; peeking 1,250 with 80% power."
    )
    assert made.caption == (
        "A line per procedure, a dot per budget. Grey dots: errs more often than the fixed test, "
        "so no rival."
    )
    fair = results.procedure_savings(type_one_errors=(0.05, 0.0495, 0.05), savings=_OTHERS)
    assert savings_title(fair).startswith("500 judgments under «peeking» find")
    verdict = block_of(fair, "Verdict")
    assert isinstance(verdict, Verdict)
    assert verdict.headline.startswith("'peeking' saves 75.0%")
    assert "Grey" not in chart(type_one_errors=(0.05, 0.0495, 0.05)).caption


def test_without_a_saving_the_title_says_what_is_spent() -> None:
    assert savings_title(results.procedure_savings(savings=())) == (
        "Of 2,000 planned judgments looks spends 1,500, with 68% power"
    )
    worse = tuple(replace(one, saving=-0.1) for one in results.procedure_savings().savings[:1])
    assert savings_title(results.procedure_savings(savings=worse)).startswith(
        "Of 2,000 planned"
    )
    assert results.procedure_savings(savings=()).best() is None


def test_one_budget_has_no_picture() -> None:
    one = results.procedure_savings(budgets=(1000,), savings=())
    assert list(savings_charts(one)) == []


def test_both_panels_draw_their_numbers() -> None:
    first, second = chart().make(WIDE)["hconcat"]
    lines = [layer for layer in first["layer"] if layer["mark"]["type"] == "line"]
    assert [[(r["x"], r["y"]) for r in line["data"]["values"]] for line in lines] == [
        [(1000, 1000), (2000, 2000)],
        [(1000, 750), (2000, 1500)],
        [(1000, 650), (2000, 1250)],
    ]
    powers = [layer for layer in second["layer"] if layer["mark"]["type"] == "line"]
    assert [(r["x"], r["y"]) for r in powers[1]["data"]["values"]] == [
        (750, 0.475),
        (1500, 0.675),
    ]
    colours = [line["mark"]["color"] for line in powers]
    assert colours[2] == COLOUR["undecided"]
    assert len(set(colours)) == 3
    assert len({str(line["mark"]["strokeDash"]) for line in powers}) == 3


@pytest.mark.parametrize(
    "names", [("fixed", "looks", "peeking", "futile"), (LONG, JAPANESE, LONG, "x")]
)
@pytest.mark.parametrize("apart", [0.0, 0.004, 0.1])
def test_no_text_covers_another(names: tuple[str, ...], apart: float) -> None:
    procedures = [
        Spending(
            name,
            tuple(
                (n, n * (1 - 0.5 * apart * k), 0.3 + n / 20_000 - apart * k)
                for n in (600.0, 4800.0)
            ),
            fair=k < 3,
        )
        for k, name in enumerate(names)
    ]
    check_readable(
        Chart(
            "g",
            "A title",
            "A caption.",
            "1",
            lambda width: savings(procedures, width=width),
            "t",
        )
    )


def test_one_power_everywhere_has_an_axis() -> None:
    flat = [Spending("a", ((100.0, 100.0, 1.0), (200.0, 200.0, 1.0)))]
    domain = savings(flat, width=NARROW)["vconcat"][1]["layer"][0]["encoding"]["y"]["scale"]
    assert domain["domain"] == [0.9, 1.0]


# --- What a procedure savings shows, against one made by hand ---


def test_blocks_in_order() -> None:
    assert shown(results.procedure_savings()) == [
        *("Verdict", "chart savings", "Text", "savings"),
        *("Text", "Text", "Methods", "Repeat"),
    ]


def test_verdict() -> None:
    assert block_of(results.procedure_savings(), "Verdict") == Verdict(
        status="info",
        headline="'looks' saves 20.0% of the judgments against the fixed test of 2,000 (1,234 comparisons, 20 repetitions each).",
        detail=(
            "The fixed test finds a difference in 50.0% of the evaluations; to equal it need on average: 'looks' 1,600 judgments (−20.0%).",
        ),
    )


def test_limits_and_checks() -> None:
    texts = [
        block for block in blocks_of(results.procedure_savings()) if isinstance(block, Text)
    ]
    assert texts[0] == Text("limits", "What this does not show", OPTIMISTIC)
    assert texts[1] == Text(
        "checks",
        "Error rates",
        points=(
            ("ok", "Finds a difference where there is none: fixed 5.0%, looks 5.0%."),
            (
                "look",
                "'peeking' is no rival: it finds a difference in 15.5% of the evaluations that "
                "have none.",
            ),
        ),
    )


def test_the_paragraph_says_what_was_replayed_and_what_it_saves() -> None:
    found = block_of(results.procedure_savings(), "Methods")
    assert found == Methods(
        "We replayed 1,234 past comparisons under 3 stopping procedures with 1,000 to 2,000 "
        "judgments planned, by drawing from their own judgments 20 times each (after Wei et al., "
        "2022). To equal the fixed test of 2,000 judgments, looks needed 1,600 (20% fewer).",
        ("wei-etal-2022",),
    )
    dear = results.procedure_savings(
        paired=True,
        savings=(
            Saving(
                procedure="looks",
                budget=1000,
                power=0.5,
                judgments=1100.0,
                judgments_error=None,
                saving=-0.1,
                saving_error=None,
            ),
        ),
    )
    said = block_of(dear, "Methods")
    assert isinstance(said, Methods)
    assert "1,234 past paired comparisons" in said.paragraph
    assert said.paragraph.endswith("looks needed 1,100 (10% more).")


def test_the_table_of_savings() -> None:
    table = table_of(results.procedure_savings(), "savings")
    assert (table.title, table.breaks, table.folded) == (
        "Power and judgments (1,234 comparisons, both systems together)",
        (3,),
        False,
    )
    assert columns(table) == [
        "planned: planned, name",
        "budget: budget, count, keep 9",
        "procedure: procedure, name",
        "errs: errs, share, keep 2",
        "power: power, number",
        "judgments: spent, number",
        "needed: to equal fixed / to equal, number, keep 2",
        "needed_error: ±, number, keep 3",
        "saving: saved, share",
    ]
    assert rows(table) == [
        "1,000 judgments planned | 1,000 | fixed | 5.0% | 0.500 | 1,000 | – | – | –",
        "1,000 judgments planned | 1,000 | looks | 5.0% | 0.475 | 750 | 950 | 12 | 5.0%",
        "1,000 judgments planned | 1,000 | peeking | 15.5% | 0.600 | 650 | – | – | –",
        "2,000 judgments planned | 2,000 | fixed | 5.0% | 0.700 | 2,000 | – | – | –",
        "2,000 judgments planned | 2,000 | looks | 5.0% | 0.675 | 1,500 | 1,600 | – | 20.0%",
        "2,000 judgments planned | 2,000 | peeking | 15.5% | 0.800 | 1,250 | – | – | –",
    ]
    assert csv_lines(table) == [
        "planned,budget,procedure,errs,power,judgments,needed,needed_error,saving",
        '"1,000 judgments planned",1000,fixed,0.05,0.5,1000.0,,,',
        '"1,000 judgments planned",1000,looks,0.0495,0.475,750.0,950.0,12.0,0.05',
        '"1,000 judgments planned",1000,peeking,0.155,0.6,650.0,,,',
        '"2,000 judgments planned",2000,fixed,0.05,0.7,2000.0,,,',
        '"2,000 judgments planned",2000,looks,0.0495,0.675,1500.0,1600.0,,0.2',
        '"2,000 judgments planned",2000,peeking,0.155,0.8,1250.0,,,',
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Five comparisons left out."),)
    ) in blocks_of(results.procedure_savings())


def test_repeat() -> None:
    assert block_of(results.procedure_savings(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_result_that_saves_nothing_says_so_in_one_sentence() -> None:
    made = results.procedure_savings(savings=(), notes=())
    found = block_of(made, "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline == "1,234 comparisons, 20 repetitions each."
    assert table_of(made, "savings").column("needed") == (None,) * 6
