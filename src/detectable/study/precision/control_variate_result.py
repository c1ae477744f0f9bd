"""What control variates give: means, differences, and how many judgments the metric is worth."""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast, Family
from detectable.core.choices import Target
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, Result
from detectable.core.types import ArrayLike
from detectable.core.verdict import Verdict, decide
from detectable.data.human.judgments import Judgments
from detectable.inference.standard_errors import Estimate
from detectable.study.precision.variance_sums import system_codes
from detectable.study.selection.guard import VarianceRatio

POWER = 0.8  # at which it is stated what could have been seen


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedMean:
    """A system's mean human score over the items of the pool, with and without the metric."""

    system: str
    mean: float
    standard_error: float
    df: float
    interval: Interval
    plain_mean: float
    plain_standard_error: float
    slope: float  # λ
    power_tuning: float  # λ as PPI++ counts it
    correlation: float  # with the mean judgment of an item
    n_items: int  # judged
    n_pool: int
    plain_df: float = field(default=math.inf, repr=False, metadata={"bulk": "private"})

    @property
    def plain_interval(self) -> Interval:
        """The interval without the metric."""
        plain = Estimate(self.plain_mean, self.plain_standard_error, self.plain_df)
        return plain.interval(self.interval.level)

    @property
    def saved(self) -> float:
        """Share of judgments saved: 1 - variance with the metric / variance without."""
        return saved(self.standard_error, self.plain_standard_error)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedDifference(Contrast):
    """The difference of two systems, with and without the metric."""

    LAYOUT = """
        system baseline estimate standard_error df interval p_value p_adjusted verdict
        plain_estimate plain_standard_error plain_p_value plain_p_adjusted correlation paired
        n_items plain_df
    """
    estimate, n_items = Alias[float]("difference"), Alias[int]("n")  # judged for both if paired

    verdict: Verdict
    plain_estimate: float
    plain_standard_error: float
    plain_p_value: float
    plain_p_adjusted: float  # Holm, over all pairs without the metric
    correlation: float  # of the differences where items are shared, else NaN
    paired: bool  # computed on differences within items
    plain_df: float = field(default=math.inf, repr=False, metadata={"bulk": "private"})

    @property
    def saved(self) -> float:
        """Share of judgments saved for this difference."""
        return saved(self.standard_error, self.plain_standard_error)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShare:
    """The share of ones in a group of items that was labelled whole or in part.

    Attributes
    ----------
    score : float or None
        What the judge gives all items of the group; None where it gives several scores.
    """

    score: float | None
    n_pool: int
    n_items: int  # labelled
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """What the sampling weights of judged items were used for.

    Attributes
    ----------
    groups : tuple of GroupShare
        Where items of one system were labelled by groups.
    unweighted : float or None
        The plain mean of these labels.
    saved : VarianceRatio or None
        Variance over that of a random draw at the same cost, where the record of the draw is known.
    """

    groups: tuple[GroupShare, ...] = ()
    unweighted: float | None = None
    saved: VarianceRatio | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlVariates(Result):
    """Means and differences of systems, corrected by an automatic metric.

    Attributes
    ----------
    correlation : float
        Of the metric and the mean judgment of an item, within systems.
    data_efficiency : float
        1 / (1 - correlation²): how many times as many judgments would be needed without the
        metric, if it were known on endless items.
    true_correlation : float
        Of the metric and the quality of an item, where `quality_share` was given, else NaN.
    true_data_efficiency : float
        From that correlation and the noise. Up to rounding the same number: not another gain.
    saved : float
        Share of judgments saved on the pairs as they are (on the means of a single system).
    weighting : Weighting or None
        Where judged items weigh unequally.
    """

    metric: str
    systems: tuple[AdjustedMean, ...]
    pairs: tuple[AdjustedDifference, ...]
    correlation: float
    data_efficiency: float
    quality_share: float | None
    true_correlation: float
    true_data_efficiency: float
    saved: float
    target: Target
    unit: str
    alpha: float
    notes: tuple[str, ...]
    weighting: Weighting | None = field(default=None, metadata=ADDED_IF_KNOWN)

    def joint_interval(self, pair: AdjustedDifference) -> Interval:
        """Return the interval of a pair that holds together with those of all others."""
        if len(self.pairs) == 1:
            return pair.interval
        found = Estimate(pair.estimate, pair.standard_error, pair.df)
        return self._joint(found, pair.p_adjusted)

    def plain_interval(self, pair: AdjustedDifference) -> Interval:
        """Return the same without the metric."""
        found = Estimate(pair.plain_estimate, pair.plain_standard_error, pair.plain_df)
        return self._joint(found, pair.plain_p_adjusted)

    def _joint(self, found: Estimate, p_adjusted: float) -> Interval:
        return Family(alpha=self.alpha).joint_interval(found, p_adjusted, len(self.pairs))

    def plain_verdict(self, pair: AdjustedDifference) -> Verdict:
        """Return what would have been said without the metric."""
        return decide(pair.plain_estimate, p=pair.plain_p_adjusted, alpha=self.alpha)

    def detectable(self, pair: AdjustedDifference) -> float:
        """Return the smallest true difference that such data find with 80% power."""
        found = Estimate(pair.estimate, pair.standard_error, pair.df)
        return found.detectable(alpha=self.alpha / len(self.pairs), power=POWER)


