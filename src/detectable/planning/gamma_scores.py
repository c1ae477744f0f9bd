"""Ratings from 0 to 100 as 100 minus a Gamma variable (wei2022, section 6.1)."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import SecondRule
from detectable.core.types import FloatArray
from detectable.planning.quadrature import graded_nodes, unit_nodes

TOP = 100
VALUES: FloatArray = np.arange(TOP + 1.0)  # the scores that a rater can give
_LATENT = 8.5  # the normal scale of the copula, in standard deviations either way
_NODES = 4001
_TERMS = 400  # of the Hermite series of a correlation


@dataclass(frozen=True, slots=True)
class GammaScores:
    r"""Scores :math:`100 - c - G` with :math:`G` Gamma of shape :math:`k` and scale :math:`θ`.

    The points lost have mean :math:`\mu = 100 - \text{mean score}`, so that
    :math:`k = \mu^2 / \sigma^2` and :math:`\theta = \sigma^2 / \mu`. The paper writes μ for the
    mean score, which would put the mean of the scores at 100 − mean.
    """

    shape: float
    scale: float
    offset: float = 0.0  # points lost by everyone

    @classmethod
    def of(cls, mean: float, sd: float) -> "GammaScores":
        """Return the scores with this mean and standard deviation."""
        lost = TOP - mean
        return cls(lost**2 / sd**2, sd**2 / lost)

    def lowered(self, by: float, rule: SecondRule) -> "GammaScores":
        """Return the scores of a system whose mean is lower by `by`.

        Only the difference of means is given; `rule` says what else changes. It decides the
        answer: for one point among ratings near 90 the numbers of judgments differ 16 times.
        """
        lost, variance = self.shape * self.scale + by, self.shape * self.scale**2
        if rule == "shift":
            return GammaScores(self.shape, self.scale, self.offset + by)
        if rule == "same-shape":
            return GammaScores(self.shape, lost / self.shape, self.offset)
        if rule == "same-scale":
            return GammaScores(lost / self.scale, self.scale, self.offset)
        return GammaScores(lost**2 / variance, variance / lost, self.offset)

    @property
    def mean(self) -> float:
        """The mean before rounding and clipping."""
        return TOP - self.offset - self.shape * self.scale

    @property
    def variance(self) -> float:
        """The variance before rounding and clipping."""
        return self.shape * self.scale**2

    def probabilities(self) -> FloatArray:
        """Return the chance of each whole score 0 … 100, after rounding and clipping."""
        from scipy.special import gammainc

        borders = np.arange(TOP) + 0.5 - self.offset  # points lost, between two whole scores
        below = gammainc(self.shape, np.maximum(borders, 0.0) / self.scale)
        return np.diff(np.concatenate([[0.0], below, [1.0]]))[::-1]

    def share_below(self, lost: FloatArray) -> FloatArray:
        """Return the chance to lose fewer points than `lost`."""
        from scipy.special import gammainc

        share: FloatArray = gammainc(
            self.shape, np.maximum(lost - self.offset, 0.0) / self.scale
        )
        return share

    def cell_masses(self, borders: FloatArray) -> FloatArray:
        """Return the mean of the points lost times [in the cell], for the cells between borders."""
        from scipy.special import gammainc

        reach = np.maximum(borders - self.offset, 0.0) / self.scale
        below = self.shape * self.scale * gammainc(self.shape + 1.0, reach)
        below = below + self.offset * gammainc(self.shape, reach)
        total = self.shape * self.scale + self.offset
        masses: FloatArray = np.diff(np.concatenate([[0.0], below, [total]]))
        return masses

    def lost_at(self, share: FloatArray) -> FloatArray:
        """Return the points that a `share` of the ratings stay below."""
        from scipy.special import gammaincinv

        lost: FloatArray = self.offset + self.scale * gammaincinv(self.shape, share)
        return lost

    def scores_at(self, latent: FloatArray, *, rounded: bool) -> FloatArray:
        """Return the scores at points of a standard normal scale, low to high."""
        from scipy.special import ndtr

        scores = TOP - self.lost_at(np.clip(ndtr(-latent), 1e-17, 1.0 - 1e-16))
        return np.clip(np.rint(scores), 0.0, TOP) if rounded else scores


def superiority(better: GammaScores, worse: GammaScores) -> float:
    r"""Return the chance that a rating of `better` is above one of `worse`, before rounding.

    For two Gamma variables it is an incomplete beta function,
    :math:`I_x(k_A, k_B)` with :math:`x = θ_B / (θ_A + θ_B)`.
    """
    from scipy.special import betainc

    if better.offset == worse.offset:
        x = worse.scale / (better.scale + worse.scale)
        return float(betainc(better.shape, worse.shape, x))
    nodes, weights = graded_nodes()
    return float(weights @ better.share_below(worse.lost_at(nodes)))


def joint_probabilities(a: FloatArray, b: FloatArray, latent: float) -> FloatArray:
    """Return the chance of each pair of values, for two margins joined by a Gaussian copula.

    `latent` is the correlation on the normal scale. Within a cell of `a` the conditional chance
    of each cell of `b` is integrated by Gauss-Legendre on the uniform scale.
    """
    from scipy.special import ndtr, ndtri

    nodes, weights = unit_nodes(24)
    ends = np.cumsum(a) / a.sum()
    inside = (ends - a)[:, None] + a[:, None] * nodes
    z = ndtri(np.clip(inside, 1e-300, 1.0 - 1e-16))
    borders = ndtri(np.concatenate([[0.0], (np.cumsum(b) / b.sum())[:-1], [1.0]]))
    reach = (borders - latent * z[..., None]) / np.sqrt(1.0 - latent**2)
    joint: FloatArray = a[:, None] * np.einsum(
        "q,iqj->ij", weights, np.diff(ndtr(reach), axis=-1)
    )
    return joint


def latent_correlation(
    better: GammaScores, worse: GammaScores, correlation: float, *, rounded: bool
) -> tuple[float, float]:
    r"""Return the copula's correlation that gives the scores this one, and the largest possible.

    The correlation of :math:`g(Z_1)` and :math:`h(Z_2)` is Mehler's series
    :math:`\sum_{j ≥ 1} ρ^j g_j h_j / (s_g s_h)` in the Hermite coefficients of g and h; it rises
    with ρ. Two systems with different distributions cannot correlate perfectly.
    """
    from scipy.optimize import brentq

    first = _hermite(better, rounded=rounded)
    second = _hermite(worse, rounded=rounded)
    products = first * second / np.sqrt((first**2).sum() * (second**2).sum())
    powers = np.arange(1, _TERMS + 1)

    def excess(rho: float) -> float:
        return float(products @ rho**powers) - correlation

    top = 0.999
    if excess(top) <= 0.0:
        return top, excess(top) + correlation
    return float(brentq(excess, 0.0, top, xtol=1e-6)), excess(top) + correlation


def _hermite(system: GammaScores, *, rounded: bool) -> FloatArray:
    """Return the coefficients of the scores in normalised Hermite polynomials, from the first."""
    z = np.linspace(-_LATENT, _LATENT, _NODES)
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) * (z[1] - z[0])
    scores = system.scores_at(z, rounded=rounded) * density
    before, now = np.zeros_like(z), np.ones_like(z)
    coefficients = np.empty(_TERMS)
    for j in range(_TERMS):
        before, now = now, (z * now - np.sqrt(j) * before) / np.sqrt(j + 1.0)
        coefficients[j] = now @ scores
    return coefficients
