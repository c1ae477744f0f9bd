"""What only some comparisons have, asked of comparisons that do not have it."""

import functools
import itertools
import json
import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats
from scipy.stats import binom

from detectable.core.errors import CompatibilityWarning, InputError, SuspiciousDataWarning
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.data.texts.corpus import Corpus
from detectable.inference.document_size import dense_p
from detectable.inference.margin_score import MarginScore
from detectable.inference.multiplicity import holm
from detectable.inference.randomization import randomization_test
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import median_unbiased
from detectable.inference.swap_power import detectable_share, swap_shift
from detectable.metrics.mean import Mean
from detectable.study.comparison.compare import compare
from detectable.study.comparison.measure import choose_metrics, measure
from detectable.study.comparison.options import CompareSettings
from detectable.study.comparison.result import Comparison, PairComparison
from detectable.study.comparison.ways_to_test import (
    agreement_of,
    by_pair,
    directions_of,
    groups_of,
    strata_of,
)
from tests.gold_repairs import repairs
from tests.helpers import reference_data, spread
from tests.study.comparison.oracle import (
    ALPHA,
    METRICS,
    POWER,
    RESAMPLES,
    SEED,
    Case,
    Expected,
    expected,
)
from tests.study.comparison.tables import RootMeanSquare, noisy_scores, pair_of, sample_of

TEXTS = Corpus.build({"A": ["a b", "c d"], "B": ["a b", "c e"]}, ["a b", "c d"])


@pytest.mark.parametrize(
    "given", [{"tasks": "random"}, {"tasks": "pooled"}, {"weights": "items"}]
)
def test_texts_have_no_tasks(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="`tasks` and `weights` are for scores"):
        strata_of(TEXTS, CompareSettings(**given))
    assert strata_of(TEXTS, CompareSettings()) is None


def test_a_correction_over_tasks_needs_several() -> None:
    scores = noisy_scores(0.1)
    assert strata_of(scores, CompareSettings()) is None
    with pytest.raises(InputError, match="`task_correction='none'` needs several tasks"):
        strata_of(scores, CompareSettings(task_correction="none"))


def test_a_direction_is_said_of_given_scores_alone() -> None:
    texts = choose_metrics(TEXTS, "bleu")
    assert directions_of(TEXTS, texts, asked=False) == ()
    beside = choose_metrics(
        TEXTS, ["bleu", noisy_scores(0.1, n=2, metric="ter")], lower_is_better=["ter"]
    )
    assert directions_of(TEXTS, beside, asked=True) == ("ter: lower is better.",)
    scores = noisy_scores(0.1)
    assert directions_of(scores, choose_metrics(scores, "mean"), asked=True) == ()
    assert len(directions_of(scores, choose_metrics(scores, "mean"), asked=False)) == 1


def test_one_metric_agrees_with_no_other_and_a_baseline_makes_no_groups() -> None:
    one, two = (
        measure(TEXTS, choose_metrics(TEXTS, names), unit="segment", progress=lambda *_: None)
        for names in ("bleu", ["bleu", "chrf"])
    )
    assert agreement_of(one, ()) == ()
    assert [found.metrics for found in agreement_of(two, ())] == [("bleu", "chrf")]
    assert groups_of(one, (), ranked=False) == {}
    assert groups_of(one, (), ranked=True) == {"bleu": (("A", "B"),)}


def test_metrics_of_pairs_become_pairs_of_metrics() -> None:
    assert by_pair([["a1", "a2", "a3"], ["b1", "b2", "b3"]]) == [
        *(["a1", "b1"], ["a2", "b2"], ["a3", "b3"])
    ]


# --- Every test, interval and correction of `compare` against direct calls of `inference` ---

INTERVALS = ("test", "delta", "percentile", "basic", "bca")
FAMILIES = ("systems", "systems-and-metrics")


def _cases() -> list[Case]:
    plain = [
        Case(test, interval, correction, n_runs=n_runs)
        for test, interval, correction, n_runs in itertools.product(
            ("randomization", "bootstrap"), INTERVALS, ("holm", "max-t", "none"), (1, 3)
        )
    ]
    families = [
        Case(test, "test", correction, family=family, all_pairs=all_pairs)
        for test, correction, family, all_pairs in itertools.product(
            ("randomization", "bootstrap"), ("holm", "max-t", "none"), FAMILIES, (False, True)
        )
    ]
    by_t = [
        Case("t", interval, correction, family=family, n_runs=n_runs)
        for interval, correction, family, n_runs in itertools.product(
            ("test", "delta", "basic"), ("holm", "none"), FAMILIES, (1, 2)
        )
    ]
    multeval = [
        Case(interval=interval, correction=correction, compat="multeval", n_runs=2)
        for interval, correction in itertools.product(INTERVALS, ("holm", "none"))
    ]
    sacrebleu = [
        Case(test, interval, correction, compat="sacrebleu")
        for test, interval, correction in itertools.product(
            ("auto", "randomization", "bootstrap"), INTERVALS, ("holm", "none")
        )
    ]
    random = [
        Case("auto", interval, correction, family=family, runs="random", n_runs=n_runs)
        for interval, correction, family, n_runs in itertools.product(
            ("test", "delta"), ("holm", "none"), FAMILIES, (2, 3)
        )
    ]
    return list(dict.fromkeys([*plain, *families, *by_t, *multeval, *sacrebleu, *random]))


