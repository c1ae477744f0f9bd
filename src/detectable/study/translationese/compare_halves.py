"""Metrics on the halves of a corpus: measured once, compared on each half."""

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from detectable.core.choices import PairCorrection
from detectable.core.errors import DetectableWarning, InputError
from detectable.core.execute import Engine
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.language_code import LanguagePair
from detectable.metrics.base import Metric
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import measure
from detectable.study.comparison.result import Comparison
from detectable.study.translationese.halved_sample import HalvedSample, halve
from detectable.study.translationese.halves import HALVES, HalfName, Split, split

Unit = Literal["auto", "segment", "document"]


@dataclass(frozen=True, slots=True)
class TextScores:
    """A corpus that knows its halves, and every metric of it."""

    corpus: Corpus
    metrics: tuple[Metric, ...]
    split: Split
    measures: tuple[HalvedSample, ...]


def text_scores(
    corpus: Corpus,
    metrics: tuple[Metric, ...],
    pair: LanguagePair,
    *,
    unit: Unit,
    engine: Engine,
) -> TextScores:
    """Compute every metric, and split by original language."""
    if corpus.original_languages is None:
        raise InputError(
            "the test set does not say in which language its segments were first written. Give "
            "`original_languages`, or a corpus that says it (origlang)."
        )
    found = split("texts", corpus.original_languages, corpus.documents, pair)
    measured = measure(corpus, metrics, unit=unit, progress=engine.progress)
    measures = tuple(
        halve(
            sample.metric.name,
            sample,
            found,
            unit=measured.unit,
            scale=sample.metric.name,
            digits=sample.metric.digits,
        )
        for sample in measured.segments
    )
    return TextScores(corpus, metrics, found, measures)


def compare_halves(
    texts: TextScores,
    engine: Engine,
    *,
    unit: Unit,
    correction: PairCorrection,
    alpha: float,
    power: float,
    n_resamples: int | None,
) -> dict[HalfName, Comparison]:
    """Compare all pairs of systems on each half, and on both together.

    Several runs of a system are taken as they are: the claims are about these runs.
    """
    found: dict[HalfName, Comparison] = {}
    for half in HALVES:
        rows = np.flatnonzero(texts.split.rows(half)).tolist()
        with warnings.catch_warnings():
            if half != "both":  # what is odd about the texts is said once
                warnings.simplefilter("ignore", DetectableWarning)
            found[half] = compare(
                texts.corpus.select(rows),
                texts.metrics,
                unit=unit,
                runs="fixed",
                correction=correction,
                alpha=alpha,
                power=power,
                n_resamples=n_resamples,
                n_examples=0,
                rng=engine.rng,
                n_jobs=engine.n_jobs,
                executor=engine.executor,
                progress=engine.progress,
            )
    return found
