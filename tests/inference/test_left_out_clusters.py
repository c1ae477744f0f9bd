"""Leaving out clusters: one step each, computed anew; effective clusters against gold/repairs.json."""

import time

import numpy as np
import pytest

from detectable.core.types import FloatArray, IntArray
from detectable.inference.battle_votes import (
    Davidson,
    HalfTies,
    Model,
    RaoKupper,
    Votes,
    cells_of,
    plain_votes,
)
from detectable.inference.bradley_terry import (
    Fit,
    _newton,
    clustered,
    fit_strengths,
    left_out,
    parts_at,
)
from detectable.inference.left_out_clusters import effective_clusters
from tests.gold_repairs import repairs


def drawn(
    rng: np.random.Generator, *, k: int, n: int, clusters: int, effects: int = 0
) -> tuple[Votes, IntArray]:
    """Return votes with weights, in clusters of very different size."""
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    shares = 1.0 / np.arange(1.0, clusters + 1)
    of = rng.choice(clusters, n, p=shares / shares.sum())
    made = plain_votes(
        k,
        a,
        b,
        rng.choice([0.0, 0.5, 1.0], n),
        rng.random(n) + 0.5,
        rng.normal(size=(n, effects)),
    )
    return made, np.unique(of, return_inverse=True)[1]


def one_at_a_time(votes: Votes, model: Model, fit: Fit, clusters: IntArray) -> FloatArray:
    """Return CR3 by its definition."""
    _, whole = _newton(votes, parts_at(votes, model, fit))
    k = votes.n_systems
    whole[:k, :k] += np.trace(whole[:k, :k]) / k**2
    n = int(clusters.max()) + 1
    found = np.zeros_like(whole)
    for c in range(n):
        own = votes.take(np.flatnonzero(clusters == c))
        score, information = _newton(own, parts_at(own, model, fit))
        moved = np.linalg.pinv(whole - information, rcond=1e-8, hermitian=True) @ score
        moved[:k] -= moved[:k].mean()
        found += np.outer(moved, moved)
    return found * (n - 1) / n


@pytest.mark.parametrize("model", [HalfTies(), Davidson(), RaoKupper()])
@pytest.mark.parametrize(
    ("k", "n", "clusters", "effects"),
    [(5, 300, 40, 0), (5, 300, 90, 2), (12, 400, 200, 1), (4, 200, 3, 0)],
)
def test_leaving_out_is_one_step_of_newton(
    model: Model, k: int, n: int, clusters: int, effects: int
) -> None:
    votes, of = drawn(np.random.default_rng(3), k=k, n=n, clusters=clusters, effects=effects)
    fit = fit_strengths(votes, model)
    found = left_out(votes, model, fit, of)
    assert found == pytest.approx(one_at_a_time(votes, model, fit, of), abs=1e-12)
    assert np.diag(found)[:k].min() > 0.0


def test_every_vote_alone_is_divided_by_what_it_leaves() -> None:
    votes, _ = drawn(np.random.default_rng(4), k=4, n=80, clusters=5)
    fit, alone = fit_strengths(votes), np.arange(80)
    found = left_out(votes, HalfTies(), fit, alone)
    assert found == pytest.approx(one_at_a_time(votes, HalfTies(), fit, alone), abs=1e-12)


