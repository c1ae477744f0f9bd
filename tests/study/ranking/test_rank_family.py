"""All pairs together: max-T against an oracle, how many patterns, and the error of the family."""

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DetectableWarning, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.rank_systems import rank_systems
from tests.study.ranking.test_rank_systems import THREE, crossed, judged


def of_documents(means: FloatArray, sizes: IntArray | None = None) -> Judgments:
    """Return one score per system and segment; all segments of a document have its mean."""
    n_systems, n_documents = means.shape
    counts = np.ones(n_documents, np.int64) if sizes is None else sizes
    document = np.repeat(np.arange(n_documents), counts)
    system, item = (axis.ravel() for axis in np.indices((n_systems, document.size)))
    return Judgments.build(
        {
            "system": system,
            "item": item,
            "document": document[item],
            "score": means[system, document[item]],
        },
        scale=(-1000.0, 1000.0),
    )


def oracle(sums: FloatArray) -> FloatArray:
    """Return step-down max-T p-values over all sign patterns, by the book."""
    n, m = sums.shape
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    scale = np.sqrt(np.square(sums).sum(axis=0))
    null, seen = np.abs(signs @ sums) / scale, np.abs(sums.sum(axis=0)) / scale
    order = np.argsort(-seen, kind="stable")
    p, least = np.empty(m), 0.0
    for i, k in enumerate(order):
        largest = null[:, order[i:]].max(axis=1)
        least = max(least, float(np.mean(largest >= seen[k] - 1e-9)))
        p[k] = least
    return p


@pytest.mark.parametrize("seed", range(4))
def test_max_t_is_that_of_the_book(seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 1, (4, 8)) + np.array([0.0, 0.5, 1.0, 2.0])[:, None]
    sizes = rng.integers(1, 5, 8)
    ranking = rank_systems(of_documents(means, sizes))
    assert (ranking.correction, ranking.exact) == ("max-t", True)
    sums = np.stack(
        [sizes * (means[int(p.better)] - means[int(p.worse)]) for p in ranking.pairs], axis=1
    )
    assert [p.p_adjusted for p in ranking.pairs] == pytest.approx(oracle(sums).tolist())
    alone = [oracle(sums[:, [k]])[0] for k in range(6)]
    assert [p.p_value for p in ranking.pairs] == pytest.approx(alone)


def test_a_count_of_all_patterns_does_not_depend_on_the_seed() -> None:
    table = judged(crossed(THREE, documents=12, spread=20.0))
    first, second = (rank_systems(table, rng=seed).to_dict() for seed in (1, 2))
    for found in (first, second):
        assert "|R:all|" in found.pop("signature")
    assert first == second


def test_holm_draws_as_many_patterns_as_its_pairs_need() -> None:
    table = judged(crossed(THREE, documents=30, segments=1))
    assert rank_systems(table, rng=1).n_resamples == 9_999
    assert rank_systems(table, rng=1, correction="none").n_resamples == 9_999
    holm = rank_systems(table, rng=1, correction="holm", alpha=0.01)
    assert holm.n_resamples == 50 * 3 * 100 - 1
    # Margins have no joint null, so that they are corrected by Holm beside max-T.
    assert rank_systems(table, rng=1, margin=2.0, alpha=0.01).n_resamples == 50 * 3 * 100 - 1
    with pytest.raises(InputError, match="`n_resamples` must be at least 59 for Holm"):
        rank_systems(table, rng=1, correction="holm", n_resamples=58)
    assert rank_systems(table, rng=1, correction="holm", n_resamples=59).n_resamples == 59


def test_simultaneous_intervals_are_wider_than_those_of_a_pair_alone() -> None:
    ranking = rank_systems(judged(crossed(THREE, documents=12, spread=20.0)))
    for pair in ranking.pairs:
        assert pair.interval.level == pair.interval_alone.level == 0.95
        together = pair.interval.high - pair.interval.low
        assert together > pair.interval_alone.high - pair.interval_alone.low


def family_error(
    n_systems: int, n_documents: int, *, trials: int, seed: int, **options: Any
) -> tuple[float, str, str]:
    """Return how often any of equal systems is told apart; a third of the spread is the document's."""
    found, made = 0, None
    for rng in np.random.default_rng(seed).spawn(trials):
        sizes = np.maximum(1, np.round(np.exp(rng.normal(1.2, 0.8, n_documents)))).astype(int)
        document = np.repeat(np.arange(n_documents), sizes)
        means = rng.normal(0, math.sqrt(0.3), (n_systems, n_documents))[:, document]
        scores = means + rng.normal(0, math.sqrt(0.7), means.shape)
        system, item = (axis.ravel() for axis in np.indices(scores.shape))
        table = Judgments.build(
            {
                "system": system,
                "item": item,
                "document": document[item],
                "score": scores.ravel(),
            },
            scale=(-100.0, 100.0),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DetectableWarning)
            made = rank_systems(table, rng=rng, **options)
        found += made.n_significant > 0
    assert made is not None
    return found / trials, made.test, made.unit


def most(trials: int, nominal: float = 0.05) -> float:
    return nominal + 3 * math.sqrt(nominal * (1 - nominal) / trials)


@pytest.mark.slow
@pytest.mark.parametrize(("n_systems", "n_documents"), [(2, 3), (2, 5), (4, 3), (4, 6)])
def test_few_documents_by_t_keep_the_level_of_the_family(
    n_systems: int, n_documents: int
) -> None:
    rate, test, unit = family_error(n_systems, n_documents, trials=500, seed=11)
    assert (test, unit) == ("t", "document")
    assert rate <= most(500)


@pytest.mark.slow
def test_items_as_units_err_four_times_as_often() -> None:
    # What few documents were tested by before: it has to be asked for now.
    rate, test, unit = family_error(2, 5, trials=500, seed=11, unit="item")
    assert (test, unit) == ("permutation", "item")
    assert rate > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("n_documents", [8, 10])
def test_max_t_keeps_the_level_of_the_family(n_documents: int) -> None:
    rate, test, _ = family_error(4, n_documents, trials=500, seed=12)
    assert test == "permutation"
    assert rate <= most(500)
