"""Flipped signs of parts: intervals, margins and max-T against tests that hold every pattern."""

import json
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray, silent
from detectable.inference.multiplicity import holm
from detectable.inference.randomization import MetricParts, swap_parts
from detectable.inference.sample import Sample
from detectable.inference.sign_flips import paired_permutation, sign_flips, sign_flips_without
from detectable.inference.swaps import Swaps
from detectable.metrics.mean import Mean
from tests.helpers import golden, reference_data
from tests.inference.matrix_cr2 import matrix_cr2
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


@pytest.mark.golden
def test_one_sided_p_values_run_from_0_to_1() -> None:
    """Eight differences, all 256 patterns: gold/repairs.json, made by another program."""
    cases = json.loads(reference_data("gold", "repairs.json").read_text())["cases"]
    seen = 0
    for name, case in cases.items():
        if name.startswith("swap one-sided/"):
            bound = -case["margin"]  # what the difference is to be above
            swaps = flips(np.array(case["d"]), margin=abs(bound))
            found = swaps.p_above() if bound <= 0.0 else swaps.p_beyond_high()
            assert found[0] == pytest.approx(case["p"], abs=1e-12)
            seen += 1
    assert seen == 4


def test_a_margin_that_is_tied_counts() -> None:
    # Differences of .1 each: every half has a mean of .1 by hand, not in binary.
    swaps = flips(np.full(7, 0.1), margin=0.1)
    assert (
        swaps.p_below()[0] == 1.0
    )  # all patterns reach the margin, and so do their mirror images
    assert swaps.p_beyond_high()[0] == 1.0
    assert (swaps.p_above()[0], swaps.p_beyond_low()[0]) == (1 / 128, 1.0)


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


