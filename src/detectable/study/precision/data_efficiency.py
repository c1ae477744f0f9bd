"""How many judgments an automatic metric is worth."""

import math

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike
from detectable.data.human.judgments import Judgments
from detectable.study.precision.rater_cells import system_codes


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
