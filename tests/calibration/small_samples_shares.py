"""Scores of 0 and 1 with few discordant answers: intervals, and false claims at the margin."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import Estimate, estimate
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates
from tests.calibration.peers import mcnemar_p
from tests.calibration.small_samples import NO_SWAPS, compared

# Items, share broken, share fixed.
CELLS = (
    (50, 0.04, 0.0),
    (100, 0.04, 0.01),
    (200, 0.02, 0.0),
    (500, 0.01, 0.0),
    (500, 0.02, 0.01),
    (1000, 0.01, 0.0),
)
# Clusters, answers of each, share broken, share fixed; answers of a cluster are all alike with
# chance ½, independent of each other else.
CLUSTERED = (
    (20, 5, 0.06, 0.0),
    (20, 10, 0.06, 0.02),
    (50, 4, 0.06, 0.0),
    (50, 10, 0.06, 0.02),
    (100, 5, 0.06, 0.01),
    (150, 6, 0.02, 0.0),
)
# Items (clusters, answers) and the share that is broken, and fixed as often.
EQUAL = ((100, 0.02), (500, 0.01), (500, 0.05))
EQUAL_CLUSTERED = ((20, 5, 0.05), (50, 4, 0.05))
_TOGETHER = 0.5
_FEWER = 199  # swaps: they only tell on which side of 0 an end lies
OURS, WALD = "`compare`", "Wald t"
MCNEMAR = "exact McNemar over answers (statsmodels)"
COVERAGE, INFERIOR, EQUIVALENT = (
    "95 % interval holds the difference",
    "not inferior, at the margin",
    "equivalent, at the margin",
)


@dataclass(frozen=True, slots=True)
class Answers:
    """Two systems answer items; the second breaks some of them and fixes others."""

    n_clusters: int
    size: int
    broken: float
    fixed: float

    @property
    def loss(self) -> float:
        """How much worse the second system really is."""
        return self.broken - self.fixed

    @property
    def label(self) -> str:
        items = f"{self.n_clusters}" if self.size == 1 else f"{self.n_clusters} × {self.size}"
        return f"{items}, {self.broken:.0%}/{self.fixed:.0%}"


def differences(answers: Answers, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Return the differences of all answers and their clusters."""
    shares = [answers.broken, answers.fixed, 1.0 - answers.broken - answers.fixed]
    shape = (answers.n_clusters, answers.size)
    drawn = rng.choice([-1.0, 1.0, 0.0], p=shares, size=shape)
    if answers.size > 1:
        alike = rng.random(answers.n_clusters) < _TOGETHER
        drawn[alike] = drawn[alike, :1]
    return drawn.ravel(), np.repeat(np.arange(answers.n_clusters), answers.size)


def outcome(answers: Answers, rng: np.random.Generator) -> FloatArray:
    """Return 1 where true: of `compare` and of Wald t.

    (interval holds the truth, not inferior, equivalent) for both, the margin being the true loss.
    """
    apart, clusters = differences(answers, rng)
    baseline = np.where(apart > 0.0, 0.0, 1.0)
    documents = None if answers.size == 1 else [str(c) for c in clusters.tolist()]
    data = Scores.build({"A": baseline, "B": baseline + apart}, documents=documents)
    margin = answers.loss
    ours = compared(data, rng, _FEWER, margin=margin).pairs[0]
    claim = compared(data, rng, NO_SWAPS, margin=margin, claim="non-inferior").pairs[0]
    naive = _wald(apart, clusters)
    return np.array(
        [
            -margin in ours.interval_alone,
            claim.p_adjusted <= ALPHA,
            ours.p_equivalence <= ALPHA,
            -margin in naive.interval(LEVEL),
            naive.p_above(-margin) <= ALPHA,
            naive.equivalence_p(margin) <= ALPHA,
        ],
        dtype=np.float64,
    )


def _wald(apart: FloatArray, clusters: IntArray) -> Estimate:
    """Return the mean with its classical standard error over clusters."""
    mean = float(apart.mean())
    return estimate(mean, np.bincount(clusters, apart - mean) / apart.size)


def at_the_margin(effort: Effort) -> list[Rates]:
    """A system is worse by exactly the margin: coverage, and false claims, items independent."""
    return _tables(
        effort, [Answers(n, 1, broken, fixed) for n, broken, fixed in CELLS], "items"
    )


def at_the_margin_in_clusters(effort: Effort) -> list[Rates]:
    """The same with several answers to each question."""
    return _tables(effort, [Answers(*cell) for cell in CLUSTERED], "clusters × answers")


def _tables(effort: Effort, cells: list[Answers], unit: str) -> list[Rates]:
    found = np.stack(
        [effort.repeat(outcome, cell, f"0/1, {cell.label}").mean(axis=0) for cell in cells],
        axis=-1,
    )  # (outcomes, cells)
    columns = tuple(cell.label for cell in cells)
    what = f"scores of 0 and 1, {unit}, broken/fixed"
    held, inferior, equivalent = (found[[i, i + 3]] for i in range(3))
    rows = (OURS, WALD)
    return [
        Rates(f"{COVERAGE}: {what}", rows, columns, held, effort.trials, LEVEL, "coverage"),
        Rates(f"{INFERIOR}: {what}", rows, columns, inferior, effort.trials),
        Rates(f"{EQUIVALENT}: {what}", rows, columns, equivalent, effort.trials),
    ]


def equal_systems(effort: Effort) -> Rates:
    """Nothing differs: McNemar's exact test beside ours."""
    cells = [Answers(n, 1, share, share) for n, share in EQUAL]
    cells += [Answers(n, size, share, share) for n, size, share in EQUAL_CLUSTERED]
    found = [
        effort.repeat(alarms, cell, f"0/1 equal, {cell.label}").mean(axis=0) for cell in cells
    ]
    columns = tuple(cell.label for cell in cells)
    title = "Two equal systems, scores of 0 and 1: found to differ"
    shares = np.stack(found, axis=-1)
    return Rates(title, (OURS, MCNEMAR), columns, shares, effort.trials)


def alarms(answers: Answers, rng: np.random.Generator) -> FloatArray:
    """Return 1 where two equal systems are told apart, by us and by exact McNemar over answers."""
    apart, clusters = differences(answers, rng)
    baseline = np.where(apart > 0.0, 0.0, 1.0)
    documents = None if answers.size == 1 else [str(c) for c in clusters.tolist()]
    data = Scores.build({"A": baseline, "B": baseline + apart}, documents=documents)
    ours = compared(data, rng).pairs[0].p_adjusted
    theirs = mcnemar_p(int((apart > 0.0).sum()), int((apart < 0.0).sum()))
    return np.array([ours <= ALPHA, theirs <= ALPHA], dtype=np.float64)
