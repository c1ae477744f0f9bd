"""What a pilot study consists of, and how it is drawn again at another size."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from detectable.core.choices import Plant
from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.balanced import mean_squares, reml_error
from detectable.kernels.rankcounts import rank_sum_z, sample_counts
from detectable.planning.likert_unbalanced import UnbalancedRatings, crossed_design, fit_all
from detectable.planning.scenario import Trials

_CELLS = 4_000_000  # numbers that a block of trials may hold


class Units(Protocol):
    """The rows of a pilot that are drawn independently."""

    @property
    def name(self) -> str:
        """What they are: item, document, judgment."""

    @property
    def size(self) -> int:
        """How many there are."""

    @property
    def observed(self) -> float:
        """The difference that the pilot shows."""

    @property
    def limits(self) -> tuple[float, float]:
        """The differences that can be planted."""

    def cells(self, n: int) -> int:
        """Return how many numbers one trial holds."""

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw and test."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Sums and sizes of independent units: single items, or documents of several items."""

    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, values: FloatArray, documents: IntArray | None) -> "Clusters":
        """Gather values by document; each stands alone without documents."""
        if documents is None:
            return cls(values, np.ones(values.size))
        sums = np.bincount(documents, values).astype(np.float64)
        return cls(sums, np.bincount(documents).astype(np.float64))

    @property
    def mean(self) -> float:
        """Mean over items."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def ratios(self) -> FloatArray:
        """Mean of each unit."""
        return self.sums / self.sizes

    def planted(self, mean: float, plant: Plant) -> tuple["Clusters", FloatArray]:
        """Return units and chances under which the mean is `mean`.

        A shift adds the same to every item. A tilt leaves the values alone and changes how often
        each unit is drawn, :math:`w ∝ e^{λ x}`, so that scores stay on their scale.
        """
        even = np.full(self.sums.size, 1.0 / self.sums.size)
        if plant == "shift":
            shifted = self.sums + (mean - self.mean) * self.sizes
            return Clusters(shifted, self.sizes), even
        return self, _tilt(self, mean)

    def draw(
        self, chances: FloatArray, n: int, trials: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        r"""Return means of resampled units and the squared standard errors of these means.

        :math:`s^2 = \frac{n}{n-1} \sum_g (S_g - \bar x m_g)^2 / M^2`, which for single items
        is the classical one.
        """
        counts = sample_counts(chances, n, trials, rng)
        s, m = self.sums - self.mean * self.sizes, self.sizes
        table = np.column_stack([s, m, s * s, s * m, m * m])
        total, items, ss, sm, mm = (counts @ table).T
        mean = total / items
        squares = np.maximum(ss - 2.0 * mean * sm + mean * mean * mm, 0.0)
        return mean + self.mean, squares / items**2 * (n / (n - 1.0))


@dataclass(frozen=True, slots=True)
class PairedUnits:
    """Differences of two systems on the same items; t-test over units."""

    units: Clusters
    plant: Plant
    name: str

    @property
    def size(self) -> int:
        """Number of units."""
        return self.units.sums.size

    @property
    def observed(self) -> float:
        """Mean difference."""
        return self.units.mean

    @property
    def limits(self) -> tuple[float, float]:
        """A tilt cannot leave the range of what was seen."""
        if self.plant == "shift":
            return -math.inf, math.inf
        return float(self.units.ratios.min()), float(self.units.ratios.max())

    def cells(self, n: int) -> int:
        """Return the draws and the counts."""
        return max(n, self.size)

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw units and test their mean difference."""
        from scipy.special import stdtr

        units, chances = self.units.planted(effect, self.plant)
        mean, variance = units.draw(chances, n, trials, rng)
        t = np.abs(mean) / np.sqrt(np.maximum(variance, 1e-300))
        return Trials(mean, 2.0 * stdtr(n - 1.0, -t))


