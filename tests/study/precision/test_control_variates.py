"""Systems compared with a metric at hand: matching, pairing, documents, words."""

import csv
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.result import Signature
from detectable.data.human.judgments import Judgments
from detectable.data.scores.scores import Scores
from detectable.inference.control_variate import control_variate
from detectable.inference.multiplicity import holm
from detectable.inference.standard_errors import Estimate
from detectable.study.precision.control_variate_result import (
    AdjustedDifference,
    ControlVariates,
    data_efficiency,
    observed_data_efficiency,
    within_system_correlation,
)
from detectable.study.precision.control_variates import (
    _true,
    check_share,
    control_variates,
    finite_note,
    rater_noise,
    require_error,
)
from tests.gold_evals import evals
from tests.helpers import reference_data

ITEMS = 300


def setting(
    *,
    seed: int = 1,
    same_items: bool = True,
    documents: bool = False,
    judged: int = 100,
    effect: float | None = 4.0,
) -> tuple[Judgments, Scores]:
    """Return two systems, some of whose items are judged, and a good metric of all.

    Without an effect (None) the systems are equal on these items, not only on all like them.
    """
    rng = np.random.default_rng(seed)
    easy = rng.normal(0, 8, ITEMS)
    own = rng.normal(0, 6, (2, ITEMS))
    if effect is None:
        own -= own.mean(axis=1, keepdims=True)
        effect = 0.0
    truth = {"A": 60 + effect + easy + own[0], "B": 60 + easy + own[1]}
    metric = {name: (q + rng.normal(0, 5, ITEMS) - 60) / 100 for name, q in truth.items()}
    columns: dict[str, list[Any]] = {"system": [], "item": [], "score": []}
    chosen = rng.permutation(ITEMS)
    for k, (name, quality) in enumerate(truth.items()):
        items = chosen[:judged] if same_items else chosen[k * judged : (k + 1) * judged]
        columns["system"] += [name] * judged
        columns["item"] += [f"i{i}" for i in items]
        columns["score"] += (quality[items] + rng.normal(0, 8, judged)).tolist()
    names = [f"i{i}" for i in range(ITEMS)]
    of = [f"d{i // 10}" for i in range(ITEMS)] if documents else None
    scores = Scores.build(metric, items=names, documents=of, metric="COMET")
    return Judgments.build(columns, scale=(-100, 200)), scores


def test_a_pair_on_shared_items_is_a_control_variate_of_differences() -> None:
    judgments, scores = setting()
    found = control_variates(judgments, scores, baseline="B")
    (pair,) = found.pairs
    human = {name: np.full(ITEMS, np.nan) for name in ("A", "B")}
    for row in range(judgments.n_judgments):
        place = scores.items.index(judgments.item.label(row))
        human[judgments.system.label(row)][place] = judgments.score[row]
    metric = scores.systems["A"][0] - scores.systems["B"][0]
    want = control_variate(human["A"] - human["B"], metric)
    assert pair.paired
    assert pair.estimate == pytest.approx(want.adjusted.value)
    assert pair.standard_error == pytest.approx(want.adjusted.standard_error)
    assert pair.plain_estimate == pytest.approx(np.nanmean(human["A"] - human["B"]))
    assert (pair.verdict, pair.n_items) == ("better", 100)
    first = control_variate(human["A"], scores.systems["A"][0])
    assert found.systems[0].mean == pytest.approx(first.adjusted.value)
    assert 0.0 < found.systems[0].saved < 1.0
    # Without the metric the intervals are the classical ones, of differences and of scores.
    for values, interval in (
        (human["A"] - human["B"], found.plain_interval(pair)),
        (human["A"], found.systems[0].plain_interval),
    ):
        sample = values[~np.isnan(values)]
        classical = stats.t.interval(0.95, 99, sample.mean(), stats.sem(sample))
        assert (interval.low, interval.high) == pytest.approx(classical)
    assert found.data_efficiency == pytest.approx(1 / (1 - found.correlation**2))


