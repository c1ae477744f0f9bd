"""How many swaps or resamples a correction needs."""

import math

from detectable.core.errors import InputError
from detectable.core.wording import count

RESAMPLES = 9_999  # with the data themselves 10,000: α of them is a whole number
_BEYOND = 50  # draws expected beyond the strictest corrected level: a relative error of 14 %
_MOST = 2_000_000  # swaps by default: more take minutes, and are drawn on request only
_ROUNDING = 1e-9


def resample_count(
    given: int | None, *, n_stepwise: int, alpha: float, exact: bool = False
) -> int:
    """Return how many swaps make p-values near the strictest level repeatable.

    Step-down max-T compares with the largest of all statistics, so its smallest p-value does not
    grow with the number of tests. Holm multiplies it by that number: with m tests,
    R = 50 m/α − 1, and at least 9,999.

    Parameters
    ----------
    given : int or None
        As asked for; refused where nothing could be significant with so few.
    n_stepwise : int
        Tests that Holm corrects together; 1 without it.
    exact : bool
        Whether all patterns are counted anyway.

    Examples
    --------
    >>> resample_count(None, n_stepwise=1, alpha=0.05), resample_count(None, n_stepwise=528, alpha=0.05)
    (9999, 527999)
    """
    needed = n_stepwise / alpha
    if given is None:
        if n_stepwise == 1:
            return RESAMPLES
        return min(_MOST, max(RESAMPLES, math.ceil(_BEYOND * needed - _ROUNDING) - 1))
    if n_stepwise > 1 and not exact and given + 1 < needed - _ROUNDING:
        raise InputError(
            f"`n_resamples` must be at least {math.ceil(needed - _ROUNDING) - 1:,} for Holm's "
            f"correction over {count(n_stepwise, 'test')}: with {given:,} no pair can be "
            "significant. Leave it out, or use `correction='max-t'`."
        )
    return given
