"""What is known of a test set that was judged in part."""

import math

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.inference.standard_errors import Estimate
from detectable.study.precision.control_variates import (
    check_share,
    finite_note,
    rater_noise,
    require_error,
)

HUMAN = np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 8.0], [5.0, np.nan, np.nan]])


def test_noise_is_what_quality_leaves_of_the_variance() -> None:
    assert rater_noise(HUMAN, 0.25) == pytest.approx([0.75 * 2.0, 0.75 * 12.0, math.inf])
    assert rater_noise(HUMAN, 1.0)[:2] == [0.0, 0.0]
    assert rater_noise(HUMAN, None) == [math.inf] * 3


def test_the_note_says_what_counts_as_known() -> None:
    assert "quality (25% of the variance of a judgment) counts as known" in finite_note(0.25)
    assert "its share is not known here" in finite_note(None)
    assert "nobody knows which documents" in finite_note(0.25, whole_documents=False)


def test_a_share_is_above_0_and_at_most_1() -> None:
    assert (check_share(None), check_share(1.0)) == (None, 1.0)
    for share in (0.0, 1.01, math.nan):
        with pytest.raises(
            InputError, match="`quality_share` must lie above 0 and at most at 1"
        ):
            check_share(share)


def test_a_standard_error_of_0_is_refused() -> None:
    scores = np.array([1.0, 2.0, np.nan])
    require_error("A", Estimate(1.5, 1e-6, 1.0), scores)
    with pytest.raises(
        DataError, match=r"A − B: the standard error is 0.*`quality_share` below"
    ):
        require_error("A − B", Estimate(1.5, 1e-12, 1.0), scores)
    with pytest.raises(DataError, match=r"all 2 judged scores are 4\. Judge more items"):
        require_error("A", Estimate(4.0, 0.0, 1.0), np.array([4.0, np.nan, 4.0]))
