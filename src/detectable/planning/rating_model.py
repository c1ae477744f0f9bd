"""How ratings of two systems come about: what `Ratings` and `RatingsMargin` share."""

import functools
import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import SecondRule
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.pairing import moments, sample_counts
from detectable.planning.closed_forms import graded_nodes, unit_nodes
from detectable.planning.scenario import EffectRange

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


# --- How ratings of two systems come about: what `Ratings` and `RatingsMargin` share ---

DIFFERENCES: FloatArray = np.arange(-TOP, TOP + 1.0)
_CELLS = 768  # of each system, for continuous ratings


@dataclass(frozen=True, slots=True)
class Sums:
    """Mean difference of each trial, its squared standard error and degrees of freedom."""

    difference: FloatArray
    variance: FloatArray
    df: FloatArray


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Ratings of two systems on items of their own, as counts of the values."""

    first: IntArray
    second: IntArray
    values: FloatArray

    def sums(self) -> Sums:
        """Return what Welch's t-test needs."""
        n = float(self.first[0].sum())
        (m1, v1), (m2, v2) = (moments(c, self.values) for c in (self.first, self.second))
        df = (n - 1.0) * (v1 + v2) ** 2 / np.maximum(v1**2 + v2**2, 1e-300)
        return Sums(m1 - m2, (v1 + v2) / n, df)


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """Differences of whole ratings of the same items, as counts of −100 … 100."""

    counts: IntArray

    def sums(self) -> Sums:
        """Return what the paired t-test needs."""
        n = float(self.counts[0].sum())
        mean, variance = moments(self.counts, DIFFERENCES)
        return Sums(mean, variance / n, np.full(mean.shape, n - 1.0))

    def points(self) -> tuple[FloatArray, FloatArray, int]:
        """Return the differences that occur, how often they do in every trial, and the items."""
        n, used = int(self.counts[0].sum()), self.counts.any(axis=0)
        return DIFFERENCES[used], self.counts[:, used] / n, n


@dataclass(frozen=True, slots=True)
class PairedNumbers:
    """Differences of continuous ratings of the same items."""

    differences: FloatArray

    def sums(self) -> Sums:
        """Return what the paired t-test needs."""
        n = float(self.differences.shape[1])
        mean = self.differences.mean(axis=1)
        variance = self.differences.var(axis=1, ddof=1)
        return Sums(mean, variance / n, np.full(mean.shape, n - 1.0))

    def points(self) -> tuple[FloatArray, FloatArray, int]:
        """Return the differences of every trial, what each weighs, and the items."""
        n = self.differences.shape[1]
        return self.differences, np.full(self.differences.shape, 1.0 / n), n


RatingData: TypeAlias = Unpaired | PairedCounts | PairedNumbers