def saved(error: float, plain: float) -> float:
    """Return 1 - (error / plain)², the share of judgments that a smaller error is worth."""
    return 1.0 - (error / plain) ** 2 if plain > 0.0 else 0.0


# --- How many judgments an automatic metric is worth ---


def data_efficiency(correlation: float, *, gamma: float) -> float:
    r"""Return how many times as many judgments would be needed without the metric.

    .. math:: DE = \frac{1 + \gamma}{1 - \rho^2 + \gamma}

    Parameters
    ----------
    correlation : float
        ρ of the metric with the *true quality* of a translation. A correlation with single human
        scores is smaller, by noise; with it, this formula counts the noise twice: use
        `observed_data_efficiency`.
    gamma : float
        Noise / quality of a judgment, from `variance_components`.

    References
    ----------
    Wei, Kocmi and Federmann (2022), equation 2 and Table 3, after Chaganty, Mussmann and
    Liang (2018), "The price of debiasing automatic metrics", ACL, theorem 3.1.

    Examples
    --------
    Wei et al., Table 3, WMT21: 23.1 % of the variance is quality.

    >>> gamma = (1 - 0.231) / 0.231
    >>> [round(data_efficiency(rho, gamma=gamma), 2) for rho in (1.0, 0.5, 0.2)]
    [1.3, 1.06, 1.01]
    """
    rho = _correlation(correlation)
    if not gamma >= 0.0:
        raise InputError(f"`gamma` must be at least 0; got {gamma!r}.")
    if math.isinf(gamma):
        return 1.0  # all is noise: no metric can predict it
    left = 1.0 - rho**2 + gamma
    return (1.0 + gamma) / left if left > 0.0 else math.inf


def observed_data_efficiency(correlation: float) -> float:
    r"""Return the same from the correlation with single human scores, :math:`1/(1-\rho_{obs}^2)`.

    Since :math:`\rho_{obs} = \rho \sqrt{1/(1+\gamma)}`, this is the same number as
    `data_efficiency`, and needs no estimate of the noise.

    Examples
    --------
    >>> round(observed_data_efficiency(0.3685), 3)
    1.157
    >>> rho, gamma = 0.6, 2.0
    >>> round(observed_data_efficiency(rho / (1 + gamma) ** 0.5), 9)
    1.136363636
    >>> round(data_efficiency(rho, gamma=gamma), 9)
    1.136363636
    """
    rho = _correlation(correlation)
    return 1.0 / (1.0 - rho**2) if abs(rho) < 1.0 else math.inf


def within_system_correlation(judgments: Judgments, metric: ArrayLike) -> tuple[float, int]:
    """Return Pearson's correlation of scores and a metric within systems, and its row count.

    Both are taken about the mean of their system (in its campaign and language). `metric` has one
    value per judgment; rows where it is NaN do not count.
    """
    values = np.asarray(metric, dtype=np.float64)
    if values.shape != judgments.score.shape:
        raise InputError(
            f"`metric` must hold one value for each of the {judgments.n_judgments:,} judgments; "
            f"got shape {values.shape}."
        )
    known = np.isfinite(values)
    group = system_codes(judgments)[known]
    size = np.maximum(np.bincount(group), 1)
    human, machine = (
        column - (np.bincount(group, column) / size)[group]
        for column in (judgments.score[known], values[known])
    )
    spread = (
        float(np.square(human).sum()) * float(np.square(machine).sum()) if group.size else 0
    )
    if not spread > 0.0:
        raise DataError(
            "scores and metric do not both vary within a system, so they have no correlation."
        )
    return float(human @ machine) / math.sqrt(spread), int(group.size)


def _correlation(value: float) -> float:
    rho = float(value)
    if not -1.0 <= rho <= 1.0:
        raise InputError(f"`correlation` must lie between -1 and 1; got {value!r}.")
    return rho
