"""Strengths of all systems, their errors, and every pair; also with side and covariates taken out."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import listing
from detectable.data.battles.battles import Battles
from detectable.inference.battle_votes import (
    Model,
    Votes,
    cells_of,
    reaches,
    separate_parts,
    strong_components,
    wins_between,
)
from detectable.inference.bradley_terry import (
    Fit,
    among,
    bound,
    fit_strengths,
    identified,
    in_clusters,
    p_above,
)
from detectable.inference.rank_sets import (
    LargestOfAll,
    largest_of_all,
    pair_errors,
    rank_ranges,
)
from detectable.kernels.distributions import t_below, t_quantile
from detectable.study.arena.result import ArenaEffect, Placed
from detectable.study.arena.votes import Clusters, Covariances, covariances, standardised
from detectable.study.settings import ArenaSettings

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

    def ranks(self, alpha: float) -> tuple[IntArray, IntArray]:
        """Return the lowest and the highest rank of every system, which hold together."""
        return rank_ranges(self.t > self.largest.critical(alpha))

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
    cells = cells_of(votes)
    fit = fit_strengths(cells, model, firth=settings.firth)
    found = covariances(
        votes,
        model,
        fit,
        clusters,
        firth=settings.firth,
        bootstrap=settings.bootstrap,
        capped=settings.cap_voter is not None,
        rng=settings.rng,
    )
    k = votes.n_systems
    found = replace(
        found,
        chosen=_with_unseen(found.chosen, fit.inverse, k),
        votes=_with_unseen(found.votes, fit.inverse, k),
    )
    chosen, alone = (pair_errors(v[:k, :k]) for v in (found.chosen, found.votes))
    largest = largest_of_all(found.chosen[:k, :k], settings.rng, df=found.df)
    parts = model.parts(votes.outcome, votes.gaps(fit.strengths, fit.effects), fit.tie or 0.0)
    expected = float(votes.weight @ parts.information)
    dispersion = float(votes.weight @ parts.score**2) / expected
    per_vote = expected / float(votes.weight.sum()) if model.has_ties else math.nan
    return Strengths(fit, found, chosen, alone, largest, found.df, dispersion, per_vote)


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


# --- Strengths with the side and with covariates taken out, beside those without ---

SIDE = "side"


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Effects, and strengths without them."""

    effects: tuple[ArenaEffect, ...]
    without: Strengths


def without_effects(
    battles: Battles,
    votes: Votes,
    model: Model,
    clusters: Clusters,
    settings: ArenaSettings,
) -> Adjusted | None:
    """Fit the side, where the order is known, and covariates; None where there is neither."""
    columns: dict[str, tuple[FloatArray, float]] = {}
    if _with_side(battles, votes, model, settings):
        columns[SIDE] = (np.ones(votes.n), 1.0)
    for name in settings.covariates:
        values = battles.covariates[name]
        if np.ptp(values) == 0.0:
            raise DataError(
                f"{battles.path or 'the battles'}: the covariate {name!r} is the same in all "
                "battles. Leave it out."
            )
        columns[name] = standardised(values)
    if not columns:
        return None
    full = replace(votes, further=np.column_stack([column for column, _ in columns.values()]))
    if not identified(full, model):
        raise DataError(
            f"{battles.path or 'the battles'}: {' and '.join(columns)} cannot be told from the "
            "systems: every pair was shown in one way. Leave it out."
        )
    found = find_strengths(full, model, clusters, settings)
    return Adjusted(_effects(found, columns, settings), found)


def _with_side(battles: Battles, votes: Votes, model: Model, settings: ArenaSettings) -> bool:
    if settings.side == "none":
        return False
    if settings.side == "fit" and not battles.sided:
        raise DataError(
            f"{battles.path or 'the battles'}: the order in which systems were shown is not known. "
            "Leave the side out."
        )
    if settings.side == "fit":
        return True
    return battles.sided and identified(replace(votes, further=np.ones((votes.n, 1))), model)


