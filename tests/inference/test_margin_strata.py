"""The score rule for a weighted mean of strata."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from detectable.core.types import FloatArray, IntArray
from detectable.inference.margin_score import MarginScore
from detectable.inference.margin_test import StratifiedScore
from detectable.inference.standard_errors import cluster_mean


def drawn(
    seed: int, *, strata: int = 3, sparse: bool = False
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Return scores of two systems, the stratum of each item, and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(8, 40, strata)
    of = np.repeat(np.arange(strata), sizes)
    old = rng.normal(size=of.size)
    change = rng.normal(0.1, 1.0, of.size) * (1.0 + of)
    if sparse:
        change *= rng.random(of.size) < 0.3
    weights = rng.dirichlet(np.ones(strata))
    return old + change, old, of, weights


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_one_stratum_is_the_rule_for_one(sparse: bool, clustered: bool) -> None:
    new, old, of, weights = drawn(4, strata=1, sparse=sparse)
    clusters = np.arange(of.size) // 3 if clustered else None
    alone = MarginScore.of(new, old, clusters)
    found = StratifiedScore.of(new, old, of, weights=weights, clusters=clusters)
    for bound in (-1.0, -0.2, 0.05, 0.4):
        assert found.score(bound) == pytest.approx(alone.score(bound), rel=1e-7)
        assert found.p_above(bound) == pytest.approx(alone.p_above(bound), rel=1e-6)
    for alpha in (0.01, 0.05):
        mine, other = found.interval(alpha), alone.interval(alpha)
        assert (mine.low, mine.high) == pytest.approx((other.low, other.high), rel=1e-6)
        assert found.passable(alpha, 0.8) == pytest.approx(alone.passable(alpha, 0.8), rel=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_statistic_by_hand(sparse: bool) -> None:
    """The likelihood restricted to a mean, stratum by stratum, with one multiplier for all."""
    new, old, of, weights = drawn(5, sparse=sparse)
    found = StratifiedScore.of(new, old, of, weights=weights)
    bound = found.value - 0.6

    def at(gap: float, t: int) -> tuple[float, float]:
        """Return the tilt of a stratum whose mean is lower by `gap`, and its variance."""
        one = found.strata[t]
        x, room = one.deviations + gap, one.room(1.0) - gap
        most = min(1.0 / room, (1.0 - 1e-12) / max(float(-x.min()), 1e-300))

        def lacks(tilt: float) -> float:
            return float((one.weights * x / (1.0 + tilt * x)).sum())

        tilt = most if lacks(most) > 0.0 else optimize.brentq(lacks, 0.0, most, xtol=1e-15)
        mass = one.weights / (1.0 + tilt * x)
        return tilt, float((mass * x**2).sum() + (1.0 - mass.sum()) * room**2)

    def gap_at(c: float, t: int) -> float:
        one, ratio = found.strata[t], weights[t] / found.strata[t].worth
        return float(
            optimize.brentq(lambda g: at(g, t)[0] - c * ratio, 1e-9, one.room(1.0) * (1 - 1e-9))
        )

    def misses(c: float) -> float:
        return float(sum(weights[t] * gap_at(c, t) for t in range(3)) - 0.6)

    c = optimize.brentq(misses, 0.1, 1e3)
    variance = sum(
        weights[t] ** 2 * at(gap_at(c, t), t)[1] / found.strata[t].worth for t in range(3)
    )
    assert found.score(bound) == pytest.approx(0.6 / math.sqrt(variance), rel=1e-5)


@given(
    seed=st.integers(0, 500),
    margin=st.floats(0.01, 2.0),
    alpha=st.floats(0.005, 0.2),
    sparse=st.booleans(),
)
def test_p_and_interval_agree(seed: int, margin: float, alpha: float, sparse: bool) -> None:
    new, old, of, weights = drawn(seed, sparse=sparse)
    found = StratifiedScore.of(new, old, of, weights=weights)
    limits = found.interval(alpha)
    for bound in (-margin, margin):
        if min(abs(bound - limits.low), abs(bound - limits.high)) > 1e-6:
            assert (limits.low > bound) == (found.p_above(bound) <= alpha)
            assert (limits.high < bound) == (found.p_below(bound) <= alpha)
    mirrored = StratifiedScore.of(old, new, of, weights=weights)
    assert mirrored.p_below(margin) == pytest.approx(found.p_above(-margin), rel=1e-6)


def test_many_items_are_close_to_t() -> None:
    rng = np.random.default_rng(2)
    of, weights = np.repeat([0, 1], 2_000), np.array([0.3, 0.7])
    d = rng.normal(size=4_000) * np.where(of == 0, 1.0, 2.0)
    error = math.sqrt(sum(w**2 * d[of == t].var(ddof=1) / 2_000 for t, w in enumerate(weights)))
    found = StratifiedScore.of(d, np.zeros(4_000), of, weights=weights, kind="dense")
    bound = found.value - 2.0 * error
    assert found.score(bound) == pytest.approx(2.0, abs=0.03)


def test_documents_that_lie_in_several_strata_widen_it() -> None:
    """Two strata with the same differences are one sample: twice the variance of two."""
    d = np.random.default_rng(6).normal(size=30)
    new, old, of, weights = np.tile(d, 2), np.zeros(60), np.repeat([0, 1], 30), np.full(2, 0.5)
    item = np.arange(30)
    plain = StratifiedScore.of(new, old, of, weights=weights, clusters=np.arange(60))
    wide = StratifiedScore.of(new, old, of, weights=weights, clusters=np.tile(item, 2))
    assert plain.design_effect == pytest.approx(1.0)
    assert wide.design_effect == pytest.approx(2.0)
    assert wide.interval(0.05).low < plain.interval(0.05).low
    assert wide.passable(0.05, 0.8) > plain.passable(0.05, 0.8)


def test_where_nothing_changed_the_loss_may_lie_in_the_smallest_stratum() -> None:
    scores, of = np.tile([0.0, 1.0], 60), np.repeat([0, 1], [20, 100])
    found = StratifiedScore.of(
        scores, scores, of, weights=np.array([0.5, 0.5]), scale=(0.0, 1.0)
    )
    # Half of what the 20 items lose is seen in none of them with chance (1 − 2M)^20.
    assert found.p_above(-0.1) >= math.exp(-0.1 * 20 / 0.5)
    assert found.interval(0.05).low <= -math.log(20) * 0.5 / 20 + 1e-9


def test_a_stratum_with_one_unit_says_nothing() -> None:
    found = StratifiedScore.of(
        np.array([1.0, 2.5, 3.0]),
        np.array([1.5, 2.0, 1.0]),
        np.array([0, 0, 1]),
        weights=np.array([0.5, 0.5]),
    )
    assert not found.speaks
    assert math.isnan(found.p_above(-1.0))
    assert math.isnan(found.interval(0.05).low)


@pytest.mark.slow
def test_rare_losses_pass_no_more_often_than_promised() -> None:
    """By t, 5 strata of 40 items of which one in 50 loses 10 passed too often, promised .05."""
    rng, trials, strata, n = np.random.default_rng(7), 500, 5, 40
    of, weights = np.repeat(np.arange(strata), n), np.full(strata, 1.0 / strata)
    passed, by_t = 0, 0
    for _ in range(trials):
        old = rng.choice([-5.0, -1.0, 0.0], of.size)
        d = -10.0 * (rng.random(of.size) < 0.02)
        found = StratifiedScore.of(old + d, old, of, weights=weights)
        passed += found.p_above(-0.2) <= 0.05
        parts = [cluster_mean(d[of == t], None) for t in range(strata)]
        error = math.sqrt(sum((one.standard_error / strata) ** 2 for one in parts))
        by_t += d.mean() + 0.2 > 1.645 * error
    assert by_t / trials > 0.08
    assert passed / trials <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)
