"""The mean over tasks: limits of MOVER, p-values from them, and how often it is wrong."""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.kernels.distributions import binomial_at_most
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.overall import Mean
from tests.helpers import reference_data

ALPHA = 0.05


@cache
def counts(n: int, fixed: int, broken: int) -> Evidence:
    """Return what a task says of which so many answers were mended and broken."""
    new, old = np.zeros(n), np.zeros(n)
    new[:fixed] = 1.0
    old[fixed : fixed + broken] = 1.0
    return Evidence.of(new, old, clusters=None, answers=1.0, zero_one=True, sign=1.0)


@cache
def low(n: int, fixed: int, broken: int) -> float:
    return counts(n, fixed, broken).score.interval(ALPHA).low


@given(
    tables=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=3),
    bound=st.floats(-0.3, 0.3),
)
def test_p_and_limit_are_of_one_test(tables: list[tuple[int, int]], bound: float) -> None:
    parts = tuple(counts(40, *table) for table in tables)
    mean = Mean(parts, (1.0 / len(parts),) * len(parts))
    above, below = mean.p_above(bound), mean.p_below(bound)
    assert above + below == pytest.approx(1.0)
    for level in (0.01, 0.05, 0.2):
        found = mean.interval(level)
        if abs(found.low - bound) > 1e-9:
            assert (found.low > bound) == (above < level)
        if abs(found.high - bound) > 1e-9:
            assert (found.high < bound) == (below < level)


def test_one_task_is_its_own_mean() -> None:
    one = counts(60, 3, 7)
    mean = Mean((one,), (1.0,))
    assert mean.interval(0.05).to_json() == pytest.approx(one.score.interval(0.05).to_json())
    for bound in (-0.2, -0.05, 0.0, 0.1):
        assert mean.p_above(bound) == pytest.approx(one.score.p_above(bound), abs=1e-6)


def test_the_mirror_image() -> None:
    ahead = Mean((counts(50, 8, 3), counts(50, 2, 1)), (0.5, 0.5))
    behind = Mean((counts(50, 3, 8), counts(50, 1, 2)), (0.5, 0.5))
    assert ahead.value == pytest.approx(-behind.value)
    assert ahead.p_above(0.02) == pytest.approx(behind.p_below(-0.02))
    assert ahead.interval(0.05).high == pytest.approx(-behind.interval(0.05).low)


def cases(section: str) -> list[dict[str, Any]]:
    text = reference_data("gold", "live.json").read_text(encoding="utf-8")
    return [one for one in json.loads(text)["entries"] if one["section"] == section]


def drawn(
    n: int, agreement: float, difference: float, sims: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many answers were mended and broken, in many evaluations."""
    fixed = (1.0 - agreement + difference) / 2.0
    x = rng.multinomial(n, [fixed, 1.0 - agreement - fixed, agreement], size=sims)
    return x[:, 0], x[:, 1]


def limits(tasks: list[tuple[int, np.ndarray, np.ndarray]], weights: np.ndarray) -> np.ndarray:
    """Return the lower limits of the mean in many evaluations."""
    value = down = 0.0
    for (n, fixed, broken), w in zip(tasks, weights, strict=True):
        d = (fixed - broken) / n
        own = np.array(
            [low(n, *pair) for pair in zip(fixed.tolist(), broken.tolist(), strict=True)]
        )
        value, down = value + w * d, down + (w * (d - own)) ** 2
    found: np.ndarray = value - np.sqrt(down)
    return found


# What the cases of gold/live.json are: agreement and differences of their tasks.
SETTINGS = {
    "loss = margin": (0.85, -0.05),
    "loss = margin, few differ": (0.95, -0.05),
    "loss = margin, 10 tasks": (0.9, -0.05),
    "unchanged": (0.85, 0.0),
    "unchanged, few differ": (0.95, 0.0),
    "unchanged, 10 tasks": (0.9, 0.0),
}


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("case", SETTINGS)
def test_how_often_a_mean_passes(case: str) -> None:
    (gold,) = (one for one in cases("overall rows") if one["settings"]["case"] == case)
    sizes, margin = gold["settings"]["sizes"], gold["settings"]["margin"]
    rng, sims = np.random.default_rng(21), 4000
    agreement, difference = SETTINGS[case]
    tasks = [(n, *drawn(n, agreement, difference, sims, rng)) for n in sizes]
    for how, weights in (("macro", np.ones(len(sizes))), ("micro", np.array(sizes))):
        passed = float((limits(tasks, weights / weights.sum()) > -margin).mean())
        within = gold["tolerance"]["shares_within"]
        assert passed == pytest.approx(gold["value"][f"{how}, mover"], abs=within), how
        if difference:  # a false pass
            assert passed <= ALPHA + 2.0 * math.sqrt(ALPHA * (1.0 - ALPHA) / sims)


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.parametrize("case", ["unchanged", "one of 10 tasks lost 15 points"])
def test_how_often_a_lost_task_has_its_veto(case: str) -> None:
    (gold,) = (
        one for one in cases("overall with a veto of tasks") if one["settings"]["case"] == case
    )
    rng, sims, n = np.random.default_rng(22), 4000, 60
    agreement, first = (0.9, 0.0) if case == "unchanged" else (0.85, -0.15)
    tasks = [
        (n, *drawn(n, agreement, first if place == 0 else 0.0, sims, rng))
        for place in range(10)
    ]
    passed = limits(tasks, np.full(10, 0.1)) > -0.05
    p = np.array(
        [
            [
                binomial_at_most(b, b + c, 0.5) if b + c else 1.0
                for b, c in zip(*pair, strict=True)
            ]
            for pair in ((fixed.tolist(), broken.tolist()) for _, fixed, broken in tasks)
        ]
    )
    fails = p.min(axis=0) * 10 <= ALPHA
    within = gold["tolerance"]["shares_within"]
    assert float(passed.mean()) == pytest.approx(gold["value"]["overall_pass"], abs=within)
    assert float(fails.mean()) == pytest.approx(gold["value"]["some_task_fails"], abs=within)
    vetoed = float((passed & ~fails).mean())
    assert vetoed == pytest.approx(gold["value"]["pass_with_veto"], abs=within)