CASES = _cases()


@functools.cache
def _compared(case: Case) -> Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompatibilityWarning)
        return compare(case.data(), **case.options())


@functools.cache
def _expected(case: Case) -> Expected:
    return expected(case)


def _cells(case: Case) -> list[tuple[int, int, PairComparison]]:
    """Return position of pair, position of metric, and the row that belongs there."""
    places = itertools.product(range(len(METRICS)), range(len(case.pairs)))
    return [(p, m, row) for (m, p), row in zip(places, _compared(case).pairs, strict=True)]


@pytest.mark.parametrize("case", spread(CASES), ids=str)
def test_every_case_is_what_its_test_interval_and_correction_say(case: Case) -> None:
    words = {"mean": ("better", "worse"), "rms": ("higher", "lower")}
    wanted = _expected(case)
    for p, m, row in _cells(case):
        system, baseline = ("ABCD"[s] for s in case.pairs[p])
        assert (row.metric, row.system, row.baseline) == (METRICS[m].name, system, baseline)
        cell = wanted.estimates[p][m]
        assert (row.difference, row.standard_error) == (cell.value, cell.standard_error)
        assert row.p_value == pytest.approx(wanted.p_values[p, m], rel=1e-12)
        assert row.p_adjusted == pytest.approx(wanted.p_adjusted[p, m], rel=1e-12)
        interval = wanted.interval(case, p, m)
        assert row.interval.to_json() == pytest.approx(interval.to_json(), rel=1e-9, abs=1e-12)
        assert row.interval.level == row.interval_level == interval.level
        assert row.mde == pytest.approx(wanted.mde(case, p, m), rel=1e-12)
        decided = words[row.metric][0 if row.difference > 0 else 1]
        assert row.verdict == (decided if row.p_adjusted <= ALPHA else "undecided")
    if case.runs == "fixed":
        rows = iter(_compared(case).systems)
        for s, m in itertools.product(range(4), range(len(METRICS))):
            score = wanted.score_interval(case, s, m).to_json()
            assert next(rows).interval.to_json() == pytest.approx(score, rel=1e-9)


def test_the_cases_hold_decided_and_undecided_pairs() -> None:
    """The grid could not tell a rule from its opposite if all p-values were alike."""
    verdicts = {row.verdict for case in CASES[::3] for row in _compared(case).pairs}
    assert {"better", "higher", "undecided"} <= verdicts
    spread = [row.p_value for row in _compared(Case()).pairs]
    assert min(spread) <= ALPHA < 0.3 < max(spread)


# What the correction covers


def test_holm_runs_over_the_pairs_of_each_metric() -> None:
    rows = _compared(Case()).pairs
    for metric in ("mean", "rms"):
        mine = [row for row in rows if row.metric == metric]
        stepped = holm(np.array([row.p_value for row in mine]))
        assert [row.p_adjusted for row in mine] == stepped.tolist()


def test_holm_can_run_over_all_metrics_at_once() -> None:
    rows = _compared(Case(family="systems-and-metrics")).pairs
    by_pair = sorted(rows, key=lambda row: (row.system, row.metric))
    stepped = holm(np.array([row.p_value for row in by_pair]))
    assert [row.p_adjusted for row in by_pair] == stepped.tolist()


@pytest.mark.parametrize(
    ("family", "tests"), [("systems", 3), ("systems-and-metrics", 6)], ids=str
)
def test_holm_shares_alpha_among_the_tests_of_the_family(family: Any, tests: int) -> None:
    result = _compared(Case(family=family))
    pair = pair_of(result)
    cell = _expected(Case(family=family)).estimates[0][0]
    shift = swap_shift(50, level=ALPHA / tests, power=POWER)
    assert pair.mde == pytest.approx(
        median_unbiased(cell.standard_error, cell.df) * shift, rel=1e-12
    )


def test_no_correction_leaves_the_p_values_and_the_level() -> None:
    for p, m, row in _cells(Case(correction="none")):
        assert row.p_adjusted == row.p_value
        cell = _expected(Case(correction="none")).estimates[p][m]
        shift = swap_shift(50, level=ALPHA, power=POWER)
        assert row.mde == pytest.approx(
            median_unbiased(cell.standard_error, cell.df) * shift, rel=1e-12
        )