def test_items_that_are_not_shared_are_compared_as_two_means() -> None:
    judgments, scores = setting(same_items=False)
    found = control_variates(judgments, scores)
    (pair,) = found.pairs
    assert (pair.paired, math.isnan(pair.correlation)) == (False, True)
    assert pair.estimate == pytest.approx(found.systems[0].mean - found.systems[1].mean)
    errors = [row.standard_error**2 for row in found.systems]
    # The pool's error is shared by both systems and cancels for the larger part.
    assert pair.standard_error**2 < 1.05 * sum(errors)
    assert any("saves far more than a metric does" in note for note in found.notes)


def test_documents_count_as_units() -> None:
    judgments, scores = setting(documents=True)
    found = control_variates(judgments, scores)
    assert found.unit == "document"
    assert found.pairs[0].df < 30
    plain, _ = setting()
    assert control_variates(plain, scores.complete()).pairs[0].df < 30


def test_documents_of_the_judgments_are_used_where_the_metric_names_none() -> None:
    judgments, scores = setting()
    columns = judgments.to_columns()
    columns["document"] = [f"d{int(name[1:]) // 10}" for name in columns["item"]]
    found = control_variates(Judgments.build(columns, scale=(-100, 200)), scores)
    assert found.unit == "document"
    assert any("each counts as a document of its own" in note for note in found.notes)


def test_items_are_matched_by_document_and_name_where_names_repeat() -> None:
    columns = {
        "system": ["A"] * 6,
        "document": ["x", "x", "x", "y", "y", "y"],
        "item": [1, 2, 3, 1, 2, 3],
        "score": [10, 20, 35, 40, 50, 62],
    }
    scores = Scores.build(
        {"A": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]},
        items=["1", "2", "3", "1", "2", "3"],
        documents=["x", "x", "x", "y", "y", "y"],
    )
    found = control_variates(Judgments.build(columns), scores)
    assert found.systems[0].n_items == 6


def test_what_has_no_metric_score_is_named_and_counted() -> None:
    judgments, scores = setting()
    table = {
        name: {item: float(v) for item, v in zip(scores.items, values[0], strict=True)}
        for name, values in scores.systems.items()
    }
    lost = judgments.item.levels[0]
    del table["A"][lost]
    columns = judgments.to_columns()
    columns = {role: [*values, *values[:1]] for role, values in columns.items()}
    columns["system"][-1] = "C"
    found = control_variates(Judgments.build(columns, scale=(-100, 200)), table)
    assert any("1 judged translation left out" in n and f"A {lost}" in n for n in found.notes)
    assert any("without metric scores: C" in note for note in found.notes)
    assert found.systems[0].n_pool == ITEMS - 1
    assert found.pairs[0].n_items == 99


def test_noise_is_not_counted_twice() -> None:
    judgments, scores = setting()
    plain = control_variates(judgments, scores)
    found = control_variates(judgments, scores, quality_share=0.5)
    assert found.true_correlation == pytest.approx(plain.correlation / 0.5**0.5)
    assert found.true_data_efficiency == pytest.approx(plain.data_efficiency)
    assert found.pairs == plain.pairs
    assert any("not another gain" in note for note in found.notes)
    over = control_variates(judgments, scores, quality_share=0.05)
    assert over.true_correlation == 1.0
    assert any("cut to 1" in note for note in over.notes)


def test_words() -> None:
    judgments, scores = setting(seed=3)
    found = control_variates(judgments, scores)
    lines = found.summary().splitlines()
    assert lines[0].startswith("A is better than B: +")
    assert lines[-1].startswith("COMET saves ")
    noise = np.random.default_rng(1)
    useless = {
        name: {item: float(noise.normal()) for item in scores.items} for name in scores.systems
    }
    assert "saves no judgments" in control_variates(judgments, useless).summary()


