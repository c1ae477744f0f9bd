"""Families of pairs: the chance of any false alarm, power, and intervals for all pairs together."""

from dataclasses import dataclass, replace

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.multiplicity import holm
from tests.calibration.decisions import decide
from tests.calibration.effort import ALPHA, LEVEL, Effort, Rates
from tests.calibration.small_samples import NAMES, compared, pairs_of

SYSTEMS = (3, 5, 8, 10)
AGAINST_ONE = 3  # systems whose first two pairs are tested as well, alone
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
    against_one: bool = False

    @property
    def label(self) -> str:
        if self.against_one:
            return f"{self.n_systems - 1} against one"
        return f"{self.n_systems} systems"

    def of(self, n_units: int, effect: float) -> "Family":
        """Return it with other data."""
        return replace(self, n_units=n_units, effect=effect)


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
    data = data_of(family, rng)
    pairs = pairs_of(family.n_systems, against_one=family.against_one)
    real = np.array([family.effect > 0.0 and b == family.n_systems - 1 for b, _ in pairs])
    if family.kind == NORMAL:
        scores = np.stack([data.systems[name][0] for name in NAMES[: family.n_systems]], axis=1)
        system, baseline = np.array(pairs).T
        apart = scores[:, system] - scores[:, baseline]
        found = decide(apart, np.ones(len(apart)), rng)
        adjusted, raw, intervals = found.p_adjusted, found.p_values, found.intervals()
        upward = apart.mean(axis=0) > 0.0
    else:  # intervals of shares are not those of means
        rows = compared(data, rng, baseline=NAMES[0] if family.against_one else None).pairs
        adjusted, raw = (
            np.array([getattr(r, p) for r in rows]) for p in ("p_adjusted", "p_value")
        )
        intervals = [row.interval for row in rows]
        upward = np.array([row.difference > 0.0 for row in rows])
    answers = []
    for p in (adjusted, holm(raw)):
        hits = p <= ALPHA
        power = (hits & upward)[real].mean() if real.any() else np.nan
        answers.append([float((hits & ~real).any()), power])
    truth = np.where(real, family.effect, 0.0).tolist()
    inside = all(true in interval for true, interval in zip(truth, intervals, strict=True))
    return np.array([[*answers[0], float(inside)], [*answers[1], np.nan]])


def families(effort: Effort, kind: str = NORMAL) -> list[Rates]:
    """Return one table per question, rows for systems and corrections, columns for documents."""
    effect, n_systems, n_units, unit = (
        (BETTER, SYSTEMS, UNITS, "documents")
        if kind == NORMAL
        else (_BETTER_SHARE, _SHARE_SYSTEMS, ITEMS, "items")
    )
    tested = (
        Family(AGAINST_ONE, 0, 0.0, kind, against_one=True),
        *(Family(s, 0, 0.0, kind) for s in n_systems),
    )
    equal, better = (
        np.array([[_means(effort, family.of(n, e)) for n in n_units] for family in tested])
        for e in (0.0, effect)
    )  # each (families, documents, corrections, false alarm · power · covered)
    columns = tuple(f"{n} {unit}" for n in n_units)
    rows = tuple(f"{family.label}, {c}" for family in tested for c in CORRECTIONS)

    def table(values: FloatArray) -> FloatArray:
        found: FloatArray = np.swapaxes(values, 1, 2).reshape(-1, len(n_units))
        return found

    tables = [
        Rates(f"{KINDS[0]} ({kind})", rows, columns, table(equal[..., 0]), effort.trials),
        Rates(f"{KINDS[1]} ({kind})", rows, columns, table(better[..., 0]), effort.trials),
    ]
    plain = tuple(family.label for family in tested)
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
