"""Pairs that a judge saw in both orders: how often they have one outcome, and what the place gives."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from detectable.study.arena.arena import arena
from detectable.study.arena.result import BothOrders
from tests.data.sample_files import write


def table(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """Return pairs in both orders: outcomes of x where it is shown first, and where second."""
    n = first.size
    return {
        "prompt": [f"p{i}" for i in range(n)] * 2,
        "a": ["x"] * n + ["y"] * n,
        "b": ["y"] * n + ["x"] * n,
        "outcome": [*first.tolist(), *(1.0 - second).tolist()],
    }


def orders_of(found: Any) -> BothOrders:
    assert found.orders is not None
    made: BothOrders = found.orders
    return made


def mt_bench(folder: Path, games: list[tuple[str, str]]) -> Path:
    rows = [
        {
            "question_id": i,
            "turn": 1,
            "model_1": "x",
            "model_2": "y",
            "g1_winner": one,
            "g2_winner": two,
            "judge": ["gpt", "pair"],
        }
        for i, (one, two) in enumerate(games)
    ]
    return write(folder, "m.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def test_mt_bench_keeps_both_games(tmp_path: Path) -> None:
    games = [("model_1", "model_1")] * 12 + [("model_1", "model_2")] * 5
    games += [("model_2", "model_1")] * 2 + [("tie", "model_2")]
    result = arena(mt_bench(tmp_path, games))
    found = orders_of(result)
    assert found.n_pairs == 20
    assert (found.share_same, found.first, found.second) == (0.6, 0.25, 0.1)
    gaps = [0.0] * 12 + [1.0] * 5 + [-1.0] * 2 + [0.5]
    assert found.effect == pytest.approx(np.mean(gaps))
    assert found.p_value == pytest.approx(ttest_1samp(gaps, 0.0).pvalue)
    assert "In both orders 60.0% of 20 pairs have one outcome" in result.summary()
    # A disagreement is half a win, as before.
    assert result.n_ties == 8


def test_a_table_in_which_pairs_come_swapped(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    first, second = (
        (rng.random(40) < 0.7).astype(float),
        (rng.random(40) < 0.4).astype(float),
    )
    given = table(first, second)
    lines = [
        ",".join(given),
        *map(",".join, zip(*(map(str, c) for c in given.values()), strict=True)),
    ]
    path = write(tmp_path, "battles.csv", "\n".join([*lines, ""]))
    found = orders_of(arena(path))
    assert found.n_pairs == 40
    assert found.share_same == pytest.approx((first == second).mean())
    assert found.effect == pytest.approx((first - second).mean())


def test_few_pairs_or_one_order_say_nothing(tmp_path: Path) -> None:
    assert (
        arena(mt_bench(tmp_path, [("model_1", "model_1"), ("tie", "model_2")] * 4)).orders
        is None
    )
    one = {
        "prompt": ["p", "q"] * 20,
        "a": ["x"] * 40,
        "b": ["y"] * 40,
        "outcome": [1.0, 0.0] * 20,
    }
    assert arena(one).orders is None


def test_a_judge_that_looks_at_the_place_alone(tmp_path: Path) -> None:
    result = arena(mt_bench(tmp_path, [("model_1", "model_2")] * 15 + [("model_1", "model_1")]))
    found = orders_of(result)
    assert found.effect == pytest.approx(15 / 16)
    assert "whoever is shown first wins 93.8 % more often" in result.summary()
    assert math.isclose(found.first, 15 / 16)
