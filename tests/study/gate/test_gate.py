"""The whole gate: outcomes, rows, what is refused."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from detectable.inference.margin_test import margin_test
from detectable.inference.multiplicity import holm
from detectable.report.shown.gate_words import details, headline
from detectable.study.comparison.compare import compare
from detectable.study.gate.baseline import (
    Baseline,
    accept_baseline,
    read_baseline,
    rewrite_baseline,
    with_kinds,
)
from detectable.study.gate.gate import gate, gate_signature
from detectable.study.gate.rows import few_notes
from tests.helpers import reference_data
from tests.report.results import gate_row
from tests.study.gate.data import answers, sampled


def test_the_reference_data_by_the_score_method() -> None:
    """data/evals/epochs.csv: the layout's case, and exit code 4."""
    scores = read_scores(reference_data("data", "evals", "epochs.csv"))
    found = gate(scores, "A", margin={"accuracy": 0.05})
    assert (found.outcome, found.exit_code) == ("inconclusive", 4)
    assert (found.system, found.baseline) == ("B", "A")
    rows = [
        (row.task, row.outcome, row.n_items, row.n_clusters, row.method) for row in found.rows
    ]
    assert rows == [
        ("math", "pass", 60, 60, "score"),
        ("reading", "inconclusive", 50, 10, "score"),
        ("code", "inconclusive", 20, 20, "score"),
    ]
    # Scores and differences of the page; intervals of Tango's method in clusters.
    for row, old, new, low, high, passable in zip(
        found.rows,
        (0.6291667, 0.74, 0.4625),
        (0.6875, 0.85, 0.45),
        (-0.00941, -0.06561, -0.17072),
        (0.12605, 0.28641, 0.14624),
        (0.10290, 0.26755, 0.23757),
        strict=True,
    ):
        assert (row.old, row.new) == pytest.approx((old, new), abs=1e-6)
        assert row.difference == pytest.approx(new - old, abs=1e-6)
        assert (row.interval.low, row.interval.high) == pytest.approx((low, high), abs=6e-6)
        assert row.interval.level == pytest.approx(0.9)
        assert row.margin_passable == pytest.approx(passable, abs=6e-6)
    assert [row.n_needed for row in found.rows] == [223, 335, 339]
    assert [(row.samples_old, row.samples_new) for row in found.rows] == [(4.0, 4.0)] * 3


def test_lost_samples_cost_no_question() -> None:
    """epochs_unbalanced.csv: 130 questions, and the difference of question means."""
    scores = read_scores(reference_data("data", "evals", "epochs_unbalanced.csv"))
    found = gate(scores, "A", margin=0.05)
    assert sum(row.n_items for row in found.rows) == 130
    weighted = sum(row.n_items * row.difference for row in found.rows) / 130
    assert weighted == pytest.approx(0.0602564, abs=1e-6)
    assert all(row.samples_new < 4.0 for row in found.rows)


def test_pairing_in_order_of_the_samples_says_nearly_the_same() -> None:
    """Sums keep no order: all pairs of answers are counted, and by order little differs."""
    from detectable.inference.shares import PairedShares

    scores = read_scores(reference_data("data", "evals", "epochs.csv"))
    for row in gate(scores, "A", margin=0.05).rows:
        part = scores.of_task(row.task)
        groups = np.unique(part.documents or (), return_inverse=True)[1]
        new, old = (part.systems[name].ravel() for name in ("B", "A"))
        ordered = PairedShares.of(new, old, np.tile(groups, 4)).interval(0.9)
        assert (row.interval.low, row.interval.high) == pytest.approx(
            (ordered.low, ordered.high), abs=0.001
        )


