"""The score rule for margins: gold, Tango, invariants, agreement of p, interval and verdict."""

import itertools
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, stats

import detectable as dt
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.inference.margin_score import MarginScore, kind_of
from detectable.inference.margin_test import StratifiedScore, margin_test
from detectable.inference.shares import PairedShares, tango_z
from detectable.inference.standard_errors import cluster_mean
from tests.helpers import reference_data


def _gold() -> dict[str, Any]:
    path = reference_data("gold", "repairs.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return {name: case for name, case in found.items() if name.startswith("margin/")}


# Published and gold values


@pytest.mark.golden
def test_gold() -> None:
    cases = _gold()
    assert len(cases) >= 6
    for name, case in cases.items():
        scale = None if case["scale"] is None else tuple(case["scale"])
        found = margin_test(
            case["new"],
            case["old"],
            margin=case["margin"],
            clusters=case["clusters"],
            scale=scale,
        )
        assert (found.kind, found.verdict) == (case["kind"], case["verdict"]), name
        assert found.estimate == pytest.approx(case["value"], abs=1e-9)
        assert found.score.score(-case["margin"]) == pytest.approx(case["z"], abs=1e-6)
        assert found.p_above(-case["margin"]) == pytest.approx(case["p_above"], abs=1e-6)
        assert found.p_below(-case["margin"]) == pytest.approx(case["p_below"], abs=1e-6)
        assert found.interval(0.05).to_json() == pytest.approx(case["interval90"], abs=1e-6)
        if case["reach"] is not None:
            assert found.reach == pytest.approx(case["reach"], abs=1e-9)
        df = math.inf if case["df"] is None else case["df"]
        assert found.df == pytest.approx(df, abs=1e-6)


def test_by_hand() -> None:
    """All of 100 pairs equal: V = .05·.95. 300 pairs on a scale of 25: the rule of three wins."""
    answers = [1] * 60 + [0] * 40
    found = margin_test(answers, answers, margin=0.05)
    assert found.score.score(-0.05) == pytest.approx(0.05 * 10 / math.sqrt(0.05 * 0.95))
    assert found.p_noninferior == pytest.approx(0.01089, abs=1e-5)
    scores = [-1.0] * 100 + [0.0] * 150 + [-5.0] * 50
    found = margin_test(scores, scores, margin=0.23, scale=(-25, 0))
    z = 0.23 * math.sqrt(300) / math.sqrt(0.23 * 24.77)
    assert (found.kind, found.reach) == ("sparse", 25.0)
    assert found.score.score(-0.23) == pytest.approx(z)
    assert found.p_noninferior == pytest.approx(math.exp(-300 * 0.23 / 25))


def test_twice_the_range_seen_where_the_scale_is_not_known() -> None:
    scores = np.repeat([0.0, 1.0, 5.0], 20)
    assert margin_test(scores, scores, margin=0.2).reach == 10.0
    assert margin_test(scores, scores, margin=0.2, scale=(0, 8)).reach == 8.0


def test_the_reach_of_sparse_scores_counts_changed_units() -> None:
    old = np.repeat([1.0, 2.0, 5.0, 20.0], 30)
    new = old.copy()
    new[[3, 40, 77, 78]] -= 1.0
    assert margin_test(new, old, margin=0.2).reach == pytest.approx(1.5 + 15 / 4)
    documents = np.repeat(np.arange(12), 10)  # 77 and 78 are of one document
    assert margin_test(new, old, margin=0.2, clusters=documents).reach == pytest.approx(1.5 + 5)
    assert margin_test(new, old, margin=0.2, scale=(0, 4.5 + 20)).reach == pytest.approx(5.25)
    assert margin_test(new, old, margin=0.2, largest_loss=25).reach == 25.0


def test_the_support_of_dense_scores_reaches_beyond_the_data() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(size=20)
    old = rng.normal(size=20)
    found = margin_test(old + d, old, margin=1.0)
    top = np.abs(d - d.mean()).max()
    assert found.kind == "dense"
    assert found.reach == pytest.approx((1.5 + 5 / 20) * top)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(2, 200), st.floats(-0.99, 0.99))
