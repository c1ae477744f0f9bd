"""Strengths of systems that can all be ranked, their errors, and every pair of them."""

import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.battles.design import Votes, cells_of
from detectable.inference.battles.fit import Fit, fit_strengths
from detectable.inference.battles.models import Model
from detectable.inference.rank_sets import LargestOfAll, largest_of_all, pair_errors
from detectable.kernels.distributions.student import t_below, t_quantile
from detectable.study.arena.clusters import Clusters, Covariances, covariances
from detectable.study.arena.settings import ArenaSettings

_NOTHING = 1e-6  # of the model's error: what rounding leaves of an error of 0


@dataclass(frozen=True, slots=True)
class Strengths:
    """A fit with its errors.

    Attributes
    ----------
    errors, errors_votes : array of shape (systems, systems)
        Of every difference, as clustered and as if votes were independent.
    largest : LargestOfAll
        Draws of the largest absolute t of all pairs.
    """

    fit: Fit
    covariance: Covariances
    errors: FloatArray
    errors_votes: FloatArray
    largest: LargestOfAll
    df: float
    dispersion: float  # variance of scores, beside what the model says
    information: float  # of a vote on average, under a model of ties; NaN without

    @property
    def differences(self) -> FloatArray:
        """Row − column."""
        return np.asarray(self.fit.strengths[:, None] - self.fit.strengths[None, :])

    @property
    def t(self) -> FloatArray:
        """Differences in standard errors; 0 on the diagonal and where there is no error."""
        found = np.zeros_like(self.errors)
        np.divide(self.differences, self.errors, out=found, where=self.errors > 0.0)
        return found

    def standard_error(self, i: int) -> float:
        """Return the standard error of a strength, against the mean of all."""
        return math.sqrt(max(0.0, float(self.covariance.chosen[i, i])))


def find_strengths(
    votes: Votes, model: Model, clusters: Clusters, settings: ArenaSettings
) -> Strengths:
    """Fit strengths and find their errors."""
    cells, _ = cells_of(votes)
    fit = fit_strengths(cells, model, firth=settings.firth)
    found = covariances(
        votes,
        model,
        fit,
        clusters,
        firth=settings.firth,
        bootstrap=settings.bootstrap,
        rng=settings.rng,
    )
    k = votes.n_systems
    found = replace(
        found,
        chosen=_with_unseen(found.chosen, fit.inverse, k),
        votes=_with_unseen(found.votes, fit.inverse, k),
    )
    chosen, alone = (pair_errors(v[:k, :k]) for v in (found.chosen, found.votes))
    largest = largest_of_all(found.chosen[:k, :k], settings.rng, df=clusters.df)
    parts = model.parts(votes.outcome, votes.gaps(fit.strengths, fit.effects), fit.tie or 0.0)
    expected = float(votes.weight @ parts.information)
    dispersion = float(votes.weight @ parts.score**2) / expected
    per_vote = expected / float(votes.weight.sum()) if model.has_ties else math.nan
    return Strengths(fit, found, chosen, alone, largest, clusters.df, dispersion, per_vote)


def _with_unseen(covariance: FloatArray, by_model: FloatArray, k: int) -> FloatArray:
    """Return the covariance, with the model's variance where nothing could scatter.

    A system that met one other, once, and tied is where the model puts it: its residual is 0, and
    so is the error of the difference, as if one vote had settled it. Of two such systems, that of
    which the model knows less is as uncertain as the model says, against all others. Where no vote
    scatters at all, there is nothing to go by, and the errors stay 0.
    """
    seen, told = pair_errors(covariance[:k, :k]), pair_errors(by_model[:k, :k])
    still = seen <= _NOTHING * told
    more = np.zeros(covariance.shape[0])
    for i, j in [] if still.all() else np.argwhere(np.triu(still, 1)).tolist():
        unknown = i if by_model[i, i] > by_model[j, j] else j
        more[unknown] = max(more[unknown], told[i, j] ** 2)
    return np.asarray(covariance + np.diag(more))


def two_sided_p(t: float, df: float) -> float:
    """Return the p-value of one difference by itself."""
    return 2.0 * t_below(-abs(t), df)


def around(estimate: float, error: float, critical: float, level: float) -> Interval:
    """Return the interval of an estimate."""
    return Interval(estimate - critical * error, estimate + critical * error, level)


def together(strengths: Strengths, settings: ArenaSettings) -> float:
    """Return how many standard errors cover all strengths at once, by Bonferroni's bound."""
    k = strengths.fit.strengths.size
    return t_quantile(1.0 - 0.5 * settings.alpha / k, strengths.df)
