"""The mean of a human score on a sample, corrected by a metric known on the whole pool."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import Target
from detectable.core.types import FloatArray, IntArray
from detectable.inference.standard_errors import Estimate, cluster_sums, small_sample_factor
from detectable.kernels.means import exact_mean


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
    slopes: tuple[float, ...] = ()  # of several metrics; `slope` then is not a number

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
    noise: float | None = None,
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

    .. math::

        SE^2 = s_e^2 \Big(\frac1n + \frac{(\bar f_{pool} - \bar f)^2}{S_{ff}}\Big)
               - \frac{\max(0, s_e^2 - \sigma^2)}{N},

    with σ² the noise of raters in a score. Only quality is known once an item is judged; what
    raters scatter about it stays, however much of the test set they judged. It is Cochran's
    correction for a finite population with errors of measurement. Where σ² is not known, all of
    the residuals may be noise, and nothing is taken off. With clusters (documents) the standard
    error is that of `sandwich`, with (clusters judged − 1) degrees of freedom.

    Parameters
    ----------
    human : array of shape (N,)
        Human scores of the pool's items, NaN where an item was not judged.
    metric : array of shape (N,) or (N, q)
        Metric scores of all items; of q metrics, by least squares on all of them. Then the bracket
        has the quadratic form of a regression plane, and n − 1 − q degrees of freedom.
    clusters : array of int, optional
        The document of each item.
    noise : float, optional
        σ², the variance of rater noise in a value of `human`; 0 if raters make no errors. It
        matters for the mean of this test set only.

    References
    ----------
    Chaganty, Mussmann and Liang (2018), ACL; Angelopoulos, Duchi and Zrnic (2023), "PPI++:
    efficient prediction-powered inference", arXiv:2311.01453, section 6 (power tuning);
    Cochran (1977), Sampling Techniques, chapters 7 (regression estimator) and 13 (errors of
    measurement: with the factor 1 − n/N on all of the variance it is too small by σ²/N).
    """
    judged = ~np.isnan(human)
    h, f = human[judged], metric[judged]
    n, size = h.size, len(metric)
    line = _plane(h, f, metric) if metric.ndim > 1 else _line(h, f, metric)
    residual = h - h.mean() - line.fitted
    weight = 1.0 / n + line.weight
    adjusted_influence, plain_influence = np.zeros(size), np.zeros(size)
    adjusted_influence[judged] = residual * weight
    plain_influence[judged] = (h - h.mean()) / n
    if target == "domain":
        adjusted_influence += line.pool / size
    used = 1 + line.parameters  # the mean, and slopes
    # For the domain nothing is known of a finite population; `math.inf` takes nothing off.
    known = math.inf if target == "domain" or noise is None else noise
    if clusters is None:
        error = _item_error(residual, line.leverage, size, known, parameters=used)
        df, plain_df = float(n - used), n - 1.0
        if target == "domain":
            error = math.hypot(error, line.spread / size**0.5)
        plain_error = _item_error(h - h.mean(), 0.0, size, known, parameters=1)
    else:
        error, df = sandwich(
            adjusted_influence, clusters, judged, parameters=used, weights=weight, noise=known
        )
        plain_error, plain_df = sandwich(
            plain_influence,
            clusters,
            judged,
            parameters=1,
            weights=np.full(n, 1.0 / n),
            noise=known,
        )
    total = float(np.square(h - h.mean()).sum())
    explained = line.explained / np.sqrt(total) if total > 0.0 else 0.0
    return Adjusted(
        adjusted=Estimate(exact_mean(h) + line.gain, error, df),
        plain=Estimate(exact_mean(h), plain_error, plain_df),
        slope=line.slopes[0] if metric.ndim == 1 else math.nan,
        correlation=float(np.clip(explained, -1.0, 1.0)),
        n_judged=n,
        n_pool=size,
        influence=adjusted_influence,
        plain_influence=plain_influence,
        slopes=line.slopes if metric.ndim > 1 else (),
    )


@dataclass(frozen=True, slots=True)
class _Fit:
    """A line or plane through the judged items, and what it adds to their mean."""

    slopes: tuple[float, ...]
    parameters: int  # slopes that were estimated
    fitted: FloatArray  # of the judged items, about their mean
    weight: FloatArray  # of the judged items in the correction
    leverage: float
    pool: FloatArray  # fitted values of all items, about the pool's mean
    spread: float  # their standard deviation
    gain: float  # what the correction adds
    explained: float  # signed root of the sum of squares that is explained