@pytest.mark.parametrize("units", [10, 40])  # all patterns, and drawn ones
@pytest.mark.parametrize(
    "n_resamples", [999, pytest.param(12_000, marks=pytest.mark.slow)]
)  # more than are kept for one pair
@pytest.mark.parametrize("margin", [None, 0.3])
def test_pairs_in_pieces_are_the_same_to_the_bit(
    units: int, n_resamples: int, margin: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    sums = rng.normal(0.1, 1.0, (units, 452))  # 4 columns over what products take at once
    sizes = np.where(rng.random(sums.shape) < 0.05, 0.0, 1.0)
    sums *= sizes
    asked = {"n_resamples": n_resamples, "margin": margin, "rng": 3}
    whole = flips(sums, sizes, **asked)
    monkeypatch.setattr("detectable.inference.sign_flips._PIECE", 192)
    monkeypatch.setattr("detectable.inference.sign_flips._CELLS", 452 * 96)
    levels = (0.05, 0.05 / 452)
    for pieces in (flips(sums, sizes, **asked), flips(sums, sizes, levels=levels, **asked)):
        assert np.array_equal(pieces.p_values(), whole.p_values())
        assert np.array_equal(pieces.p_max_t(), whole.p_max_t())
        assert pieces.critical(0, 0.05) == whole.critical(0, 0.05)
        assert (pieces.n_resamples, pieces.exact) == (whole.n_resamples, whole.exact)
        for one in ("p_above", "p_below", "p_beyond_low", "p_beyond_high"):
            of_pieces, of_whole = (getattr(found, one)() for found in (pieces, whole))
            assert np.array_equal(of_pieces, of_whole, equal_nan=True)
        for column in (0, 191, 192, 383, 384, 451):
            for level in levels:
                assert pieces.interval(column, level) == whole.interval(column, level)
    with pytest.raises(ValueError, match=r"no ends were kept for the level 0\.1"):
        pieces.interval(0, 0.1)


def test_very_many_pairs_take_little_memory() -> None:
    sums = np.random.default_rng(4).normal(size=(20, 8_000))
    tracemalloc.start()
    try:
        flips(sums, n_resamples=1_100, levels=(0.05, 0.05 / 8_000))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # All swaps of a block alone are 1,024 × 8,000 numbers, 66 MB, and were there eleven times.
    assert most < 5 * 1_024 * 8_000 * 8


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


# --- Sign flips of many pairs: scipy's enumeration, level, clusters, missing units, repeatability ---

NAN = float("nan")


def by_scipy(differences: FloatArray) -> float:
    """Return the p-value of all sign flips of one pair, as scipy counts them."""
    from scipy.stats import permutation_test

    test = permutation_test(
        (differences, np.zeros(len(differences))),
        lambda x, y, axis: np.sum(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    return float(test.pvalue)


@pytest.mark.golden
@pytest.mark.parametrize("case", golden("paired_randomization"), ids=lambda c: c["name"])
def test_published_value(case: dict[str, Any]) -> None:
    test = paired_permutation(case["differences"], n_resamples=50_000, rng=0)
    assert test.p_values[0] == pytest.approx(case["p_value"], abs=case["tolerance"])


@given(st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=2, max_size=8))
def test_all_sign_patterns_give_the_p_of_scipy(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=np.float64)
    test = paired_permutation(table)
    assert test.exact
    assert "signs:all" in str(test.signature)
    expected = [by_scipy(pair) for pair in table.T]
    np.testing.assert_allclose(test.p_values, expected, rtol=1e-12)


def test_all_sign_patterns_give_the_p_of_scipy_for_fractions() -> None:
    table = np.random.default_rng(3).normal(0.4, 1.0, (10, 4)).round(1)
    test = paired_permutation(table)
    expected = [by_scipy(pair) for pair in table.T]
    np.testing.assert_allclose(test.p_values, expected, rtol=1e-12)


def test_a_cluster_keeps_its_signs_together() -> None:
    rng = np.random.default_rng(4)
    table, clusters = rng.normal(0.3, 1.0, (40, 3)), rng.integers(0, 9, 40) * 7
    sums = np.stack([table[clusters == c].sum(axis=0) for c in np.unique(clusters)])
    test = paired_permutation(table, clusters)
    np.testing.assert_allclose(test.p_values, [by_scipy(pair) for pair in sums.T], rtol=1e-12)
    assert test.n_resamples == 2 ** (len(sums) - 1) - 1


@pytest.mark.parametrize("units", [1, 2, 15, 16])
def test_up_to_fifteen_units_all_patterns_are_counted(units: int) -> None:
    test = paired_permutation(np.arange(1.0, units + 1.0), n_resamples=50, rng=1)
    assert test.exact == (units < 16)
    assert test.n_resamples == (2 ** (units - 1) - 1 if units < 16 else 50)
    assert test.swaps.n_resamples == test.n_resamples
    if test.exact:  # all differences are positive: no other pattern is as extreme
        assert test.p_values[0] == 2.0 ** (1 - units)
        assert test.signature.seed is None
    else:
        assert "R:50" in str(test.signature)
        assert test.signature.seed == "1"


def test_drawn_signs_agree_with_all_signs() -> None:
    table = np.random.default_rng(5).normal(0.3, 1.0, (16, 5))
    expected = np.array([p_of_all_signs(pair) for pair in table.T])
    drawn = paired_permutation(table, n_resamples=2**14 - 1, rng=6)
    assert not drawn.exact
    error = np.sqrt(expected * (1.0 - expected) / 2**14)
    assert (np.abs(drawn.p_values - expected) < 4.0 * error).all()


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "skewed halves", "ratings"])
def test_the_level_is_kept(shape: str) -> None:
    # Swapping two exchangeable scores makes symmetric differences, whatever the scores are.
    rng = np.random.default_rng(7)
    units, pairs = 40, 4000
    draws: dict[str, Callable[[], FloatArray]] = {
        "normal": lambda: rng.normal(size=(units, pairs)),
        "skewed halves": lambda: rng.exponential(size=(units, pairs)) ** 2,
        "ratings": lambda: rng.binomial(4, 0.8, (units, pairs)).astype(np.float64),
    }
    draw = draws[shape]
    test = paired_permutation(draw() - draw(), n_resamples=1999, rng=rng)
    share = float((test.p_values <= 0.05).mean())
    error = np.sqrt(0.05 * 0.95 / pairs)
    assert share < 0.05 + 3.0 * error
    assert share > 0.05 - 3.0 * error or shape == "ratings"  # ties make p larger


