"""Swaps in blocks: what is kept of many of them is what was asked for."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.inference import swaps as swap_blocks
from detectable.inference.randomization import randomization_test
from detectable.inference.sign_flips import sign_flips
from detectable.inference.swaps import (
    Questions,
    SwapRequest,
    Swaps,
    merge,
    patterns_within,
    tally,
)
from tests.samples import mean_sample


def _engine(seed: int = 1, n_jobs: int = 1) -> Engine:
    return Engine.start(seed, n_jobs=n_jobs, executor=None, progress=silent)


def _flipped(n_resamples: int, pairs: int = 20, n_jobs: int = 1) -> Swaps:
    d = np.random.default_rng(5).normal(0.2, 1.0, size=(30, pairs))
    return sign_flips(
        d,
        np.ones_like(d),
        n_resamples=n_resamples,
        alpha=0.05,
        margin=0.4,
        engine=_engine(n_jobs=n_jobs),
    )


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> Swaps:
    """Return the same swaps with everything kept."""
    monkeypatch.setattr(swap_blocks, "_FIRST", 10_000)
    return _flipped(30_000)


def test_counts_and_corrected_intervals_are_those_of_all_swaps(
    whole: Swaps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    found = _flipped(30_000)
    assert (found.n_resamples, whole.first) == (30_000, None)
    assert found.first is not None
    assert found.first.rows == 10 * 1024
    for name in ("p_values", "p_max_t", "p_above", "p_below"):
        assert getattr(found, name)().tolist() == getattr(whole, name)().tolist()
    assert found.critical(0, 0.05) == whole.critical(0, 0.05)
    for column in (0, 7, 19):
        for alpha in (0.05 / 20, 2 * 0.05 / 20, 0.0001):
            assert found.interval(column, alpha) == whole.interval(column, alpha)


def test_intervals_of_one_pair_are_those_of_the_first_ten_thousand() -> None:
    found, short = _flipped(30_000), _flipped(10_240)
    for column in (0, 7, 19):
        for alpha in (0.05, 0.1):
            assert found.interval(column, alpha) == short.interval(column, alpha)


def test_fewer_ends_are_kept_than_swaps_were_drawn() -> None:
    found = _flipped(30_000)
    assert found.counted.lowest.shape == (151, 20)  # 2 α / 20 of 30,001, and one
    assert found.first is not None
    assert found.first.lowest.shape == (1025, 20)


@pytest.mark.parametrize(("n_resamples", "pairs"), [(10_240, 20), (30_000, 1)])
def test_nothing_is_split_where_nothing_is_saved(n_resamples: int, pairs: int) -> None:
    assert _flipped(n_resamples, pairs).first is None


def test_processes_and_pieces_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = _flipped(30_000), _flipped(30_000, n_jobs=2)
    monkeypatch.setattr(swap_blocks, "_AT_ONCE", 3)
    pieces = _flipped(30_000)
    monkeypatch.setattr(swap_blocks, "_HELD", 1)
    single = _flipped(30_000)
    for other in (two, pieces, single):
        assert one.p_values().tolist() == other.p_values().tolist()
        for alpha in (0.05, 0.0025):
            assert one.interval(3, alpha) == other.interval(3, alpha)


def test_swapped_texts_are_kept_alike() -> None:
    rng = np.random.default_rng(2)
    sample = mean_sample(*rng.normal(size=(4, 25)))
    pairs = ((1, 0), (2, 0), (3, 0))
    options: dict[str, Any] = {"n_resamples": 20_000, "rng": 3}
    loose = randomization_test((sample,), pairs, request=SwapRequest(), **options)
    strict = randomization_test((sample,), pairs, request=SwapRequest(tests=3), **options)
    assert loose.swaps.first is None
    assert strict.swaps.first is not None
    assert loose.p_values.tolist() == strict.p_values.tolist()
    for column in range(3):
        corrected = [test.swaps.interval(column, 0.05 / 3) for test in (loose, strict)]
        assert corrected[0] == corrected[1]
        alone = [test.swaps.interval(column, 0.05) for test in (loose, strict)]
        width = alone[0].high - alone[0].low
        assert alone[1].to_json() == pytest.approx(alone[0].to_json(), abs=0.05 * width)


def test_the_work_is_told_as_one_though_it_is_done_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(swap_blocks, "_AT_ONCE", 3)
    told: list[tuple[str, int, int]] = []
    engine = Engine.start(1, n_jobs=1, executor=None, progress=lambda *step: told.append(step))
    d = np.random.default_rng(5).normal(0.2, 1.0, size=(30, 4))
    sign_flips(d, np.ones_like(d), n_resamples=20_000, alpha=0.05, engine=engine)
    assert {(name, total) for name, _, total in told} == {("sign flips", 20)}
    done = [now for _, now, _ in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 20)


@pytest.mark.parametrize(
    ("columns", "n_jobs", "executor", "expected"),
    [(1, 1, None, 64), (2_000, 1, None, 1), (2_000, 2, None, 8), (2_000, 1, object(), 64)],
)
def test_few_tallies_of_many_pairs_are_held(
    columns: int, n_jobs: int, executor: Any, expected: int
) -> None:
    one = sign_flips(
        np.ones((20, 1)), np.ones((20, 1)), n_resamples=9_999, alpha=0.05, engine=_engine()
    ).questions
    many = replace(one, observed=np.zeros(columns))
    engine = Engine.start(1, n_jobs=n_jobs, executor=executor, progress=silent)
    assert swap_blocks._at_once(many, engine) == expected


# --- What is counted over swaps: by hand on a null that is known, and block by block as at once ---

NAN, INF = math.nan, math.inf


def questions(**changed: Any) -> Questions:
    """Return questions about two columns: differences 2 and −1 with scales 1 and ½."""
    plain: dict[str, Any] = {
        "observed": np.array([2.0, -1.0]),
        "slack": np.zeros(2),
        "scale": np.array([1.0, 0.5]),
        "families": (np.array([0, 1]),),
        "margins": np.full(2, NAN),
        "n_kept": 3,
    }
    return Questions(**{**plain, **changed})


def counted(differences: Any, halves: tuple[Any, Any] | None = None, **changed: Any) -> Swaps:
    """Return the swaps of one block with these differences."""
    null = np.array(differences, dtype=np.float64)
    sides = (null, null) if halves is None else halves
    first, second = (np.array(side, dtype=np.float64) for side in sides)
    asked = questions(**changed)
    counts = tally(asked, null, (first, second))
    return Swaps(questions=asked, counted=merge(asked, [counts]), exact=False)


@pytest.mark.parametrize(
    ("alpha", "n_resamples", "k"),
    [
        (0.05, 9_999, 500),
        (0.05, 19, 1),
        (0.05, 18, 0),
        (0.1, 63, 6),
        (0.29, 99, 29),  # .29 · 100 is 28.999… in doubles
        (1.0, 9, 10),
        (0.0999, 9, 0),
    ],
)
def test_how_many_patterns_a_level_rejects(alpha: float, n_resamples: int, k: int) -> None:
    assert patterns_within(alpha, n_resamples) == k


class TestOneColumn:
    def test_both_tails_count_and_so_do_ties_and_the_data(self) -> None:
        null = [[-2.0, 1.0], [2.0, 0.9], [1.9999, -1.1], [0.0, -0.5]]
        assert counted(null).p_values().tolist() == [3 / 5, 3 / 5]

    def test_ties_have_room(self) -> None:
        null = [[-2.0, 1.0], [2.0, 0.9], [1.9999, -1.1], [0.0, -0.5]]
        found = counted(null, slack=np.array([0.001, 0.2]))
        assert found.p_values().tolist() == [4 / 5, 4 / 5]

    def test_all_differences_are_returned_if_they_were_kept(self) -> None:
        null = [[-2.0, 1.0], [2.0, 0.9]]
        kept = counted(null, keep_null=True)
        assert kept.null().tolist() == null
        assert kept.n_resamples == 2
        with pytest.raises(ValueError, match="were not kept"):
            counted(null).null()


class TestFamilies:
    # T: observed 2 and 2; the second column is divided by ½.
    NULL: tuple[tuple[float, float], ...] = ((1.0, 1.0), (2.5, 0.0), (0.0, 0.9), (-2.0, 0.1))

    def test_step_down_by_hand(self) -> None:
        # With observed T of 3 and 2: the first against the largest of both, the second alone.
        found = counted(self.NULL, observed=np.array([3.0, -1.0]))
        # Largest: 2, 2.5, 1.8, 2 – none is 3; second alone: 2, 0, 1.8, .2 – one is 2.
        assert found.p_max_t().tolist() == [1 / 5, 2 / 5]
        # The other way round: the second is stepped over first.
        found = counted(self.NULL, observed=np.array([2.0, -1.2]))
        # Largest against 2.4: one; first alone, 1, 2.5, 0, 2, against 2: two.
        assert found.p_max_t().tolist() == [3 / 5, 2 / 5]

    def test_p_never_falls_on_the_way_down(self) -> None:
        null = [(0.0, 1.6), (0.0, 1.6), (0.0, 1.6)]
        found = counted(null, observed=np.array([1.0, -1.5]))
        # The first step has p = 1, the second alone would have ¼.
        assert found.p_max_t().tolist() == [1.0, 1.0]

    def test_families_are_corrected_by_themselves(self) -> None:
        found = counted(self.NULL, families=(np.array([1]), np.array([0])))
        assert found.p_max_t().tolist() == [3 / 5, 2 / 5]
        assert found.p_max_t().tolist() == found.p_values().tolist()
        # T of the data is 2 in both; the largest of four patterns and the data.
        assert found.critical(0, 0.2) == 2.0
        assert found.critical(1, 0.2) == 2.5

    def test_columns_of_no_family_have_no_corrected_p(self) -> None:
        found = counted(self.NULL, families=(np.array([1]),)).p_max_t()
        assert math.isnan(found[0])
        assert found[1] == 2 / 5
        assert np.isnan(counted(self.NULL, families=()).p_max_t()).all()

    def test_room_for_ties_is_in_units_of_the_column(self) -> None:
        null = [(0.0, 0.99), (0.0, 0.95)]
        for slack, p in ((0.0, 1 / 3), (0.02, 2 / 3), (0.06, 1.0)):
            found = counted(null, slack=np.full(2, slack), families=(np.array([1]),))
            assert found.p_max_t()[1] == pytest.approx(p)

    def test_what_does_not_differ_disturbs_nothing(self) -> None:
        null = [(1.0, 0.0), (3.0, 0.0)]
        found = counted(
            null,
            observed=np.array([2.0, 0.0]),
            scale=np.array([1.0, 0.0]),
            slack=np.array([0.0, 1e-12]),
        )
        assert found.p_max_t().tolist() == [2 / 3, 1.0]
        assert found.critical(0, 0.4) == 3.0

    def test_small_differences_are_differences(self) -> None:
        tiny = 1e-9
        null = [(tiny * 1.0, tiny * 0.9), (tiny * 3.0, tiny * 0.1)]
        found = counted(
            null,
            observed=tiny * np.array([2.0, -1.0]),
            scale=tiny * np.array([1.0, 0.5]),
            slack=tiny * np.array([0.0, 0.15]),
        )
        assert found.critical(0, 0.4) == pytest.approx(3.0)
        assert found.p_max_t() == pytest.approx([2 / 3, 2 / 3])
        apart = counted(
            null,
            observed=tiny * np.array([2.0, -1.0]),
            scale=tiny * np.array([1.0, 0.5]),
            slack=tiny * np.array([0.0, 0.15]),
            families=(np.array([1]),),
        )
        assert apart.p_max_t()[1] == pytest.approx(2 / 3)  # .9 is a tie with 1, and .1 is not

    def test_the_critical_value_counts_the_data(self) -> None:
        found = counted(self.NULL)
        # Largest T: 2, 2.5, 1.8, 2, and 2 of the data.
        assert [found.critical(0, a) for a in (0.2, 0.4, 0.8, 1.0)] == [2.5, 2.0, 2.0, 1.8]
        assert found.critical(0, 0.19) == INF
        far = counted(self.NULL, observed=np.array([9.0, -1.0]))
        assert far.critical(0, 0.2) == 9.0

    def test_columns_are_ordered_by_how_extreme_they_are(self) -> None:
        asked = questions(observed=np.array([2.0, -1.5]))
        assert asked.order(np.array([0, 1])).tolist() == [1, 0]
        assert asked.statistic(asked.observed).tolist() == [2.0, 3.0]
        # Equal ones keep their order.
        assert questions().order(np.array([1, 0])).tolist() == [1, 0]


class TestIntervals:
    # Halves of one column, by pattern; the ends are 0 … 4 and 5 … 9.
    INSIDE = ((5.0,), (1.0,), (7.0,), (3.0,), (9.0,))
    OUTSIDE = ((0.0,), (6.0,), (2.0,), (8.0,), (4.0,))

    def swaps(self, **changed: Any) -> Swaps:
        plain = {
            "observed": np.array([4.5]),
            "slack": np.zeros(1),
            "scale": np.ones(1),
            "families": (),
            "margins": np.array([NAN]),
            "n_kept": 6,
        }
        null = np.zeros((5, 1))
        return counted(null, (self.INSIDE, self.OUTSIDE), **{**plain, **changed})

    @pytest.mark.parametrize(
        ("alpha", "low", "high"),
        [
            (0.16, -INF, INF),
            (1 / 6, 0.0, 9.0),
            (0.49, 1.0, 8.0),
            (0.5, 2.0, 7.0),
            (5 / 6, 4.0, 5.0),
        ],
    )
    def test_ends_are_the_kth_of_either_side(
        self, alpha: float, low: float, high: float
    ) -> None:
        found = self.swaps().interval(0, alpha)
        assert (found.low, found.high, found.level) == (low, high, 1.0 - alpha)

    @pytest.mark.parametrize("k", [1, 2, 3, 37, 200, 399])
    def test_ends_among_many(self, k: int) -> None:
        rng = np.random.default_rng(k)
        first, second = rng.normal(size=(2, 799, 1))
        found = counted(
            np.zeros((799, 1)),
            (first, second),
            observed=np.zeros(1),
            slack=np.zeros(1),
            scale=np.ones(1),
            families=(np.array([0]),),
            margins=np.array([NAN]),
            n_kept=400,
        )
        low, high = np.sort(np.minimum(first, second)[:, 0]), np.maximum(first, second)[:, 0]
        expected = [low[k - 1], np.sort(high)[-k]]
        assert found.interval(0, k / 800).to_json() == expected

    @pytest.mark.parametrize("k", [1, 2, 37, 400])
    def test_critical_values_among_many(self, k: int) -> None:
        null = np.random.default_rng(k).normal(size=(799, 2))
        found = counted(null, observed=np.array([0.5, 0.0]), scale=np.ones(2))
        every = np.append(np.abs(null).max(axis=1), 0.5)
        assert found.critical(0, k / 800) == np.sort(every)[-k]

    def test_only_so_many_ends_are_kept(self) -> None:
        found = self.swaps(n_kept=2)
        assert found.counted.lowest.shape == found.counted.highest.shape == (2, 1)
        assert found.interval(0, 0.49).to_json() == [1.0, 8.0]
        with pytest.raises(ValueError, match="3 ends are needed and 2 were kept"):
            found.interval(0, 0.5)

    def test_an_empty_half_bounds_nothing(self) -> None:
        null = np.zeros((2, 1))
        changed = {
            "observed": np.zeros(1),
            "slack": np.zeros(1),
            "scale": np.ones(1),
            "families": (),
            "margins": np.array([2.0]),
        }
        for halves in (([[NAN], [1.0]], [[5.0], [-1.0]]), ([[5.0], [1.0]], [[NAN], [-1.0]])):
            found = counted(null, halves, **changed)
            assert found.interval(0, 1 / 3).to_json() == [-INF, INF]
            assert found.interval(0, 2 / 3).to_json() == [-1.0, 1.0]
            # An empty half is beyond any margin; the other one of 5 is above it.
            assert found.p_above().tolist() == [2 / 6]
            assert found.p_below().tolist() == [3 / 6]
            assert found.p_beyond_low().tolist() == [6 / 6]
            assert found.p_beyond_high().tolist() == [5 / 6]

    def test_margins_by_hand(self) -> None:
        found = self.swaps(margins=np.array([6.0]))
        assert found.p_above().tolist() == [0.5 * 1 / 6]  # no lower end is as low as −6
        assert found.p_below().tolist() == [0.5 * 5 / 6]  # 6, 7, 8, 9 are 6 or more
        found = self.swaps(margins=np.array([6.001]), slack=np.array([0.01]))
        assert found.p_below().tolist() == [0.5 * 5 / 6]

    def test_the_lower_margin_by_hand(self) -> None:
        halves = ([[-3.0], [1.0], [-1.0]], [[2.0], [-2.0], [0.5]])
        changed = {
            "observed": np.zeros(1),
            "scale": np.ones(1),
            "families": (),
            "margins": np.array([2.0]),
        }
        for slack, count in ((0.0, 2), (1.0, 3)):
            found = counted(np.zeros((3, 1)), halves, slack=np.array([slack]), **changed)
            assert found.p_above().tolist() == [0.5 * (count + 1) / 4]

    def test_no_margin_no_p(self) -> None:
        found = counted([(0.0, 0.0)], margins=np.array([NAN, 1.0]))
        above, below = found.p_above(), found.p_below()
        assert math.isnan(above[0])
        assert math.isnan(below[0])
        # Of −1 and a margin of 1, with one swap: (1 + 1) / (2 · 2), and (1 + 0) / (2 · 2).
        assert (above[1], below[1]) == (0.5, 0.25)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.integers(1, 12),
    st.integers(0, 2**32 - 1),
)
def test_blocks_add_up_to_one(sizes: list[int], n_kept: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = sum(sizes)
    asked = questions(
        n_kept=n_kept,
        margins=np.array([1.0, NAN]),
        families=(np.array([0, 1]), np.array([1])),
        keep_null=True,
    )

    def draw() -> FloatArray:
        return rng.integers(-4, 5, (rows, 2)).astype(np.float64)

    null, first, second = draw(), draw(), draw()
    first[rng.random(first.shape) < 0.1] = NAN
    at_once = merge(asked, [tally(asked, null, (first, second))])
    ends = np.cumsum([0, *sizes])
    parts = [
        tally(asked, null[a:b], (first[a:b], second[a:b])) for a, b in itertools.pairwise(ends)
    ]
    split = merge(asked, parts)
    assert split.rows == at_once.rows == rows
    for name in (
        "extreme",
        "largest",
        "below",
        "above_low",
        "below_high",
        "above",
        "null",
    ):
        np.testing.assert_array_equal(getattr(split, name), getattr(at_once, name))
    for ours, theirs in zip(split.stepped, at_once.stepped, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    low = np.where(np.isnan(first), -INF, np.minimum(first, second))
    high = np.where(np.isnan(first), INF, np.maximum(first, second))
    kept = min(n_kept, rows)
    for part in (split, at_once):  # in any order
        np.testing.assert_array_equal(np.sort(part.lowest, axis=0), np.sort(low, axis=0)[:kept])
        np.testing.assert_array_equal(
            np.sort(part.highest, axis=0), np.sort(high, axis=0)[rows - kept :]
        )


def test_a_plain_request_asks_for_p_values_at_five_percent() -> None:
    plain = SwapRequest()
    assert (plain.alpha, plain.families, plain.scale, plain.margins) == (0.05, (), None, None)
    assert not plain.draw
    assert not plain.keep_null
