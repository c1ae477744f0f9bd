"""What a table is told to be by its columns."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, InputError
from detectable.data.files.table import Table, read_table
from detectable.study.audit.past_comparisons import PastComparisons
from detectable.study.audit.tables import (
    choose_columns,
    comparison_table,
    find_label,
    tell_kind,
)


def table(*names: str) -> Table:
    return Table(path="t.csv", columns={name: ["1"] for name in names})


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("system", "item", "score"), "judgments"),
        (("system", "segment", "raw", "rater", "n"), "judgments"),
        (("diff", "n", "p"), "archive"),
        (("Difference", "n", "SE"), "archive"),
        (("effect", "n"), "survey"),
        (("Examples", "baseline", "new", "diff"), "survey"),
        (("task", "n", "baseline", "improvement"), "benchmark"),
        (("Task", "size", "accuracy"), "benchmark"),
        (("n", "best"), "benchmark"),
        (("system", "item", "score", "difference", "n", "p"), "archive"),
    ],
)
def test_kinds_by_columns(names: tuple[str, ...], kind: str) -> None:
    assert tell_kind(table(*names), None, "auto") == kind


def test_what_was_said_goes_before() -> None:
    assert tell_kind(table("diff", "n", "p"), None, "survey") == "survey"
    assert tell_kind(table("diff", "n"), None, "archive") == "archive"
    assert tell_kind(table("system", "item", "score"), None, "archive") == "judgments"
    assert tell_kind(table("system", "item", "score", "diff"), None, "archive") == "archive"
    assert tell_kind(table("a", "b"), None, "archive") == "archive"
    assert tell_kind(table("a", "b"), {"difference": "a", "n": "b"}, "auto") == "survey"
    assert tell_kind(table("a", "item", "score"), {"system": "a"}, "auto") == "judgments"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("a", "b"),
            r"the columns do not say what this is\. .* Found: a, b\. Name them: --column",
        ),
        (("system", "score"), "the columns do not say what this is"),
        (("diff", "p"), r"t.csv: there is no column for n: on how many .* Found: diff, p"),
        (("diff",), "there is no column for n"),
    ],
)
def test_what_cannot_be_told(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        tell_kind(table(*names), None, "auto")


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("difference", "difference diff delta effect effect_size d"),
        ("n", "n n_items items n_judgments judgments examples n_examples size samples"),
        ("n", "test_size sample_size"),
        ("p", "p p_value p-value pvalue p.value"),
        ("standard_error", "standard_error se stderr std_error"),
        ("task", "task benchmark dataset test_set"),
        ("baseline", "baseline baseline_accuracy previous_best before"),
        ("accuracy", "accuracy model_accuracy after acc"),
        ("improvement", "improvement gain claimed_improvement"),
        ("best", "best current_best sota state_of_the_art"),
    ],
)
def test_usual_names(role: str, names: str) -> None:
    for name in names.split():
        assert choose_columns(table(name.upper()), None) == {role: name.upper()}


def test_columns_are_chosen_or_found() -> None:
    given = table("who", "delta", "n", "size")
    assert choose_columns(given, None) == {"difference": "delta", "n": "n"}
    assert choose_columns(given, {"n": "size", "task": "who"}) == {
        "difference": "delta",
        "n": "size",
        "task": "who",
    }
    with pytest.raises(DataError, match="there is no column 'x' for the n"):
        choose_columns(given, {"n": "x"})
    with pytest.raises(InputError, match="`columns` must choose difference, n"):
        choose_columns(given, {"colour": "who"})


@pytest.mark.parametrize(
    ("by", "labels", "found"),
    [
        ("campaign", ["campaign", "language"], "campaign"),
        ("language-pair", ["campaign", "language"], "language"),
        ("lp", ["language"], "language"),
        ("language_pair", ["lp", "n"], "lp"),
        ("Language Pair", ["language pair", "language"], "language pair"),
        ("TEAM", ["team"], "team"),
    ],
)
def test_labels_by_any_usual_name(by: str, labels: list[str], found: str) -> None:
    assert find_label(by, labels) == found


@pytest.mark.parametrize("labels", [["campaign", "language"], []])
def test_unknown_labels_list_what_there_is(labels: list[Any]) -> None:
    there = "one of campaign, language" if labels else "left out: nothing is named"
    with pytest.raises(InputError, match=f"`by` must be {there}; got 'colour'"):
        find_label("colour", labels)


# --- Tables of comparisons: p from standard error and back, and what is refused ---

TABLE: dict[str, list[Any]] = {
    "difference": [2.0, -3.0, 1.0],
    "n": [50, 60, 70],
    "p": [0.04, 0.5, 0.2],
}


def read(**changes: Any) -> PastComparisons:
    made = {**TABLE, **changes}
    return comparison_table(
        read_table({name: column for name, column in made.items() if column is not None})
    )


def test_the_standard_error_follows_from_p() -> None:
    found = read().tested
    z = stats.norm.isf(np.array(TABLE["p"]) / 2)
    small = read(p=[0.005, 0.995, 0.2]).tested.standard_error
    np.testing.assert_allclose(
        small[:2], [2 / stats.norm.isf(0.0025), 3 / stats.norm.isf(0.4975)]
    )
    np.testing.assert_allclose(found.standard_error, np.abs(TABLE["difference"]) / z)
    assert found.n.tolist() == [50, 60, 70]
    assert np.isinf(found.df).all()
    assert found.test == "reported"


def test_p_follows_from_the_standard_error() -> None:
    found = read(p=None, se=[1.0, 1.0, 0.5]).tested
    np.testing.assert_allclose(found.p_value, 2 * stats.norm.sf([2, 3, 2]))
    assert found.standard_error.tolist() == [1.0, 1.0, 0.5]


def test_what_is_given_is_kept_where_both_are() -> None:
    found = read(p=[0.9, None, 0.2], se=[1.0, 1.0, None]).tested
    assert found.p_value[0] == 0.9
    assert found.p_value[1] == pytest.approx(2 * stats.norm.sf(3))
    assert found.standard_error[2] == pytest.approx(1 / stats.norm.isf(0.1))


def test_p_of_zero_and_one_say_nothing_about_the_error() -> None:
    past = read(p=[0.0, 1.0, 0.2])
    assert np.isnan(past.tested.standard_error).tolist() == [True, True, False]
    assert past.notes[-1].startswith("2 comparisons with p = 0, p = 1 or no difference")
    level = read(difference=[0.0, 1.0, 1.0])
    assert math.isnan(level.tested.standard_error[0])


def test_rows_that_say_nothing_are_left_out_and_counted() -> None:
    past = read(difference=[2.0, None, 1.0], p=[0.04, 0.5, None], who=["a", "b", "c"])
    assert len(past) == 1
    assert past.labels["who"] == ("a",)
    assert past.notes[0] == (
        "2 rows without a difference, or with neither p nor standard error, left out."
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": None}, r"there is no column for n: on how many judgments or items per system"),
        ({"p": None}, "without p or standard_error nothing says what was significant"),
        ({"difference": None}, "there is no column for difference: what each comparison saw"),
        ({"p": [0.1, 1.2, 0.3]}, r"row 1 \(from 0\), column 'p': expected a p-value between 0"),
        ({"p": [0.1, -0.1, 0.3]}, "expected a p-value between 0 and 1, found -0.1"),
        (
            {"n": [0, 1, 2]},
            "expected a number above 0, and at most 1e12, found 0. It counts judgments",
        ),
        ({"n": [5, None, 2]}, r"row 1 \(from 0\), column 'n': the difference has no n \(1 row"),
        ({"se": [1, 0, 1]}, "expected a standard error above 0, found 0"),
        ({"difference": ["a", 1, 2]}, "expected a finite number, found 'a'"),
        ({"p": [None, "", "NA"]}, "no row has a difference and a p-value or standard error"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(**changes)