@pytest.mark.parametrize(
    ("scores", "outcome", "code"),
    [
        (answers(300, 3, 3), "pass", 0),
        (answers(300, 30, 3), "fail", 3),
        (answers(300, 14, 10), "inconclusive", 4),
        (answers(2000, 40, 15), "pass", 0),  # shown to be worse, and within the margin
    ],
)
def test_three_outcomes(scores: Scores, outcome: str, code: int) -> None:
    found = gate(scores, "old", margin=0.03)
    assert (found.outcome, found.exit_code) == (outcome, code)


def test_worse_but_within_the_margin_passes_and_says_so() -> None:
    found = gate(answers(2000, 40, 15), "old", margin=0.03)
    assert found.rows[0].interval.high < 0.0
    assert found.rows[0].is_within(found.alpha)
    assert details(found) == ("all is worse, though by less than the margin.",)
    assert headline(found) == "Gate: pass. new is not worse than old by more than 0.03."


@pytest.mark.parametrize(("as_", "code"), [(None, 4), ("pass", 0), ("fail", 3)])
def test_an_open_outcome_may_exit_otherwise(as_: Any, code: int) -> None:
    found = gate(answers(300, 14, 10), "old", margin=0.03, inconclusive=as_)
    assert (found.outcome, found.exit_code) == ("inconclusive", code)


def test_superiority() -> None:
    better = gate(answers(300, 2, 20), "old", rule="superiority")
    assert (better.outcome, better.margin) == ("pass", {})
    assert headline(better) == "Gate: pass. new is better than old."
    assert math.isnan(better.rows[0].margin_passable)
    assert better.rows[0].n_needed is None
    assert gate(answers(300, 9, 9), "old", rule="superiority").outcome == "inconclusive"
    assert gate(answers(300, 20, 2), "old", rule="superiority").outcome == "fail"


def test_no_regression() -> None:
    fine = gate(answers(1000, 10, 10), "old", rule="no-regression", margin=0.03)
    assert fine.outcome == "pass"
    assert fine.rows[0].margin_passable < 0.03
    assert headline(fine).endswith(
        "No loss of new against old was found, and one that matters would have been."
    )
    blind = gate(answers(100, 10, 10), "old", rule="no-regression", margin=0.03)
    assert blind.outcome == "inconclusive"
    assert blind.rows[0].margin_passable > 0.03
    assert "it would have seen a loss of 0.1" in details(blind)[0]
    assert gate(answers(300, 20, 2), "old", rule="no-regression", margin=0.1).outcome == "fail"


def test_other_scores_go_by_the_score_rule() -> None:
    rng = np.random.default_rng(1)
    old = rng.normal(30.0, 5.0, 200)
    new = old + rng.normal(0.0, 2.0, 200)
    scores = Scores.build({"old": old, "new": new}, metric="bleu")
    (row,) = gate(scores, "old", margin=1.0).rows
    d = new - old
    error = d.std(ddof=1) / math.sqrt(200)
    assert (row.method, row.kind, row.df) == ("score", "dense", 199.0)
    assert row.standard_error == pytest.approx(error)
    wanted = margin_test(new, old, margin=1.0)
    assert row.interval == wanted.limits
    assert row.p_margin == wanted.p_noninferior
    # Of so many scores it is close to that of t.
    assert row.interval.low == pytest.approx(d.mean() - 1.652547 * error, abs=0.01)


def test_a_loss_beyond_the_margin_fails_and_is_called_so() -> None:
    rng = np.random.default_rng(4)
    old = rng.normal(30.0, 5.0, 100)
    scores = Scores.build({"old": old, "new": old - 3.0 + rng.normal(0, 1, 100)}, metric="bleu")
    found = gate(scores, "old", margin=1.0)
    (row,) = found.rows
    assert (found.outcome, found.exit_code, row.is_inferior(0.05)) == ("fail", 3, True)
    assert row.interval.high < -1.0
    assert "the loss is shown to be larger than 1 (p < .0001)" in details(found)[0]
    near = Scores.build({"old": old, "new": old - 1.15 + rng.normal(0, 1, 100)}, metric="bleu")
    worse = gate(near, "old", margin=1.0)
    assert (worse.outcome, worse.rows[0].is_inferior(0.05)) == ("fail", False)
    assert "a loss is shown" in details(worse)[0]


