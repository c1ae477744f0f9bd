"""One statistic per look, against scipy and statsmodels."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from detectable.core.errors import DataError, InputError
from detectable.inference.shares import PairedShares
from detectable.kernels.pairing import rank_sum_z
from detectable.sequential.boundaries import symmetric_stops, type_one_error
from detectable.sequential.design import design
from detectable.sequential.design_result import Design
from detectable.sequential.look_statistic import (
    expected_remaining,
    from_t,
    look_boundaries,
    paired_mean,
    paired_shares,
    preference,
    proportions,
    rank_sum,
    same_size,
    signed_rank,
    t_from_z,
    two_means,
    z_from_t,
)


def data(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(-20, 30, n).astype(float)


def as_z(t: float, p: float) -> float:
    """Return the z with a two-sided p-value and the sign of t."""
    return math.copysign(-float(ndtri(p / 2.0)), t)


def test_paired_mean_is_the_t_test() -> None:
    d = data(23)
    expected = stats.ttest_1samp(d, 0.0)
    found = paired_mean(d)
    assert found.z == pytest.approx(as_z(expected.statistic, expected.pvalue), rel=1e-10)
    assert found.estimate == pytest.approx(d.mean())
    assert found.standard_error == pytest.approx(stats.sem(d))
    assert (found.df, found.n_units, found.n_clusters) == (22.0, 23, None)
    assert found.unit_error() == pytest.approx(found.estimate / found.z)


def test_the_half_width_is_a_t_interval() -> None:
    d = data(12)
    interval = stats.ttest_1samp(d, 0.0).confidence_interval(0.95)
    half = paired_mean(d).half_width(-float(ndtri(0.025)))
    assert half == pytest.approx(0.5 * (interval.high - interval.low), rel=1e-10)
    assert paired_mean(d).half_width(math.inf) == math.inf


def test_limits_are_the_estimate_and_its_half_width() -> None:
    found = paired_mean(data(12))
    half = found.half_width(2.1)
    assert found.limits(2.1) == (found.estimate - half, found.estimate + half)
    assert found.limits(math.inf) == (-math.inf, math.inf)


def test_scores_of_two_values_have_the_statistic_of_mcnemar_and_the_limits_of_tango() -> None:
    found = paired_shares(np.repeat([100.0, -100.0, 0.0], [3, 12, 85]), span=100.0)
    assert found.z == pytest.approx(-9.0 / math.sqrt(15.0))
    assert found.z == pytest.approx(found.estimate / found.standard_error)
    assert (found.estimate, found.df, found.n_units, found.n_clusters) == (
        -9,
        math.inf,
        100,
        None,
    )
    interval = PairedShares(3, 12, 100, span=100.0).interval(0.95)
    assert found.limits(-float(ndtri(0.025))) == pytest.approx((interval.low, interval.high))
    assert found.limits(math.inf) == (-math.inf, math.inf)


def test_scores_of_two_values_in_clusters_are_read_as_t() -> None:
    d = np.repeat([1.0, -1.0, 0.0], [2, 9, 69])
    clusters = np.repeat(np.arange(10), 8)
    found = paired_shares(d, clusters)
    shares = PairedShares.of_differences(d, clusters)
    assert (found.shares, found.n_clusters) == (shares, 10)
    assert found.df == pytest.approx(9.0)
    t = shares.score(0.0)
    assert found.z == pytest.approx(as_z(t, 2.0 * stats.t.sf(abs(t), 9)), rel=1e-9)
    assert t == pytest.approx(found.estimate / found.standard_error)
    interval = shares.interval(0.95)
    assert found.limits(-float(ndtri(0.025))) == pytest.approx((interval.low, interval.high))


def test_answers_that_never_differ_have_limits_all_the_same() -> None:
    found = paired_shares(np.zeros(100))
    assert (found.z, found.estimate, found.standard_error) == (0.0, 0.0, math.inf)
    assert found.limits(2.0) == pytest.approx((-4.0 / 104.0, 4.0 / 104.0))


def test_clusters_are_those_of_statsmodels() -> None:
    import statsmodels.api as sm

    d = data(60)
    groups = np.repeat(np.arange(10), 6)  # of one size, where CR2 is statsmodels' CR1
    fit = sm.OLS(d, np.ones((60, 1))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = paired_mean(d, groups)
    # Its small-sample factor is G/(G − 1) · (N − 1)/(N − K), and K = 1 here.
    assert found.standard_error == pytest.approx(float(fit.bse[0]), rel=1e-10)
    t = float(fit.tvalues[0])
    assert found.z == pytest.approx(as_z(t, 2.0 * stats.t.sf(abs(t), 9)), rel=1e-9)
    assert (found.df, found.n_units, found.n_clusters) == (9.0, 60, 10)
    assert paired_mean(d, groups * 7 + 3).z == pytest.approx(found.z)  # names do not matter


def test_signed_rank_is_pratts() -> None:
    d = data(40)
    d[:9] = 0.0
    expected = stats.wilcoxon(d, zero_method="pratt", correction=False, method="asymptotic")
    found = signed_rank(d)
    assert abs(found.z) == pytest.approx(-float(ndtri(expected.pvalue / 2.0)), rel=1e-9)
    assert found.n_units == 40  # zeros are units
    assert signed_rank(-d).z == -found.z
    assert found.estimate / found.standard_error == pytest.approx(found.z)


@pytest.mark.parametrize("sizes", [(30, 30), (25, 50)])
def test_rank_sum_is_mann_whitneys(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 8, sizes[0]) + 1, rng.integers(0, 8, sizes[1])
    expected = stats.mannwhitneyu(a, b, use_continuity=False, method="asymptotic")
    found = rank_sum(a, b)
    assert found.z == pytest.approx(as_z(found.z, expected.pvalue), rel=1e-9)
    assert found.estimate == pytest.approx(expected.statistic / (a.size * b.size) - 0.5)
    assert found.estimate / found.standard_error == pytest.approx(found.z)


def test_counts_say_everything_that_ranks_do() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 101, 80), rng.integers(0, 101, 60)
    counts = [np.bincount(x, minlength=101) for x in (a, b)]
    z = rank_sum_z(counts[0][None], counts[1][None], 0.0)[0]
    assert rank_sum(a, b).z == pytest.approx(z, rel=1e-12)


def test_looks_take_the_rank_tests_of_everyone() -> None:
    from detectable.inference import classic_tests as rank_tests

    d = data(30)
    d[:4] = 0.0
    one, both = rank_tests.signed_rank(d), rank_tests.rank_sum(d, -2.0 * d)
    assert (signed_rank(d).z, signed_rank(d).estimate) == (one.z, one.effect)
    found = rank_sum(d, -2.0 * d)
    assert (found.z, found.estimate) == (both.z, both.probability - 0.5)
    nothing = signed_rank([0.0, 0.0, 0.0])
    assert (nothing.z, nothing.estimate, nothing.standard_error) == (0.0, 0.0, math.inf)
    assert (nothing.n_units, rank_sum([1, 1], [1, 1, 1, 1]).n_units) == (3, 3)


def test_a_balanced_rank_sum_keeps_its_standard_error() -> None:
    found = rank_sum([1, 2, 3, 4], [4, 3, 2, 1])
    assert found.z == 0.0
    assert math.isfinite(found.standard_error)


def test_two_means_are_welchs() -> None:
    a, b = data(20), data(31, seed=4) * 2.0
    expected = stats.ttest_ind(a, b, equal_var=False)
    found = two_means(a, b)
    assert found.z == pytest.approx(as_z(expected.statistic, expected.pvalue), rel=1e-10)
    assert found.df == pytest.approx(expected.df)
    assert found.n_units == same_size(20, 31) == 24


def test_proportions_are_pearsons() -> None:
    from statsmodels.stats.proportion import proportions_ztest

    a, b = np.repeat([1, 0], [40, 10]), np.repeat([1, 0], [33, 27])
    z, _ = proportions_ztest([40, 33], [50, 60])
    found = proportions(a, b)
    assert found.z == pytest.approx(z)
    assert found.estimate == pytest.approx(0.25)
    table = stats.chi2_contingency([[40, 10], [33, 27]], correction=False)
    assert found.z**2 == pytest.approx(table.statistic)
    assert proportions([1, 1], [1, 1]).z == 0.0


def test_preference_counts_units_without_a_winner() -> None:
    found = preference(30, 18, 12)
    assert found.z == pytest.approx(12 / math.sqrt(48))
    assert found.z**2 == pytest.approx(stats.chisquare([30, 18]).statistic)
    assert found.n_units == 60
    assert preference(0, 0, 5).z == 0.0


def test_t_and_z_go_back_and_forth() -> None:
    for z in (-6.0, -1.0, 0.3, 2.5, 7.0):
        assert z_from_t(t_from_z(z, 6.0), 6.0) == pytest.approx(z, rel=1e-9)
    assert z_from_t(1e30, 200.0) <= 38.0
    assert z_from_t(1.5, math.inf) == 1.5


def test_differences_without_spread() -> None:
    assert paired_mean(np.zeros(10)).z == 0.0
    with pytest.raises(DataError, match="all 10 differences are equal to 2"):
        paired_mean(np.full(10, 2.0))
    assert from_t(1.0, 0.5, 10.0, n_units=20).z == pytest.approx(z_from_t(2.0, 10.0))


# Type I error with documents of 10 segments, robust t with G − 1 df → z, as in the reference
# page, section 2.3: 10,000 runs there, SE .002.
PUBLISHED = {
    (7, 0.0): {"pocock": 0.054, "obrien-fleming": 0.054},
    (20, 0.05): {"pocock": 0.055, "obrien-fleming": 0.054},
    (50, 0.15): {"pocock": 0.054, "obrien-fleming": 0.052},
}


def document_paths(documents: int, icc: float, runs: int, seed: int) -> np.ndarray:
    """Return z at three looks, shape (runs, 3), of differences with document effects."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(3 * documents), 10)
    z = np.empty((runs, 3))
    for run in range(runs):
        effect = np.repeat(rng.normal(0.0, math.sqrt(icc), 3 * documents), 10)
        d = effect + rng.normal(0.0, math.sqrt(1.0 - icc), clusters.size)
        for k in range(3):
            n = (k + 1) * documents * 10
            z[run, k] = paired_mean(d[:n], clusters[:n]).z
    return z


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "icc"), PUBLISHED)
def test_type_one_error_with_documents(documents: int, icc: float) -> None:
    runs = 5000
    z = np.abs(document_paths(documents, icc, runs, seed=21))
    error = math.sqrt(0.05 * 0.95 * (1.0 / runs + 1.0 / 10_000))
    for family, published in PUBLISHED[documents, icc].items():
        rate = (z >= np.array(design(family, looks=3).z)).any(axis=1).mean()
        assert rate == pytest.approx(published, abs=3.0 * error)


