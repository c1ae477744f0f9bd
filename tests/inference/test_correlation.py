"""Correlations of many lists at once."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from detectable.core.choices import PairStatistic
from detectable.core.errors import InputError
from detectable.inference import correlation as tie_calibration
from detectable.inference.correlation import (
    TieCalibration,
    correlation_of_sums,
    kendall,
    moments,
    normal_p,
    pair_signs,
    pearson,
    permutation_p,
    rank_order,
    soft_accuracy,
    spearman,
    weighted_pearson,
    weighted_ranks,
    williams,
)
from tests.gold_evals import evals
from tests.helpers import reference_data


@pytest.mark.parametrize("ties", [False, True])
def test_they_are_those_of_scipy(ties: bool) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 20, 9))
    if ties:
        x, y = x.round(0), y.round(0)
    for row in range(20):
        assert pearson(x, y)[row] == pytest.approx(stats.pearsonr(x[row], y[row])[0])
        assert spearman(x, y)[row] == pytest.approx(stats.spearmanr(x[row], y[row])[0])
        assert kendall(x, y)[row] == pytest.approx(stats.kendalltau(x[row], y[row])[0])


def test_a_constant_list_goes_with_nothing() -> None:
    flat, steep = np.ones(4), np.arange(4.0)
    for correlate in (pearson, spearman, kendall):
        assert np.isnan(correlate(flat, steep))
        assert np.isnan(correlate(steep, flat))
        assert correlate(steep, steep) == pytest.approx(1.0)
        assert correlate(steep, -steep) == pytest.approx(-1.0)


def test_small_numbers_go_together_as_large_ones_do() -> None:
    x, y = np.random.default_rng(2).normal(size=(2, 9))
    assert pearson(1e-4 * x, 1e-3 * y) == pytest.approx(float(pearson(x, y)))


@pytest.mark.golden
@pytest.mark.parametrize("score", ["z", "raw"])
def test_forward_and_reverse_scores_of_hassan_2018(score: str) -> None:
    gold = json.loads(reference_data("gold", "graham.json").read_text())["hassan2018"]
    forward, reverse = (gold[half]["systems"] for half in ("forward", "reverse"))
    x, y = (
        np.array([half[name][score] for name in sorted(forward)]) for half in (forward, reverse)
    )
    want = gold[f"fwd_rev_correlation_{score}"]
    assert pearson(x, y) == pytest.approx(want["pearson"], abs=1e-12)
    assert spearman(x, y) == pytest.approx(want["spearman"], abs=1e-12)
    assert kendall(x, y) == pytest.approx(want["kendall"], abs=1e-12)
    if score == "z":
        found = [float(f(x, y).round(3)) for f in (pearson, spearman, kendall)]
        assert found == [0.849, 0.783, 0.611]


# --- Weights are repetitions ---


@given(st.integers(0, 10_000))
def test_repeated_members_give_the_same_correlations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 9).astype(float), rng.normal(size=9)
    weights = rng.integers(0, 4, 9).astype(float)
    again = [np.repeat(v, weights.astype(int)) for v in (x, y)]
    if again[0].size < 3 or np.ptp(again[0]) == 0:
        assert np.isnan(weighted_pearson(weights, x, y)) or again[0].size >= 2
        return
    plain = float(np.corrcoef(again[0], again[1])[0, 1])
    assert weighted_pearson(weights, x, y) == pytest.approx(plain, abs=1e-9)
    ranks = [weighted_ranks(weights[None], *rank_order(v))[0] for v in (x, y)]
    want = stats.spearmanr(*again).statistic
    assert weighted_pearson(weights, *ranks) == pytest.approx(want, abs=1e-9)
    parts, top = moments(x, y)
    sums = parts @ weights
    assert correlation_of_sums(sums, top * sums[0]) == pytest.approx(plain, abs=1e-9)


def test_a_constant_list_has_no_correlation_whatever_its_digits() -> None:
    flat, other = np.full(7, 0.1), np.arange(7.0)
    assert np.isnan(weighted_pearson(np.ones(7), flat, other))
    assert np.isnan(weighted_pearson(np.ones(7), other, flat))
    parts, top = moments(flat, other)
    sums = parts.sum(axis=1)
    assert np.isnan(correlation_of_sums(sums, top * sums[0]))


def test_mid_ranks_count_half_of_their_equals() -> None:
    values = np.array([5.0, 1.0, 5.0, 2.0])
    ranks = weighted_ranks(np.array([[1.0, 2.0, 3.0, 1.0]]), *rank_order(values))
    assert ranks.tolist() == [[5.0, 1.0, 5.0, 2.5]]


# --- Williams' test against the unit test of mt-metrics-eval ---


@pytest.mark.golden
def test_the_unit_test_of_mt_metrics_eval() -> None:
    human = np.array([1.0, 2, 3, 4, 5])
    one, other = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    r = [
        float(np.corrcoef(a, b)[0, 1]) for a, b in ((one, human), (other, human), (one, other))
    ]
    found = [williams(r[0], r[1], r[2], 5), r[0], r[1]]
    assert found == pytest.approx(evals("mtme.williams_tiny"), rel=1e-6)


def test_both_sides_add_up_to_one() -> None:
    assert williams(0.6, 0.5, 0.7, 30) + williams(0.5, 0.6, 0.7, 30) == pytest.approx(1.0)
    assert williams(0.5, 0.5, 1.0, 30) == 0.5


def test_too_few() -> None:
    with pytest.raises(InputError, match="`n` must be at least 4"):
        williams(0.5, 0.4, 0.3, 3)


# --- Kendall's statistics against scipy, and the unit tests of mt-metrics-eval ---

GOLD, METRIC = np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]])


def value(
    first: np.ndarray, second: np.ndarray, which: PairStatistic, epsilon: float = 0.0
) -> float:
    signs = pair_signs(first, second, epsilon=epsilon)
    return float(signs.counts(first, second).value(which)[0])


@pytest.mark.parametrize(
    ("which", "epsilon", "want"),
    [("kendall", 0, 0.316227766), ("kendall-c", 0, 0.32), ("tau23", 0, 0.2), ("acc23", 0, 0.6),
     ("acc23", 2, 0.4)],
)  # fmt: skip
def test_variants_of_mt_metrics_eval(which: PairStatistic, epsilon: float, want: float) -> None:
    assert value(GOLD, METRIC, which, epsilon) == pytest.approx(want, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_b_and_c_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    for which, variant in (("kendall", "b"), ("kendall-c", "c")):
        want = stats.kendalltau(x, y, variant=variant).statistic
        got = value(x[None], y[None], which)  # type: ignore[arg-type]
        assert got == pytest.approx(want, abs=1e-12) or (np.isnan(got) and np.isnan(want))


def test_what_has_no_value_has_no_pairs() -> None:
    gaps = np.array([[1.0, np.nan, 2, 3, 9]]), np.array([[2.0, 1, 1.5, np.nan, 3]])
    whole = np.array([[1.0, 2, 9]]), np.array([[2.0, 1.5, 3]])
    for which in ("kendall", "kendall-c", "tau23", "acc23"):
        assert value(*gaps, which) == value(*whole, which)
    assert np.isnan(value(np.array([[1.0, np.nan]]), np.array([[1.0, 2.0]]), "acc23"))


# --- P-values of pairs of systems, and how far two measures share them ---


@pytest.mark.golden
def test_the_exact_tiny_case() -> None:
    human = np.array([[1.0, 2, 3], [2, 3, 4]])
    metric = np.array([[2.0, 2, 4], [1, 3, 5]])
    p = [
        permutation_p((v[0] - v[1])[:, None], 1000, np.random.default_rng(1))
        for v in (human, metric)
    ]
    assert [float(one[0]) for one in p] == [1.0, 0.875]
    # mt-metrics-eval draws and says .872.
    assert soft_accuracy(p[0], p[1], np.ones(1)) == evals("mtme.spa_exact_tiny") == 0.875


@pytest.mark.parametrize(
    ("n", "drawn_signs"), [(400, 20_000), (400, 1_000), (64, 1_000), (63, 1_000)]
)
def test_drawn_signs_tend_to_the_normal_p(n: int, drawn_signs: int) -> None:
    rng = np.random.default_rng(2)
    differences = rng.normal([0.0, 0.1, 0.3], 1.0, (n, 3))
    normal = normal_p(differences.sum(axis=0), np.square(differences).sum(axis=0))
    drawn = permutation_p(differences, drawn_signs, np.random.default_rng(3))
    error = np.sqrt(normal * (1 - normal) / drawn_signs)
    assert (np.abs(drawn - normal) < 4 * error + 0.002).all()
    assert (drawn > 0).all()


def test_equal_systems_are_a_coin() -> None:
    zero = np.zeros((5, 1))
    assert normal_p(zero.sum(axis=0), zero.sum(axis=0)).tolist() == [0.5]
    assert permutation_p(zero, 100, np.random.default_rng(1)).tolist() == [1.0]


def test_without_pairs_there_is_no_value() -> None:
    assert np.isnan(soft_accuracy(np.ones(2), np.ones(2), np.zeros(2)))


def test_weights_are_shares_of_their_sum() -> None:
    first, second = np.array([0.1, 0.6, 0.3]), np.array([0.2, 0.2, 0.3])
    for scale in (1.0, 1e-3, 50.0):
        found = soft_accuracy(first, second, scale * np.array([2.0, 1.0, 3.0]))
        assert found == pytest.approx(1.0 - (2 * 0.1 + 0.4) / 6)


# --- Accuracy with calibrated ties, against all thresholds tried one by one ---


def plain(human: np.ndarray, metric: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Return the best accuracy and its smallest threshold, by loops."""
    pairs = []
    for g in range(len(human)):
        known = [
            (i, j)
            for i in range(human.shape[1])
            for j in range(i)
            if np.isfinite(human[g, [i, j]] + metric[g, [i, j]]).all()
        ]
        for i, j in known:
            h, m = human[g, i] - human[g, j], metric[g, i] - metric[g, j]
            pairs.append((h, m, weights[g] / len(known), g))
    total = sum(weights[g] for g in {p[3] for p in pairs})
    best = (-1.0, 0.0)
    for epsilon in [0.0, *sorted({abs(m) for _, m, _, _ in pairs})]:
        right = sum(w for h, m, w, _ in pairs if (h == 0 if abs(m) <= epsilon else h * m > 0))
        if right / total > best[0] + 1e-12:
            best = (right / total, epsilon)
    return best


