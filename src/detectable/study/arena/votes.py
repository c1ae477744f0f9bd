"""The votes that count: ties, weights, clusters, tallies, and what the tool that wrote them would say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.choices import TieRule, VoteCluster, VoteWeights
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, number
from detectable.data.battles.battles import TIE, Battles
from detectable.data.factor import Factor, cross_codes
from detectable.inference.battle_votes import (
    Davidson,
    HalfTies,
    Model,
    RaoKupper,
    Votes,
    plain_votes,
)
from detectable.inference.bradley_terry import (
    Fit,
    bootstrap_covariance,
    clustered,
    larger,
    left_out,
    parts_at,
    two_way,
)
from detectable.inference.left_out_clusters import effective_clusters
from detectable.inference.rank_sets import pair_errors
from detectable.study.arena.result import ArenaPair

MODELS: dict[str, type[Model]] = {"davidson": Davidson, "rao-kupper": RaoKupper}


@dataclass(frozen=True, slots=True)
class ChosenVotes:
    """Votes without further effects, the battles that they are, and the model of ties."""

    battles: Battles
    votes: Votes
    model: Model
    notes: tuple[str, ...]


def chosen_votes(
    battles: Battles, ties: TieRule, weights: VoteWeights, cap_voter: float | None = None
) -> ChosenVotes:
    """Return the votes that a rule for ties keeps, with their weights."""
    where = battles.path or "the battles"
    tied = battles.outcome == TIE
    notes: list[str] = []
    if tied.all():
        raise DataError(f"{where}: every battle is a tie, so that nothing separates systems.")
    if ties in MODELS:
        _refuse_shares(battles, ties)
        if not tied.any():
            raise DataError(
                f"{where}: there is no tie, so that a model of ties has nothing to fit. Choose "
                "ties='half'."
            )
    if ties == "drop" and tied.any():
        before = battles.systems
        battles = battles.take(~tied)
        notes.append(f"{count(int(tied.sum()), 'tie')} left out.")
        gone = [name for name in before if name not in battles.systems]
        if gone:
            raise DataError(
                f"{where}: without ties nothing is left of {', '.join(gone)}. Choose ties='half'."
            )
    weight = battles.weights
    if cap_voter is not None:
        weight = weight * capped_weights(
            _known(battles, "voter", battles.voter, "weigh"), cap_voter
        )
    if weights == "pairs":
        pair = pair_codes(battles)
        total = np.bincount(pair, weight)
        weight = weight / total[pair]
        weight = weight * (battles.n / weight.sum())
    votes = plain_votes(len(battles.systems), battles.a, battles.b, battles.outcome, weight)
    model = MODELS[ties]() if ties in MODELS else HalfTies()
    return ChosenVotes(battles, votes, model, tuple(notes))


def capped_weights(voter: Factor, cap: float) -> FloatArray:
    """Return weights with which no voter counts more than `cap` times the median voter.

    Examples
    --------
    >>> from detectable.data.factor import factor
    >>> capped_weights(factor("voter", ["v", "w", "x", "x", "x", "x"]), 2.0).tolist()
    [1.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    """
    votes = np.bincount(voter.codes)
    return np.asarray(np.minimum(1.0, cap * np.median(votes) / votes)[voter.codes])


def pair_codes(battles: Battles) -> IntArray:
    """Return the number of the two systems of each battle, whatever their order."""
    k = len(battles.systems)
    return np.asarray(np.minimum(battles.a, battles.b) * k + np.maximum(battles.a, battles.b))


def standardised(values: FloatArray) -> tuple[FloatArray, float]:
    """Return a covariate in standard deviations, which leaves its zero where it is."""
    scale = float(values.std(ddof=1))
    return values / scale, scale


def _refuse_shares(battles: Battles, ties: str) -> None:
    other = np.flatnonzero(~np.isin(battles.outcome, (0.0, TIE, 1.0)))
    if other.size:
        row = int(other[0])
        raise DataError(
            f"{battles.place(row)}: the outcome {battles.outcome[row]:g} is neither a win nor a tie, "
            f"as ties='{ties}' needs. Choose ties='half'."
        )


# --- Which votes belong together: prompts, voters, both, or none ---

Clustering: TypeAlias = Literal["prompt", "voter", "two-way", "vote"]

_FEW_VOTERS = 10  # below, voters are no sample of voters
FEW_CLUSTERS = 30  # below, intervals are rough


@dataclass(frozen=True, slots=True)
class Clusters:
    """How votes are clustered, and how many clusters there are.

    Attributes
    ----------
    by : {'prompt', 'voter', 'two-way', 'vote'}
        What is independent.
    codes : tuple of array of int
        One array for each kind of cluster, from 0 without gaps.
    sizes : mapping of kind to the number of clusters
    notes : tuple of str
        What to be careful about.
    """

    by: Clustering
    codes: tuple[IntArray, ...]
    sizes: dict[str, int]
    notes: tuple[str, ...] = ()

    def crossed(self) -> IntArray:
        """Return which votes belong together by all kinds at once."""
        return cross_codes(*(_factor(codes) for codes in self.codes))[0]


def choose_clusters(battles: Battles, cluster: VoteCluster) -> Clusters:
    """Return the clusters that were asked for, or those that the data call for.

    By itself: prompts where they repeat, and voters with them where they repeat and there are at
    least ten of them.
    """
    kinds = {"prompt": battles.prompt, "voter": battles.voter}
    if cluster == "vote":
        return Clusters("vote", (), {})
    if cluster != "auto":
        wanted = ("prompt", "voter") if cluster == "two-way" else (cluster,)
        return _clusters({kind: _known(battles, kind, kinds[kind]) for kind in wanted})
    used, notes = {}, []
    for kind, column in kinds.items():
        if column is None or column.n_levels == battles.n:
            continue
        if column.n_levels == 1:
            if kind == "prompt":
                notes.append(
                    "All battles have one prompt: the claim is about this prompt, and votes count "
                    "as independent."
                )
        elif kind == "voter" and column.n_levels < _FEW_VOTERS:
            notes.append(
                f"{count(column.n_levels, 'voter')} are no sample of voters: the claim is about "
                "these."
            )
        else:
            used[kind] = column
    return _clusters(used, tuple(notes))


def _clusters(used: dict[str, Factor], notes: tuple[str, ...] = ()) -> Clusters:
    if not used:
        return Clusters("vote", (), {}, notes)
    sizes = {kind: column.n_levels for kind, column in used.items()}
    few = [count(n, kind) for kind, n in sizes.items() if n < FEW_CLUSTERS]
    if few:
        notes = (
            *notes,
            f"Only {' and '.join(few)}: standard errors from so few clusters are rough.",
        )
    by: Clustering = "two-way" if len(used) == 2 else "prompt" if "prompt" in used else "voter"
    return Clusters(by, tuple(column.codes for column in used.values()), sizes, notes)


def _known(
    battles: Battles, kind: str, column: Factor | None, purpose: str = "cluster"
) -> Factor:
    where = battles.path or "the battles"
    if column is None:
        raise DataError(
            f"{where}: there is no {kind} to {purpose} by. Say which column names it (--column "
            f"{kind}=NAME, columns={{{kind!r}: …}})."
        )
    if column.n_levels < 2:
        raise DataError(
            f"{where}: all battles have one {kind}, and one cluster has no standard error. Choose "
            "another cluster."
        )
    return column


@dataclass(frozen=True, slots=True)
class Covariances:
    """Of all parameters: as clustered, and as if all votes were independent.

    Attributes
    ----------
    effective : mapping of kind to float
        How many clusters there are in effect, for the pair that has the fewest.
    df : float
        Degrees of freedom; infinite where votes stand alone.
    """

    chosen: FloatArray
    votes: FloatArray
    effective: dict[str, float]
    df: float


def covariances(
    votes: Votes,
    model: Model,
    fit: Fit,
    clusters: Clusters,
    *,
    firth: bool = False,
    bootstrap: int = 0,
    capped: bool = False,
    rng: np.random.Generator,
) -> Covariances:
    """Return the covariance that was asked for, beside that of independent votes.

    Clusters of a kind are left out one at a time (CR3); of the crossing of two kinds, which is taken
    away, CR1 is enough. With Firth's penalty it is at least what the model says: a system that won
    everything has next to no residuals, and a sandwich of them is next to nothing.

    Parameters
    ----------
    capped : bool
        Whether voters with many votes count less, which changes the degrees of freedom.
    """
    alone = clustered(votes, model, fit)
    needed = () if bootstrap and not capped else clusters.codes
    each = [left_out(votes, model, fit, codes) for codes in needed]
    if bootstrap:
        chosen = bootstrap_covariance(
            votes, model, fit, clusters.codes, n_draws=bootstrap, rng=rng
        )
    elif not each:
        chosen = alone
    elif len(each) == 1:
        chosen = each[0]
    else:
        crossed = clustered(votes, model, fit, clusters.crossed())
        chosen = two_way(each[0], each[1], crossed)
    if firth:
        chosen = larger(fit.inverse, chosen)
    counts = _effective(votes, model, fit, clusters, tastes=_TASTES if capped else 0.0)
    effective = {kind: float(np.nanmin(of)) for kind, of in counts.items()}
    df = math.inf
    if capped and counts:
        df = _satterthwaite(chosen, each, list(counts.values()), votes.n_systems)
    elif counts:
        df = min(effective.values()) - 1.0
    return Covariances(chosen, alone, effective, max(df, _FEWEST_DF))


_TASTES = 0.5  # of the weight of a capped voter that goes by tastes
_FEWEST_DF = 0.5  # one cluster in effect would have none


def _effective(
    votes: Votes, model: Model, fit: Fit, clusters: Clusters, *, tastes: float
) -> dict[str, FloatArray]:
    """Return the effective clusters of every pair, by kind."""
    information = votes.weight * parts_at(votes, model, fit).information
    return {
        kind: effective_clusters(votes, information, codes, tastes=tastes)
        for kind, codes in zip(clusters.sizes, clusters.codes, strict=True)
    }


def _satterthwaite(
    chosen: FloatArray, each: list[FloatArray], counts: list[FloatArray], k: int
) -> float:
    r"""Return the least :math:`V^2 / \sum_k V_k^2 / (G^*_k - 1)` of all pairs, kinds k.

    Where votes are capped no kind of clusters is as bad as its largest member, and the least of
    both kinds would be too strict.

    References
    ----------
    Satterthwaite (1946), "An approximate distribution of estimates of variance components",
    Biometrics Bulletin 2(6), 110–114.
    """
    whole = pair_errors(chosen[:k, :k]) ** 2
    parts = sum(
        pair_errors(one[:k, :k]) ** 4 / np.maximum(count - 1.0, _FEWEST_DF)
        for one, count in zip(each, counts, strict=True)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        found = whole**2 / parts
    return float(np.nanmin(np.where(whole > 0.0, found, np.nan)))


def _factor(codes: IntArray) -> Factor:
    return Factor(name="", levels=("",) * (int(codes.max()) + 1), codes=codes)


def take_clusters(clusters: Clusters, rows: IntArray) -> Clusters:
    """Return the clusters of some votes, numbered anew."""
    codes = tuple(np.unique(each[rows], return_inverse=True)[1] for each in clusters.codes)
    sizes = dict(zip(clusters.sizes, (int(each.max()) + 1 for each in codes), strict=True))
    return Clusters(clusters.by, codes, sizes, clusters.notes)


# --- Votes and wins of every system and of every pair, as they were cast ---


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


# --- What the tool that wrote a file would say, where it counts otherwise ---


def tool_rule(battles: Battles, pairs: Sequence[ArenaPair]) -> str:
    """Say what Arena-Hard would: both games as rows, strong verdicts three times.

    Its standard error is that of rows that are independent, three copies of one among them.
    """
    counted = battles.counted_by_tool
    if counted is None or len(counted.systems) != 2:
        return ""
    pair = pairs[0]
    first = counted.a == counted.systems.index(pair.better)
    won = np.where(first, counted.outcome, 1.0 - counted.outcome)
    rows = counted.weights
    share = float(rows @ won / rows.sum())
    error = math.sqrt(float(rows @ (won - share) ** 2)) / float(rows.sum())
    ours = pair.standard_error * pair.share * (1.0 - pair.share)
    return (
        "Arena-Hard's rule (two games a question, strong verdicts three times, all rows "
        f"independent) would say {number(100 * share, digits=1)}% of wins with a standard error of "
        f"{number(100 * error, digits=2)}; one observation per question has "
        f"{number(100 * ours, digits=2)}."
    )