def test_losses_beyond_the_margin_have_their_own_correction() -> None:
    rng = np.random.default_rng(5)
    tasks = [f"t{i // 40}" for i in range(160)]
    old = rng.normal(size=160)
    new = old - 0.6 + rng.normal(0, 1, 160)
    scores = Scores.build({"old": old, "new": new}, tasks=tasks, metric="bleu")
    rows = gate(scores, "old", margin=0.2).rows
    raw = [
        margin_test(new[i : i + 40], old[i : i + 40], margin=0.2).p_inferior
        for i in range(0, 160, 40)
    ]
    assert [row.p_inferior for row in rows] == pytest.approx(holm(np.array(raw)).tolist())


def test_sparse_scores_say_what_is_assumed() -> None:
    old = np.repeat([0.0, -1.0, -5.0], [200, 70, 30])
    new = old.copy()
    new[:3] -= 1.0
    plain = Scores.build(
        {"old": old, "new": new}, metric="penalty-points", lower_is_better=False
    )
    found = gate(plain, "old", margin=0.2)
    assert found.rows[0].kind == "sparse"
    assert any(
        "This assumes that no question loses more than 6.5 points (largest change seen: 1)" in n
        for n in found.notes
    )
    mqm = gate(replace(plain, metric="mqm"), "old", margin=0.23)
    assert mqm.rows[0].reach == 25.0
    assert any(
        "one loss can weigh 25 points (MQM). With no change at all, a margin of 0.23 needs 326 "
        "questions." in note
        for note in mqm.notes
    )
    told = gate(plain, "old", margin=0.2, largest_loss=3.0)
    assert told.rows[0].reach == 3.0
    same = gate(Scores.build({"old": old, "new": old}, metric="comet"), "old", margin=0.2)
    assert any("twice the range seen (5) was taken. --scale LOW" in note for note in same.notes)
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"scale": (-4.0, 0.0)}, "`scale` is -4:0, and old comet on all has -5 in row 271"),
        ({"scale": (-5.0, 0.0), "margin": 5.0}, "`margin` must be below 5, the length"),
        ({"largest_loss": 0.5}, "must be at least what some item lost, 1 in row 1; got 0.5"),
    )
    for options, message in refused:
        with pytest.raises(InputError, match=re.escape(message)):
            gate(replace(plain, metric="comet"), "old", **{"margin": 0.2, **options})


def test_a_baseline_keeps_the_kind_of_scores(tmp_path: Path) -> None:
    """One .5 more or less must not choose another test."""
    old = np.array([0.0, 1.0] * 40)
    first = Scores.build(
        {"old": old, "new": np.where(np.arange(80) == 3, 0.5, old)}, metric="f"
    )
    file = Baseline.of(first, "old", lower_is_better=())
    file = replace(file, tallies=(replace(file.tallies[0], zero_one=False),))
    found = gate(first, file, system="new", margin=0.1)
    assert found.rows[0].kind == "sparse"
    kept = with_kinds(file, found.rows)
    assert with_kinds(kept, found.rows) is kept
    path = tmp_path / "baseline.json"
    rewrite_baseline(path, kept)
    assert read_baseline(path).tallies[0].kinds == {"all": "sparse"}
    later = Scores.build(
        {"old": old, "new": np.where(np.arange(80) == 3, 0.0, old)}, metric="f"
    )
    again = gate(later, read_baseline(path), system="new", margin=0.1)
    assert again.rows[0].kind == "sparse"
    assert gate(later, file, system="new", margin=0.1).rows[0].kind == "two-valued"
    answers = replace(file, tallies=(replace(file.tallies[0], zero_one=True),))
    assert with_kinds(answers, found.rows) is answers  # these are two-valued whatever was found


