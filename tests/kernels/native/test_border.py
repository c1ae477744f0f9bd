"""What C is never given: indices that are not there, offsets that fall, arrays of other shapes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.kernels.native.library import check_offsets, check_places, check_shape


@given(st.lists(st.integers(-3, 8), max_size=6), st.integers(0, 6))
def test_places_are_those_of_the_array(places: list[int], size: int) -> None:
    given = np.array(places, np.int64)
    if all(0 <= place < size for place in places):
        check_places(given, size, "unit")
        np.zeros(size)[given]
        return
    with pytest.raises(InputError, match=rf"`unit` must lie in 0 to {size - 1}; got -?\d+"):
        check_places(given, size, "unit")


@given(st.lists(st.integers(-2, 7), min_size=1, max_size=5), st.integers(0, 6))
def test_offsets_rise_and_stay_inside(offsets: list[int], size: int) -> None:
    given = np.array(offsets, np.int64)
    if offsets == sorted(offsets) and offsets[0] >= 0 and offsets[-1] <= size:
        check_offsets(given, size, "starts")
        return
    with pytest.raises(InputError, match=r"`starts` must (rise|lie in 0 to \d); got"):
        check_offsets(given, size, "starts")


@pytest.mark.parametrize("offsets", [np.zeros(0, np.int64), np.zeros((1, 2), np.int64)])
def test_offsets_are_a_row_of_at_least_one(offsets: np.ndarray) -> None:
    with pytest.raises(InputError, match="`starts` must hold at least one offset"):
        check_offsets(offsets, 3, "starts")


def test_the_first_wrong_number_is_named() -> None:
    with pytest.raises(InputError, match="got 9"):
        check_places(np.array([1, 9]), 3, "value")
    with pytest.raises(InputError, match="got -1"):
        check_places(np.array([-1, 9]), 3, "value")
    with pytest.raises(InputError, match="got 1 after 2"):
        check_offsets(np.array([0, 2, 1, 0]), 3, "starts")
    with pytest.raises(InputError, match="lie in 0 to 3; got -1"):
        check_offsets(np.array([-1, 4]), 3, "starts")
    with pytest.raises(InputError, match="lie in 0 to 3; got 4"):
        check_offsets(np.array([0, 4]), 3, "starts")


def test_shapes_must_agree() -> None:
    check_shape(np.zeros((2, 3)), (2, 3), "scale")
    with pytest.raises(InputError, match=r"`scale` must have the shape \(3, 2\); got \(2, 3\)"):
        check_shape(np.zeros((2, 3)), (3, 2), "scale")