def test_refusals() -> None:
    judgments, scores = setting()
    with pytest.raises(InputError, match="`baseline` must be one of A, B; got 'C'"):
        control_variates(judgments, scores, baseline="C")
    with pytest.raises(InputError, match="`quality_share` must lie above 0"):
        control_variates(judgments, scores, quality_share=0.0)
    with pytest.raises(InputError, match="must map every system to a mapping"):
        control_variates(judgments, {"A": [1, 2]})
    with pytest.raises(DataError, match="no judged system has metric scores"):
        control_variates(judgments, {"X": {"i1": 0.5}})
    with pytest.raises(DataError, match="no judged item has a metric score"):
        control_variates(judgments, {"A": {"other": 0.5}})
    with pytest.raises(DataError, match="no system has 3 judged items"):
        control_variates(judgments, {"A": {judgments.item.levels[0]: 0.5}})
    columns = {**judgments.to_columns()}
    columns["language"] = ["de-en", *["cs-en"] * (judgments.n_judgments - 1)]
    with pytest.raises(DataError, match="2 language pairs: de-en, cs-en"):
        control_variates(Judgments.build(columns, scale=(-100, 200)), scores)


def test_one_document_has_no_standard_error() -> None:
    judgments, scores = setting()
    columns = {**judgments.to_columns(), "document": ["d"] * judgments.n_judgments}
    with pytest.raises(DataError, match="lie in one document"):
        control_variates(Judgments.build(columns, scale=(-100, 200)), scores)


def test_a_test_set_that_was_judged_whole_is_known_up_to_its_raters() -> None:
    judgments, scores = setting(judged=ITEMS)
    found = control_variates(judgments, scores, target="test-set")
    (pair,) = found.pairs
    a, b = (np.array(judgments.score)[judgments.system.codes == s] for s in (0, 1))
    # The pool's mean of the metric is that of the judged items: only the residuals count.
    slope = {s: scores.systems[s][0] for s in ("A", "B")}
    items = [scores.items.index(judgments.item.levels[i]) for i in judgments.item.codes[:ITEMS]]
    metric = (slope["A"] - slope["B"])[items]
    residual = (a - b) - np.polyval(np.polyfit(metric, a - b, 1), metric)
    variance = float(residual @ residual) / (ITEMS - 2)
    assert pair.standard_error**2 == pytest.approx(variance / ITEMS)
    assert any("does not remove the noise of raters" in note for note in found.notes)
    # 64 of a variance of 64 + 36 + 64 is noise; in the difference, 128 is.
    known = control_variates(judgments, scores, target="test-set", quality_share=0.61)
    noise = 0.39 * (a.var(ddof=1) + b.var(ddof=1))
    assert known.pairs[0].standard_error ** 2 == pytest.approx(min(noise, variance) / ITEMS)
    assert any("quality (61% of the variance of a judgment)" in note for note in known.notes)
    with pytest.raises(DataError, match=r"A: the standard error is 0.*`quality_share` below 1"):
        control_variates(judgments, scores, target="test-set", quality_share=1.0)


def test_documents_touched_are_not_documents_known() -> None:
    """Before, this said «better, [x, x], p < .0001» of equal systems."""
    judgments, scores = setting(documents=True, judged=150, effect=0.0)
    codes = np.array([scores.items.index(name) for name in judgments.item.levels]) // 10
    assert np.unique(codes).size == ITEMS // 10
    for share in (None, 0.61, 1.0):
        found = control_variates(judgments, scores, target="test-set", quality_share=share)
        domain = control_variates(judgments, scores)
        assert found.pairs[0].standard_error > 0.8 * domain.pairs[0].standard_error
        assert found.pairs[0].verdict == "undecided"


def test_documents_that_may_not_be_whole_count_as_unknown() -> None:
    judgments, scores = setting()
    documents = [f"d{int(judgments.item.levels[i][1:]) // 10}" for i in judgments.item.codes]
    columns = {**judgments.to_columns(), "document": documents}
    known = Judgments.build(columns, scale=(-100, 200))
    free = control_variates(known, scores, target="test-set", quality_share=1.0)
    safe = control_variates(known, scores, target="test-set")
    assert free.pairs == safe.pairs
    assert any("nobody knows which documents were judged whole" in n for n in free.notes)


