"""What other tools would say of a pair, in closed form and fast: hundreds of thousands of data sets.

tests/calibration/test_small_samples.py holds every formula to the tool that it stands for.
"""

import math

import numpy as np

from detectable.core.types import FloatArray, IntArray


def t_p(values: FloatArray) -> float:
    """Return p of ``scipy.stats.ttest_1samp(values, 0)``."""
    from scipy.special import stdtr

    error = math.sqrt(float(values.var(ddof=1)) / values.size)
    return 2.0 * float(stdtr(values.size - 1.0, -abs(float(values.mean())) / error))


def cluster_robust_p(values: FloatArray, clusters: IntArray) -> float:
    """Return p of statsmodels' ``OLS(values, 1).fit(cov_type="cluster")``: CR1, normal."""
    from scipy.special import ndtr

    n, mean = values.size, float(values.mean())
    sums = np.bincount(clusters, values - mean)
    variance = float(np.square(sums).sum()) / n**2
    # Its small-sample factor; with an intercept alone (n − 1)/(n − 1) cancels.
    variance *= sums.size / (sums.size - 1.0)
    return 2.0 * float(ndtr(-abs(mean) / math.sqrt(variance)))


def signed_rank_p(values: FloatArray) -> float:
    """Return p of ``scipy.stats.wilcoxon(values, method="asymptotic")``, without ties."""
    from scipy.special import ndtr

    n = values.size
    ranks = np.empty(n)
    ranks[np.argsort(np.abs(values))] = np.arange(1, n + 1)
    above = float(ranks[values > 0.0].sum())
    z = (above - n * (n + 1) / 4.0) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
    return 2.0 * float(ndtr(-abs(z)))


def rank_sum_p(ours: FloatArray, theirs: FloatArray) -> float:
    """Return the smaller one-sided p of ``scipy.stats.mannwhitneyu``, asymptotic, without ties.

    WMT tests the system with the higher mean against the other, one-sided: either may win.
    """
    from scipy.special import ndtr

    n, m = ours.size, theirs.size
    ranks = np.empty(n + m)
    ranks[np.argsort(np.concatenate([ours, theirs]))] = np.arange(1, n + m + 1)
    wins = float(ranks[:n].sum()) - n * (n + 1) / 2.0
    away = abs(wins - n * m / 2.0) - 0.5
    return float(ndtr(-away / math.sqrt(n * m * (n + m + 1) / 12.0)))


def sacrebleu_bootstrap_p(
    values: FloatArray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return p of sacreBLEU's paired bootstrap for a mean: it centres absolute differences."""
    n = values.size
    drawn = np.abs(values[rng.integers(0, n, (n_resamples, n))].mean(axis=1))
    beyond = int((drawn - drawn.mean() > abs(float(values.mean()))).sum())
    return (beyond + 1.0) / (n_resamples + 1.0)


def mcnemar_p(fixed: int, broken: int) -> float:
    """Return p of statsmodels' ``mcnemar(table, exact=True)``."""
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(fixed, broken), fixed + broken, 0.5)))
