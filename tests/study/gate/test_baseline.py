"""Baseline files: what is written, what is read back, and what is refused."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable import save
from detectable.core.errors import DataError, InputError
from detectable.data.scores.scores import Scores, StoppedLog
from detectable.study.gate.baseline import (
    Baseline,
    accept_baseline,
    counted,
    is_baseline_file,
    level,
    read_baseline,
    rewrite_baseline,
    written_baseline,
)
from detectable.study.gate.gate import gate
from detectable.study.gate.stopped import StoppedRun
from tests.helpers import reference_data
from tests.study.gate.data import answers, sampled


def _baseline() -> Baseline:
    scores = Scores.build(
        {"A": np.array([[1, 0, 1], [1, 1, np.nan]])},
        items=["q2", "q1", "q3"],
        documents=["p1", "p1", "p2"],
        tasks=["math", "math", "code"],
        questions=["two", "one", ""],
        repeats="samples",
    )
    return Baseline.of(scores, commit="3f2c", created="2026-11-17T00:00:00+00:00")


def _file(folder: Path, text: str) -> Path:
    path = folder / "baseline.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_question_has_a_line_and_keys_are_sorted() -> None:
    text = written_baseline(_baseline())
    content = json.loads(text)
    assert list(content) == sorted(content)
    assert content["format"] == "detectable-baseline/1"
    assert (content["system"], content["commit"]) == ("A", "3f2c")
    assert content["metric"] == {
        "higher_is_better": True,
        "name": "accuracy",
        "zero_one": True,
    }
    assert list(content["tasks"]) == ["code", "math"]
    assert content["tasks"]["math"] == {
        "cluster": ["p1", "p1"],
        "items": ["q1", "q2"],
        "k": [2, 2],
        "question": ["7692c3ad3540bb80", "3fc4ccfe745870e2"],
        "sum": [1, 2],
    }
    assert content["tasks"]["code"]["k"] == [1]
    assert content["attempts"] == {}
    assert content["signature"].startswith("baseline|metrics:accuracy|n:3|sha256:")
    lines = text.splitlines()
    assert '"q1",' in lines
    assert '"q2"' in lines
    assert max(map(len, lines)) < 100


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = _file(tmp_path, written_baseline(_baseline()))
    found = read_baseline(path)
    assert is_baseline_file(path)
    assert found.sha256 == _baseline().sha256
    assert (found.system, found.commit, found.created) == (
        "A",
        "3f2c",
        "2026-11-17T00:00:00+00:00",
    )
    code, math = found.tallies[0].tasks
    assert (code.task, math.items, math.clusters) == ("code", ("q1", "q2"), ("p1", "p1"))
    assert math.questions == ("7692c3ad3540bb80", "3fc4ccfe745870e2")
    assert written_baseline(found) == written_baseline(_baseline())


def test_scores_that_are_no_answers_keep_their_squares(tmp_path: Path) -> None:
    scores = Scores.build({"A": [[0.5, 1.25], [0.1, 0.0]]}, metric="ter", repeats="samples")
    baseline = Baseline.of(scores)
    task = read_baseline(_file(tmp_path, written_baseline(baseline))).tallies[0].tasks[0]
    assert task.sums.tolist() == [0.6, 1.25]
    assert task.squares.tolist() == pytest.approx([0.26, 1.5625])
    assert not baseline.tallies[0].higher_is_better


def test_several_metrics_share_a_file(tmp_path: Path) -> None:
    first = Scores.build({"A": [1, 0, 1]}, metric="match")
    second = Scores.build({"A": [3.5, 2.0, 4.0]}, metric="fluency")
    baseline = Baseline.of([first, second])
    text = written_baseline(baseline)
    assert json.loads(text)["metric"]["name"] == "match"
    found = read_baseline(_file(tmp_path, text))
    assert found.metrics == ("match", "fluency")
    assert found.tallies[1].tasks[0].sums.tolist() == [3.5, 2.0, 4.0]
    assert found.describe() == "A: match, fluency on 3 questions"


def test_a_thousand_questions_take_less_than_25_kb() -> None:
    text = written_baseline(Baseline.of(sampled(1000, 4), "old"))
    assert len(text.encode()) < 25_000


def test_one_changed_score_changes_few_lines() -> None:
    old = _baseline()
    task = old.tallies[0].tasks[0]
    sums = task.sums.copy()
    sums[0] = 1.0
    changed = replace(task, sums=sums, squares=sums)
    tally = replace(old.tallies[0], tasks=(changed, old.tallies[0].tasks[1]))
    new = replace(old, tallies=(tally,))
    before, after = (written_baseline(one).splitlines() for one in (old, new))
    different = [a for a, b in zip(before, after, strict=True) if a != b]
    assert len(different) == 2  # the sum, and the hash in the signature
    assert old.sha256 != new.sha256


def test_attempts_are_kept_and_do_not_change_the_hash(tmp_path: Path) -> None:
    tried = replace(_baseline(), attempts={"B": ("aa", "bb")})
    assert tried.sha256 == _baseline().sha256
    assert read_baseline(_file(tmp_path, written_baseline(tried))).attempts == {
        "B": ("aa", "bb")
    }


def test_the_order_of_questions_and_tasks_is_nothing() -> None:
    scores = Scores.build({"A": [1, 0, 1]}, items=["a", "b", "c"])
    turned = Scores.build({"A": [1, 0, 1]}, items=["c", "b", "a"])
    other = Scores.build({"A": [0, 1, 1]}, items=["a", "b", "c"])
    assert Baseline.of(scores).sha256 == Baseline.of(turned).sha256
    assert Baseline.of(scores).sha256 != Baseline.of(other).sha256
    assert Baseline.of(scores).sha256 != replace(Baseline.of(scores), system="B").sha256


def _changed(change: Any) -> str:
    content = json.loads(written_baseline(_baseline()))
    change(content)
    return json.dumps(content)


def _set(key: str, value: Any) -> Any:
    return lambda content: content["tasks"]["math"].__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="detectable-baseline/2"), "newer format .2. than .* Update"),
        (lambda c: c.update(format="detectable-baseline/x"), "damaged: its format is"),
        (lambda c: c.pop("tasks"), "damaged: it has no 'tasks'"),
        (lambda c: c.update(tasks={}), "no items of any task. A mean alone cannot be paired"),
        (_set("items", []), "no items of task 'math'"),
        (
            lambda c: c["tasks"].update(math={"mean": 0.75}),
            "no items of task 'math'.*with --accept",
        ),
        (_set("items", ["q1", "q1"]), "task 'math' names a question twice"),
        (_set("items", ["q1", 2]), "'items' of task 'math' is no list of names"),
        (_set("items", ["q1", "q9"]), "its questions are not those of its dataset_sha256"),
        (_set("sum", [1]), "task 'math' has 2 items, and 1 of 'sum'"),
        (_set("sum", None), "task 'math' has 2 items, and none of 'sum'"),
        (_set("sum", [1, "2"]), "'sum' of task 'math' must be numbers"),
        (_set("sum", [1, 3]), "whole numbers from 0 to 'k'"),
        (_set("sum", [1, -1]), "whole numbers from 0 to 'k'"),
        (_set("sum", [1, 0.5]), "whole numbers from 0 to 'k'"),
        (_set("sum", [1, 10**400]), "'sum' of task 'math' must be finite"),
        (_set("k", [2, 0]), "'k' of task 'math' must be whole numbers from 1 on"),
        (_set("k", [2, 2.5]), "'k' of task 'math' must be whole numbers from 1 on"),
        (_set("cluster", ["p1"]), "task 'math' has 2 items, and 1 of 'cluster'"),
        (_set("question", "x"), "'question' of task 'math' is no list of names"),
        (lambda c: c.update(metric="accuracy"), "damaged: it has no 'metric'"),
        (lambda c: c["metric"].pop("higher_is_better"), "must say 'higher_is_better'"),
        (lambda c: c["metric"].update(name=None), "'name' is no text"),
        (lambda c: c.update(system=3), "'system' is no text"),
        (lambda c: c.update(attempts=[]), "'attempts' must list hashes"),
        (lambda c: c.update(attempts={"B": [1]}), "'attempts' must list hashes"),
        (lambda c: c.update(further={}), "'further' is no list"),
        (lambda c: c.update(further=[3]), "it has no 'metric'"),
        (lambda c: c["metric"].update(zero_one=False), "none of 'sum_of_squares'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    change: Any, message: str, tmp_path: Path
) -> None:
    path = _file(tmp_path, _changed(change))
    with pytest.raises(DataError, match=message) as caught:
        read_baseline(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "no baseline file"),
        ("[1]", "no baseline file"),
        ('{"format": "detectable-baseline/1",', "this is not JSON"),
        ("", "the file is empty"),
    ],
)
def test_other_files_are_no_baselines(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_baseline(_file(tmp_path, text))


def test_a_folder_is_no_baseline(tmp_path: Path) -> None:
    assert not is_baseline_file(tmp_path)
    assert not is_baseline_file(_file(tmp_path, "system,item,score\n"))


def test_squares_may_be_as_large_as_scores_allow_and_no_larger(tmp_path: Path) -> None:
    """Scores lie within ±1e100, and a question has a million samples at most."""
    content = json.loads(written_baseline(Baseline.of(Scores.build({"A": [0.5, 2.0]}))))
    [task] = content["tasks"].values()
    task["sum_of_squares"] = [1e206, 0.25]
    read_baseline(_file(tmp_path, json.dumps(content)))
    task["sum_of_squares"] = [1e207, 0.25]
    with pytest.raises(DataError, match="'sum_of_squares' of task 'all' must be finite"):
        read_baseline(_file(tmp_path, json.dumps(content)))


def test_large_numbers_survive(tmp_path: Path) -> None:
    scores = Scores.build({"A": [1e99, -1e99]})
    task = (
        read_baseline(_file(tmp_path, written_baseline(Baseline.of(scores))))
        .tallies[0]
        .tasks[0]
    )
    assert np.array_equal(task.sums, [1e99, -1e99])


def test_a_file_says_the_direction_so_nothing_is_guessed(tmp_path: Path) -> None:
    scores = Scores.build({"A": [0.1, 0.4] * 20, "B": [0.2, 0.4] * 20}, metric="glow")
    old, new = (
        read_baseline(
            _file(
                tmp_path,
                written_baseline(Baseline.of(scores, name, higher_is_better=["glow"])),
            )
        )
        for name in "AB"
    )
    with pytest.raises(InputError, match="which way does glow go"):
        gate(scores, "A", margin=0.1)
    assert not any("glow" in note for note in gate(new, old, margin=0.1).notes)


def _told(tmp_path: Path, name: str, **said: str) -> Baseline:
    scores = Scores.build({"A": [10.0, 40.0] * 20}, metric=name)
    return read_baseline(_file(tmp_path, written_baseline(Baseline.of(scores, **said))))


def _new(name: str) -> Scores:
    rng = np.random.default_rng(3)
    return Scores.build(
        {"B": np.array([10.0, 40.0] * 20) + 5.0 + rng.normal(0.0, 1.0, 40)}, metric=name
    )


def test_a_baseline_keeps_the_direction_that_it_was_told(tmp_path: Path) -> None:
    # Unknown by name, and against what the name tells.
    for name in ("words", "reward"):
        found = gate(_new(name), _told(tmp_path, name, lower_is_better=name), margin=1.0)
        assert (found.outcome, found.rows[0].higher_is_better) == ("fail", False)
        assert f"{name}: lower is better." in found.notes
    found = gate(_new("cost"), _told(tmp_path, "cost", higher_is_better="cost"), margin=1.0)
    assert (found.outcome, found.rows[0].higher_is_better) == ("pass", True)
    with pytest.raises(DataError, match="higher is better in the baseline, lower in the new"):
        gate(
            _new("cost"),
            _told(tmp_path, "cost", higher_is_better="cost"),
            lower_is_better=["cost"],
            margin=1.0,
        )


def test_what_an_earlier_version_guessed_is_no_direction(tmp_path: Path) -> None:
    """Files of version 0.1.0 said «higher» of all that they did not know."""
    guessed = _told(tmp_path, "words")
    assert guessed.tallies[0].is_guess
    with pytest.raises(InputError, match="which way does words go"):
        gate(_new("words"), guessed, margin=1.0)
    assert gate(_new("words"), guessed, lower_is_better=["words"], margin=1.0).outcome == "fail"
    # Of a name that is known today, the guess does not count.
    text = written_baseline(_told(tmp_path, "output_tokens"))
    old = text.replace('"higher_is_better": false', '"higher_is_better": true')
    assert old != text
    before = read_baseline(_file(tmp_path, old))
    with pytest.raises(DataError, match="higher is better in the baseline, lower in the new"):
        gate(_new("output_tokens"), before, margin=1.0)


def test_what_a_reader_knows_is_kept_too(tmp_path: Path) -> None:
    scores = Scores.build({"A": [1.0, 0.0] * 20}, metric="verdict", lower_is_better=False)
    kept = read_baseline(_file(tmp_path, written_baseline(Baseline.of(scores))))
    new = Scores.build({"B": [1.0, 0.0] * 20}, metric="verdict")  # as from a plain table
    assert gate(new, kept, margin=0.2).outcome == "pass"


# --- Accepting a baseline: when asked, and nothing else is overwritten ---


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    found = accept_baseline(sampled(50, 2, tasks=("a", "b")), path, system="old", commit="3f2c")
    assert (
        found.summary()
        == "Accepted as the baseline: old, accuracy on 100 questions of 2 tasks."
    )
    assert (found.path, found.n_items, found.n_tasks, found.replaced) == (str(path), 100, 2, "")
    assert str(found.signature).startswith(f"accept-baseline|n:100|sha256:{found.sha256[:12]}|")
    kept = read_baseline(path)
    assert (kept.sha256, kept.commit) == (found.sha256, "3f2c")
    assert kept.created.endswith("+00:00")


def test_a_baseline_is_replaced_whatever_it_scored(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    accept_baseline(answers(50), path, system="old")
    rewrite_baseline(path, read_baseline(path))
    found = accept_baseline(answers(50, 20), path, system="new")
    assert found.replaced.startswith("old: accuracy on 50 questions of 20")
    assert found.summary().endswith(f"It replaces {found.replaced}.")
    assert read_baseline(path).system == "new"
    assert read_baseline(path).attempts == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("system,item,score\nold,1,1\n", "is no baseline file, so it is not replaced"),
        ('{"format": "detectable-baseline/9"}', "newer format"),
        ('{"format": "detectable-baseline/1"}', "damaged"),
    ],
)
def test_other_files_are_not_replaced_unless_asked(
    content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "precious.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        accept_baseline(answers(50), path, system="old")
    assert path.read_text() == content
    found = accept_baseline(answers(50), path, system="old", overwrite=True)
    assert found.replaced == f"{path} as it was"
    assert read_baseline(path).system == "old"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it is a folder"):
        accept_baseline(answers(50), tmp_path, system="old", overwrite=True)


def test_what_is_kept_of_it_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    found = accept_baseline(answers(50), tmp_path / "baseline.json", system="old")
    save(found, tmp_path / "accepted.json")
    text = (tmp_path / "accepted.json").read_text()
    assert "baseline.json" in text
    assert str(tmp_path) not in text


# --- Tries of one candidate ---


def test_levels_of_all_tries_add_up_to_alpha() -> None:
    assert sum(level(0.05, j) for j in range(1, 11)) == pytest.approx(0.05, rel=0.001)
    assert level(0.05, 1) == 0.025
    assert level(0.05, None) == 0.05


@pytest.mark.parametrize("attempt", [0, -1, 2.5, 11])
def test_absurd_tries_are_refused(attempt: int) -> None:
    with pytest.raises(InputError, match="`attempt` must be"):
        level(0.05, attempt)


def test_the_same_scores_are_the_same_try() -> None:
    tries: dict[str, tuple[str, ...]] = {}
    numbers = []
    for name, scores in (("B", "x"), ("B", "y"), ("C", "x"), ("B", "x"), ("B", "z")):
        number, tries = counted(tries, name, scores)
        numbers.append(number)
    assert numbers == [1, 2, 1, 1, 3]
    assert tries == {"B": ("x", "y", "z"), "C": ("x",)}


# --- Gates, comparisons and the doctor on logs whose runs were stopped early ---


def _scores(folder: str, task: str, metric: str) -> Scores:
    path = next(reference_data("data", "live_logs", "inspect", folder).glob(f"*_{task}_*"))
    return dt.read_scores({folder: path}, metric=metric)


def _gate(folder: str, task: str, metric: str, **more: Any) -> Any:
    new, old = (_scores(name, task, metric) for name in (folder, "old"))
    return dt.gate(new, old, **{"margin": {metric: 0.1}, **more})


@pytest.mark.parametrize("folder", ["early", "early_errors"])
@pytest.mark.parametrize(("task", "metric"), [("arith", "match"), ("lookup", "includes")])
def test_a_log_that_our_plan_stopped_has_a_row_over_all_looks(
    folder: str, task: str, metric: str
) -> None:
    found = _gate(folder, task, metric)
    row = found.rows[0]
    assert (found.outcome, found.exit_code) == ("fail", 3)
    assert row.interval.high < 0.0
    assert row.p_worse <= 0.025  # two tasks shared α
    plan = "3674ea11" if task == "arith" else "be570d18"
    assert (
        f"{task} was stopped by plan {plan}; its row holds over all its looks." in found.notes
    )


def test_the_adjusted_p_is_that_of_the_ordering_by_look() -> None:
    """Stopped at its first look: p is that of the plain statistic with all 32 questions."""
    row = _gate("early", "arith", "match").rows[0]
    wins, losses = 0, 11  # of 32
    assert row.difference == pytest.approx((wins - losses) / 32)
    z = math.sqrt(losses)
    assert row.p_worse == pytest.approx(0.5 * math.erfc(z / math.sqrt(2.0)), rel=1e-6)


def test_errors_count_as_the_plan_says() -> None:
    """3 samples ended in an error: 0, where a whole gate would leave them out."""
    assert _gate("early_errors", "arith", "match").rows[0].n_items == 76
    notes = " ".join(_scores("early_errors", "arith", "match").notes)
    assert "3 samples ended in an error and count 0." in notes


def test_another_margin_or_metric_has_limits_for_any_reason_to_stop() -> None:
    planned = _gate("early", "lookup", "includes").rows[0]
    other = _gate("early", "lookup", "includes", margin={"includes": 0.3}).rows[0]
    assert planned.p_worse == other.p_worse  # zero was looked at either way
    beside = _gate("early", "arith", "closeness", higher_is_better=["closeness"],
                   margin={"closeness": 0.1}).rows[0]  # fmt: skip
    plain = dt.gate(
        replace(_scores("early", "arith", "closeness"), stopped=()),
        _scores("old", "arith", "closeness"),
        margin=0.1,
        higher_is_better=["closeness"],
        allow_different_items=True,
    ).rows[0]
    assert beside.p_worse > plain.p_worse
    assert beside.interval.low < plain.interval.low < plain.interval.high < beside.interval.high


def test_groups_that_the_looks_did_not_know_have_the_limits_of_any_stop() -> None:
    path = next(reference_data("data", "live_logs", "inspect", "early").glob("*_arith_*"))
    new = dt.read_scores({"early": path}, metric="match", columns={"document": "passage"})
    found = dt.gate(new, _scores("old", "arith", "match"), margin={"match": 0.1})
    alone = _gate("early", "arith", "match").rows[0]
    row = found.rows[0]
    assert row.n_clusters < row.n_items
    assert row.p_worse > alone.p_worse
    assert row.interval.low < alone.interval.low < alone.interval.high < row.interval.high
    assert any(
        note.startswith("arith: looks of a plan take questions one by one.")
        for note in found.notes
    )


# --- Stopped by somebody else ---


def _other() -> Scores:
    scores = _scores("early", "arith", "match")
    log = replace(scores.stopped[0], manager="optstop", record={"rounds": 3})
    return replace(scores, stopped=(log,))


def test_a_log_that_somebody_else_stopped_is_refused() -> None:
    with pytest.raises(DataError, match=r"stopped early by 'optstop' after 32 of 120 samples"):
        dt.gate(
            _other(), _scores("old", "arith", "match"), margin=0.1, allow_different_items=True
        )
    with pytest.raises(DataError, match="every task was stopped early by another manager"):
        dt.gate(
            _other(),
            _scores("old", "arith", "match"),
            margin=0.1,
            allow_different_items=True,
            allow_early_stop=True,
        )


def test_a_damaged_record_is_said() -> None:
    log = _scores("early", "arith", "match").stopped[0]
    rule = {key: value for key, value in log.record["rule"].items() if key != "alpha"}
    with pytest.raises(DataError, match="what its plan wrote into the log is damaged"):
        StoppedRun.of(replace(log, record={**log.record, "rule": rule}))


def test_a_plan_that_looked_at_nothing_adjusts_nothing() -> None:
    log = _scores("early", "arith", "match").stopped[0]
    assert StoppedRun.of(replace(log, record={**log.record, "looks": []})) is None


def test_a_run_that_nobody_stopped_is_an_ordinary_log() -> None:
    log = StoppedLog(
        path="x.eval", task="t", eval_id="", manager="optstop", logged=9, skipped=0, record={}
    )
    assert not log.is_ours
    assert str(log) == "t ran whole under 'optstop': 9 samples of 9 logged (100%)."
    assert _scores("new", "arith", "match").stopped == ()


# --- Compare and doctor ---


@pytest.mark.filterwarnings("ignore::detectable.core.errors.SuspiciousDataWarning")
def test_compare_refuses_what_was_stopped_unless_told(tmp_path: Path) -> None:
    base = reference_data("data", "live_logs", "inspect")
    files = {name: next((base / name).glob("*_arith_*")) for name in ("early", "old")}
    scores = dt.read_scores(files, metric="match")
    with pytest.raises(DataError, match=r"Conclude its plan .*`allow_early_stop=True`"):
        dt.compare(scores, rng=1)
    found = dt.compare(scores, rng=1, allow_early_stop=True)
    assert any("was stopped early by plan 3674ea11" in note for note in found.notes)


def test_the_doctor_names_manager_share_and_plan() -> None:
    base = reference_data("data", "live_logs", "inspect")
    found = dt.doctor([str(next((base / "early").glob("*_arith_*")))])
    said = " ".join(found.suspicions)
    assert "arith was stopped early by plan 3674ea11: 32 samples of 120 logged (27%)." in said
