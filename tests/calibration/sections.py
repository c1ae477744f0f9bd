"""All sections of tables in docs/calibration.md, by name, and how many data sets each has."""

from collections.abc import Callable, Iterator

from tests.calibration import gates
from tests.calibration.__main__ import SECTIONS as REAL_TEXTS
from tests.calibration.effort import Effort, markdown
from tests.calibration.small_samples_sections import SECTIONS as SMALL_SAMPLES

Tables = Iterator[str]


def of_gates(effort: Effort) -> Tables:
    yield markdown(gates.at_margin(effort))
    yield markdown(gates.unchanged(effort))
    yield markdown(gates.flapping(effort))


GATES = {"gate": of_gates}
SECTIONS: dict[str, Callable[[Effort], Tables]] = {**REAL_TEXTS, **SMALL_SAMPLES, **GATES}
_SLOW = {"families": 1000, "families-right-or-wrong": 1000}
TRIALS: dict[str, int] = {
    **dict.fromkeys(REAL_TEXTS, 5000),
    **dict.fromkeys(SMALL_SAMPLES, 2000),
    "shared-swaps": 5000,
    **dict.fromkeys(GATES, 5000),
    **_SLOW,
}
