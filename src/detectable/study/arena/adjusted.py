"""Strengths with the side and with covariates taken out, beside those without."""

import math
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.data.battles.battles import Battles
from detectable.inference.battles.design import Votes
from detectable.inference.battles.fit import identified
from detectable.inference.battles.models import Model
from detectable.inference.rank_sets import rank_ranges
from detectable.kernels.distributions.student import t_quantile
from detectable.study.arena.chosen_votes import standardised
from detectable.study.arena.clusters import Clusters
from detectable.study.arena.result import ArenaEffect
from detectable.study.arena.settings import ArenaSettings
from detectable.study.arena.strengths import Strengths, around, find_strengths, two_sided_p

SIDE = "side"


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Effects, and strengths and ranks without them."""

    effects: tuple[ArenaEffect, ...]
    strengths: FloatArray
    ranks: tuple[IntArray, IntArray]


def adjusted(
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
    above = found.t > found.largest.critical(settings.alpha)
    return Adjusted(_effects(found, columns, settings), found.fit.strengths, rank_ranges(above))


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