def test_a_direction_of_scores_that_are_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"must name the metrics, accuracy; got 'score'"):
        gate(answers(100), "old", margin=0.1, lower_is_better=["score"])


def test_a_difference_is_new_minus_old_also_where_lower_is_better() -> None:
    rng = np.random.default_rng(2)
    old = rng.normal(30.0, 5.0, 200)
    scores = Scores.build({"old": old, "new": old + 3.0 + rng.normal(0, 1, 200)}, metric="ter")
    (row,) = gate(scores, "old", margin=1.0).rows
    assert (row.outcome, row.higher_is_better) == ("fail", False)
    assert row.difference == pytest.approx(row.new - row.old)
    assert 2.5 < row.interval.low < row.difference < row.interval.high
    compared = compare(scores, baseline="old", alpha=0.1, rng=1).pairs[0]
    assert row.difference == pytest.approx(compared.difference)
    same = Scores.build(dict(scores.systems), metric="glow")
    assert gate(same, "old", margin=1.0, higher_is_better=["glow"]).outcome == "pass"
    told = gate(same, "old", margin=1.0, lower_is_better=["glow"])
    assert told.rows[0].interval == row.interval


@pytest.mark.parametrize("values", [([0.0, 1.0], [0.0, 1.0]), ([0.1, 0.4], [0.2, 0.4])])
@pytest.mark.parametrize("name", ["words", "refusal", "steps", "score"])
def test_a_direction_that_nothing_tells_is_refused(
    name: str, values: tuple[list[float], list[float]], tmp_path: Path
) -> None:
    scores = Scores.build({"old": values[0] * 20, "new": values[1] * 20}, metric=name)
    said = rf"which way does {name} go.*`lower_is_better='{name}'` or `higher_is_better='"
    with pytest.raises(InputError, match=said):
        gate(scores, "old", margin=0.05)
    with pytest.raises(InputError, match=said):
        accept_baseline(scores, tmp_path / "b.json", system="old")
    assert gate(scores, "old", margin=0.5, lower_is_better=[name]).outcome == "pass"
    assert gate(scores, "old", margin=0.5, higher_is_better=[name]).outcome == "pass"
    with pytest.raises(InputError, match="must not name the same; got"):
        gate(scores, "old", margin=0.5, lower_is_better=[name], higher_is_better=[name.upper()])
    with pytest.raises(InputError, match="`higher_is_better` must name the metrics"):
        gate(scores, "old", margin=0.5, higher_is_better=["other"])


@pytest.mark.parametrize(
    "name", ["output_tokens", "cost_usd", "inference_runtime", "latencyMs"]
)
def test_what_answers_cost_is_known_to_go_down(name: str) -> None:
    rng = np.random.default_rng(4)
    old = rng.gamma(4.0, 10.0, 200)
    scores = Scores.build({"old": old, "new": old + rng.normal(5.0, 2.0, 200)}, metric=name)
    found = gate(scores, "old", margin=1.0)
    assert found.outcome == "fail"
    assert f"{name}: lower is better." in found.notes


def test_few_groups_never_pass() -> None:
    few = gate(answers(9), "old", margin=0.9)
    assert (few.outcome, few.rows[0].too_few) == ("inconclusive", True)
    assert details(few) == (
        "all is undecided: 9 questions are too few to pass; 10 are the least.",
    )
    assert gate(answers(10), "old", margin=0.9).outcome == "pass"
    grouped = answers(90, documents=[f"d{i % 9}" for i in range(90)])
    assert "9 groups are too few to pass" in details(gate(grouped, "old", margin=0.9))[0]
    # A fail needs no thirty groups.
    assert gate(answers(9, 9), "old", margin=0.5).outcome == "fail"


@pytest.mark.parametrize(("n", "warned"), [(29, True), (30, False)])
def test_below_thirty_groups_it_warns(n: int, warned: bool) -> None:
    found = gate(answers(n), "old", margin=0.9)
    assert any("Fewer than 30 independent groups" in said for said in found.notes) is warned