def _line(h: FloatArray, f: FloatArray, metric: FloatArray) -> _Fit:
    off = f - f.mean()
    spread = float(off @ off)
    scale = float(np.abs(metric).max())
    usable = h.size > 2 and spread > 1e-20 * h.size * scale**2
    slope = float(off @ (h - h.mean())) / spread if usable else 0.0
    gap = float(metric.mean() - f.mean())
    return _Fit(
        slopes=(slope,),
        parameters=1 if usable else 0,
        fitted=slope * off,
        weight=gap * off / spread if usable else np.zeros(h.size),
        leverage=gap**2 / spread if usable else 0.0,
        pool=slope * (metric - metric.mean()),
        spread=slope * float(metric.std(ddof=1)),
        gain=slope * gap,
        explained=slope * math.sqrt(spread),
    )


def _plane(h: FloatArray, f: FloatArray, metric: FloatArray) -> _Fit:
    """Do the same for several metrics; those that others already say count for nothing."""
    off, scale = f - f.mean(axis=0), np.maximum(metric.std(axis=0), 1e-300)
    # Metrics have scales of their own; the pseudo-inverse is taken where all are alike.
    x = off / scale
    inverse = np.linalg.pinv(x.T @ x, rcond=1e-10, hermitian=True)
    slopes = inverse @ (x.T @ (h - h.mean()))
    gap = (metric.mean(axis=0) - f.mean(axis=0)) / scale
    pool = (metric - metric.mean(axis=0)) / scale @ slopes
    fitted = x @ slopes
    return _Fit(
        slopes=tuple((slopes / scale).tolist()),
        parameters=int(np.linalg.matrix_rank(x.T @ x, tol=1e-10 * h.size, hermitian=True)),
        fitted=fitted,
        weight=x @ (inverse @ gap),
        leverage=float(gap @ inverse @ gap),
        pool=pool,
        spread=float(pool.std(ddof=1)),
        gain=float(gap @ slopes),
        explained=math.sqrt(float(fitted @ fitted)),
    )


def _item_error(
    residual: FloatArray, leverage: float, size: int, noise: float, *, parameters: int
) -> float:
    """Return the standard error with items as units; noise of raters is never taken off."""
    n = residual.size
    variance = float(residual @ residual) / (n - parameters)
    quality = max(0.0, variance - noise)
    # Apart, so that a pool judged whole without noise leaves exactly the leverage, not rounding.
    remaining = quality * (1.0 / n - 1.0 / size) + (variance - quality) / n
    return float(np.sqrt(remaining + variance * leverage))


def sandwich(
    influence: FloatArray,
    clusters: IntArray,
    judged: np.ndarray,
    *,
    parameters: int,
    weights: FloatArray | None = None,
    noise: float = math.inf,
) -> tuple[float, float]:
    r"""Return the cluster-robust standard error of a sum of influences, and its df.

    As in `cluster_mean`, with the factor G/(G − 1) · (n − 1)/(n − parameters), the “CR1” of
    econometrics, for G judged clusters and the sums :math:`u_g` of their influences:

    .. math:: SE^2 = c \Big[\sum_g u_g^2 - \frac{W}{M} \max\Big(0,
              \sum_{g\,whole} u_g^2 - \sigma^2 (\sum_{i \in g} |w_i|)^2\Big)\Big].

    The second term is for the mean of this test set, of M clusters. Only the W clusters all of
    whose items were judged are known, and only up to the noise of raters. One rater may have
    judged a whole document, so its noise is taken to be the same on all of its items: what may
    be noise is not taken off.

    Parameters
    ----------
    influence : array of shape (N,)
        Of every item of the pool, 0 where it has none.
    weights : array of shape (n,), optional
        Of the judged items' scores in the estimate; with a finite `noise` only.
    noise : float
        σ², variance of rater noise in a score. By default all may be noise.

    References
    ----------
    Cochran (1977), Sampling Techniques, chapters 9 (clusters drawn whole), 11 (items drawn within
    clusters) and 13 (errors of measurement, also those that items of a sample share).
    """
    n = int(judged.sum())
    codes = np.unique(clusters, return_inverse=True)[1]
    size = np.bincount(codes)
    seen = np.bincount(codes[judged], minlength=size.size)
    judged_clusters = int((seen > 0).sum())
    if judged_clusters < 2 or n <= parameters:
        return float("nan"), float("nan")
    squares = np.square(cluster_sums(influence, codes))
    factor = float(small_sample_factor(np.array(judged_clusters)))
    factor *= (n - 1.0) / (n - parameters)
    total = float(squares.sum())
    if weights is not None and math.isfinite(noise):
        whole = seen == size
        shared = np.bincount(codes[judged], np.abs(weights), minlength=size.size)
        quality = max(0.0, float((squares - noise * np.square(shared))[whole].sum()))
        total -= quality * float(whole.mean())
    return float(np.sqrt(factor * total)), judged_clusters - 1.0
