"""The rows of a comparison: scores over runs, their intervals, and what a wrong analysis says."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import InputError, SuspiciousDataWarning
from detectable.data.scores.scores import Scores
from detectable.inference.randomization import swap_parts
from detectable.inference.runs import RandomRuns, random_runs, run_spread
from detectable.inference.standard_errors import Estimate, median_unbiased
from detectable.inference.swap_power import swap_shift, units_needed
from detectable.metrics.mean import Mean
from detectable.report.shown.comparison_words import pair_sentence
from detectable.study.comparison.compare import compare
from tests.study.comparison.tables import (
    RootMeanSquare,
    documents_of,
    noisy_scores,
    pair_of,
    row_of,
    sample_of,
)

QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1, "n_examples": 0}


def _by_units(scores: Scores, system: int, baseline: int = 0) -> Estimate:
    """Return the difference of means with the error that comes from the units."""
    return swap_parts(sample_of(scores, Mean()), [(system, baseline)])[0].estimate()


def _over_runs(scores: Scores, system: int, baseline: int = 0) -> RandomRuns:
    units = [_by_units(scores, system, baseline)]
    return random_runs(sample_of(scores, Mean()), [(system, baseline)], units)[0]


# One row per system and metric


def test_metrics_stand_within_systems() -> None:
    result = compare(noisy_scores(0.1, 0.2), (Mean(), RootMeanSquare()), **QUICK)
    order = [(row.system, row.metric) for row in result.systems]
    assert order == [(s, m) for s in "ABC" for m in ("mean", "rms")]


def test_the_score_is_the_mean_over_runs() -> None:
    scores = Scores.build({"A": [[0.0, 2.0], [2.0, 4.0]], "B": [[1.0, 1.0], [5.0, 7.0]]})
    result = compare(scores, **QUICK)
    assert [(row.score, row.runs) for row in result.systems] == [
        (2.0, (1.0, 3.0)),
        (3.5, (1.0, 6.0)),
    ]


def test_the_three_deviations_of_runs() -> None:
    scores = noisy_scores(0.1, runs=3, run_sd=0.3)
    result = compare(scores, "mean", dev_scores={"A": [1.0, 2.0, 6.0]}, **QUICK)
    table = scores.systems["A"]
    row = row_of(result, "A")
    assert row.s_test == pytest.approx(table.mean(axis=1).std(ddof=1), rel=1e-12)
    assert row.s_sel == pytest.approx(stats.sem(table, axis=1).mean(), rel=1e-8)
    assert row.s_dev == pytest.approx(math.sqrt(7.0), rel=1e-12)
    assert math.isnan(row_of(result, "B").s_dev)


def test_one_run_has_no_spread_over_runs() -> None:
    row = row_of(compare(noisy_scores(0.1), **QUICK), "A")
    assert math.isnan(row.s_test)
    assert row.median_run == 0


@pytest.mark.parametrize(
    ("means", "median"),
    [((3.0, 1.0, 2.0), 2), ((4.0, 1.0, 2.0, 3.0), 3), ((1.0, 2.0), 1), ((5.0, 5.0, 5.0), 1)],
    ids=["odd", "even: the higher", "two", "ties: as they come"],
)
def test_the_median_run_is_the_one_to_read(means: tuple[float, ...], median: int) -> None:
    rng = np.random.default_rng(1)
    noise = np.arange(12) - 5.5
    # Every run has its own order of the noise: equal runs would be counted once.
    table = np.array([mean + rng.permutation(noise) for mean in means])
    other = table + rng.normal(size=table.shape)
    result = compare(Scores.build({"A": table, "B": other}), **QUICK)
    assert row_of(result, "A").median_run == median


@pytest.mark.parametrize("n_runs", [1, 4])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_interval_of_a_score_is_students(n_runs: int, alpha: float) -> None:
    scores = noisy_scores(0.1, runs=n_runs)
    row = row_of(compare(scores, alpha=alpha, runs="fixed", **QUICK), "B")
    units = scores.systems["B"].mean(axis=0)
    low, high = stats.t.interval(1 - alpha, 59, units.mean(), stats.sem(units))
    assert row.interval.to_json() == pytest.approx([low, high], rel=1e-8)
    assert row.interval.level == 1.0 - alpha


@pytest.mark.parametrize("n_runs", [2, 3, 5])
def test_the_interval_of_a_score_over_random_runs_adds_both_errors(n_runs: int) -> None:
    scores = noisy_scores(0.1, runs=n_runs, run_sd=0.4, seed=5)
    row = row_of(compare(scores, runs="random", **QUICK), "B")
    table = scores.systems["B"]
    by_unit, by_run = stats.sem(table.mean(axis=0)), stats.sem(table.mean(axis=1))
    error = math.hypot(by_unit, by_run)
    df = error**4 / (by_unit**4 / 59 + by_run**4 / (n_runs - 1))  # Satterthwaite
    half = stats.t.ppf(0.975, df) * error
    assert row.interval.high - row.score == pytest.approx(half, rel=1e-8)
    assert row.score - row.interval.low == pytest.approx(half, rel=1e-8)


def test_a_bootstrap_test_leaves_the_intervals_in_closed_form() -> None:
    """`interval='delta'` is kept to its word also where draws are at hand."""
    scores = noisy_scores(0.1)
    by_test = {
        test: compare(scores, baseline="A", test=test, interval="delta", **QUICK)
        for test in ("randomization", "bootstrap")
    }
    swaps, draws = by_test["randomization"], by_test["bootstrap"]
    assert [r.interval for r in swaps.systems] == [r.interval for r in draws.systems]
    assert [p.interval for p in swaps.pairs] == [p.interval for p in draws.pairs]


def test_groups_are_numbered_from_the_best_where_all_pairs_were_tested() -> None:
    result = compare(noisy_scores(2.0, -2.0, 2.01), n_resamples=999, rng=1)
    assert {row.system: row.group for row in result.systems} == {"A": 2, "B": 1, "C": 3, "D": 1}
    with_baseline = compare(noisy_scores(2.0, -2.0, 2.01), baseline="A", **QUICK)
    assert {row.group for row in with_baseline.systems} == {None}


def test_a_metric_without_direction_has_no_groups() -> None:
    result = compare(noisy_scores(2.0, level=5.0), (Mean(), RootMeanSquare()), **QUICK)
    assert row_of(result, "B").group == 1
    assert row_of(result, "B", "rms").group is None
    assert set(result.groups) == {"mean"}


@pytest.mark.parametrize(
    ("dev_scores", "message"),
    [
        ({"Z": [1.0, 2.0]}, "`dev_scores` names 'Z', which is not a system"),
        ({"A": [1.0]}, "`dev_scores` of 'A' must give one score for each of its 2 runs; got 1"),
        ({"B": [[1.0, 2.0]]}, "`dev_scores` of 'B' must give one score for each of its 2 runs"),
        ({"A": [1.0, 2.0], "B": [1.0, 2.0, 3.0]}, "of its 2 runs; got 3"),
    ],
    ids=["unknown", "too few", "a matrix", "too many"],
)
def test_development_scores_must_fit_the_runs(dev_scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(noisy_scores(0.1, runs=2), dev_scores=dev_scores, **QUICK)


def test_development_scores_of_one_run_have_no_spread() -> None:
    result = compare(noisy_scores(0.1), dev_scores={"A": [3.0]}, **QUICK)
    assert math.isnan(row_of(result, "A").s_dev)


# One row per pair and metric


def test_every_pair_is_written_later_minus_earlier() -> None:
    result = compare(noisy_scores(0.1, 0.2), (Mean(), RootMeanSquare()), **QUICK)
    pairs = [("B", "A"), ("C", "A"), ("C", "B")]
    expected = [(m, *pair) for m in ("mean", "rms") for pair in pairs]
    assert [(p.metric, p.system, p.baseline) for p in result.pairs] == expected


def test_a_baseline_in_the_middle_is_compared_with_all_others() -> None:
    result = compare(noisy_scores(0.1, 0.2), baseline="B", **QUICK)
    assert [(p.system, p.baseline) for p in result.pairs] == [("A", "B"), ("C", "B")]
    scores = {row.system: row.score for row in result.systems}
    assert [p.difference for p in result.pairs] == pytest.approx(
        [scores["A"] - scores["B"], scores["C"] - scores["B"]]
    )


@settings(max_examples=25, deadline=None)
@given(st.floats(-3.0, 3.0), st.integers(0, 50))
def test_the_rows_of_a_swapped_pair_mirror_each_other(shift: float, seed: int) -> None:
    scores = noisy_scores(shift, n=20, seed=seed)
    options: dict[str, Any] = {"interval": "basic", "n_resamples": 19, "rng": 3}
    up = pair_of(compare(scores, "mean", baseline="A", **options), "B")
    down = pair_of(compare(scores, "mean", baseline="B", **options), "A")
    assert up.difference == pytest.approx(-down.difference)
    assert up.p_value == down.p_value
    assert up.mde == pytest.approx(down.mde)
    assert up.interval.to_json() == pytest.approx([-x for x in down.interval.to_json()[::-1]])
    mirrored = {"better": "worse", "worse": "better", "undecided": "undecided"}
    assert up.verdict == mirrored[down.verdict]


@pytest.mark.parametrize("power", [0.8, 0.5, 0.95])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_mde_is_stated_at_the_asked_power_and_level(power: float, alpha: float) -> None:
    scores = noisy_scores(0.1)
    pair = pair_of(compare(scores, baseline="A", alpha=alpha, power=power, **QUICK))
    shift = swap_shift(60, level=alpha, power=power)
    assert pair.mde == pytest.approx(_by_units(scores, 1).typical_error * shift, rel=1e-12)
    # An independent check: a t test of that difference has that power.
    critical = stats.t.ppf(1 - alpha / 2, 59)
    shift = pair.mde / median_unbiased(pair.standard_error, 59.0)
    assert stats.nct.sf(critical, 59, shift) == pytest.approx(power, abs=1e-3)


@pytest.mark.parametrize("n", [6, 7, 8, 10, 12])
def test_the_mde_of_few_units_is_that_of_the_swap_test(n: int) -> None:
    """Draw differences of that size: how often would all their swaps reject."""
    scores = noisy_scores(0.0, n=n)
    pair = pair_of(compare(scores, baseline="A", test="randomization", rng=1))
    rng, trials = np.random.default_rng(n), 1500
    # If the truth is what the error is an estimate of, median-unbiased.
    sd = median_unbiased(pair.standard_error, n - 1.0) * math.sqrt(n)
    d = pair.mde + sd * rng.normal(size=(trials, n))
    signs = 1 - 2 * ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1)
    sums = d @ signs.T
    p = (np.abs(sums) >= np.abs(sums[:, :1]) - 1e-9).mean(axis=1)
    found = ((p <= 0.05) & (d.mean(axis=1) > 0)).mean()
    assert found == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / trials))


def test_units_are_counted_for_the_difference_that_was_named() -> None:
    scores = noisy_scores(0.1, 0.2)
    result = compare(scores, baseline="A", effect=0.05, correction="holm", **QUICK)
    for s, pair in zip((1, 2), result.pairs, strict=True):
        error = _by_units(scores, s).typical_error
        needed = units_needed(0.05, error, 60, alpha=0.05, level=0.025, power=0.8)
        assert (pair.units_needed, pair.runs_needed) == (needed, None)
        assert math.isnan(pair.mde_many_runs)
        assert needed is not None
        # An independent check: with so many units, and no fewer, a t test has that power.
        for n, enough in ((needed, True), (needed - 2, False)):
            shift = 0.05 / (error * math.sqrt(60 / n))
            critical = stats.t.ppf(1 - 0.025 / 2, n - 1)
            assert (stats.nct.sf(critical, n - 1, shift) >= 0.8) is np.bool_(enough)
    assert result.effect == {"mean": 0.05}


@pytest.mark.parametrize(("n", "units"), [(4, 6), (5, 6), (6, None)])
def test_where_nothing_can_be_shown_the_units_at_which_it_could(
    n: int, units: int | None
) -> None:
    pair = pair_of(compare(noisy_scores(0.1, n=n), test="randomization", rng=1))
    assert pair.units_needed == units
    assert pair.attainable_p == 2.0 ** (1 - n)
    assert math.isnan(pair.mde) == (units is not None)


def test_too_few_swaps_are_no_want_of_units() -> None:
    result = compare(noisy_scores(0.1), baseline="A", n_resamples=9, rng=1)
    pair = pair_of(result)
    assert (pair.attainable_p, pair.units_needed, pair.verdict) == (0.1, None, "undecided")
    assert math.isnan(pair.mde)
    wanted = "the smallest possible p of 9 swaps is .1. It needs at least 19."
    assert pair_sentence(result, pair).endswith(wanted)
    enough = pair_of(compare(noisy_scores(9.0), baseline="A", n_resamples=19, rng=1))
    assert (enough.attainable_p, enough.verdict) == (0.05, "better")


def test_nothing_is_counted_where_no_difference_was_named() -> None:
    result = compare(
        noisy_scores(0.1, level=3.0), (Mean(), RootMeanSquare()), effect={"rms": 0.1}, **QUICK
    )
    assert pair_of(result).units_needed is None
    assert pair_of(result, metric="rms").units_needed is not None


@pytest.mark.parametrize("effect", [None, 0.9, 0.01])
def test_random_runs_count_runs_and_not_units(effect: float | None) -> None:
    scores = noisy_scores(0.1, runs=3, run_sd=0.3, item_sd=0.5, seed=2)
    pair = pair_of(compare(scores, baseline="A", runs="random", effect=effect, **QUICK))
    two_way = _over_runs(scores, 1)
    needed = effect and two_way.runs_needed(effect, alpha=0.05, power=0.8)
    assert (pair.units_needed, pair.runs_needed) == (None, needed)
    assert (needed is None) == (effect != 0.9)  # .01 is below the floor of the test set


def test_the_floor_of_many_runs_is_the_error_of_the_items_alone() -> None:
    scores = noisy_scores(0.1, runs=3, run_sd=0.3, item_sd=0.5, seed=2)
    pair = pair_of(compare(scores, baseline="A", runs="random", power=0.9, **QUICK))
    two_way = _over_runs(scores, 1)
    floor = Estimate(0.0, math.sqrt(two_way.item_variance), 59.0)
    assert pair.mde_many_runs == floor.detectable(alpha=0.05, power=0.9)
    assert 0.0 < pair.mde_many_runs < pair.mde


def test_the_floor_is_stated_at_the_corrected_level() -> None:
    scores = noisy_scores(0.1, 0.2, runs=3, run_sd=0.3, item_sd=0.5, seed=2)
    result = compare(scores, baseline="A", runs="random", **QUICK)
    two_way = _over_runs(scores, 2)
    floor = Estimate(0.0, math.sqrt(two_way.item_variance), 59.0)
    assert pair_of(result, "C").mde_many_runs == floor.detectable(alpha=0.025, power=0.8)


# What a common but wrong analysis would have said


def test_one_run_and_segments_have_no_wrong_analysis_to_name() -> None:
    assert pair_of(compare(noisy_scores(0.1), **QUICK)).naive is None


def test_segments_of_documents_counted_as_independent() -> None:
    scores = noisy_scores(0.1, documents=documents_of([10] * 6))
    naive = pair_of(compare(scores, baseline="A", **QUICK)).naive
    wrong = stats.ttest_rel(scores.systems["B"][0], scores.systems["A"][0])
    assert naive is not None
    assert naive.method == "items counted as independent"
    assert naive.p_value == pytest.approx(wrong.pvalue, rel=1e-6)


def test_runs_counted_as_further_sentences() -> None:
    scores = noisy_scores(0.1, runs=3)
    naive = pair_of(compare(scores, baseline="A", **QUICK)).naive
    wrong = stats.ttest_rel(scores.systems["B"].ravel(), scores.systems["A"].ravel())
    assert naive is not None
    assert naive.method == "runs counted as further items"
    # Influence values are centred in each run, so the effect of a run is no part of the noise.
    d = scores.systems["B"] - scores.systems["A"]
    centred = d - d.mean(axis=1, keepdims=True)
    error = centred.std() / math.sqrt(179)
    assert naive.p_value == pytest.approx(2 * stats.t.sf(d.mean() / error, 179), rel=1e-6)
    assert naive.p_value == pytest.approx(wrong.pvalue, rel=0.2)


def test_segments_and_runs_counted_as_independent() -> None:
    scores = noisy_scores(0.1, runs=2, documents=documents_of([15] * 4))
    naive = pair_of(compare(scores, baseline="A", **QUICK)).naive
    plain = Scores.build(scores.systems)
    by_segment = pair_of(compare(plain, baseline="A", **QUICK)).naive
    assert naive is not None
    assert by_segment is not None
    assert naive.method == "items and runs counted as independent"
    assert naive.p_value == pytest.approx(by_segment.p_value, rel=1e-9)


def test_unequal_numbers_of_runs_are_averaged_first() -> None:
    rng = np.random.default_rng(4)
    tables = {"A": rng.normal(size=(2, 40)), "B": rng.normal(size=(3, 40))}
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        flat = compare(Scores.build(tables), **QUICK)
    assert pair_of(flat).naive is None
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        grouped = compare(Scores.build(tables, documents=documents_of([8] * 5)), **QUICK)
    naive = pair_of(grouped).naive
    assert naive is not None
    assert naive.method == "items counted as independent"
    wrong = stats.ttest_rel(tables["B"].mean(axis=0), tables["A"].mean(axis=0))
    assert naive.p_value == pytest.approx(wrong.pvalue, rel=1e-6)


def test_the_wrong_analysis_is_made_under_each_metric() -> None:
    scores = noisy_scores(0.3, runs=2, level=2.0)
    result = compare(scores, (Mean(), RootMeanSquare()), **QUICK)
    found = [pair.naive for pair in result.pairs]
    sample = sample_of(scores, RootMeanSquare())
    parts = (sample.influence(1) - sample.influence(0)).ravel() / 2
    error = math.sqrt(((parts - parts.mean()) ** 2).sum() * 120 / 119)
    t = (sample.score(1) - sample.score(0)) / error
    assert found[1] is not None
    assert found[1].p_value == pytest.approx(2 * stats.t.sf(abs(t), 119), rel=1e-9)


def test_rows_agree_with_the_spread_of_runs() -> None:
    scores = noisy_scores(0.3, runs=3, run_sd=0.2, level=2.0)
    result = compare(scores, RootMeanSquare(), **QUICK)
    for s, row in enumerate(result.systems):
        spread = run_spread(sample_of(scores, RootMeanSquare()), s)
        assert row.runs == tuple(spread.runs)
        assert (row.s_test, row.s_sel, row.median_run) == (
            spread.s_test,
            spread.s_sel,
            spread.median_run,
        )