def test_rows_fail_by_holm_and_pass_uncorrected() -> None:
    scores = sampled(80, 2, shift=-0.1, tasks=("a", "b", "c", "d"))
    found = gate(scores, "old", margin=0.02)
    p_worse = np.array([row.p_worse for row in found.rows])
    assert [row.p_worse_adjusted for row in found.rows] == holm(p_worse).tolist()
    # A loss that is sure alone and not among four rows does not fail.
    open_ = [row for row in found.rows if row.p_worse <= 0.05 < row.p_worse_adjusted]
    assert open_
    assert {row.outcome for row in open_} == {"inconclusive"}


def test_watched_rows_are_shown_and_neither_decide_nor_cost() -> None:
    scores = sampled(80, 2, shift=-0.1, tasks=("a", "b", "c", "d"))
    found = gate(scores, "old", margin=0.02, watch_tasks=["b", "c", "d"])
    assert [row.watched for row in found.rows] == [False, True, True, True]
    assert [row.task for row in found.deciding] == ["a"]
    assert found.rows[0].p_worse_adjusted == found.rows[0].p_worse
    watched = np.array([row.p_worse for row in found.rows[1:]])
    assert [row.p_worse_adjusted for row in found.rows[1:]] == holm(watched).tolist()
    assert found.outcome == found.rows[0].outcome


def test_several_metrics() -> None:
    match = answers(300, 3, 3, metric="match")
    rng = np.random.default_rng(4)
    old = rng.normal(3.0, 1.0, 300)
    fluency = Scores.build(
        {"old": old, "new": old - 1.15 + rng.normal(0, 1, 300)}, metric="fluency"
    )
    both = gate([match, fluency], "old", margin={"match": 0.03, "fluency": 0.3})
    assert both.outcome == "fail"
    assert [row.name for row in both.rows] == ["all/match", "all/fluency"]
    assert headline(both) == "Gate: fail. new is worse than old on fluency."
    watched = gate([match, fluency], "old", margin={"match": 0.03}, watch=["fluency"])
    assert (watched.outcome, watched.rows[1].outcome) == ("pass", "fail")
    assert math.isnan(watched.rows[1].margin)
    assert watched.rows[1].n_needed is None


def test_a_baseline_file_says_the_same_as_scores(tmp_path: Path) -> None:
    scores = sampled(50, 3, tasks=("a", "b"))
    path = tmp_path / "baseline.json"
    accept_baseline(scores, path, system="old", commit="3f2c")
    by_file = gate(scores, path, margin=0.1, system="new")
    by_scores = gate(scores, "old", margin=0.1)
    for one, other in zip(by_file.rows, by_scores.rows, strict=True):
        # Questions stand in another order in the file: sums differ in the last digit.
        assert one.difference == pytest.approx(other.difference, abs=1e-14)
        assert one.p_margin == pytest.approx(other.p_margin, rel=1e-9)
    assert by_file.baseline_sha256 == by_scores.baseline_sha256
    assert by_file.baseline_commit == "3f2c"
    assert by_file.baseline_created.startswith("20")
    assert f"baseline:{by_file.baseline_sha256[:12]}" in str(by_file.signature)
    assert gate(scores, str(path), margin=0.1).system == "new"


def test_the_systems_are_found_or_asked_for() -> None:
    scores = sampled(50, 1)
    assert gate(scores, scores, system="new", margin=0.1).baseline == "old"
    assert gate(scores, scores, system="old", baseline_system="new", margin=0.1).system == "old"
    three = Scores.build({"a": [0, 1] * 20, "b": [1, 1] * 20, "c": [1, 0] * 20})
    with pytest.raises(DataError, match="hold 3 systems: a, b, c"):
        gate(three, "a", margin=0.1)
    assert gate(three, "a", system="c", margin=0.1).system == "c"
    ready = Baseline.of(three, "b")
    assert gate(ready, Baseline.of(three, "a"), margin=0.1).system == "b"


