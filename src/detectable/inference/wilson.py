"""Wilson's interval of a share."""

import math

from detectable.core.interval import Interval
from detectable.kernels.distributions.normal import normal_quantile


def wilson_interval(successes: int, trials: int, *, alpha: float) -> Interval:
    r"""Return Wilson's (1927) interval of a share.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}
              {1 + z^2 / n}

    Examples
    --------
    >>> wilson_interval(1, 1, alpha=0.05).to_json()
    [0.206..., 1.0]
    """
    low, high = wilson_limits(successes / trials, trials, normal_quantile(1.0 - 0.5 * alpha))
    return Interval(low, high, 1.0 - alpha)


def wilson_limits(share: float, trials: float, critical: float) -> tuple[float, float]:
    """Return the limits of Wilson's interval at a critical value, for any number of trials."""
    square = critical * critical / trials
    middle = share + 0.5 * square
    half = critical * math.sqrt(share * (1.0 - share) / trials + 0.25 * square / trials)
    low, high = (middle - half) / (1.0 + square), (middle + half) / (1.0 + square)
    # At the ends the formula is exact; only rounding leaves [0, 1].
    return 0.0 if share == 0.0 else low, 1.0 if share == 1.0 else high