# --- Boundaries at the looks that took place ---

THIRDS = (1 / 3, 2 / 3, 1.0)


def test_spending_families_are_those_of_the_design() -> None:
    made = design("hsd", looks=5)
    for times, final in (((0.2, 0.37), False), ((0.2, 0.37), True), ((0.4, 1.2), True)):
        found, expected = (
            look_boundaries(made, times, final=final),
            made.boundaries_for(times, final=final),
        )
        assert found.z == expected.z
        assert found.alpha_spent == expected.alpha_spent
        assert found.futility == expected.futility[-1]


@pytest.mark.golden
def test_classical_families_at_planned_times() -> None:
    made = design("obrien-fleming", looks=3)
    assert look_boundaries(made, THIRDS).z == pytest.approx(
        [3.471091, 2.454432, 2.004036], abs=1e-6
    )
    assert look_boundaries(made, THIRDS[:2]).z == pytest.approx([3.471091, 2.454432], abs=1e-6)
    assert look_boundaries(made, THIRDS).alpha_spent[-1] == pytest.approx(0.05, abs=1e-6)
    assert look_boundaries(made, THIRDS[:2]).futility == made.futility[1]


def test_a_look_that_is_left_out_makes_the_test_stricter() -> None:
    made = design("pocock", looks=3)
    found = look_boundaries(made, (2 / 3, 1.0))
    assert found.z == pytest.approx([2.289478, 2.289478], abs=1e-6)
    assert found.alpha_spent[-1] < 0.05


