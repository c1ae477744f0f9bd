""""""

import functools
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.inference.shares import (
    JudgedGroup,
    PairedShares,
    chance_interval,
    equal_values_interval,
    grouped_share,
    hypergeometric_limits,
    question_counts,
    tango_z,
    wilson_interval,
    wilson_limits,
)
from detectable.inference.standard_errors import Estimate
from tests.gold_evals import evals
from tests.gold_select import gold as selection_gold
from tests.helpers import reference_data


@pytest.mark.golden
def test_all_of_fifty_pass() -> None:
    found = equal_values_interval(1.0, 50, 0.95, (0.0, 1.0))
    assert [found.low, found.high] == pytest.approx(evals("ci.cp_50_50"), rel=1e-6)


def test_values_between_the_ends_may_lie_on_both_sides() -> None:
    found = equal_values_interval(0.25, 10, 0.95, (-1.0, 1.0))
    share = 1 - 0.025 ** (1 / 10)
    assert (found.low, found.high) == pytest.approx((0.25 - 1.25 * share, 0.25 + 0.75 * share))
    assert found.level == 0.95


def test_where_values_vary_it_is_a_t_interval_on_the_scale() -> None:
    wide = chance_interval(Estimate(0.9, 0.1, 20.0), 0.95, (0.0, 1.0))
    assert wide.high == 1.0
    assert wide.low == pytest.approx(0.9 - 0.1 * 2.0859634, abs=1e-6)
    low = chance_interval(Estimate(0.1, 0.1, 20.0), 0.95, (0.0, 1.0))
    assert low.low == 0.0
    equal = chance_interval(Estimate(0.0, 0.0, 19.0), 0.95, (0.0, 1.0))
    assert (equal.low, equal.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))


# --- Scores of 0 and 1: against three packages, what must always hold, and false claims counted ---


@functools.lru_cache(maxsize=1)
def gold() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        reference_data("gold", "small_samples.json").read_text(encoding="utf-8")
    )
    return content


@pytest.mark.golden
def test_intervals_and_p_values_are_those_of_three_packages() -> None:
    rows = gold()["paired_2x2"]["rows"]
    assert len(rows) >= 10
    for row in rows:
        shares = PairedShares(row["b"], row["c"], row["a"] + row["b"] + row["c"] + row["d"])
        for percent in (90, 95):
            found = shares.interval(percent / 100).to_json()
            # The packages search their limits to 1e-7; the third prints six digits.
            for package, off in (("contingencytables", 2e-7), ("PropCIs", 2e-7)):
                assert found == pytest.approx(row[f"tango{percent}_{package}"], abs=off)
            assert found == pytest.approx(row[f"tango{percent}_ratesci_closed"], abs=6e-7)
        for margin in (0.02, 0.05, 0.1):
            known = row[f"margin{margin:g}"]
            assert shares.noninferiority_p(margin) == pytest.approx(
                known["p_noninferior"], abs=1e-12
            )
            assert shares.equivalence_p(margin) == pytest.approx(
                known["p_equivalent"], abs=1e-12
            )


@pytest.mark.golden
def test_clusters_are_those_of_the_reference() -> None:
    rows = gold()["clustered_2x2"]["rows"]
    assert len(rows) == 5
    for row in rows:
        shares = PairedShares.of_clusters(row["b"], row["c"], row["n"])
        assert shares.value == pytest.approx(row["difference"], abs=1e-12)
        assert shares.design_effect == pytest.approx(row["deff"], abs=1e-11)
        assert shares.n / shares.design_effect == pytest.approx(row["n_effective"], abs=1e-10)
        assert shares.df == pytest.approx(row["df"], abs=1e-11)
        assert shares.interval(0.95).to_json() == pytest.approx(row["interval95"], abs=1e-12)
        assert shares.interval(0.9).to_json() == pytest.approx(row["interval90"], abs=1e-12)
        for margin in (0.05, 0.1):
            assert shares.noninferiority_p(margin) == pytest.approx(
                row[f"p_noninferior_{margin:g}"], abs=1e-12
            )


