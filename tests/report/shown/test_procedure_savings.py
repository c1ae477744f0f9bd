"""The picture of savings says what the result says."""

from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.charts.savings import Spending, savings
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.shown.procedure_savings import savings_charts
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check_readable


def chart(**changes: Any) -> Chart:
    return next(savings_charts(results.procedure_savings(**changes)))


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
