"""How often 95 % intervals hold the true value."""

from dataclasses import dataclass

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.bootstrap import Draws, Method, bootstrap, interval
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import estimate
from tests.calibration.effort import LEVEL, RESAMPLES, Effort, Rates
from tests.calibration.nulls import Texts, draw_units, en_de, judgments, ru_en
from tests.calibration.rates import BOOTSTRAPS, by_units, intervals

METHODS = ("delta", "percentile", "basic", "BCa")
NAIVE = "delta, segments as if independent"
DIFFERENCE, SCORE = "difference", "score of one system"


@dataclass(frozen=True, slots=True)
class Population:
    """Texts that stand for all texts, and how many of their units make a sample."""

    texts: Texts
    n_units: int


def segments(effort: Effort, *, n_units: int) -> Rates:
    """Samples of segments."""
    texts = en_de()
    step = f"coverage, {n_units} segments"
    held = effort.repeat(_segments, Population(texts, n_units), step)
    title = f"Samples of {n_units} segments (population: WMT21 en-de, 1002 segments)"
    rows = _rows(METHODS)
    return Rates(title, rows, texts.labels, held.mean(axis=0), effort.trials, LEVEL)


def documents(effort: Effort, *, n_units: int) -> Rates:
    """Samples of documents, with documents as units and with segments as if independent."""
    held = [
        effort.repeat(_documents, Population(texts, n_units), f"coverage, documents {name}")
        for texts in (ru_en(), judgments())
        for name in [" and ".join(texts.labels)]
    ]
    title = f"Samples of {n_units} documents (population: WMT21 ru-en, 107 documents)"
    rows = _rows((*METHODS, NAIVE))
    labels = ru_en().labels + judgments().labels
    shares = np.concatenate(held, axis=-1).mean(axis=0)
    return Rates(title, rows, labels, shares, effort.trials, LEVEL)


def _rows(methods: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{what}, {method}" for what in (DIFFERENCE, SCORE) for method in methods)


def _segments(population: Population, rng: np.random.Generator) -> FloatArray:
    pair = population.texts.random_outputs(2, rng)
    drawn = draw_units(pair, population.n_units, rng)
    differences, scores = _held(drawn, pair.scores(), rng)
    return np.vstack([differences, scores])


def _documents(population: Population, rng: np.random.Generator) -> FloatArray:
    pair = population.texts.random_outputs(2, rng)
    truth = pair.scores()
    drawn = draw_units(pair, population.n_units, rng)
    differences, scores = _held(drawn, truth, rng)
    naive = drawn.segments().samples(1, 1)
    return np.vstack(
        [
            differences,
            _within([by_units(sample).interval(LEVEL) for sample in naive], truth),
            scores,
            _within([_score_interval(sample) for sample in naive], truth[:1]),
        ]
    )


def _held(
    drawn: Texts, truth: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return 1 where an interval holds the truth: (methods, metrics) of difference and score."""
    samples = drawn.samples(1, 1)
    draws = bootstrap(samples, n_resamples=RESAMPLES, rng=rng)
    delta = [by_units(sample).interval(LEVEL) for sample in samples]
    of_difference = [delta, *(intervals(samples, draws, method) for method in BOOTSTRAPS)]
    of_score = [
        [_score_interval(sample) for sample in samples],
        *(_score_intervals(samples, draws, method) for method in BOOTSTRAPS),
    ]
    return (
        np.stack([_within(found, truth) for found in of_difference]),
        np.stack([_within(found, truth[:1]) for found in of_score]),
    )


def _within(found: list[Interval], truth: FloatArray) -> FloatArray:
    """Say for each metric whether the interval holds the difference, or the one score."""
    values = truth[1] - truth[0] if len(truth) == 2 else truth[0]
    return np.array([float(v in it) for v, it in zip(values, found, strict=True)])


def _score_interval(sample: Sample) -> Interval:
    return estimate(sample.score(0), sample.influence(0)[0]).interval(LEVEL)


def _score_intervals(
    samples: tuple[Sample, ...], draws: Draws, method: Method
) -> list[Interval]:
    return [
        interval(
            method, sample.score(0), draws.scores[:, 0, m], sample.influence(0)[0], level=LEVEL
        )
        for m, sample in enumerate(samples)
    ]
