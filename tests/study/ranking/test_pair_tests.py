"""All pairs together: max-T against an oracle, how many patterns, and the error of the family."""

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError, DetectableWarning, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.item_scores import mean_parts, system_estimate, unpaired_estimate
from detectable.study.ranking.pair_tests import pair_means
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking
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


# --- Whether pairs of systems are matched by rater, by item or not at all ---


class TestHalfIsEnough:
    """From which share of matched items on pairs are matched, seen from outside."""

    @staticmethod
    def judged_by(n: int, same: int) -> Judgments:
        """Return n items of two systems, `same` of them judged for both by one rater."""
        rng = np.random.default_rng(3)
        rows = []
        for item in range(n):
            other = "ann" if item < same else "bob"
            quality = rng.normal(60.0, 10.0)
            rows += [("a", item, "ann", quality), ("b", item, other, quality + rng.normal())]
        names = ("system", "item", "rater", "score")
        return Judgments.build(dict(zip(names, zip(*rows, strict=True), strict=True)))

    @staticmethod
    def sharing(n: int, shared: int) -> Judgments:
        """Return n items of each of two systems, `shared` of them of both; raters unknown."""
        rng = np.random.default_rng(4)
        items = [*range(n), *range(n - shared, 2 * n - shared)]
        table = {"system": ["a"] * n + ["b"] * n, "item": items}
        return Judgments.build({**table, "score": rng.normal(60.0, 10.0, 2 * n)})

    @pytest.mark.parametrize(
        ("same", "matching", "share"),
        [(11, "rater", "55%"), (10, "rater", "50%"), (9, "item", "45%")],
    )
    def test_raters(self, same: int, matching: str, share: str) -> None:
        ranking = rank_systems(self.judged_by(20, same), rng=1)
        assert ranking.matching == matching
        assert share in ranking.reason
        assert ranking.pairs[0].n == (same if matching == "rater" else 20)

    @pytest.mark.parametrize(
        ("shared", "matching", "test"),
        [(11, "item", "permutation"), (10, "item", "permutation"), (9, "none", "rank-sum")],
    )
    def test_items(self, shared: int, matching: str, test: str) -> None:
        ranking = rank_systems(self.sharing(20, shared), rng=1)
        assert (ranking.matching, ranking.test) == (matching, test)
        assert ranking.pairs[0].n == (shared if matching == "item" else 40)


# --- Mean differences of all pairs at once are those of each pair by itself ---


@pytest.mark.parametrize("seed", range(40))
def test_all_at_once_is_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_pairs = int(rng.integers(4, 60)), int(rng.integers(1, 7))
    d = rng.normal(1, 1, (n, n_pairs))
    d[rng.random((n, n_pairs)) < rng.choice([0.0, 0.3, 0.6])] = np.nan
    strata = None if rng.random() < 0.5 else rng.integers(0, 3, n)
    clusters = None if rng.random() < 0.4 else rng.integers(0, rng.integers(2, 12), n)
    found = pair_means(d, strata, clusters)
    for k, (ours, part) in enumerate(zip(found.estimates, found.swap_parts(), strict=True)):
        wanted = system_estimate(d[:, k], strata, clusters)
        numbers = [ours.value, ours.standard_error, ours.df]
        assert numbers == pytest.approx(
            [wanted.value, wanted.standard_error, wanted.df], rel=1e-9, nan_ok=True
        )
        if np.isfinite(wanted.value):
            assert part.parts.sum() == pytest.approx(wanted.value)
            assert part.shares.sum() == pytest.approx(1.0)


def test_differences_that_are_equal_but_for_rounding_have_no_spread() -> None:
    d = np.array([0.1, 0.2, 0.4, 0.8, 1.6]) + 0.3 - np.array([0.1, 0.2, 0.4, 0.8, 1.6])
    assert np.unique(d).size > 1
    found = pair_means(d[:, None], None, None)
    assert found.estimates[0].standard_error == 0.0
    assert found.swap_parts()[0].estimate().standard_error == 0.0


# --- The tests of pairs against scipy, and means over domains ---

RNG = np.random.default_rng(11)
N = 40
A = RNG.integers(20, 100, N).astype(float)
B = np.clip(A - RNG.integers(-6, 12, N), 0, 100).astype(np.float64)
DOMAIN = np.repeat(["news", "chat"], [30, 10])


def ranked(rows_b: int = N, **options: object) -> Ranking:
    table = {
        "system": ["a"] * N + ["b"] * rows_b,
        "item": [*range(N), *range(rows_b)],
        "domain": [*DOMAIN, *DOMAIN[:rows_b]],
        "score": [*A, *B[:rows_b]],
    }
    return rank_systems(Judgments.build(table), rng=1, **options)  # type: ignore[arg-type]


def test_signed_rank_is_scipys_with_pratts_zeros() -> None:
    assert (A == B).any()  # else there is nothing to treat
    expected = stats.wilcoxon(
        A, B, zero_method="pratt", correction=True, method="asymptotic"
    ).pvalue
    assert ranked(test="signed-rank").pairs[0].p_value == pytest.approx(expected, rel=1e-12)


def test_rank_sum_is_scipys() -> None:
    expected = stats.mannwhitneyu(A, B[:30], method="asymptotic").pvalue
    assert ranked(30, test="rank-sum").pairs[0].p_value == pytest.approx(expected, rel=1e-12)