@settings(max_examples=60, deadline=None)
@example(140, 4, 5)  # two thresholds whose accuracies differ in the last bit only
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 5))
def test_all_thresholds_are_tried(seed: int, groups: int, members: int) -> None:
    rng = np.random.default_rng(seed)
    human, metric = rng.integers(0, 4, (2, groups, members)).astype(float)
    human[rng.random(human.shape) < 0.15] = np.nan
    found = TieCalibration.of(human, metric)
    if not found.distance.size:
        assert np.isnan(found.values(np.ones((1, groups)))).all()
        return
    want = plain(human, metric, np.ones(groups))
    assert found.best() == pytest.approx(want, abs=1e-12)
    assert found.at(want[1]) == pytest.approx(want[0], abs=1e-12)
    weights = rng.integers(0, 3, groups).astype(float)
    has_pairs = np.bincount(found.group, minlength=groups) > 0
    if weights[has_pairs].sum():
        got = found.values(weights[None])[0]
        assert got == pytest.approx(plain(human, metric, weights)[0], abs=1e-12)


def test_the_unit_test_of_mt_metrics_eval_of_pairwise_accuracy() -> None:
    found = TieCalibration.of(np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]]))
    assert found.best()[0] == pytest.approx(0.7)


def test_weights_of_members_are_copies_that_are_no_pairs() -> None:
    rng = np.random.default_rng(3)
    human, metric = rng.integers(0, 3, (4, 5)).astype(float), rng.normal(size=(4, 5))
    weights = np.array([2.0, 0, 1, 1, 3])
    order = np.repeat(np.arange(5), weights.astype(int))
    pairs = [
        (human[g, i] - human[g, j], metric[g, i] - metric[g, j])
        for g in range(4)
        for a, i in enumerate(order)
        for j in order[:a]
        if i != j
    ]
    per_group = len(pairs) / 4
    best = max(
        sum((h == 0 if abs(m) <= e else h * m > 0) for h, m in pairs) / per_group / 4
        for e in [0.0, *(abs(m) for _, m in pairs)]
    )
    got = TieCalibration.of(human, metric).values(np.ones((1, 4)), weights[None])[0]
    assert got == pytest.approx(best, abs=1e-12)


