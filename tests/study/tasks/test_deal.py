"""Degraded copies are dealt evenly over systems, within every rater."""

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.study.tasks.controls import deal_evenly
from detectable.study.tasks.make_tasks import make_tasks
from detectable.study.tasks.result import Tasks
from tests.study.tasks.texts import documents_corpus

TASKS = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=3)


def _spread(totals: Counter[str], names: str) -> int:
    """Return the sum of squares: least where the totals are most even."""
    return sum(totals[name] ** 2 for name in names)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.integers(0, 99), st.integers(0, 4))
def test_no_other_deal_is_more_even(tasks: list[list[int]], seed: int, most: int) -> None:
    available = [dict(zip("ABC", task, strict=True)) for task in tasks]
    wanted = [min(most, sum(task)) for task in tasks]
    dealt = deal_evenly(available, wanted, Counter(), np.random.default_rng(seed))
    assert [sum(task.values()) for task in dealt] == wanted
    for task, limit in zip(dealt, available, strict=True):
        assert all(0 <= n <= limit[name] for name, n in task.items())
    every = [
        [
            Counter(hand)
            for hand in combinations_with_replacement("ABC", n)
            if all(hand.count(name) <= limit[name] for name in "ABC")
        ]
        for n, limit in zip(wanted, available, strict=True)
    ]
    best = min(_spread(sum(deal, Counter()), "ABC") for deal in product(*every))
    assert _spread(sum(dealt, Counter()), "ABC") == best


def test_who_gets_one_more_is_random() -> None:
    extra = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        [task] = deal_evenly([{"A": 9, "B": 9, "C": 9}], [4], Counter(), rng)
        extra.add(task.most_common(1)[0][0])
    assert extra == {"A", "B", "C"}


def test_raters_together_are_even_as_well() -> None:
    made = make_tasks(documents_corpus([120], 3), rng=1)
    counts = made.degraded_by_system.values()
    assert made.n_raters == 6
    assert max(counts) - min(counts) <= 1


def _by_rater(tasks: Tasks, systems: int) -> dict[str, list[int]]:
    found: dict[str, Counter[str]] = {}
    for row in tasks.rows:
        found.setdefault(row.rater, Counter())[row.system] += row.kind == "degraded"
    return {rater: [seen[f"S{i}"] for i in range(systems)] for rater, seen in found.items()}


@pytest.mark.parametrize("systems", [2, 3, 7, 20])
@pytest.mark.parametrize("raters", [None, 2])
@pytest.mark.parametrize("assignment", ["paired", "random"])
def test_sentences_are_degraded_evenly(
    systems: int, raters: int | None, assignment: str
) -> None:
    for seed in range(5):
        corpus = documents_corpus([120], systems)
        made = make_tasks(corpus, assignment=assignment, raters=raters, rng=seed)  # type: ignore[arg-type]
        for counts in _by_rater(made, systems).values():
            assert max(counts) - min(counts) <= 1, (seed, counts)


@pytest.mark.parametrize("systems", [2, 3])
@pytest.mark.parametrize("length", [4, 7, 12, 35])
def test_documents_are_degraded_evenly(systems: int, length: int) -> None:
    """Ten lines of a system are copied at least: its share of ten degraded ones always fits."""
    for seed in range(5):
        made = make_tasks(
            documents_corpus([length] * 12, systems), kind="document", raters=2, rng=seed
        )
        for counts in _by_rater(made, systems).values():
            assert max(counts) - min(counts) <= 1, (seed, counts)


def test_a_task_has_copies_of_several_systems() -> None:
    """Documents as long as all copies together: formerly one of them took the whole room."""
    for seed in range(5):
        made = make_tasks(documents_corpus([30] * 6), kind="document", rng=seed)
        for rows in made.by_task().values():
            copied = Counter(row.system for row in rows if row.kind != "system")
            systems = {row.system for row in rows if row.kind == "system"}
            assert set(copied) == systems, (seed, copied)


def test_the_result_counts_by_system() -> None:
    made = make_tasks(documents_corpus([70], 3), rng=1)
    counts = Counter(row.system for row in made.rows if row.kind == "degraded")
    assert made.degraded_by_system == counts
    assert sum(made.degraded_by_system.values()) == made.counts["degraded"]
    assert made.to_dict()["degraded_by_system"] == dict(made.degraded_by_system)


def test_a_system_without_degraded_copies_counts_as_none() -> None:
    made = make_tasks(documents_corpus([1], 40), rng=1)
    assert len(made.degraded_by_system) == 40
    assert 0 in made.degraded_by_system.values()
