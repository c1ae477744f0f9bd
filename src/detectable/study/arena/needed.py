"""How many votes it takes to tell two systems apart, and which vote helps most."""

import math

import numpy as np

from detectable.inference.battles.elo import ELO
from detectable.kernels.distributions.normal import normal_quantile
from detectable.study.arena.result import NextPair
from detectable.study.arena.strengths import Strengths


def votes_needed(
    strengths: Strengths, i: int, j: int, *, gap: float, critical: float, power: float
) -> int | None:
    r"""Return how many more battles of two systems would show a gap with the given power.

    A gap of g log-odds needs a standard error of :math:`g / (c + z_{power})`. What there is has
    precision :math:`1/s^2`; every further battle of the two adds

    .. math:: \frac{p (1 - p)}{\varphi \cdot \text{deff}},

    with φ the variance of votes beside the one without ties, and deff the design effect of this pair:
    :math:`(s / s_{votes})^2`. None where there is no standard error.
    """
    error, alone = float(strengths.errors[i, j]), float(strengths.errors_votes[i, j])
    if not (error > 0.0 and alone > 0.0 and math.isfinite(critical)):
        return None
    g = gap / ELO
    share = 1.0 / (1.0 + math.exp(-g))
    added = share * (1.0 - share) / (strengths.dispersion * (error / alone) ** 2)
    wanted = ((critical + normal_quantile(power)) / g) ** 2
    return max(0, math.ceil((wanted - error**-2) / added))


def next_pair(strengths: Strengths, names: tuple[str, ...], i: int, j: int) -> NextPair:
    r"""Return the battle of which one more would sharpen the difference of i and j most.

    Differences have the variance of the resistance of a network whose conductances are
    :math:`n_{kl} p_{kl} (1 - p_{kl})` [1]_. One more vote of k and l lowers it by
    :math:`w (e_{ij}' H^+ e_{kl})^2 / (1 + w R_{kl})`, with :math:`w = p_{kl} (1 - p_{kl})`.

    References
    ----------
    .. [1] Doyle and Snell (1984), Random Walks and Electric Networks, Mathematical Association of
       America, chapter 1.
    """
    k = len(names)
    inverse = strengths.fit.inverse[:k, :k]
    column = inverse[:, i] - inverse[:, j]
    shared = column[:, None] - column[None, :]
    spread = np.diag(inverse)
    resistance = spread[:, None] + spread[None, :] - 2.0 * inverse
    chance = 1.0 / (1.0 + np.exp(-strengths.differences))
    weight = chance * (1.0 - chance)
    lowered = np.triu(weight * shared**2 / (1.0 + weight * resistance), 1)
    best = int(np.argmax(lowered))
    first, second = divmod(best, k)
    if strengths.fit.strengths[first] < strengths.fit.strengths[second]:
        first, second = second, first
    gain = float(lowered.ravel()[best] / resistance[i, j])
    return NextPair(between=(names[i], names[j]), vote=(names[first], names[second]), gain=gain)
