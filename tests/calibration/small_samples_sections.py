"""The tables about small samples in docs/calibration.md, by name."""

from collections.abc import Callable, Iterator

from tests.calibration import small_samples_alarms as alarms
from tests.calibration import small_samples_corpus as corpus
from tests.calibration import small_samples_families as families
from tests.calibration import small_samples_joint as joint
from tests.calibration import small_samples_margins as margins
from tests.calibration import small_samples_power as power
from tests.calibration import small_samples_runs as runs
from tests.calibration import small_samples_shares as shares
from tests.calibration.effort import Effort, markdown

Tables = Iterator[str]


def few_documents(effort: Effort) -> Tables:
    yield from map(markdown, alarms.false_alarms(effort))


def of_families(effort: Effort) -> Tables:
    yield from map(markdown, families.families(effort))


def of_families_of_shares(effort: Effort) -> Tables:
    yield from map(markdown, families.families(effort, families.RIGHT_OR_WRONG))


def right_or_wrong(effort: Effort) -> Tables:
    yield from map(markdown, shares.at_the_margin(effort))
    yield from map(markdown, shares.at_the_margin_in_clusters(effort))
    yield markdown(shares.equal_systems(effort))


def of_margins(effort: Effort) -> Tables:
    yield from map(markdown, margins.at_the_margin(effort))


def new_runs(effort: Effort) -> Tables:
    yield markdown(runs.false_alarms(effort))


def stated_mde(effort: Effort) -> Tables:
    yield markdown(power.of_means(effort))


def stated_mde_of_answers(effort: Effort) -> Tables:
    yield from map(markdown, power.of_shares(effort))


def stated_mde_of_ties(effort: Effort) -> Tables:
    yield markdown(power.of_ties(effort))


def stated_mde_over_runs(effort: Effort) -> Tables:
    yield markdown(power.of_runs(effort))


def few_documents_corpus(effort: Effort) -> Tables:
    yield markdown(corpus.coverage(effort))


def shared_swaps(effort: Effort) -> Tables:
    yield markdown(joint.of_corpus_metrics(effort))
    yield markdown(joint.of_means(effort))


SECTIONS: dict[str, Callable[[Effort], Tables]] = {
    "few-documents": few_documents,
    "families": of_families,
    "families-right-or-wrong": of_families_of_shares,
    "right-or-wrong": right_or_wrong,
    "margins": of_margins,
    "new-runs": new_runs,
    "stated-mde": stated_mde,
    "stated-mde-answers": stated_mde_of_answers,
    "tied": stated_mde_of_ties,
    "stated-mde-runs": stated_mde_over_runs,
    "few-documents-corpus": few_documents_corpus,
    "shared-swaps": shared_swaps,
}
