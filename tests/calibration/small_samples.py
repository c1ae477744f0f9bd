"""Made data with few documents: the truth is known, and so is what depends on what.

The difference of two systems on an item is the effect of its document plus noise. 30 % of the
variance lies between documents; effects of documents are normal or skewed, always with mean 0.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from detectable.core.errors import CompatibilityWarning, SuspiciousDataWarning
from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.scores import Scores
from detectable.study.comparison.compare import compare
from detectable.study.comparison.result import Comparison
from tests.calibration.effort import RESAMPLES

NORMAL, EXPONENTIAL, LOG_NORMAL = "normal", "exponential", "log-normal"
EFFECTS = (NORMAL, EXPONENTIAL, LOG_NORMAL)
EQUAL, UNEQUAL = "equal", "unequal"
SIZES = (EQUAL, UNEQUAL)
N_ITEMS = 6  # of a document, on average
BETWEEN = 0.3  # share of the variance of an item's difference
_SPREAD = math.sqrt(
    math.log(1.0 + 0.9**2)
)  # log-normal sizes with a coefficient of variation of .9
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NO_SWAPS = 19  # resamples where nothing rests on them


@dataclass(frozen=True, slots=True)
class Documents:
    """How many documents, of which sizes, with which effects."""

    n: int
    sizes: str = EQUAL
    effects: str = NORMAL

    @property
    def label(self) -> str:
        return f"{self.sizes} documents, {self.effects} effects"


def document_of_items(design: Documents, rng: np.random.Generator) -> IntArray:
    """Return the document of each item."""
    if design.sizes == EQUAL:
        sizes = np.full(design.n, N_ITEMS)
    else:
        drawn = rng.lognormal(math.log(N_ITEMS) - 0.5 * _SPREAD**2, _SPREAD, design.n)
        sizes = np.maximum(1, np.rint(drawn)).astype(np.int64)
    return np.repeat(np.arange(design.n), sizes)


def effects(kind: str, n: int, rng: np.random.Generator) -> FloatArray:
    """Return effects with mean 0 and variance 1."""
    if kind == NORMAL:
        return rng.normal(size=n)
    if kind == EXPONENTIAL:
        return rng.exponential(size=n) - 1.0
    # The logarithm has variance 1: mean e^½, variance (e − 1)·e.
    drawn = rng.lognormal(size=n)
    found: FloatArray = (drawn - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e)
    return found


def differences(design: Documents, documents: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return the differences of two equal systems on the items: variance 1, mean 0."""
    between = math.sqrt(BETWEEN) * effects(design.effects, design.n, rng)[documents]
    found: FloatArray = between + rng.normal(0.0, math.sqrt(1.0 - BETWEEN), documents.size)
    return found


def scores_of_pair(
    differences: FloatArray, documents: IntArray | None, rng: np.random.Generator
) -> Scores:
    """Return scores of a baseline A and a system B that differ so."""
    baseline = rng.normal(size=differences.size)
    names = None if documents is None else [str(document) for document in documents.tolist()]
    return Scores.build({"A": baseline, "B": baseline + differences}, documents=names)


def pairs_of(n_systems: int, *, against_one: bool = False) -> list[tuple[int, int]]:
    """Return all pairs, the later system first; or only those with the first system."""
    last = 1 if against_one else n_systems
    return [(b, a) for a in range(last) for b in range(a + 1, n_systems)]


def compared(
    data: Scores, rng: np.random.Generator | int, n_resamples: int = RESAMPLES, **options: Any
) -> Comparison:
    """Return what `compare` says, with fewer swaps and without the warnings that made data earn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspiciousDataWarning)
        warnings.simplefilter("ignore", CompatibilityWarning)
        return compare(data, n_examples=0, n_resamples=n_resamples, rng=rng, **options)
