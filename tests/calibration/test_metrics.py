"""Equal metrics are called different at the stated rate, and intervals cover."""

import math

import numpy as np
import pytest

from tests.calibration import metrics
from tests.calibration.effort import Effort
from tests.gold_evals import evals

pytestmark = pytest.mark.slow

WIDE = 4.0  # standard errors


def test_swaps_of_whole_segments_keep_the_level_and_swaps_of_outputs_do_not() -> None:
    found = metrics.false_alarms(Effort(200))
    assert found.of("whole segments").max() <= found.nominal + WIDE * found.error
    cells, williams = (found.of(row)[0] for row in (metrics.CELLS, metrics.WILLIAMS))
    assert min(cells, williams) > 0.15
    # 600 data sets there, 200 here, of the same design.
    for got, key in (
        (cells, "meta.type1.cell"),
        (found.of("whole segments")[0], "meta.type1.segment"),
    ):
        wanted = evals(key)
        error = math.sqrt(wanted * (1.0 - wanted) * (1 / 600 + 1 / 200))
        assert got == pytest.approx(wanted, abs=WIDE * error), key


def test_intervals_cover() -> None:
    found = metrics.coverage(Effort(100))
    assert np.nanmin(found.shares) >= found.nominal - WIDE * found.error


def test_intervals_of_a_metric_with_favourites_are_not_too_wide_either() -> None:
    """Where a metric differs from people by noise alone, those of systems are: .99 and more."""
    found = metrics.coverage_of_favourites(Effort(400))
    assert np.abs(found.shares - found.nominal).max() <= WIDE * found.error
