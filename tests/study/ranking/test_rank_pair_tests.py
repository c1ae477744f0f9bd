"""The tests of pairs against scipy, and means over domains."""

import itertools

import numpy as np
import pytest
from scipy import stats

from detectable.core.errors import DataError
from detectable.data.human.judgments import Judgments
from detectable.study.ranking.item_scores import mean_parts, unpaired_estimate
from detectable.study.ranking.rank_systems import rank_systems
from detectable.study.ranking.ranking import Ranking

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
