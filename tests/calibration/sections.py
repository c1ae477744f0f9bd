"""All sections of tables in docs/calibration.md, by name, and how many data sets each has."""

from collections.abc import Callable, Iterator

from tests.calibration import (
    agreements,
    arenas,
    campaigns,
    gates,
    judges,
    pilots,
    selections,
    sparse,
)
from tests.calibration.__main__ import SECTIONS as REAL_TEXTS
from tests.calibration.effort import Effort, markdown
from tests.calibration.metrics_sections import SECTIONS as METRICS
from tests.calibration.small_samples_sections import SECTIONS as SMALL_SAMPLES

Tables = Iterator[str]


def of_gates(effort: Effort) -> Tables:
    yield markdown(gates.at_margin(effort))
    yield markdown(gates.unchanged(effort))
    yield markdown(gates.flapping(effort))


def of_sparse_scores(effort: Effort) -> Tables:
    yield markdown(sparse.at_margin(effort))
    yield markdown(sparse.fresh(effort))
    yield markdown(sparse.power(effort))
    yield markdown(sparse.stated(effort))


def of_arenas(effort: Effort) -> Tables:
    yield markdown(arenas.coverage(effort))


def ranks_of_arenas(effort: Effort) -> Tables:
    yield markdown(arenas.rank_sets(effort))
    yield markdown(arenas.false_alarms(effort))
    yield markdown(arenas.stated_mde(effort))
    yield markdown(arenas.planned_votes(effort))


def unequal_voters(effort: Effort) -> Tables:
    yield markdown(arenas.uneven_voters(effort))
    yield markdown(arenas.uneven_voters_power(effort))


def of_agreement(effort: Effort) -> Tables:
    yield markdown(agreements.coverage(effort))
    yield markdown(agreements.of_levels(effort))


def of_judges(effort: Effort) -> Tables:
    yield markdown(judges.coverage(effort))
    yield markdown(judges.labels_elsewhere(effort))
    yield markdown(judges.unequal_bias(effort))
    yield markdown(judges.planned_labels(effort))


def shares_near_the_ends(effort: Effort) -> Tables:
    for found in judges.near_the_ends(effort):
        yield markdown(found)
    yield markdown(judges.errs_otherwise(effort))


def of_campaigns(effort: Effort) -> Tables:
    yield markdown(campaigns.false_alarms(effort))


def power_of_campaigns(effort: Effort) -> Tables:
    yield markdown(campaigns.power(effort))


def of_selections(effort: Effort) -> Tables:
    for found in selections.on_wmt23(effort):
        yield markdown(found)
    yield markdown(selections.equal_systems(effort))
    yield markdown(selections.looks(effort))
    yield markdown(selections.failures(effort))


def of_pilots(effort: Effort) -> Tables:
    yield markdown(pilots.documents_in_pilots(effort))
    yield markdown(pilots.assumed_documents(effort))


SECTIONS: dict[str, Callable[[Effort], Tables]] = {
    **REAL_TEXTS,
    **SMALL_SAMPLES,
    **METRICS,
    "gate": of_gates,
    "sparse": of_sparse_scores,
    "arenas": of_arenas,
    "arena-ranks": ranks_of_arenas,
    "unequal-voters": unequal_voters,
    "agreement": of_agreement,
    "judges": of_judges,
    "judges-near-the-ends": shares_near_the_ends,
    "campaigns": of_campaigns,
    "campaigns-power": power_of_campaigns,
    "documents in pilots": of_pilots,
    "selections": of_selections,
}
_SLOW = {"families": 1000, "families-right-or-wrong": 1000}
TRIALS: dict[str, int] = {
    **dict.fromkeys(REAL_TEXTS, 5000),
    **dict.fromkeys(SMALL_SAMPLES, 2000),
    "metrics": 2000,
    "metrics-intervals": 1000,
    "metrics-favourites": 1000,
    "shared-swaps": 5000,
    "gate": 5000,
    "sparse": 1000,
    "arenas": 2000,
    "arena-ranks": 1000,
    "unequal-voters": 1000,
    "agreement": 1000,
    "judges": 1000,
    "judges-near-the-ends": 2000,
    "campaigns": 1000,
    "campaigns-power": 100,
    "documents in pilots": 2500,
    "selections": 3000,
    **_SLOW,
}
