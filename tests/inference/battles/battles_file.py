"""battles.csv of the reference data: 1,500 battles of six systems."""

from functools import cache
from typing import Any

import numpy as np

from detectable.data.battles.battles import Battles
from detectable.data.battles.read_battles import read_battles
from detectable.inference.battle_votes import Votes, plain_votes
from tests.gold_evals import evals
from tests.helpers import reference_data

NAMES = ("ant", "bee", "cat", "dog", "elk", "fox")


def by_system(key: str) -> list[float]:
    """Return checked numbers in the order of the systems."""
    return [evals(key)[name] for name in NAMES]


@cache
def battles() -> Battles:
    """Return the 1,500 battles, their systems in the order of the alphabet."""
    read = read_battles(reference_data("data", "evals", "battles.csv"), covariates=["length"])
    order = [read.systems.index(name) for name in NAMES]
    place = np.argsort(order)
    return Battles.build(
        [NAMES[place[i]] for i in read.a],
        [NAMES[place[i]] for i in read.b],
        read.outcome,
        prompt=read.prompt,
        voter=read.voter,
        covariates=read.covariates,
        sided=True,
        bad=read.bad,
    )


def votes(*, decisive: bool = False, side: bool = False, weight: Any = None) -> Votes:
    """Return the battles as votes of systems in the order of the alphabet."""
    read = battles()
    place = np.array([NAMES.index(name) for name in read.systems])
    kept = read.outcome != 0.5 if decisive else np.ones(read.n, dtype=bool)
    return plain_votes(
        6,
        place[read.a][kept],
        place[read.b][kept],
        read.outcome[kept],
        weight=weight,
        further=np.ones((int(kept.sum()), 1)) if side else None,
    )
