"""Arenas keep their word where prompts have favourites; docs/calibration.md has the full tables.

Bounds are four standard errors wide, as in the other calibrations.
"""

import math

import numpy as np
import pytest

import detectable as dt
from tests.calibration import arenas
from tests.calibration.effort import WANTED_POWER, Effort, Rates
from tests.gold_evals import evals

WIDE = 4.0


def off(found: Rates, row: str) -> "np.ndarray":
    """Return how many standard errors a row lies above its nominal rate."""
    return (found.of(row) - found.nominal) / found.error


@pytest.mark.parametrize("world", [arenas.WORLDS[2], arenas.WORLDS[3]])
def test_the_intervals_measured_are_those_of_arena(world: arenas.World) -> None:
    battles = world.draw(np.random.default_rng(6))
    found = arenas.intervals_of_first_two(battles)
    for name, cluster in arenas.CLUSTERED.items():
        if name == arenas.TWO_WAY_NORMAL:
            continue
        told = dt.arena(battles, cluster=cluster, side="none", rng=1)
        [pair] = [one for one in told.pairs if {one.better, one.worse} == {"s0", "s1"}]
        ends = pair.interval_alone.low, pair.interval_alone.high
        wanted = ends if pair.better == "s0" else (-ends[1], -ends[0])
        assert (found[name].low, found[name].high) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.slow
def test_intervals_by_prompts_cover_and_those_of_votes_do_not() -> None:
    found = arenas.coverage(Effort(400))
    assert off(found, arenas.BY_PROMPTS)[:3].min() > -WIDE
    assert off(found, arenas.OURS).min() > -WIDE
    # Voters with tastes: both kinds of clusters are needed.
    votes, prompts, _, ours = found.shares[:, 3]
    assert votes < prompts < ours
    assert off(found, arenas.BY_PROMPTS)[3] < -2.0
    # 100 prompts: 400 arenas there and 400 here.
    for row, key in (
        (arenas.BY_VOTES, "bt.coverage.vote"),
        (arenas.BY_PROMPTS, "bt.coverage.prompt"),
    ):
        wanted = evals(key)
        error = math.sqrt(wanted * (1.0 - wanted) * 2 / 400)
        assert found.of(row)[0] == pytest.approx(wanted, abs=WIDE * error), key
    assert off(found, arenas.BY_VOTES)[0] < -2.0
    assert off(found, arenas.BY_VOTES)[2] < -WIDE


@pytest.mark.slow
def test_ranks_hold_together_and_equal_systems_are_not_told_apart() -> None:
    ranks = arenas.rank_sets(Effort(200))
    assert off(ranks, arenas.OURS).min() > -2.0
    alarms = arenas.false_alarms(Effort(300))
    assert off(alarms, arenas.OURS).max() < WIDE
    assert off(alarms, arenas.VOTES_ALONE).min() > WIDE
    assert off(alarms, arenas.VOTES_TOGETHER)[2] > WIDE


@pytest.mark.slow
def test_a_stated_mde_and_planned_votes_have_the_stated_power() -> None:
    low, high = WANTED_POWER
    error = (0.8 * 0.2 / 300) ** 0.5
    for found in (arenas.stated_mde(Effort(300)), arenas.planned_votes(Effort(300))):
        assert found.shares.min() > low - 2 * error, found.shares
        assert found.shares.max() < high + 2 * error, found.shares


@pytest.mark.slow
def test_few_voters_with_most_votes_tell_no_equal_systems_apart() -> None:
    found = arenas.uneven_voters(Effort(200))
    assert off(found, arenas.UNEVEN).max() < 2.0
    assert off(found, arenas.CAPPED).max() < 2.0
    uneven = [i for i, label in enumerate(found.columns) if not label.endswith("equal")]
    assert off(found, arenas.FORMER)[uneven].min() > WIDE
    power = arenas.uneven_voters_power(Effort(100))
    assert power.of(arenas.CAPPED).min() > 0.9
