"""The votes of a fit: who met whom, what each rule for ties makes of it, and the scale of Elo."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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


def cells_of(votes: Votes) -> Votes:
    """Return equal votes as one with their total weight; see `cells_and_places`."""
    return cells_and_places(votes, places=False)[0]


def cells_and_places(votes: Votes, *, places: bool = True) -> tuple[Votes, IntArray]:
    """Return equal votes as one with their total weight, and, if asked, the cell of each vote.

    Without covariates a million votes are a few thousand cells: who met whom, in which order, and
    what came of it. Votes with covariates stay as they are.
    """
    as_they_are = votes, np.arange(votes.n if places else 0)
    if votes.n_effects > 1 or (votes.n_effects == 1 and not _is_side(votes.further[:, 0])):
        return as_they_are
    outcomes, kind = np.unique(votes.outcome, return_inverse=True)
    k = votes.n_systems
    size = k * k * outcomes.size
    if size > max(votes.n, 10_000):
        return as_they_are
    key = (votes.a * k + votes.b) * outcomes.size + kind
    counts = np.bincount(key, minlength=size)
    used = np.flatnonzero(counts)
    weight = counts if (votes.weight == 1.0).all() else np.bincount(key, votes.weight, size)
    pair, kind = np.divmod(used, outcomes.size)
    cells = Votes(
        k,
        pair // k,
        pair % k,
        outcomes[kind],
        weight[used].astype(np.float64),
        np.ones((used.size, votes.n_effects)),
    )
    return cells, (np.cumsum(counts > 0) - 1)[key] if places else np.arange(0)


def _is_side(column: FloatArray) -> bool:
    return bool((column == 1.0).all())


# --- Who can be compared with whom: the graph of wins, and its strong components ---


def strong_components(beats: NDArray[np.bool_]) -> list[list[int]]:
    r"""Return the strongly connected components of a graph, those that nobody beats first.

    `beats[i, j]` says that i won or tied against j at least once. Strengths of Bradley and Terry
    have finite estimates if and only if the graph is strongly connected: however the systems are
    split in two, each half has won or tied against the other [1]_. By Tarjan's algorithm [2]_,
    without recursion.

    References
    ----------
    .. [1] Ford (1957), "Solution of a ranking problem from binary comparisons", American
       Mathematical Monthly 64(8), 28–33.
    .. [2] Tarjan (1972), "Depth-first search and linear graph algorithms", SIAM Journal on
       Computing 1(2), 146–160.

    Examples
    --------
    >>> beats = np.array([[0, 1, 1], [0, 0, 1], [0, 1, 0]], dtype=bool)
    >>> strong_components(beats)
    [[0], [1, 2]]
    """
    n = len(beats)
    after = [np.flatnonzero(row).tolist() for row in beats]
    number, lowest = [-1] * n, [0] * n
    waiting: list[int] = []
    on_stack = [False] * n
    found: list[list[int]] = []
    seen = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        path: list[tuple[int, int]] = [(root, 0)]
        while path:
            node, step = path.pop()
            if step == 0:
                number[node] = lowest[node] = seen
                seen += 1
                waiting.append(node)
                on_stack[node] = True
            else:
                lowest[node] = min(lowest[node], lowest[after[node][step - 1]])
            while step < len(after[node]):
                other = after[node][step]
                step += 1
                if number[other] < 0:
                    path += [(node, step), (other, 0)]
                    break
                if on_stack[other]:
                    lowest[node] = min(lowest[node], number[other])
            else:
                if lowest[node] == number[node]:
                    cut = waiting.index(node)
                    found.append(sorted(waiting[cut:]))
                    for member in waiting[cut:]:
                        on_stack[member] = False
                    del waiting[cut:]
    return found[::-1]  # Tarjan finds a component after all that it beats


def separate_parts(met: NDArray[np.bool_]) -> list[list[int]]:
    """Return the groups of systems between which there was no battle at all, largest first.

    Examples
    --------
    >>> met = np.zeros((3, 3), dtype=bool)
    >>> met[0, 2] = met[2, 0] = True
    >>> separate_parts(met)
    [[0, 2], [1]]
    """
    parts = strong_components(met | met.T)
    return sorted(parts, key=lambda part: (-len(part), part))


def reaches(beats: NDArray[np.bool_], start: Sequence[int]) -> NDArray[np.bool_]:
    """Return whom some systems beat, directly or through others; they themselves included."""
    seen = np.zeros(len(beats), dtype=bool)
    seen[list(start)] = True
    while True:
        further = seen | beats[seen].any(axis=0)
        if (further == seen).all():
            return seen
        seen = further


def wins_between(
    a: IntArray, b: IntArray, outcome: NDArray[np.float64], n: int
) -> NDArray[np.bool_]:
    """Return who won or tied against whom at least once, as a matrix."""
    beats = np.zeros(n * n, dtype=bool)
    beats[(a * n + b)[outcome > 0.0]] = True
    beats[(b * n + a)[outcome < 1.0]] = True
    return beats.reshape(n, n)


# --- What each rule for ties makes of a vote: likelihood, score and information ---
#
# A vote is ahead by :math:`d = \lambda_a - \lambda_b` plus what else is known of it. Every model
# gives the log-likelihood of a vote, its first derivative by d and by the parameter of ties, and
# (with the sign turned) its second ones.
#
# References
# ----------
# Bradley and Terry (1952), "Rank analysis of incomplete block designs: I. The method of paired
# comparisons", Biometrika 39(3/4), 324–345. Davidson (1970), "On extending the Bradley–Terry model
# to accommodate ties in paired comparison experiments", Journal of the American Statistical
# Association 65(329), 317–328. Rao and Kupper (1967), "Ties in paired-comparison experiments: a
# generalization of the Bradley–Terry model", Journal of the American Statistical Association
# 62(317), 194–204.

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


# --- Strengths on the scale of Elo ---

ELO = 400.0 / math.log(10.0)  # points of Elo for one of log-odds
_CENTRE = 1000.0


def elo(strength: float) -> float:
    """Return a strength on the scale of Elo, with the mean of all at 1000.

    No system is the anchor: its error would become that of all others.

    Examples
    --------
    >>> round(elo(0.0)), round(elo(0.442942), 1)
    (1000, 1076.9)
    """
    return _CENTRE + ELO * strength
