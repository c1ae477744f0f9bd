r"""What each rule for ties makes of a vote: likelihood, score and information.

A vote is ahead by :math:`d = \lambda_a - \lambda_b` plus what else is known of it. Every model
gives the log-likelihood of a vote, its first derivative by d and by the parameter of ties, and
(with the sign turned) its second ones.

References
----------
Bradley and Terry (1952), "Rank analysis of incomplete block designs: I. The method of paired
comparisons", Biometrika 39(3/4), 324–345. Davidson (1970), "On extending the Bradley–Terry model
to accommodate ties in paired comparison experiments", Journal of the American Statistical
Association 65(329), 317–328. Rao and Kupper (1967), "Ties in paired-comparison experiments: a
generalization of the Bradley–Terry model", Journal of the American Statistical Association
62(317), 194–204.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from detectable.core.types import FloatArray

TIE = 0.5


@dataclass(frozen=True, slots=True)
class Parts:
    """Of every vote: log-likelihood, derivatives by d and by the tie parameter, information."""

    likelihood: FloatArray
    score: FloatArray
    information: FloatArray
    tie_score: FloatArray | None = None
    tie_information: FloatArray | None = None
    crossed: FloatArray | None = None


class Model(Protocol):
    """A rule for ties."""

    has_ties: bool  # whether it has a parameter of ties
    start: float  # of that parameter

    def parts(self, outcome: FloatArray, gap: FloatArray, tie: float) -> Parts:
        """Return what each vote adds."""


class HalfTies:
    r"""A tie is half a win: :math:`y d - \log(1 + e^d)` with y = ½."""

    has_ties = False
    start = 0.0

    def parts(self, outcome: FloatArray, gap: FloatArray, tie: float) -> Parts:  # noqa: ARG002
        """Return what each vote adds."""
        chance = logistic(gap)
        return Parts(
            outcome * gap - np.logaddexp(0.0, gap), outcome - chance, chance * (1.0 - chance)
        )


class Davidson:
    r"""P(a) : P(b) : P(tie) = :math:`e^{d/2} : e^{-d/2} : \nu`; the parameter is log ν."""

    has_ties = True
    start = -0.5

    def parts(self, outcome: FloatArray, gap: FloatArray, tie: float) -> Parts:
        """Return what each vote adds."""
        total = np.logaddexp(np.logaddexp(0.5 * gap, -0.5 * gap), tie)
        a, b, even = (np.exp(x - total) for x in (0.5 * gap, -0.5 * gap, tie))
        tied = outcome == TIE
        ahead = 0.5 * (a - b)
        return Parts(
            likelihood=np.where(tied, tie, (outcome - TIE) * gap) - total,
            score=outcome - TIE - ahead,
            information=0.25 * (a + b) - ahead**2,
            tie_score=tied - even,
            tie_information=even * (1.0 - even),
            crossed=-ahead * even,
        )


class RaoKupper:
    r"""P(a) = logistic(d − η), P(b) = logistic(−d − η): proportional odds; the parameter is η."""

    has_ties = True
    start = 0.3

    def parts(self, outcome: FloatArray, gap: FloatArray, tie: float) -> Parts:
        """Return what each vote adds; an η that is not positive has no likelihood."""
        low, high = logistic(gap - tie), logistic(gap + tie)  # a wins; a does not lose
        even = high - low
        of_low, of_high = low * (1.0 - low), high * (1.0 - high)
        won, lost = outcome == 1.0, outcome == 0.0
        safe = np.maximum(even, 1e-300)
        spread = (of_low + of_high) / safe
        bent = (of_high * (1.0 - 2.0 * high) - of_low * (1.0 - 2.0 * low)) / safe - spread**2
        with np.errstate(divide="ignore"):
            tied = np.log(np.maximum(even, 0.0))
        kinds = [won, lost]
        return Parts(
            likelihood=np.select(
                kinds, [-np.logaddexp(0.0, tie - gap), -np.logaddexp(0.0, gap + tie)], tied
            ),
            score=np.select(kinds, [1.0 - low, -high], 1.0 - low - high),
            information=np.select(kinds, [of_low, of_high], of_low + of_high),
            tie_score=np.select(kinds, [low - 1.0, -high], spread),
            tie_information=np.select(kinds, [of_low, of_high], -bent),
            crossed=np.select(kinds, [-of_low, of_high], of_high - of_low),
        )


def logistic(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(−x)), without overflow."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -x)))