def test_attempts_are_tested_at_a_part_of_alpha() -> None:
    scores = answers(300, 14, 10)
    first, second = (gate(scores, "old", margin=0.04, attempt=j) for j in (1, 2))
    assert (first.alpha, second.alpha, first.nominal_alpha) == (0.025, 0.0125, 0.05)
    assert first.rows[0].interval.level == pytest.approx(0.95)
    assert first.rows[0].p_margin == second.rows[0].p_margin
    assert first.rows[0].margin_passable < second.rows[0].margin_passable
    assert "alpha:0.0125" in str(second.signature)


def test_it_is_made_of_json_values() -> None:
    found = gate(answers(300, 3, 3), "old", margin=0.03).to_dict()
    json.dumps(found, allow_nan=False)
    assert {"outcome", "exit_code", "rows"} <= found.keys()
    wanted = {"task", "metric", "old", "new", "difference", "interval", "outcome"}
    assert wanted | {"margin_passable"} <= found["rows"][0].keys()
    assert found["rows"][0]["df"] is None  # infinite: answers are counted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "better"}, "`rule` must be one of non-inferiority, superiority"),
        ({"inconclusive": "maybe"}, "`inconclusive` must be one of pass, fail"),
        ({"alpha": 0.5}, "`alpha` must lie between 1e-06 and .5, as it is one-sided"),
        ({"alpha": 1e-7}, "`alpha` must lie between 1e-06 and .5"),
        ({"alpha": 0.0}, "`alpha` must lie strictly between 0 and 1"),
        ({"power": 1.0}, "`power` must lie strictly between 0 and 1"),
        ({"margin": None}, "needs `margin`"),
        ({"margin": 5}, "between 0 and 1, for its scores are 0 and 1"),
        ({"watch": ["bleu"]}, "`watch` must name one of accuracy; got 'bleu'"),
        ({"watch_tasks": ["x"]}, "`watch_tasks` must name one of all; got 'x'"),
        ({"watch": ["accuracy"]}, "every row is only watched"),
        ({"self_test": True, "n_resamples": 0}, "`n_resamples` must be a whole number"),
        ({"attempt": 0}, "`attempt` must be a whole number"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gate(answers(50), "old", **{"margin": 0.05, **options})


def test_a_metric_that_the_baseline_lacks() -> None:
    old = Baseline.of(answers(50, metric="match"), "old")
    both = [answers(50, metric="match"), answers(50, metric="f1")]
    with pytest.raises(InputError, match=r"the baseline has no f1; it holds match\."):
        gate(both, old, system="new", margin=0.05)
    with pytest.raises(DataError, match="baseline holds 'match', the new scores are 'f1'"):
        gate(both[1], old, margin=0.05)


def test_a_baseline_that_is_no_file_and_no_system(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.json"):
        gate(answers(50), tmp_path / "nothing.json", margin=0.05)


def test_one_metric_twice_is_refused() -> None:
    with pytest.raises(
        InputError, match="every metric must be given once; got accuracy, accuracy"
    ):
        gate([answers(50), answers(50)], "old", margin=0.05)
    with pytest.raises(InputError, match="`scores` must hold the scores of a system; got none"):
        gate([], Baseline.of(answers(50), "old"), margin=0.05)


def test_reasons_of_open_rows() -> None:
    one = gate(answers(50, 1, documents=["d"] * 50), "old", margin=0.05)
    assert "all questions are in one group" in details(one)[0]
    values = {"old": [0.1, 0.4, 0.6] * 20, "new": [0.2, 0.5, 0.7] * 20}
    same = Scores.build(values, metric="comet")
    assert (
        "every question has the same difference" in details(gate(same, "old", margin=0.05))[0]
    )
    unlucky = gate(answers(1000, 50, 20), "old", margin=0.035)
    assert unlucky.outcome == "fail"
    assert "a loss is shown (p = .0002)" in details(unlucky)[0]
    close = gate(answers(1000, 24, 10), "old", margin=0.02, rule="non-inferiority")
    assert close.outcome == "fail"
    luckless = gate(answers(400, 8, 4), "old", margin=0.025)
    assert luckless.outcome == "inconclusive"
    assert "an unchanged system would pass 4 times in 5" in details(luckless)[0]


def test_other_questions_are_refused_unless_allowed() -> None:
    old = Baseline.of(answers(80), "old")
    with pytest.raises(DataError, match="80 of 100 questions are in both"):
        gate(answers(100), old, system="new", margin=0.1)
    found = gate(answers(100), old, system="new", margin=0.1, allow_different_items=True)
    assert found.rows[0].n_items == 80


# --- What a gate says besides its rows: few groups, and how to repeat it ---


def test_rows_with_few_groups_are_named_with_their_metric_where_there_are_several() -> None:
    few = gate_row("code", n_clusters=12)
    fewer = gate_row("math", n_clusters=29)
    many = gate_row("reading", n_clusters=30)
    start = "Fewer than 30 independent groups of questions"
    assert few_notes([few, many], 1) == [
        f"{start} (code: 12 groups): error rates are rough there."
    ]
    assert few_notes([few, fewer, many], 2) == [
        f"{start} (code/accuracy, math/accuracy: 12 groups at least): error rates are rough there."
    ]
    assert few_notes([many], 1) == []


def _settings(**changes: object) -> dict[str, object]:
    scores = sampled(30, 2, tasks=("a", "b"))
    found = gate(scores, "old", **{"margin": 0.1, **changes})  # type: ignore[arg-type]
    return dict(found.signature.settings)


def test_the_signature_says_rule_margin_and_size() -> None:
    found = gate(sampled(30, 2, tasks=("a", "b")), "old", margin=0.1)
    assert _settings() == {
        "metrics": "accuracy",
        "rule": "non-inferiority",
        "margin": "0.1",
        "alpha": 0.05,
        "n": 60,
        "groups": 60,
        "k": "2",
        "baseline": found.baseline_sha256[:12],
    }
    assert "margin" not in _settings(rule="superiority", margin=None)


def test_margins_that_differ_are_all_in_the_signature() -> None:
    one = answers(100, 2, 2, metric="match")
    other = Scores.build(dict(one.systems), metric="exact")
    for margins, said in (((0.1, 0.2), "0.1,0.2"), ((0.1, 0.1), "0.1")):
        given = dict(zip(("match", "exact"), margins, strict=True))
        settings = gate([one, other], "old", margin=given).signature.settings
        assert (settings["metrics"], settings["margin"]) == ("match,exact", said)
        assert settings["n"] == 100  # of the first metric, not of both


def test_numbers_of_samples_that_differ_are_a_range() -> None:
    row = gate_row(samples_new=3.504)
    rows = [row, replace(row, part="code", samples_new=4.0)]
    made = gate_signature(
        "ab" * 32, rows, {}, rule="superiority", alpha=0.05, seed=None, beside={"by": None}
    )
    assert made.settings["k"] == "3.5-4"
    assert made.settings["baseline"] == "abababababab"


def test_equal_scores_are_said_by_task_and_metric() -> None:
    scores = sampled(40, 3, tasks=("math", "code"))
    math = [task == "math" for task in scores.tasks or ()]
    table = scores.systems["old"].copy()
    table[:, ~np.array(math)] = 1.0 - table[:, ~np.array(math)]
    changed = replace(scores, systems={"old": scores.systems["old"], "new": table})
    found = gate(changed, "old", margin=0.1)
    assert [said for said in found.notes if "same run" in said] == [
        "All 40 scores of new on math equal those of old. Is it the same run?"
    ]
    assert not any("same run" in said for said in gate(scores, "old", margin=0.1).notes)
