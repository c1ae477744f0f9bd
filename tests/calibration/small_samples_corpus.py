"""Corpus metrics with few documents: how often 95 % intervals hold the true difference."""

import functools
from dataclasses import dataclass

import numpy as np
import polars as pl

from detectable.core.types import FloatArray
from detectable.data.texts.corpus import Corpus
from detectable.inference.standard_errors import Estimate
from detectable.metrics.ter import Ter
from tests.calibration.compared import compared
from tests.calibration.effort import LEVEL, RESAMPLES, Effort, Rates
from tests.calibration.nulls import Texts, draw_units, ru_en
from tests.helpers import reference_data

COUNTS = (5, 8, 12, 20, 40)
OURS, CR2 = "`compare`", "t with CR2 errors"


@dataclass(frozen=True, slots=True)
class Population:
    """Texts that stand for all texts, and how many of their documents make a sample."""

    texts: Texts
    n_documents: int


@functools.cache
def texts() -> Texts:
    """Return WMT21 Russian-English, 107 documents, with TER beside BLEU and chrF."""
    known = ru_en()
    rows = pl.read_parquet(reference_data("data", "wmt", "wmt21_ruen_texts.parquet"))
    # In the order of the statistics of the other metrics.
    names = np.load(reference_data("data", "reliability", "wmt21_ruen_stats.npz"))["systems"]
    outputs = {str(name): rows[f"hyp:{name}"].to_list() for name in names}
    metric = Ter()
    table = metric.statistics(Corpus.build(outputs, rows["ref:A"].to_list()))
    return Texts(
        (*known.labels, "TER"),
        (*known.metrics, metric),
        (*known.values, table.astype(np.float64)),
        known.units,
    )


def held(population: Population, rng: np.random.Generator) -> FloatArray:
    """Return 1 where an interval holds the difference of two random systems: (rows, metrics)."""
    pair = population.texts.random_outputs(2, rng)
    scores = pair.scores()
    truth = (scores[1] - scores[0]).tolist()
    drawn = draw_units(pair, population.n_documents, rng)
    found = compared(drawn, 1, 1, rng=rng, n_resamples=RESAMPLES, correction="none").pairs
    by_t = [Estimate(p.difference, p.standard_error, p.df).interval(LEVEL) for p in found]
    return np.array(
        [
            [true in p.interval_alone for true, p in zip(truth, found, strict=True)],
            [true in interval for true, interval in zip(truth, by_t, strict=True)],
        ],
        dtype=np.float64,
    )


def coverage(effort: Effort) -> Rates:
    """Return the coverage of intervals from samples of documents."""
    population = texts()
    shares = np.stack(
        [
            effort.repeat(held, Population(population, n), f"corpus, {n} documents").mean(
                axis=0
            )
            for n in COUNTS
        ],
        axis=-1,
    )  # (rows, metrics, documents)
    rows = tuple(f"{label}: {row}" for label in population.labels for row in (OURS, CR2))
    return Rates(
        "95 % intervals of a difference, samples of documents (WMT21 ru-en)",
        rows,
        tuple(f"{n} documents" for n in COUNTS),
        np.swapaxes(shares, 0, 1).reshape(len(rows), -1),
        effort.trials,
        LEVEL,
        "coverage",
    )
