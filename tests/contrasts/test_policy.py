"""No interval that is shown beside a corrected verdict contradicts it, in any study.

Each study is drawn many times, with effects that are near what it can show. What is compared stands
in its tables, as people see it. Comparisons and rankings of every kind have sweeps of their own:
``tests/study/comparison/test_consistency.py`` and ``tests/study/ranking/test_rank_agreement.py``.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.result import Result
from detectable.report.blocks import DATA_ONLY, ends
from tests.report.shown.shown import table_of

ALPHA = 0.05
Said = tuple[str, tuple[float, float], float, bool]  # who, interval, bound, decided
NAMES = "ABCDE"


def rows_of(
    result: Result, table: str, *, bound: float = 0.0, beyond: str = ""
) -> Iterator[Said]:
    """Return the shown interval of every row, and whether something is said of the bound.

    A row is decided by its verdict, or where a table has none, by its corrected p. `beyond` is the
    verdict that the interval lies beyond the bound, where only one says so.
    """
    found = table_of(result, table)
    shown = [one for one in found.columns if one.keep < DATA_ONLY]
    keys = [one.key for one in found.columns]
    [interval] = [one.key for one in shown if one.kind in ("interval", "shares")]
    says = "verdict" if "verdict" in keys else "p_adjusted"
    for row, given, said in zip(
        found.rows, found.column(interval), found.column(says), strict=True
    ):
        decided = said <= ALPHA if says == "p_adjusted" else said != "undecided"
        decided = said == beyond if beyond else decided
        yield " ".join(str(cell) for cell in row[:3]), ends(given), bound, decided


def contradictions(said: Iterator[Said]) -> tuple[list[Said], set[bool]]:
    """Return the rows whose interval says another thing, and what was decided at all."""
    wrong, found = [], set()
    for one in said:
        _, (low, high), bound, decided = one
        found.add(decided)
        excluded = low > bound or high < bound
        if not math.isnan(low) and excluded != decided:
            wrong.append(one)
    return wrong, found


def judged(
    rng: np.random.Generator, *, systems: int = 4, spread: float = 2.0
) -> dict[str, Any]:
    """Return ratings of documents, half of them first written in the other language."""
    n, raters = 32, 3
    quality, strict = rng.normal(60.0, 10.0, n), rng.normal(0.0, 3.0, raters)
    effect, favour = rng.normal(0.0, spread, systems), rng.normal(0.0, 2.0 * spread, systems)
    cells = [(s, i, r) for s in range(systems) for i in range(n) for r in range(raters)]
    other = [(i // 2) % 2 for i in range(n)]
    scores = [
        quality[i] + effect[s] + favour[s] * other[i] + strict[r] + rng.normal(0.0, 5.0)
        for s, i, r in cells
    ]
    return {
        "system": [NAMES[s] for s, _, _ in cells],
        "item": [f"i{i}" for _, i, _ in cells],
        "document": [f"d{i // 2}" for _, i, _ in cells],
        "rater": [f"r{r}" for *_, r in cells],
        "original_language": [("de", "en")[other[i]] for _, i, _ in cells],
        "score": np.clip(scores, 0.0, 100.0).tolist(),
    }


def fought(rng: np.random.Generator) -> dict[str, Any]:
    """Return battles, half of them about texts first written in the other language."""
    n, k = 500, len(NAMES)
    strength, favour = rng.normal(0.0, 0.4, k), rng.normal(0.0, 0.8, k)
    first = rng.integers(0, k, n)
    second, document = (first + rng.integers(1, k, n)) % k, rng.integers(0, 60, n)
    by = strength + favour * (document % 2)[:, None]
    ahead = by[np.arange(n), first] - by[np.arange(n), second]
    won = rng.random(n) < 1.0 / (1.0 + np.exp(-ahead))
    return {
        "model_a": [NAMES[i] for i in first],
        "model_b": [NAMES[i] for i in second],
        "winner": ["model_a" if one else "model_b" for one in won],
        "document": [f"d{i}" for i in document],
        "original_language": [("de", "en")[i % 2] for i in document],
    }


def tasks(rng: np.random.Generator) -> Iterator[Said]:
    n, k = 40, 5
    difficulty = rng.normal(size=n * k)
    ahead = np.repeat(rng.normal(0.0, 0.5, k), n)
    scores = dt.Scores.build(
        {"old": difficulty, "new": difficulty + ahead + rng.normal(size=n * k)},
        tasks=[f"t{i // n}" for i in range(n * k)],
    )
    correction: Any = str(rng.choice(["holm", "benjamini-hochberg", "none"]))
    yield from rows_of(
        dt.compare(scores, baseline="old", task_correction=correction, rng=1), "tasks"
    )


def arena(rng: np.random.Generator) -> Iterator[Said]:
    yield from rows_of(dt.arena(dt.read_battles(fought(rng)), rng=1), "pairs", bound=0.5)


def meta(rng: np.random.Generator) -> Iterator[Said]:
    human = rng.normal(size=(5, 40)) + rng.normal(0.0, 0.7, (5, 1))

    def of(noise: float, name: str) -> dt.Scores:
        table = human + rng.normal(0.0, noise, human.shape)
        return dt.Scores.build(dict(zip(NAMES, table, strict=True)), metric=name)

    metrics = {f"m{i}": of(0.4 + 0.6 * i, f"m{i}") for i in range(4)}
    yield from rows_of(dt.meta(of(0.0, "human"), metrics, rng=1), "pairs")


def mixed(rng: np.random.Generator) -> Iterator[Said]:
    yield from rows_of(dt.fit_mixed(judged(rng)), "contrasts")


def control_variates(rng: np.random.Generator) -> Iterator[Said]:
    metric = {name: rng.normal(60.0, 8.0, 32) for name in NAMES[:4]}
    scored = dt.Scores.build(metric, items=[f"i{i}" for i in range(32)])
    yield from rows_of(dt.control_variates(judged(rng), scored, quality_share=0.5), "pairs")


def judges(rng: np.random.Generator) -> Iterator[Said]:
    n, k = 80, 4
    right = rng.random((k, n)) < 0.6
    errs = rng.random((k, n)) < np.array([0.02, 0.1, 0.2, 0.35])[:, None]
    judge = {NAMES[s]: np.where(errs[s], 1.0, right[s]) for s in range(k)}
    labels = {
        "system": [NAMES[s] for s in range(k) for _ in range(n)],
        "item": [str(i) for _ in range(k) for i in range(n)],
        "score": right.astype(float).ravel().tolist(),
    }
    scored = dt.Scores.build(judge, items=[str(i) for i in range(n)])
    yield from rows_of(dt.judge_agreement(labels, scored), "pairs")


def effects(rng: np.random.Generator) -> Iterator[Said]:
    yield from rows_of(dt.translationese(judged(rng), language_pair="de-en", rng=1), "effects")


def halves(rng: np.random.Generator) -> Iterator[Said]:
    found = dt.translationese(judged(rng), language_pair="de-en", rng=1)
    for pair in found.pairs:
        decided = pair.p_adjusted <= ALPHA
        yield f"{pair.first} {pair.second}", ends(pair.interval), 0.0, decided


def parity(rng: np.random.Generator) -> Iterator[Said]:
    asked: dict[str, Any] = {"language_pair": "de-en", "human": "A", "margin": 4.0, "rng": 1}
    found = dt.translationese(judged(rng), **asked)
    for row in found.parity:
        low, high = ends(row.interval)
        name = f"{row.measure} {row.half} {row.system}"
        margin = math.nan if row.margin is None else row.margin
        if row.verdict == "inferior":
            yield name, (low, high), -margin, high < -margin
        elif row.verdict is not None:
            yield name, (low, math.inf), -margin, row.verdict == "non-inferior"


def preferences(rng: np.random.Generator) -> Iterator[Said]:
    found = dt.translationese_battles(fought(rng), language_pair="de-en", rng=1)
    yield from rows_of(found, "preferences", bound=0.5)


def shifts(rng: np.random.Generator) -> Iterator[Said]:
    found = dt.translationese_battles(fought(rng), language_pair="de-en", rng=1)
    yield from rows_of(found, "shifts")


def gate(rng: np.random.Generator) -> Iterator[Said]:
    """A row fails below zero, and passes above minus the margin."""
    n, k, margin = 40, 6, 0.4
    old = rng.normal(size=n * k)
    new = old + np.repeat(rng.normal(-0.2, 0.3, k), n) + rng.normal(size=n * k)
    names = [f"t{i // n}" for i in range(n * k)]
    made = [dt.Scores.build({"s": one}, tasks=names) for one in (new, old)]
    found = dt.gate(*made, margin=margin, higher_is_better=["score"])
    for row in found.rows:
        low, high = ends(row.interval)
        yield f"{row.task} lost", (-math.inf, high), 0.0, row.p_worse_adjusted <= ALPHA
        yield f"{row.task} kept", (low, math.inf), -margin, row.p_margin <= ALPHA
        if row.difference < -margin:
            yield f"{row.task} beyond", (-math.inf, high), -margin, row.p_inferior <= ALPHA


def looks(rng: np.random.Generator) -> Iterator[Said]:
    """Three systems against one: every look says, and the conclusion says again."""
    n, ahead = 90, (0.0, *rng.normal(0.0, 3.0, 3))
    base = rng.normal(60.0, 10.0, n)
    scores = [base + one + rng.normal(0.0, 6.0, n) for one in ahead]
    test: Any = str(rng.choice(["paired-mean", "signed-rank", "sign-flip"]))
    with TemporaryDirectory() as folder:
        frozen = dt.plan(
            f"{folder}/p.json",
            n_max=n,
            systems=list(NAMES[:4]),
            baseline="A",
            looks=3,
            test=test,
        )
        for many in (30, 60, 90):
            table = {
                "system": [NAMES[s] for s in range(4) for _ in range(many)],
                "item": [f"i{i}" for _ in range(4) for i in range(many)],
                "score": np.concatenate([np.clip(one[:many], 0.0, 100.0) for one in scores]),
            }
            found = dt.look(frozen, table)
            for pair in found.pairs:
                if pair.interval is not None and pair.tested:
                    name = f"look {found.look} {pair.system}"
                    yield name, ends(pair.interval), 0.0, pair.verdict != "undecided"
            if found.decision not in ("continue", "stop: futile"):
                break
        for row in dt.conclude(frozen).pairs:
            if row.interval is not None and not math.isnan(row.p_adjusted):
                yield (
                    f"concluded {row.system}",
                    ends(row.interval),
                    0.0,
                    row.verdict != "undecided",
                )


STUDIES: dict[str, Callable[[np.random.Generator], Iterator[Said]]] = {
    one.__name__: one
    for one in (
        *(tasks, arena, meta, mixed, control_variates, judges),
        *(effects, halves, parity, preferences, shifts, gate, looks),
    )
}


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 120), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", STUDIES)
def test_no_interval_contradicts_its_corrected_verdict(name: str, seeds: range) -> None:
    wrong, decided = [], set()
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dt.DetectableWarning)
            found, told = contradictions(STUDIES[name](np.random.default_rng(seed)))
        wrong += [(seed, *one) for one in found]
        decided |= told
    assert wrong == []
    assert decided == {True, False}  # or nothing was tried
