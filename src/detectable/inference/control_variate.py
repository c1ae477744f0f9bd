"""The mean of a human score on a sample, corrected by a metric known on the whole pool."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import Target
from detectable.core.types import FloatArray, IntArray
from detectable.inference.cluster_mean import cluster_sums, small_sample_factor
from detectable.inference.delta import Estimate
from detectable.kernels.exact_mean import exact_mean


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A mean with and without the metric."""

    adjusted: Estimate
    plain: Estimate
    slope: float  # λ: change of the human score per unit of the metric
    correlation: float  # of human score and metric on the judged items
    n_judged: int
    n_pool: int
    influence: FloatArray  # of every item of the pool on the adjusted mean
    plain_influence: FloatArray

    @property
    def power_tuning(self) -> float:
        """λ as PPI++ counts it, against the items that were not judged.

        There the pool excludes the n judged items, and λ = Cov / (Var(f) (1 + n / N')) with
        N' = N − n. It is the slope times 1 − n/N, and the estimate is the same.
        """
        return self.slope * (1.0 - self.n_judged / self.n_pool)


def control_variate(
    human: FloatArray,
    metric: FloatArray,
    *,
    clusters: IntArray | None = None,
    target: Target = "domain",
) -> Adjusted:
    r"""Estimate a mean with a control variate.

    .. math::

        \hat\theta = \bar h - \lambda (\bar f_{judged} - \bar f_{pool}), \qquad
        \lambda = \mathrm{Cov}(h, f) / \mathrm{Var}(f)

    with, for n judged items of a pool of N that contains them,

    .. math::

        SE^2 = s_e^2 \Big(\frac1n + \frac{(\bar f_{pool} - \bar f)^2}{S_{ff}}\Big)
               + \lambda^2 \frac{s_f^2}{N},

    e the residuals of the least-squares line (n − 2 degrees of freedom). The first bracket is
    that of a regression line; its second term is the price of an estimated λ. The last term is
    for the pool being a sample of the domain. For the mean of this test set it falls away, and
    1/n becomes 1/n − 1/N. With clusters (documents) the standard error is the sandwich over
    clusters of the items' influence, with (clusters judged − 1) degrees of freedom.

    Parameters
    ----------
    human : array of shape (N,)
        Human scores of the pool's items, NaN where an item was not judged.
    metric : array of shape (N,)
        Metric scores of all items.
    clusters : array of int, optional
        The document of each item.

    References
    ----------
    Chaganty, Mussmann and Liang (2018), ACL; Angelopoulos, Duchi and Zrnic (2023), "PPI++:
    efficient prediction-powered inference", arXiv:2311.01453, section 6 (power tuning);
    Cochran (1977), Sampling Techniques, chapter 7 (regression estimator).
    """
    judged = ~np.isnan(human)
    h, f = human[judged], metric[judged]
    n, size = h.size, metric.size
    off = f - f.mean()
    spread = float(off @ off)
    scale = float(np.abs(metric).max())
    usable = n > 2 and spread > 1e-20 * n * scale**2
    slope = float(off @ (h - h.mean())) / spread if usable else 0.0
    gap = float(metric.mean() - f.mean())
    residual = h - h.mean() - slope * off
    weight = 1.0 / n + (gap * off / spread if usable else np.zeros(n))
    adjusted_influence, plain_influence = np.zeros(size), np.zeros(size)
    adjusted_influence[judged] = residual * weight
    plain_influence[judged] = (h - h.mean()) / n
    if target == "domain":
        adjusted_influence += slope * (metric - metric.mean()) / size
    used = 2 if usable else 1  # parameters: mean and slope
    fit = _Fit(residual, gap**2 / spread if usable else 0.0, slope, metric, used)
    if clusters is None:
        error, df = fit.error(target)
        plain_error = float(np.sqrt((h - h.mean()) @ (h - h.mean()) / (n - 1.0) / n))
        plain_df = n - 1.0
        if target == "test-set":
            plain_error *= (1.0 - n / size) ** 0.5
    else:
        error, df = sandwich(adjusted_influence, clusters, judged, target, parameters=used)
        plain_error, plain_df = sandwich(
            plain_influence, clusters, judged, target, parameters=1
        )
    total = float(np.square(h - h.mean()).sum())
    explained = slope * np.sqrt(spread / total) if total > 0.0 else 0.0
    return Adjusted(
        adjusted=Estimate(exact_mean(h) + slope * gap, error, df),
        plain=Estimate(exact_mean(h), plain_error, plain_df),
        slope=slope,
        correlation=float(np.clip(explained, -1.0, 1.0)),
        n_judged=n,
        n_pool=size,
        influence=adjusted_influence,
        plain_influence=plain_influence,
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    residual: FloatArray
    leverage: float  # of the pool's mean, beyond 1/n
    slope: float
    metric: FloatArray
    parameters: int

    def error(self, target: Target) -> tuple[float, float]:
        """Return the standard error with items as units, and its degrees of freedom."""
        df = float(self.residual.size - self.parameters)
        noise = float(self.residual @ self.residual) / df
        n, size = self.residual.size, self.metric.size
        if target == "test-set":
            return float(np.sqrt(noise * (1.0 / n - 1.0 / size + self.leverage))), df
        pool = self.slope**2 * float(self.metric.var(ddof=1)) / size
        return float(np.sqrt(noise * (1.0 / n + self.leverage) + pool)), df


def sandwich(
    influence: FloatArray,
    clusters: IntArray,
    judged: np.ndarray,
    target: Target,
    *,
    parameters: int,
) -> tuple[float, float]:
    """Return the cluster-robust standard error of a sum of influences, and its df.

    As in `cluster_mean`, with the factor G/(G − 1) · (n − 1)/(n − parameters), the «CR1» of
    econometrics, for G judged clusters. For the mean of this test set the variance is cut by the share of its
    clusters that were judged.
    """
    n = int(judged.sum())
    judged_clusters = np.unique(clusters[judged]).size
    if judged_clusters < 2 or n <= parameters:
        return float("nan"), float("nan")
    sums = cluster_sums(influence, clusters)
    factor = float(small_sample_factor(np.array(judged_clusters)))
    factor *= (n - 1.0) / (n - parameters)
    if target == "test-set":
        factor *= 1.0 - judged_clusters / np.unique(clusters).size
    return float(np.sqrt(factor * (sums @ sums))), judged_clusters - 1.0
