"""The picture of savings says what the result says."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart, Verdict
from detectable.report.charts.savings import Spending, savings
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.shown.procedure_savings import savings_charts, savings_title
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable
from tests.report.show.shown import block_of

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
