"""Columns of numbers: what is missing, what is refused, and where it stands."""

import numpy as np
import pytest

from detectable.core.errors import DataError
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table


def test_numbers_and_what_is_missing() -> None:
    table = Table(path="a.csv", columns={"n": ["1", " 2.5 ", "NA", "", None, 3]})
    problems = Problems("a.csv")
    found = number_column(table, "n", problems)
    np.testing.assert_array_equal(found, [1, 2.5, np.nan, np.nan, np.nan, 3])
    problems.stop()


@pytest.mark.parametrize("cell", ["many", "1_000", "inf", "٣", "1,5"])
def test_what_is_no_number_is_quoted_with_its_place(cell: str) -> None:
    table = Table(path="a.csv", columns={"n": ["1", cell, cell]}, lines=(2, 3, 4))
    problems = Problems("a.csv")
    number_column(table, "n", problems)
    with pytest.raises(DataError) as caught:
        problems.stop()
    assert str(caught.value) == (
        f"a.csv, line 3, column 'n': expected a finite number, found {cell!r} (2 rows in all). "
        "Leave it empty where it is not known."
    )


def test_a_number_that_is_not_allowed() -> None:
    table = Table(path="", columns={"n": [4, 0, float("nan")]})
    problems = Problems("")
    number_column(
        table,
        "n",
        problems,
        must="a number above 0",
        allowed=lambda values: values > 0.0,
        remedy="It counts items.",
    )
    assert problems.sentences == [
        "row 1 (from 0), column 'n': expected a number above 0, found 0. It counts items."
    ]
