"""All sections of tables in docs/calibration.md, by name, and how many data sets each has."""

from collections.abc import Callable, Iterator

from tests.calibration.__main__ import SECTIONS as REAL_TEXTS
from tests.calibration.effort import Effort
from tests.calibration.metrics_sections import SECTIONS as METRICS
from tests.calibration.small_samples_sections import SECTIONS as SMALL_SAMPLES

Tables = Iterator[str]

SECTIONS: dict[str, Callable[[Effort], Tables]] = {**REAL_TEXTS, **SMALL_SAMPLES, **METRICS}
_SLOW = {"families": 1000, "families-right-or-wrong": 1000}
TRIALS: dict[str, int] = {
    **dict.fromkeys(REAL_TEXTS, 5000),
    **dict.fromkeys(SMALL_SAMPLES, 2000),
    **dict.fromkeys(METRICS, 1000),
    "shared-swaps": 5000,
    **_SLOW,
}
