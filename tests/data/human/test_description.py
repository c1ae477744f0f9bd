"""What a table of judgments holds, in numbers and in words."""

import math

import pytest

from detectable.data.human.description import describe_judgments
from detectable.data.human.judgments import Judgments


def judgments() -> Judgments:
    return Judgments.build(
        {
            "system": ["A", "B", "A", "A"],
            "item": [1, 1, 2, 2],
            "rater": ["v", "v", "w", "w"],
            "kind": ["system", "system", "system", "degraded"],
            "score": [70, 80, 60, 20],
        }
    )


def test_counts_of_rows_kinds_and_levels() -> None:
    found = describe_judgments(judgments(), "out.csv")
    assert found.judgments == 4
    assert found.kinds == {"system": 3, "repeat": 0, "degraded": 1, "reference": 0}
    assert found.levels == {"system": 2, "item": 2, "rater": 2}
    assert found.scale == (0.0, 100.0)
    assert found.output == "out.csv"
    assert found.notes == judgments().notes
    assert str(found.signature).startswith("judgments|n:4|")


def test_words() -> None:
    assert describe_judgments(judgments(), "out.csv").summary().splitlines() == [
        "out.csv holds 4 judgments.",
        "There: 2 systems, 2 items, 2 raters.",
        "Kinds: 3 system, 1 degraded.",
        "Scale: 0 to 100.",
    ]
    assert describe_judgments(judgments()).summary().startswith("The table holds 4 judgments.")


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ((0.0, math.inf), "Scale: 0 to no upper bound."),
        ((-math.inf, 2.5), "Scale: no lower bound to 2.5."),
        ((-25.0, 0.0), "Scale: -25 to 0."),
    ],
)
def test_a_scale_without_an_end_says_so(scale: tuple[float, float], said: str) -> None:
    from tests.report.results import judgment_description

    assert judgment_description(scale=scale).summary().splitlines()[-1] == said


def test_where_the_scores_of_each_kind_lie() -> None:
    table = Judgments.build(
        {
            "system": ["A"] * 6,
            "item": [1, 2, 3, 4, 1, 2],
            "rater": ["w"] * 6,
            "kind": ["system"] * 4 + ["degraded"] * 2,
            "score": [0, 40, 60, 100, 10, 30],
        }
    )
    first, second = describe_judgments(table).scores
    assert (first.kind, first.n, first.quartiles) == (
        "system",
        4,
        (0.0, 30.0, 50.0, 70.0, 100.0),
    )
    assert first.at_ends == 0.5
    assert (second.kind, second.quartiles[2], second.at_ends) == ("degraded", 20.0, 0.0)
    assert "scores" not in describe_judgments(table).to_dict()
    free = Judgments.build(
        {"system": ["A", "B"], "item": [1, 1], "score": [1, 2]}, scale=(-math.inf, math.inf)
    )
    assert math.isnan(describe_judgments(free).scores[0].at_ends)
