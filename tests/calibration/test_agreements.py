"""Intervals of variance and agreement hold with few documents; docs/calibration.md has the tables.

Bounds are four standard errors wide, as in the other calibrations.
"""

import pytest

from tests.calibration import agreements
from tests.calibration.effort import Effort

WIDE = 4.0


@pytest.mark.slow
def test_shares_and_alpha_are_covered_with_few_documents_and_severe_raters() -> None:
    found = agreements.coverage(Effort(100))
    for row in (agreements.DIFFERENCE, agreements.COVARIANCE, agreements.KRIPPENDORFF):
        assert (found.of(row) - 0.92).min() > -WIDE * found.error, row  # .92 with three raters
    former = found.of(agreements.BOOTSTRAP)
    assert former[0] < 0.8  # four documents
    assert former[5] < 0.7  # three severe raters


@pytest.mark.slow
def test_alpha_of_categories_is_covered() -> None:
    found = agreements.of_levels(Effort(100))
    assert (found.of(agreements.KRIPPENDORFF) - found.nominal).min() > -WIDE * found.error