@dataclass(frozen=True, slots=True)
class UnpairedUnits:
    """Scores of two systems on items of their own; Welch or Mann-Whitney."""

    first: Clusters
    second: Clusters
    plant: Plant
    ranks: bool
    name: str

    @property
    def size(self) -> int:
        """Units of the smaller sample."""
        return min(self.first.sums.size, self.second.sums.size)

    @property
    def observed(self) -> float:
        """Difference of means."""
        return self.first.mean - self.second.mean

    @property
    def limits(self) -> tuple[float, float]:
        """A tilt cannot leave the range of what was seen."""
        if self.plant == "shift":
            return -math.inf, math.inf
        ratios = self.first.ratios - self.second.mean
        return float(ratios.min()), float(ratios.max())

    def cells(self, n: int) -> int:
        """Return the draws and the counts."""
        return max(n, self.first.sums.size + self.second.sums.size)

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw both samples and compare them."""
        from scipy.special import ndtr, stdtr

        first, chances = self.first.planted(self.second.mean + effect, self.plant)
        even = np.full(self.second.sums.size, 1.0 / self.second.sums.size)
        if self.ranks:
            values, cells = np.unique(
                np.concatenate([first.sums, self.second.sums]), return_inverse=True
            )
            split = first.sums.size
            p = np.bincount(cells[:split], chances, values.size).astype(np.float64)
            q = np.bincount(cells[split:], even, values.size).astype(np.float64)
            a, b = (sample_counts(chance, n, trials, rng) for chance in (p, q))
            z = rank_sum_z(a, b)
            sizes = np.abs((a - b) @ values) / n
            return Trials(np.copysign(sizes, z), 2.0 * ndtr(-np.abs(z)))
        m1, v1 = first.draw(chances, n, trials, rng)
        m2, v2 = self.second.draw(even, n, trials, rng)
        t = np.abs(m1 - m2) / np.sqrt(np.maximum(v1 + v2, 1e-300))
        df = (n - 1.0) * (v1 + v2) ** 2 / np.maximum(v1**2 + v2**2, 1e-300)
        return Trials(m1 - m2, 2.0 * stdtr(df, -t))


@dataclass(frozen=True, slots=True)
class CrossedUnits:
    """Judgments by raters of items of two systems; raters and items are both drawn.

    `table` has shape (raters, items, 2), nan where there is no judgment. The test is REML with
    Satterthwaite's degrees of freedom: in closed form without gaps, else fitted one by one.
    `observed` is the difference within raters: what rankings and looks would report.
    """

    table: FloatArray
    observed: float
    n_raters: int
    name: str = "item"

    @property
    def size(self) -> int:
        """Items of the pilot."""
        return int(self.table.shape[1])

    @property
    def limits(self) -> tuple[float, float]:
        """Any shift can be planted."""
        return -math.inf, math.inf

    def cells(self, n: int) -> int:
        """Return the judgments of a trial."""
        return 2 * self.n_raters * n

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw raters and items, and fit every trial."""
        from scipy.special import stdtr

        shift = 0.5 * (effect - self.observed) * np.array([-1.0, 1.0])
        raters = rng.integers(0, self.table.shape[0], (trials, self.n_raters))
        items = rng.integers(0, self.table.shape[1], (trials, n))
        drawn = self.table[raters[:, :, None], items[:, None, :]] + shift
        if np.isnan(self.table).any():
            means, variance, df = _fit_gaps(drawn)
        else:
            means, squares, errors = mean_squares(drawn)
            variance, df = reml_error(squares, errors, self.n_raters, n)
        t = np.abs(means) / np.sqrt(np.maximum(variance, 1e-300))
        return Trials(2.0 * means, 2.0 * stdtr(df, -t))


def block_size(units: Units, n: int) -> int:
    """Return how many trials fit into a block."""
    return max(16, min(1024, _CELLS // units.cells(n)))


def _fit_gaps(drawn: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    found = []
    for table in drawn:
        rater, item, system = np.nonzero(~np.isnan(table))
        data = UnbalancedRatings(
            crossed_design(rater, item, system), table[rater, item, system][None]
        )
        found.append([part[0] for part in fit_all(data, reml=True)])
    means, variance, df = np.array(found).T
    failed = int(np.isnan(means).sum())
    if failed > 0.1 * means.size:
        raise InputError(
            f"the pilot has too many gaps for its test: {failed} of {means.size} samples could "
            "not be fitted. Give more items or raters, or plan with Likert.from_ratings."
        )
    return means, variance, df


def _tilt(units: Clusters, mean: float) -> FloatArray:
    """Return chances, proportional to exp(λ · unit mean), under which the items have this mean."""
    from scipy.optimize import brentq

    ratios = units.ratios
    spread = float(ratios.std())
    if spread == 0.0 or not ratios.min() < mean < ratios.max():
        raise InputError(
            f"`effect` must leave the mean between {ratios.min():g} and {ratios.max():g}, the "
            f"range of the pilot, for plant='tilt'; got a mean of {mean:g}. Use plant='shift'."
        )
    x = (ratios - units.mean) / spread

    def chances(tilt: float) -> FloatArray:
        weights: FloatArray = np.exp(tilt * x - (tilt * x).max())
        shares: FloatArray = weights / weights.sum()
        return shares

    def excess(tilt: float) -> float:
        w = chances(tilt)
        return float(w @ units.sums / (w @ units.sizes)) - mean

    reach = 1.0
    while excess(-reach) * excess(reach) > 0.0 and reach < 1e6:
        reach *= 2.0
    return chances(float(brentq(excess, -reach, reach, xtol=1e-12)))
