"""Plans of documents keep their word; docs/calibration.md has the full tables."""

import pytest

from tests.calibration import pilots
from tests.calibration.effort import Effort

pytestmark = pytest.mark.slow

WIDE = 3.0


def test_documents_that_a_pilot_asks_for_find_the_effect() -> None:
    found = pilots.documents_in_pilots(Effort(1000))
    error = (0.8 * 0.2 / 1000) ** 0.5
    median = found.of(pilots.MEDIAN)
    assert median.min() > 0.77 - WIDE * error
    assert median.max() < 0.85 + WIDE * error
    # Items that stand alone promise 80 % and miss it wherever items resemble each other.
    assert (found.of(pilots.ALONE)[[0, 2, 3, 4]] < 0.65).all()


def test_typed_documents_find_the_effect() -> None:
    found = pilots.assumed_documents(Effort(1000))
    error = (0.8 * 0.2 / 1000) ** 0.5
    assert (
        abs(found.shares - 0.8).max() < WIDE * error + 0.01
    )  # a whole document more than needed