@pytest.mark.parametrize("sided", [1, 2])
@pytest.mark.parametrize("family", ["pocock", "obrien-fleming", "haybittle-peto"])
@pytest.mark.parametrize("times", [(0.8,), (1 / 3, 0.5), (1 / 3, 2 / 3), (1 / 3, 2 / 3, 1.1)])
def test_a_declared_end_spends_all_of_alpha(
    family: str, times: tuple[float, ...], sided: int
) -> None:
    made = design(family, looks=3, sided=sided)
    found = look_boundaries(made, times, final=True)
    stops = symmetric_stops(times, found.z, sided=sided)
    assert type_one_error(stops) == pytest.approx(0.05, abs=1e-6)
    assert found.z[:-1] == made.z[: len(times) - 1]
    assert found.futility is None


def test_other_times_are_refused() -> None:
    made = design("pocock", looks=3)
    with pytest.raises(InputError, match="must be planned times of the family pocock"):
        look_boundaries(made, (0.5,))
    with pytest.raises(InputError, match="must be planned times of the family pocock"):
        look_boundaries(made, (0.5, 2 / 3), final=True)
    with pytest.raises(InputError, match="must increase"):
        look_boundaries(made, (2 / 3, 1 / 3))


@pytest.mark.slow
def test_ending_early_because_of_the_data_breaks_the_error_rate() -> None:
    # The numbers that the tutorial warns with: an end for outside reasons keeps .05, an end
    # whenever it would be significant does not.
    made, runs = design("hsd", looks=10), 200_000
    rng = np.random.default_rng(2)
    t = np.array(made.information)
    paths = np.cumsum(rng.standard_normal((runs, 10)) * np.sqrt(0.1), axis=1)
    z = np.abs(paths / np.sqrt(t))
    last = np.array(
        [look_boundaries(made, made.information[: k + 1], final=True).z[-1] for k in range(10)]
    )
    end = rng.integers(2, 10, runs)
    looks = np.arange(10)
    bound = np.where(looks == end[:, None], last, np.array(made.z))
    honest = ((z >= bound) & (looks <= end[:, None])).any(axis=1).mean()
    assert honest == pytest.approx(0.05, abs=3.0 * (0.05 * 0.95 / runs) ** 0.5)
    cheating = (z >= last).any(axis=1).mean()
    assert cheating == pytest.approx(0.187, abs=0.003)