def test_max_t_of_systems_that_never_differ_keeps_the_level() -> None:
    """No swap changes anything, so there is no threshold to turn into a level."""
    values = np.random.default_rng(1).normal(size=20)
    same = Scores.build({"A": values, "B": values.copy()})
    with pytest.warns(UserWarning, match="identical"):
        pair = pair_of(compare(same, correction="max-t", n_resamples=99, rng=1))
    assert (pair.p_value, pair.p_adjusted, pair.verdict) == (1.0, 1.0, "undecided")
    assert pair.interval.to_json() == [0.0, 0.0]
    assert math.isnan(pair.mde)  # nothing varies, so nothing is promised


def test_max_t_draws_the_null_of_the_bootstrap_around_zero() -> None:
    """Were the draws moved the wrong way, a large difference would have a large p-value."""
    scores = noisy_scores(2.0, n=60)
    result = compare(
        scores, baseline="A", test="bootstrap", correction="max-t", n_resamples=199, rng=1
    )
    assert pair_of(result).p_adjusted == 1 / 200


# Equivalence


def test_equivalence_has_the_p_value_of_two_one_sided_tests() -> None:
    scores = noisy_scores(0.05, n=80)
    pair = pair_of(compare(scores, baseline="A", margin=0.25, test="t", rng=1))
    d = scores.systems["B"][0] - scores.systems["A"][0]
    below = stats.ttest_1samp(d, 0.25, alternative="less").pvalue
    above = stats.ttest_1samp(d, -0.25, alternative="greater").pvalue
    assert pair.p_equivalence == pytest.approx(max(below, above), rel=1e-6)


def test_by_swaps_a_margin_is_tested_as_zero_is() -> None:
    """p against a margin is half the p of «no difference» after moving one system by it."""
    scores = noisy_scores(0.3, n=12)
    moved = Scores.build({"A": scores.systems["A"], "B": scores.systems["B"] + 0.4})
    swaps: dict[str, Any] = {"baseline": "A", "test": "randomization", "rng": 1}
    pair = pair_of(compare(scores, claim="non-inferior", margin=0.4, **swaps))
    zero = pair_of(compare(moved, **swaps))
    assert pair.p_value == zero.p_value / 2
    assert 1 / 2**12 < pair.p_value < 0.05


@pytest.mark.parametrize("correction", ["holm", "max-t", "none"])
def test_equivalence_is_corrected_by_holm_unless_nothing_is(correction: Any) -> None:
    """The joint null of max-T says nothing about margins, so Holm stands in for it."""
    scores = noisy_scores(0.05, 0.1, -0.1, n=80)
    options: dict[str, Any] = {"baseline": "A", "n_resamples": 99, "rng": 1, "margin": 0.2}
    result = compare(scores, correction=correction, **options)
    alone = compare(scores, correction="none", **options)
    raw = np.array([pair.p_equivalence for pair in alone.pairs])
    assert raw.min() < 0.05 < raw.max()
    wanted = raw if correction == "none" else holm(raw)
    assert [p.p_equivalence for p in result.pairs] == pytest.approx(wanted.tolist(), rel=1e-12)


def test_a_margin_serves_only_the_metric_that_it_names() -> None:
    result = compare(
        noisy_scores(0.01, n=200),
        METRICS,
        baseline="A",
        margin={"rms": 0.3},
        n_resamples=99,
        rng=1,
    )
    assert math.isnan(pair_of(result).p_equivalence)
    assert pair_of(result, metric="rms").verdict == "equivalent"
    assert result.margin == {"rms": 0.3}


# Random numbers


def test_a_generator_goes_on_where_the_caller_left_it() -> None:
    scores = noisy_scores(0.1)
    rng = np.random.default_rng(8)
    rng.spawn(2)
    mine = pair_of(compare(scores, baseline="A", n_resamples=99, rng=rng)).p_value
    other = np.random.default_rng(8)
    other.spawn(2)
    direct = randomization_test(
        (sample_of(scores, Mean()),), ((1, 0),), n_resamples=99, rng=other
    )
    assert mine == direct.p_values[0, 0]


def test_zero_is_a_seed_that_sacrebleu_takes() -> None:
    scores = noisy_scores(0.1)
    with pytest.warns(CompatibilityWarning):
        result = compare(scores, baseline="A", compat="sacrebleu", n_resamples=99, rng=0)
    assert result.signature.seed == "0"


@pytest.mark.parametrize("rng", [None, np.random.default_rng(1)], ids=["none", "generator"])
def test_sacrebleu_needs_a_seed_as_a_number(rng: Any) -> None:
    with (
        pytest.warns(CompatibilityWarning),
        pytest.raises(InputError, match=r"needs its seed; give `rng=12345`, its default\."),
    ):
        compare(noisy_scores(0.1), baseline="A", compat="sacrebleu", n_resamples=9, rng=rng)


# Scores in any unit


