"""What a baseline keeps of scores."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.scores.scores import Scores
from detectable.study.gate.matching import tally


def test_samples_are_summed_and_counted_per_question() -> None:
    nan = float("nan")
    scores = Scores.build(
        {"A": [[1, 0, nan], [1, nan, nan]]},
        items=["x", "y", "z"],
        documents=["p", "p", "q"],
        repeats="samples",
    )
    found = tally(scores)
    assert (found.metric, found.zero_one, found.higher_is_better) == ("accuracy", True, True)
    (task,) = found.tasks
    assert (task.task, task.items, task.clusters) == ("all", ("x", "y"), ("p", "p"))
    assert task.sums.tolist() == task.squares.tolist() == [2.0, 0.0]
    assert task.samples.tolist() == [2, 1]
    assert task.means.tolist() == [1.0, 0.0]
    assert found.missing == pytest.approx(0.5)
    assert found.n_items == 2


def test_tasks_are_apart_and_their_names_are_not_repeated_in_questions() -> None:
    scores = Scores.build(
        {"A": [0.5, 0.25, 2.0]},
        items=["math:1", "code:1", "math:2"],
        tasks=["math", "code", "math"],
    )
    found = tally(scores)
    assert [(task.task, task.items) for task in found.tasks] == [
        ("math", ("1", "2")),
        ("code", ("1",)),
    ]
    assert list(found.keys()) == [("math", "1"), ("math", "2"), ("code", "1")]
    assert (found.metric, found.zero_one) == ("score", False)
    assert found.tasks[0].squares.tolist() == [0.25, 4.0]


def test_questions_that_only_seem_to_have_the_task_before_them_keep_their_names() -> None:
    scores = Scores.build({"A": [1, 0]}, items=["math:1", "2"], tasks=["math", "math"])
    assert tally(scores).tasks[0].items == ("math:1", "2")


@pytest.mark.parametrize(
    ("metric", "lower", "higher"),
    [("ter", (), False), ("comet", (), True), ("glow", (), True), ("Glow", ("glow",), False)],
)
def test_the_direction_is_told_or_known_by_name(
    metric: str,
    lower: tuple[str, ...],
    higher: bool,
) -> None:
    scores = Scores.build({"A": [0.5, 0.7]}, metric=metric)
    assert tally(scores, lower_is_better=lower).higher_is_better is higher


def test_texts_of_questions_are_kept_as_hashes() -> None:
    scores = Scores.build({"A": [1, 0]}, questions=["What is 6 x 7?", ""])
    assert tally(scores).tasks[0].questions == ("c38a56bdbe9b1516", "")


def test_which_system_is_meant_must_be_plain() -> None:
    scores = Scores.build({"A": [1, 0], "B": [1, 1]})
    assert tally(scores, "B").tasks[0].sums.tolist() == [1.0, 1.0]
    with pytest.raises(DataError, match=r"hold 2 systems: A, B\. Say which .*`system='B'`"):
        tally(scores)
    with pytest.raises(DataError, match=r"no system 'C'\. Found: A, B"):
        tally(scores, "C")


def test_a_system_without_any_score_is_refused() -> None:
    scores = Scores(systems={"A": np.full((1, 2), np.nan)}, items=("1", "2"))
    with pytest.raises(DataError, match="'A' has no score at all"):
        tally(scores)
