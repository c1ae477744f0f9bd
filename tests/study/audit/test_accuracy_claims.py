"""Claims of accuracy: units, tasks, leaderboards, and what is refused."""

from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.files.table import read_table
from detectable.study.audit.survey_audit import AccuracyClaims, claim_table


def read(**columns: list[Any]) -> AccuracyClaims:
    return claim_table(read_table(columns))


def test_percent_and_fractions_say_the_same() -> None:
    percent = read(task=["a", "b"], n=[100, 50], baseline=[90, 80], accuracy=[91, 84])
    shares = read(task=["a", "b"], n=[100, 50], baseline=[0.9, 0.8], accuracy=[0.91, 0.84])
    assert (percent.unit, shares.unit) == ("percent", "fraction")
    for one in (percent, shares):
        assert (one.tasks, one.n_items, one.n_claims) == (("a", "b"), (100, 50), 2)
        np.testing.assert_allclose(one.before, [0.9, 0.8])
        np.testing.assert_allclose(one.gain, [0.01, 0.04])
        np.testing.assert_allclose(one.best, [0.91, 0.84])
        assert one.sizes.tolist() == [100.0, 50.0]
    assert percent.notes == ("Accuracies were read as percent.",)
    assert shares.notes == ("Accuracies were read as fractions.",)


def test_improvements_beside_baselines() -> None:
    found = read(n=[10, 10], baseline=[90, 95], improvement=[0.5, -2])
    assert found.tasks == ("all",)
    np.testing.assert_allclose(found.gain, [0.005, -0.02])
    np.testing.assert_allclose(found.best, [0.95])
    assert read(n=[10], baseline=[0.9], gain=[0.05]).best == pytest.approx([0.95])


def test_the_lowest_accuracies_have_either_unit() -> None:
    assert read(n=[9, 9], accuracy=[0.0, 90]).unit == "percent"
    assert read(n=[9, 9], accuracy=[0.005, 1]).unit == "fraction"
    assert read(n=[9], baseline=[0.1], improvement=[-0.1]).gain.tolist() == [-0.1]
    assert read(n=[9], baseline=[90], improvement=[10]).best == (1.0,)


def test_the_best_may_be_said() -> None:
    found = read(
        task=["a", "a"], n=[9, None], baseline=[90, 91], accuracy=[91, 92], best=[97, 96]
    )
    np.testing.assert_allclose(found.best, [0.97])
    assert found.n_items == (9,)


def test_rows_without_a_claim_are_counted() -> None:
    found = read(task=["a", "b"], n=[9, 9], baseline=[90, 95], accuracy=[91, None])
    assert found.n_claims == 1
    assert found.task.tolist() == [0]
    np.testing.assert_allclose(found.best, [0.91, 0.95])
    assert found.notes[1] == "1 row without a claimed improvement."
    alone = read(task=["a"], n=[9], best=[95])
    assert (alone.n_claims, alone.notes[1]) == (0, "No improvement is claimed.")
    assert read(task=["a"], n=[9], baseline=[95]).n_claims == 0


def test_a_leaderboard_claims_what_beats_all_before() -> None:
    found = read(
        task=["a", "b", "a", "a", "a", "b", "a"],
        n=[100] * 7,
        accuracy=[80, 50, 79, 82, 82, 60, 85],
    )
    assert found.task.tolist() == [0, 1, 0]
    np.testing.assert_allclose(found.before, [0.80, 0.50, 0.82])
    np.testing.assert_allclose(found.gain, [0.02, 0.10, 0.03])
    np.testing.assert_allclose(found.best, [0.85, 0.60])
    assert found.notes[1].startswith(
        "No column says what was to beat: 3 systems better than all"
    )
    with_gap = read(n=[9] * 3, accuracy=[80, None, 81])
    np.testing.assert_allclose(with_gap.before, [0.80])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"n": [9, 9], "baseline": [91.0, 0.9], "accuracy": [92.0, 0.95]},
            r"row 1 \(from 0\), column 'baseline': found 0.9 among accuracies up to 92, fractions "
            r"among percent\. Write all as one of them",
        ),
        (
            {"n": [9], "baseline": [0.9], "improvement": [0.5]},
            "an improvement of 0.5 over 0.9 leaves the range from 0 to 1: percent among fractions",
        ),
        (
            {"n": [9], "baseline": [90], "improvement": [15]},
            r"an improvement of 15 over 90 leaves the range from 0 to 100\. Write all in one unit",
        ),
        (
            {"n": [9], "baseline": [0.1], "improvement": [-0.105]},
            "an improvement of -0.105 over 0.1 leaves the range",
        ),
        (
            {"n": [9, 9], "accuracy": [1, 90]},
            "found 1 among accuracies up to 90, fractions among",
        ),
        ({"n": [9, 9], "accuracy": [0.005, 90]}, "found 0.005 among accuracies up to 90"),
        (
            {"n": [9], "accuracy": [101]},
            "expected an accuracy, a fraction from 0 to 1 or percent",
        ),
        ({"n": [9], "accuracy": [-1]}, "expected an accuracy"),
        (
            {"n": [0], "accuracy": [90]},
            "expected a whole number above 0, and at most 1e12, found 0",
        ),
        (
            {"n": [1.5], "accuracy": [90]},
            "expected a whole number above 0, and at most 1e12, found 1.5",
        ),
        ({"accuracy": [90]}, "there is no column for n: how many items the test set"),
        (
            {"task": ["a", "a"], "n": [9, 8], "accuracy": [90, 91]},
            "expected one n, the size of the test set, for the task 'a'; found 8, 9",
        ),
        ({"task": ["a"], "n": [None], "accuracy": [90]}, "for the task 'a'; found none"),
        (
            {"task": ["a", "b"], "n": [9, 9], "accuracy": [90, None]},
            "the task 'b' has no accuracy",
        ),
        ({"n": [9], "improvement": [0.4]}, "there is no column for baseline"),
    ],
)
def test_what_is_wrong_is_said(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(**columns)
