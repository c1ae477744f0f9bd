"""What a table is told to be by its columns."""

from typing import Any

import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.table import Table
from detectable.study.audit.tables import choose_columns, find_label, tell_kind


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
