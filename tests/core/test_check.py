"""Checks at the door: every message names the argument, the value and the remedy."""

from typing import Literal

import numpy as np
import pytest

from detectable.core import check
from detectable.core.errors import InputError


def test_good_values_pass_through() -> None:
    assert check.vector([1, 2], "x").tolist() == [1.0, 2.0]
    assert check.positive_int(3, "n") == 3
    assert check.positive_int(0, "n", minimum=0) == 0
    assert check.probability(0.05, "alpha") == 0.05
    assert check.positive(0.5, "margin") == 0.5
    assert check.literal("a", Literal["a", "b"], "x") == "a"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("value", [0, -1, 2.5, True, float("nan")])
def test_a_count_must_be_a_whole_number(value: float) -> None:
    with pytest.raises(InputError, match=r"`n` must be a whole number ≥ 1; got"):
        check.positive_int(value, "n")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, float("nan")])
def test_a_probability_lies_strictly_inside(value: float) -> None:
    with pytest.raises(InputError, match=r"`alpha` must lie strictly between 0 and 1; got"):
        check.probability(value, "alpha")


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_a_margin_is_positive_and_finite(value: float) -> None:
    with pytest.raises(InputError, match=r"`margin` must be a finite number above 0; got"):
        check.positive(value, "margin")


def test_a_choice_lists_the_choices() -> None:
    with pytest.raises(InputError, match="`test` must be one of a, b; got 'c'"):
        check.literal("c", Literal["a", "b"], "test")


def test_a_vector_names_the_first_bad_position() -> None:
    with pytest.raises(InputError, match=r"`x` must be finite; got nan at position 1\. Drop"):
        check.vector([1, np.nan], "x")
    with pytest.raises(
        InputError, match=r"`x` must be a vector of at least 2 numbers; got shape"
    ):
        check.vector([1], "x", min_size=2)