def _effects(
    found: Strengths, columns: dict[str, tuple[FloatArray, float]], settings: ArenaSettings
) -> tuple[ArenaEffect, ...]:
    k = found.fit.strengths.size
    critical = t_quantile(1.0 - 0.5 * settings.alpha, found.df)
    made = []
    for place, (name, (_, scale)) in enumerate(columns.items()):
        estimate = float(found.fit.effects[place])
        error = math.sqrt(max(0.0, float(found.covariance.chosen[k + place, k + place])))
        made.append(
            ArenaEffect(
                name=name,
                estimate=estimate,
                standard_error=error,
                interval=around(estimate, error, critical, 1.0 - settings.alpha),
                p_value=two_sided_p(estimate / error, found.df) if error else math.nan,
                scale=scale,
            )
        )
    return tuple(made)


# --- Systems that won or lost everything: what can be said of them beside those that are ranked ---


@dataclass(frozen=True, slots=True)
class Placing:
    """Who can be ranked, and where the others are."""

    ranked: IntArray
    placed: tuple[Placed, ...]  # of every system


@dataclass(frozen=True, slots=True)
class Outside:
    """A system without estimate: its one-sided limit, and p-values against those ranked."""

    system: int
    bound: float
    p_values: tuple[float, ...]  # that it is above (below) each of the ranked, one-sided


def placing(battles: Battles, *, all_ranked: bool = False) -> Placing:
    """Return the systems that can be ranked; refuse battles that form unconnected groups.

    Parameters
    ----------
    all_ranked : bool
        Whether a penalty gives everybody an estimate.
    """
    k = len(battles.systems)
    beats = wins_between(battles.a, battles.b, battles.outcome, k)
    parts = separate_parts(beats | beats.T)
    if len(parts) > 1:
        listed = "; ".join(
            listing([battles.systems[i] for i in part], most=6) for part in parts[:6]
        )
        raise DataError(
            f"{battles.path or 'the battles'}: the systems fall into {len(parts)} parts that never "
            f"met, and strengths of different parts cannot be compared: {listed}. Add battles "
            "between them, or give each part by itself."
        )
    if all_ranked:
        everybody: list[Placed] = ["ranked"] * k
        return Placing(np.arange(k), tuple(everybody))
    core = max(strong_components(beats), key=lambda part: (len(part), -part[0]))
    if len(core) < 2:
        raise DataError(
            f"{battles.path or 'the battles'}: no two systems have won or tied against each other, "
            "directly or through others, so that strengths have no finite estimate. Add battles, "
            "or take --penalty firth (penalty='firth')."
        )
    above, below = reaches(beats.T, core), reaches(beats, core)
    placed: list[Placed] = [
        "ranked" if up and down else "above" if up else "below" if down else "unknown"
        for up, down in zip(above.tolist(), below.tolist(), strict=True)
    ]
    return Placing(np.array(core), tuple(placed))


def outside(votes: Votes, where: Placing, clusters: Clusters, *, alpha: float) -> list[Outside]:
    """Return what is known of the systems that cannot be ranked.

    Only their battles with the ranked are used, and all votes of a cluster count as one: a
    system that won everything has no spread from which a design effect could be seen.
    """
    ranked = cells_of(among(votes, where.ranked))
    member = np.zeros(votes.n_systems, dtype=bool)
    member[where.ranked] = True
    number = np.cumsum(member) - 1
    found = []
    for system, kind in enumerate(where.placed):
        if kind == "ranked":
            continue
        rows = _met(votes, system, member)
        if not rows.size or kind == "unknown":
            found.append(Outside(system, float("nan"), (1.0,) * where.ranked.size))
            continue
        first = votes.a[rows] == system
        against = number[np.where(first, votes.b[rows], votes.a[rows])]
        won = np.where(first, votes.outcome[rows], 1.0 - votes.outcome[rows])
        codes = clusters.codes[0][rows] if clusters.codes else None
        weight = in_clusters(votes.weight[rows], codes)
        sign = 1.0 if kind == "above" else -1.0
        found.append(
            Outside(
                system,
                bound(ranked, against, won, weight, alpha=alpha),
                tuple(
                    p_above(ranked, against, weight, other, sign=sign)
                    for other in range(where.ranked.size)
                ),
            )
        )
    return found


def _met(votes: Votes, system: int, member: NDArray[np.bool_]) -> IntArray:
    forth = (votes.a == system) & member[votes.b]
    back = (votes.b == system) & member[votes.a]
    return np.flatnonzero(forth | back)
