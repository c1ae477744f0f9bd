"""Suites of real harnesses: each task by its own scorer, what samples took, slices, a mean, pass@k."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores
from detectable.data.scores.suite import read_suite
from detectable.inference.margin_score import MarginScore
from detectable.inference.shares import PairedShares
from detectable.inference.standard_errors import cluster_mean
from detectable.kernels.distributions import binomial_at_most
from detectable.kernels.roots import bracketed_root
from detectable.study.gate.baseline import accept_baseline
from detectable.study.gate.gate import gate
from detectable.study.gate.result import Gate, GateRow
from detectable.study.score.score import score
from tests.helpers import reference_data

EACH = {"match": 0.1, "includes": 0.1}

# Notes of readers are warnings where no command prints them.
pytestmark = pytest.mark.filterwarnings("ignore::detectable.core.errors.DetectableWarning")


@cache
def entries() -> list[dict[str, Any]]:
    text = reference_data("gold", "live.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["entries"]
    return found


def row_of(name: str, section: str = "rows") -> tuple[dict[str, Any], float]:
    """Return the values and the tolerance of one row of gold/live.json."""
    (found,) = (
        one
        for one in entries()
        if one["section"] == section and one["settings"].get("row") == name
    )
    return found["value"], found["tolerance"]


def close(found: float, name: str, key: str) -> None:
    value, tolerance = row_of(name)
    assert found == pytest.approx(value[key], abs=tolerance), (name, key)


def logs(*parts: str) -> Path:
    return reference_data("data", "live_logs", *parts)


@cache
def inspect(which: str, metric: str, errors: Any = None) -> Scores:
    """Return the scores of one scorer, or what samples took, on the tasks that have it."""
    named = [metric] if metric in ("tokens", "cost") else ["match", "closeness", "includes"]
    tables = read_suite(logs("inspect", which), named, errors=errors)
    return next(one for one in tables if one.metric == metric)


def means(scores: Scores, task: str) -> dict[str, float]:
    """Return the mean of the samples of each question of a task."""
    own = scores.of_task(task).averaged()
    (table,) = own.systems.values()
    return {
        item.removeprefix(f"{task}:"): value
        for item, value in zip(own.items, table[0].tolist(), strict=True)
        if not np.isnan(value)
    }


def pair(metric: str, task: str) -> tuple[np.ndarray, np.ndarray]:
    """Return new and old means of the same questions."""
    new, old = (means(inspect(which, metric), task) for which in ("new", "old"))
    assert set(new) == set(old)
    return np.array(list(new.values())), np.array([old[item] for item in new])


def gated(**options: Any) -> Gate:
    given: dict[str, Any] = {"margin": EACH, **options}
    return gate(logs("inspect", "new"), logs("inspect", "old"), **given)


def the_row(found: Gate, task: str, metric: str) -> GateRow:
    (row,) = (one for one in found.rows if (one.task, one.metric) == (task, metric))
    return row


@pytest.mark.golden
@pytest.mark.parametrize(
    "name",
    [
        *("means/old/arith/match", "means/old/arith/closeness", "means/old/arith/tokens"),
        *("means/old/arith/cost", "means/old/lookup/tokens", "means/old/lookup/cost"),
        *("means/new/arith/closeness", "means/new/lookup/includes", "means/new/arith/tokens"),
        *("means/new/arith/cost", "means/new/lookup/cost", "means/errors/arith/match"),
        *("means/errors/arith/closeness", "means/errors/lookup/includes"),
        *("means/errors/arith/cost", "means/errors/lookup/tokens", "means/errors/lookup/cost"),
    ],
)
def test_the_means_of_inspect(name: str) -> None:
    _, which, task, metric = name.split("/")
    scores = inspect(which, metric)
    of_questions = means(scores, task)
    own = scores.of_task(task)
    (system,) = own.systems
    close(float(np.mean(list(of_questions.values()))), name, "mean")
    close(len(of_questions), name, "questions")
    close(int(own.n_samples(system).sum()), name, "samples")


@pytest.mark.golden
def test_errors_count_zero_where_it_is_asked() -> None:
    arith = means(inspect("errors", "match", "zero"), "arith")
    close(float(np.mean(list(arith.values()))), "errors_zero/arith", "mean")
    lookup = means(inspect("errors", "includes", "zero"), "lookup")
    assert float(np.mean(list(lookup.values()))) == pytest.approx(0.62, abs=1e-9)
    # What an error took is no measure of an answer, whatever it counts as.
    own = inspect("errors", "tokens", "zero").of_task("arith")
    close(int((own.n_samples("mockllm/model") == 0).sum()), "errors_zero/arith", "errors")


@pytest.mark.golden
def test_the_rows_of_two_tasks_with_their_own_scorers() -> None:
    found = gated()
    assert [(row.task, row.metric) for row in found.rows] == [
        ("arith", "match"),
        ("lookup", "includes"),
    ]
    match, includes = found.rows
    value, tolerance = row_of("mcnemar")
    assert match.difference == pytest.approx(value["difference"], abs=tolerance)
    assert match.p_worse == pytest.approx(value["p_worse"], abs=tolerance)
    assert match.p_better == pytest.approx(value["p_better"], abs=tolerance)
    assert match.n_items == value["n"]
    new, old = pair("match", "arith")
    assert int(((new == 1) & (old == 0)).sum()) == value["fixed"]
    assert int(((new == 0) & (old == 1)).sum()) == value["broken"]
    two_sided = min(
        1.0, 2.0 * binomial_at_most(value["broken"], value["fixed"] + value["broken"], 0.5)
    )
    assert two_sided == pytest.approx(value["p_two_sided"], abs=tolerance)
    for key, level in (("tango95", 0.95), ("tango90", 0.9)):
        assert PairedShares.of(new, old).interval(level).to_json() == pytest.approx(
            value[key], abs=tolerance
        )
    for row in (match, includes):
        name = f"score method/{row.task}/{row.metric}"
        close(row.difference, name, "difference")
        close(row.interval.low, name, "low")
        if row is match:
            close(row.interval.high, name, "high")
        else:  # alone the loss would be shown; corrected over two rows it is not
            assert row_of(name)[0]["high"] < 0.0 == row.interval.high
            assert row.p_worse <= 0.05 < row.p_worse_adjusted
        estimate = cluster_mean(np.subtract(*pair(row.metric, row.task)))
        close(estimate.standard_error, f"row/{row.task}/{row.metric}", "se")
        close(estimate.df, f"row/{row.task}/{row.metric}", "df")
        close(row.n_items, f"row/{row.task}/{row.metric}", "n")
        close(row.difference, f"row/{row.task}/{row.metric}", "difference")


@pytest.mark.golden
@pytest.mark.parametrize("how", ["macro", "micro"])
def test_the_mean_over_tasks_has_the_limits_of_mover(how: Any) -> None:
    row = gated(overall=how).rows[-1]
    name = f"overall by MOVER/{how}"
    close(row.difference, name, "difference")
    close(row.interval.low, name, "low")
    close(row.interval.high, name, "high")
    assert (row.task, row.metric, row.watched) == (f"{how} mean", "overall", True)
    # p and interval are of one test: at the level of p the limit is the margin.
    assert (row.interval.low > -row.margin) == (row.p_margin <= 0.05)
    if how == "macro":  # Satterthwaite's t, which it is beside, has the same difference
        value, tolerance = row_of("overall/macro")
        errors = [
            cluster_mean(np.subtract(*pair(m, t)))
            for t, m in (("arith", "match"), ("lookup", "includes"))
        ]
        spread = sum((0.5 * one.standard_error) ** 2 for one in errors)
        assert spread**0.5 == pytest.approx(value["standard_error"], abs=tolerance)
        df = spread**2 / sum((0.5 * one.standard_error) ** 4 / one.df for one in errors)
        assert df == pytest.approx(value["df"], abs=1e-6)
        assert row.difference == pytest.approx(value["difference"], abs=tolerance)


def fieller(new: np.ndarray, old: np.ndarray) -> list[float]:
    """Return all ratios that t tests on new − ρ·old do not reject at .05 to either side."""

    def beyond(ratio: float, *, above: bool) -> float:
        found = cluster_mean(new - ratio * old)
        return (found.p_above(0.0) if above else found.p_below(0.0)) - 0.05

    ratio = new.mean() / old.mean()
    return [
        bracketed_root(lambda r: beyond(r, above=True), 0.01, ratio),
        bracketed_root(lambda r: beyond(r, above=False), ratio, 10.0),
    ]


@pytest.mark.golden
@pytest.mark.parametrize("task", ["arith", "lookup"])
@pytest.mark.parametrize("metric", ["tokens", "cost"])
def test_a_margin_in_percent_of_what_samples_took(task: str, metric: str) -> None:
    name = f"relative/{task}/{metric}"
    row = the_row(gated(margin={**EACH, metric: "10%"}), task, metric)
    close(row.n_items, name, "n")
    close(row.old, name, "old")
    close(row.new, name, "new")
    close(1.0 + row.difference, name, "ratio")
    assert (row.relative, row.higher_is_better, row.margin) == (True, False, 0.1)
    # Gold is Fieller's set, by t. The row goes by the score rule, which is close to it here.
    value, tolerance = row_of(name)
    new, old = pair(metric, task)
    assert fieller(new, old) == pytest.approx(value["fieller90"], abs=tolerance)
    by_t = cluster_mean(new - 1.1 * old).p_below(0.0)
    assert by_t == pytest.approx(value["p_rise_of_10_percent"], abs=tolerance)
    assert [1.0 + end for end in (row.interval.low, row.interval.high)] == pytest.approx(
        value["fieller90"], abs=0.02
    )
    # At every end of the interval the rule itself is at its level.
    for end, p in ((row.interval.high, "p_above"), (row.interval.low, "p_below")):
        at_end = MarginScore.of_scale((1.0 + end) * old - new, None, kind="dense", length=1.0)
        assert getattr(at_end, p)(0.0) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.golden
def test_slices_are_watched_and_corrected_over_all_of_them() -> None:
    found = gated(margin={"match": 0.1}, tasks=["arith"], by="lang")
    slices = {row.slice: row for row in found.rows if row.slice}
    assert sorted(slices) == ["de", "en", "ja"]
    assert all(row.watched for row in slices.values())
    for lang in ("de", "ja"):
        name, row = f"slices/arith/lang/{lang}", slices[lang]
        close(row.n_items, name, "n")
        close(row.difference, name, "difference")
        close(row.p_worse, name, "p_worse")
        close(row.p_better, name, "p_better")
        close(row.p_worse_adjusted, name, "p_worse_holm")
        assert row.task == f"arith ({lang})"


@pytest.mark.golden
def test_pass_at_two() -> None:
    found = gated(margin=0.1, tasks=["lookup"], metric="pass@2")
    (row,) = found.rows
    assert row.metric == "pass@2"
    for key in ("old", "new", "difference"):
        close(getattr(row, key), "pass@2/lookup", key)
    close(row.n_items, "pass@2/lookup", "n")
    # 0 and 1 go by the score method; the t of gold is beside it.
    new, old = (np.sign(one) for one in pair("includes", "lookup"))
    estimate = cluster_mean(new - old)
    close(estimate.standard_error, "pass@2/lookup", "se")
    close(estimate.p_above(-0.1), "pass@2/lookup", "p_margin_0_10")
    value, tolerance = row_of("pass@2/lookup")
    assert estimate.interval(0.9).to_json() == pytest.approx(value["interval90"], abs=tolerance)
    tango = PairedShares.of(new, old).interval(0.9)
    assert row.interval.to_json() == pytest.approx(tango.to_json(), abs=1e-9)


@pytest.mark.golden
@pytest.mark.parametrize("task", ["arith/match", "arith/closeness"])
def test_one_system_with_its_interval(task: str) -> None:
    name, metric = f"score/new/{task}", task.split("/")[1]
    row = next(one for one in score(logs("inspect", "new")).rows if one.metric == metric)
    close(row.n_items, name, "n")
    close(row.score, name, "mean")
    close(row.standard_error, name, "se")
    close(row.interval.low, name, "low")
    close(row.interval.high, name, "high")
    assert row.method == row_of(name)[0]["method"]


@pytest.mark.golden
@pytest.mark.parametrize(
    "name",
    [
        *(
            "lm_eval/old/addgen/exact_match",
            "lm_eval/old/addmc/acc",
            "lm_eval/old/addmc/acc_norm",
        ),
        *("lm_eval/new/addmc/acc", "lm_eval/new/addmc/acc_norm"),
        *("lm_eval/block1/addgen/exact_match", "lm_eval/block1/addmc/acc"),
    ],
)
def test_the_means_of_lm_eval(name: str) -> None:
    _, which, task, metric = name.split("/")
    tables = read_suite(logs("lm_eval", which), ["acc", "acc_norm", "exact_match"])
    scores = next(one for one in tables if one.metric == metric)
    assert scores.task_names == (task,)
    close(scores.n_items, name, "n")
    close(float(np.mean(list(means(scores, task).values()))), name, "mean")


@pytest.mark.golden
@pytest.mark.parametrize("file", ["results.json", "results.jsonl"])
@pytest.mark.parametrize("system", ["old", "new"])
def test_the_means_of_promptfoo(file: str, system: str) -> None:
    path, name = logs("promptfoo", file), f"promptfoo/{system}"
    read = read_suite(path, ["score", "latency", "cost", "tokens"])
    (zero,) = read_suite(path, ["score"], errors="zero")
    keys = ("score_missing", "latency_ms", "cost", "tokens")
    for key, scores in (*zip(keys, read, strict=True), ("score_zero", zero)):
        close(float(np.nanmean(scores.systems[system])), name, key)
    close(read[0].n_items, name, "n")
    close(int(np.isnan(read[0].systems[system]).sum()), name, "errors")


@pytest.mark.golden
def test_lines_of_promptfoo_are_all_read() -> None:
    (scores,) = read_suite(logs("promptfoo", "results.jsonl"), errors="zero")
    assert sum(table.size for table in scores.systems.values()) == 120
    lines = logs("promptfoo", "results.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    by_row = [row["score"] if row["failureReason"] != 2 else 0.0 for row in rows]
    assert sum(table.sum() for table in scores.systems.values()) == pytest.approx(sum(by_row))
    assert sum(row["success"] for row in rows) == 74


@pytest.mark.golden
@pytest.mark.parametrize(("metric", "own"), [("cost", "cost"), ("latency", "latencyMs")])
def test_margins_in_percent_on_promptfoo(metric: str, own: str) -> None:
    name = f"promptfoo/relative/{own}"
    (row,) = gate(logs("promptfoo", "results.jsonl"), "old", margin={metric: "10%"}).rows
    close(row.n_items, name, "n")
    close(1.0 + row.difference, name, "ratio")
    (scores,) = read_suite(logs("promptfoo", "results.jsonl"), [metric])
    both = scores.complete().systems
    new, old = both["new"][0], both["old"][0]
    value, tolerance = row_of(name)
    assert fieller(new, old) == pytest.approx(value["fieller90"], abs=tolerance)
    by_t = cluster_mean(new - 1.1 * old).p_below(0.0)
    assert by_t == pytest.approx(value["p_rise_of_10_percent"], abs=tolerance)


# --- What is understood is gated, and what is not is refused ---


def suite(tmp_path: Path, name: str, tasks: dict[str, Any], **head: Any) -> Path:
    """Write logs of Inspect: answers by task and scorer."""
    folder = tmp_path / name
    folder.mkdir()
    for number, (task, scorers) in enumerate(tasks.items()):
        n = len(next(iter(scorers.values())))
        samples = [
            {
                "id": f"q{i}",
                "epoch": 1,
                "input": f"What is {i}?",
                "metadata": {"lang": "de" if i < 8 else "en"},
                "scores": {scorer: {"value": values[i]} for scorer, values in scorers.items()},
            }
            for i in range(n)
        ]
        about = {
            "task": task,
            "model": "lab/m",
            "eval_id": f"{name}{number}",
            "created": f"2026-01-0{number + 1}T00:00:00+00:00",
        }
        log = {"status": "success", "eval": {**about, **head}, "samples": samples}
        (folder / f"{number}.json").write_text(json.dumps(log))
    return folder


RIGHT = ["C"] * 38 + ["I"] * 2


def test_a_task_that_none_of_the_metrics_scores_is_refused_by_name(tmp_path: Path) -> None:
    new, old = (suite(tmp_path, n, {"a": {"m": RIGHT}, "b": {"f": RIGHT}}) for n in ("n", "o"))
    with pytest.raises(DataError, match=r"task 'b' has none of m; it is scored by f"):
        gate(new, old, margin={"m": 0.1})
    assert [row.task for row in gate(new, old, margin={"m": 0.1}, tasks=["a"]).rows] == ["a"]
    with pytest.raises(DataError, match=r"there is no metric 'x'. Found: a: m; b: f"):
        gate(new, old, margin={"m": 0.1, "x": 0.1})
    with pytest.raises(DataError, match=r"there is no task 'c'. Found: a, b"):
        gate(new, old, margin={"m": 0.1}, tasks=["c"])


def test_one_number_for_several_scorers_is_refused_with_what_to_write(tmp_path: Path) -> None:
    tasks = {"a": {"m": RIGHT, "z": [0.5] * 40}, "b": {"f": RIGHT}}
    new, old = (suite(tmp_path, name, tasks) for name in ("n", "o"))
    with pytest.raises(InputError, match=r"`margin=\{'m': 0.1, 'f': 0.1\}`"):
        gate(new, old, margin=0.1)
    with pytest.raises(DataError, match=r"a: m, z; b: f\). Choose with `metrics=\['m', 'f'\]`"):
        gate(new, old, rule="superiority")
    found = gate(new, old, rule="superiority", metrics=["a=m", "b=f"])
    assert [row.name for row in found.rows] == ["a/m", "b/f"]


def test_what_is_not_in_the_log_is_no_zero(tmp_path: Path) -> None:
    new, old = (suite(tmp_path, name, {"a": {"m": RIGHT}}) for name in ("n", "o"))
    with pytest.raises(DataError, match=r"there is no metric 'cost'. Found: m"):
        gate(new, old, margin={"m": 0.1, "cost": "10%"})


def test_a_renamed_task_is_the_old_one_if_it_is_said(tmp_path: Path) -> None:
    new = suite(tmp_path, "n", {"sums": {"m": RIGHT}, "b": {"m": RIGHT}})
    old = suite(tmp_path, "o", {"arith": {"m": RIGHT}, "b": {"m": RIGHT}})
    with pytest.raises(DataError, match="lack 1 task of the baseline: arith"):
        gate(new, old, margin=0.1)
    found = gate(new, old, margin=0.1, rename={"arith": "sums"})
    assert [row.task for row in found.rows] == ["sums", "b"]
    again = gate(new, old, margin=0.1, rename={"arith": "sums"}, tasks=["sums"])
    assert [row.task for row in again.rows] == ["sums"]
    for names, said in (
        ({"x": "y"}, "arith, b; got 'x'"),
        ({"arith": "b"}, "there is one called so"),
    ):
        with pytest.raises(InputError, match=said):
            gate(new, old, margin=0.1, rename=names)
    alone = suite(tmp_path, "alone", {"arith": {"m": RIGHT}})
    with pytest.raises(DataError, match=r"`rename=\{'arith': 'sums'\}`"):
        gate(suite(tmp_path, "s", {"sums": {"m": RIGHT}}), alone, margin=0.1)


def test_a_single_task_keeps_its_name_and_fits_an_older_baseline(tmp_path: Path) -> None:
    new = suite(tmp_path, "n", {"arith": {"match": RIGHT}})
    unnamed = Scores.build(
        {"old": [1.0] * 38 + [0.0] * 2}, items=[f"q{i}" for i in range(40)], metric="match"
    )
    path = tmp_path / "b.json"
    accept_baseline(unnamed, path)
    assert [row.task for row in gate(new, path, margin=0.1).rows] == ["arith"]


def test_a_slice_of_few_questions_has_no_verdict(tmp_path: Path) -> None:
    new = suite(tmp_path, "n", {"a": {"m": ["I"] * 8 + ["C"] * 32}})
    old = suite(tmp_path, "o", {"a": {"m": ["C"] * 40}})
    found = gate(new, old, margin=0.05, by="lang", decide="slices")
    few = next(row for row in found.rows if row.slice == "de")
    assert (few.n_items, few.untested, few.watched, few.outcome) == (
        8,
        True,
        True,
        "inconclusive",
    )
    assert few.p_worse < 0.05  # and yet
    deciding = [row.task for row in found.deciding]
    assert deciding == ["a", "a (en)"]
    with pytest.raises(InputError, match="`decide='slices'` needs `by`"):
        gate(new, old, margin=0.05, decide="slices")
    with pytest.raises(
        DataError, match=r"metadata have no 'script' for the slice. Found: lang"
    ):
        gate(new, old, margin=0.05, by="script")


def test_slices_decide_with_holm_over_all_rows(tmp_path: Path) -> None:
    lost = ["C"] * 34 + ["I"] * 6
    new, old = (
        suite(tmp_path, n, {"a": {"m": v}}) for n, v in (("n", lost), ("o", ["C"] * 40))
    )
    watched = gate(new, old, margin=0.02, by="lang")
    deciding = gate(new, old, margin=0.02, by="lang", decide="slices")
    one, two = (next(row for row in g.rows if row.slice == "en") for g in (watched, deciding))
    assert one.p_worse_adjusted == one.p_worse  # alone among the slices with questions enough
    assert two.p_worse_adjusted == pytest.approx(2 * two.p_worse)


def means_of(tasks: Sequence[str], losses: Sequence[int], n: int = 400) -> Scores:
    """Return right answers, of which the new system breaks some in each task, and mends as many."""
    old, new = [], []
    for lost in losses:
        old += [1.0] * (n - 20) + [0.0] * 20
        new += [0.0] * (20 + lost) + [1.0] * (n - 20 - lost - 20) + [0.0] * 0 + [1.0] * 20
    names = [task for task in tasks for _ in range(n)]
    items = [f"{task}{i}" for task in tasks for i in range(n)]
    return Scores.build({"old": old, "new": new}, tasks=names, items=items, metric="match")


def test_the_mean_decides_and_a_lost_task_has_a_veto() -> None:
    tasks = [f"t{i}" for i in range(10)]
    one_lost = means_of(tasks, [60, *([0] * 9)])
    shown = gate(one_lost, "old", margin=0.05, overall="macro")
    mean = shown.rows[-1]
    assert (mean.outcome, mean.watched) == ("pass", True)  # as 60 of 4,000 answers are lost
    found = gate(one_lost, "old", margin=0.05, overall="macro", decide="overall")
    assert [row.name for row in found.deciding] == ["t0/match", "macro mean/match"]
    assert found.outcome == "fail"
    unchanged = gate(
        means_of(tasks, [0] * 10), "old", margin=0.05, overall="macro", decide="overall"
    )
    assert [row.task for row in unchanged.deciding] == ["macro mean"]
    assert unchanged.outcome == "pass"
    with pytest.raises(InputError, match="`decide='overall'` needs `overall`"):
        gate(one_lost, "old", margin=0.05, decide="overall")


def test_what_is_no_part_of_the_mean_decides_beside_it() -> None:
    """A margin that was given is never left out of the decision without a word."""
    margins: dict[str, Any] = {**EACH, "tokens": "10%"}
    found = gated(margin=margins, overall="macro", decide="overall")
    assert [row.name for row in found.deciding] == [
        "arith/tokens",
        "lookup/tokens",
        "macro mean/overall",
    ]
    assert "in the macro mean and arith/tokens, lookup/tokens." in found.summary()
    dear = gated(margin={**EACH, "tokens": "0.5%"}, overall="macro", decide="overall")
    assert dear.outcome == "inconclusive"  # whatever the mean says
    assert dear.rows[-1].outcome == "pass"


def test_a_mean_of_scores_that_do_not_go_together_is_refused() -> None:
    with pytest.raises(InputError, match="`overall` takes every task by one metric; arith"):
        gated(
            margin={**EACH, "closeness": 0.1}, overall="macro", higher_is_better=["closeness"]
        )
    with pytest.raises(InputError, match="margin of its own where those of the tasks differ"):
        gated(margin={"match": 0.1, "includes": 0.2}, overall="macro")
    own = gated(margin={"match": 0.1, "includes": 0.2, "overall": 0.05}, overall="macro")
    assert own.rows[-1].margin == 0.05
    # What samples took is no part of the mean.
    beside = gated(margin={**EACH, "tokens": "10%"}, overall="macro").rows[-1]
    assert beside.n_items == 170
    with pytest.raises(InputError, match="one of match, includes; got 'overall'"):
        gated(margin={**EACH, "overall": 0.1})


def test_pass_at_k_needs_right_answers_and_enough_of_them() -> None:
    with pytest.raises(
        DataError, match=r"pass@3 needs 3 answers to every question.*at most pass@2"
    ):
        gated(margin=0.1, tasks=["lookup"], metric="pass@3")
    with pytest.raises(DataError, match="pass@1 needs answers that are right or wrong"):
        gated(margin=0.1, metrics=["arith=closeness"], tasks=["arith"], metric="pass@1")
    with pytest.raises(InputError, match=r"`metric` must be pass@K or pass\^K"):
        gated(margin=0.1, metric="f1")
    # Scorers of different tasks become one metric, since all are right or wrong.
    both = gated(margin={"pass@1": 0.1}, metrics=["match", "includes"], metric="pass@1")
    assert [row.name for row in both.rows] == ["arith/pass@1", "lookup/pass@1"]
    all_right = gated(margin=0.1, tasks=["lookup"], metric="pass^2").rows[0]
    assert all_right.new < the_row(gated(), "lookup", "includes").new


def test_a_share_of_what_may_be_below_zero_is_refused() -> None:
    scores = Scores.build({"old": [-1.0, 2.0] * 20, "new": [1.0, 2.0] * 20}, metric="reward")
    with pytest.raises(DataError, match="a margin in percent needs scores from 0 up"):
        gate(scores, "old", margin="10%")


def test_a_share_of_the_score_where_higher_is_better() -> None:
    rng = np.random.default_rng(3)
    old = rng.gamma(20.0, 5.0, 300)
    new = old * 0.97 + rng.normal(0.0, 3.0, 300)
    scores = Scores.build({"old": old, "new": new}, metric="throughput")
    (row,) = gate(scores, "old", margin="5%").rows
    assert row.outcome == "pass"
    assert row.difference == pytest.approx(new.mean() / old.mean() - 1.0)
    assert row.interval.low > -0.05
    assert gate(scores, "old", margin="2%").rows[0].outcome == "fail"
    # Turned round, with the margin that undoes it, nothing but the direction changes.
    fewer = gate(replace(scores, metric="latency"), "old", margin="5%").rows[0]
    assert fewer.interval == row.interval
    assert fewer.outcome == "pass"


def test_one_question_that_holds_the_spread_bars_a_pass() -> None:
    rng = np.random.default_rng(5)
    old = rng.lognormal(0.0, 0.1, 100)
    new = old * 0.9
    new[0], old[0] = 5.0, 8.0
    scores = Scores.build({"old": old, "new": new}, metric="latency")
    found = gate(scores, "old", margin="10%")
    (row,) = found.rows
    assert row.top_share > 0.2
    assert row.p_margin <= 0.05
    assert row.outcome == "inconclusive"
    assert any("so a pass is not trusted: all/latency" in note for note in found.notes)
    assert "of the spread, so a pass is not trusted" in found.summary()


def test_a_baseline_file_of_a_suite(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    named = ["match", "includes", "tokens"]
    accepted = accept_baseline(read_suite(logs("inspect", "old"), named), path)
    assert (accepted.n_items, accepted.n_tasks) == (170, 2)
    each: dict[str, Any] = {**EACH, "tokens": "10%"}
    found = gate(logs("inspect", "new"), path, margin=each, by="lang", overall="macro")
    beside = gated(margin=each, by="lang", overall="macro")
    assert [row.interval for row in found.rows] == [row.interval for row in beside.rows]
    assert not [note for note in found.notes if "have no score" in note]
    # pass@k takes the answers of the baseline, and leaves its tokens alone.
    answers = gate(
        logs("inspect", "new"), path, margin=0.1, metrics=["match", "includes"], metric="pass@1"
    )
    assert [row.task for row in answers.rows] == ["arith", "lookup"]
    assert (
        gate(logs("inspect", "new"), path, margin={"match": 0.1}, tasks=["arith"])
        .rows[0]
        .n_items
        == 120
    )