def test_on_two_values_it_is_tango(b: int, c: int, ties: int, bound: float) -> None:
    n = b + c + ties
    d = np.repeat([1.0, -1.0, 0.0], [b, c, ties])
    found = MarginScore.of(d.clip(0), (-d).clip(0), scale=(0.0, 1.0))
    assert found.kind == "two-valued"
    wanted = float(tango_z(b, c, n, bound))
    assert found.score(bound) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    counted = MarginScore.of_shares(PairedShares.of_differences(d), n)
    assert counted.score(bound) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_clusters_of_two_values_are_those_of_shares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 8, 60)
    old, new = (rng.random((2, 60)) < 0.7).astype(np.float64)
    wanted = PairedShares.of(new, old, clusters)
    assume(wanted.fixed + wanted.broken > 0)
    found = MarginScore.of(new, old, clusters, scale=(0.0, 1.0))
    assert found.design_effect == pytest.approx(wanted.design_effect, rel=1e-12)
    assert found.df == pytest.approx(wanted.df, rel=1e-12)
    assert found.p_above(-0.1) == pytest.approx(wanted.p_above(-0.1), rel=1e-9)
    low, high = wanted.limits(1.7)
    assert list(found.limits(1.7)) == pytest.approx([low, high], abs=1e-9)


def test_independent_dense_scores_are_close_to_t_when_there_are_many() -> None:
    rng = np.random.default_rng(8)
    d, old = rng.normal(0.1, 1.0, 5_000), rng.normal(size=5_000)
    found = margin_test(old + d, old, margin=0.1)
    wanted = cluster_mean(d).interval(0.9)
    assert found.limits.to_json() == pytest.approx([wanted.low, wanted.high], abs=2e-4)


# Invariants


def _data(seed: int) -> tuple[FloatArray, FloatArray, IntArray | None]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 80))
    clusters = None if rng.random() < 0.5 else rng.integers(0, max(n // 4, 4), n)
    shape = rng.integers(0, 4)
    if shape == 0:
        old = (rng.random(n) < 0.6) * 1.0
        new = np.where(rng.random(n) < 0.15, 1.0 - old, old)
    elif shape == 1:
        old = rng.choice([0.0, -1.0, -5.0], n)
        new = old - np.where(rng.random(n) < 0.15, rng.choice([1.0, 5.0], n), 0.0)
    else:
        old = rng.normal(size=n)
        new = old + (rng.normal(0.0, 0.5, n) if shape == 2 else -rng.exponential(0.3, n))
    return np.asarray(new, dtype=np.float64), np.asarray(old, dtype=np.float64), clusters


@given(st.integers(0, 2**32 - 1), st.floats(0.02, 0.8), st.floats(0.001, 0.2))
def test_p_interval_and_verdict_agree(seed: int, margin: float, alpha: float) -> None:
    new, old, clusters = _data(seed)
    found = margin_test(new, old, margin=margin, clusters=clusters, alpha=alpha)
    assume(found.score.speaks)
    low, high = found.limits.low, found.limits.high
    assume(min(abs(low + margin), abs(high + margin)) > 1e-9)
    assert low < found.estimate < high
    assert (found.verdict == "non-inferior") == (low > -margin)
    assert (found.verdict == "non-inferior") == (found.p_noninferior <= alpha)
    assert (found.verdict == "inferior") == (high < -margin) == (found.p_inferior <= alpha)
    assert 0.0 < found.p_noninferior <= 1.0
    if max(-low, high) < found.reach:  # the ends are where p is α, not where the scale ends
        assert found.p_above(low) == pytest.approx(alpha, rel=1e-6)
        assert found.p_below(high) == pytest.approx(alpha, rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.5, 100.0, 1e6]))
def test_rescaling_changes_no_p(seed: int, factor: float) -> None:
    new, old, clusters = _data(seed)
    plain = margin_test(new, old, margin=0.2, clusters=clusters)
    scaled = margin_test(factor * new, factor * old, margin=factor * 0.2, clusters=clusters)
    assert scaled.kind == plain.kind
    assert scaled.p_noninferior == pytest.approx(plain.p_noninferior, rel=1e-6, nan_ok=True)
    wanted = [factor * end for end in plain.limits.to_json()]
    assert scaled.limits.to_json() == pytest.approx(wanted, rel=1e-6, abs=1e-9, nan_ok=True)


@given(st.integers(0, 2**32 - 1), st.floats(-0.8, 0.8))
def test_swapping_the_systems_mirrors_everything(seed: int, bound: float) -> None:
    new, old, clusters = _data(seed)
    there, back = MarginScore.of(new, old, clusters), MarginScore.of(old, new, clusters)
    assert there.kind == back.kind
    assert there.reach == pytest.approx(back.reach, nan_ok=True)
    assert there.p_above(bound) == pytest.approx(back.p_below(-bound), rel=1e-9, nan_ok=True)
    (low, high), (other_low, other_high) = (x.interval(0.05).to_json() for x in (there, back))
    assert [low, high] == pytest.approx([-other_high, -other_low], rel=1e-9, nan_ok=True)