# --- What is expected to be needed after a look, against simulation ---


def simulated(plan: Design, t: float, z: float, drift: float, runs: int) -> tuple[float, float]:
    """Return the mean share still needed and its standard error."""
    rng = np.random.default_rng(5)
    total, now = np.full(runs, z * math.sqrt(t)), t
    going, used = np.ones(runs, dtype=bool), np.zeros(runs)
    for k, time in enumerate(plan.information):
        if time <= t + 1e-9:
            continue
        step = time - now
        total = total + drift * step + math.sqrt(step) * rng.standard_normal(runs)
        now = time
        used[going] = time - t
        at = total / math.sqrt(time)
        size = np.abs(at) if plan.sided == 2 else at
        stop = size >= plan.z[k]
        if (bound := plan.futility[k]) is not None:
            stop |= size < bound
        going &= ~stop
    return float(used.mean()), float(used.std() / math.sqrt(runs))


@pytest.mark.parametrize(
    ("sided", "t", "z", "drift"),
    [
        (2, 0.5, 2.5, None),
        (2, 0.5, 0.5, 0.0),
        (2, 0.3, -1.0, None),
        (2, 0.15, 0.5, 3.0),  # between two planned looks
        (1, 0.4, 1.2, None),
        (1, 0.4, 1.2, 0.0),
    ],
)
def test_the_expected_rest_is_that_of_simulation(
    sided: int, t: float, z: float, drift: float | None
) -> None:
    plan = design("hsd", looks=10, sided=sided)
    found = expected_remaining(plan, t=t, z=z, drift=drift)
    assumed = z / math.sqrt(t) if drift is None else drift
    mean, error = simulated(plan, t, z, assumed, 100_000)
    assert found == pytest.approx(mean, abs=4.0 * error)


def test_nothing_remains_at_the_end() -> None:
    assert expected_remaining(design("hsd", looks=5), t=1.0, z=1.0) == 0.0


def test_directions_mirror_each_other() -> None:
    plan = design("ld-obf", looks=4)
    up, down = (expected_remaining(plan, t=0.25, z=z) for z in (1.3, -1.3))
    assert up == pytest.approx(down)
