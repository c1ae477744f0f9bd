"""Margins on scores that seldom change, or change much: false passes at the margin, and power beside t."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray
from detectable.data.scores.scores import Scores
from detectable.inference.margin_score import MarginScore
from detectable.inference.standard_errors import cluster_mean
from detectable.study.comparison.compare import compare
from detectable.study.gate.gate import gate
from tests.calibration.effort import ALPHA, Effort, Rates

Pair = tuple[FloatArray, FloatArray]  # new, old
Draw = Callable[[np.random.Generator], Pair]
GATE, COMPARE, BY_T = "gate", "compare", "t"
_MQM = (1.0, 5.0, 25.0)


@dataclass(frozen=True, slots=True)
class Cell:
    """Data whose true loss is the margin, or with power 0."""

    name: str
    draw: Draw
    margin: float
    clusters: IntArray | None = None
    metric: str = "comet"
    scale: tuple[float, float] | None = None
    largest_loss: float | None = None


def _answers(rng: np.random.Generator, n: int, lost: float, won: float) -> Pair:
    old = (rng.random(n) < 0.6).astype(np.float64)
    chance = rng.random(n)
    falls, rises = (old == 1.0) & (chance < lost / 0.6), (old == 0.0) & (chance < won / 0.4)
    return np.where(falls, 0.0, np.where(rises, 1.0, old)), old


def _penalties(rng: np.random.Generator, n: int, lost: FloatArray | float, won: float) -> Pair:
    # Every segment has errors that both systems make, so that no gain leaves the scale.
    old = rng.choice([-6.0, -7.0, -11.0], n, p=[0.7, 0.2, 0.1])
    loss = np.where(rng.random(n) < lost, rng.choice(_MQM, n, p=[0.7, 0.25, 0.05]), 0.0)
    gain = np.where(rng.random(n) < won, rng.choice(_MQM[:2], n, p=[0.8, 0.2]), 0.0)
    return old + gain - loss, old


def _apart(old: FloatArray, difference: FloatArray) -> Pair:
    return old + difference, old


def _beta_chances(
    rng: np.random.Generator, mean: float, strength: float, documents: int, size: int
) -> FloatArray:
    chances = rng.beta(mean * strength, (1.0 - mean) * strength, documents)
    return np.repeat(chances, size)


def _half(rng: np.random.Generator, n: int) -> Pair:
    new, old = _answers(rng, n, 0.08, 0.03)
    new[0] = old[0] = 0.5
    return new, old


def _noisy(rng: np.random.Generator, n: int) -> Pair:
    new, old = _answers(rng, n, 0.08, 0.03)
    return new + rng.normal(0.0, 0.02, n), old + rng.normal(0.0, 0.02, n)


def _inflated(rng: np.random.Generator, n: int, chance: FloatArray | float) -> Pair:
    lost = np.where(rng.random(n) < chance, rng.exponential(1.0, n), 0.0)
    return _apart(rng.uniform(0.0, 6.0, n), -lost)


def _documents(documents: int, size: int) -> IntArray:
    return np.repeat(np.arange(documents), size)


def _of_page() -> list[Cell]:
    """Return the settings that the constants of the rule were chosen on."""
    found: list[Cell] = []
    for n in (60, 200):
        found += [
            Cell(
                f"0/100, n = {n}",
                lambda rng, n=n: tuple(100.0 * x for x in _answers(rng, n, 0.08, 0.03)),  # type: ignore[misc,arg-type]
                5.0,
            ),
            Cell(
                f"one .5 among 0/1, n = {n}",
                lambda rng, n=n: _half(rng, n),  # type: ignore[misc]
                0.05 * (n - 1) / n,
            ),
            Cell(f"0/1 + noise .02, n = {n}", lambda rng, n=n: _noisy(rng, n), 0.05),  # type: ignore[misc]
        ]
    found += [
        Cell(
            f"MQM, n = {n}",
            lambda rng, n=n: _penalties(rng, n, 0.1, 0.05),  # type: ignore[misc]
            0.23,
            metric="mqm",
        )
        for n in (100, 300, 1000)
    ]
    found += [
        Cell(f"zero-inflated, n = {n}", lambda rng, n=n: _inflated(rng, n, 0.1), 0.1)  # type: ignore[misc]
        for n in (50, 200)
    ]
    found += [
        Cell(
            f"exponential, n = {n}",
            lambda rng, n=n: _apart(rng.normal(size=n), 0.1 - rng.exponential(0.2, n)),  # type: ignore[misc]
            0.1,
        )
        for n in (15, 40)
    ]
    found += [
        Cell(
            "MQM, 100 × 10 documents",
            lambda rng: _penalties(rng, 1000, _beta_chances(rng, 0.1, 3.0, 100, 10), 0.05),
            0.23,
            _documents(100, 10),
            metric="mqm",
        ),
        Cell(
            "zero-inflated, 20 × 10 documents",
            lambda rng: _inflated(rng, 200, _beta_chances(rng, 0.1, 3.0, 20, 10)),
            0.1,
            _documents(20, 10),
        ),
        Cell(
            "normal, n = 50",
            lambda rng: _apart(rng.normal(size=50), rng.normal(-0.1, 0.2, 50)),
            0.1,
        ),
    ]
    return found


def _judged(rng: np.random.Generator, n: int, changed: float, lost: FloatArray) -> Pair:
    """Return judge scores of 0 to 10 of which most stay; they have room for every change."""
    old = rng.integers(4, 8, n).astype(np.float64)
    steps = rng.choice([-1.0, 1.0, 2.0, 4.0], n, p=lost)
    return np.where(rng.random(n) < changed, old - steps, old), old


_JUDGED = np.array([0.35, 0.4, 0.2, 0.05])
_JUDGED_MEAN = float(_JUDGED @ [-1.0, 1.0, 2.0, 4.0])
_WEIGHTS = np.array([0.75, 0.2, 0.05])


def _light_mqm(rng: np.random.Generator, n: int) -> Pair:
    old = -rng.choice([0.0, 1.0, 5.0], n, p=[0.6, 0.3, 0.1])
    lost = np.where(rng.random(n) < 0.15, rng.choice([0.1, 1.0, 5.0], n, p=_WEIGHTS), 0.0)
    return old - lost, old


def _rubric(rng: np.random.Generator, n: int) -> Pair:
    """Return shares of five rubric points of which a tenth of answers loses some."""
    old = rng.integers(2, 6, n) / 5.0
    lost = np.where(rng.random(n) < 0.1, rng.integers(1, 3, n) / 5.0, 0.0)
    return old - lost, old


def _fresh() -> list[Cell]:
    """Return settings that played no part in choosing anything."""
    return [
        *(
            Cell(
                f"judge 0–10, 30 % change, n = {n}",
                lambda rng, n=n: _judged(rng, n, 0.3, _JUDGED),  # type: ignore[misc]
                0.3 * _JUDGED_MEAN,
                scale=(0.0, 10.0),
            )
            for n in (60, 250)
        ),
        *(
            Cell(
                f"penalties .1/1/5, n = {n}",
                lambda rng, n=n: _light_mqm(rng, n),  # type: ignore[misc]
                0.15 * float(_WEIGHTS @ [0.1, 1.0, 5.0]),
            )
            for n in (120, 500)
        ),
        *(
            Cell(f"five rubric points, n = {n}", lambda rng, n=n: _rubric(rng, n), 0.03)  # type: ignore[misc]
            for n in (80, 300)
        ),
        Cell(
            "lognormal in 8 %, n = 300",
            lambda rng: _apart(
                rng.uniform(0.0, 12.0, 300),
                -np.where(rng.random(300) < 0.08, np.exp(rng.normal(0.0, 0.6, 300)), 0.0),
            ),
            0.08 * math.exp(0.18),
        ),
        Cell(
            "gamma(2) losses, n = 25",
            lambda rng: _apart(rng.normal(0.0, 2.0, 25), 0.5 - rng.gamma(2.0, 0.5, 25)),
            0.5,
        ),
        Cell(
            "Laplace, n = 40",
            lambda rng: _apart(rng.normal(0.0, 2.0, 40), rng.laplace(-0.3, 0.5, 40)),
            0.3,
        ),
        Cell(
            "gamma, 25 × 4 documents",
            lambda rng: _apart(
                rng.normal(size=100),
                -np.repeat(rng.gamma(1.0, 0.3, 25), 4) - rng.normal(0.0, 0.4, 100),
            ),
            0.3,
            _documents(25, 4),
        ),
    ]


def _equals() -> list[Cell]:
    """Return systems that do not differ, at margins that t shows about four times in five."""
    alike = np.array([0.5, 0.5, 0.0, 0.0])
    return [
        *(
            Cell(
                f"normal, n = {n}",
                lambda rng, n=n: _apart(rng.normal(size=n), rng.normal(0.0, 0.2, n)),  # type: ignore[misc]
                0.2 * factor / math.sqrt(n),
            )
            for n, factor in ((15, 2.665), (30, 2.54), (50, 2.5166), (100, 2.501))
        ),
        Cell(
            "normal, 40 × 5 documents",
            lambda rng: _apart(
                rng.normal(size=200),
                np.repeat(rng.normal(0.0, 0.2 * math.sqrt(0.3), 40), 5)
                + rng.normal(0.0, 0.2 * math.sqrt(0.7), 200),
            ),
            0.2 * math.sqrt(0.3 + 0.7 / 5) * 2.5229 / math.sqrt(40),
            _documents(40, 5),
        ),
        Cell(
            "judge 0–10, 40 % change, n = 100",
            lambda rng: _judged(rng, 100, 0.4, alike),
            0.16,
            scale=(0.0, 10.0),
        ),
        Cell(
            "0/100, 3 % each way, n = 300",
            lambda rng: tuple(100.0 * x for x in _answers(rng, 300, 0.03, 0.03)),  # type: ignore[arg-type,return-value]
            3.5,
        ),
        Cell(
            "MQM, 5 % each way, n = 1,000",
            lambda rng: _symmetric_mqm(rng, 1000),
            0.23,
            metric="mqm",
        ),
    ]


def _symmetric_mqm(rng: np.random.Generator, n: int) -> Pair:
    def errors() -> FloatArray:
        weights = rng.choice(_MQM, n, p=[0.7, 0.25, 0.05])
        return np.where(rng.random(n) < 0.05, weights, 0.0)

    return _apart(
        rng.choice([0.0, -1.0, -5.0], n, p=[0.7, 0.2, 0.1]) - 25.0, errors() - errors()
    )


AT_MARGIN, FRESH, EQUALS = _of_page(), _fresh(), _equals()


def at_margin(effort: Effort) -> Rates:
    """Settings of the page; the constants of the rule were chosen on them."""
    return _rates(effort, AT_MARGIN, "True loss at the margin: passes")


def fresh(effort: Effort) -> Rates:
    """Settings that nothing was chosen on."""
    return _rates(effort, FRESH, "True loss at the margin, fresh settings: passes")


def power(effort: Effort) -> Rates:
    """Equal systems, beside t."""
    return _rates(effort, EQUALS, "Systems that do not differ: passes", kind="plain")


def stated(effort: Effort) -> Rates:
    """Equal systems at the median of the margins that they are said to pass in 80 %."""
    shares = [
        [
            _at_the_stated_margin(effort.repeat(_stated, (law, n), f"Stated margin {law}, {n}"))
            for n in ITEMS
        ]
        for law in LAWS
    ]
    title = "Systems that do not differ, at the stated margin: passes"
    columns = tuple(f"{n} items" for n in ITEMS)
    return Rates(title, tuple(LAWS), columns, np.array(shares), effort.trials, kind="plain")


def _stated(at: tuple[str, int], rng: np.random.Generator) -> FloatArray:
    """Return the stated margin, and the least that the data pass."""
    law, n = at
    score = MarginScore.of(LAWS[law](rng, n), np.zeros(n))
    return np.array([score.passable(ALPHA, 0.8), -score.interval(ALPHA).low])


def _at_the_stated_margin(found: FloatArray) -> float:
    stated, least = found.T
    return float((least <= np.median(stated)).mean())


def _rates(effort: Effort, cells: list[Cell], title: str, kind: str = "error") -> Rates:
    shares = [
        effort.repeat(_passes, at, f"{title} {cell.name}").mean(axis=0)
        for at, cell in _numbered(cells)
    ]
    rows = tuple(cell.name for cell in cells)
    columns = (GATE, COMPARE, BY_T)
    return Rates(title, rows, columns, np.array(shares), effort.trials, kind=kind)  # type: ignore[arg-type]


def _numbered(cells: list[Cell]) -> list[tuple[tuple[str, int], Cell]]:
    """Name cells by list and place: functions cannot be sent to other processes."""
    name = next(key for key, one in _LISTS.items() if one is cells)
    return [((name, i), cell) for i, cell in enumerate(cells)]


LAWS: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "normal": lambda rng, n: rng.normal(0.0, 1.0, n),
    "exponential gains": lambda rng, n: rng.exponential(1.0, n) - 1.0,
    "exponential losses": lambda rng, n: 1.0 - rng.exponential(1.0, n),
    "normal, rounded: 38 % ties": lambda rng, n: np.round(rng.normal(0.0, 1.0, n)),
}
ITEMS = (8, 12, 20, 60, 200)
_LISTS = {"page": AT_MARGIN, "fresh": FRESH, "equals": EQUALS}


def _passes(at: tuple[str, int], rng: np.random.Generator) -> FloatArray:
    cell = _LISTS[at[0]][at[1]]
    new, old = cell.draw(rng)
    documents = None if cell.clusters is None else [f"d{c}" for c in cell.clusters]
    scores = Scores.build(
        {"old": old, "new": new}, documents=documents, metric=cell.metric, lower_is_better=False
    )
    known = {"scale": cell.scale, "largest_loss": cell.largest_loss}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # identical scores
        gated = gate(scores, "old", margin=cell.margin, **known)  # type: ignore[arg-type]
        compared = compare(
            scores,
            "mean",
            baseline="old",
            claim="non-inferior",
            margin=cell.margin,
            n_resamples=199,
            n_examples=0,
            rng=1,
            **known,  # type: ignore[arg-type]
        )
    found = cluster_mean(new - old, cell.clusters)
    by_t = found.standard_error > 0.0 and found.p_above(-cell.margin) <= ALPHA
    passed = gated.outcome == "pass", compared.pairs[0].verdict == "non-inferior", by_t
    return np.array(passed, dtype=np.float64)