def test_rank_sum_on_shared_items() -> None:
    found = ranked(30, test="rank-sum-matched").pairs[0]
    expected = stats.mannwhitneyu(A[:30], B[:30], method="asymptotic").pvalue
    assert found.p_value == pytest.approx(expected, rel=1e-12)
    assert found.difference == pytest.approx((A - B)[:30].mean())


def test_the_interval_of_a_t_test_is_students() -> None:
    pair = ranked(test="t").pairs[0]
    expected = stats.ttest_rel(A, B)
    assert pair.interval.to_json() == pytest.approx(
        list(expected.confidence_interval(0.95)), rel=1e-10
    )
    assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert pair.interval == pair.interval_alone


def test_the_interval_of_sign_flips_is_what_they_would_not_reject() -> None:
    d = np.array([4.0, 1.0, 3.0, -1.0, 5.0, 2.0, 2.5, 6.0, -0.5])
    table = {
        "system": np.repeat(["a", "b"], 9),
        "item": [*range(9)] * 2,
        "score": [*(50.0 + d), *([50.0] * 9)],
    }
    pair = rank_systems(Judgments.build(table)).pairs[0]
    signs = np.array(list(itertools.product([-1, 1], repeat=9)))

    def p(shift: float) -> float:
        flips = np.abs(signs @ (d - shift))
        return float(np.mean(flips >= abs((d - shift).sum()) - 1e-9))

    assert pair.p_value == p(0.0)
    low, high = pair.interval.low, pair.interval.high
    assert p(low + 1e-6) > 0.05 >= p(low - 1e-6)
    assert p(high - 1e-6) > 0.05 >= p(high + 1e-6)


def test_stouffer_adds_signed_z_of_domains() -> None:
    z = []
    for name in ("news", "chat"):
        inside = name == DOMAIN
        test = stats.wilcoxon(
            A[inside],
            B[inside],
            zero_method="pratt",
            correction=True,
            method="asymptotic",
        )
        z.append(stats.norm.isf(test.pvalue / 2) * np.sign((A - B)[inside].mean()))
    expected = 2 * stats.norm.sf(abs(sum(z)) / 2**0.5)
    ranking = ranked(test="stouffer")
    assert ranking.pairs[0].p_value == pytest.approx(expected, rel=1e-10)
    by_domain = [(A - B)[name == DOMAIN].mean() for name in ("news", "chat")]
    assert ranking.pairs[0].difference == pytest.approx(np.mean(by_domain))


def test_means_over_domains_have_the_error_of_strata() -> None:
    pair = ranked(average="domains", test="permutation").pairs[0]
    d = A - B
    parts = [d[name == DOMAIN] for name in ("news", "chat")]
    assert pair.difference == pytest.approx(np.mean([x.mean() for x in parts]))
    squared = sum(x.var(ddof=1) / x.size for x in parts) / 4
    assert pair.standard_error == pytest.approx(squared**0.5)


def test_sign_flips_of_a_mean_over_domains_are_exact_with_few_items() -> None:
    scores = {"a": [60.0, 70, 50, 90, 65, 72], "b": [55.0, 71, 40, 80, 66, 60]}
    domain = ["x", "x", "x", "x", "y", "y"]
    table = {
        "system": np.repeat(["a", "b"], 6),
        "item": [*range(6)] * 2,
        "domain": domain * 2,
        "score": [*scores["a"], *scores["b"]],
    }
    ranking = rank_systems(Judgments.build(table), average="domains", test="permutation")
    weights = np.array([1 / 8] * 4 + [1 / 4] * 2)
    d = (np.array(scores["a"]) - scores["b"]) * weights
    flips = np.array(list(itertools.product([-1, 1], repeat=6))) @ d
    expected = np.mean(np.abs(flips) >= abs(d.sum()) - 1e-12)
    assert ranking.pairs[0].p_value == pytest.approx(expected)


def test_without_shared_items_the_error_is_welchs() -> None:
    first, second = np.full((2, 30), np.nan)
    first[:10], second[10:] = A[:10], B[10:30]
    found = unpaired_estimate(first, second, None, None)
    assert found.value == pytest.approx(A[:10].mean() - B[10:30].mean())
    squared = A[:10].var(ddof=1) / 10 + B[10:30].var(ddof=1) / 20
    assert found.standard_error == pytest.approx(squared**0.5)


def test_weights_add_up_to_one_and_influence_to_zero() -> None:
    values = np.where(np.arange(N) % 7 == 0, np.nan, A)
    parts = mean_parts(values, (DOMAIN == "chat").astype(np.int64))
    assert parts.weights.sum() == pytest.approx(1.0)
    assert parts.influence.sum() == pytest.approx(0.0, abs=1e-12)
    assert parts.value == pytest.approx(float(np.nansum(parts.weights * values)))


def test_fully_shared_items_have_the_error_of_paired_differences() -> None:
    found = unpaired_estimate(A, B, None, None)
    expected = stats.ttest_rel(A, B)
    assert found.value / found.standard_error == pytest.approx(expected.statistic)
    assert found.df == expected.df


def test_an_item_in_two_domains_is_refused() -> None:
    table = {
        "system": ["a", "b", "a", "b"],
        "item": [1, 1, 2, 2],
        "domain": ["x", "y", "x", "x"],
        "score": [1, 2, 3, 5],
    }
    with pytest.raises(DataError, match="item '1' is in domain 'x' and in 'y'"):
        rank_systems(Judgments.build(table))
