"""The votes of a fit: who met whom, what came of it, and what else may have swayed the voter."""

from dataclasses import dataclass

import numpy as np

from detectable.core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Votes:
    """Battles as a model sees them: numbers only.

    Attributes
    ----------
    n_systems : int
        How many systems there are.
    a, b : array of int of shape (votes,)
        The two systems of each.
    outcome, weight : array of shape (votes,)
        What the first has of each, from 0 to 1; and how much each counts.
    further : array of shape (votes, effects)
        What else may have swayed the voter: ones for the side, covariates.
    """

    n_systems: int
    a: IntArray
    b: IntArray
    outcome: FloatArray
    weight: FloatArray
    further: FloatArray

    @property
    def n(self) -> int:
        """The number of votes, or of cells of equal ones."""
        return int(self.outcome.size)

    @property
    def n_effects(self) -> int:
        """The number of further effects."""
        return int(self.further.shape[1])

    def gaps(self, strengths: FloatArray, effects: FloatArray) -> FloatArray:
        """Return by how much the first is ahead in each vote, on the scale of log-odds."""
        ahead = strengths[self.a] - strengths[self.b]
        return ahead + self.further @ effects if self.n_effects else ahead

    def sums(self, each: FloatArray) -> FloatArray:
        """Return what every parameter collects: a vote's number for a, its opposite for b."""
        k = self.n_systems
        strengths = np.bincount(self.a, each, k) - np.bincount(self.b, each, k)
        return np.concatenate([strengths, each @ self.further])

    def information(self, each: FloatArray) -> FloatArray:
        """Return the sum of x x' with a weight for each vote."""
        k, size = self.n_systems, self.n_systems + self.n_effects
        met = np.bincount(self.a * k + self.b, each, k * k).reshape(k, k)
        met = met + met.T
        whole = np.zeros((size, size))
        whole[:k, :k] = np.diag(met.sum(axis=1)) - met
        for column in range(self.n_effects):
            crossed = self.sums(each * self.further[:, column])
            whole[k + column, :] = whole[:, k + column] = crossed
        return whole

    def take(self, rows: IntArray) -> "Votes":
        """Return some of the votes."""
        return Votes(
            self.n_systems,
            self.a[rows],
            self.b[rows],
            self.outcome[rows],
            self.weight[rows],
            self.further[rows],
        )


def plain_votes(
    n_systems: int,
    a: IntArray,
    b: IntArray,
    outcome: FloatArray,
    weight: FloatArray | None = None,
    further: FloatArray | None = None,
) -> Votes:
    """Return votes that count alike and of which nothing else is known, unless it is given."""
    n = outcome.size
    weight = np.ones(n) if weight is None else weight
    further = np.zeros((n, 0)) if further is None else further
    return Votes(n_systems, a, b, outcome, weight, further)


def cells_of(votes: Votes) -> tuple[Votes, IntArray]:
    """Return equal votes as one with their total weight, and the cell of each vote.

    Without covariates a million votes are a few thousand cells: who met whom, in which order, and
    what came of it. Votes with covariates stay as they are.
    """
    as_they_are = votes, np.arange(votes.n)
    if votes.n_effects > 1 or (votes.n_effects == 1 and not _is_side(votes.further[:, 0])):
        return as_they_are
    outcomes, kind = np.unique(votes.outcome, return_inverse=True)
    k = votes.n_systems
    size = k * k * outcomes.size
    if size > max(votes.n, 10_000):
        return as_they_are
    key = (votes.a * k + votes.b) * outcomes.size + kind
    used = np.flatnonzero(np.bincount(key, minlength=size))
    place = np.zeros(size, dtype=np.int64)
    place[used] = np.arange(used.size)
    pair, kind = np.divmod(used, outcomes.size)
    cells = Votes(
        k,
        pair // k,
        pair % k,
        outcomes[kind],
        np.bincount(key, votes.weight, size)[used].astype(np.float64),
        np.ones((used.size, votes.n_effects)),
    )
    return cells, place[key]


def _is_side(column: FloatArray) -> bool:
    return bool((column == 1.0).all())
