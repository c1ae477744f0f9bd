"""Detectable shifts of swap tests: quadrature, enumeration, simulated power, and the far ends."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from scipy.stats import binom

from detectable.core.types import FloatArray, IntArray
from detectable.inference import swap_power as share_mde
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.few_units import (
    choose_test,
    rejecting_patterns,
    smallest_p,
    units_to_reject,
)
from detectable.inference.sign_flips import paired_permutation
from detectable.inference.standard_errors import detectable_shift
from detectable.inference.swap_power import (
    detectable_in_clusters,
    detectable_share,
    detectable_tied,
    is_tied,
    max_t_level,
    max_t_shift,
    swap_shift,
    t_of_largest,
    units_needed,
)
from detectable.planning.closed_forms import sign_power
from tests.gold_repairs import repairs
from tests.inference.small_samples import gold


@pytest.mark.golden
def test_shifts_are_those_of_quadrature() -> None:
    possible = 0
    for row in gold("attainable")["rows"]:
        found = swap_shift(row["G"], level=row["level"], power=0.8) / math.sqrt(row["G"])
        if not row["possible"]:
            assert math.isnan(found)
            continue
        possible += 1
        # The formula of the page, to the digits that it gives, and its distance from quadrature.
        assert found == pytest.approx(row["mde_by_formula"], abs=6e-7)
        assert found == pytest.approx(row["mde_in_sd"], rel=0.005)
        if row["k"] == 1:
            assert found == pytest.approx(row["mde_in_sd"], rel=1e-10)
    assert possible >= 10


@pytest.mark.golden
def test_shifts_are_those_of_enumerated_simulations() -> None:
    rows = gold("attainable_monte_carlo")["rows"]
    assert len(rows) == 91
    ratios = []
    for row in rows:
        level = row["k"] / 2.0 ** (row["G"] - 1)
        found = swap_shift(row["G"], level=level, power=0.8) / math.sqrt(row["G"])
        ratios.append(found / row["mde_in_sd"])
    # The formula is off by at most 1.3 %, and the simulations have a standard error of 1 %.
    assert max(abs(ratio - 1.0) for ratio in ratios) < 0.013 + 0.01
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.005)


@given(st.integers(2, 400), st.floats(1e-30, 0.3), st.floats(0.5, 0.99))
def test_an_effect_can_be_detected_if_and_only_if_something_is_rejected(
    n_units: int, level: float, power: float
) -> None:
    found = swap_shift(n_units, level=level, power=power)
    assert math.isfinite(found) == (rejecting_patterns(n_units, level) >= 1)
    assert math.isnan(found) or found > 0.0


@pytest.mark.parametrize("power", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("n_units", [6, 9, 20])
def test_one_pattern_means_that_all_signs_agree(n_units: int, power: float) -> None:
    shift = swap_shift(n_units, level=2.0 ** (1 - n_units), power=power)
    assert stats.norm.cdf(shift / math.sqrt(n_units)) ** n_units == pytest.approx(power)


@pytest.mark.parametrize("n_units", [25, 60, 61, 300])
def test_many_patterns_make_it_a_t_test(n_units: int) -> None:
    found = swap_shift(n_units, level=0.05, power=0.8)
    assert found == pytest.approx(
        detectable_shift(n_units - 1.0, alpha=0.05, power=0.8), rel=2e-4
    )
    assert (found == detectable_shift(n_units - 1.0, alpha=0.05, power=0.8)) == (n_units > 60)


def test_many_units_cannot_reject_at_a_level_that_is_finer_still() -> None:
    assert math.isnan(swap_shift(61, level=1e-20, power=0.8))
    assert math.isfinite(swap_shift(61, level=1e-17, power=0.8))


@pytest.mark.parametrize("n_units", [5, 12, 40])
def test_the_critical_value_of_t_belongs_to_that_of_t_over_the_fixed_scale(
    n_units: int,
) -> None:
    d = np.random.default_rng(n_units).normal(0.7, 1.0, n_units)
    fixed = abs(d.sum()) / math.sqrt(np.square(d).sum())
    expected = abs(stats.ttest_1samp(d, 0.0).statistic)
    assert t_of_largest(fixed, n_units) == pytest.approx(expected, rel=1e-12)
    assert max_t_level(fixed, n_units) == pytest.approx(stats.ttest_1samp(d, 0.0).pvalue)


@pytest.mark.golden
def test_the_critical_t_of_the_reference() -> None:
    family = gold("family")
    assert t_of_largest(family["max_t_c"], 8) == pytest.approx(family["max_t_t"], rel=1e-11)


def test_the_shift_of_the_largest_t_is_that_of_its_level() -> None:
    critical = 2.1
    level = max_t_level(critical, 9)
    expected = detectable_shift(8.0, alpha=level, power=0.7)
    assert max_t_shift(critical, 9, power=0.7) == pytest.approx(expected, rel=1e-9)
    beyond = stats.nct.sf(t_of_largest(critical, 9), 8, max_t_shift(critical, 9, power=0.7))
    assert beyond == pytest.approx(0.7, abs=1e-7)


@pytest.mark.parametrize("critical", [3.0, 3.5, math.inf])
def test_what_t_cannot_reach_is_not_detectable(critical: float) -> None:
    # |Σ D| / √ΣD² is at most √G = 3.
    assert t_of_largest(critical, 9) == math.inf
    assert max_t_level(critical, 9) == 0.0
    assert math.isnan(max_t_shift(critical, 9, power=0.8))
    assert math.isfinite(max_t_shift(2.999, 9, power=0.8))


class TestUnitsNeeded:
    @given(
        st.floats(0.05, 5.0),
        st.integers(2, 40),
        st.sampled_from([0.05, 0.05 / 3, 0.05 / 45]),
        st.sampled_from([True, False]),
    )
    def test_the_number_is_enough_and_one_less_is_not(
        self, effect: float, n_units: int, level: float, swap: bool
    ) -> None:
        needed = units_needed(
            effect, 1.0, n_units, alpha=0.05, level=level, power=0.8, swap=swap
        )
        assert needed is not None

        def detectable(n: int) -> float:
            shift = (
                swap_shift(n, level=level, power=0.8)
                if swap
                else detectable_shift(n - 1.0, alpha=level, power=0.8)
            )
            return shift * math.sqrt(n_units / n)

        assert detectable(needed) <= effect
        fewest = units_to_reject(level) if swap else 2
        assert needed == fewest or not detectable(needed - 1) <= effect

    @pytest.mark.parametrize("effect", [10.0, 2.0, 1.5, 0.5, -0.5, 0.01])
    def test_the_test_is_that_of_so_many_units(self, effect: float) -> None:
        needed = units_needed(effect, 1.0, 1, alpha=0.05, level=0.05, power=0.8)
        assert needed is not None
        named = {"swap": True, "t": False}[choose_test(needed, 0.05)]
        assert needed == units_needed(
            effect, 1.0, 1, alpha=0.05, level=0.05, power=0.8, swap=named
        )

    def test_by_hand(self) -> None:
        # Seven units have 1.3294 standard deviations, six have 1.4345 by t.
        ask: dict[str, Any] = {"alpha": 0.05, "level": 0.05, "power": 0.8}
        assert units_needed(1.33, 1.0, 1, **ask) == 7
        assert units_needed(1.32, 1.0, 1, **ask) == 8
        assert units_needed(1.44, 1.0, 1, **ask) == 6
        assert units_needed(1.44, 1.0, 1, **ask, swap=True) == 7
        assert units_needed(1.80, 1.0, 1, **ask, swap=True) == 6
        assert units_needed(100.0, 1.0, 1, **ask, swap=True) == 6
        assert units_needed(100.0, 1.0, 1, **ask) == 2
        # Half the standard error is twice the effect; four units have twice the error of one.
        assert units_needed(1.33 / 2, 0.5, 1, **ask) == 7
        assert units_needed(1.33 / 2, 0.25, 4, **ask) == 7

    @pytest.mark.parametrize("n_units", [6, 7, 12, 80])
    def test_what_so_many_units_detect_needs_so_many(self, n_units: int) -> None:
        effect = 0.3 * swap_shift(n_units, level=0.05, power=0.8)
        for sign in (1.0, -1.0):
            assert n_units == units_needed(
                sign * effect, 0.3, n_units, alpha=0.05, level=0.05, power=0.8, swap=True
            )

    @pytest.mark.parametrize("error", [0.0, math.nan, math.inf])
    def test_without_a_spread_no_number_is_known(self, error: float) -> None:
        assert units_needed(1.0, error, 10, alpha=0.05, level=0.05, power=0.8) is None

    @pytest.mark.parametrize("swap", [None, True, False])
    def test_no_number_of_units_finds_nothing(self, swap: bool | None) -> None:
        assert units_needed(0.0, 1.0, 9, alpha=0.05, level=0.05, power=0.8, swap=swap) is None


def rejected(data: FloatArray, k: int) -> NDArray[np.bool_]:
    """Return of which data sets (rows) the sum is among the k largest of all sign patterns."""
    n = data.shape[1]
    signs = 1 - 2 * ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1)
    sums = np.abs(data @ signs.T)  # the first pattern is the data
    beyond = (sums >= sums[:, :1] * (1 - 1e-12)).sum(axis=1)
    found: NDArray[np.bool_] = (beyond <= k) & (data.sum(axis=1) > 0)
    return found


@pytest.mark.parametrize(
    ("n_units", "pairs"), [(6, 1), (7, 1), (8, 1), (8, 3), (8, 6), (10, 1), (10, 10)]
)
def test_the_power_at_the_stated_shift(n_units: int, pairs: int) -> None:
    level, trials = 0.05 / pairs, 4_000
    shift = swap_shift(n_units, level=level, power=0.8) / math.sqrt(n_units)
    data = np.random.default_rng(n_units + 100 * pairs).normal(shift, 1.0, (trials, n_units))
    power = rejected(data, rejecting_patterns(n_units, level)).mean()
    # The shift may be off by .5 %, which is about .004 of power at 80 %.
    assert power == pytest.approx(0.8, abs=3.0 * math.sqrt(0.16 / trials) + 0.004)


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "pairs"), [(12, 1), (12, 45), (14, 10), (20, 10), (40, 1)])
def test_the_power_at_the_stated_shift_with_more_units(n_units: int, pairs: int) -> None:
    level, trials = 0.05 / pairs, 1_600
    shift = swap_shift(n_units, level=level, power=0.8) / math.sqrt(n_units)
    rng = np.random.default_rng(n_units + 100 * pairs)
    data = rng.normal(shift, 1.0, (n_units, trials))
    # The columns share their signs; each is a data set of its own.
    test = paired_permutation(data, n_resamples=19_999, rng=rng)
    power = ((test.p_values <= level) & (test.differences > 0)).mean()
    assert power == pytest.approx(0.8, abs=3.0 * math.sqrt(0.16 / trials) + 0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("systems", "n_units"), [(2, 8), (2, 20), (3, 8), (3, 12), (5, 10), (5, 20), (10, 12)]
)
def test_the_power_of_max_t_at_the_stated_shift(systems: int, n_units: int) -> None:
    first, second = np.triu_indices(systems, 1)
    rng = np.random.default_rng(systems + 100 * n_units)
    found, trials = [], 600
    for _ in range(trials):
        # The first system is above all others by the shift of a difference; these are equal.
        scores = rng.normal(0.0, math.sqrt(0.5), (n_units, systems))
        null = paired_permutation(
            scores[:, first] - scores[:, second], n_resamples=999, rng=rng
        )
        critical = null.swaps.critical(0, 0.05)
        scores[:, 0] += max_t_shift(critical, n_units, power=0.8) / math.sqrt(n_units)
        test = paired_permutation(
            scores[:, first] - scores[:, second], n_resamples=999, rng=rng
        )
        found.append((test.p_max_t[first == 0] <= 0.05).mean())
    # A standard error is .016; the reference has .79 to .86 (stepping down finds more).
    assert 0.77 < np.mean(found) < 0.87


def test_a_power_below_what_chance_gives_needs_no_difference() -> None:
    assert swap_shift(16, level=0.05, power=1e-308) == 0.0
    assert swap_shift(40, level=0.05, power=1e-308) == 0.0


# --- The detectable difference of two shares: by the exact test, and in clusters ---


@pytest.mark.parametrize(("n", "discordant"), [(100, 20), (400, 20), (400, 80), (5000, 100)])
def test_planning_gives_it_the_asked_power(n: int, discordant: int) -> None:
    found = detectable_share(n, discordant, level=0.05, power=0.8)
    share = discordant / n
    assert found < share
    exact = sign_power(n, 0.5 * (share + found), 0.5 * (share - found), alpha=0.05)
    assert exact.right == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize(("n", "discordant"), [(100, 0), (100, 5), (50, 2)])
def test_few_discordant_items_must_become_more(n: int, discordant: int) -> None:
    # All discordant items won: six of them are significant at .05, five are not.
    found = detectable_share(n, discordant, level=0.05, power=0.8)
    assert found > discordant / n
    five = sum(math.comb(n, m) * found**m * (1.0 - found) ** (n - m) for m in range(6))
    assert five == pytest.approx(0.2, abs=1e-3)


def test_max_t_rejects_by_its_own_statistic() -> None:
    critical, n, discordant = 3.0, 200, 40
    found = detectable_share(n, discordant, critical=critical, power=0.8)
    rng = np.random.default_rng(3)
    win, loss = 0.5 * (discordant / n + found), 0.5 * (discordant / n - found)
    b, c, _ = rng.multinomial(n, [win, loss, 1.0 - win - loss], size=100_000).T
    hits = (b - c) / np.sqrt(np.maximum(b + c, 1)) >= critical
    assert hits.mean() == pytest.approx(0.8, abs=3 * 0.4 / 100_000**0.5)


def test_half_a_million_items_are_no_matter() -> None:
    # z_{.975} + z_{.8} standard errors √(q/n), as for any large sample.
    found = detectable_share(500_000, 50_000, level=0.05, power=0.8)
    assert found == pytest.approx(2.8016 * math.sqrt(0.1 / 500_000), rel=2e-3)


def test_simulated_data_find_it_four_times_in_five() -> None:
    rng = np.random.default_rng(5)
    found = detectable_share(100, 5, level=0.05, power=0.8)
    b, c, _ = rng.multinomial(100, [found, 0.0, 1.0 - found], size=50_000).T
    hits = (sign_test_p(b, c) <= 0.05) & (b > c)
    assert hits.mean() == pytest.approx(0.8, abs=3 * 0.4 / 50_000**0.5)


def test_it_grows_with_power_and_strictness() -> None:
    plain = detectable_share(300, 30, level=0.05, power=0.8)
    assert detectable_share(300, 30, level=0.005, power=0.8) > plain
    assert detectable_share(300, 30, level=0.05, power=0.9) > plain
    assert detectable_share(300, 60, level=0.05, power=0.8) > plain


@pytest.mark.parametrize("discordant", [0, 2, 5])
def test_too_few_items_find_nothing(discordant: int) -> None:
    assert math.isnan(detectable_share(5, discordant, level=0.05, power=0.8))
    assert math.isfinite(detectable_share(6, discordant, level=0.05, power=0.8))


def clustered(by_error: float = 0.1, discordance: float = 0.2, **changed: Any) -> float:
    given: dict[str, Any] = {
        "difference": 0.0,
        "n_units": 40,
        "differing": 30,
        "least": 6,
        "power": 0.8,
    }
    return detectable_in_clusters(by_error, discordance, **{**given, **changed})


def test_the_spread_of_answers_falls_with_the_difference() -> None:
    found = clustered(0.1)
    assert found**2 == pytest.approx(0.1**2 * (0.2 - found**2) / 0.2)
    apart = clustered(0.1, difference=0.15)  # the error was that of systems that differ
    assert apart**2 == pytest.approx(0.1**2 * (0.2 - apart**2) / (0.2 - 0.15**2))
    assert clustered(1e-4) == pytest.approx(1e-4, rel=1e-6)


def test_all_discordant_answers_won_are_found_if_enough_clusters_differ() -> None:
    assert clustered(0.5) == 0.2
    chance = clustered(0.5, differing=4) / 0.2 * 4 / 40
    assert binom.sf(5, 40, chance) == pytest.approx(0.8, abs=1e-9)
    assert clustered(0.01, differing=4) == clustered(0.5, differing=4)
    assert clustered(0.5, differing=4, power=0.9) > clustered(0.5, differing=4)
    assert clustered(0.5, differing=4, least=9) > clustered(0.5, differing=4)
    assert clustered(0.5, 0.9, n_units=6, differing=4) <= 1.0


@pytest.mark.parametrize(
    "changed",
    [
        {"n_units": 5},
        {"differing": 0},
        {"by_error": math.nan},
        {"discordance": 1.0, "difference": 1.0},
    ],
)
def test_clusters_that_cannot_tell_promise_nothing(changed: dict[str, Any]) -> None:
    assert math.isnan(clustered(**changed))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "answers", "discordance", "together"),
    [
        (20, 5, 0.2, 0.5),
        (50, 4, 0.05, 0.5),
        (50, 4, 0.2, 0.5),
        (20, 5, 0.2, 1.0),
    ],
)
def test_the_power_of_swapped_clusters_at_the_stated_difference(
    clusters: int, answers: int, discordance: float, together: float
) -> None:
    """From the true spread: what is found of differences as large as stated."""
    rng, trials = np.random.default_rng(3), 2000

    def sums(effect: float, n: int) -> IntArray:
        gains = max(0.5 * (discordance + effect), effect)
        losses = max(0.5 * (discordance - effect), 0.0)
        kinds = rng.choice(
            [1, -1, 0], p=[gains, losses, 1 - gains - losses], size=(n, clusters, answers)
        )
        alike = rng.random(kinds.shape) < together
        found: IntArray = np.where(alike, kinds[:, :, :1], kinds).sum(axis=2)
        return found

    null = sums(0.0, 4 * trials)
    error = float(np.sqrt((null / answers).var() / clusters))
    differing = round(float((null != 0).sum(axis=1).mean()))
    by_error = error * swap_shift(clusters, level=0.05, power=0.8)
    stated = detectable_in_clusters(
        by_error, discordance, 0.0, n_units=clusters, differing=differing, least=6, power=0.8
    )
    drawn = sums(stated, trials)
    signs = 1 - 2 * rng.integers(2, size=(1999, clusters))
    null_sums = np.abs(drawn @ signs.T)
    p = (1 + (null_sums >= np.abs(drawn.sum(axis=1))[:, None]).sum(axis=1)) / 2000
    found = float(((p <= 0.05) & (drawn.sum(axis=1) > 0)).mean())
    room = 3.0 * (0.16 / trials) ** 0.5
    assert 0.77 - room <= found <= 0.87 + room


@pytest.mark.parametrize(
    ("n", "share"), [(30, 0.02), (30, 0.5), (2_000, 0.1), (50, 1.0), (8, 0.0)]
)
def test_discordant_items_are_binomial(n: int, share: float) -> None:
    counts, weights = share_mde._discordant(n, share)
    wanted = np.zeros(n + 1)
    wanted[counts] = weights
    assert wanted == pytest.approx(binom.pmf(np.arange(n + 1), n, share), abs=1e-12)


# Mostly tied scores


@pytest.mark.golden
@pytest.mark.parametrize(
    "case", ["10 k=2", "20 k=4", "40 k=8", "100 k=10", "100 k=30", "30 k=7"]
)
def test_ties_of_one_size_have_the_power_of_the_sign_test(case: str) -> None:
    row = repairs(f"tied/mde n={case}")
    sizes = np.full(row["differing"], row["size"])
    found = detectable_tied(row["n"], sizes, level=row["alpha"], power=row["power"])
    assert found == pytest.approx(row["mde"], abs=1e-6)
    assert smallest_p(row["differing"]) == row["attainable_p"]
    scaled = detectable_tied(row["n"], -25.0 * sizes, level=row["alpha"], power=row["power"])
    assert scaled == pytest.approx(25.0 * found, rel=1e-12)


def test_ties_without_a_detectable_difference() -> None:
    assert math.isnan(detectable_tied(40, np.array([]), level=0.05, power=0.8))
    for sizes in ([1.0, 1.0], [1.0, 2.0]):  # five units never reach .05, nor do 10 reach .0001
        assert math.isnan(detectable_tied(5, np.array(sizes), level=0.05, power=0.8))
        assert math.isnan(detectable_tied(10, np.array(sizes), level=1e-4, power=0.8))
        assert math.isnan(detectable_tied(9, np.array(sizes), critical=3.01, power=0.8))
        assert math.isnan(detectable_tied(9, np.array(sizes), critical=math.inf, power=0.8))


def test_units_that_are_ties_count_from_a_third_on_or_where_too_few_are_left() -> None:
    assert not is_tied(30, 21, 0.05)
    assert is_tied(30, 20, 0.05)
    assert is_tied(6, 5, 0.05)  # five signs never reach .05
    assert not is_tied(5, 5, 0.05)
    assert not is_tied(10_000, 2_001, 0.05)  # the standard error says the same


_SIZES = {"1/2/5": ((1.0, 2.0, 5.0), (0.6, 0.3, 0.1)), "1/2": ((1.0, 2.0), (0.5, 0.5))}


def _swap_power(
    n: int, share: float, sizes: str, effect: float, *, trials: int, seed: int
) -> float:
    """Return how often swaps of all items find an effect, by 499 flips each."""
    rng = np.random.default_rng(seed)
    values, chances = _SIZES[sizes]
    average = float(np.dot(values, chances))
    differs = rng.random((trials, n)) < max(share, effect / average)
    won = rng.random((trials, n)) < 0.5 + 0.5 * min(1.0, effect / (share * average))
    data = np.where(differs, rng.choice(values, (trials, n), p=chances), 0.0)
    data = np.where(won, data, -data)
    total = data.sum(axis=1)
    flips = rng.choice([-1.0, 1.0], (n, 499))
    extreme = np.abs(data @ flips) >= np.abs(total)[:, None] - 1e-9
    p = (1.0 + extreme.sum(axis=1)) / 500.0
    return float(np.mean((p <= 0.05) & (total > 0.0)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "differing", "sizes"),
    [
        (40, 10, "1/2/5"),
        (100, 10, "1/2/5"),
        (100, 30, "1/2/5"),
        (1_500, 300, "1/2/5"),
        (40, 8, "1/2"),
    ],
)
def test_ties_of_unequal_sizes_are_found_as_often_as_stated(
    n: int, differing: int, sizes: str
) -> None:
    values, chances = _SIZES[sizes]
    seen = np.repeat(values, np.round(differing * np.array(chances)).astype(int))
    effect = detectable_tied(n, seen, level=0.05, power=0.8)
    found = _swap_power(n, differing / n, sizes, effect, trials=2_000, seed=n)
    # The stated difference comes from 1,000 data sets and the check from 2,000.
    error = math.sqrt(0.16 / 1_000 + 0.16 / 2_000)
    assert abs(found - 0.8) < 3.5 * error
    # The sign test knows nothing of sizes: what it states is found less often.
    if sizes == "1/2/5" and n == 100:
        plain = float(seen.mean()) * detectable_share(n, differing, level=0.05, power=0.8)
        assert plain < effect


def test_ties_under_the_largest_of_several_tests() -> None:
    sizes = np.repeat([1.0, 2.0, 5.0], [12, 6, 2])
    one, several = (detectable_tied(100, sizes, critical=c, power=0.8) for c in (1.98, 2.7))
    assert one < several
    assert one == pytest.approx(detectable_tied(100, sizes, level=0.05, power=0.8), rel=0.05)