@pytest.mark.parametrize(("scale", "shift"), [(1e-13, 0.0), (1e13, 0.0), (1.0, 1e9)])
@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("correction", ["holm", "max-t"])
def test_p_does_not_depend_on_scale_and_shift(
    scale: float, shift: float, test: Any, correction: Any
) -> None:
    rng = np.random.default_rng(21)
    tables = {name: rng.integers(0, 40, 50) / 8 + 0.875 * i for i, name in enumerate("ABC")}
    settings: Any = {"baseline": "A", "test": test, "correction": correction, "rng": 3}
    plain, moved = (
        compare(Scores.build(scores), n_resamples=499, **settings)
        for scores in (tables, {name: scale * table + shift for name, table in tables.items()})
    )
    rows = [[(r.p_value, r.p_adjusted) for r in one.pairs] for one in (plain, moved)]
    assert rows[0] == rows[1]
    assert rows[0][-1][0] < 0.1  # were everything a tie, p would be 1


@pytest.mark.parametrize("seed", range(4))
def test_one_pair_by_max_t_keeps_its_p_with_several_runs(seed: int) -> None:
    # The root of a mean square: the mean over runs is not the score of the pooled runs.
    scores = noisy_scores(0.1, runs=3, run_sd=0.6, level=0.5, seed=seed)
    settings: Any = {"metrics": (RootMeanSquare(),), "baseline": "A", "correction": "max-t"}
    settings["runs"] = "fixed"
    (found,) = compare(scores, n_resamples=999, rng=1, **settings).pairs
    assert found.p_adjusted == found.p_value


def test_a_level_below_rounding_ends() -> None:
    found = pair_of(
        compare(noisy_scores(0.1), baseline="A", alpha=1e-16, n_resamples=99, rng=1)
    )
    # 99 swaps cannot reach such a level: nothing is promised, and the sentence says why.
    assert math.isnan(found.mde)
    assert found.attainable_p == 0.01
    by_t = compare(noisy_scores(0.1), baseline="A", test="t", alpha=1e-16, rng=1)
    assert math.isfinite(pair_of(by_t).mde)
    # The interval is that of the same level, from its lower tail: 1 − α/2 is 1 in floating point.
    low, high = pair_of(by_t).interval.low, pair_of(by_t).interval.high
    assert high - low == pytest.approx(
        -2.0
        * pair_of(by_t).standard_error
        * float(special.stdtrit(pair_of(by_t).df, 0.5 * 2**-53)),
        rel=1e-9,
    )


def test_progress_is_told_of_every_step() -> None:
    seen: list[str] = []

    def note(step: str, done: int, total: int | None) -> None:
        if done == 0:
            seen.append(step)

    compare(noisy_scores(0.1), interval="bca", n_resamples=99, rng=1, progress=note)
    assert seen == ["mean", "bootstrap", "approximate randomization"]


# Runs


@pytest.mark.parametrize(
    ("tables", "named"),
    [
        ({"A": (1, 9), "B": (2, 9)}, "A has one run"),
        ({"A": (2, 9), "B": (1, 9), "C": (1, 9)}, "B, C have one run"),
    ],
    ids=["one", "two"],
)
def test_random_runs_name_the_systems_with_a_single_run(
    tables: dict[str, tuple[int, int]], named: str
) -> None:
    """They are given the run variance of the others, and the note says so."""
    rng = np.random.default_rng(1)
    scores = Scores.build({name: rng.normal(size=shape) for name, shape in tables.items()})
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        result = compare(scores, runs="random", rng=1)
    assert result.runs == "random"
    [note] = [note for note in result.notes if named in note]
    assert note.endswith("for new runs, the mean run variance of the others is assumed.")


def test_two_runs_are_enough_for_random_runs() -> None:
    case = Case("auto", runs="random", n_runs=2)
    assert pair_of(_compared(case)).p_value == _expected(case).p_values[0, 0]


def test_random_runs_draw_no_random_numbers() -> None:
    scores = noisy_scores(0.1, runs=2)
    answers = [
        pair_of(compare(scores, baseline="A", runs="random", rng=seed)) for seed in (1, SEED)
    ]
    # Those of the runs at hand are swapped, and drawn.
    assert answers[0].these_runs is not None
    assert repr(replace(answers[0], these_runs=None)) == repr(
        replace(answers[1], these_runs=None)
    )


def test_the_number_of_resamples_bounds_the_p_value() -> None:
    pair = pair_of(compare(noisy_scores(5.0), baseline="A", n_resamples=RESAMPLES, rng=1))
    assert pair.p_value == 1 / (RESAMPLES + 1)


# --- Scores of 0 and 1 through `compare`: score intervals, margins, clusters, the ends of the scale ---

QUICK: dict[str, Any] = {"baseline": "A", "rng": 1, "n_examples": 0}


def _gold(name: str) -> list[dict[str, Any]]:
    path = reference_data("gold", "small_samples.json")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[name]["rows"]
    return rows