@given(st.integers(0, 2**32 - 1))
def test_the_statistic_falls_with_the_bound(seed: int) -> None:
    new, old, clusters = _data(seed)
    found = MarginScore.of(new, old, clusters)
    assume(found.speaks)
    z = [found.score(b) for b in np.linspace(found.value - 2.0, found.value + 2.0, 41)]
    assert all(a >= b - 1e-9 or math.isinf(a) for a, b in itertools.pairwise(z))


# Kinds


@pytest.mark.parametrize(
    ("new", "old", "scale", "kind"),
    [
        ([0, 100, 100], [0, 0, 100], None, "two-valued"),
        ([1, 1, 1], [1, 1, 1], (0, 1), "two-valued"),
        ([1, 1, 1], [1, 1, 1], None, "dense"),
        ([1.05] * 3, [1.0] * 3, None, "dense"),  # each has a score of its own
        ([0, 0, -5, -1], [0, 0, -1, -1], None, "sparse"),  # half are ties
        ([0, 1, 2, 9], [3, 4, 5, 0], None, "dense"),
    ],
)
def test_kinds(new: list[float], old: list[float], scale: Any, kind: str) -> None:
    assert kind_of(np.array(new, float), np.array(old, float), scale) == kind


def test_scores_that_fill_few_cells_are_sparse_though_none_is_a_tie() -> None:
    rng = np.random.default_rng(1)
    old = (rng.random(60) < 0.6) + rng.normal(0.0, 0.02, 60)
    new = old + rng.normal(0.0, 0.02, 60)
    assert kind_of(new, old) == "sparse"
    spread = rng.uniform(0.0, 1.0, 60)
    assert kind_of(spread + rng.normal(0.0, 0.02, 60), spread) == "dense"


def test_a_kind_that_was_found_before_stays() -> None:
    new, old = np.array([0.0, 1.0, 0.5, 1.0] * 5), np.array([0.0, 1.0, 1.0, 1.0] * 5)
    assert MarginScore.of(new, old).kind == "sparse"
    assert MarginScore.of(new, old, kind="two-valued").df == math.inf


# Corners


def test_equal_differences_of_dense_scores_say_nothing() -> None:
    old = np.random.default_rng(2).normal(size=30)
    found = margin_test(old + 0.3, old, margin=0.1)
    assert (found.kind, found.p_noninferior, found.p_inferior) == ("dense", 1.0, 1.0)
    assert (found.verdict, math.isnan(found.limits.low)) == ("undecided", True)


def test_a_p_value_is_never_zero() -> None:
    old = np.random.default_rng(2).normal(size=200)
    found = margin_test(old + np.random.default_rng(3).normal(0, 1e-3, 200), old, margin=50.0)
    assert 0.0 < found.p_noninferior < 1e-100


def test_dense_scores_have_no_longest_loss() -> None:
    d = np.random.default_rng(1).normal(0.1, 1.0, 40)
    dense = MarginScore.of_scale(d, None, kind="dense", length=5.0)
    # By their words: from Python 3.13 on no two with nan in a field are equal.
    assert repr(dense) == repr(MarginScore.of_scale(d, None, kind="dense", length=50.0))
    sparse = MarginScore.of_scale(d, None, kind="sparse", length=5.0)
    assert sparse.p_above(-0.2) != MarginScore.of_scale(
        d, None, kind="sparse", length=50.0
    ).p_above(-0.2)
    assert dense.p_above(-0.2) != sparse.p_above(-0.2)


def test_one_document_has_no_p() -> None:
    found = margin_test([1, 0, 1, 1], [1, 1, 1, 0], margin=0.1, clusters=[7, 7, 7, 7])
    assert math.isnan(found.p_noninferior)
    assert math.isnan(found.limits.low)
    assert found.verdict == "undecided"


