"""Which questions are shared, and what is refused."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.scores.scores import Scores
from detectable.study.gate.matching import (
    Matched,
    Tally,
    TaskTally,
    dataset_hash,
    match,
    scores_hash,
    tally,
)
from tests.study.gate.data import tally_of


def _tally(*tasks: TaskTally, **changes: Any) -> Tally:
    made = Tally(metric="accuracy", higher_is_better=True, zero_one=True, tasks=tasks)
    return replace(made, **changes)


def _task(n: int, name: str = "math", **changes: Any) -> TaskTally:
    return replace(tally_of(name, [1] * n, [2] * n), **changes)


def _match(old: Tally, new: Tally, *, allowed: bool = False) -> Matched:
    return match(old, new, allow_different_items=allowed)


def test_questions_are_paired_by_name() -> None:
    old = replace(tally_of("math", [0, 1, 2], [2, 2, 2]), items=("a", "b", "c"))
    new = replace(tally_of("math", [2, 0, 1], [2, 2, 4]), items=("c", "a", "b"))
    found = _match(_tally(old), _tally(new))
    (task,) = found.tasks
    assert task.new.items == task.old.items == ("c", "a", "b")
    assert task.old.sums.tolist() == [2.0, 0.0, 1.0]
    assert task.answers == pytest.approx(2 / np.mean([1.0, 1.0, 0.75]))
    assert found.notes == ()


@pytest.mark.parametrize(("extra", "fine"), [(10, True), (12, False)])
def test_ninety_percent_must_be_shared(extra: int, fine: bool) -> None:
    old, new = _tally(_task(100)), _tally(_task(100 + extra))
    said = f"100 of {100 + extra} questions are in both the baseline (100) and the new scores"
    if fine:
        found = _match(old, new)
        assert found.notes == (f"accuracy: {said} ({100 + extra}); only those are gated.",)
        assert len(found.tasks[0].new.items) == 100
        return
    with pytest.raises(DataError) as caught:
        _match(old, new)
    assert said in str(caught.value)
    assert "89%; at least 90%" in str(caught.value)
    assert "`allow_different_items=True`" in str(caught.value)
    assert len(_match(old, new, allowed=True).tasks[0].new.items) == 100


def test_exactly_ninety_percent_will_do() -> None:
    assert _match(_tally(_task(90)), _tally(_task(100))).notes


def test_nothing_shared_is_refused_even_if_allowed() -> None:
    other = _task(5, items=("x", "y", "z", "v", "w"))
    with pytest.raises(DataError, match=r"0 of 10 questions .* nothing can be paired"):
        _match(_tally(_task(5)), _tally(other), allowed=True)


def test_a_task_that_is_gone_is_refused_however_small_it_is() -> None:
    old, new = _tally(_task(100), _task(2, "code")), _tally(_task(100))
    two = _tally(_task(100), _task(1, "new"))
    with pytest.raises(DataError, match=r"lack 1 task of the baseline: code\. Evaluate"):
        _match(old, two)
    found = _match(old, two, allowed=True)
    assert found.notes[:2] == (
        "Not gated, as the new scores lack it: code.",
        "Not gated, as the baseline lacks it: new.",
    )
    assert new.n_items == 100


def test_no_task_in_common() -> None:
    old = _tally(_task(5), _task(5, "code"))
    new = _tally(_task(5, "law"), _task(5, "art"))
    with pytest.raises(
        DataError, match="no task of the baseline: it has math, code, they have"
    ):
        _match(old, new, allowed=True)


def test_a_single_task_needs_no_name() -> None:
    found = _match(_tally(_task(5, "all")), _tally(_task(5, "math")))
    assert [task.task for task in found.tasks] == ["math"]


def test_changed_questions_are_refused() -> None:
    old = _tally(_task(3, questions=("aa", "bb", "")))
    fine = _tally(_task(3, questions=("aa", "", "cc")))
    assert _match(old, fine).notes == ()
    changed = _tally(_task(3, questions=("aa", "bx", "")))
    with pytest.raises(DataError, match=r"text of 1 question changed since the baseline: q1\."):
        _match(old, changed)
    assert _match(_tally(_task(3)), changed).notes == ()


def test_another_metric_or_direction_is_refused() -> None:
    old = _tally(_task(5))
    with pytest.raises(DataError, match="baseline holds 'accuracy', the new scores are 'f1'"):
        _match(old, _tally(_task(5), metric="f1"))
    with pytest.raises(
        DataError, match="higher is better in the baseline, lower in the new scores"
    ):
        _match(old, _tally(_task(5), higher_is_better=False))
    assert _match(old, _tally(_task(5), metric="Accuracy")).metric == "Accuracy"


def test_groups_of_the_new_scores_count_and_differences_are_told() -> None:
    old = _tally(_task(4, clusters=("a", "a", "b", "b")))
    same = _tally(_task(4, clusters=("x", "x", "y", "y")))
    other = _tally(_task(4, clusters=("x", "y", "y", "y")))
    assert _match(old, same).notes == ()
    assert _match(old, same).tasks[0].clusters.tolist() == [0, 0, 1, 1]  # type: ignore[union-attr]
    assert _match(old, other).notes == (
        "math: questions are grouped differently in the baseline; the groups of the new scores "
        "are used.",
    )
    assert _match(old, other).tasks[0].clusters.tolist() == [0, 1, 1, 1]  # type: ignore[union-attr]
    # Without groups of their own the new scores take those of the baseline.
    assert _match(old, _tally(_task(4))).tasks[0].clusters.tolist() == [0, 0, 1, 1]  # type: ignore[union-attr]
    alone = _tally(_task(4, clusters=("a", "b", "c", "d")))
    assert _match(alone, alone).tasks[0].clusters is None


def test_lost_samples_are_told_if_they_differ() -> None:
    fine = _match(_tally(_task(4)), _tally(_task(4), missing=0.02))
    assert fine.notes == ()
    lost = _match(_tally(_task(4), missing=0.01), _tally(_task(4), missing=0.04))
    assert lost.notes == (
        "accuracy: 4.0% of the new samples have no score, and 1.0% of the old ones. If hard "
        "questions time out, the difference is biased.",
    )


def test_points_are_not_gated_against_right_and_wrong() -> None:
    """A table that does not name its scores takes the name that the baseline has."""
    exact = _tally(_task(3))
    for low, high in ((0.0, 1.1), (-0.1, 1.0)):
        sums = np.array([low, 0.5, high])
        graded = _tally(_task(3, sums=sums, samples=np.ones(3)), zero_one=False)
        said = f"go from {low:g} to {high:g}, and the others are 0 and 1. Gate the same metric"
        with pytest.raises(DataError, match=f"accuracy: the new scores {said}"):
            _match(exact, graded)
        with pytest.raises(DataError, match=f"accuracy: the old scores {said}"):
            _match(graded, exact)
        assert not _match(graded, graded).zero_one
        # Errors of a system may be counted 0 and 1, and those of the next up to 2.
        counts = replace(exact, metric="errors"), replace(graded, metric="errors")
        assert not _match(*counts).zero_one


def test_partial_credit_on_one_side_is_enough_for_t() -> None:
    assert not _match(_tally(_task(4)), _tally(_task(4), zero_one=False)).zero_one
    # Nothing and everything are credit, too.
    ends = _task(3, sums=np.array([0.0, 0.5, 1.0]), samples=np.ones(3))
    assert not _match(_tally(_task(3)), _tally(ends, zero_one=False)).zero_one


# --- Hashes that stand in baseline files: they must be the same with every version ---


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_questions_are_hashed_in_order_as_they_are_written() -> None:
    expected = _sha256('[["code","q1"],["math","Größe"],["math","q1"]]')
    assert dataset_hash([("math", "q1"), ("math", "Größe"), ("code", "q1")]) == expected


def test_scores_are_hashed_with_metric_direction_and_samples() -> None:
    tasks = (tally_of("math", [1.0, 3.0], [2, 4], squares=tally_of("", [1, 9], [1, 1]).sums),)
    one = Tally(metric="exact", higher_is_better=True, zero_one=False, tasks=tasks)
    rows = '[["math","q0",1.0,1.0,2],["math","q1",3.0,9.0,4]]'
    assert scores_hash("A", [one]) == _sha256(f'["A",[["exact",true,{rows}]]]')


# --- What a baseline keeps of scores ---


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
