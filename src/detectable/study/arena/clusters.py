"""Which votes belong together: prompts, voters, both, or none."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.choices import VoteCluster
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.battles.battles import Battles
from detectable.data.factor import Factor, cross_codes
from detectable.inference.battles.bootstrap import bootstrap_covariance
from detectable.inference.battles.covariance import clustered, larger, two_way
from detectable.inference.battles.design import Votes
from detectable.inference.battles.fit import Fit
from detectable.inference.battles.models import Model

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

    @property
    def n(self) -> int | None:
        """The number of clusters, of the kind that has fewer; None where votes stand alone."""
        return min(self.sizes.values()) if self.sizes else None

    @property
    def df(self) -> float:
        """The degrees of freedom of the covariance: clusters − 1, of the kind that has fewer.

        So Cameron, Gelbach and Miller (2011) for two kinds at once: with the normal distribution, 60
        voters and 100 prompts cover .940, with t .945 of the promised .95.
        """
        return math.inf if self.n is None else self.n - 1.0

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


def _known(battles: Battles, kind: str, column: Factor | None) -> Factor:
    where = battles.path or "the battles"
    if column is None:
        raise DataError(
            f"{where}: there is no {kind} to cluster by. Say which column names it (--column "
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
    """Of all parameters: as clustered, and as if all votes were independent."""

    chosen: FloatArray
    votes: FloatArray


def covariances(
    votes: Votes,
    model: Model,
    fit: Fit,
    clusters: Clusters,
    *,
    firth: bool = False,
    bootstrap: int = 0,
    rng: np.random.Generator,
) -> Covariances:
    """Return the covariance that was asked for, beside that of independent votes.

    With Firth's penalty it is at least what the model says: a system that won everything has next
    to no residuals, and a sandwich of them is next to nothing.
    """
    alone = clustered(votes, model, fit)
    if bootstrap:
        return Covariances(
            bootstrap_covariance(votes, model, fit, clusters.codes, n_draws=bootstrap, rng=rng),
            alone,
        )
    each = [clustered(votes, model, fit, codes) for codes in clusters.codes]
    if not each:
        chosen = alone
    elif len(each) == 1:
        chosen = each[0]
    else:
        first, second = each
        crossed = clustered(votes, model, fit, clusters.crossed())
        chosen = two_way(first, second, crossed)
    if firth:
        chosen = larger(fit.inverse, chosen)
    return Covariances(chosen, alone)


def _factor(codes: IntArray) -> Factor:
    return Factor(name="", levels=("",) * (int(codes.max()) + 1), codes=codes)


def take_clusters(clusters: Clusters, rows: IntArray) -> Clusters:
    """Return the clusters of some votes, numbered anew."""
    codes = tuple(np.unique(each[rows], return_inverse=True)[1] for each in clusters.codes)
    sizes = dict(zip(clusters.sizes, (int(each.max()) + 1 for each in codes), strict=True))
    return Clusters(clusters.by, codes, sizes, clusters.notes)
