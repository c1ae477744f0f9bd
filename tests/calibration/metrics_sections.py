"""The tables about metrics, in docs/calibration.md."""

from collections.abc import Callable, Iterator

from tests.calibration import metrics
from tests.calibration.__main__ import table
from tests.calibration.effort import Effort

Tables = Iterator[str]


def metrics_against_people(effort: Effort) -> Tables:
    yield table(metrics.false_alarms(effort))


def intervals_of_metrics(effort: Effort) -> Tables:
    yield table(metrics.coverage(effort))


def intervals_of_favourites(effort: Effort) -> Tables:
    yield table(metrics.coverage_of_favourites(effort))


SECTIONS: dict[str, Callable[[Effort], Tables]] = {
    "metrics": metrics_against_people,
    "metrics-intervals": intervals_of_metrics,
    "metrics-favourites": intervals_of_favourites,
}
