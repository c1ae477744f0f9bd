"""Equal metrics are called different at the stated rate, and intervals cover."""

import numpy as np
import pytest

from tests.calibration import metrics
from tests.calibration.effort import Effort

pytestmark = pytest.mark.slow

WIDE = 4.0  # standard errors


def test_swaps_of_whole_segments_keep_the_level_and_swaps_of_outputs_do_not() -> None:
    found = metrics.false_alarms(Effort(200))
    assert found.of("whole segments").max() <= found.nominal + WIDE * found.error
    cells, williams = (found.of(row)[0] for row in (metrics.CELLS, metrics.WILLIAMS))
    assert min(cells, williams) > 0.15  # gold/evals.json: .305, and .043 for whole segments


def test_intervals_cover() -> None:
    found = metrics.coverage(Effort(100))
    assert np.nanmin(found.shares) >= found.nominal - WIDE * found.error