def _table(both: int, fixed: int, broken: int, neither: int) -> Scores:
    """Return answers of B and A: both right, only B, only A, none."""
    ours = [1] * both + [1] * fixed + [0] * broken + [0] * neither
    theirs = [1] * both + [0] * fixed + [1] * broken + [0] * neither
    return Scores.build({"A": theirs, "B": ours})


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore:systems 'A' and 'B' have identical scores")
def test_paired_tables_have_the_score_interval_and_the_p_values_of_r() -> None:
    used = 0
    for row in _gold("paired_2x2"):
        counts = row["a"], row["b"], row["c"], row["d"]
        if sum(counts) < 2:
            continue
        with_margin: dict[str, Any] = {"claim": "non-inferior", "margin": 0.05, **QUICK}
        pair = pair_of(compare(_table(*counts), **with_margin), metric="accuracy")
        wanted, n = row["margin0.05"]["p_noninferior"], sum(counts)
        low, high = row["tango90_contingencytables"]
        within = row["margin0.1"]["p_equivalent"]
        if row["b"] == row["c"] == 0:  # the rule of three is larger, or takes its place
            wanted, within = max(wanted, math.exp(-0.05 * n)), max(within, math.exp(-0.1 * n))
            three = min(-math.log(0.05) / n, 1.0)
            low, high = min(low, -three), max(high, three)
        assert pair.p_value == pytest.approx(wanted, rel=1e-8, abs=1e-14)
        assert pair.interval.to_json() == pytest.approx([low, high], abs=2e-7)
        equivalent = pair_of(
            compare(_table(*counts), claim="equivalent", margin=0.1, **QUICK), metric="accuracy"
        )
        assert equivalent.p_value == pytest.approx(within, rel=1e-8, abs=1e-14)
        used += 1
    assert used >= 5


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore:systems 'A' and 'B' have identical scores")
def test_the_difference_from_zero_stays_with_the_swaps_and_moves_the_interval() -> None:
    """The swap test is exact McNemar; 0 is in the interval if and only if it is not rejected."""
    moved = 0
    for row in _gold("paired_2x2"):
        counts = row["a"], row["b"], row["c"], row["d"]
        if sum(counts) < 7:
            continue
        pair = pair_of(compare(_table(*counts), **QUICK), metric="accuracy")
        low, high = row["tango95_contingencytables"]
        p = row["mcnemar_exact_p"]
        if p > 0.05 and not low <= 0.0 <= high:
            low, high = min(low, 0.0), max(high, 0.0)
            moved += 1
        error = 0.0 if sum(counts) <= 15 else 4 * math.sqrt(p * (1 - p) / 9_999)
        assert pair.p_value == pytest.approx(p, abs=error + 1e-4)
        assert pair.interval.to_json() == pytest.approx([low, high], abs=2e-7)
    assert moved >= 1


def _clustered(row: dict[str, Any]) -> Scores:
    ours: list[int] = []
    theirs: list[int] = []
    documents: list[str] = []
    for g, (n, b, c) in enumerate(zip(row["n"], row["b"], row["c"], strict=True)):
        ours += [1] * b + [0] * c + [1] * (n - b - c)
        theirs += [0] * b + [1] * c + [1] * (n - b - c)
        documents += [f"d{g:03d}"] * n
    return Scores.build({"A": theirs, "B": ours}, documents=documents)


@pytest.mark.golden
@pytest.mark.filterwarnings("ignore:systems 'A' and 'B' have identical scores")
def test_clusters_have_the_design_effect_of_r() -> None:
    for row in _gold("clustered_2x2"):
        scores = _clustered(row)
        for margin in (0.05, 0.1):
            pair = pair_of(
                compare(scores, claim="non-inferior", margin=margin, **QUICK), metric="accuracy"
            )
            assert pair.difference == pytest.approx(row["difference"], abs=1e-12)
            wanted = row[f"p_noninferior_{margin:g}"]
            low, high = row["interval90"]
            if not any(row["b"]) and not any(row["c"]):  # the rule of three
                groups = len(row["n"])
                wanted = max(wanted, math.exp(-groups * margin))
                three = min(-math.log(0.05) / groups, 1.0)
                low, high = min(low, -three), max(high, three)
            assert pair.p_value == pytest.approx(wanted, rel=1e-8)
            assert pair.interval.to_json() == pytest.approx([low, high], rel=1e-7)


def test_answers_that_never_differ_have_an_interval_with_a_width() -> None:
    with pytest.warns(SuspiciousDataWarning, match="identical"):
        pair = pair_of(compare(_table(40, 0, 0, 10), margin=0.2, **QUICK), metric="accuracy")
    three = -math.log(0.05) / 50  # wider than the score interval, ±z²/(50 + z²)
    assert pair.verdict == "equivalent"
    assert pair.interval.to_json() == pytest.approx([-three, three], rel=1e-9)


def _runs(rng: np.random.Generator, runs: int, n: int = 30) -> FloatArray:
    return (rng.random((runs, n)) < 0.8).astype(np.float64)


