"""Equal systems with several sampled answers to every question: false alarms."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from tests.calibration.effort import ALPHA, RESAMPLES, Effort, Rates

SWAPS = "`compare`: question means swapped"
BY_T = "`compare`, t on question means"
ROWS = "samples counted as further questions"
PAIRED_ROWS = "samples as paired further questions"
_OWN = 1.5  # how differently hard a question is for the two, on the scale of logits


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions, samples of each, the share of samples lost, and questions of a passage."""

    name: str
    n: int
    k: int
    lost: float = 0.0
    of_passage: int = 1


DESIGNS = (
    Asked("30 questions × 4", 30, 4),
    Asked("100 × 4", 100, 4),
    Asked("100 × 4, 10 % lost", 100, 4, 0.1),
    Asked("20 passages of 5 × 4", 100, 4, 0.0, 5),
)


def draw(asked: Asked, rng: np.random.Generator) -> Scores:
    """Return two systems that are equal on all questions there are, and not on these.

    Each finds other questions hard; questions of a passage share half of that.
    """
    passages = np.repeat(np.arange(math.ceil(asked.n / asked.of_passage)), asked.of_passage)
    passages = passages[: asked.n]
    easy = rng.normal(0.5, 1.0, asked.n)
    tables = {}
    for system in "AB":
        own = rng.normal(0, _OWN, asked.n)
        if asked.of_passage > 1:
            shared = rng.normal(0, _OWN, passages.max() + 1)[passages]
            own = (own + shared) / math.sqrt(2.0)
        chance = 1.0 / (1.0 + np.exp(-(easy + own)))
        table = (rng.random((asked.k, asked.n)) < chance).astype(float)
        # As many of either system: what is lost unequally is warned of.
        gone = rng.choice((asked.k - 1) * asked.n, round(asked.lost * asked.k * asked.n), False)
        table[1:].flat[gone] = np.nan
        tables[system] = table
    documents = [f"p{p}" for p in passages] if asked.of_passage > 1 else None
    return Scores.build(tables, documents=documents, repeats="samples")


def false_alarms(effort: Effort) -> Rates:
    """Return how often equal systems are told apart, by design."""
    columns = [effort.repeat(_alarms, asked, f"samples {asked.name}") for asked in DESIGNS]
    return Rates(
        "Equal systems, right or wrong answers, several samples of each question",
        (SWAPS, BY_T, ROWS, PAIRED_ROWS),
        tuple(asked.name for asked in DESIGNS),
        np.stack([of.mean(axis=0) for of in columns], axis=-1),
        effort.trials,
    )


def _alarms(asked: Asked, rng: np.random.Generator) -> FloatArray:
    scores = draw(asked, rng)
    swapped = compare(scores, baseline="A", n_resamples=RESAMPLES, n_examples=0, rng=rng)
    by_t = compare(scores, baseline="A", test="t", n_examples=0)
    pair = swapped.pairs[0]
    assert (pair.verdict != "undecided") == (pair.p_value <= ALPHA)
    naive = pair.naive
    p = [pair.p_value, by_t.pairs[0].p_value, naive.p_value if naive else 1.0, _paired(scores)]
    return np.array([value <= ALPHA for value in p], dtype=np.float64)


def _paired(scores: Scores) -> float:
    """Return p of samples set against each other in their order, as if they were questions."""
    from scipy import stats

    d = (scores.systems["B"] - scores.systems["A"]).ravel()
    d = d[~np.isnan(d)]
    return float(stats.ttest_1samp(d, 0.0).pvalue)