@pytest.mark.slow
def test_documents_as_clusters_keep_the_level_that_sentences_miss() -> None:
    rng = np.random.default_rng(8)
    documents, sentences, pairs = 20, 10, 4000
    clusters = np.repeat(np.arange(documents), sentences)
    table = rng.normal(size=(documents, pairs)) * 0.5
    table = table[clusters] + rng.normal(size=(clusters.size, pairs))
    error = np.sqrt(0.05 * 0.95 / pairs)
    by_document = paired_permutation(table, clusters, n_resamples=1999, rng=rng)
    assert abs((by_document.p_values <= 0.05).mean() - 0.05) < 3.0 * error
    alone = paired_permutation(table, n_resamples=499, rng=rng)
    assert (alone.p_values <= 0.05).mean() > 0.2


@pytest.mark.slow
def test_the_answer_does_not_depend_on_who_computes_it() -> None:
    table = np.random.default_rng(9).normal(0.1, 1.0, (60, 7))
    here = paired_permutation(table, n_resamples=3000, rng=1)
    spread = paired_permutation(table, n_resamples=3000, rng=1, n_jobs=2)
    with ThreadPoolExecutor(2) as threads:
        threaded = paired_permutation(table, n_resamples=3000, rng=1, executor=threads)
    for other in (spread, threaded):
        np.testing.assert_array_equal(here.p_values, other.p_values)
        np.testing.assert_array_equal(here.p_max_t, other.p_max_t)
        # The order of the swaps too, bit for bit.
        np.testing.assert_array_equal(here.swaps.counted.largest, other.swaps.counted.largest)
        for pair in range(7):
            for alpha in (0.01, 0.1):
                ours, theirs = (t.swaps.interval(pair, alpha) for t in (here, other))
                assert ours == theirs


@pytest.mark.parametrize("more", [{"n_resamples": 3000}, {"n_resamples": 3000, "rng": 2}])
def test_a_seed_repeats_the_draws_and_another_does_not(more: dict[str, Any]) -> None:
    table = np.random.default_rng(9).normal(0.1, 1.0, (60, 2))
    here = paired_permutation(table, rng=1, n_resamples=3000)
    other = paired_permutation(table, **{"rng": 1, **more})
    same = np.array_equal(here.swaps.counted.largest, other.swaps.counted.largest)
    assert same == ("rng" not in more)


def test_whole_numbers_are_added_up_exactly() -> None:
    rng = np.random.default_rng(10)
    table = rng.integers(-100, 101, (300, 4)).astype(np.float64)
    whole = paired_permutation(table, n_resamples=2000, rng=2)
    # A factor that is no power of two takes the road of double precision.
    fractions = paired_permutation(table / 3.0, n_resamples=2000, rng=2)
    np.testing.assert_array_equal(whole.p_values, fractions.p_values)
    np.testing.assert_array_equal(whole.p_max_t, fractions.p_max_t)
    # |Σ s D| of one pair, from its T: whole and of the parity of the total.
    one = paired_permutation(table[:, 0], n_resamples=2000, rng=2).swaps
    sums = one.counted.largest[:, 0] * np.sqrt(np.square(table[:, 0]).sum())
    np.testing.assert_allclose(sums, np.rint(sums), atol=1e-9)
    assert set(np.rint(sums) % 2) == {abs(table[:, 0].sum()) % 2}


def test_pairs_are_tested_on_their_own_units() -> None:
    table = np.array([[1.0, NAN], [2.0, 4.0], [-1.0, NAN], [3.0, 1.0], [2.0, 5.0], [1.0, 2.0]])
    test = paired_permutation(table)
    alone = paired_permutation(table[[1, 3, 4, 5], 1])
    assert test.n.tolist() == [6, 4]
    assert test.df.tolist() == [5, 3]
    assert test.p_values[1] == alone.p_values[0] == 2 / 16
    assert test.standard_errors[1] == pytest.approx(alone.standard_errors[0], rel=1e-12)
    assert test.notes == (
        "2 of 12 differences were not observed; each pair is tested on its own units.",
    )


def test_a_pair_that_was_never_observed_has_no_p() -> None:
    test = paired_permutation(np.array([[1.0, NAN], [2.0, NAN], [2.0, NAN]]))
    assert np.isnan(test.p_values[1])
    assert np.isnan(test.differences[1])
    assert np.isnan(test.standard_errors[1])
    assert test.to_dict()["p_values"] == [0.25, None]
    assert test.notes[1] == "1 pair without a common unit: not tested."
    none = paired_permutation([NAN, NAN])
    assert none.summary() == "undecided: no pair was observed on any unit"


