"""Bootstrap: theory, invariants, repeatability."""

import numpy as np
import pytest

from detectable.inference.bootstrap import bootstrap, centred_p, interval
from tests.samples import mean_sample


def test_the_spread_of_a_mean_is_its_standard_error() -> None:
    scores = np.random.default_rng(1).normal(size=400)
    draws = bootstrap((mean_sample(scores, scores + 1),), n_resamples=20_000, rng=2).scores[
        :, 0, 0
    ]
    expected = scores.std() / 400**0.5  # the bootstrap divides by n, not n − 1
    # The relative standard error of a standard deviation from R draws is 1 / sqrt(2R).
    assert draws.std() == pytest.approx(expected, rel=4 / (2 * 20_000) ** 0.5)


def test_intervals_agree_with_scipy() -> None:
    from scipy.stats import bootstrap as scipy_bootstrap

    scores = np.random.default_rng(3).gamma(2.0, size=60)
    sample = mean_sample(scores, scores)
    draws = bootstrap((sample,), n_resamples=40_000, rng=4).scores[:, 0, 0]
    influence = sample.influence(0)[0]
    for method, name in (("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")):
        ours = interval(method, float(scores.mean()), draws, influence, level=0.95)  # type: ignore[arg-type]
        theirs = scipy_bootstrap(
            (scores,), np.mean, n_resamples=40_000, method=name, rng=np.random.default_rng(5)
        ).confidence_interval
        # The standard error of an extreme quantile of R draws is about
        # sqrt(.025 · .975 / R) / density; the density of a normal at 1.96 is .058 / sd.
        error = 4 * (0.025 * 0.975 / 40_000) ** 0.5 / 0.058 * draws.std() * 2**0.5
        assert ours.low == pytest.approx(theirs.low, abs=error)
        assert ours.high == pytest.approx(theirs.high, abs=error)


def test_bca_of_constant_data_is_a_point() -> None:
    found = interval("bca", 2.0, np.full(100, 2.0), np.zeros(30), level=0.95)
    assert (found.low, found.high) == (2.0, 2.0)


def test_the_test_is_symmetric_and_reaches_one() -> None:
    draws = np.random.default_rng(1).normal(0.3, 1.0, 999)
    assert centred_p(0.3, draws) == centred_p(-0.3, -draws)
    assert centred_p(0.0, draws - draws) == 1.0


@pytest.mark.parametrize(("kind", "rounding"), [("counts", 0.0), ("real", 1e-12)])
def test_the_batch_size_does_not_change_the_answer(
    kind: str, rounding: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sums of counts are exact; sums of real numbers may round otherwise in another batch.
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 5, 90) if kind == "counts" else rng.normal(size=90)
    sample = mean_sample(scores, np.ones(90))
    whole = bootstrap((sample,), n_resamples=700, rng=9).scores
    monkeypatch.setattr("detectable.kernels.resample._CELLS", 7 * 90)
    split = bootstrap((sample,), n_resamples=700, rng=9).scores
    assert whole == pytest.approx(split, rel=0.0, abs=rounding)


def test_processes_give_the_same_numbers() -> None:
    sample = mean_sample(np.arange(200.0), np.ones(200))
    here = bootstrap((sample,), n_resamples=1100, rng=9).scores
    assert np.array_equal(here, bootstrap((sample,), n_resamples=1100, rng=9, n_jobs=2).scores)


def test_runs_are_averaged_within_their_system() -> None:
    runs = np.stack([np.zeros(10), np.full(10, 4.0), np.full(10, 2.0)])
    draws = bootstrap((mean_sample(runs, np.ones(10)),), n_resamples=5, rng=1).scores
    assert draws[:, :, 0].tolist() == [[2.0, 1.0]] * 5


def test_the_centred_p_value_by_hand() -> None:
    # Moved by the observed 2, the draws are −2, −1, 0, 1, 3: two are as far from 0 as 2 is.
    assert centred_p(2.0, np.array([0.0, 1.0, 2.0, 3.0, 5.0])) == 3 / 6
    assert centred_p(-2.0, np.array([0.0, -1.0, -2.0, -3.0, -5.0])) == 3 / 6


def test_intervals_by_hand() -> None:
    draws = np.linspace(0.0, 10.0, 101)  # the quantile of q is 10 q
    flat = np.array([-1.0, 0.0, 1.0])  # no skewness: the acceleration is 0
    percentile = interval("percentile", 4.0, draws, flat, level=0.8)
    assert (percentile.low, percentile.high, percentile.level) == pytest.approx((1, 9, 0.8))
    basic = interval("basic", 4.0, draws, flat, level=0.8)
    assert (basic.low, basic.high) == pytest.approx((-1.0, 7.0))


def test_bca_by_hand() -> None:
    from scipy.stats import norm

    draws = np.linspace(0.0, 10.0, 101)
    # 40 of 101 draws lie below 4 and one is equal, which counts half.
    bias = norm.ppf(40.5 / 101)
    for influence, acceleration in (
        (np.array([-1.0, 0.0, 1.0]), 0.0),
        (np.array([-1.0, -1.0, 2.0]), 6.0 / (6.0 * 6.0**1.5)),
    ):
        ends = [
            10 * norm.cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)))
            for z in norm.ppf([0.1, 0.9])
        ]
        found = interval("bca", 4.0, draws, influence, level=0.8)
        assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize("beyond", [-1.0, 11.0])
def test_bca_stays_finite_where_all_draws_lie_on_one_side(beyond: float) -> None:
    from scipy.stats import norm

    draws = np.linspace(0.0, 10.0, 101)
    found = interval("bca", beyond, draws, np.array([-1.0, 0.0, 1.0]), level=0.8)
    share = 1 / 202 if beyond < 0 else 201 / 202  # half a draw
    ends = [10 * norm.cdf(2 * norm.ppf(share) + z) for z in norm.ppf([0.1, 0.9])]
    assert (found.low, found.high) == pytest.approx(ends)


def test_differences_are_system_less_baseline_under_the_metric_asked_for() -> None:
    sample = mean_sample(np.full(5, 3.0), np.full(5, 1.0))
    other = mean_sample(np.full(5, 10.0), np.full(5, 30.0))
    draws = bootstrap((sample, other), n_resamples=2, rng=1)
    assert draws.difference(0, 1, 0).tolist() == [2.0, 2.0]
    assert draws.difference(0, 1, 1).tolist() == [-20.0, -20.0]


@pytest.mark.parametrize("scale", [1e-13, 1e-9, 1.0, 1e13])
def test_p_does_not_depend_on_the_unit_of_the_scores(scale: float) -> None:
    draws = np.random.default_rng(5).integers(-9, 9, 999) / 10  # many ties with ±.3
    assert centred_p(scale * 0.3, scale * draws) == centred_p(0.3, draws) < 1.0
    # At a score of 1e9 a difference is known to about 1e-7: what is closer is a tie.
    rough = draws + np.random.default_rng(6).uniform(-1e-7, 1e-7, draws.size)
    assert centred_p(0.3, rough, score=1e9) == centred_p(0.3, draws)
