"""A ranking for a paper, against the result it is made of."""

import math
from dataclasses import replace

from detectable.core.result import Signature
from detectable.report.shown.paper_tables import findings
from detectable.report.shown.paper_tables import pairs_of_a_ranking as pair_numbers
from tests.report.many_systems import ranked
from tests.report.results import long_ranking, ranking


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
