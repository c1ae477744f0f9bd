"""Agreement of two raters beyond chance: Cohen's kappa and Gwet's AC1."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray


@dataclass(frozen=True, slots=True)
class ChanceAgreement:
    """Two raters on the same items, answers compared as same and not same."""

    share: float
    kappa: float  # NaN where both always give one and the same answer
    ac1: float
    ac1_error: float


def chance_agreement(first: FloatArray, second: FloatArray) -> ChanceAgreement:
    r"""Return the share of equal answers, Cohen's κ and Gwet's AC1 with its standard error.

    Both are :math:`(p_a - p_e) / (1 - p_e)`, with :math:`p_e = \sum_k p_{1k} p_{2k}` for κ and
    :math:`p_e = \sum_k \pi_k (1 - \pi_k) / (q - 1)` for AC1, π the mean of both raters' shares of
    the q answers. Where almost all answers are one, κ is near 0 however often raters agree (118
    both yes, 5 and 2 apart, none both no: 94 % equal, κ −.02); AC1 is not.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20; Gwet (2008), "Computing inter-rater
    reliability and its variance in the presence of high agreement", British Journal of
    Mathematical and Statistical Psychology 61, 29–48 (the variance: equation for two raters).

    Examples
    --------
    >>> yes, no = np.ones(118), np.zeros(5)
    >>> one = np.concatenate([yes, np.ones(5), np.zeros(2)])
    >>> found = chance_agreement(one, np.concatenate([yes, no, np.ones(2)]))
    >>> round(found.share, 3), round(found.kappa, 4), round(found.ac1, 4)
    (0.944, -0.0234, 0.9408)
    """
    answers = np.unique(np.concatenate([first, second]))
    one, other = (values[:, None] == answers for values in (first, second))
    same = (first == second).astype(np.float64)
    share, n, q = float(same.mean()), first.size, answers.size
    if q < 2:
        return ChanceAgreement(share, math.nan, 1.0, math.nan)
    by_chance = float(one.mean(axis=0) @ other.mean(axis=0))
    kappa = (share - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else math.nan
    used = (one + other.astype(np.float64)) / 2.0
    mean = used.mean(axis=0)
    expected = float(mean @ (1.0 - mean)) / (q - 1)
    ac1 = (share - expected) / (1.0 - expected)
    own = used @ (1.0 - mean) / (q - 1)
    each = (same - expected) / (1.0 - expected)
    each -= 2.0 * (1.0 - ac1) * (own - expected) / (1.0 - expected)
    error = math.sqrt(float(np.square(each - ac1).sum()) / (n * (n - 1))) if n > 1 else math.nan
    return ChanceAgreement(share, float(kappa), float(ac1), error)
