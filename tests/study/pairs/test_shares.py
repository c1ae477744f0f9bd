"""Right or wrong answers of a pair: how many units of the same kind would find a difference."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from detectable.contrasts.analysis import found_by_swaps
from detectable.core.types import IntArray
from detectable.data.scores.scores import Scores
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.randomization import SwapParts
from detectable.inference.shares import PairedShares
from detectable.inference.swap_power import largest_of_level, swap_shift
from detectable.study.comparison.compare import compare

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
    assert compare(data, effect=1.0001 * stated, **QUICK).pairs[0].units_needed == 40
    more = compare(data, effect=0.999 * stated, **QUICK).pairs[0].units_needed
    assert more == 41
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
