"""Several samples of an item: whose noise is how large, and what more samples could do."""

import math

import numpy as np

from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.scores.scores import Scores
from detectable.inference.sampled_answers import true_difference_variance
from detectable.metrics.mean import Mean
from detectable.study.comparison.parts import PairSamples, Sampled, SystemSamples
from detectable.study.comparison.result import PairComparison
from detectable.study.comparison.settings import Question

_ROUGH = 30  # units below which a t interval of chances between 0 and 1 is rough


def sampled(
    data: Scores, question: Question, pairs: tuple[PairComparison, ...]
) -> Sampled | None:
    """Return what the samples say; None where an item has one."""
    measured = question.measured
    if measured.n_samples is None:
        return None
    known = measured.documents is not None
    systems = []
    for s, (name, found) in enumerate(zip(measured.systems, measured.answers, strict=True)):
        counts = measured.n_samples[s]
        systems.append(
            SystemSamples(
                system=name,
                score=found.value,
                n_items=found.n_questions,
                n_samples=found.n_samples,
                fewest=int(counts.min()),
                most=int(counts.max()),
                missing_share=data.missing_share(name),
                n_clusters=found.n_clusters if known else None,
                standard_error=found.standard_error,
                standard_error_clusters=found.standard_error_clusters,
                standard_error_these=found.standard_error_these,
                standard_error_rows=found.standard_error_rows,
                variance_items=found.variance_questions,
                variance_samples=found.variance_samples,
            )
        )
    return Sampled(systems=tuple(systems), pairs=_pairs(data, question, pairs))


def _pairs(
    data: Scores, question: Question, pairs: tuple[PairComparison, ...]
) -> tuple[PairSamples, ...]:
    measured = question.measured
    means = data.averaged().systems
    found = []
    for m, sample in enumerate(measured.units):
        if not isinstance(sample.metric, Mean) or sample.metric.answers == "chance":
            continue  # a chance of k answers has another noise
        for p, (system, baseline) in enumerate(question.pairs):
            row = pairs[m * len(question.pairs) + p]
            differences = (means[row.system] - means[row.baseline])[0]
            both = measured.answers[system], measured.answers[baseline]
            left = row.standard_error**2 - _noise(question, (system, baseline))
            # Where sampling noise explains all the spread, how far the floor is below is not known.
            ratio = math.sqrt(left) / row.standard_error if left > 0.0 else math.nan
            found.append(
                PairSamples(
                    metric=row.metric,
                    system=row.system,
                    baseline=row.baseline,
                    variance_differences=max(true_difference_variance(differences, *both), 0.0),
                    mde_many_samples=row.mde * ratio,
                )
            )
    return tuple(found)


def _noise(question: Question, pair: tuple[int, int]) -> float:
    """Return the part of the squared standard error that comes from sampling."""
    measured = question.measured
    counts = measured.n_samples
    if counts is None:
        return 0.0
    share: FloatArray = np.full(counts.shape[1], 1.0 / counts.shape[1])
    if measured.tasks is not None:
        share = measured.tasks.strata.segment_weights() / counts.shape[1]
    return float(
        sum(
            measured.answers[s].variance_samples * (np.square(share) / counts[s]).sum()
            for s in pair
        )
    )


def sample_notes(question: Question) -> tuple[str, ...]:
    """Say where samples bought nothing, or where a variance had to be cut."""
    measured = question.measured
    if measured.n_samples is None:
        return ()
    rows = list(zip(measured.systems, measured.answers, strict=True))
    equal = [name for name, found in rows if found.variance_samples == 0.0]
    cut = [name for name, found in rows if found.cut]
    notes = []
    if equal:
        notes.append(
            f"All samples of an item are equal for {listing(equal)} (temperature 0?): repeats "
            "bought nothing, one sample of each item says the same."
        )
    if cut:
        notes.append(
            f"The variance between items of {listing(cut)} came out below 0 and is set to 0: the "
            "samples vary more than the items do."
        )
    chances = [s.metric.name for s in measured.units if s.metric.answers == "chance"]
    n = measured.units[0].n_units
    if chances and n < _ROUGH:
        notes.append(
            f"The intervals of {listing(chances)} are rough with {count(n, measured.unit_word)}: below "
            f"{_ROUGH} the t distribution fits such chances badly."
        )
    return tuple(notes)
