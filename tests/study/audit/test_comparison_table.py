"""Tables of comparisons: p from standard error and back, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError
from detectable.data.files.table import read_table
from detectable.study.audit.past_comparisons import PastComparisons
from detectable.study.audit.tables import comparison_table

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
