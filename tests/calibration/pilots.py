"""Documents in pilots: what plans of documents find, and plans of items that stand alone."""

import functools
import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import optimize

from detectable.core.types import FloatArray, IntArray
from detectable.inference.standard_errors import cluster_mean
from detectable.planning.documents import DocumentSpread
from tests.calibration.effort import ALPHA, POWER, Effort, Rates

PILOT = 40  # documents
PLANS = 200  # pilots behind the median plan
OWN, MEDIAN, ALONE = "each pilot's own plan", "the median plan", "items as if each stood alone"

Sizes: TypeAlias = Literal["5", "unequal", "2", "12"]
Kind: TypeAlias = Literal["own", "shared", "samples", "ratings", "heavy", "skewed"]


@dataclass(frozen=True, slots=True)
class World:
    """Two systems on documents; the kind says what items of a document share."""

    label: str
    kind: Kind
    effect: float
    sizes: Sizes = "5"
    between: float = 0.0
    within: float = 0.0

    def draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Return the differences of the items of n documents, and the document of each."""
        if self.sizes == "unequal":
            sizes = np.maximum(1, np.round(np.exp(rng.normal(math.log(6.0) - 0.245, 0.7, n))))
        else:
            sizes = np.full(n, float(self.sizes))
        documents = np.repeat(np.arange(n), sizes.astype(np.int64))
        return self._differences(documents, n, rng), documents

    def _differences(self, documents: IntArray, n: int, rng: np.random.Generator) -> FloatArray:
        if self.kind in ("own", "shared", "samples"):
            return self._answers(documents, n, rng)
        own = rng.normal(0.0, self.between, n)
        noise = rng.normal(0.0, self.within, documents.size)
        if self.kind == "heavy":
            noise = self.within * rng.standard_t(5, documents.size)
        if self.kind == "skewed":
            own = self.between * (rng.exponential(size=n) - 1.0)
        return self.effect + own[documents] + noise

    def _answers(self, documents: IntArray, n: int, rng: np.random.Generator) -> FloatArray:
        k = 4 if self.kind == "samples" else 1
        shared = np.zeros(documents.size)
        spread = 1.5
        if self.kind == "shared":
            shared = rng.normal(0.0, 1.2, n)[documents] + rng.normal(size=documents.size)
            spread = 0.5

        def right(shift: float) -> FloatArray:
            logit = 1.0 + shift + shared + rng.normal(0.0, spread, n)[documents]
            return rng.binomial(k, 1.0 / (1.0 + np.exp(-logit))) / k

        return right(_shift(self.kind, self.effect)) - right(0.0)


@functools.cache
def _shift(kind: Kind, effect: float) -> float:
    """Return the shift of the logit that makes a difference of shares."""
    sd = math.sqrt(1.2**2 + 1.0 + 0.25) if kind == "shared" else 1.5
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()

    def share(shift: float) -> float:
        return float(weights @ (1.0 / (1.0 + np.exp(-1.0 - shift - sd * nodes))))

    return float(optimize.brentq(lambda s: share(s) - share(0.0) - effect, 0.0, 4.0))


# Six settings of the page that the 60 % limit was chosen on, and four of our own.
WORLDS = (
    World("accuracy, own document effects", "own", 0.08),
    World("accuracy, shared", "shared", 0.06),
    World("samples, 4 each", "samples", 0.08),
    World("3 raters", "ratings", 3.0, between=8.0, within=8.0 * math.sqrt(2.0 / 3.0)),
    World("ratings, unequal", "ratings", 3.0, "unequal", 6.0, 15.0),
    World("heavy tails, unequal", "heavy", 1.0, "unequal", 2.5, 6.0),
    World("accuracy, documents of 12", "own", 0.08, "12"),
    World("pairs of items", "ratings", 2.0, "2", 5.0, 5.0),
    World("skewed documents", "skewed", 3.0, between=6.0, within=8.0),
    World("no likeness, unequal", "ratings", 2.0, "unequal", 0.0, 12.0),
)


def planned(world: World, rng: np.random.Generator) -> tuple[int, int]:
    """Return the documents that a pilot asks for, and those that items alone would ask for."""
    spread = DocumentSpread.of_pilot(*world.draw(PILOT, rng))
    asked = {"alpha": ALPHA, "power": POWER}
    own, items = (
        spread.needed(world.effect, **asked),
        spread.alone.needed(world.effect, **asked),
    )
    return int(own or 2), max(2, round((items or 2) / spread.size))


@functools.cache
def _medians(world: World) -> tuple[int, int]:
    rng = np.random.default_rng([7, *world.label.encode()])
    plans = np.array([planned(world, rng) for _ in range(PLANS)])
    own, alone = np.median(plans, axis=0)
    return int(own), int(alone)


def found(world: World, n: int, rng: np.random.Generator) -> bool:
    """Say whether a t test over n fresh documents finds the effect, with the right sign."""
    estimate = cluster_mean(*world.draw(n, rng))
    return estimate.p_value() <= ALPHA and estimate.value > 0.0


def _finds(world: World, rng: np.random.Generator) -> FloatArray:
    own, _ = planned(world, rng)
    median, alone = _medians(world)
    return np.array([found(world, n, rng) for n in (own, median, alone)], dtype=float)


def documents_in_pilots(effort: Effort) -> Rates:
    """Power at what a pilot of 40 documents asks for."""
    shares = [effort.repeat(_finds, w, f"pilot {w.label}").mean(axis=0) for w in WORLDS]
    return Rates(
        f"A difference is found with what a pilot of {PILOT} documents asks for",
        (OWN, MEDIAN, ALONE),
        tuple(f"{w.label}: {_medians(w)[0]} documents" for w in WORLDS),
        np.column_stack(shares),
        effort.trials,
        POWER,
        "power",
    )


@dataclass(frozen=True, slots=True)
class Assumed:
    """Documents of one size whose items correlate as was typed."""

    per_document: int
    icc: float
    effect: float = 0.3

    @property
    def documents(self) -> int:
        spread = DocumentSpread.assumed(1.0, per_document=self.per_document, icc=self.icc)
        return int(spread.needed(self.effect, alpha=ALPHA, power=POWER) or 2)

    @property
    def label(self) -> str:
        return (
            f"{self.per_document} to a document, ICC {self.icc:g}: {self.documents} documents"
        )


def _assumed(world: Assumed, rng: np.random.Generator) -> FloatArray:
    n, m = world.documents, world.per_document
    own = rng.normal(0.0, math.sqrt(world.icc), (n, 1))
    items = world.effect + own + rng.normal(0.0, math.sqrt(1.0 - world.icc), (n, m))
    estimate = cluster_mean(items.ravel(), np.repeat(np.arange(n), m))
    return np.array([estimate.p_value() <= ALPHA and estimate.value > 0.0], dtype=float)


def assumed_documents(effort: Effort) -> Rates:
    """Power where size and likeness of documents were typed, and are true."""
    worlds = (Assumed(5, 0.1), Assumed(5, 0.5), Assumed(20, 0.05), Assumed(2, 0.9))
    shares = [effort.repeat(_assumed, w, f"assumed {w.label}").mean(axis=0) for w in worlds]
    return Rates(
        "A difference of .3 standard deviations is found with `--per-document` and `--icc`",
        ("without a pilot",),
        tuple(world.label for world in worlds),
        np.column_stack(shares),
        effort.trials,
        POWER,
        "power",
    )
