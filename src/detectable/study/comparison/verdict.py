"""From numbers to one of the verdicts."""

import math

from detectable.study.comparison.result import Verdict


def verdict(
    difference: float,
    *,
    p_adjusted: float,
    p_equivalence: float,
    higher_is_better: bool | None,
    alpha: float,
) -> Verdict:
    """Return what the evaluation may claim.

    With a margin, a difference that is surely smaller than the margin is called equivalent
    even if it is surely not zero: the margin says which differences matter, and it was given
    before the data. A metric without a direction (length) is only higher or lower.

    Examples
    --------
    >>> verdict(-2.0, p_adjusted=0.01, p_equivalence=float("nan"), higher_is_better=False,
    ...         alpha=0.05)
    'better'
    """
    if not math.isnan(p_equivalence) and p_equivalence <= alpha:
        return "equivalent"
    if not p_adjusted <= alpha:
        return "undecided"
    if higher_is_better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == higher_is_better else "worse"