def test_different_items_of_a_test_set_leave_an_error() -> None:
    """Before, each half of the test set judged for one system left none."""
    judgments, scores = setting(same_items=False, judged=ITEMS // 2, effect=0.0)
    found = control_variates(judgments, scores, target="test-set", quality_share=1.0)
    domain = control_variates(judgments, scores)
    (pair,) = found.pairs
    assert not pair.paired
    assert pair.standard_error > 0.7 * domain.pairs[0].standard_error


def test_equal_scores_have_no_standard_error() -> None:
    judgments, scores = setting()
    columns = {**judgments.to_columns()}
    columns["score"] = [50.0] * judgments.n_judgments
    with pytest.raises(DataError, match=r"A: the standard error is 0.*all 100 judged scores"):
        control_variates(Judgments.build(columns, scale=(-100, 200)), scores)


@pytest.mark.slow
@pytest.mark.parametrize("judged", [30, 90, 150, 240])
def test_equal_systems_on_a_test_set_are_told_apart_at_the_nominal_rate(judged: int) -> None:
    """Their difference over the test set is 0. Before: .053, .103, .158 and .375."""
    trials, wrong = 1000, {None: 0, 0.61: 0}
    for seed in range(trials):
        judgments, scores = setting(seed=seed, judged=judged, effect=None)
        for share in wrong:
            found = control_variates(judgments, scores, target="test-set", quality_share=share)
            wrong[share] += found.pairs[0].p_value <= 0.05
    error = (0.05 * 0.95 / trials) ** 0.5
    assert wrong[None] / trials <= 0.05 + 3 * error
    assert wrong[0.61] / trials == pytest.approx(0.05, abs=3.5 * error)


def test_few_judged_items_of_a_system_are_left_out() -> None:
    judgments, scores = setting()
    rows = np.flatnonzero(judgments.system.codes == 0)[2:]
    kept = np.setdiff1d(np.arange(judgments.n_judgments), rows)
    found = control_variates(judgments.take(kept), scores)
    assert [row.system for row in found.systems] == ["B"]
    assert found.pairs == ()
    assert any("fewer than 3 judged items: A" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("same_items", [True, False])
def test_a_true_null_is_rejected_at_the_nominal_rate(same_items: bool) -> None:
    trials, hits = 2000, 0
    for seed in range(trials):
        judgments, scores = setting(seed=seed, same_items=same_items, judged=40, effect=0.0)
        hits += control_variates(judgments, scores).pairs[0].p_value <= 0.05
    assert hits / trials == pytest.approx(0.05, abs=3.5 * (0.05 * 0.95 / trials) ** 0.5)


def test_p_values_with_and_without_the_metric_are_corrected_alike() -> None:
    """Three systems make three pairs; a corrected p beside a plain one would flatter the metric."""
    judgments, scores = setting(effect=2.0)
    third = np.array(["C"] * 100)
    shift = np.random.default_rng(6).normal(1.0, 3.0, 100)
    columns = {
        "system": [*judgments.system.labels(), *third],
        "item": [*judgments.item.labels(), *judgments.item.labels()[:100]],
        "score": [*judgments.score, *(judgments.score[:100] + shift)],
    }
    runs = {name: runs[0] for name, runs in scores.systems.items()}
    more = Scores.build({**runs, "C": runs["A"] + 0.01}, items=scores.items, metric="COMET")
    found = control_variates(Judgments.build(columns, scale=(-100, 200)), more)
    plain = np.array([pair.plain_p_value for pair in found.pairs])
    corrected = [pair.plain_p_adjusted for pair in found.pairs]
    assert len(corrected) == 3
    assert corrected == pytest.approx(holm(plain).tolist())
    assert min(corrected) == pytest.approx(3 * min(plain))


@pytest.mark.golden
def test_documents_of_items_without_a_label_are_those_of_the_metric() -> None:
    """200 labels of 1,200 items in 240 documents, of which 144 have a label."""
    path = reference_data("data", "evals", "judge.csv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    labelled = [(s, row["item"], float(row[f"human_{s}"])) for row in rows for s in "AB"
                if row[f"human_{s}"]]  # fmt: skip
    names = ("system", "item", "score")
    columns = dict(zip(names, map(list, zip(*labelled, strict=True)), strict=True))
    judgments = Judgments.build(columns, scale=(0, 1))
    judge = {s: [float(row[f"judge_{s}"]) for row in rows] for s in "AB"}
    items, documents = ([row[key] for row in rows] for key in ("item", "document"))
    alone = control_variates(judgments, Scores.build(judge, items=items), baseline="A")
    known = control_variates(
        judgments, Scores.build(judge, items=items, documents=documents), baseline="A"
    )
    assert known.pairs[0].estimate == pytest.approx(evals("ppi.diff.cv"), rel=1e-6)
    assert known.pairs[0].standard_error == pytest.approx(
        evals("ppi.diff.cv_se_clustered"), rel=1e-6
    )
    assert known.pairs[0].df == 143.0
    assert known.pairs[0].standard_error == pytest.approx(
        evals("detectable.today.cv_documents")["should_be"], rel=1e-6
    )
    # As it was before: the documents of labels alone, and every other item one by itself.
    own = [d if row["human_A"] else row["item"] for d, row in zip(documents, rows, strict=True)]
    before = control_variates(
        judgments, Scores.build(judge, items=items, documents=own), baseline="A"
    )
    assert before.pairs[0].standard_error == pytest.approx(
        evals("detectable.today.cv_documents")["se"], rel=1e-6
    )
    assert alone.pairs[0].standard_error == pytest.approx(evals("ppi.diff.cv_se"), rel=1e-6)
    a, b = alone.systems
    for got, key in (
        (a.mean, "ppi.A.cv"), (a.slope, "ppi.A.cv_slope"), (a.standard_error, "ppi.A.cv_se"),
        (b.mean, "ppi.B.cv"), (b.slope, "ppi.B.cv_slope"), (b.standard_error, "ppi.B.cv_se"),
    ):  # fmt: skip
        assert got == pytest.approx(evals(key), rel=1e-6), key


@pytest.mark.slow
def test_intervals_cover_where_documents_matter_and_the_judge_is_good() -> None:
    """60 documents of 10 items, a fifth judged: .75 if unlabelled items stood alone."""
    rng, trials, documents, size = np.random.default_rng(9), 1000, 60, 10
    n = documents * size
    of = np.repeat(np.arange(documents), size)
    items = [f"i{i}" for i in range(n)]
    covered = {"known": 0, "alone": 0}
    for _ in range(trials):
        quality = 50 + rng.normal(0, 8, documents)[of] + rng.normal(0, 5, n)
        metric = quality + rng.normal(0, 2, n)
        judged = rng.choice(n, n // 5, replace=False)
        human = quality[judged] + rng.normal(0, 3, judged.size)
        judgments = Judgments.build(
            {
                "system": ["A"] * judged.size,
                "item": [items[i] for i in judged],
                "score": human.tolist(),
                "document": [f"d{of[i]}" for i in judged],
            },
            scale=(-100, 200),
        )
        for name, labels in (("known", [f"d{d}" for d in of]), ("alone", None)):
            scores = Scores.build({"A": metric}, items=items, documents=labels)
            interval = control_variates(judgments, scores).systems[0].interval
            covered[name] += interval.low <= 50.0 <= interval.high
    assert covered["known"] / trials >= 0.94 - 3 * math.sqrt(0.94 * 0.06 / trials)
    assert covered["known"] / trials == pytest.approx(
        0.95, abs=4 * math.sqrt(0.95 * 0.05 / trials)
    )
    assert covered["alone"] / trials < 0.85  # what the documents are for


def test_what_is_saved_is_that_of_the_pairs_where_there_are_any() -> None:
    judgments, metric = setting()
    both = control_variates(judgments, metric)
    [pair] = both.pairs
    ratio = pair.standard_error / pair.plain_standard_error
    assert both.saved == pytest.approx(1 - ratio**2)
    alone = control_variates(judgments.take(np.arange(100)), metric)
    [row] = alone.systems
    assert alone.saved == pytest.approx(
        1 - (row.standard_error / row.plain_standard_error) ** 2
    )
    assert alone.saved != pytest.approx(both.saved, rel=1e-3)


def test_a_correlation_with_quality_is_cut_beyond_1_and_not_at_it() -> None:
    at, efficiency, notes = _true(0.5, 0.25)
    assert (at, len(notes)) == (1.0, 1)
    assert efficiency == pytest.approx(data_efficiency(1.0, gamma=3.0))
    beyond, same, said = _true(-0.6, 0.25)
    assert (beyond, same) == (-1.0, efficiency)
    assert said[1].startswith("The metric would correlate with quality at −1.20, cut to −1:")
    assert all(math.isnan(x) for x in _true(0.5, None)[:2])


def test_several_metrics_have_one_correlation_within_systems() -> None:
    rng = np.random.default_rng(8)
    items = [f"i{i}" for i in range(120)]
    first, second = ({s: rng.normal(size=120) for s in "AB"} for _ in range(2))
    human = {s: first[s] + second[s] + rng.normal(size=120) + 9 * (s == "B") for s in "AB"}
    rows = [(s, items[i], human[s][i]) for s in "AB" for i in range(40)]
    columns = dict(
        zip(("system", "item", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )
    judgments = Judgments.build(columns, scale=(-99, 99))
    tables = [Scores.build(t, items=items) for t in (first, second)]
    found = control_variates(judgments, tables)
    y, x, z = (
        np.concatenate([t[s][:40] - t[s][:40].mean() for s in "AB"])
        for t in (human, first, second)
    )
    fitted = (
        np.column_stack([x, z]) @ np.linalg.lstsq(np.column_stack([x, z]), y, rcond=None)[0]
    )
    assert found.correlation == pytest.approx(np.sqrt((fitted @ fitted) / (y @ y)))
    one = control_variates(judgments, tables[0]).correlation
    assert one == pytest.approx((y @ x) / np.sqrt((y @ y) * (x @ x)))


# --- What is known of a test set that was judged in part ---

HUMAN = np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 8.0], [5.0, np.nan, np.nan]])


def test_noise_is_what_quality_leaves_of_the_variance() -> None:
    assert rater_noise(HUMAN, 0.25) == pytest.approx([0.75 * 2.0, 0.75 * 12.0, math.inf])
    assert rater_noise(HUMAN, 1.0)[:2] == [0.0, 0.0]
    assert rater_noise(HUMAN, None) == [math.inf] * 3


def test_the_note_says_what_counts_as_known() -> None:
    assert "quality (25% of the variance of a judgment) counts as known" in finite_note(0.25)
    assert "its share is not known here" in finite_note(None)
    assert "nobody knows which documents" in finite_note(0.25, whole_documents=False)


def test_a_share_is_above_0_and_at_most_1() -> None:
    assert (check_share(None), check_share(1.0)) == (None, 1.0)
    for share in (0.0, 1.01, math.nan):
        with pytest.raises(
            InputError, match="`quality_share` must lie above 0 and at most at 1"
        ):
            check_share(share)


def test_a_standard_error_of_0_is_refused() -> None:
    scores = np.array([1.0, 2.0, np.nan])
    require_error("A", Estimate(1.5, 1e-6, 1.0), scores)
    with pytest.raises(
        DataError, match=r"A − B: the standard error is 0.*`quality_share` below"
    ):
        require_error("A − B", Estimate(1.5, 1e-12, 1.0), scores)
    with pytest.raises(DataError, match=r"all 2 judged scores are 4\. Judge more items"):
        require_error("A", Estimate(4.0, 0.0, 1.0), np.array([4.0, np.nan, 4.0]))


# --- What control variates say of a pair, from a row made by hand ---

PAIR = AdjustedDifference(
    system="new",
    baseline="old",
    difference=3.59,
    standard_error=1.0,
    df=98.0,
    interval=Interval(1.58, 5.59, 0.95),
    p_value=0.0005,
    p_adjusted=0.001,
    verdict="better",
    plain_estimate=3.61,
    plain_standard_error=1.25,
    plain_p_value=0.0015,
    plain_p_adjusted=0.003,
    correlation=0.6,
    paired=True,
    n=100,
)


def said(pair: AdjustedDifference, saved: float = 0.36) -> list[str]:
    made = ControlVariates(
        metric="chrf",
        systems=(),
        pairs=(pair,),
        correlation=0.6,
        data_efficiency=1.5625,
        quality_share=None,
        true_correlation=0.6,
        true_data_efficiency=1.5625,
        saved=saved,
        target="domain",
        unit="item",
        alpha=0.05,
        notes=(),
        signature=Signature("control-variates", {}),
    )
    return made.summary().splitlines()


def test_the_sentence_of_a_pair() -> None:
    numbers = "+3.59 [+1.58, +5.59], p = .0010 (without the metric +3.61, p = .0030)."
    assert said(PAIR)[0] == f"new is better than old: {numbers}"
    assert said(replace(PAIR, verdict="worse"))[0] == f"new is worse than old: {numbers}"
    undecided = said(replace(PAIR, verdict="undecided"))
    assert undecided[0] == f"Undecided between new and old: {numbers}"


def test_what_the_metric_saves() -> None:
    assert PAIR.saved == 1.0 - 0.8**2
    assert said(PAIR)[-1] == (
        "chrf saves 36% of the judgments (correlation 0.60 within "
        "systems, data efficiency 1.56)."
    )
    assert said(PAIR, saved=0.004)[-1].startswith("chrf saves no judgments here (")


# --- What a metric is worth in judgments ---


@pytest.mark.golden
@pytest.mark.parametrize(("rho", "published"), [(1.0, 1.30), (0.5, 1.06), (0.2, 1.01)])
def test_table_3_of_wei_et_al(rho: float, published: float) -> None:
    found = data_efficiency(rho, gamma=(1 - 0.231) / 0.231)
    assert found == pytest.approx(published, abs=0.005)


@given(st.floats(-0.99, 0.99), st.floats(0.01, 50))
def test_both_forms_are_one_number(rho: float, gamma: float) -> None:
    seen = rho / (1 + gamma) ** 0.5
    assert observed_data_efficiency(seen) == pytest.approx(data_efficiency(rho, gamma=gamma))


def test_limits() -> None:
    assert data_efficiency(0.0, gamma=2.0) == 1.0
    assert data_efficiency(0.9, gamma=math.inf) == 1.0
    assert data_efficiency(1.0, gamma=0.0) == math.inf
    assert observed_data_efficiency(-1.0) == math.inf
    with pytest.raises(InputError, match="`correlation` must lie between -1 and 1"):
        data_efficiency(1.2, gamma=1.0)
    with pytest.raises(InputError, match="`gamma` must be at least 0"):
        data_efficiency(0.2, gamma=-1.0)


def test_correlation_is_taken_within_systems() -> None:
    rng = np.random.default_rng(1)
    metric = rng.normal(size=400)
    system = np.repeat(["A", "B"], 200)
    score = 50 + 3 * metric + rng.normal(0, 4, 400) + 30 * (system == "B")
    columns = {"system": system, "item": np.arange(400), "score": score}
    judgments = Judgments.build(columns, scale=(-100, 200))
    metric[:10] = np.nan
    found, n = within_system_correlation(judgments, metric)
    parts = [slice(10, 200), slice(200, 400)]
    x = np.concatenate([metric[p] - metric[p].mean() for p in parts])
    y = np.concatenate([score[p] - score[p].mean() for p in parts])
    assert found == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert n == 390
    with pytest.raises(InputError, match="one value for each of the 400 judgments"):
        within_system_correlation(judgments, metric[:5])
    with pytest.raises(DataError, match="no correlation"):
        within_system_correlation(judgments, np.full(400, np.nan))