@pytest.mark.golden
def test_degrees_of_freedom_are_those_of_clubsandwich() -> None:
    for row in gold()["cluster_robust"]["rows"]:
        sizes = row["sizes"]
        none = np.zeros(len(sizes), dtype=np.int64)
        assert PairedShares.of_clusters(none, none, sizes).df == pytest.approx(
            row["df_BM"], rel=1e-11
        )


def shares_of_some_kind() -> st.SearchStrategy[PairedShares]:
    """Tables of any size, in clusters or not, on a scale of 1 or 100."""
    cluster = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 30))
    return st.builds(
        lambda rows, span: PairedShares.of_clusters(
            [b for b, _, _ in rows],
            [c for _, c, _ in rows],
            [b + c + same for b, c, same in rows],
            span=span,
        ),
        st.lists(cluster, min_size=2, max_size=12).filter(
            lambda rows: sum(sum(row) > 0 for row in rows) >= 2
        ),
        st.sampled_from([1.0, 100.0]),
    )


def swapped(shares: PairedShares) -> PairedShares:
    return PairedShares(
        shares.broken, shares.fixed, shares.n, shares.design_effect, shares.df, shares.span
    )


@given(shares_of_some_kind(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_limits_stay_on_the_scale_around_the_estimate(
    shares: PairedShares, level: float
) -> None:
    found = shares.interval(level)
    assert -shares.span <= found.low <= shares.value <= found.high <= shares.span
    assert found.low < found.high  # never an interval of no width


@given(shares_of_some_kind(), st.floats(-1.2, 1.2))
def test_swapping_the_systems_mirrors_everything(shares: PairedShares, bound: float) -> None:
    bound *= shares.span
    found, mirrored = shares.interval(0.9), swapped(shares).interval(0.9)
    assert (found.low, found.high) == (-mirrored.high, -mirrored.low)
    assert shares.p_above(bound) == swapped(shares).p_below(-bound)
    assert shares.equivalence_p(abs(bound)) == swapped(shares).equivalence_p(abs(bound))


@given(shares_of_some_kind(), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_limits_are_where_the_p_values_reach_the_level(
    shares: PairedShares, level: float
) -> None:
    found, half = shares.interval(level), (1.0 - level) / 2.0
    if found.low > -shares.span:
        assert shares.p_above(found.low) == pytest.approx(half, rel=1e-6)
    if found.high < shares.span:
        assert shares.p_below(found.high) == pytest.approx(half, rel=1e-6)


@given(shares_of_some_kind(), st.floats(0.01, 0.99))
def test_a_margin_is_shown_if_and_only_if_the_interval_is_within(
    shares: PairedShares, margin: float
) -> None:
    margin *= shares.span
    inside = shares.interval(0.9)
    for p, shown in (
        (shares.noninferiority_p(margin), inside.low > -margin),
        (shares.equivalence_p(margin), inside.low > -margin and inside.high < margin),
    ):
        if abs(p - 0.05) > 1e-9:
            assert (p < 0.05) == shown


@given(
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(1, 4000),
    st.floats(-1, 1),
    st.floats(0, 0.5),
)
def test_the_statistic_falls_as_the_difference_rises(
    b: int, c: int, same: int, low: float, step: float
) -> None:
    high = min(low + step, 1.0)
    z = tango_z(b, c, b + c + same, [low, high])
    assert z[0] >= z[1] or z[0] == pytest.approx(z[1], rel=1e-9)


def test_the_variance_is_that_of_the_most_likely_table() -> None:
    # The likelihood of b, c and the rest, searched for its maximum at a given difference.
    for b, c, n, delta in (
        (3, 9, 60, 0.1),
        (3, 9, 60, -0.3),
        (0, 4, 50, 0.2),
        (7, 0, 30, -0.05),
    ):
        q = np.linspace(max(0.0, -delta), min(1.0, (1.0 - delta) / 2.0), 2_000_001)[1:-1]
        with np.errstate(divide="ignore"):
            likelihood = (
                b * np.log(q + delta) + c * np.log(q) + (n - b - c) * np.log(1 - 2 * q - delta)
            )
        best = q[int(np.argmax(likelihood))]
        z = (b - c - n * delta) / math.sqrt(n * (2 * best + delta - delta**2))
        assert float(tango_z(b, c, n, delta)) == pytest.approx(z, rel=1e-5)


def test_no_digits_are_lost_where_the_root_is_close_to_what_is_taken_from_it() -> None:
    # A billion items, one of them broken, against +.5: q solves 2n q² + B q + C = 0.
    n, delta = 10**9, 0.5
    z = float(tango_z(0, 1, n, delta))
    b_term, c_term = -1 + (2 * n + 1) * delta, -delta * (1 - delta)
    q = -c_term / b_term  # to first order, the rest is 1e-18
    assert z == pytest.approx(
        (-1 - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta))), rel=1e-15
    )


@pytest.mark.parametrize("n", [1, 7, 100, 100_000])
def test_no_discordant_item_leaves_what_n_items_cannot_exclude(n: int) -> None:
    z = stats.norm.ppf(0.975)
    found = PairedShares(0, 0, n).interval(0.95)
    assert found.to_json() == pytest.approx([-(z**2) / (n + z**2), z**2 / (n + z**2)], rel=1e-9)


def test_no_discordant_item_in_clusters_counts_clusters() -> None:
    shares = PairedShares.of_clusters([0] * 12, [0] * 12, [4] * 12)
    assert shares.n / shares.design_effect == 12.0
    assert shares.df == pytest.approx(11.0)


def test_what_cannot_be_has_an_infinite_statistic() -> None:
    every = tango_z([5, 0, 0, 5, 0], [0, 5, 0, 0, 5], 5, [-1.0, 1.0, 1.0, 1.0, -1.0])
    assert every.tolist() == [math.inf, -math.inf, -math.inf, 0.0, 0.0]
    assert tango_z(0, 0, 10, [-1.5, 1.5]).tolist() == [math.inf, -math.inf]
    shares = PairedShares(0, 0, 10)
    assert (shares.noninferiority_p(1.5), shares.p_above(1.5)) == (0.0, 1.0)


def test_clusters_of_one_item_are_no_clusters() -> None:
    d = np.array([0, 1, 0, -1, 1, 0, 0, 0])
    assert PairedShares.of_differences(
        d, np.arange(8)[::-1] * 3
    ) == PairedShares.of_differences(d)
    assert PairedShares.of_differences(d) == PairedShares(2, 1, 8)


def test_scores_differences_and_counts_say_the_same() -> None:
    rng = np.random.default_rng(3)
    system, baseline = rng.integers(0, 2, (2, 60)) * 100.0
    clusters = rng.integers(0, 9, 60) * 7
    by_scores = PairedShares.of(system, baseline, clusters, span=100.0)
    by_differences = PairedShares.of_differences(system - baseline, clusters, span=100.0)
    codes = np.unique(clusters)
    counted = [
        [int((m & (clusters == code)).sum()) for code in codes]
        for m in (system > baseline, system < baseline, system >= 0)
    ]
    assert by_scores == by_differences == PairedShares.of_clusters(*counted, span=100.0)
    assert by_scores.value == pytest.approx((system - baseline).mean())
    plain = PairedShares.of(system / 100.0, baseline / 100.0, clusters)
    assert by_scores.noninferiority_p(5.0) == plain.noninferiority_p(0.05)
    assert by_scores.interval(0.9).to_json() == pytest.approx(
        [100.0 * limit for limit in plain.interval(0.9).to_json()]
    )


def test_a_cluster_without_items_counts_for_nothing() -> None:
    with_empty = PairedShares.of_clusters([1, 0, 0, 2], [0, 0, 1, 0], [5, 0, 4, 6])
    assert with_empty == PairedShares.of_clusters([1, 0, 2], [0, 1, 0], [5, 4, 6])


def test_one_cluster_says_nothing() -> None:
    shares = PairedShares.of_clusters([1], [3], [40])
    assert math.isnan(shares.df)
    assert all(math.isnan(limit) for limit in shares.interval(0.95).to_json())
    assert math.isnan(shares.noninferiority_p(0.5))
    assert math.isnan(shares.equivalence_p(0.5))


def test_the_design_effect_lies_between_one_and_the_size_of_a_cluster() -> None:
    # Fixed and broken once in every cluster: differences cancel within, far below independence.
    assert PairedShares.of_clusters([1] * 50, [1] * 50, [4] * 50).design_effect == 1.0
    # Whole clusters turn: more than whole dependence cannot be.
    assert PairedShares.of_clusters([4, 0] * 5, [0, 4] * 5, [4] * 10).design_effect == 4.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: PairedShares.of([1, 0.5], [0, 1]),
            r"`system` must hold 0 and 1 only; got 0\.5",
        ),
        (
            lambda: PairedShares.of([1, 0], [0, 2]),
            r"`baseline` must hold 0 and 1 .* position 1",
        ),
        (lambda: PairedShares.of([1, 0], [0]), r"one score per item each; got 2 and 1\. Pair"),
        (
            lambda: PairedShares.of([1], [0], span=0.0),
            r"`span` must be a finite number above 0",
        ),
        (
            lambda: PairedShares.of_differences([0, 2]),
            r"`differences` must be 0 or ±1.*got 2 at position 1\. Use",
        ),
        (
            lambda: PairedShares.of_differences([0, 1], np.array([1])),
            r"`clusters` must name the cluster of each of 2 items; got shape \(1,\)",
        ),
        (lambda: PairedShares.of_clusters([1], [1, 1], [2]), r"one number per cluster each"),
        (lambda: PairedShares.of_clusters([3], [0], [2]), r"must count items out of `sizes`"),
        (lambda: PairedShares.of_clusters([-1], [0], [2]), r"must count items out of `sizes`"),
        (lambda: PairedShares.of_clusters([0], [0], [0]), r"must count items out of `sizes`"),
    ],
)
def test_messages(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def claims_at_the_margin(n: int, broken: float, fixed: float) -> tuple[float, float]:
    """Return how often Tango and Wald claim «not worse by the margin» at the margin, exactly."""
    margin = broken - fixed
    most = int(stats.binom.isf(1e-13, n, broken + fixed)) + 1
    b, c = np.array(
        [(b, c) for b, c in itertools.product(range(most + 1), repeat=2) if b + c <= most]
    ).T
    chance = stats.multinomial.pmf(
        np.stack([b, c, n - b - c], axis=1), n, [fixed, broken, 1 - broken - fixed]
    )
    d = (b - c) / n
    error = np.sqrt((np.maximum((b + c) / n - d**2, 0.0)) / (n - 1))
    wald = d - stats.t.ppf(0.95, n - 1) * error > -margin
    tango = stats.norm.sf(tango_z(b, c, n, -margin)) <= 0.05
    return float(chance[tango].sum()), float(chance[wald].sum())


@pytest.mark.parametrize(
    ("n", "broken", "fixed", "tango", "wald"),
    [
        (50, 0.04, 0.0, 0.0, 0.1299),
        (100, 0.04, 0.01, 0.0392, 0.0999),
        (200, 0.02, 0.0, 0.0176, 0.0894),
        (200, 0.03, 0.01, 0.0443, 0.0747),
        (500, 0.01, 0.0, 0.0398, 0.1234),
        (500, 0.02, 0.01, 0.0510, 0.0637),
        (1000, 0.01, 0.0, 0.0287, 0.0661),
        # Where nothing is fixed there are few tables, and they can lie badly: at 133 items the
        # claim has just become possible, if no item at all is broken.
        (300, 0.02, 0.0, 0.0602, 0.1485),
        (132, 0.02, 0.0, 0.0, 0.0695),
        (133, 0.02, 0.0, 0.0681, 0.2529),
    ],
)
def test_false_claims_at_the_margin_counted_over_all_tables(
    n: int, broken: float, fixed: float, tango: float, wald: float
) -> None:
    found = claims_at_the_margin(n, broken, fixed)
    assert found == pytest.approx((tango, wald), abs=6e-5)


def test_rates_of_single_answers_are_the_answers() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 60)).astype(float)
    clusters = np.repeat(np.arange(20), 3)
    single = PairedShares.of(a, b)
    rated = PairedShares.of_rates(a, b, np.ones(60))
    assert (rated.fixed, rated.broken, rated.n) == (single.fixed, single.broken, single.n)
    assert rated.design_effect == 1.0  # as large as it may be with one answer each
    grouped, by_rate = PairedShares.of(a, b, clusters), PairedShares.of_rates(a, b, 1, clusters)
    assert by_rate.design_effect == pytest.approx(grouped.design_effect)
    assert by_rate.interval(0.95) == pytest.approx(grouped.interval(0.95))


