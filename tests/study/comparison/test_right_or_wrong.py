"""Scores of 0 and 1 through `compare`: score intervals, margins, clusters, the ends of the scale."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from detectable.core.errors import SuspiciousDataWarning
from detectable.core.types import FloatArray
from detectable.data.scores.scores import Scores
from detectable.inference.shares import PairedShares
from detectable.inference.swap_power import detectable_share, swap_shift
from detectable.study.comparison.compare import compare
from tests.helpers import reference_data
from tests.study.comparison.tables import pair_of

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
        wanted = row["margin0.05"]["p_noninferior"]
        assert pair.p_value == pytest.approx(wanted, rel=1e-8, abs=1e-14)
        # The interval at 1 − 2α, and that of a difference but for its agreement with the swaps.
        low, high = row["tango90_contingencytables"]
        shown = pair.verdict == "non-inferior"
        assert pair.interval.low == pytest.approx(low, abs=2e-7) or (low > -0.05) != shown
        assert pair.interval.high == pytest.approx(high, abs=2e-7)
        equivalent = pair_of(
            compare(_table(*counts), claim="equivalent", margin=0.1, **QUICK), metric="accuracy"
        )
        assert equivalent.p_value == pytest.approx(
            row["margin0.1"]["p_equivalent"], rel=1e-8, abs=1e-14
        )
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
            assert pair.p_value == pytest.approx(row[f"p_noninferior_{margin:g}"], rel=1e-8)
            low, high = row["interval90"]
            assert pair.interval.to_json() == pytest.approx([low, high], rel=1e-7)


def test_answers_that_never_differ_have_an_interval_with_a_width() -> None:
    with pytest.warns(SuspiciousDataWarning, match="identical"):
        pair = pair_of(compare(_table(40, 0, 0, 10), margin=0.2, **QUICK), metric="accuracy")
    z2 = 1.6448536269514722**2
    assert pair.verdict == "equivalent"
    assert pair.interval.to_json() == pytest.approx([-z2 / (50 + z2), z2 / (50 + z2)], rel=1e-9)


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
    """In one family, Holm multiplies by the tests that are left: four of them have no smallest p."""
    rng = np.random.default_rng(3)
    base = rng.random(8) < 0.5
    scores = Scores.build(
        {name: (base ^ (rng.random(8) < 0.2)).astype(float) for name in "ABC"}
    )
    options: dict[str, Any] = {"claim": "non-inferior", "rng": 1, "n_examples": 0}
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
    result = compare(_answers(200, 9, 11, n_systems=4), rng=1)
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