def test_equally_many_runs_are_clusters_of_their_question() -> None:
    rng = np.random.default_rng(1)
    ours, theirs = _runs(rng, 3), _runs(rng, 3)
    pair = pair_of(
        compare(
            Scores.build({"A": theirs, "B": ours}),
            claim="equivalent",
            margin=0.3,
            runs="fixed",
            **QUICK,
        ),
        metric="accuracy",
    )
    clusters = np.tile(np.arange(30), (3, 1))
    shares = PairedShares.of_differences((ours - theirs).ravel(), clusters.ravel())
    assert pair.p_value == pytest.approx(shares.equivalence_p(0.3), rel=1e-12)


def test_different_numbers_of_runs_are_set_against_each_other_run_by_run() -> None:
    rng = np.random.default_rng(2)
    ours, theirs = _runs(rng, 3), _runs(rng, 2)
    with pytest.warns(SuspiciousDataWarning, match="different numbers of runs"):
        result = compare(
            Scores.build({"A": theirs, "B": ours}),
            claim="equivalent",
            margin=0.3,
            runs="fixed",
            **QUICK,
        )
    pair = pair_of(result, metric="accuracy")
    apart = np.array([a - b for a in ours for b in theirs])
    clusters = np.tile(np.arange(30), (6, 1))
    shares = PairedShares.of_differences(apart.ravel(), clusters.ravel())
    assert shares.value == pytest.approx(pair.difference, abs=1e-12)
    assert pair.p_value == pytest.approx(shares.equivalence_p(0.3), rel=1e-12)
    assert shares.df == 29.0


@pytest.mark.parametrize(
    "options", [{"test": "t", "interval": "delta"}, {"runs": "random"}, {"test": "t"}], ids=str
)
def test_differences_of_shares_end_at_one(options: dict[str, Any]) -> None:
    """Three questions, two runs: by t alone the interval of new runs reaches far beyond."""
    scores = Scores.build(
        {"A": [[0, 0, 0], [0, 1, 0]], "B": [[1, 1, 0], [1, 1, 1]]},
    )
    pair = pair_of(compare(scores, **options, **QUICK), metric="accuracy")
    assert pair.difference > 0.5
    for interval in (pair.interval, pair.interval_alone):
        assert -1.0 <= interval.low < interval.high <= 1.0
    assert pair.new_runs is not None
    assert pair.new_runs.interval.high == 1.0


def test_shares_of_one_system_stay_between_zero_and_one() -> None:
    scores = Scores.build(
        {"A": [[1, 1, 1, 1], [1, 1, 1, 1]], "B": [[1, 0, 1, 1], [0, 1, 1, 1]]}
    )
    for row in compare(scores, **QUICK).systems:
        assert 0.0 <= row.interval.low < row.interval.high <= 1.0


def test_other_scores_may_come_after_those_of_zero_and_one() -> None:
    """In one family, Holm multiplies by the tests that are left: four of them have no smallest p.

    By the score rule no test has one; by swaps those of other scores do.
    """
    rng = np.random.default_rng(3)
    base = rng.random(8) < 0.5
    scores = Scores.build(
        {name: (base ^ (rng.random(8) < 0.2)).astype(float) for name in "ABC"}
    )
    options: dict[str, Any] = {"claim": "non-inferior", "rng": 1, "n_examples": 0}
    by_score = compare(scores, "mean-error", margin=0.9, **options)
    assert {pair.attainable_p for pair in by_score.pairs} == {0.0}
    options["test"] = "randomization"
    result = compare(
        scores,
        ("accuracy", "mean-error"),
        family="systems-and-metrics",
        margin={"accuracy": 0.3, "mean-error": 0.9},
        **options,
    )
    found = {pair.metric: pair.attainable_p for pair in result.pairs}
    assert found == {"accuracy": 0.0, "mean-error": pytest.approx(3 * 0.5 / 128)}
    alone = compare(scores, "mean-error", margin=0.9, **options)
    assert {pair.attainable_p for pair in alone.pairs} == {3 * 0.5 / 128}


def _answers(n: int, fixed: int, broken: int, n_systems: int = 2) -> Scores:
    """Return answers of equal systems that differ from the first on as many items each."""
    baseline = np.ones(n)
    baseline[:fixed] = 0.0
    system = np.ones(n)
    system[fixed : fixed + broken] = 0.0
    others = {f"S{i}": np.roll(system, i) for i in range(1, n_systems)}
    return Scores.build({"A": baseline, **others})


def test_the_detectable_difference_is_that_of_the_exact_test() -> None:
    pair = compare(_answers(100, 3, 2), rng=1).pairs[0]
    assert pair.mde == detectable_share(100, 5, level=0.05, power=0.8)
    assert pair.mde > 0.05  # five discordant items, all of them won, would not do
    half = compare(_answers(100, 3, 2), rng=1, power=0.5, alpha=0.1).pairs[0]
    assert half.mde == detectable_share(100, 5, level=0.1, power=0.5)