@pytest.mark.parametrize("units", [5, 50])
def test_no_difference_anywhere_is_p_one(units: int) -> None:
    test = paired_permutation(np.zeros((units, 2)), n_resamples=200, rng=1)
    assert test.p_values.tolist() == [1.0, 1.0]
    assert test.standard_errors.tolist() == [0.0, 0.0]


def test_p_is_never_zero() -> None:
    test = paired_permutation(np.full(60, 5.0), n_resamples=200, rng=1)
    assert test.p_values[0] == pytest.approx(1 / 201)


def test_standard_errors_without_clusters_are_the_classical_ones() -> None:
    table = np.random.default_rng(11).normal(size=(30, 3))
    test = paired_permutation(table, n_resamples=100, rng=1)
    expected = table.std(axis=0, ddof=1) / np.sqrt(30)
    np.testing.assert_allclose(test.standard_errors, expected, rtol=1e-12)
    assert test.df.tolist() == [29] * 3


def test_standard_errors_with_clusters_are_those_of_the_matrices() -> None:
    rng = np.random.default_rng(12)
    clusters: IntArray = rng.integers(0, 8, 50)
    d = rng.normal(size=50) + rng.normal(size=8)[clusters]
    test = paired_permutation(d, clusters)
    assert (test.standard_errors[0], test.df[0]) == pytest.approx(
        matrix_cr2(d, clusters), rel=1e-10
    )


@pytest.mark.golden
def test_p_values_of_all_signs_are_those_of_the_reference() -> None:
    rows = gold("sign_flip")["rows"]
    assert len(rows) == 11
    for row in rows:
        assert paired_permutation(row["D"]).p_values[0] == pytest.approx(row["p"], rel=1e-12)


@pytest.mark.golden
def test_the_family_of_the_reference() -> None:
    family = gold("family")
    scores = np.array(family["scores"])
    first, second = np.array(family["pairs"]).T - 1
    test = paired_permutation(scores[:, first] - scores[:, second])
    np.testing.assert_allclose(test.differences, family["difference"], rtol=1e-10)
    np.testing.assert_allclose(test.standard_errors, family["se"], rtol=1e-10)
    np.testing.assert_allclose(test.p_values, family["p"], rtol=1e-12)
    np.testing.assert_allclose(test.p_max_t, family["p_max_t"], rtol=1e-12)
    np.testing.assert_allclose(holm(test.p_values), family["p_holm"], rtol=1e-12)
    assert test.swaps.critical(0, 0.05) == pytest.approx(family["max_t_c"], rel=1e-11)


def test_the_joint_null_serves_max_t() -> None:
    rng = np.random.default_rng(13)
    table = rng.normal(size=(80, 6))
    table[:, 0] += 0.8
    test = paired_permutation(table, n_resamples=2000, rng=3)
    assert test.p_max_t[0] < 0.01
    assert (test.p_max_t >= test.p_values).all()
    # Correction costs something, and less than Holm's.
    assert (test.p_max_t[1:] > test.p_values[1:]).any()
    assert (test.p_max_t <= holm(test.p_values) + 0.02).all()
    assert test.swaps.counted.null is None  # nothing is held


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_exact_p_values_are_whole_numbers_of_patterns(
    units: int, seed: int, pairs: int
) -> None:
    table = np.random.default_rng(seed).integers(-5, 6, (units, pairs)).astype(np.float64)
    test = paired_permutation(table)
    for p in (*test.p_values, *test.p_max_t):
        patterns = p * 2 ** (units - 1)
        assert patterns == np.rint(patterns) >= 1


def test_without_a_margin_there_is_no_test_of_it() -> None:
    test = paired_permutation([1.0, 2.0, 4.0])
    assert np.isnan(test.swaps.p_above()).all()
    assert np.isnan(test.swaps.p_below()).all()


def test_ties_do_not_depend_on_the_unit_of_the_scores() -> None:
    table = (
        np.random.default_rng(17).integers(-5, 8, (12, 3)) / 10
    )  # sums that tie by hand only
    table[3] = 0.0
    plain = paired_permutation(table)
    for scale in (1e-13, 1e-9, 3.0, 1e13):
        moved = paired_permutation(scale * table)
        np.testing.assert_array_equal(plain.p_values, moved.p_values)
        np.testing.assert_array_equal(plain.p_max_t, moved.p_max_t)


