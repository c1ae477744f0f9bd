"""Votes and wins of every system and of every pair, as they were cast."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray
from detectable.data.battles.battles import Battles


@dataclass(frozen=True, slots=True)
class Tally:
    """Matrices of systems: votes of two, and what the one has of them against the other."""

    votes: FloatArray
    won: FloatArray

    def share(self, i: int, j: int) -> float:
        """Return the share of wins of a system against another; NaN where they never met."""
        n = self.votes[i, j]
        return float(self.won[i, j] / n) if n else float("nan")

    def wins(self, i: int) -> float:
        """Return the share of wins of a system against all."""
        return float(self.won[i].sum() / self.votes[i].sum())


def tally(battles: Battles) -> Tally:
    """Count who met whom and what came of it; a tie is half a win."""
    k = len(battles.systems)
    forth, back = battles.a * k + battles.b, battles.b * k + battles.a
    size = k * k
    votes = np.bincount(forth, minlength=size) + np.bincount(back, minlength=size)
    won = np.bincount(forth, battles.outcome, size)
    won = won + np.bincount(back, 1.0 - battles.outcome, size)
    return Tally(votes.reshape(k, k).astype(np.float64), won.reshape(k, k).astype(np.float64))
