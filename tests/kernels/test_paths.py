"""Paths against scipy and against the counts they stand for."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.pairing import rank_sum_z
from detectable.kernels.paths import (
    Plans,
    mean_paths,
    mean_tallies,
    rank_paths,
    rank_tallies,
)
from detectable.kernels.resample import seed_words
from tests.kernels.plain_xoshiro import Xoshiro

pytestmark = pytest.mark.usefixtures("each_engine")

FIRST = np.array([5, 0, 3, 9, 20])
SECOND = np.array([9, 0, 6, 2, 11])
DIFFERENCES = np.array([-2.0, -0.5, 0.0, 1.5, 3.0])
COUNTS = np.array([4, 9, 20, 11, 3])


def state(seed: int) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return seed_words(np.random.default_rng(seed)).reshape(4)


def all_looks(n: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    return np.ones(n, np.bool_)


def by_hand_rank(seed: int, looks: int, step: int) -> list[float]:
    """Draw with plain Python, test with scipy."""
    random = Xoshiro([int(x) for x in state(seed)])
    first, second = np.repeat(np.arange(5), FIRST), np.repeat(np.arange(5), SECOND)
    a, b, p = [], [], []
    for _ in range(looks):
        for _ in range(step):
            word = random.word()
            a.append(first[((word & 0xFFFFFFFF) * first.size) >> 32])
            b.append(second[((word >> 32) * second.size) >> 32])
        p.append(stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
    return p


def test_a_rank_path_is_what_scipy_says_at_every_look() -> None:
    z = rank_paths(FIRST, SECOND, 1, all_looks(6), 7, state(3))[0]
    assert 2.0 * stats.norm.sf(np.abs(z)) == pytest.approx(by_hand_rank(3, 6, 7), abs=1e-12)


def test_a_rank_path_has_the_sign_of_the_difference() -> None:
    z = rank_paths(np.array([0, 1, 9]), np.array([9, 1, 0]), 1, all_looks(3), 20, state(1))
    assert (z > 4.0).all()
    assert (
        rank_paths(np.array([9, 1, 0]), np.array([0, 1, 9]), 1, all_looks(3), 20, state(1)) < -4
    ).all()


def test_steps_that_nobody_wants_do_not_change_the_others() -> None:
    some = np.array([False, True, False, True])
    z = rank_paths(FIRST, SECOND, 5, some, 10, state(2))
    whole = rank_paths(FIRST, SECOND, 5, all_looks(4), 10, state(2))
    assert np.array_equal(z[:, some], whole[:, some])


def by_hand_mean(seed: int, looks: int, step: int) -> list[float]:
    random = Xoshiro([int(x) for x in state(seed)])
    sample = np.repeat(DIFFERENCES, COUNTS)
    drawn, z, word = [], [], 0
    for _ in range(looks):
        for i in range(step):
            word = random.word() if i % 2 == 0 else word >> 32
            drawn.append(sample[((word & 0xFFFFFFFF) * sample.size) >> 32])
        d = np.array(drawn)
        z.append(float(d.sum() / np.sqrt(np.square(d).sum())))
    return z


@pytest.mark.parametrize("step", [4, 7])
def test_a_paired_path_is_the_normal_score_of_the_sign_flip_test(step: int) -> None:
    z = mean_paths(COUNTS, DIFFERENCES, 1, 5, step, state(4))[0]
    assert z == pytest.approx(by_hand_mean(4, 5, step), abs=1e-12)


def test_equal_values_give_no_evidence() -> None:
    same = np.array([0, 3, 0])
    assert (rank_paths(same, same, 2, all_looks(3), 5, state(0)) == 0.0).all()
    assert (mean_paths(same, np.array([-1.0, 0.0, 1.0]), 2, 3, 5, state(0)) == 0.0).all()


def test_draws_have_the_shares_of_the_histogram() -> None:
    paths = 20_000
    z = mean_paths(COUNTS, DIFFERENCES, paths, 1, 50, state(5))[:, 0]
    sample = np.repeat(DIFFERENCES, COUNTS)
    direct = np.random.default_rng(6).choice(sample, (paths, 50))
    expected = direct.sum(axis=1) / np.sqrt(np.square(direct).sum(axis=1))
    assert z.mean() == pytest.approx(expected.mean(), abs=4 * np.sqrt(2 / paths))
    assert z.std() == pytest.approx(expected.std(), rel=4 / np.sqrt(paths))


def plans() -> Plans:
    """One look at the end; two looks; two looks with futility."""
    return Plans(
        np.array([0, 1, 3, 5]),
        np.array([3, 1, 3, 1, 3]),
        np.array([1.96, 2.2, 2.1, 2.2, 2.1]),
        np.array([0.0, 0.0, 0.0, 0.7, 0.0]),
    )


def read(z: FloatArray) -> tuple[IntArray, IntArray]:
    """Say the three procedures of `plans` in numpy."""
    middle, end = np.abs(z[:, 1]), np.abs(z[:, 3])
    early = middle >= 2.2
    hopeless = middle < 0.7
    hits = [
        (end >= 1.96).sum(),
        (early | (end >= 2.1)).sum(),
        (early | (~hopeless & (end >= 2.1))).sum(),
    ]
    steps = [
        4 * len(z),
        np.where(early, 2, 4).sum(),
        np.where(early | hopeless, 2, 4).sum(),
    ]
    return np.array(hits), np.array(steps)


def test_tallies_read_the_paths_as_numpy_does() -> None:
    z = rank_paths(FIRST, SECOND, 500, all_looks(4), 15, state(7))
    first, second = FIRST[None], SECOND[None]
    hits, steps = rank_tallies(first, second, 500, all_looks(4), 15, plans(), state(7))
    expected = read(z)
    assert hits[0].tolist() == expected[0].tolist()
    assert steps[0].tolist() == expected[1].tolist()
    z = mean_paths(COUNTS, DIFFERENCES, 500, 4, 15, state(8))
    hits, steps = mean_tallies(COUNTS[None], DIFFERENCES, 500, 4, 15, plans(), state(8))
    expected = read(z)
    assert hits[0].tolist() == expected[0].tolist()
    assert steps[0].tolist() == expected[1].tolist()


def test_paths_and_counts_share_one_statistic() -> None:
    # All of ten judgments in one cell each, so that the drawn counts are known.
    a, b = np.array([0, 10, 0]), np.array([10, 0, 0])
    z = rank_paths(a, b, 1, all_looks(1), 10, state(0))[0, 0]
    assert z == pytest.approx(rank_sum_z(a[None], b[None])[0], abs=1e-14)


def test_the_batch_size_does_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = np.stack([FIRST, SECOND, FIRST]), np.stack([SECOND, SECOND, FIRST])

    def found() -> list[Any]:
        words = state(9)
        ranks = rank_tallies(first, second, 11, all_looks(4), 15, plans(), words)
        means = mean_tallies(first, DIFFERENCES, 11, 4, 15, plans(), words)
        return [array.tolist() for array in (*ranks, *means, words)]

    whole = found()
    monkeypatch.setattr("detectable.kernels.paths._CELLS", 200)
    assert found() == whole


def test_pairs_draw_one_after_another_from_one_sequence() -> None:
    words = state(10)
    both = rank_tallies(
        np.stack([FIRST, SECOND]),
        np.stack([SECOND, FIRST]),
        20,
        all_looks(4),
        15,
        plans(),
        words,
    )
    again = state(10)
    for pair, (one, other) in enumerate(((FIRST, SECOND), (SECOND, FIRST))):
        alone = rank_tallies(one[None], other[None], 20, all_looks(4), 15, plans(), again)
        assert [x[pair].tolist() for x in both] == [x[0].tolist() for x in alone]
    assert words.tolist() == again.tolist()


@given(
    start=st.lists(st.integers(-1, 4), min_size=1, max_size=4),
    look=st.lists(st.integers(-1, 5), min_size=3, max_size=3),
)
def test_looks_that_are_not_there_are_an_error_and_no_crash(
    start: list[int], look: list[int]
) -> None:
    given = Plans(np.array(start), np.array(look), np.full(3, 2.0), np.zeros(3))
    rising = all(x < y for x, y in pairwise(start))
    fits = rising and start[0] >= 0 and start[-1] <= 3 and set(look) <= {0, 1, 2, 3}

    def both() -> None:
        rank_tallies(FIRST[None], SECOND[None], 2, all_looks(4), 3, given, state(1))
        mean_tallies(COUNTS[None], DIFFERENCES, 2, 4, 3, given, state(1))

    if fits:
        both()
        return
    with pytest.raises(InputError, match=r"`plans\.(start|look)` must"):
        both()


def test_plans_must_have_bounds_for_every_look() -> None:
    short_ones = {
        "bound": plans()._replace(bound=np.zeros(4)),
        "futility": plans()._replace(futility=np.zeros(4)),
    }
    for name, short in short_ones.items():
        with pytest.raises(InputError, match=rf"`plans\.{name}` must have the shape"):
            mean_tallies(COUNTS[None], DIFFERENCES, 2, 4, 3, short, state(1))


@pytest.mark.parametrize("wrong", [np.zeros(5, np.int64), np.array([3, -1, 0, 0, 0])])
def test_histograms_must_count_judgments(wrong: IntArray) -> None:
    for one, other in ((wrong, FIRST), (FIRST, wrong)):
        with pytest.raises(InputError, match="must count at least one judgment per pair"):
            rank_paths(one, other, 1, all_looks(2), 3, state(1))
    with pytest.raises(InputError, match="`counts` must count at least one judgment"):
        mean_paths(wrong, DIFFERENCES, 1, 2, 3, state(1))


def test_paths_that_would_overflow_are_refused() -> None:
    with pytest.raises(InputError, match="at most 1,000,000 judgments; got 1,000,002"):
        rank_paths(FIRST, SECOND, 1, all_looks(2), 500_001, state(1))
    with pytest.raises(InputError, match="`step` must be at least 1; got 0"):
        rank_paths(FIRST, SECOND, 1, all_looks(2), 0, state(1))
    with pytest.raises(InputError, match="`state` must have the shape"):
        rank_paths(FIRST, SECOND, 1, all_looks(2), 3, state(1)[:3].copy())
    with pytest.raises(InputError, match="`second` must have the shape"):
        rank_paths(FIRST, SECOND[:4], 1, all_looks(2), 3, state(1))


def test_the_longest_path_has_a_finite_statistic() -> None:
    a, b = np.array([0, 1]), np.array([1, 1])
    z = rank_paths(a, b, 1, all_looks(1), 1_000_000, state(2))[0, 0]
    assert 500.0 < z < 1000.0
