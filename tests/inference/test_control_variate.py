"""Control variates: least squares as statsmodels does it, coverage, and the variance saved."""

from typing import Any

import numpy as np
import pytest

from detectable.core.choices import Target
from detectable.inference.control_variate import control_variate, sandwich


def draw(
    rng: np.random.Generator, *, n: int, size: int, rho: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return human scores of a random n of `size` items, and the metric of all."""
    metric = rng.normal(0.7, 0.1, size)
    human = 60 + 10 * (rho * (metric - 0.7) / 0.1 + (1 - rho**2) ** 0.5 * rng.normal(size=size))
    human[rng.permutation(size)[n:]] = np.nan
    return human, metric


@pytest.mark.golden
def test_least_squares_are_those_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    human, metric = draw(np.random.default_rng(1), n=60, size=400, rho=0.6)
    judged = ~np.isnan(human)
    fit = sm.OLS(human[judged], sm.add_constant(metric[judged])).fit()
    at_pool = fit.get_prediction(np.array([[1.0, metric.mean()]]))
    found = control_variate(human, metric)
    assert found.slope == pytest.approx(fit.params[1], rel=1e-10)
    assert found.adjusted.value == pytest.approx(float(at_pool.predicted_mean[0]), rel=1e-12)
    pool = found.slope**2 * metric.var(ddof=1) / 400
    error = (float(at_pool.se_mean[0]) ** 2 + pool) ** 0.5
    assert found.adjusted.standard_error == pytest.approx(error, rel=1e-10)
    assert found.adjusted.df == fit.df_resid
    assert found.correlation == pytest.approx(fit.rsquared**0.5)
    # The mean of this test set: nothing is left to learn about the judged items themselves,
    # if raters make no errors.
    own = control_variate(human, metric, target="test-set", noise=0.0)
    cut = float(at_pool.se_mean[0]) ** 2 - fit.scale / 400
    assert own.adjusted.standard_error == pytest.approx(cut**0.5, rel=1e-10)


@pytest.mark.golden
def test_clusters_are_those_of_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    human, metric = draw(rng, n=120, size=120, rho=0.5)
    documents = np.repeat(np.arange(15), 8)
    human += rng.normal(0, 5, 15)[documents]
    # With all items judged and the pool's mean at hand, the standard error of the intercept of
    # a line centred at that mean is the whole answer for the test set, but for its factor.
    design = sm.add_constant(metric - metric.mean())
    fit = sm.OLS(human, design).fit(cov_type="cluster", cov_kwds={"groups": documents})
    found = control_variate(human, metric, clusters=documents)
    assert found.adjusted.df == 14
    pool_only = np.bincount(documents, found.influence - _residual_part(human, metric))
    assert np.abs(pool_only).max() > 0
    factor = 15 / 14 * 119 / 118
    residual = np.bincount(documents, _residual_part(human, metric))
    assert (factor * residual @ residual) ** 0.5 == pytest.approx(float(fit.bse[0]), rel=1e-10)
    total = np.bincount(documents, found.influence)
    assert found.adjusted.standard_error == pytest.approx((factor * total @ total) ** 0.5)


def _residual_part(human: np.ndarray, metric: np.ndarray) -> np.ndarray:
    slope, intercept = np.polyfit(metric, human, 1)
    residual: np.ndarray = (human - intercept - slope * metric) / human.size
    return residual


def test_it_is_ppi_with_power_tuning() -> None:
    human, metric = draw(np.random.default_rng(3), n=80, size=300, rho=0.4)
    judged = ~np.isnan(human)
    h, f, rest = human[judged], metric[judged], metric[~judged]
    tuned = np.cov(h, f)[0, 1] / (f.var(ddof=1) * (1 + 80 / 220))
    found = control_variate(human, metric)
    assert found.power_tuning == pytest.approx(tuned)
    assert found.adjusted.value == pytest.approx(tuned * rest.mean() + np.mean(h - tuned * f))


def test_a_constant_metric_leaves_the_plain_mean() -> None:
    human = np.array([50.0, 60.0, 80.0, np.nan, np.nan])
    found = control_variate(human, np.full(5, 0.3))
    assert (found.slope, found.correlation) == (0.0, 0.0)
    assert found.adjusted == found.plain


def test_a_perfect_metric_leaves_the_error_of_the_pool() -> None:
    metric = np.arange(20.0)
    human = np.where(metric % 2 == 0, 3 * metric + 1, np.nan)
    found = control_variate(human, metric)
    assert found.adjusted.value == pytest.approx(3 * metric.mean() + 1)
    error = 3 * metric.std(ddof=1) / 20**0.5
    assert found.adjusted.standard_error == pytest.approx(error)
    exact = control_variate(human, metric, target="test-set")
    assert exact.adjusted.standard_error == pytest.approx(0.0, abs=1e-6)


def test_everything_judged_is_the_plain_mean() -> None:
    human, metric = draw(np.random.default_rng(4), n=50, size=50, rho=0.7)
    found = control_variate(human, metric)
    assert found.adjusted.value == pytest.approx(human.mean())
    assert found.adjusted.standard_error == pytest.approx(found.plain.standard_error, rel=0.02)


def simulate(trials: int, target: Target, **design: Any) -> tuple[float, float, float]:
    """Return coverage, and the variance with the metric / without, with its standard error."""
    rng = np.random.default_rng(5)
    hits, adjusted, plain = 0, [], []
    for _ in range(trials):
        n = design["n"]
        human, metric = draw(rng, n=design["size"], size=design["size"], rho=design["rho"])
        truth = 60.0 if target == "domain" else human.mean()
        human[rng.permutation(human.size)[n:]] = np.nan
        found = control_variate(human, metric, target=target, noise=0.0)
        hits += truth in found.adjusted.interval(0.95)
        adjusted.append(found.adjusted.value - truth)
        plain.append(found.plain.value - truth)
    a, b = np.square(adjusted), np.square(plain)
    ratio = a.mean() / b.mean()
    error = np.std(a / b.mean() - ratio * b / b.mean()) / trials**0.5
    return hits / trials, ratio, float(error)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["domain", "test-set"])
def test_intervals_cover_and_the_variance_falls_by_rho_squared(target: Target) -> None:
    trials = 2000
    coverage, ratio, error = simulate(trials, target, n=50, size=2000, rho=0.6)
    assert coverage == pytest.approx(0.95, abs=3 * (0.05 * 0.95 / trials) ** 0.5)
    # (1 - ρ²)(1 + 1/(n-3)) for the estimated slope, and ρ² n/N for the pool.
    expected = (1 - 0.36) * (1 + 1 / 47)
    expected += 0.36 * 50 / 2000 if target == "domain" else 0.0
    assert ratio == pytest.approx(expected, abs=3 * error)


@pytest.mark.slow
def test_intervals_with_documents_cover() -> None:
    rng, trials, hits = np.random.default_rng(6), 3000, 0
    documents = np.repeat(np.arange(200), 5)
    for _ in range(trials):
        metric = rng.normal(0.7, 0.1, 1000) + rng.normal(0, 0.1, 200)[documents]
        human = 60 + 50 * (metric - 0.7) + rng.normal(0, 8, 1000)
        human += rng.normal(0, 5, 200)[documents]
        chosen = rng.permutation(200)[:25]
        human[~np.isin(documents, chosen)] = np.nan
        found = control_variate(human, metric, clusters=documents)
        hits += 60.0 in found.adjusted.interval(0.95)
    # The sandwich over 25 documents is a little short, as it is everywhere: .946 was measured.
    assert hits / trials > 0.94 - 3 * (0.05 * 0.95 / trials) ** 0.5


# Three of five items judged: f̄ = 2 of 1, 2, 3; the pool's f̄ is 4 of 1, 2, 3, 6, 8.
HUMAN = np.array([10.0, 14.0, 12.0, np.nan, np.nan])
METRIC = np.array([1.0, 2.0, 3.0, 6.0, 8.0])


@pytest.mark.parametrize("target", ["domain", "test-set"])
def test_three_items_by_hand(target: Target) -> None:
    found = control_variate(HUMAN, METRIC, target=target, noise=0.0)
    # Slope (−1·(−2) + 0·2 + 1·0) / 2 = 1; residuals −1, 2, −1 with 1 degree of freedom.
    assert (found.slope, found.n_judged, found.n_pool) == (1.0, 3, 5)
    assert found.adjusted.value == 12.0 + 1.0 * (4.0 - 2.0)
    assert (found.adjusted.df, found.plain.value, found.plain.df) == (1.0, 12.0, 2.0)
    leverage = (4.0 - 2.0) ** 2 / 2.0
    # Σ(f − 4)² of the pool is 9 + 4 + 1 + 4 + 16 = 34.
    variance = {
        "domain": 6.0 * (1 / 3 + leverage) + 34.0 / 4.0 / 5.0,
        "test-set": 6.0 * (1 / 3 - 1 / 5 + leverage),
    }[target]
    assert found.adjusted.standard_error == pytest.approx(variance**0.5)
    plain = 4.0 / 3.0 * (1.0 if target == "domain" else 1.0 - 3 / 5)
    assert found.plain.standard_error == pytest.approx(plain**0.5)
    assert found.correlation == pytest.approx(0.5)  # 2 / √(2 · 8)
    assert found.power_tuning == pytest.approx(1.0 - 3 / 5)
    # Each judged item weighs 1/3 + gap · (f − f̄) / S.
    weights = 1 / 3 + 2.0 * np.array([-1.0, 0.0, 1.0]) / 2.0
    expected = np.zeros(5)
    expected[:3] = np.array([-1.0, 2.0, -1.0]) * weights
    if target == "domain":
        expected += 1.0 * (METRIC - 4.0) / 5.0
    assert found.influence.tolist() == pytest.approx(expected.tolist())
    assert found.plain_influence.tolist() == pytest.approx([-2 / 3, 2 / 3, 0.0, 0.0, 0.0])


def test_two_items_have_no_slope() -> None:
    found = control_variate(np.array([1.0, 3.0, np.nan]), np.array([1.0, 2.0, 9.0]))
    assert (found.slope, found.adjusted.value, found.correlation) == (0.0, 2.0, 0.0)
    assert found.adjusted == found.plain


def test_scores_that_do_not_differ_have_no_correlation() -> None:
    found = control_variate(np.array([2.0, 2.0, 2.0, np.nan]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found.slope, found.correlation, found.adjusted.standard_error) == (0.0, 0.0, 0.0)


def test_noise_of_raters_is_not_cut_by_hand() -> None:
    # As above: residual variance 6, leverage 2, three of five items; plain variance 4.
    found = control_variate(HUMAN, METRIC, target="test-set", noise=1.0)
    assert found.adjusted.standard_error**2 == pytest.approx(6.0 * (1 / 3 + 2.0) - 5.0 / 5)
    assert found.plain.standard_error**2 == pytest.approx(4.0 / 3 - 3.0 / 5)
    for noise in (None, 7.0):  # all of it may be noise
        safe = control_variate(HUMAN, METRIC, target="test-set", noise=noise)
        assert safe.adjusted.standard_error**2 == pytest.approx(6.0 * (1 / 3 + 2.0))
        assert safe.plain.standard_error**2 == pytest.approx(4.0 / 3)
    domain = [control_variate(HUMAN, METRIC, noise=noise).adjusted for noise in (None, 0.0)]
    assert domain[0] == domain[1]


def test_the_sandwich_by_hand() -> None:
    influence = np.array([1.0, 2.0, -3.0, 0.5, 0.5])
    clusters, judged = np.array([0, 0, 1, 2, 3]), np.array([True, True, True, True, False])
    # Sums 3, −3, ½, ½; three judged clusters of four, all whole; four judged items.
    error, df = sandwich(influence, clusters, judged, parameters=2)
    assert (error**2, df) == pytest.approx((3 / 2 * 3 / 2 * 18.5, 2.0))
    one = np.array([True, True, False, False, False])
    assert np.isnan(sandwich(influence, clusters, one, parameters=1)).all()
    assert np.isnan(sandwich(influence, clusters, judged, parameters=4)).all()


def test_only_whole_clusters_of_a_test_set_are_known() -> None:
    influence = np.array([1.0, 2.0, -3.0, 0.5, 0.0])
    clusters, weights = np.array([0, 0, 1, 2, 3]), np.full(4, 0.25)

    def squared(judged: list[bool], weights: np.ndarray, noise: float) -> float:
        known = np.array(judged)
        error, _ = sandwich(
            influence, clusters, known, parameters=2, weights=weights, noise=noise
        )
        return error**2

    whole = [True, True, True, True, False]
    # Sums 3, −3, ½: without noise three of four clusters are known.
    assert squared(whole, weights, 0.0) == pytest.approx(3 / 2 * 3 / 2 * 18.25 * (1 - 3 / 4))
    # Noise 4 that a cluster shares: 4 (½² + ¼² + ¼²) of the sums of squares are noise.
    assert squared(whole, weights, 4.0) == pytest.approx(
        9 / 4 * (18.25 - 3 / 4 * (18.25 - 1.5))
    )
    assert squared(whole, weights, 99.0) == pytest.approx(9 / 4 * 18.25)
    # The first cluster was judged in part: only the other two of four are known.
    influence[0] = 0.0
    part = [False, True, True, True, False]
    sums, known = 4.0 + 9.0 + 0.25, 9.0 + 0.25
    expected = 3 / 2 * 2 / 1 * (sums - 2 / 4 * known)
    assert squared(part, weights[1:], 0.0) == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("judged", [0.3, 0.8])
def test_a_test_set_with_noisy_raters_is_not_known(judged: float) -> None:
    """Before, 1 − n/N was a factor of the noise too: .09 and .34 false claims, not .05."""
    rng, trials, size = np.random.default_rng(7), 2000, 200
    wrong = {None: 0, 64.0: 0}
    for _ in range(trials):
        metric = rng.normal(size=size)
        quality = 3.0 * metric + rng.normal(0, 4, size)
        quality -= quality.mean()
        human = quality + rng.normal(0, 8, size)
        human[rng.permutation(size)[round(judged * size) :]] = np.nan
        for noise in wrong:
            found = control_variate(human, metric, target="test-set", noise=noise)
            wrong[noise] += found.adjusted.p_value() <= 0.05
    error = (0.05 * 0.95 / trials) ** 0.5
    assert wrong[None] / trials <= 0.05 + 3 * error
    assert wrong[64.0] / trials == pytest.approx(0.05, abs=3 * error)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_a_test_set_of_documents_with_noisy_raters_is_not_known(whole: bool) -> None:
    """Before, the noise was cut and documents touched were known: .22 and .62 false claims."""
    rng, trials = np.random.default_rng(8), 1000
    documents = np.repeat(np.arange(40), 10)
    wrong = {None: 0, 64.0: 0, 0.0: 0}
    for _ in range(trials):
        metric = rng.normal(size=400)
        quality = 3.0 * metric + rng.normal(0, 4, 400) + rng.normal(0, 3, 40)[documents]
        quality -= quality.mean()
        order = rng.permutation(40)[documents] if whole else rng.permutation(400)
        judged = order < (32 if whole else 100)
        for noise in wrong:
            human = (
                quality + rng.normal(0, 1, 400) * (noise if noise is not None else 64.0) ** 0.5
            )
            human[~judged] = np.nan
            found = control_variate(
                human, metric, clusters=documents, target="test-set", noise=noise
            )
            wrong[noise] += found.adjusted.p_value() <= 0.05
    error = (0.05 * 0.95 / trials) ** 0.5
    for count in wrong.values():
        # One point more for the sandwich over few documents, which is a little short.
        assert count / trials <= 0.06 + 3 * error
