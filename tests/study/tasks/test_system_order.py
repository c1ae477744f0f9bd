"""Orders of systems: random, and balanced over places within a rater."""

from collections import Counter

import numpy as np
import pytest

from detectable.study.tasks.segment_tasks import SystemOrder


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_however_many_items_counts_of_a_place_differ_by_one(n: int) -> None:
    names = [f"S{i}" for i in range(n)]
    orders = SystemOrder(names, np.random.default_rng(3))
    at: dict[int, Counter[str]] = {place: Counter() for place in range(n)}
    for _ in range(5 * n + 2):
        order = orders.next()
        assert sorted(order) == names
        for place, name in enumerate(order):
            at[place][name] += 1
        for counts in at.values():
            times = [counts[name] for name in names]
            assert max(times) - min(times) <= 1


def test_every_order_comes_by_chance() -> None:
    """The first order of 6,000 raters: each of six orders within four standard errors."""
    runs = 6000
    first = Counter(
        SystemOrder(["A", "B", "C"], np.random.default_rng(seed)).next() for seed in range(runs)
    )
    error = (runs * (1 / 6) * (5 / 6)) ** 0.5
    assert len(first) == 6
    assert all(abs(times - runs / 6) < 4 * error for times in first.values())


def test_a_new_order_is_drawn_for_every_square() -> None:
    orders = SystemOrder(["A", "B", "C", "D"], np.random.default_rng(1))
    # Rotations keep who follows whom: were there one square only, A would have one follower.
    cycles = set()
    for _ in range(10):
        square = [orders.next() for _ in range(4)]
        cycles |= {one[(one.index("A") + 1) % 4] for one in square}
    assert cycles == {"B", "C", "D"}
