"""Flipped signs of parts: intervals, margins and max-T against tests that hold every pattern."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.execute import Engine
from detectable.core.types import FloatArray, silent
from detectable.inference.sign_flips import sign_flips
from detectable.inference.swaps import Swaps
from tests.inference.small_samples import gold
from tests.inference.swap_oracle import (
    all_signs,
    critical_value,
    p_at,
    p_of_all_signs,
    statistics,
    step_down,
)

UNEQUAL = st.lists(st.integers(1, 5), min_size=2, max_size=8)
SEEDS = st.integers(0, 2**32 - 1)


def flips(sums: FloatArray, sizes: FloatArray | None = None, **options: Any) -> Swaps:
    """Return the swaps of parts; a vector is one pair, and without sizes all units weigh alike."""
    table = np.array(sums, dtype=np.float64)
    weights = np.ones(table.shape) if sizes is None else np.array(sizes, dtype=np.float64)
    if table.ndim == 1:
        table, weights = table[:, None], weights[:, None]
    rng = options.pop("rng", 1)
    engine = Engine.start(rng, n_jobs=1, executor=None, progress=silent)
    return sign_flips(
        table, weights, **{"n_resamples": 999, "alpha": 0.05, "engine": engine, **options}
    )


@pytest.mark.golden
def test_half_sample_intervals_are_those_of_the_reference() -> None:
    rows = gold("half_sample_interval")["rows"]
    assert len(rows) == 7
    for row in rows:
        sums, sizes = np.array(row["D"], dtype=float), np.array(row["n"], dtype=float)
        found = flips(sums, sizes).interval(0, row["alpha"])
        assert found.to_json() == pytest.approx(row["interval"], rel=1e-11)
        assert found.level == 1.0 - row["alpha"]
        for end, (out, inside) in enumerate(
            zip(row["p_just_outside"], row["p_just_inside"], strict=True)
        ):
            step = (-1e-6, 1e-6)[end]
            assert p_at(found.to_json()[end] + step, sums, sizes) == pytest.approx(out)
            assert p_at(found.to_json()[end] - step, sums, sizes) == pytest.approx(inside)


@given(UNEQUAL, SEEDS, st.sampled_from([0.05, 0.1, 0.3]))
def test_the_half_sample_interval_is_the_test_turned_round(
    sizes: list[int], seed: int, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    weights = np.array(sizes, dtype=np.float64)
    sums = rng.normal(0.5 * weights, np.sqrt(weights))
    found = flips(sums, weights, alpha=0.2).interval(0, alpha)
    mean = sums.sum() / weights.sum()
    for value in (*(sums / weights), *rng.normal(mean, 2.0, 40), mean, 1e6, -1e6):
        if min(abs(value - found.low), abs(value - found.high)) > 1e-9:
            assert (value in found) == (p_at(value, sums, weights) > alpha)


@given(UNEQUAL, SEEDS)
def test_zero_is_inside_if_and_only_if_it_is_not_rejected(sizes: list[int], seed: int) -> None:
    weights = np.array(sizes, dtype=np.float64)
    sums = np.random.default_rng(seed).normal(0.5, 1.0, weights.size) * weights
    swaps = flips(sums, weights, alpha=0.2)
    for alpha in (0.03, 0.1, 0.25, 0.4):
        assert (0.0 in swaps.interval(0, alpha)) == (swaps.p_values()[0] > alpha)


@pytest.mark.parametrize(("scale", "shift"), [(-1.0, 0.0), (1e-9, 0.0), (1e6, 0.0), (3.0, 7.0)])
@pytest.mark.parametrize("units", [9, 40])
def test_intervals_move_with_the_scale_and_the_sign(
    units: int, scale: float, shift: float
) -> None:
    table = np.random.default_rng(units).normal(0.4, 1.0, (units, 3))
    plain, moved = (flips(t, rng=4) for t in (table, scale * table + shift))
    for pair in range(3):
        ends = np.array(plain.interval(pair, 0.1).to_json()) * scale + shift
        found = moved.interval(pair, 0.1).to_json()
        assert found == pytest.approx(np.sort(ends).tolist(), rel=1e-9)
    if shift == 0.0:
        np.testing.assert_array_equal(plain.p_values(), moved.p_values())
        np.testing.assert_array_equal(plain.p_max_t(), moved.p_max_t())


@pytest.mark.parametrize("missing", ["last", "first"])
def test_a_pair_with_missing_units_has_its_own_interval(missing: str) -> None:
    # Whether or not the unit that never flips is one of the pair's own.
    rng = np.random.default_rng(15)
    sums, sizes = rng.normal(0.6, 1.0, (11, 2)), rng.integers(1, 4, (11, 2)).astype(float)
    gone = np.isin(np.arange(11), [9, 10] if missing == "last" else [0, 1])
    sums[gone, 1], sizes[gone, 1] = 0.0, 0.0
    both, alone = flips(sums, sizes), flips(sums[~gone, 1], sizes[~gone, 1])
    assert both.p_values()[1] == alone.p_values()[0] == p_of_all_signs(sums[~gone, 1])
    for alpha in (0.05, 0.1):
        ours, theirs = both.interval(1, alpha), alone.interval(0, alpha)
        assert ours.to_json() == pytest.approx(theirs.to_json(), rel=1e-12)


def test_a_pair_with_few_units_among_many_has_no_bounds() -> None:
    sums, sizes = np.zeros((30, 2)), np.zeros((30, 2))
    sums[:, 0], sizes[:, 0] = np.random.default_rng(16).normal(0.6, 1.0, 30), 1.0
    sums[:5, 1], sizes[:5, 1] = [1.0, 2.0, 3.0, 4.0, 5.0], 1.0
    swaps = flips(sums, sizes, n_resamples=4_000)
    assert swaps.interval(1, 0.05).to_json() == [-np.inf, np.inf]
    # All five signs agree with a chance of 1/16.
    error = (1 / 16 * 15 / 16 / 4_000) ** 0.5
    assert swaps.p_values()[1] == pytest.approx(1 / 16, abs=4 * error)
    low, high = swaps.interval(1, 0.1).to_json()
    assert 1.0 <= low < high <= 5.0


def test_a_pair_without_any_unit_disturbs_no_other() -> None:
    rng = np.random.default_rng(17)
    sums, sizes = rng.normal(0.5, 1.0, (9, 3)), np.ones((9, 3))
    sums[:, 1], sizes[:, 1] = 0.0, 0.0
    with_it, without = flips(sums, sizes, margin=0.3), flips(sums[:, [0, 2]], margin=0.3)
    for ask in (Swaps.p_values, Swaps.p_max_t, Swaps.p_above, Swaps.p_below):
        np.testing.assert_array_equal(ask(with_it)[[0, 2]], ask(without))
    assert with_it.interval(1, 0.1).to_json() == [-np.inf, np.inf]
    assert with_it.p_values()[1] == 1.0
    assert with_it.critical(0, 0.1) == without.critical(0, 0.1)


@given(
    st.integers(1, 7),
    st.integers(1, 4),
    SEEDS,
    st.booleans(),
)
def test_max_t_steps_down_as_the_slow_way_does(
    units: int, pairs: int, seed: int, missing: bool
) -> None:
    rng = np.random.default_rng(seed)
    sums = rng.integers(-4, 7, (units, pairs)).astype(np.float64)  # many ties
    sizes = rng.integers(1, 4, (units, pairs)).astype(np.float64)
    if missing:
        gone = rng.random(sums.shape) < 0.3
        sums[gone], sizes[gone] = 0.0, 0.0
    null = statistics(sums, all_signs(units))
    swaps = flips(sums, sizes, alpha=0.25)
    np.testing.assert_allclose(swaps.p_max_t(), step_down(null[0], null), rtol=1e-12)
    half = null[: len(null) // 2]  # the other patterns are mirror images
    for alpha in (0.05, 0.2, 0.5):
        expected = critical_value(half, alpha)
        assert swaps.critical(0, alpha) == pytest.approx(expected, rel=1e-12)


def test_drawn_signs_step_down_as_all_of_them_do() -> None:
    rng = np.random.default_rng(18)
    sums = rng.normal(0.3, 1.0, (16, 4))
    null = statistics(sums, all_signs(16))
    expected = step_down(null[0], null)
    swaps = flips(sums, n_resamples=9_999)
    error = np.sqrt(expected * (1.0 - expected) / 9_999)
    assert not swaps.exact
    assert (np.abs(swaps.p_max_t() - expected) < 4.0 * error).all()
    largest = np.sort(null.max(axis=1))
    # Four standard errors of the share beyond the critical value.
    room = 4.0 * np.sqrt(0.05 * 0.95 / 9_999)
    low, high = np.quantile(largest, [0.95 - room, 0.95 + room])
    assert low < swaps.critical(0, 0.05) < high


@pytest.mark.parametrize("margin", [0.2, 0.9, 3.0])
@pytest.mark.parametrize("units", [7, 11])
def test_margins_are_tested_by_shifted_differences(units: int, margin: float) -> None:
    rng = np.random.default_rng(units)
    sizes = rng.integers(1, 5, (units, 2)).astype(np.float64)
    sums = rng.normal(0.2 * sizes, np.sqrt(sizes))
    swaps = flips(sums, sizes, margin=margin)
    for pair in range(2):
        mean = sums[:, pair].sum() / sizes[:, pair].sum()
        above, below = swaps.p_above()[pair], swaps.p_below()[pair]
        for found, bound, inside in (
            (above, -margin, mean > -margin),
            (below, margin, mean < margin),
        ):
            p = p_at(bound, sums[:, pair], sizes[:, pair])
            assert found == pytest.approx(0.5 * p if inside else 0.5)


@given(UNEQUAL, SEEDS, st.floats(0.1, 2.0))
def test_a_margin_is_kept_where_the_wider_interval_is_inside(
    sizes: list[int], seed: int, margin: float
) -> None:
    weights = np.array(sizes, dtype=np.float64)
    sums = np.random.default_rng(seed).normal(0.1, 1.0, weights.size) * weights
    swaps = flips(sums, weights, margin=margin, alpha=0.2)
    for alpha in (0.05, 0.2):
        found = swaps.interval(0, 2.0 * alpha)
        assert (found.low > -margin) == (swaps.p_above()[0] <= alpha)
        assert (found.high < margin) == (swaps.p_below()[0] <= alpha)


def test_a_margin_that_is_tied_counts() -> None:
    # Differences of .1 each: every half has a mean of .1 by hand, not in binary.
    swaps = flips(np.full(7, 0.1), margin=0.1)
    assert swaps.p_below()[0] == 0.5  # all patterns reach the margin
    assert swaps.p_above()[0] == 0.5 / 64


def test_the_scale_is_that_of_the_parts_and_knows_no_size() -> None:
    sums, sizes = np.array([[3.0, 6.0], [4.0, 8.0]]), np.array([[1.0, 5.0], [1.0, 5.0]])
    questions = flips(sums, sizes).questions
    assert questions.observed.tolist() == [3.5, 1.4]
    assert questions.scale.tolist() == [2.5, 1.0]
    assert questions.slack == pytest.approx([3.5e-10, 1.4e-10])
    assert [family.tolist() for family in questions.families] == [[0, 1]]
    assert np.isnan(questions.margins).all()
    assert flips(sums, sizes, margin=0.7).questions.margins.tolist() == [0.7, 0.7]


def test_as_many_ends_are_kept_as_twice_the_level_needs() -> None:
    swaps = flips(np.random.default_rng(19).normal(size=20), n_resamples=1_999, alpha=0.05)
    assert swaps.questions.n_kept == 201
    assert swaps.interval(0, 0.1).low <= swaps.interval(0, 0.1).high
    with pytest.raises(ValueError, match="202 ends are needed and 201 were kept"):
        swaps.interval(0, 0.101)


@pytest.mark.parametrize("units", [3, 40])
def test_one_size_for_all_pairs_is_the_same_as_many(units: int) -> None:
    # Equal sizes are added up once for all pairs: another road to the same answer.
    rng = np.random.default_rng(20)
    sums = rng.normal(0.5, 1.0, (units, 2))
    sizes = np.repeat(rng.integers(1, 4, (units, 1)), 2, axis=1).astype(float)
    other = np.column_stack([sums[:, 0], sums[:, 1], np.ones(units)])
    alike = flips(sums, sizes, alpha=0.4)
    unlike = flips(other, np.column_stack([sizes, np.arange(1.0, units + 1.0)]), alpha=0.4)
    np.testing.assert_array_equal(alike.p_values(), unlike.p_values()[:2])
    for pair in range(2):
        for alpha in (0.2, 0.7):
            assert alike.interval(pair, alpha).to_json() == pytest.approx(
                unlike.interval(pair, alpha).to_json(), rel=1e-12
            )


def test_progress_is_told() -> None:
    told = []
    engine = Engine.start(
        1,
        n_jobs=1,
        executor=None,
        progress=lambda step, done, of: told.append((step, done, of)),
    )
    sign_flips(np.ones((20, 1)), np.ones((20, 1)), n_resamples=1_500, alpha=0.05, engine=engine)
    assert told[-1] == ("sign flips", 2, 2)
