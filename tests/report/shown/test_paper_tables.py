"""A ranking for a paper, against the result it is made of."""

import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.report.paper_table import PaperCell
from detectable.report.shown.paper_tables import (
    baseline_of,
    comparison_test,
    findings,
    ranking_test,
    scores,
    told,
)
from detectable.report.shown.paper_tables import pair_numbers as pair_numbers_of_paper_tables
from detectable.report.shown.paper_tables import pairs_of_a_ranking as pair_numbers
from detectable.study.comparison.result import Comparison
from tests.report.many_systems import compared, ranked
from tests.report.results import (
    comparison,
    long_ranking,
    many_pairs,
    metric,
    pair,
    ranking,
    score,
)


def test_ranks_means_and_systems_with_rules_between_clusters() -> None:
    table = findings(ranking(), other_score=False)
    assert [column.title for column in table.columns] == ["Rank", "Ave.", "Ave. z", "System"]
    assert [column.kind for column in table.columns] == ["number"] * 3 + ["name"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["1–2", "72.5", "0.250", "human"],
        ["1–2", "70.0", "0.125", "new"],
        ["3", "60.0", "−0.500", "old"],
    ]
    assert table.breaks == (2,)


def test_no_column_without_values_and_one_for_another_score() -> None:
    rows = tuple(replace(row, mean_z=math.nan) for row in ranking().systems)
    table = findings(ranking(systems=rows), other_score=True)
    assert [column.title for column in table.columns] == ["Rank", "Ave.", "Score", "System"]
    assert [cell.text for cell in table.rows[0]] == ["1–2", "72.5", "72.50", "human"]
    assert table.caption.startswith(
        "Systems in the order of Score. Ave.: mean of the judged items. "
    )


def test_the_caption_says_rule_test_correction_and_level() -> None:
    assert findings(ranked(4), other_score=False).caption == (
        "Systems in the order of Ave. z. Ave.: mean of the judged items; Ave. z: in standard "
        "deviations of their rater. A line between clusters is drawn where every system above it beats "
        "every one below it (sign flips of matched differences over items, max-T for 6 pairs, "
        "α = .05). Rank: the ranks that the decided pairs allow. Systems of one cluster are not "
        "equally good: these judgments draw no line between them."
    )
    assert findings(ranking(), other_score=False).caption.startswith(
        "Systems in the order of Ave. "
    )


def test_the_caption_names_the_rule_that_was_asked_for() -> None:
    made = ranking(signature=Signature("rank", {"cluster_rule": "wmt-last"}))
    said = "A line between clusters is drawn below a system that beats every one below it (sign"
    assert said in findings(made, other_score=False).caption


def test_the_caption_draws_no_line_where_there_is_none() -> None:
    one = tuple(replace(row, cluster=1) for row in ranking().systems)
    made = ranking(systems=one, clusters=(("human", "new", "old"),))
    table = findings(made, other_score=False)
    assert table.breaks == ()
    assert "No line can be drawn between clusters (sign flips" in table.caption
    claimed = findings(replace(made, claim="equivalent", margin=1.0), other_score=False)
    assert claimed.caption.endswith("α = .05).")
    assert "No cluster was asked for (sign flips" in claimed.caption


def test_the_numbers_of_all_pairs() -> None:
    made = ranking()
    numbers = pair_numbers(made, ["human", "new", "old"])
    assert numbers.differences == ((None, 2.5, 12.5), (-2.5, None, 10.0), (-12.5, -10.0, None))
    assert numbers.p_values[0] == (None, 0.0642, 0.00036)
    assert (numbers.digits, numbers.told, numbers.same) == (1, "told apart", "")
    assert numbers.caption.startswith(
        "in points (sign flips of matched differences over items,"
    )
    with_margin = pair_numbers(replace(made, margin=0.5), ["human", "new"])
    assert with_margin.same == "equivalent within ±0.5"
    claimed = pair_numbers(replace(made, margin=0.5, claim="equivalent"), ["human", "new"])
    assert (claimed.told, claimed.same) == ("shown to be equivalent", "")
    assert pair_numbers(ranked(3), ["system-00"]).digits == 2
    assert pair_numbers(long_ranking(3), ["system-01"]).digits == 1