def test_halves_choose_for_each_other() -> None:
    rng = np.random.default_rng(5)
    human, metric = rng.integers(0, 3, (10, 4)).astype(float), rng.normal(size=(10, 4))
    half = np.arange(10) < 5
    parts = [TieCalibration.of(human[h], metric[h]) for h in (half, ~half)]
    want = (parts[0].at(parts[1].best()[1]) + parts[1].at(parts[0].best()[1])) / 2
    got = TieCalibration.of(human, metric).values(np.ones((1, 10)), None, half)[0]
    assert got == pytest.approx(want, abs=1e-12)


def test_few_thresholds_on_resamples_lose_little(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    human = rng.integers(0, 3, (60, 8)).astype(float)
    metric = human + rng.normal(size=(60, 8))
    ones = np.ones((1, 60))
    exact = TieCalibration.of(human, metric)
    assert exact.values(ones)[0] <= exact.best()[0] + 1e-12
    monkeypatch.setattr(tie_calibration, "THRESHOLDS", 64)
    coarse = TieCalibration.of(human, metric).values(ones)[0]
    pairs = exact.distance.size
    assert exact.best()[0] - pairs / 64 / pairs - 1e-12 <= coarse <= exact.best()[0] + 1e-12


def test_only_the_proportions_of_weights_matter() -> None:
    rng = np.random.default_rng(7)
    human, metric = rng.integers(0, 3, (6, 5)).astype(float), rng.normal(size=(6, 5))
    groups, members = (rng.integers(1, 4, (4, n)).astype(float) for n in (6, 5))
    found = TieCalibration.of(human, metric)
    for scale in (1e-4, 30.0):
        assert found.values(scale * groups) == pytest.approx(found.values(groups))
        assert found.values(groups, scale * members) == pytest.approx(
            found.values(groups, members)
        )


def test_rounding_grows_with_the_number_of_groups() -> None:
    near = np.array([[0.0, 5.0, 5.0 + 5e-12]])
    assert tie_calibration._first_best(near, 10).tolist() == [1]
    assert tie_calibration._first_best(near, 2).tolist() == [2]
