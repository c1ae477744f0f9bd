"""Systems × metrics for a paper, against the result they are made of."""

from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.report.shown.paper_tables import scores
from detectable.study.comparison.result import Comparison
from tests.report.many_systems import compared
from tests.report.results import NAN, comparison, metric, pair, score


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


def test_runs_stand_as_in_table_1_of_clark() -> None:
    rows = [
        score(system="old", score=18.5, runs=(18.4, 18.6), s_sel=0.26, s_test=0.14, s_dev=0.05),
        score(system="new", score=18.8, runs=(18.9, 18.7), s_sel=0.27, s_test=0.15, s_dev=0.06),
    ]
    ter = [replace(row, metric="ter", s_dev=NAN) for row in rows]
    result = comparison(
        metrics=(metric(), metric("ter", "TER")),
        systems=tuple(row for both in zip(rows, ter, strict=True) for row in both),
        pairs=(pair(p_adjusted=0.0123), pair(metric="ter", p_adjusted=0.4)),
        n_runs={"old": 2, "new": 2},
    )
    made = scores(result)
    heads = ["Metric", "System", "Avg", "s_sel", "s_dev", "s_test", "p"]
    assert [column.title for column in made.columns] == heads
    assert made.breaks == (2,)
    assert [[cell.text for cell in row[:2]] for row in made.rows] == [
        ["BLEU ↑", "old"],
        ["", "new"],
        ["TER ↓", "old"],
        ["", "new"],
    ]
    assert [cell.text for cell in made.rows[1][3:]] == ["0.27", "0.06", "0.15", ".0123"]
    assert [cell.text for cell in made.rows[2][3:]] == ["0.26", "–", "0.14", "–"]
    assert "s_dev: over the runs on the development set" in made.caption
    without = replace(result, systems=tuple(replace(row, s_dev=NAN) for row in result.systems))
    assert "s_dev" not in [column.title for column in scores(without).columns]
