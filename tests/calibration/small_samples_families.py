"""Families of pairs: the chance of any false alarm, power, and intervals for all pairs together."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.multiplicity import holm
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates
from tests.calibration.small_samples import NAMES, compared

SYSTEMS = (3, 5, 8, 10)
UNITS = (6, 8, 10, 20)
BETTER = 2.2  # standard deviations of a document difference: one system, where one is better
ITEMS = (50, 200)
_SHARE_SYSTEMS = (3, 5, 8)
_BETTER_SHARE = 0.25  # where answers are right or wrong
_BASE = 0.5

NORMAL, RIGHT_OR_WRONG = "normal document means", "answers right or wrong"
CORRECTIONS = ("max-T (default)", "Holm")
KINDS = (
    "any false alarm, all equal",
    "any false alarm, one better",
    "power for that one",
    "all intervals right, all equal",
    "all intervals right, one better",
)


@dataclass(frozen=True, slots=True)
class Family:
    """Systems compared pair by pair on documents; the last may be better by an effect."""

    n_systems: int
    n_units: int
    effect: float
    kind: str = NORMAL


def data_of(family: Family, rng: np.random.Generator) -> Scores:
    """Return one score for each document, or one answer to each question."""
    shape = (family.n_systems, family.n_units)
    if family.kind == NORMAL:
        table = rng.normal(0.0, 0.5**0.5, shape)  # differences have variance 1
        table[-1] += family.effect
        return Scores.build(dict(zip(NAMES, table, strict=False)))
    chance = np.full((family.n_systems, 1), _BASE)
    chance[-1] += family.effect
    answers = (rng.random(shape) < chance).astype(float)
    return Scores.build(dict(zip(NAMES, answers, strict=False)))


def outcome(family: Family, rng: np.random.Generator) -> FloatArray:
    """Return for max-T and Holm: any false alarm, share of true ones found, all intervals right."""
    result = compared(data_of(family, rng), rng)
    best = NAMES[family.n_systems - 1]
    real = np.array([family.effect > 0.0 and best == pair.system for pair in result.pairs])
    stepped = holm(np.array([pair.p_value for pair in result.pairs]))
    rows = []
    for p in (np.array([pair.p_adjusted for pair in result.pairs]), stepped):
        rejected = p <= ALPHA
        upward = np.array([pair.difference > 0.0 for pair in result.pairs])
        found = (rejected & upward)[real].mean() if real.any() else np.nan
        rows.append([float((rejected & ~real).any()), found])
    truth = np.where(real, family.effect, 0.0).tolist()
    inside = all(true in pair.interval for pair, true in zip(result.pairs, truth, strict=True))
    return np.array([[*rows[0], float(inside)], [*rows[1], np.nan]])


def families(effort: Effort, kind: str = NORMAL) -> list[Rates]:
    """Return one table per question, rows for systems and corrections, columns for documents."""
    effect, n_systems, n_units, unit = (
        (BETTER, SYSTEMS, UNITS, "documents")
        if kind == NORMAL
        else (_BETTER_SHARE, _SHARE_SYSTEMS, ITEMS, "items")
    )
    equal, better = (
        np.array([[_means(effort, Family(s, n, e, kind)) for n in n_units] for s in n_systems])
        for e in (0.0, effect)
    )  # each (systems, documents, corrections, false alarm · power · covered)
    columns = tuple(f"{n} {unit}" for n in n_units)
    rows = tuple(f"{s} systems, {c}" for s in n_systems for c in CORRECTIONS)

    def table(values: FloatArray) -> FloatArray:
        found: FloatArray = np.swapaxes(values, 1, 2).reshape(-1, len(n_units))
        return found

    tables = [
        Rates(f"{KINDS[0]} ({kind})", rows, columns, table(equal[..., 0]), effort.trials),
        Rates(f"{KINDS[1]} ({kind})", rows, columns, table(better[..., 0]), effort.trials),
    ]
    plain = tuple(f"{s} systems" for s in n_systems)
    for label, values in ((KINDS[3], equal), (KINDS[4], better)):
        held, title = values[..., 0, 2], f"{label}, max-T ({kind})"
        tables.append(Rates(title, plain, columns, held, effort.trials, LEVEL, "coverage"))
    powers = Rates(
        f"{KINDS[2]} ({kind})",
        rows,
        columns,
        table(better[..., 1]),
        effort.trials,
        0.8,
        "plain",
    )
    return [*tables, powers]


def _means(effort: Effort, family: Family) -> FloatArray:
    means: FloatArray = effort.repeat(outcome, family, f"family, {family}").mean(axis=0)
    return means