@pytest.mark.parametrize("rows", [2, 9])
def test_a_system_known_from_one_cluster_stays_where_it_is(rows: int) -> None:
    """Without that cluster nothing is known of it; by votes (2) and by parameters (9)."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, 60), np.zeros(60, dtype=np.int64)
    b = (a + rng.integers(1, 3, 60)) % 3
    votes = plain_votes(
        4,
        np.concatenate([a, np.full(rows, 3)]),
        np.concatenate([b, np.arange(rows) % 3]),
        np.concatenate([rng.choice([0.0, 1.0], 60), np.arange(rows) % 2]),
    )
    of = np.concatenate([np.arange(60) % 12, np.full(rows, 12)])
    fit = fit_strengths(votes)
    found = left_out(votes, HalfTies(), fit, of)
    assert found == pytest.approx(one_at_a_time(votes, HalfTies(), fit, of), abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "sizes"),
    [("equal 12", [1.0] * 12), ("one half of 40", [39.0] + [1.0] * 39)],
)
def test_effective_clusters_of_two_systems_go_by_votes(name: str, sizes: list[float]) -> None:
    of = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=int))
    votes = plain_votes(2, np.zeros(of.size, int), np.ones(of.size, int), np.ones(of.size))
    found = effective_clusters(votes, 0.25 * votes.weight, of)
    assert (
        found[0, 1]
        == found[1, 0]
        == pytest.approx(repairs(f"effective voters/{name}"), abs=1e-6)
    )


@pytest.mark.golden
def test_effective_clusters_go_by_weights() -> None:
    votes = plain_votes(
        2, np.zeros(12, int), np.ones(12, int), np.ones(12), 1 / np.arange(1, 13.0)
    )
    found = effective_clusters(votes, votes.weight, np.arange(12))
    assert found[0, 1] == pytest.approx(repairs("effective voters/zipf 1 of 12"), abs=1e-6)
    # With two systems a taste of the cluster weighs with the square of its votes.
    squared = 1 / np.arange(1, 13.0) ** 2
    mixed = 0.5 * votes.weight / votes.weight.sum() + 0.5 * squared / squared.sum()
    found = effective_clusters(votes, votes.weight, np.arange(12), tastes=0.5)
    assert found[0, 1] == pytest.approx(1.0 / (mixed**2).sum())


@pytest.mark.parametrize("tastes", [0.0, 0.5])
def test_effective_clusters_by_their_definition(tastes: float) -> None:
    votes, of = drawn(np.random.default_rng(6), k=5, n=300, clusters=20)
    each = votes.weight * 0.2
    inverse = np.linalg.pinv(votes.information(each))
    parts = [
        votes.take(np.flatnonzero(of == c)).information(each[of == c])
        for c in range(int(of.max()) + 1)
    ]
    found = effective_clusters(votes, each, of, tastes=tastes)
    for i in range(5):
        assert np.isnan(found[i, i])
        for j in range(i):
            x = inverse[i] - inverse[j]
            line = np.array([x @ part @ x for part in parts])
            square = np.array([((part @ x) ** 2).sum() for part in parts])
            gamma = (1 - tastes) * line / line.sum() + tastes * square / square.sum()
            assert found[i, j] == pytest.approx(1.0 / (gamma**2).sum())


def test_of_many_systems_those_on_the_fewest_clusters_are_looked_at() -> None:
    votes, of = drawn(np.random.default_rng(7), k=45, n=4000, clusters=60)
    found = effective_clusters(votes, votes.weight, of)
    assert np.isnan(found).all(axis=1).sum() == 5
    few = votes.take(np.arange(votes.n))
    assert np.nanmin(effective_clusters(few, few.weight, of)) == np.nanmin(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "n", "clusters"),
    [
        (20, 200_000, 200),
        (20, 200_000, 40_000),
        (60, 300_000, 1000),
        (60, 300_000, 60_000),
        (100, 300_000, 100_000),
    ],
)
def test_leaving_out_takes_at_most_three_times_as_long(k: int, n: int, clusters: int) -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(0, k, n)
    votes = plain_votes(k, a, (a + rng.integers(1, k, n)) % k, rng.choice([0.0, 1.0], n))
    of = np.unique(rng.integers(0, clusters, n), return_inverse=True)[1]
    fit, model = fit_strengths(cells_of(votes)), HalfTies()
    best = []
    for how in (clustered, left_out):
        times = []
        for _ in range(5):
            began = time.process_time()
            how(votes, model, fit, of)
            times.append(time.process_time() - began)
        best.append(min(times))
    assert best[1] <= 3.0 * best[0]
