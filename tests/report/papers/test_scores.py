"""Systems × metrics for a paper, against the result they are made of."""

from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.report.paper_table import PaperCell
from detectable.report.shown.paper_tables import baseline_of, pair_numbers, scores
from detectable.study.comparison.result import Comparison
from tests.report.many_systems import compared
from tests.report.results import comparison, many_pairs, metric, pair, score


def texts(result: Comparison) -> list[list[str]]:
    return [[cell.text for cell in row] for row in scores(result).rows]


def test_the_baseline_stands_first_and_the_others_from_best_to_worst() -> None:
    made = many_pairs("▲○▼◆", ("bleu",))
    values = {"old": 30.0, "sys-1": 29.0, "sys-2": 33.0, "sys-3": 31.0, "sys-4": 32.0}
    rows = tuple(
        score(
            name, score=value, interval=Interval(value - 1.25, value + 1.25, 0.95), runs=(1.0,)
        )
        for name, value in values.items()
    )
    made = replace(made, systems=rows, n_runs=dict.fromkeys(values, 1))
    table = scores(made)
    assert [row[0] for row in table.rows] == [
        *(PaperCell("old", "baseline"), PaperCell("sys-2"), PaperCell("sys-4")),
        *(PaperCell("sys-3"), PaperCell("sys-1")),
    ]
    assert [row[1] for row in table.rows] == [
        PaperCell("30.0", "1.2"),
        PaperCell("33.0", "1.2", bold=True),
        PaperCell("32.0", "1.2", "⁼"),
        PaperCell("31.0", "1.2", "⁻"),
        PaperCell("29.0", "1.2", "⁺"),
    ]
    assert table.breaks == (1,)
    assert [column.title for column in table.columns] == ["System", "BLEU ↑"]
    assert [column.kind for column in table.columns] == ["name", "score"]


def test_lower_is_better_turns_order_arrow_and_bold() -> None:
    table = scores(compared(3, ("ter",)))
    assert table.columns[1].title == "TER ↓"
    assert [row[1].bold for row in table.rows] == [True, False, False]
    assert [row[0].text for row in table.rows] == ["system-00", "system-01", "system-02"]


def test_runs_have_their_own_columns_below_the_metric() -> None:
    table = scores(compared(3, ("bleu", "chrf"), runs=3))
    assert [(column.title, column.kind, column.over) for column in table.columns] == [
        ("System", "name", ""),
        ("mean", "score", "BLEU ↑"),
        ("s_sel", "number", "BLEU ↑"),
        ("s_test", "number", "BLEU ↑"),
        ("mean", "score", "chrF ↑"),
        ("s_sel", "number", "chrF ↑"),
        ("s_test", "number", "chrF ↑"),
    ]
    assert [cell.text for cell in table.rows[0][1:4]] == ["30.0", "0.65", "0.05"]
    assert table.caption.startswith(
        "Means of 3 runs ± half the width of their 95% intervals; s_sel:"
    )
    unequal = replace(compared(2, runs=3), n_runs={"system-00": 2, "system-01": 3})
    assert scores(unequal).caption.startswith("Means of 2 to 3 runs ±")


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


def test_of_all_pairs_those_are_bold_that_no_other_beats() -> None:
    table = scores(compared(5, ("bleu", "ter"), every_pair=True))
    assert [[cell.bold for cell in row[1:]] for row in table.rows] == [
        *([True, True], [True, True], [False, False], [False, False], [False, False]),
    ]
    assert table.breaks == ()
    assert {cell.mark for row in table.rows for cell in row} == {""}
    assert "Bold: no other system is better (paired approximate" in table.caption
    worse = compared(2, every_pair=True)
    turned = replace(worse.pairs[0], verdict="worse")
    assert [r[1].bold for r in scores(replace(worse, pairs=(turned,))).rows] == [False, True]


def test_a_metric_without_a_better_side_has_no_arrow_and_no_bold() -> None:
    about = {**metric("length", "length"), "higher_is_better": None}
    made = compared(3)
    made = replace(
        made,
        metrics=(about,),
        systems=tuple(replace(row, metric="length") for row in made.systems),
        pairs=tuple(replace(p, metric="length", verdict="higher") for p in made.pairs),
    )
    table = scores(made)
    assert table.columns[1].title == "length"
    assert not any(row[1].bold for row in table.rows)
    assert table.rows[1][1].mark == "⁺"
    assert "⁺: better or higher, ⁻: worse or lower than the baseline (" in table.caption


def test_the_caption_says_test_correction_level_and_what_is_not_marked() -> None:
    assert scores(compared(4, ("bleu", "ter"))).caption == (
        "Scores ± half the width of their 95% intervals. ↑: higher is better, ↓: lower. "
        "⁺: better, ⁻: worse than the baseline (paired approximate randomization over 40 "
        "documents, max-T for 3 pairs per metric, α = .05). Unmarked: undecided, which is not "
        "equality. Bold: best score."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"margin": {"bleu": 0.5}},
            "⁻: worse than the baseline, ⁼: equivalent within ±0.5 BLEU (",
        ),
        (
            {"margin": {"bleu": 0.5}, "claim": "non-inferior"},
            "⁼: not worse than the baseline by more than the margin (0.5 BLEU) (",
        ),
        (
            {"margin": {"bleu": 0.25}, "claim": "equivalent"},
            "⁼: equivalent to the baseline within ±0.25 BLEU (",
        ),
        ({"alpha": 0.1}, "their 90% intervals"),
    ],
)
def test_the_caption_says_what_was_claimed(changes: dict[str, Any], said: str) -> None:
    assert said in scores(replace(compared(3), **changes)).caption


def test_pairs_about_a_margin_without_a_baseline_are_not_marked() -> None:
    made = replace(compared(3, every_pair=True), groups={}, claim="equivalent")
    made = replace(made, margin={"bleu": 0.5})
    table = scores(made)
    assert table.caption.endswith("Bold: best score. The pairs are not marked.")
    assert {cell.mark for row in table.rows for cell in row} == {""}
    assert baseline_of(made) is None
    assert baseline_of(compared(3)) == "system-00"
    assert baseline_of(compared(2, every_pair=True)) is None


def test_the_numbers_of_all_pairs() -> None:
    made = compared(3, ("bleu", "ter"), every_pair=True)
    names = ["system-00", "system-01", "system-02"]
    numbers = pair_numbers(made, "ter", names)
    assert numbers.differences == ((None, -1.0, -2.0), (1.0, None, -1.0), (2.0, 1.0, None))
    assert numbers.p_values[0] == (None, 0.3, 0.04)
    assert (numbers.digits, numbers.alpha, numbers.same) == (1, 0.05, "")
    assert numbers.caption.startswith("in TER; lower is better (paired approximate")
    assert pair_numbers(made, "bleu", names).caption.startswith("in BLEU (paired approximate")
    with_margin = replace(made, margin={"bleu": 0.5})
    assert pair_numbers(with_margin, "bleu", names).same == "equivalent within ±0.5"
    assert pair_numbers(compared(2, ("comet",), every_pair=True), "comet", names).digits == 3
