"""Checks at the door: every message names the argument, the value and the remedy."""

from typing import Any, Literal

import numpy as np
import pytest

from detectable.core import check, errors
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


@pytest.mark.parametrize("value", [1e-308, 9e-101, 1.1e100, 1e308])
def test_a_number_whose_square_is_none_is_refused(value: float) -> None:
    with pytest.raises(InputError, match=r"`sd` must lie between 1e-100 and 1e\+100, so that"):
        check.positive(value, "sd")
    assert check.positive(1e-100, "sd") == 1e-100
    assert check.positive(1e100, "sd") == 1e100


def test_scores_beyond_all_measure_are_refused() -> None:
    assert check.vector([1e100, -1e100], "a").tolist() == [1e100, -1e100]
    with pytest.raises(InputError, match=r"`a` must lie within ±1e\+100; got -1e\+101"):
        check.vector([1.0, -1e101], "a")


@pytest.mark.parametrize("value", ["5", "x", None, [1], float("inf")])
def test_what_is_no_number_is_no_count(value: Any) -> None:
    with pytest.raises(InputError, match=r"`n` must be a whole number ≥ 1; got"):
        check.positive_int(value, "n")


def test_a_count_that_no_array_has_is_refused_unless_it_is_a_seed() -> None:
    assert check.positive_int(10**15, "n") == 10**15
    for value in (10**15 + 1, 10**400, 10**5000):
        with pytest.raises(
            InputError, match=r"at most 1,0.*; got a number of more than fifteen"
        ):
            check.positive_int(value, "n")
        assert check.positive_int(value, "seed", maximum=None) == value


def test_nobody_waits_for_more_than_ten_million_repetitions() -> None:
    assert check.repetitions(10_000_000, "n_resamples") == 10_000_000
    with pytest.raises(InputError, match=r"at most 10,000,000; got 10,000,001\. More would"):
        check.repetitions(10_000_001, "n_resamples")
    with pytest.raises(InputError, match=r"`n_resamples` must be a whole number ≥ 100; got 99"):
        check.repetitions(99, "n_resamples", minimum=100)


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


# Every border, from both sides


@pytest.mark.parametrize(
    ("value", "minimum"), [(1, 1), (2, 2), (0, 0), (5.0, 1), (np.int64(3), 3)], ids=repr
)
def test_the_smallest_count_is_allowed_and_becomes_an_int(value: Any, minimum: int) -> None:
    found = check.positive_int(value, "n", minimum=minimum)
    assert (found, type(found)) == (value, int)


@pytest.mark.parametrize(("value", "minimum"), [(0, 1), (1, 2), (-1, 0), (1.5, 0)], ids=repr)
def test_a_count_below_the_minimum_names_the_minimum(value: Any, minimum: int) -> None:
    with pytest.raises(
        InputError, match=rf"`n` must be a whole number ≥ {minimum}; got {value}"
    ):
        check.positive_int(value, "n", minimum=minimum)


@pytest.mark.parametrize("value", [False, True])
def test_a_truth_value_is_no_count(value: bool) -> None:
    with pytest.raises(InputError, match=f"got {value}"):
        check.positive_int(value, "n", minimum=0)


@pytest.mark.parametrize("value", [1e-300, 0.5, float(np.nextafter(1.0, 0.0))])
def test_anything_strictly_inside_is_a_probability(value: float) -> None:
    assert check.probability(value, "alpha") == value


@pytest.mark.parametrize("value", [1e-100, 1, 1e100])
def test_anything_above_zero_is_positive(value: float) -> None:
    found = check.positive(value, "margin")
    assert (found, type(found)) == (value, float)


def test_a_vector_of_exactly_the_least_size() -> None:
    assert check.vector([1, 2], "x", min_size=2).size == 2
    with pytest.raises(InputError, match=r"of at least 1 numbers; got shape \(0,\)"):
        check.vector([], "x")


@pytest.mark.parametrize("value", [[[1.0, 2.0]], 3.0], ids=["a matrix", "a number"])
def test_a_vector_has_one_dimension(value: Any) -> None:
    with pytest.raises(InputError, match="`x` must be a vector of at least 1 numbers"):
        check.vector(value, "x")


@pytest.mark.parametrize(
    ("value", "shown"), [(np.inf, "inf"), (-np.inf, "-inf"), (np.nan, "nan")], ids=str
)
def test_a_vector_is_finite(value: float, shown: str) -> None:
    with pytest.raises(InputError, match=rf"`x` must be finite; got {shown} at position 2\."):
        check.vector([0.0, 1.0, value, value], "x")


def test_a_choice_may_come_from_any_list() -> None:
    assert check.one_of("b", iter(["a", "b"]), "x") == "b"
    with pytest.raises(InputError, match=r"`x` must be one of a, b; got 'B'\."):
        check.one_of("B", iter(["a", "b"]), "x")


# --- Errors and warnings: each can be caught as ours, and as what Python calls it ---


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (errors.InputError, ValueError),
        (errors.DataError, ValueError),
        (errors.MissingExtraError, ImportError),
        (errors.ConvergenceError, RuntimeError),
    ],
    ids=lambda kind: kind.__name__,
)
def test_an_error_is_ours_and_pythons(ours: type[Exception], pythons: type[Exception]) -> None:
    assert issubclass(ours, errors.DetectableError)
    assert issubclass(ours, pythons)


@pytest.mark.parametrize(
    "kind",
    [errors.SuspiciousDataWarning, errors.CompatibilityWarning],
    ids=lambda k: k.__name__,
)
def test_warnings_are_ours_and_shown_by_default(kind: type[Warning]) -> None:
    assert issubclass(kind, errors.DetectableWarning)
    assert issubclass(kind, UserWarning)


def test_the_list_at_the_top_is_whole() -> None:
    kinds = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert [name for name in kinds if name not in str(errors.__doc__)] == []
