"""Margins of metrics."""

from typing import Any

import pytest

from detectable.core.choices import GateRule
from detectable.core.errors import InputError
from detectable.study.gate.rows import check_scale, margins_of

TWO = ("match", "fluency")


def test_one_for_all_or_one_each() -> None:
    of_both = margins_of(0.05, TWO, rule="non-inferiority", watch=())
    assert of_both == {"match": 0.05, "fluency": 0.05}
    each = margins_of({"MATCH": 0.05, "fluency": 0.2}, TWO, rule="no-regression", watch=())
    assert each == {"match": 0.05, "fluency": 0.2}
    assert margins_of(None, TWO, rule="superiority", watch=()) == {}


def test_what_is_only_watched_needs_none() -> None:
    found = margins_of({"match": 0.05}, TWO, rule="non-inferiority", watch=("fluency",))
    assert found == {"match": 0.05}


@pytest.mark.parametrize(
    ("margin", "rule", "message"),
    [
        (None, "non-inferiority", r"'non-inferiority' needs `margin`: .* match=0\.05"),
        (None, "no-regression", "'no-regression' needs `margin`"),
        (0.05, "superiority", "`margin` has no effect on superiority"),
        ({"match": 0.05}, "non-inferiority", "`margin` lacks fluency"),
        ({"bleu": 1.0}, "non-inferiority", "one of match, fluency; got 'bleu'"),
        (0.0, "non-inferiority", "`margin` must be a finite number above 0"),
        (-1.0, "non-inferiority", "`margin` must be a finite number above 0"),
        (float("nan"), "non-inferiority", "`margin` must be a finite number above 0"),
    ],
)
def test_what_is_refused(margin: Any, rule: GateRule, message: str) -> None:
    with pytest.raises(InputError, match=message):
        margins_of(margin, TWO, rule=rule, watch=())


def test_percents_are_refused_for_answers() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1, .* got 2\. Two points of percent"):
        check_scale("accuracy", 2.0, zero_one=True)
    with pytest.raises(InputError, match="between 0 and 1"):
        check_scale("accuracy", 1.0, zero_one=True)
    check_scale("accuracy", 0.99, zero_one=True)
    check_scale("bleu", 2.0, zero_one=False)
    check_scale("accuracy", None, zero_one=True)