def test_the_tallies_stay_out_of_the_json() -> None:
    test = paired_permutation([1.0, 2.0, 4.0])
    assert test.to_dict()["p_max_t"] == [0.25]
    assert "swaps" not in test.to_dict()
    assert "swaps" not in repr(test)


def test_summary_and_messages() -> None:
    test = paired_permutation(np.tile([[3.0, 1.0], [1.0, -1.0]], (6, 1)))
    assert test.summary() == "1 of 2 pairs differ at .05, unadjusted (smallest p = .0005)"
    with pytest.raises(InputError, match="`clusters` must name the cluster of each of the 3"):
        paired_permutation([1.0, 2.0, 3.0], [0, 1])
    with pytest.raises(InputError, match="got inf in row 1, pair 0"):
        paired_permutation([1.0, np.inf])
    with pytest.raises(InputError, match="one row per unit"):
        paired_permutation(np.zeros((0, 2)))
    with pytest.raises(InputError, match="`alpha` must lie strictly between 0 and 1; got 2"):
        paired_permutation([1.0, 2.0], alpha=2)
    with pytest.raises(InputError, match="`margin` must be a finite number above 0; got -1"):
        paired_permutation([1.0, 2.0], margin=-1.0)


def test_the_summary_counts_below_five_percent() -> None:
    # All 2⁵ sign patterns: only the observed one and its mirror are as extreme, 2/32 = .0625.
    five = paired_permutation(np.full((5, 1), 1.0))
    assert five.summary() == "0 of 1 pair differ at .05, unadjusted (smallest p = .0625)"
    six = paired_permutation(np.full((6, 1), 1.0))
    assert six.summary() == "1 of 1 pair differ at .05, unadjusted (smallest p = .0312)"


@pytest.mark.parametrize("cells", [1 << 19, 700])
@pytest.mark.parametrize("equal", [True, False], ids=["means", "unequal-shares"])
def test_pairs_put_together_from_systems_count_alike(
    equal: bool, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A product of few systems, less one unit of each pair, is the matrix of all pairs."""
    monkeypatch.setattr("detectable.inference.sign_flips._FEW_CELLS", cells)
    rng = np.random.default_rng(8)
    tables = rng.integers(0, 9, (6, 40, 2)).astype(np.float64)
    tables[..., 1] = 1.0 if equal else rng.integers(1, 5, (6, 40))
    tables[1] = tables[0]  # no unit of this pair differs
    tables[2, 1:] = tables[0, 1:]  # and one of this one
    names = tuple("abcdef")
    sample = Sample(Mean(), names, (1,) * 6, tables)
    pairs = tuple(combinations(range(6), 2))
    parts = MetricParts((swap_parts(sample, pairs),))
    columns = rng.permutation(len(pairs))
    out = rng.integers(0, 40, len(pairs))
    values, mix = parts.of_systems(columns)
    given = list(parts.of(columns))
    sums = np.stack([part.parts for part in given], axis=1)
    sizes = np.stack([part.shares for part in given], axis=1)
    assert values @ mix == pytest.approx(sums, abs=1e-12)
    assert values.shape[1] == (7 if equal else 12)
    sums[out, np.arange(out.size)] = sizes[out, np.arange(out.size)] = 0.0

    def engine() -> Engine:
        return Engine.start(5, n_jobs=1, executor=None, progress=silent)

    found = sign_flips_without(given, (values, mix), out, n_resamples=2_000, engine=engine())
    whole = sign_flips(sums, sizes, n_resamples=2_000, alpha=0.0, engine=engine())
    assert np.array_equal(found.p_values(), whole.p_values())
    assert np.array_equal(found.p_max_t(), whole.p_max_t())
    assert found.questions.observed == pytest.approx(whole.questions.observed, abs=1e-14)
    with pytest.raises(ValueError, match="ends are needed and 0 were kept"):
        found.interval(0, 0.05)


def test_few_draws_keep_the_ends_that_their_interval_needs() -> None:
    found = flips(np.arange(1.0, 41.0), n_resamples=39)
    assert found.interval(0, 0.05).low < found.questions.observed[0]