# --- Systems × metrics for a paper, against the result they are made of ---


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


def test_the_numbers_of_all_pairs_of_scores() -> None:
    made = compared(3, ("bleu", "ter"), every_pair=True)
    names = ["system-00", "system-01", "system-02"]
    numbers = pair_numbers_of_paper_tables(made, "ter", names)
    assert numbers.differences == ((None, -1.0, -2.0), (1.0, None, -1.0), (2.0, 1.0, None))
    assert numbers.p_values[0] == (None, 0.3, 0.04)
    assert (numbers.digits, numbers.alpha, numbers.same) == (1, 0.05, "")
    assert numbers.caption.startswith("in TER; lower is better (paired approximate")
    assert pair_numbers_of_paper_tables(made, "bleu", names).caption.startswith(
        "in BLEU (paired approximate"
    )
    with_margin = replace(made, margin={"bleu": 0.5})
    assert (
        pair_numbers_of_paper_tables(with_margin, "bleu", names).same
        == "equivalent within ±0.5"
    )
    assert (
        pair_numbers_of_paper_tables(
            compared(2, ("comet",), every_pair=True), "comet", names
        ).digits
        == 3
    )


# --- How captions name a test: what was tested, over what, how it was corrected, at which level ---


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "paired approximate randomization over 40 documents, max-T for 4 pairs, α = .05"),
        (
            {"exact": True, "correction": "holm", "alpha": 0.01},
            "exact paired approximate randomization over 40 documents, Holm for 4 pairs, α = .01",
        ),
        (
            {"test": "t", "exact": True, "n_units": 5, "unit": "segment"},
            "paired t test over 5 segments, max-T for 4 pairs, α = .05",
        ),
        (
            {"test": "bootstrap", "correction": "none"},
            "paired bootstrap over 40 documents, not corrected for 4 tests, α = .05",
        ),
        (
            {"runs": "random"},
            "two-way t test over 40 documents and the runs, max-T for 4 pairs, α = .05",
        ),
        (
            {"test": "compat", "signature": Signature("c", {"test": "multeval-randomization"})},
            "multeval-randomization, 40 documents, max-T for 4 pairs, α = .05",
        ),
    ],
)
def test_a_comparison(changes: dict[str, Any], said: str) -> None:
    assert comparison_test(replace(compared(5), **changes)) == said


def test_what_the_correction_covers() -> None:
    several = compared(3, ("bleu", "ter"))
    assert "max-T for 2 pairs per metric," in comparison_test(several)
    together = replace(several, family="systems-and-metrics")
    assert "max-T for 4 pairs, α" in comparison_test(together)
    one = comparison_test(compared(2))
    assert one == "paired approximate randomization over 40 documents, α = .05"
    assert comparison_test(comparison()).endswith("Holm for 2 pairs, α = .05")


def test_a_ranking() -> None:
    assert ranking_test(long_ranking(4)) == (
        "sign flips of matched differences over items, max-T for 6 pairs, α = .05"
    )
    documents = ranking(unit="document", test="signed-rank", correction="none")
    assert ranking_test(documents) == (
        "Wilcoxon's signed-rank test over documents, not corrected for 3 tests, α = .05"
    )
    published = ranking(preset="wmt21", test="rank-sum", correction="none")
    assert "rank-sum test over items as in WMT21, not corrected" in ranking_test(published)
    assert "over judgments" in ranking_test(ranking(level="judgment", test="rank-sum"))


def test_what_a_small_p_shows() -> None:
    assert told("better") == "told apart"
    assert told("equivalent") == "shown to be equivalent"