def test_equal_answers_to_a_question_are_one_answer() -> None:
    """The design effect of k answers that are all the same is k."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 2, (2, 300)).astype(float)
    four = PairedShares.of_rates(a, b, np.full(300, 4))
    assert four.n == 1200.0
    assert four.design_effect == pytest.approx(4.0, rel=0.02)
    alone = PairedShares.of(a, b).interval(0.95)
    assert four.interval(0.95).low == pytest.approx(alone.low, abs=0.002)
    assert four.interval(0.95).high == pytest.approx(alone.high, abs=0.002)


def test_rates_have_the_standard_error_of_their_means() -> None:
    rng = np.random.default_rng(5)
    ours, theirs = rng.binomial(5, 0.6, 400) / 5, rng.binomial(5, 0.5, 400) / 5
    found = PairedShares.of_rates(ours, theirs, 5)
    d = ours - theirs
    assert found.value == pytest.approx(d.mean())
    half = 1.96 * d.std(ddof=1) / 20
    interval = found.interval(0.95)
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.06)


def test_unequal_numbers_of_answers_count_by_their_harmonic_mean() -> None:
    found = PairedShares.of_rates([1.0, 0.0], [0.5, 0.5], [[1, 2], [4, 4]])
    k = 1 / np.mean([1, 1 / 2, 1 / 4, 1 / 4])
    assert found.n == pytest.approx(2 * k)
    assert (found.fixed, found.broken) == pytest.approx((0.5 * k, 0.5 * k))


# --- Counts of the score method for many evaluations at once ---


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_it_is_what_paired_shares_says_of_rates(k: int, grouped: bool) -> None:
    rng = np.random.default_rng(3)
    new, old = rng.binomial(k, 0.7, (6, 40)) / k, rng.binomial(k, 0.6, (6, 40)) / k
    groups = rng.integers(0, 9, 40) if grouped else None
    found = question_counts(new, old, answers=float(k), clusters=groups)
    for i in range(6):
        one = PairedShares.of_rates(new[i], old[i], k, groups)
        assert found.fixed[i] == pytest.approx(one.fixed / one.n, rel=1e-12)
        assert found.broken[i] == pytest.approx(one.broken / one.n, rel=1e-12)
        assert found.effective[i] == pytest.approx(one.n / one.design_effect, rel=1e-12)
        assert found.df == pytest.approx(one.df, rel=1e-12)


def test_single_answers_in_groups_are_counts_of_clusters() -> None:
    rng = np.random.default_rng(4)
    new, old = rng.integers(0, 2, 30).astype(float), rng.integers(0, 2, 30).astype(float)
    groups = np.arange(30) // 3
    one = PairedShares.of(new, old, groups)
    found = question_counts(new, old, clusters=groups)
    assert float(found.effective) == pytest.approx(30 / one.design_effect, rel=1e-12)
    assert found.df == one.df == 9.0


def test_single_answers_alone_are_counted() -> None:
    found = question_counts(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    assert (float(found.effective), found.df) == (3.0, math.inf)
    assert float(found.fixed) == pytest.approx(1 / 3)


def test_of_one_group_nothing_follows() -> None:
    found = question_counts(
        np.array([[1.0, 0.5]]), np.array([[0.5, 0.5]]), answers=2.0, clusters=np.zeros(2, int)
    )
    assert math.isnan(found.df)


# --- Wilson's interval against statsmodels and scipy, at its ends, and for any number of trials ---


@pytest.mark.golden
def test_27_of_30_are_those_of_statsmodels() -> None:
    found = wilson_interval(27, 30, alpha=0.05)
    assert [found.low, found.high] == pytest.approx(evals("ci.wilson_27_30"), rel=1e-6)


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.5, 0.99))
def test_the_interval_is_that_of_scipy(n: int, k: int, level: float) -> None:
    k = min(k, n)
    theirs = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    ours = wilson_interval(k, n, alpha=1.0 - level)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_ends_are_exact() -> None:
    assert wilson_interval(0, 7, alpha=0.05).low == 0.0
    assert wilson_interval(7, 7, alpha=0.05).high == 1.0
    assert wilson_limits(0.01, 100.0, 1.96)[0] > 0.0
    assert wilson_limits(0.99, 100.0, 1.96)[1] < 1.0


def test_trials_need_not_be_whole() -> None:
    # By hand: p = ½, n = 2.5, z = 1: (½ + .2 ∓ √(.1 + .04)) / 1.4.
    low, high = wilson_limits(0.5, 2.5, 1.0)
    assert (low, high) == pytest.approx((0.7 / 1.4 - 0.14**0.5 / 1.4, 0.5 + 0.14**0.5 / 1.4))


# --- A share from groups that were judged in different parts ---


@pytest.mark.golden
def test_grouped_shares_are_those_of_the_worked_examples() -> None:
    for case in selection_gold()["grouped_share"]:
        groups = [JudgedGroup(*numbers) for numbers in case["groups"]]
        share, interval = grouped_share(groups, alpha=0.05, target=case["target"])
        assert share == pytest.approx(case["share"], abs=1e-10)
        assert interval.low == pytest.approx(case["low"], abs=1e-10)
        assert interval.high == pytest.approx(case["high"], abs=1e-10)


@pytest.mark.parametrize(
    ("size", "judged", "ones"), [(50, 20, 0), (50, 20, 7), (33, 33, 5), (9, 2, 2)]
)
def test_hypergeometric_limits_are_those_of_all_numbers_of_ones(
    size: int, judged: int, ones: int
) -> None:
    possible = np.arange(ones, size - (judged - ones) + 1)
    above = stats.hypergeom.sf(ones - 1, size, possible, judged) > 0.025
    below = stats.hypergeom.cdf(ones, size, possible, judged) > 0.025
    low, high = hypergeometric_limits(JudgedGroup(size, judged, ones), alpha=0.05)
    assert (low * size, high * size) == pytest.approx(
        (possible[above].min(), possible[below].max())
    )


def test_the_sizes_of_groups_are_those_of_a_sample() -> None:
    """With both groups judged whole, the error of the domain is that of a plain share."""
    groups = [JudgedGroup(40, 40, 30), JudgedGroup(60, 60, 6)]
    share, domain = grouped_share(groups, alpha=0.05)
    _, here = grouped_share(groups, alpha=0.05, target="test-set")
    assert share == pytest.approx(0.36)
    assert (here.low, here.high) == pytest.approx((0.36, 0.36))
    # Wald's interval of 36 of 100 is .266 to .454.
    assert domain.low == pytest.approx(0.27, abs=0.015)
    assert domain.high == pytest.approx(0.46, abs=0.015)