def test_max_t_finds_by_the_largest_statistic() -> None:
    result = compare(_answers(200, 9, 11, n_systems=4), rng=1, correction="max-t")
    level = compare(_answers(200, 9, 11, n_systems=4), rng=1, correction="holm").pairs
    for pair, strict in zip(result.pairs, level, strict=True):
        assert math.isfinite(pair.mde)
        assert pair.mde <= strict.mde * 1.02  # max-T is never much stricter than Holm


@pytest.mark.parametrize("n_systems", [2, 4])
def test_answers_in_documents_go_by_their_spread_if_they_differ(n_systems: int) -> None:
    rng = np.random.default_rng(2)
    answers = {name: rng.integers(2, size=120) for name in "ABCD"[:n_systems]}
    documents = [str(i // 4) for i in range(120)]
    result = compare(Scores.build(answers, documents=documents), rng=1)
    for pair in result.pairs:
        d = answers[pair.system] - answers[pair.baseline]
        discordance = float(np.abs(d).mean())
        # The variance of an answer is q at a difference of 0 and q − δ² at δ: solved by hand.
        error = pair.standard_error * (29.0 / 28.33613) ** 0.5  # χ²₂₉(½)
        falls = (discordance - pair.mde**2) / (discordance - pair.difference**2)
        shift = pair.mde / (error * falls**0.5)
        if n_systems == 2:
            assert shift == pytest.approx(swap_shift(30, level=0.05, power=0.8), rel=1e-5)
        else:  # of all pairs together, more
            assert 1.1 < shift / swap_shift(30, level=0.05, power=0.8) < 1.35


def test_answers_in_documents_need_documents_that_differ() -> None:
    """Four documents of 20 differ, each as a whole: six must, and all for one system."""
    whole = np.zeros((20, 5), dtype=int)
    whole[[0, 1]], theirs = 1, np.zeros((20, 5), dtype=int)
    theirs[[2, 3]] = 1
    data = {"A": theirs.ravel(), "B": whole.ravel()}
    documents = [str(i // 5) for i in range(100)]
    pair = compare(Scores.build(data, documents=documents), rng=1).pairs[0]
    # P(at least 6 of 20) = .8 at a chance of .3654 each (scipy's binomial).
    assert binom.sf(5, 20, pair.mde) == pytest.approx(0.8, abs=1e-6)


def test_a_test_that_can_find_nothing_promises_nothing() -> None:
    stuck = compare(_answers(5, 2, 1), rng=1, test="randomization").pairs[0]
    assert math.isnan(stuck.mde)


# Mostly tied scores


def test_ties_have_the_detectable_difference_of_the_items_that_differ() -> None:
    apart = np.zeros(40)
    apart[:8] = [1, 1, 1, 1, 1, -1, -1, -1]
    scores = Scores.build({"A": np.full(40, 3.0), "B": 3.0 + apart})
    [pair] = compare(scores, baseline="A", rng=1).pairs
    assert (pair.n_differing, pair.attainable_p) == (8, 2.0**-7)
    # Of the sign test; standard error times shift said .206, and .122 of the three below.
    assert pair.mde == pytest.approx(0.195016368, abs=1e-6)
    apart[3:8] = 0.0
    few = Scores.build({"A": np.full(40, 3.0), "B": 3.0 + apart})
    result = compare(few, baseline="A", rng=1)
    assert result.pairs[0].attainable_p == 0.25
    assert result.pairs[0].mde == pytest.approx(0.1905, abs=1e-3)
    assert "Only 3 of 40 items differ; the smallest possible p is .25." in result.summary()
    assert "cannot reject" not in result.summary()


def test_the_detectable_difference_of_ties_does_not_hang_on_the_seed() -> None:
    apart = np.zeros(100)
    apart[:20] = np.tile([1, -1, 2, -2, 1, -5, 1, 1, -1, 2], 2)
    scores = Scores.build({"A": np.full(100, 3.0), "B": 3.0 + apart})
    found = {compare(scores, baseline="A", rng=seed).pairs[0].mde for seed in range(3)}
    assert len(found) == 1


# McNemar's exact test


def _counted(fixed: int, broken: int, n: int) -> Scores:
    old, new = np.ones(n), np.ones(n)
    old[:fixed], new[fixed : fixed + broken] = 0.0, 0.0
    return Scores.build({"old": old, "new": new})


@pytest.mark.golden
@pytest.mark.parametrize("counts", [(57, 37, 1000), (56, 37, 1000), (10, 2, 50)])
def test_answers_are_counted_and_not_drawn(counts: tuple[int, int, int]) -> None:
    row = repairs("mcnemar/{} vs {} of {}".format(*counts))
    found = [compare(_counted(*counts), baseline="old", rng=seed) for seed in range(4)]
    for result in found:
        [pair] = result.pairs
        assert pair.p_value == pair.p_adjusted == pytest.approx(row["p"], abs=1e-12)
        assert pair.interval.to_json() == pytest.approx(row["interval95"], abs=1e-6)
        assert (0.0 in pair.interval) == (pair.p_value > 0.05) == (pair.verdict == "undecided")
        assert (result.test, result.exact, result.n_resamples) == ("mcnemar", True, None)
        assert result.signature.seed is None
    assert len({json.dumps(one.to_dict()["pairs"]) for one in found}) == 1


@pytest.mark.golden
def test_answers_are_counted_beside_a_metric_that_is_drawn() -> None:
    row = repairs("mcnemar/57 vs 37 of 1000")
    options: dict[str, Any] = {"baseline": "old", "n_resamples": 99, "n_examples": 0}
    for seed in range(3):
        found = compare(_counted(57, 37, 1000), ("accuracy", "mean-error"), rng=seed, **options)
        [counted, drawn] = found.pairs
        assert (found.test, counted.metric, drawn.metric) == ("swap", "accuracy", "mean-error")
        assert counted.p_value == pytest.approx(row["p"], abs=1e-12)
        assert counted.interval.to_json() == pytest.approx(row["interval95"], abs=1e-6)
        assert counted.verdict == "better"
        assert 100.0 * drawn.p_value == pytest.approx(round(100.0 * drawn.p_value))  # 99 draws


def test_several_pairs_of_answers_are_corrected_by_holm_unless_max_t_is_asked_for() -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(0, 2, 80)
    systems = {"A": base}
    for name, share in (("B", 0.1), ("C", 0.2), ("D", 0.3)):
        systems[name] = np.where(rng.random(80) < share, 1 - base, base)
    scores = Scores.build(systems)
    counted = compare(scores, baseline="A", rng=1)
    raw = np.array([pair.p_value for pair in counted.pairs])
    assert (counted.test, counted.correction) == ("mcnemar", "holm")
    assert [pair.p_adjusted for pair in counted.pairs] == pytest.approx(holm(raw).tolist())
    for pair in counted.pairs:
        apart = systems[pair.system] - base
        assert pair.p_value == pytest.approx(
            stats.binomtest(int((apart > 0).sum()), int((apart != 0).sum())).pvalue
        )
    swapped = compare(scores, baseline="A", correction="max-t", n_resamples=999, rng=1)
    assert (swapped.test, swapped.correction, swapped.n_resamples) == ("swap", "max-t", 999)
    # Six items and fewer are counted as well: t would take 0/1 scores for normal ones.
    assert compare(_counted(6, 0, 6), baseline="old", rng=1).pairs[0].p_value == 2.0**-5


def test_answers_that_depend_on_each_other_are_swapped() -> None:
    rng = np.random.default_rng(6)
    tables = {name: rng.integers(0, 2, 60) for name in "AB"}
    documents = [str(i // 4) for i in range(60)]
    clustered = compare(Scores.build(tables, documents=documents), rng=1)
    runs = {name: rng.integers(0, 2, (2, 60)) for name in "AB"}
    several = compare(Scores.build(runs), runs="fixed", rng=1, n_resamples=99)
    assert {clustered.test, several.test} == {"swap"}


# Differences that grow with document size


def _growing(slope: float, seed: int, n_documents: int = 30) -> Scores:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, n_documents)
    document = np.repeat(np.arange(n_documents), sizes)
    apart = slope * (np.log(sizes) - 2.8)[document] + rng.normal(0.0, 0.5, document.size)
    base = rng.normal(50.0, 5.0, document.size)
    return Scores.build(
        {"old": base, "new": base + apart}, documents=[f"d{i:02}" for i in document]
    )


def test_differences_that_grow_with_documents_are_tested_by_the_score_statistic() -> None:
    scores = _growing(0.8, 3)
    found = [compare(scores, "mean", baseline="old", rng=seed) for seed in (1, 2)]
    apart = (scores.systems["new"] - scores.systems["old"])[0]
    codes = np.array([int(name[1:]) for name in scores.documents or ()])
    sizes = np.bincount(codes) / apart.size
    known = MarginScore.of_units(np.bincount(codes, apart) / apart.size, sizes)
    for result in found:
        [pair] = result.pairs
        assert pair.p_value == pytest.approx(dense_p(known), rel=1e-9)
        assert pair.interval.to_json() == pytest.approx(
            known.interval(0.025).to_json(), rel=1e-9
        )
        assert (0.0 in pair.interval) == (pair.p_adjusted > 0.05)
        [note] = [one for one in result.notes if "with document size" in one]
        assert note.startswith(
            "The difference new − old (mean) grows with document size (p < .0001)"
        )
        assert "Mean over documents: " in note
    plain = compare(_growing(0.0, 3), "mean", baseline="old", rng=1)
    assert not any("document size" in note for note in plain.notes)
    few = compare(_growing(0.8, 4, n_documents=10), "mean", baseline="old", rng=1)
    assert any("With 10 documents it still errs in up to 15 %" in note for note in few.notes)
