"""Does a rater score degraded copies below their originals: the test of one rater."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import CheckTest
from detectable.core.types import FloatArray
from detectable.core.wording import count
from detectable.inference.delta import t_tail
from detectable.inference.rank_tests import rank_sum, signed_rank


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterTest:
    """One-sided test of degraded below original.

    Attributes
    ----------
    p_value, t, z : float
        NaN where the rater cannot be tested; `t` for the t test, `z` for the rank tests, both
        negative for a rater who sees the difference.
    mean_difference, sd_difference : float
        Of degraded − original.
    sd_score : float
        Of the scores of originals and of copies, each about its own mean.
    reason : str
        Why the rater cannot be tested; empty otherwise.
    """

    n_pairs: int
    p_value: float = math.nan
    t: float = math.nan
    z: float = math.nan
    mean_difference: float = math.nan
    sd_difference: float = math.nan
    sd_score: float = math.nan
    reason: str = ""


def check_rater(
    original: FloatArray, degraded: FloatArray, test: CheckTest, alpha: float
) -> RaterTest:
    r"""Test one rater's pairs, one-sided.

    ``paired-t`` is the rule of the WMT campaigns, with :math:`d` = degraded − original,

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \qquad p = P(T_{n-1} \le t).

    ``signed-rank`` replaces it by Wilcoxon's test with Pratt's zeros, ``mann-whitney`` by the
    test of two independent samples that Appraise shows. A rank test is not asked where even
    the clearest answer has an exact p above `alpha`: :math:`2^{-m}` for m differences that are
    not zero, :math:`1 / \binom{2n}{n}` for n against n scores.
    """
    n = int(original.size)
    d = degraded - original
    if n < 2:
        return RaterTest(
            n_pairs=n,
            mean_difference=float(d.mean()) if n else math.nan,
            reason=f"{count(n, 'pair')}, and two are needed" if n else "no pair",
        )
    reason = _reason(original, degraded, test, alpha)
    p, t, z = (math.nan,) * 3 if reason else _statistics(original, degraded, test)
    variances = original.var(ddof=1) + degraded.var(ddof=1)
    return RaterTest(
        n_pairs=n,
        p_value=p,
        t=t,
        z=z,
        mean_difference=float(d.mean()),
        sd_difference=float(d.std(ddof=1)),
        sd_score=math.sqrt(float(variances) / 2.0),
        reason=reason,
    )


def _statistics(
    original: FloatArray, degraded: FloatArray, test: CheckTest
) -> tuple[float, float, float]:
    """Return p, t and z."""
    d = degraded - original
    if test == "paired-t":
        t = float(d.mean()) / (float(d.std(ddof=1)) / math.sqrt(d.size))
        return t_tail(-t, d.size - 1.0), t, math.nan
    ranks = signed_rank(-d) if test == "signed-rank" else rank_sum(original, degraded)
    return ranks.p_greater, math.nan, -ranks.z


def _reason(original: FloatArray, degraded: FloatArray, test: CheckTest, alpha: float) -> str:
    """Return why the pairs cannot be tested, or nothing."""
    d = degraded - original
    n = d.size
    apart = int((d != 0.0).sum())
    if test == "paired-t":
        # R's t.test stops here («data are essentially constant»); such workers have no class.
        if np.ptp(d) == 0.0:
            return f"all {n} differences equal {d[0]:g}, so there is no spread to test against"
        return ""
    if test == "signed-rank":
        if not apart:
            return f"all {n} differences are 0"
        if 2.0**-apart > alpha:
            return f"only {count(apart, 'difference')} apart from 0: no answer reaches p ≤ {alpha:g}"
        return ""
    if np.ptp(np.concatenate([original, degraded])) == 0.0:
        return f"all scores of the {n} pairs are equal"
    few = min(n, 100)  # beyond, the number has no end and the answer is plain
    if 1.0 / math.comb(2 * few, few) > alpha:
        return f"only {n} pairs: no answer reaches p ≤ {alpha:g}"
    return ""
