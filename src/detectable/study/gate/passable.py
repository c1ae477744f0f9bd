r"""Which margin a gate can pass, and how many questions a margin needs.

If nothing changed, the difference is 0 with the spread that was observed. By t the margin

.. math:: M = (t_{1-\alpha} + t_{\text{power}})\, s

passes with the given power; s is the standard error and t has its degrees of freedom. (The sum is
a little above the noncentral t: .6 % with 10 clusters.) By the score method, with N effective pairs
of answers of which a share π is discordant, M solves

.. math:: N M = t_{1-\alpha} \sqrt{V(-M)} + t_{\text{power}} \sqrt{N \pi},

V(−M) being the variance that the score test takes at the margin. The numbers of questions follow from the
same equations, with normal quantiles for the large evaluation that is asked for, and with the design
effect that so many clusters would have.

References
----------
Nam (1997), "Establishing equivalence of two treatments and sample size requirements in
matched-pairs design", Biometrics 53(4), 1422–1430.
"""

import math

from detectable.inference.paired_shares import PairedShares, score_variance
from detectable.kernels.distributions.normal import normal_quantile
from detectable.kernels.distributions.student import t_quantile
from detectable.kernels.roots import bracketed_root
from detectable.study.gate.evidence import Evidence

_TOO_MANY = 1e12  # questions
_ROUNDING = 1e-9  # of a number of questions that is whole but for it


def margin_passable(found: Evidence, *, alpha: float, power: float) -> float:
    """Return the smallest margin that an unchanged system passes with this power.

    NaN where nothing follows from the data.
    """
    if not found.speaks:
        return math.nan
    quantiles = t_quantile(1.0 - alpha, found.df), t_quantile(power, found.df)
    if found.shares is None:
        return sum(quantiles) * found.standard_error
    n, half = _symmetric(found.shares)

    def lacking(margin: float) -> float:
        return _spent(n, half, margin, *quantiles) - n * margin

    least = 1.0 if lacking(1.0) >= 0.0 else bracketed_root(lacking, 0.0, 1.0)
    return min(max(least, _three(found, alpha)), 1.0)  # shares differ by 1 at most


def questions_needed(
    found: Evidence, margin: float, *, alpha: float, power: float
) -> int | None:
    """Return how many questions like these let an unchanged system pass `margin`.

    None where nothing follows from the data, or where it would take more than anybody has.
    """
    if not found.speaks:
        return None
    quantiles = normal_quantile(1.0 - alpha), normal_quantile(power)
    if found.shares is None:
        growth = (sum(quantiles) * found.standard_error / margin) ** 2
    elif margin >= 1.0:
        growth = 0.0
    else:
        share = 0.5 * (found.shares.fixed + found.shares.broken) / found.shares.n
        pairs = (_spent(1.0, share, margin, *quantiles) / margin) ** 2
        growth = max(_growth(found, found.shares, pairs), _three(found, alpha) / margin)
    needed = growth * found.n_questions
    return None if needed > _TOO_MANY else max(2, math.ceil(needed - _ROUNDING))


def _growth(found: Evidence, shares: PairedShares, pairs: float) -> float:
    """Return how many times as many questions are worth so many pairs of answers.

    With few clusters the design effect is drawn towards whole dependence; with more it is not.
    """
    n, s = float(found.n_questions), found.typical
    if found.is_exact:
        return pairs / n
    spread = (found.estimate.standard_error * n) ** 2
    independent = n * ((shares.fixed + shares.broken) / shares.n - shares.value**2)

    def lacking(log_growth: float) -> float:
        growth = math.exp(log_growth)
        worth = growth * n * (growth * independent + s) / (growth * spread + s**2)
        return min(max(worth, growth * n / s), growth * shares.n) - pairs

    # Between no dependence and whole dependence; a little beyond, for rounding at the ends.
    low, high = math.log(pairs / shares.n) - _ROUNDING, math.log(pairs * s / n) + _ROUNDING
    return math.exp(bracketed_root(lacking, low, high))


def detectable_loss(found: Evidence, *, alpha: float, power: float) -> float:
    """Return the smallest loss that the test of «there is a loss» finds with this power."""
    if not found.speaks:
        return math.nan
    if found.shares is None:
        return found.estimate.detectable(alpha=2.0 * alpha, power=power)
    from detectable.inference.share_mde import detectable_share

    n = max(1, round(found.shares.n / found.shares.design_effect))
    share = (found.shares.fixed + found.shares.broken) / found.shares.n
    return detectable_share(n, round(share * n), level=2.0 * alpha, power=power)


def _symmetric(shares: PairedShares) -> tuple[float, float]:
    """Return the effective pairs, and how many are won, and lost, if nothing changed."""
    n = shares.n / shares.design_effect
    return n, 0.5 * (shares.fixed + shares.broken) / shares.design_effect


def _spent(n: float, half: float, margin: float, alpha_t: float, power_t: float) -> float:
    at_margin = float(score_variance(half, half, n, -margin))
    return alpha_t * math.sqrt(at_margin) + power_t * math.sqrt(2.0 * half)


def _three(found: Evidence, alpha: float) -> float:
    return -math.log(alpha) / found.n_clusters if found.unchanged else 0.0
