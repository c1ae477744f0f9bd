"""Benchmarks: card2020's Table 2 and its look back, as published and mended."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.files.table import read_table
from detectable.report.shown.benchmark_audit import findings
from detectable.study.audit.audit import audit
from detectable.study.audit.benchmark_audit import (
    Assumption,
    BenchmarkAudit,
    audit_benchmark,
    fit_gains,
    look_back,
)
from detectable.study.audit.survey_audit import AccuracyClaims, claim_table
from replications.card2020.glue import BASELINES, claim_columns, published_left_out
from tests.helpers import reference_data


def claims(**columns: list[Any]) -> AccuracyClaims:
    return claim_table(read_table(columns))


@pytest.mark.golden
def test_table_2_of_card2020() -> None:
    gold = json.loads(reference_data("gold", "card.json").read_text())["glue"]
    found = audit(claim_columns(reference_data("data", "card")))
    assert isinstance(found, BenchmarkAudit)
    tasks = {task.task: task for task in found.tasks}
    assert len(tasks) == len(gold["table2"]) == 8
    for row in gold["table2"]:
        task = tasks[row["task"]]
        assert task.n_items == row["n"]
        assert task.best == pytest.approx(row["base"])
        assert 100 * task.mean_improvement == pytest.approx(row["mean_eff"], abs=1e-9)
        assert 100 * task.predicted_improvement == pytest.approx(row["pred_eff"], abs=1e-8)
        if row["task"] == "WNLI":  # 5.7 points are needed, and 5.5 are left
            assert task.mde is None
            assert task.mde_normal is None
            continue
        assert task.mde is not None
        assert task.mde_normal is not None
        assert 100 * task.mde == pytest.approx(row["exact"], abs=1e-6)
        assert 100 * task.mde_normal == pytest.approx(row["normal"], abs=1e-6)
    assert found.r_squared == pytest.approx(gold["delta_regression"]["R2"], abs=1e-12)
    assert [task.task for task in found.tasks][:2] == ["WNLI", "MRPC"]  # smallest first
    support = {task.task: task.support for task in found.tasks}
    assert support == {
        **dict.fromkeys(("WNLI", "MRPC", "SST-2"), "no"),
        **dict.fromkeys(("RTE", "MNLI-m", "MNLI-mm", "QQP"), "not the next"),
        "QNLI": "yes",
    }


@pytest.mark.golden
def test_the_look_back_of_card2020_mended() -> None:
    gold = json.loads(reference_data("gold", "card.json").read_text())["glue"]
    found = audit(claim_columns(reference_data("data", "card")))
    assert isinstance(found, BenchmarkAudit)
    exact, normal = found.look_back
    assert (exact.method, normal.method) == ("exact", "normal")
    true = gold["retrospective"]["true_loo"]
    assert normal.n_claims == true["n"] == 56
    assert normal.underpowered == pytest.approx(true["underpowered"], abs=1e-9)
    assert normal.significant == pytest.approx(true["significant"], abs=1e-9)
    assert normal.powered_and_significant == pytest.approx(true["both"], abs=1e-9)
    assert normal.powered + normal.underpowered == pytest.approx(1.0)
    assert normal.significant_among_powered == pytest.approx(20 / 30)
    # The exact test has discrete p-values, so that fewer gains are significant.
    assert (exact.n_claims, round(exact.significant * 56)) == (56, 26)


@pytest.mark.golden
def test_the_look_back_of_card2020_as_published() -> None:
    folder = reference_data("data", "card")
    gold = json.loads(reference_data("gold", "card.json").read_text())["glue"]
    table = claim_table(read_table(claim_columns(folder)))
    regression = fit_gains(table)
    assert regression is not None
    found = look_back(
        table,
        regression,
        Assumption(prior="glue"),
        method="normal",
        left_out=published_left_out(folder),
    )
    assert found is not None
    stored = gold["retrospective"]["authors_index"]
    assert found.n_claims == stored["n"] == 57
    assert found.underpowered == pytest.approx(stored["underpowered"], abs=1e-12)
    assert found.significant == pytest.approx(stored["significant"], abs=1e-12)
    assert found.powered_and_significant == pytest.approx(stored["both"], abs=1e-12)


def spread_claims(rng: np.random.Generator, per_task: int = 6) -> AccuracyClaims:
    before = rng.uniform(70, 95, 3 * per_task)
    gain = 12 - 0.12 * before + rng.normal(0, 0.3, before.size)
    return claims(
        task=["a", "b", "c"] * per_task,
        n=[500, 2000, 8000] * per_task,
        baseline=before.tolist(),
        accuracy=(before + gain).tolist(),
    )


def test_leaving_one_out_is_fitting_again() -> None:
    table = spread_claims(np.random.default_rng(2))
    regression = fit_gains(table)
    assert regression is not None
    together = np.corrcoef(regression.fitted, table.gain)[0, 1]
    assert regression.r_squared == pytest.approx(together**2)
    own = np.arange(table.n_claims)
    for left_out in (own, np.roll(own, 1)):
        quick = regression.without(left_out)
        for i, j in enumerate(left_out.tolist()):
            keep = own != j
            less = AccuracyClaims(
                tasks=table.tasks,
                n_items=table.n_items,
                best=table.best,
                task=table.task[keep],
                before=table.before[keep],
                gain=table.gain[keep],
            )
            again = fit_gains(less)
            assert again is not None
            expected = again.predict(int(table.task[i]), float(table.before[i]))
            assert quick[i] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_array_equal(regression.without(np.full(own.size, -1)), regression.fitted)


def test_a_task_of_one_claim_cannot_be_predicted_from_the_others() -> None:
    table = claims(
        task=["a", "a", "a", "a", "b"],
        n=[100] * 5,
        baseline=[70, 75, 80, 85, 90],
        accuracy=[73, 77.5, 82, 86, 91],
    )
    regression = fit_gains(table)
    assert regression is not None
    predicted = regression.without(np.arange(5))
    assert np.isnan(predicted).tolist() == [False] * 4 + [True]
    # Without it, the others are predicted as before.
    np.testing.assert_allclose(regression.without(np.full(5, 4))[:4], regression.fitted[:4])
    found = look_back(table, regression, Assumption(prior="glue"))
    assert found is not None
    assert found.n_claims == 4


@pytest.mark.parametrize(
    "columns",
    [
        {"baseline": [70, 80, 90], "task": ["a", "a", "b"]},  # too few
        {"baseline": [80, 80, 80, 80], "task": ["a"] * 4},  # nothing to tell a slope from
    ],
)
def test_claims_that_say_nothing_about_each_other(columns: dict[str, list[Any]]) -> None:
    size = len(columns["task"])
    table = claims(n=[100] * size, accuracy=[91.0 + i for i in range(size)], **columns)
    assert fit_gains(table) is None
    found = audit_benchmark(table)
    assert found.look_back == ()
    assert math.isnan(found.r_squared)
    assert math.isnan(found.tasks[0].predicted_improvement)
    assert any("no look back" in note for note in found.notes)


def test_two_claims_more_than_tasks_are_enough() -> None:
    table = claims(task=["a"] * 3, n=[100] * 3, baseline=[70, 80, 90], accuracy=[76, 83, 92])
    found = fit_gains(table)
    assert found is not None
    assert found.slope == pytest.approx(-0.2)
    before = [70.0, 80.0, 90.0, 85.0]
    for gain in (0.5, 0.3):  # the second is never the same number twice, once it is added
        after = [accuracy + gain for accuracy in before]
        same = claims(task=["a"] * 4, n=[100] * 4, baseline=before, accuracy=after)
        assert fit_gains(same) is None  # equal gains leave nothing to explain


def test_a_target_in_the_unit_of_the_table() -> None:
    table = spread_claims(np.random.default_rng(2))
    found = audit_benchmark(table, target_difference=2.0)
    assert found.target_difference == pytest.approx(0.02)
    for task in found.tasks:
        assert task.mde is not None
        assert task.support == ("yes" if task.mde <= 0.02 else "no")
    assert {task.support for task in found.tasks} == {"yes", "no"}
    assert "can no longer show an improvement of 2.00 points" in found.summary()
    with pytest.raises(InputError, match=r"must be in the unit of the table \(percent\)"):
        audit_benchmark(table, target_difference=100.0)


def test_the_assumption_about_agreement_is_named() -> None:
    table = spread_claims(np.random.default_rng(2))
    usual = audit_benchmark(table)
    assert usual.assumption == "prior glue, the default"
    same = audit_benchmark(table, prior="glue")
    assert same.assumption == "prior glue"
    assert same.tasks == usual.tasks
    other = audit_benchmark(table, prior="lachenbruch")
    assert other.tasks[0].mde != usual.tasks[0].mde
    fixed = audit_benchmark(table, agreement=0.97)
    assert fixed.assumption == "0.97 on all tasks"
    assert fixed.tasks[0].mde != usual.tasks[0].mde
    assert "|agreement:0.97|" in str(fixed.signature)
    with pytest.raises(InputError, match="`agreement` and `prior` both say"):
        audit_benchmark(table, prior="glue", agreement=0.9)


def test_tasks_without_claims_are_unknown_unless_a_target_is_given() -> None:
    table = claims(task=["a", "b"], n=[100, 5000], best=[80, 90])
    found = audit_benchmark(table)
    assert [task.support for task in found.tasks] == ["unknown", "unknown"]
    assert found.summary().startswith("2 tasks without a claim")
    assert not any("too few" in note for note in found.notes)  # nothing was claimed
    asked = audit_benchmark(table, target_difference=3)
    assert [task.support for task in asked.tasks] == ["no", "yes"]


def test_all_tasks_support_large_gains() -> None:
    table = claims(task=["a"] * 2, n=[5000] * 2, baseline=[70, 80], accuracy=[80, 90])
    assert audit_benchmark(table).summary().startswith("The only task can show the improvement")


def test_what_is_lost_and_what_will_be_are_told_apart() -> None:
    found = audit_benchmark(claims(task=["a", "b", "c"], n=[9, 9, 9], baseline=[0.5] * 3))
    assert (found.alpha, found.power) == (0.05, 0.8)
    a, b, c = found.tasks
    tasks = (replace(a, support="no"), replace(b, support="not the next"))
    said = findings(replace(found, tasks=(*tasks, replace(c, support="yes"))))
    assert said[:2] == [
        "1 of 3 tasks can no longer show the improvement that is typically claimed: a.",
        "1 more cannot show the smaller one that is to be expected next: b.",
    ]
    assert len(findings(replace(found, tasks=(replace(c, support="yes"),)))) == 1


def test_a_task_that_is_solved_leaves_nothing_to_gain() -> None:
    table = claims(task=["a"] * 2, n=[500] * 2, baseline=[90, 95], accuracy=[95, 100])
    [task] = audit_benchmark(table).tasks
    assert (task.best, task.mde, task.mde_normal, task.support) == (1.0, None, None, "no")


def test_an_accuracy_that_the_prior_does_not_fit() -> None:
    table = claims(task=["a"] * 2, n=[500] * 2, accuracy=[5, 6])
    with pytest.raises(InputError, match=r"`prior` must fit every .* got glue, .* of 0.06\."):
        audit_benchmark(table)
    [task] = audit_benchmark(table, prior="lachenbruch").tasks
    assert task.mde is not None
    with pytest.raises(
        InputError, match=r"`agreement` must fit every accuracy .* got 0.3, which"
    ):
        audit_benchmark(table, agreement=0.3)


@pytest.mark.parametrize(
    ("method", "alpha", "significant"),
    [
        # Of 100 items 10 differ. A gain of 6 is 8 : 2, p = .109, χ² = 3.6; one of 8 is 9 : 1,
        # p = .021, χ² = 6.4. The quantiles of χ² are 3.84 and 2.71.
        ("exact", 0.05, 0.25),
        ("exact", 0.1, 0.25),
        ("exact", 0.11, 1.0),
        ("normal", 0.05, 0.25),
        ("normal", 0.1, 1.0),
    ],
)
def test_which_claims_would_have_been_significant(
    method: Any, alpha: float, significant: float
) -> None:
    table = claims(
        task=["a"] * 4,
        n=[100] * 4,
        baseline=[70, 75, 80, 85],
        accuracy=[76, 81, 88, 91],
    )
    regression = fit_gains(table)
    assert regression is not None
    assumption = Assumption(prior="glue", agreement=0.9)
    found = look_back(table, regression, assumption, method=method, alpha=alpha, power=0.01)
    assert found is not None
    assert (found.n_claims, found.powered, found.underpowered) == (4, 1.0, 0.0)
    assert found.significant == found.powered_and_significant == significant
    assert found.significant_among_powered == significant
    none = look_back(table, regression, assumption, method=method, alpha=alpha, power=0.999)
    assert none is not None
    assert (none.powered, none.underpowered, none.powered_and_significant) == (0.0, 1.0, 0.0)
    assert none.significant == significant
    assert math.isnan(none.significant_among_powered)


def test_claims_of_no_gain_are_left_out() -> None:
    table = claims(
        task=["a"] * 4, n=[900] * 4, baseline=[70, 75, 80, 85], accuracy=[70.4, 75.6, 80, 85.7]
    )
    regression = fit_gains(table)
    assert regression is not None
    found = look_back(table, regression, Assumption(prior="glue"))
    assert found is not None
    # The third gained nothing, and of the last a loss was to be expected.
    assert (found.n_claims, found.method) == (2, "exact")


@pytest.mark.golden
def test_the_authors_own_files_give_table_2() -> None:
    """The files as they are published: sizes stand in a table of their own, columns have no names."""
    folder = reference_data("data", "card")
    found = audit(
        folder / "Glue-Paper-Annotations.csv",
        tasks=folder / "GlueTaskTestSetSizes.csv",
        where={"SOTA.Comparison": "Y", "Claimed Improvement (Bolded or in text)": "Y"},
        best={name: 100 * value for name, value in BASELINES.items()},
    )
    assert isinstance(found, BenchmarkAudit)
    assert found == audit(claim_columns(folder))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {"a": "x"}}, "there is no column 'a' to choose rows by"),
        ({"where": {"task": "x"}}, "no row has 'x' in the column 'task'. Found: t"),
        ({"best": {"u": 0.9}}, "`best` must name tasks of the table, t; got 'u'"),
        ({"best": {"t": 90}}, r"`best` must be in the unit of the table \(fraction\)"),
        ({"tasks": {"task": ["u"], "n": [9]}}, "there is no size of the task 't'"),
        ({"tasks": {"task": ["t"], "n": [9]}, "n_items": 9}, "both say how many items"),
        ({"prior": "x.csv"}, "`prior` must be one of glue, squad, lachenbruch, or a file"),
        ({"at_least": 0.1}, "`at_least` has no effect on the audit of a benchmark"),
        ({"pairs_n": 3}, "`pairs_n` has no effect without `pairs`"),
    ],
)
def test_what_else_a_benchmark_is_told_must_fit(options: dict[str, Any], message: str) -> None:
    table = {
        "task": ["t", "t"],
        "n": [100, 100],
        "baseline": [0.7, 0.8],
        "accuracy": [0.8, 0.85],
    }
    with pytest.raises((DataError, InputError), match=message):
        audit(table, **options)
