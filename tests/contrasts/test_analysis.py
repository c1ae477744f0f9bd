"""Families, corrections and intervals that agree with their p-values."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from detectable.contrasts.analysis import (
    agreeing,
    by_t,
    families,
    family_sizes,
    found_by_swaps,
    stepwise,
    t_margins,
    t_p_value,
)
from detectable.core.interval import Interval
from detectable.core.types import IntArray
from detectable.data.scores.scores import Scores
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.multiplicity import holm
from detectable.inference.randomization import SwapParts
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import Estimate
from detectable.inference.swap_power import largest_of_level, swap_shift
from detectable.study.comparison.compare import compare

SHAPE = (3, 2)  # pairs, metrics


def test_families_are_metrics_or_everything() -> None:
    assert [group.tolist() for group in families(SHAPE, "systems")] == [[0, 2, 4], [1, 3, 5]]
    [everything] = families(SHAPE, "systems-and-metrics")
    assert everything.tolist() == [0, 1, 2, 3, 4, 5]
    assert family_sizes(SHAPE, families(SHAPE, "systems")).tolist() == [[3.0, 3.0]] * 3
    assert family_sizes(SHAPE, (everything,)).tolist() == [[6.0, 6.0]] * 3


def test_holm_runs_within_each_family_and_leaves_gaps() -> None:
    p = np.array([[0.01, 0.04], [0.02, math.nan], [0.5, 0.03]])
    found = stepwise(p, families(SHAPE, "systems"), "holm")
    assert found[:, 0].tolist() == holm(p[:, 0]).tolist()
    assert [found[0, 1], found[2, 1]] == holm(np.array([0.04, 0.03])).tolist()
    assert math.isnan(found[1, 1])
    assert stepwise(p, families(SHAPE, "systems"), "none") is p
    assert p[0, 0] == 0.01  # not changed in place


def test_nothing_is_claimed_where_nothing_varies() -> None:
    assert t_p_value(Estimate(0.3, 0.0, 4.0)) == 1.0
    assert t_p_value(Estimate(0.3, math.nan, math.nan)) == 1.0
    assert t_p_value(Estimate(2.0, 1.0, 1.0)) == pytest.approx(1 - 2 * math.atan(2) / math.pi)
    found = t_margins(
        [[Estimate(0.3, 0.0, 4.0), Estimate(0.3, 0.1, 4.0)]], np.array([1.0, 1.0])
    )
    assert (found.above[0, 0], found.below[0, 0]) == (1.0, 1.0)
    assert max(found.above[0, 1], found.below[0, 1]) < 0.01


def test_margins_that_are_not_given_have_no_p_value() -> None:
    found = t_margins([[Estimate(0.3, 0.1, 4.0)]], np.array([math.nan]))
    assert math.isnan(found.above[0, 0])
    assert math.isnan(found.below[0, 0])


@pytest.mark.parametrize(
    ("value", "p", "interval", "wanted"),
    [
        (1.0, 0.05, (-0.2, 2.0), (math.ulp(0.0), 2.0)),  # p of exactly α rejects
        (1.0, 0.051, (0.2, 2.0), (0.0, 2.0)),
        (-1.0, 0.01, (-2.0, 0.1), (-2.0, -math.ulp(0.0))),
        (-1.0, 0.2, (-2.0, -0.1), (-2.0, 0.0)),
        (0.0, 0.01, (-1.0, 1.0), (-1.0, 1.0)),  # a difference of 0 decides nothing
    ],
)
def test_intervals_hold_zero_unless_it_was_rejected(
    value: float, p: float, interval: tuple[float, float], wanted: tuple[float, float]
) -> None:
    cells = [[Estimate(value, 1.0, 9.0)]]
    [[found]] = agreeing(cells, np.array([[p]]), 0.05, lambda *_: Interval(*interval, 0.95))
    assert (found.low, found.high) == wanted


def test_by_t_shares_alpha_among_the_tests() -> None:
    cells = [[Estimate(value, 1.0, 20.0)] for value in (4.0, 2.4, 0.5)]
    groups = families((3, 1), "systems")
    found = by_t(cells, np.array([math.nan]), groups, "holm", alpha=0.05, power=0.8)
    assert found.level.tolist() == [[0.05 / 3]] * 3
    assert found.p_adjusted.ravel().tolist() == holm(found.p_values.ravel()).tolist()
    for p, cell in enumerate(cells):
        assert found.mde[p, 0] == cell[0].detectable(alpha=0.05 / 3, power=0.8)
        assert found.interval_alone(p, 0, 0.05) == cell[0].interval(0.95)
    wide = cells[0][0].interval(1 - 0.05 / 3)
    assert found.intervals[0][0] == Interval(wide.low, wide.high, 0.95)
    assert not found.attainable.any()
    assert not found.attainable_margin.any()
    plain = by_t(cells, np.array([math.nan]), groups, "none", alpha=0.05, power=0.8)
    assert plain.p_adjusted.tolist() == plain.p_values.tolist()
    assert plain.level.tolist() == [[0.05]] * 3


# --- Right or wrong answers of a pair: how many units of the same kind would find a difference ---

QUICK: dict[str, Any] = {"baseline": "A", "rng": 1, "n_examples": 0}
ASK: dict[str, Any] = {"level": 0.05, "joint": False, "power": 0.8}


def items(n: int, fixed: int, broken: int) -> Scores:
    """Return answers of B and A: B fixes some, breaks some, and agrees with A on the rest."""
    kind = np.repeat([1, -1, 0], [fixed, broken, n - fixed - broken])
    theirs = np.where(kind == 1, 0, 1)
    return Scores.build({"A": theirs, "B": theirs + kind})


def documents(sums: IntArray, size: int) -> Scores:
    """Return answers in documents, of which B has so many more right than A in each."""
    kind = np.concatenate([np.repeat([np.sign(s), 0], [abs(s), size - abs(s)]) for s in sums])
    theirs = np.where(kind == 1, 0, 1)
    names = [str(i) for i in np.repeat(np.arange(sums.size), size)]
    return Scores.build({"A": theirs, "B": theirs + kind}, documents=names)


@pytest.mark.parametrize(("n", "fixed", "broken"), [(100, 3, 2), (400, 50, 30), (60, 0, 4)])
@pytest.mark.parametrize("effect", [0.04, 0.1, 0.3])
def test_items_needed_are_those_of_the_exact_test(
    n: int, fixed: int, broken: int, effect: float
) -> None:
    """The exact test on drawn tables of so many items finds the effect, of fewer it does not."""
    pair = compare(items(n, fixed, broken), effect=effect, **QUICK).pairs[0]
    needed = pair.units_needed or 0
    rng, trials, share = np.random.default_rng(5), 40_000, (fixed + broken) / n
    win, loss = max(0.5 * (share + effect), effect), max(0.5 * (share - effect), 0.0)

    def power(size: int) -> float:
        b, c, _ = rng.multinomial(size, [win, loss, 1.0 - win - loss], size=trials).T
        return float(((sign_test_p(b, c) <= 0.05) & (b > c)).mean())

    noise = 3 * 0.4 / trials**0.5
    assert power(needed) >= 0.8 - noise
    assert power(math.floor(0.97 * needed) - 1) <= 0.8 + noise


def test_ten_points_of_few_discordant_items_need_more_than_the_error_says() -> None:
    """By its standard error 11 items would find ten points; six of them would have to differ."""
    pair = compare(items(100, 3, 2), effect=0.1, **QUICK).pairs[0]
    assert pair.units_needed == 78
    assert binom.sf(5, 78, 0.1) >= 0.8 > binom.sf(5, 77, 0.1)


@pytest.mark.parametrize("size", [4, 10])
def test_what_is_stated_as_detectable_needs_the_units_at_hand(size: int) -> None:
    rng = np.random.default_rng(7)
    sums = rng.choice([-2, -1, 0, 1, 2], p=[0.1, 0.2, 0.4, 0.2, 0.1], size=40)
    data = documents(sums, size)
    stated = compare(data, **QUICK).pairs[0].mde
    # Documents are planned from the upper 60 % limit of the variance, not from its middle.
    needed = compare(data, effect=1.0001 * stated, **QUICK).pairs[0].units_needed
    assert 40 < (needed or 0) <= 47
    alone = items(400, 25, 20)
    stated = compare(alone, **QUICK).pairs[0].mde
    needed = compare(alone, effect=1.001 * stated, **QUICK).pairs[0].units_needed
    assert needed == pytest.approx(400, abs=4)


def test_clusters_that_rarely_differ_must_become_more() -> None:
    """Three of 40 documents differ: six must for a rejection, however small the error is."""
    sums = np.zeros(40, dtype=np.int64)
    sums[:3] = 1
    shares = PairedShares.of_clusters(sums, np.zeros(40, np.int64), np.full(40, 4))
    part = SwapParts(3 / 160, sums / 160, np.full(40, 1 / 40))
    finds = found_by_swaps(shares, part, 3 / 160, **ASK)
    enough = next(n for n in range(6, 400) if finds(n, 1e-6))
    assert binom.sf(5, enough, 3 / 40) >= 0.8 > binom.sf(5, enough - 1, 3 / 40)
    assert not finds(5, 1e-6)
    assert not finds(enough, math.nan)


def test_documents_whose_wins_and_losses_make_up_for_each_other_count_as_differing() -> None:
    """Once all discordant answers are won they differ, so nothing has to become more."""
    kinds = [[1, -1, 0]] * 5 + [[1, 0, 0]] * 3 + [[0, 0, -1]] * 2
    theirs = np.where(np.array(kinds).ravel() == 1, 0, 1)
    names = [str(i) for i in np.repeat(np.arange(10), 3)]
    data = Scores.build({"A": theirs, "B": theirs + np.ravel(kinds)}, documents=names)
    assert compare(data, **QUICK).pairs[0].mde < 0.5  # the discordance
    # With half of the documents without any discordant answer, six of ten are too rare.
    fewer = [[1, -1, 1]] * 5 + [[0, 0, 0]] * 5
    theirs = np.where(np.array(fewer).ravel() == 1, 0, 1)
    data = Scores.build({"A": theirs, "B": theirs + np.ravel(fewer)}, documents=names)
    chance = compare(data, **QUICK).pairs[0].mde / 0.5 * 0.5
    assert binom.sf(5, 10, chance) == pytest.approx(0.8, abs=1e-9)


def test_max_t_needs_more_than_one_pair_alone() -> None:
    sums = np.tile([1, -1, 0, 0, 2], 8)
    up, down = np.maximum(sums, 0), np.maximum(-sums, 0)
    part = SwapParts(float(sums.sum()) / 200, sums / 200, np.full(40, 1 / 40))
    clustered = PairedShares.of_clusters(up, down, np.full(40, 5))
    single = PairedShares.of_clusters(up > 0, down > 0, np.ones(40, np.int64))
    for known, effect in ((clustered, 0.15), (single, 0.3)):
        alone = found_by_swaps(known, part, effect, **ASK)
        strict = found_by_swaps(known, part, effect, level=0.001, joint=True, power=0.8)

        def first(finds: Any, level: float) -> int:
            return next(
                n
                for n in range(12, 400)
                if finds(n, 0.1 * math.sqrt(40 / n) * swap_shift(n, level=level, power=0.8))
            )

        assert first(strict, 0.001) > 1.2 * first(alone, 0.05)
    # All clusters for one system: T is the root of their number, which must reach the critical one.
    whole = PairedShares.of_clusters(np.full(40, 5), np.zeros(40, np.int64), np.full(40, 5))
    every = SwapParts(1.0, np.full(40, 1 / 40), np.full(40, 1 / 40))
    finds = found_by_swaps(whole, every, 1.0, level=0.001, joint=True, power=0.8)
    assert largest_of_level(0.001, 12) ** 2 < 12
    assert not finds(12, 0.0)  # without any error there is nothing to go by


def test_no_number_of_items_shows_more_than_the_whole_scale() -> None:
    assert compare(items(50, 3, 2), effect=1.5, **QUICK).pairs[0].units_needed is None
    sums = np.tile([1, 0, -1, 0], 5)
    assert compare(documents(sums, 3), effect=1.5, **QUICK).pairs[0].units_needed is None
    # All answers won: seven are the fewest that are swapped.
    assert compare(items(50, 3, 2), effect=1.0, **QUICK).pairs[0].units_needed == 7
