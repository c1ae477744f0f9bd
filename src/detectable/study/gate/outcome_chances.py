r"""How often a gate ends how, if its standard error is known and the difference is normal.

With R the margin in standard errors and δ the true difference in standard errors, a row passes by
*non-inferiority* with chance :math:`\Phi(\delta + R - z_{1-\alpha})` and fails with chance
:math:`\Phi(-z_{1-\alpha/m} - \delta)`, m being the rows that are corrected together, but never when
it passes. So a margin of 2.49 standard errors passes an unchanged system four times in five.
"""

import math
from collections.abc import Iterable

from detectable.core.choices import GateRule
from detectable.kernels.distributions.normal import normal_below, normal_quantile
from detectable.study.gate.self_test_result import OutcomeShares


def outcome_chances(
    ratio: float,
    *,
    rule: GateRule = "non-inferiority",
    shift: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    rows: int = 1,
) -> OutcomeShares:
    """Return the chances of the three outcomes of one row.

    Parameters
    ----------
    ratio : float
        Margin over standard error.
    shift : float
        True difference over standard error: 0 for an unchanged system, −`ratio` at the margin.
    rows : int
        How many are corrected together, of which this is the first that Holm looks at.

    Examples
    --------
    >>> found = outcome_chances(2.4865)
    >>> round(found.passed, 3), round(found.failed, 3), round(found.flips, 3)
    (0.8, 0.05, 0.335)
    """
    z = normal_quantile(1.0 - alpha)
    worse = normal_below(-normal_quantile(1.0 - alpha / rows) - shift)
    if rule == "non-inferiority":
        passed = normal_below(shift + ratio - z)
        failed = min(worse, 1.0 - passed)
    else:
        failed = worse
        if rule == "superiority":
            passed = normal_below(shift - z)
        else:
            could_see = z + normal_quantile(power) <= ratio
            passed = 1.0 - normal_below(-z - shift) if could_see else 0.0
    return OutcomeShares(
        passed=passed, failed=failed, inconclusive=max(0.0, 1.0 - passed - failed)
    )


def chances_together(rows: Iterable[OutcomeShares]) -> OutcomeShares:
    """Return the chances of a gate of independent rows: all pass, or any fails.

    Examples
    --------
    >>> one = OutcomeShares(passed=0.9, failed=0.005, inconclusive=0.095)
    >>> round(chances_together([one] * 10).passed, 4)
    0.3487
    """
    found = list(rows)
    passed = math.prod(row.passed for row in found)
    failed = 1.0 - math.prod(1.0 - row.failed for row in found)
    return OutcomeShares(
        passed=passed, failed=failed, inconclusive=max(0.0, 1.0 - passed - failed)
    )