@dataclass(frozen=True, slots=True)
class RatingModel:
    """Two systems whose ratings are 100 minus a Gamma variable.

    Attributes
    ----------
    mean, sd : float
        Of the better system's ratings.
    second : str
        What the worse system shares with it besides: see `GammaScores.lowered`.
    continuous : bool
        Keep the model's numbers, as the paper does, instead of rounding and clipping.
    correlation : float or None
        Between the two ratings of an item, if both systems are rated on the same items.
    """

    mean: float
    sd: float
    second: SecondRule
    continuous: bool
    correlation: float | None

    def check(self) -> None:
        """Raise where no ratings from 0 to 100 can look like this."""
        mean, sd = float(self.mean), check.positive(self.sd, "sd")
        if not 0.0 < mean < TOP:
            raise InputError(
                f"`mean` must lie strictly between 0 and {TOP}; got {self.mean!r}. "
                "Ratings are taken to run from 0 to 100: rescale others first."
            )
        most = math.sqrt(mean * (TOP - mean))
        if not sd < most:
            raise InputError(
                f"`sd` must be below {most:.4g}, the most that ratings from 0 to {TOP} with mean "
                f"{mean:g} can spread; got {self.sd!r}."
            )
        check.literal(self.second, SecondRule, "second")
        if self.correlation is not None and not 0.0 <= self.correlation < 1.0:
            raise InputError(
                "`correlation` must lie between 0 and 1, 1 excluded; got "
                f"{self.correlation!r}. It is that of the two ratings of one item."
            )

    def effect_range(self) -> EffectRange:
        """Return by how much the worse system can be worse on a scale that ends at 0."""
        first = GammaScores.of(self.mean, self.sd)
        if self.second == "same-shape":
            lost = TOP * first.shape / (first.shape + 1.0)
        elif self.second == "same-scale":
            lost = TOP - first.scale
        else:
            lost = 0.5 * TOP + math.sqrt(0.25 * TOP**2 - self.sd**2)
        most = max(0.0, lost - (TOP - self.mean)) * (1.0 - 1e-9)
        reason = (
            f"with mean {self.mean:g}, sd {self.sd:g} and second={self.second!r}, a lower mean "
            f"leaves no room for that spread on a scale from 0 to {TOP}"
        )
        return EffectRange(-most, most, reason)

    def systems(self, effect: float) -> tuple[GammaScores, GammaScores]:
        """Return the better and the worse system."""
        better = GammaScores.of(self.mean, self.sd)
        return better, better.lowered(abs(effect), self.second)

    def realised(self, effect: float) -> float:
        """Return the difference of mean ratings after rounding and clipping, without sign."""
        better, worse = self.systems(effect)
        if self.continuous:
            return better.mean - worse.mean
        return float((better.probabilities() - worse.probabilities()) @ VALUES)

    def draw(
        self, n: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> RatingData:
        """Draw ratings of the system with the effect and of the other one."""
        if self.correlation is not None:
            return self._draw_paired(n, effect, trials, rng)
        values, *chances = value_chances(self, abs(effect))
        sides = [sample_counts(chance, n, trials, rng) for chance in chances]
        first, second = sides if effect >= 0.0 else sides[::-1]
        return Unpaired(first, second, values)

    def _draw_paired(
        self, n: int, effect: float, trials: int, rng: np.random.Generator
    ) -> PairedCounts | PairedNumbers:
        better, worse = self.systems(effect)
        if not self.continuous:
            counts = sample_counts(difference_chances(self, abs(effect)), n, trials, rng)
            return PairedCounts(counts if effect >= 0.0 else counts[:, ::-1])
        rho = self.latent(effect)
        z = rng.standard_normal((2, trials, n))
        z[1] = rho * z[0] + math.sqrt(1.0 - rho * rho) * z[1]
        differences = _scores(better, z[0]) - _scores(worse, z[1])
        return PairedNumbers(differences if effect >= 0.0 else -differences)

    def latent(self, effect: float) -> float:
        """Return the correlation of the Gaussian copula."""
        if not self.correlation:
            return 0.0
        better, worse = self.systems(effect)
        rho, most = latent_correlation(
            better, worse, self.correlation, rounded=not self.continuous
        )
        if self.correlation > most:
            raise InputError(
                f"`correlation` must be at most {most:.3f} for two systems with different "
                f"distributions (effect {effect:g}); got {self.correlation!r}."
            )
        return rho

    def difference_variance(self, effect: float) -> float:
        """Return the variance of the difference of two ratings of one item."""
        if not self.continuous:
            chances = difference_chances(self, abs(effect))
            mean = float(chances @ DIFFERENCES)
            return float(chances @ (DIFFERENCES - mean) ** 2)
        better, worse = (one.variance for one in self.systems(effect))
        shared = (self.correlation or 0.0) * math.sqrt(better * worse)
        return better + worse - 2.0 * shared


@functools.lru_cache(maxsize=64)  # every block of a simulation asks for the same ones
def value_chances(
    model: RatingModel, effect: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the values that can be drawn, and their chances for better and worse system.

    Whole scores, or for continuous ratings some 1500 cells on the normal scale of both systems.
    These are so narrow that their ties change the variance of a rank sum by less than 1e-5.
    """
    better, worse = model.systems(effect)
    if not model.continuous:
        return VALUES, better.probabilities(), worse.probabilities()
    from scipy.special import ndtr

    levels = ndtr(np.linspace(-6.0, 6.0, _CELLS))
    borders = np.unique(np.concatenate([better.lost_at(levels), worse.lost_at(levels)]))
    chances = [
        np.diff(np.concatenate([[0.0], one.share_below(borders), [1.0]]))
        for one in (better, worse)
    ]
    masses = sum(one.cell_masses(borders) for one in (better, worse))
    together = chances[0] + chances[1]
    ends = np.concatenate([borders[:1], borders])
    lost = np.divide(masses, together, out=ends.copy(), where=together > 1e-300)
    # From the lowest score to the highest, as whole scores are.
    return (TOP - lost)[::-1], chances[0][::-1].copy(), chances[1][::-1].copy()


@functools.lru_cache(maxsize=64)
def difference_chances(model: RatingModel, effect: float) -> FloatArray:
    """Return the chance of each difference −100 … 100 between better and worse system."""
    better, worse = model.systems(effect)
    joint = joint_probabilities(
        better.probabilities(), worse.probabilities(), model.latent(effect)
    )
    chances = np.array([np.trace(joint, offset) for offset in range(TOP, -TOP - 1, -1)])
    shares: FloatArray = chances / chances.sum()
    return shares


def _scores(system: GammaScores, latent: FloatArray) -> FloatArray:
    """Return continuous scores at points of the normal scale, by interpolation in a table."""
    grid = np.linspace(-8.5, 8.5, 8193)
    table = system.scores_at(grid, rounded=False)
    return np.interp(latent.ravel(), grid, table).reshape(latent.shape)
