"""Systems that won or lost everything: what can be said of them beside those that are ranked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.types import IntArray
from detectable.core.wording import listing
from detectable.data.battles.battles import Battles
from detectable.inference.battles.design import Votes, cells_of
from detectable.inference.battles.graph import (
    reaches,
    separate_parts,
    strong_components,
    wins_between,
)
from detectable.inference.battles.unbeaten import among, bound, in_clusters, p_above
from detectable.study.arena.clusters import Clusters
from detectable.study.arena.result import Placed


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
    """Return who can be ranked; refuse battles that fall into parts.

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
    ranked, _ = cells_of(among(votes, where.ranked))
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