def test_an_observed_loss_of_the_whole_reach() -> None:
    old = np.repeat([0.0, -1.0, -5.0], 40)
    new = old.copy()
    new[0] = -25.0
    found = margin_test(new, old, margin=1.0, scale=(-25, 0), largest_loss=25)
    assert 0.0 < found.p_noninferior < 0.5
    assert found.limits.low < found.estimate < found.limits.high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": (0, 1)}, r"`scale` is 0:1, and new has 3 in row 2\. Correct"),
        (
            {"scale": (0, 3), "margin": 3.0},
            r"`margin` must be below 3, the length of the scale",
        ),
        ({"scale": (5, 5)}, r"`scale` must be the least and the largest"),
        (
            {"largest_loss": 0.5},
            r"`largest_loss` must be at least what some item lost, 1 in row 1",
        ),
        ({"clusters": [1, 2]}, r"`clusters` must name the cluster of each of 3 items"),
        ({"alpha": 0.5}, r"`alpha` must be below \.5"),
        ({"margin": -1.0}, r"`margin` must be a finite number above 0"),
    ],
)
def test_messages(options: dict[str, Any], message: str) -> None:
    given = {"margin": 0.1, **options}
    with pytest.raises(InputError, match=message):
        margin_test([0.0, 3.0, 1.0], [1.0, 2.0, 1.0], **given)
    with pytest.raises(InputError, match="one score per item each; got 1 and 2"):
        margin_test([1.0], [1.0, 2.0], margin=0.1)


def test_it_is_public_and_says_what_it_found() -> None:
    old = np.random.default_rng(5).normal(size=40)
    found = dt.margin_test(
        old - 2.0 + np.random.default_rng(6).normal(size=40), old, margin=0.5
    )
    assert found.verdict == "inferior"
    assert found.summary().startswith(
        "New is worse than old by more than 0.5: −1.819, 90% interval ["
    )
    plain = found.to_dict()
    assert (plain["kind"], plain["verdict"]) == ("MarginTest", "inferior")


# Power


def test_the_margin_that_equals_keep_is_that_of_nam_on_answers() -> None:
    """n M = z √(n V(−M)) + z √(n π), by hand."""
    shares = PairedShares(9, 9, 300)
    margin = MarginScore.of_shares(shares, 300).passable(0.05, 0.8)
    z = stats.norm.isf([0.05, 0.2])
    b = -18 - 600 * margin
    root = math.sqrt(b * b - 8 * 300 * -9 * -margin * (1 + margin))
    q = (root - b) / 1200
    at_margin = 300 * (2 * q - margin * (1 + margin))
    assert 300 * margin == pytest.approx(
        z[0] * math.sqrt(at_margin) + z[1] * math.sqrt(18), rel=1e-6
    )


def test_the_margin_that_equals_keep_is_kept_as_often_as_said() -> None:
    rng = np.random.default_rng(12)
    sets, n = 600, 60
    first = rng.normal(size=(sets, n))

    def scored(d: FloatArray) -> MarginScore:
        return MarginScore.of(d, np.zeros(n), kind="dense")

    stated = float(np.median([scored(d).passable(0.05, 0.8) for d in first[:200]]))
    kept = [scored(d).p_above(-stated) <= 0.05 for d in first[200:]]
    assert np.mean(kept) == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / len(kept)))


@pytest.mark.parametrize("margin", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_so_much_data_give_the_power(kind: Any, margin: float) -> None:
    """Growth is what power needs: with c times the items and the reach as it was, .9 is reached."""
    rng = np.random.default_rng(3)
    d = rng.normal(size=40) * (rng.random(40) < (0.4 if kind == "sparse" else 1.0))
    now = MarginScore.of(d, np.zeros(40), kind=kind)
    c = now.growth(margin, 0.025, 0.9)
    then = replace(now, worth=c * now.worth, df=c * now.df)
    if c * now.df > 1.0 + 1e-9:
        assert then.power(margin, 0.025) == pytest.approx(0.9, abs=1e-6)
    else:  # less than one degree of freedom is not asked for
        assert then.power(margin, 0.025) >= 0.9
    assert now.power(now.passable(0.025, 0.9), 0.025) == pytest.approx(0.9, abs=1e-6)


def test_the_power_of_data_that_say_nothing_is_unknown() -> None:
    same = MarginScore.of(np.linspace(1, 4, 9) + 0.5, np.linspace(1, 4, 9), kind="dense")
    assert math.isnan(same.power(1.0, 0.05))
    assert math.isnan(same.growth(1.0, 0.05, 0.8))


def test_answers_that_did_not_change_follow_the_rule_of_three() -> None:
    still = MarginScore.of(np.ones(100), np.ones(100), scale=(0.0, 1.0))
    growth = still.growth(0.02, 0.05, 0.8)
    assert growth * 100 == pytest.approx(math.log(20) / 0.02)
    assert (still.power(0.02, 0.05), still.power(0.04, 0.05)) == (0.0, 1.0)


# --- The score rule for a weighted mean of strata ---


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
