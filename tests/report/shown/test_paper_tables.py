"""Systems × metrics for a paper, against the result they are made of."""

from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.report.shown.paper_tables import scores
from detectable.study.comparison.result import Comparison
from tests.report.many_systems import compared
from tests.report.results import comparison, metric, pair, score


def texts(result: Comparison) -> list[list[str]]:
    return [[cell.text for cell in row] for row in scores(result).rows]


@pytest.mark.parametrize(
    ("half", "digits", "score_text", "half_text"),
    [
        (1.3, 2, "30.1", "1.3"),
        (0.85, 2, "30.12", "0.85"),
        (0.085, 2, "30.12", "0.09"),
        (0.085, 4, "30.125", "0.085"),
        (13.0, 2, "30.1", "13.0"),
        (0.0, 2, "30.12", "0.00"),
        (float("nan"), 2, "30.12", ""),
    ],
)
def test_a_half_interval_has_two_figures_and_the_score_as_many_decimals(
    half: float, digits: int, score_text: str, half_text: str
) -> None:
    row = score(
        score=30.125, interval=Interval(30.125 - half, 30.125 + half, 0.95), runs=(1.0,)
    )
    result = comparison(
        metrics=(metric(digits=digits),),
        systems=(row, replace(row, system="old")),
        pairs=(pair(),),
        n_runs={"new": 1, "old": 1},
    )
    cell = scores(result).rows[1][1]
    assert (cell.text, cell.beside) == (score_text, half_text)


def test_one_odd_system_does_not_set_the_decimals_of_the_others() -> None:
    made = compared(4)
    odd = replace(made.systems[-1], score=0.061, interval=Interval(0.041, 0.081, 0.95))
    rows = texts(replace(made, systems=(*made.systems[:-1], odd)))
    assert [row[1] for row in rows] == ["30.0", "29.0", "28.0", "0.06"]


def test_scores_that_print_alike_are_both_bold() -> None:
    made = compared(3)
    near = replace(made.systems[1], score=29.99)
    rows = scores(replace(made, systems=(made.systems[0], near, made.systems[2]))).rows
    assert [row[1].bold for row in rows] == [True, True, False]
