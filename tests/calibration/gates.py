"""Gates: false passes at the margin, fails of unchanged systems, and how often two runs disagree."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import estimate
from detectable.kernels.distributions import t_quantile
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.result import FEWEST_CLUSTERS, Outcome, decide, together
from detectable.study.gate.self_test import outcome_chances
from tests.calibration.effort import ALPHA, Effort, Rates

Answers: TypeAlias = tuple[FloatArray, FloatArray, IntArray | None]  # new, old: (samples, n)

MARGIN = 0.05
OURS, BY_T, AS_ITEMS = "the gate", "t on questions", "every answer as a question"


@dataclass(frozen=True, slots=True)
class Design:
    """An evaluation with a true loss.

    Attributes
    ----------
    n : int
        Questions.
    samples : int
        Answers to each; 0 for one score that is no 0 or 1.
    group : int
        Questions of a passage, which depend on each other.
    discordant : float
        With one answer: the share of questions on which the systems differ.
    redrawn : float
        With several: the share of questions, or passages, whose difficulty is another one for the
        new system.
    """

    n: int
    samples: int = 1
    group: int = 1
    discordant: float = 0.2
    redrawn: float = 0.2

    @property
    def name(self) -> str:
        """What the row of a table is called."""
        if self.samples == 0:
            said = f"scores, {self.n} questions"
        elif self.samples == 1:
            said = f"0/1, {self.n} questions, {self.discordant:.0%} differ"
        else:
            said = f"0/1, {self.n} questions × {self.samples}"
        return said if self.group == 1 else f"{said} in groups of {self.group}"

    def draw(self, loss: float, rng: np.random.Generator) -> Answers:
        """Return answers of both systems, of shape (samples, questions), and the groups."""
        groups = None if self.group == 1 else np.arange(self.n) // self.group
        if self.samples == 0:
            shared = rng.normal(0.0, 0.2, -(-self.n // self.group)).repeat(self.group)[: self.n]
            noise = rng.normal(0.0, 0.25, self.n) + (shared if self.group > 1 else 0.0)
            old = rng.normal(0.6, 0.2, self.n)
            return (old - loss + noise)[np.newaxis], old[np.newaxis], groups
        if self.samples == 1:
            return *self._single(loss, rng), groups
        passages = -(-self.n // self.group)
        before = rng.beta(2.0, 1.0, passages)
        after = np.where(
            rng.random(passages) < self.redrawn, rng.beta(2.0, 1.0, passages), before
        )
        # Both have a mean of 2/3: a factor makes the loss exact over all questions like these.
        chances = [after * (1.0 - 1.5 * loss), before]
        new, old = (
            (rng.random((self.samples, self.n)) < chance.repeat(self.group)[: self.n]).astype(
                float
            )
            for chance in chances
        )
        return new, old, groups

    def _single(self, loss: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        broken = 0.5 * (self.discordant + loss)
        kind = rng.random(-(-self.n // self.group)).repeat(self.group)[: self.n]
        new, old = (kind >= broken).astype(float), np.ones(self.n)
        fixed = (kind >= broken) & (kind < self.discordant)
        old[fixed] = 0.0
        return new[np.newaxis], old[np.newaxis]


def evidence(answers: Answers) -> Evidence:
    """Return what the gate takes from the answers of both systems."""
    new, old, groups = answers
    return Evidence.of(
        new.mean(axis=0),
        old.mean(axis=0),
        clusters=groups,
        answers=float(len(new)),
        zero_one=bool(np.isin(new, (0.0, 1.0)).all() and np.isin(old, (0.0, 1.0)).all()),
        sign=1.0,
    )


def outcome(rows: list[Evidence], margin: float = MARGIN, alpha: float = ALPHA) -> Outcome:
    """Return how a gate of these rows ends."""
    worse = np.array([row.p_below(0.0) for row in rows])
    adjusted = holm(worse)
    return together(
        decide(
            "non-inferiority",
            p_margin=row.p_above(-margin),
            p_better=row.p_above(0.0),
            p_worse=float(p),
            p_worse_adjusted=float(corrected),
            could_see=False,
            may_pass=row.n_clusters >= FEWEST_CLUSTERS,
            alpha=alpha,
        )
        for row, p, corrected in zip(rows, worse, adjusted, strict=True)
    )


# False passes

AT_MARGIN = (
    *(Design(n) for n in (20, 30, 50, 100, 200, 500)),
    *(Design(n, discordant=0.06) for n in (50, 100, 200, 500)),
    *(Design(n, samples=4) for n in (30, 60, 130, 500)),
    *(Design(n, samples=4, group=5) for n in (75, 150, 500)),
    *(Design(n, samples=0) for n in (30, 200)),
    Design(200, samples=0, group=10),
)


def at_margin(effort: Effort) -> Rates:
    """Return how often a system that lost the margin passes, by this gate and by others."""
    found = [
        effort.repeat(_false_passes, design, f"gate at the margin: {design.name}").mean(axis=0)
        for design in AT_MARGIN
    ]
    return Rates(
        "A loss of exactly the margin (.05) passes",
        tuple(design.name for design in AT_MARGIN),
        (OURS, BY_T, AS_ITEMS),
        np.array(found),
        effort.trials,
    )


def _false_passes(design: Design, rng: np.random.Generator) -> FloatArray:
    answers = design.draw(MARGIN, rng)
    new, old, _ = answers
    ours = outcome([evidence(answers)]) == "pass"
    questions = new.mean(axis=0) - old.mean(axis=0)
    rows = (new - old).ravel()
    return np.array([ours, _t_passes(questions), _t_passes(rows)], dtype=float)


def _t_passes(differences: FloatArray) -> bool:
    found = estimate(differences.mean(), differences / differences.size)
    low = found.value - t_quantile(1.0 - ALPHA, found.df) * found.standard_error
    return bool(low > -MARGIN)


# Unchanged systems

NUMBERS = (1, 3, 10)
UNCHANGED = (
    Design(200),
    Design(130, samples=4, redrawn=0.0),
    Design(150, samples=4, group=5, redrawn=0.0),
    Design(200, samples=0),
)
RULES = (OURS, "any U < 0, uncorrected", "any lower by 2 SE", "any lower by 1 SE", "any lower")


def unchanged(effort: Effort) -> Rates:
    """Return how often an unchanged system fails, with several metrics that decide."""
    found, rows = [], []
    for design in UNCHANGED:
        for n in NUMBERS:
            step = f"gate unchanged: {n} × {design.name}"
            found.append(effort.repeat(_fails, (design, n), step).mean(axis=0))
            rows.append(f"{n} × {design.name}" if n > 1 else design.name)
    return Rates(
        "An unchanged system fails", tuple(rows), RULES, np.array(found), effort.trials
    )


def _fails(payload: tuple[Design, int], rng: np.random.Generator) -> FloatArray:
    design, n = payload
    rows = [evidence(design.draw(0.0, rng)) for _ in range(n)]
    z = np.array(
        [
            row.estimate.value / row.estimate.standard_error
            if row.estimate.standard_error > 0.0
            else 0.0
            for row in rows
        ]
    )
    uncorrected = any(row.p_below(0.0) <= ALPHA for row in rows)
    return np.array(
        [
            outcome(rows) == "fail",
            uncorrected,
            (z < -2.0).any(),
            (z < -1.0).any(),
            (z < 0.0).any(),
        ],
        dtype=float,
    )


# Flapping

RATIOS = (1.0, 2.0, 2.4865, 3.0, 4.0)


def flapping(effort: Effort, *, n: int = 1000) -> Rates:
    """Return how an unchanged system ends by M / SE, simulated and by formula."""
    found = []
    for ratio in RATIOS:
        drawn = effort.repeat(_ends, (ratio, n), f"gate flapping: {ratio:g}").mean(axis=0)
        told = outcome_chances(ratio)
        ends = (told.passed, told.failed, told.inconclusive)
        found.append([*drawn, 1.0 - (drawn**2).sum(), *ends, told.flips])
    names = ("pass", "fail", "inconclusive", "two runs differ")
    return Rates(
        "An unchanged system, by margin over standard error",
        tuple(f"{ratio:g}" for ratio in RATIOS),
        (*(f"{name}: simulated" for name in names), *(f"{name}: formula" for name in names)),
        np.array(found),
        effort.trials,
        kind="plain",
    )


def _ends(payload: tuple[float, int], rng: np.random.Generator) -> FloatArray:
    ratio, n = payload
    differences = rng.standard_normal(n)
    found = Evidence.of(
        differences, np.zeros(n), clusters=None, answers=1.0, zero_one=False, sign=1.0
    )
    end = outcome([found], margin=ratio / math.sqrt(n))
    return np.array([end == "pass", end == "fail", end == "inconclusive"], dtype=float)
