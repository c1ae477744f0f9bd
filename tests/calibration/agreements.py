"""Intervals of the share of quality and of alpha with few documents, few raters and sparse designs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from detectable.core.choices import AgreementLevel
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.inference.agreement import alpha_sums
from detectable.study.precision.rater_agreement import agreement
from detectable.study.precision.variance_components import variance_components
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates

DIFFERENCE, COVARIANCE = "`variance`: 1 − noise/total", "`variance`: covariance/total"
TOTAL, NOISE = "`variance`: total variance", "`variance`: noise"
KRIPPENDORFF = "`agreement`: alpha"
BOOTSTRAP = "alpha by a bootstrap over documents, as before"


@dataclass(frozen=True, slots=True)
class Rated:
    """Two systems, items in documents, raters who judge all of them or `per_item` each.

    Standard deviations: of documents (6), of items (10), of a rater's severity, of what is left (8).
    `cuts` turn scores into ordered categories; a share `sparse` of items has one rater only.
    """

    documents: int
    raters: int = 4
    per_item: int | None = None
    severity: float = 0.0
    items: int = 7
    sparse: float = 0.0
    cuts: tuple[float, ...] = ()
    level: AgreementLevel = "interval"
    sds: tuple[float, float, float] = field(default=(6.0, 10.0, 8.0))

    def share(self) -> float:
        """Return the true share of quality, where scores are not cut."""
        of_document, of_item, rest = self.sds
        quality = of_document**2 + of_item**2
        return quality / (quality + self.severity**2 + rest**2)

    def draw(self, rng: np.random.Generator, documents: int | None = None) -> Judgments:
        """Return the judgments of one study."""
        n_documents = self.documents if documents is None else documents
        of_document, of_item, rest = self.sds
        n = n_documents * self.items
        severe = (
            rng.normal(0.0, self.severity, self.raters)
            if self.severity
            else np.zeros(self.raters)
        )
        columns: dict[str, list[Any]] = {
            name: [] for name in ("system", "item", "document", "rater", "score")
        }
        for system in ("A", "B"):
            document = np.repeat(np.arange(n_documents), self.items)
            quality = rng.normal(0.0, of_document, n_documents)[document]
            quality = quality + rng.normal(0.0, of_item, n)
            k = np.full(n, self.per_item or self.raters)
            k[rng.random(n) < self.sparse] = 1
            item = np.repeat(np.arange(n), k)
            first = rng.integers(self.raters, size=n)
            rater = (
                first[item] + np.concatenate([np.arange(size) for size in k])
            ) % self.raters
            score = quality[item] + severe[rater] + rng.normal(0.0, rest, item.size)
            if self.cuts:
                score = np.searchsorted(self.cuts, score).astype(float)
            columns["system"] += [system] * item.size
            for name, values in (
                ("item", item),
                ("document", document[item]),
                ("rater", rater),
            ):
                columns[name] += values.tolist()
            columns["score"] += score.tolist()
        return Judgments.build(columns, scale=(-1e6, 1e6))


def true_alpha(world: Rated) -> float:
    """Return alpha of endlessly many documents and raters, by a large study of two raters each."""
    rng = np.random.default_rng(5)
    n = 400_000
    of_document, of_item, rest = world.sds
    quality = rng.normal(0.0, np.hypot(of_document, of_item), n)
    noise = np.hypot(world.severity, rest)
    scores = quality[:, None] + rng.normal(0.0, noise, (n, 2))
    if world.cuts:
        scores = np.searchsorted(world.cuts, scores).astype(float)
    return alpha_sums(scores.ravel(), np.repeat(np.arange(n), 2), level=world.level).alpha()


WORLDS = {
    "4 documents": Rated(4),
    "6 documents": Rated(6),
    "8 documents": Rated(8),
    "20 documents": Rated(20),
    "40 documents": Rated(40),
    "20 documents, 3 severe raters": Rated(20, raters=3, severity=6.0),
    "20, 6 severe raters": Rated(20, raters=6, severity=6.0),
    "8, 4 severe raters": Rated(8, severity=6.0),
    "20, 12 severe raters, 2 an item": Rated(20, raters=12, per_item=2, severity=6.0),
    "20, 8 severe raters, a half of items twice": Rated(
        20, raters=8, per_item=2, severity=6.0, sparse=0.5
    ),
}
FIVE = (-12.0, -4.0, 4.0, 12.0)
_KINDS: tuple[tuple[str, AgreementLevel, tuple[float, ...]], ...] = (
    ("ordinal 1–5", "ordinal", FIVE),
    ("nominal, 3", "nominal", (-4.0, 8.0)),
)
LEVELS = {
    f"{name}, {documents} documents{more}": Rated(
        documents, raters=raters, per_item=per_item, severity=severity, cuts=cuts, level=level
    )
    for name, level, cuts in _KINDS
    for documents, raters, per_item, severity, more in (
        (8, 4, None, 0.0, ""),
        (20, 4, None, 6.0, ", 4 severe raters"),
        (20, 12, 2, 6.0, ", 12 severe, 2 an item"),
    )
}


def _held(case: tuple[Rated, float], rng: np.random.Generator) -> FloatArray:
    world, alpha = case
    judgments = world.draw(rng)
    found = variance_components(judgments)
    of_document, of_item, rest = world.sds
    noise = world.severity**2 + rest**2
    truths = (
        (found.by_difference.interval, world.share()),
        (found.by_covariance.interval, world.share()),
        (found.total.interval, noise + of_document**2 + of_item**2),
        (found.noise.interval, noise),
        (agreement(judgments).interval, alpha),
    )
    held = [given is not None and truth in given for given, truth in truths]
    return np.array([*held, _bootstrapped(judgments, alpha, rng)], dtype=float)


def _bootstrapped(judgments: Judgments, truth: float, rng: np.random.Generator) -> bool:
    """Whether the percentiles of a bootstrap over documents hold the truth."""
    columns = judgments.to_columns()
    unit = np.unique(
        [f"{s} {i}" for s, i in zip(columns["system"], columns["item"], strict=True)],
        return_inverse=True,
    )[1]
    document = np.unique(columns["document"], return_inverse=True)[1]
    sums = alpha_sums(judgments.score, unit, level="interval", cluster=document)
    parts = np.column_stack([sums.values, sums.disagreement, sums.margin])
    drawn = rng.multinomial(len(parts), np.full(len(parts), 1 / len(parts)), 300) @ parts
    n, apart, one, two = drawn.T
    alphas = 1.0 - apart / n / (2.0 * (n * two - one**2) / (n * (n - 1.0)))
    low, high = np.quantile(alphas, [ALPHA / 2.0, 1.0 - ALPHA / 2.0])
    return bool(low <= truth <= high)


def coverage(effort: Effort) -> Rates:
    """95 % intervals of shares, variances and alpha."""
    shares = [
        effort.repeat(_held, (world, true_alpha(world)), f"few {label}").mean(axis=0)
        for label, world in WORLDS.items()
    ]
    return Rates(
        "95 % intervals with few documents of 7 items of two systems, 4 raters",
        (DIFFERENCE, COVARIANCE, TOTAL, NOISE, KRIPPENDORFF, BOOTSTRAP),
        tuple(WORLDS),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )


def _agreed(case: tuple[Rated, float], rng: np.random.Generator) -> FloatArray:
    world, alpha = case
    given = agreement(world.draw(rng), level=world.level).interval
    return np.array([given is not None and alpha in given], dtype=float)


def of_levels(effort: Effort) -> Rates:
    """95 % intervals of ordinal and nominal alpha."""
    shares = [
        effort.repeat(_agreed, (world, true_alpha(world)), f"level {label}").mean(axis=0)
        for label, world in LEVELS.items()
    ]
    return Rates(
        "95 % intervals of alpha of ordered and of unordered categories, documents of 7 items",
        (KRIPPENDORFF,),
        tuple(LEVELS),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )
