"""What people with logs of today's harnesses tried first, a test for every line of that list."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.data.scores.direction import direction_of_name
from tests.helpers import reference_data

pytestmark = pytest.mark.filterwarnings("ignore::detectable.core.errors.DetectableWarning")
BOTH = ("--margin", "match=0.10", "--margin", "includes=0.10")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def logs(*parts: str) -> Path:
    return reference_data("data", "live_logs", *parts)


def arith(which: str) -> Path:
    (found,) = logs("inspect", which).glob("*arith*")
    return found


def last(said: Result) -> str:
    return said.stderr.strip().splitlines()[-1]


def table(tmp_path: Path, header: str, rows: list[str], name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    return path


def test_look_reads_the_logs_of_a_harness(tmp_path: Path) -> None:
    plan = tmp_path / "ship.json"
    old = logs("inspect", "old")
    made = run("plan", "new", plan, "--against", old, *BOTH, "--seed", 7)
    assert made.exit_code == 0, made.output
    looked = run("look", plan, logs("inspect", "new"), "--json")
    assert looked.exit_code == 0, looked.output
    tasks = {row["task"] for row in json.loads(looked.stdout)["tasks"]}
    assert tasks == {"arith", "lookup"}


def test_tasks_with_different_scorers_are_one_gate() -> None:
    said = run("gate", logs("inspect", "new"), "--baseline", logs("inspect", "old"), *BOTH)
    assert said.exit_code == 4
    assert "there is no metric" not in said.output


def test_of_an_old_and_a_new_log_of_one_task_the_newest_is_read(tmp_path: Path) -> None:
    for which in ("old", "new"):
        log = {
            "status": "success",
            "eval": {"task": "t", "model": "m", "created": f"2026-11-0{1 + (which == 'new')}"},
            "samples": [
                {"id": i, "epoch": 1, "scores": {"match": {"value": "CI"[which == "new"]}}}
                for i in range(40)
            ],
        }
        for folder in ("base", "both") if which == "old" else ("both",):
            (tmp_path / folder).mkdir(exist_ok=True)
            text = json.dumps(log | {"note": folder})
            (tmp_path / folder / f"{which}.json").write_text(text)
    said = run("gate", tmp_path / "both", "--baseline", tmp_path / "base", "--margin", 0.1)
    assert said.exit_code == 3, said.output  # not half of both
    assert (
        "t: 2 logs, the newest (new.json) is read. --pool takes all as samples." in said.stderr
    )


def test_a_log_against_itself_is_refused_by_bytes_and_by_its_run(tmp_path: Path) -> None:
    old = logs("inspect", "old")
    said = run("gate", old, "--baseline", old, *BOTH)
    assert (said.exit_code, "NEW holds what the baseline holds" in said.stderr) == (1, True)
    with pytest.raises(dt.DataError, match="NEW holds what the baseline holds"):
        dt.gate(old, old, margin={"match": 0.1, "includes": 0.1})
    for name in ("once", "again"):  # the same run in other bytes
        log = {
            "status": "success",
            "note": name,
            "eval": {"task": "t", "model": "m", "eval_id": "A7"},
            "samples": [
                {"id": i, "epoch": 1, "scores": {"match": {"value": "CI"[i % 2]}}}
                for i in range(40)
            ],
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    once, again = tmp_path / "once.json", tmp_path / "again.json"
    said = run("gate", again, "--baseline", once, "--margin", "0.1")
    assert said.exit_code == 1
    assert last(said).startswith(
        "Error: NEW holds the baseline's own log: the run A7 is on both"
    )


def test_one_task_keeps_its_name() -> None:
    said = run(
        "gate", arith("new"), "--baseline", arith("old"), "--margin", "match=0.1", "--json"
    )
    assert [row["task"] for row in json.loads(said.stdout)["rows"]] == ["arith"]


def test_errors_can_count_as_failures() -> None:
    new, old = logs("inspect", "errors"), logs("inspect", "old")
    said = run("gate", new, "--baseline", old, *BOTH, "--errors", "zero", "--json")
    assert [row["new"] for row in json.loads(said.stdout)["rows"]] == pytest.approx(
        [0.75, 0.62]
    )


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        *((name, True) for name in ("cost", "price", "usd", "latency", "ttft", "tpot", "time")),
        *(
            (name, True)
            for name in ("duration", "runtime", "elapsed", "seconds", "ms", "tokens")
        ),
        *((name, True) for name in ("memory", "hallucination", "ece", "total_time")),
        *((name, True) for name in ("latencyMs", "total_tokens", "cost_usd")),
        *((name, False) for name in ("throughput", "tps", "tokens_per_second", "passed")),
        ("success", False),
        *((name, None) for name in ("words", "length", "steps", "turns", "refusal", "score")),
    ],
)
def test_which_way_a_measure_goes(name: str, lower: bool | None) -> None:
    assert direction_of_name(name) == {True: "lower", False: "higher", None: "unknown"}[lower]


@pytest.mark.parametrize("file", ["results.json", "results.jsonl"])
def test_promptfoo_with_latency_and_cost(file: str) -> None:
    said = run(
        *("gate", logs("promptfoo", file), "--baseline", "old", "--margin", "score=0.1"),
        *("--margin", "latency=10%", "--margin", "cost=10%", "--json"),
    )
    rows = {row["metric"]: row for row in json.loads(said.stdout)["rows"]}
    assert [rows[name]["higher_is_better"] for name in ("score", "latency", "cost")] == [
        True,
        False,
        False,
    ]
    assert rows["cost"]["outcome"] == "fail"


def test_inspect_with_latency_and_cost() -> None:
    new, old = arith("new"), arith("old")
    said = run("gate", new, "--baseline", old, "--margin", "latency=10%", "--json")
    (row,) = json.loads(said.stdout)["rows"]
    assert (row["metric"], row["higher_is_better"]) == ("latency", False)


def test_columns_model_id_correct(tmp_path: Path) -> None:
    rows = [
        f"{m},{i},{str(i % 10 > bad).lower()}"
        for m, bad in (("a", 2), ("b", 3))
        for i in range(60)
    ]
    path = table(tmp_path, "model,id,correct", rows)
    found = dt.read_scores(path)
    assert (list(found.systems), found.n_items, found.metric) == (["a", "b"], 60, "correct")
    assert found.systems["a"].mean() == pytest.approx(0.7)
    assert run("compare", "--scores", path).exit_code == 0


def test_columns_prompt_id_passed_are_one_system(tmp_path: Path) -> None:
    rows = [f"q{i},{i % 5 > 0}" for i in range(60)]
    found = dt.read_scores(table(tmp_path, "prompt_id,passed", rows, "bot.csv"))
    assert (list(found.systems), found.n_items, found.metric) == (["bot"], 60, "passed")


def test_one_system_is_sent_to_score() -> None:
    said = run("compare", "--scores", arith("new"), "--score-name", "match")
    assert said.exit_code == 1
    assert "`detectable score`" in last(said)
    assert run("score", arith("new")).exit_code == 0


def test_pass_at_two_is_called_so_in_every_table() -> None:
    old, new = (next(logs("inspect", which).glob("*lookup*")) for which in ("old", "new"))
    said = run(
        "compare",
        "--scores",
        f"old={old}",
        "--scores",
        f"new={new}",
        "--metric",
        "pass@2",
        "--json",
    )
    named = {row["metric"] for row in json.loads(said.stdout)["systems"]}
    assert named == {"pass@2"}


def test_mcnemar_is_exact() -> None:
    given = ("--scores", f"old={arith('old')}", "--scores", f"new={arith('new')}")
    said = run("compare", *given, "--score-name", "match", "--json")
    (pair,) = json.loads(said.stdout)["pairs"]
    assert pair["p_value"] == pytest.approx(0.458258, abs=5e-7)
    assert tuple(pair["interval"]) == pytest.approx((-0.048176, 0.132534), abs=5e-7)
    assert "|seed:" not in said.stderr  # nothing is drawn


@pytest.mark.parametrize("made", [dict, pl.DataFrame])
def test_frames_are_taken(made: Any) -> None:
    frame = made({"item": list(range(40)), "old": [1, 0] * 20, "new": [1, 1, 0, 1] * 10})
    assert dt.read_scores(frame).n_items == 40
    assert dt.compare(frame, baseline="old").pairs
    assert dt.gate(frame, "old", margin=0.3, metrics=()).rows
    assert dt.doctor(frame).next_command


def test_two_runs_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    for which in ("old", "new"):
        shutil.copy(arith(which), tmp_path)
    said = run(
        "gate",
        tmp_path,
        "--baseline",
        logs("inspect", "old"),
        "--margin",
        "match=0.1",
        "--task",
        "arith",
    )
    assert said.exit_code == 1
    assert "the scores hold 2 systems: mockllm/model (ask.version=old)" in last(said)


@pytest.mark.parametrize("names", [("match", "includes"), ("match", "lookup=includes")])
def test_a_suite_that_stopped_early_is_refused_by_compare_too(names: tuple[str, str]) -> None:
    given = [word for name in names for word in ("--score-name", name)]
    old, early = (
        f"{name}={logs('inspect', which)}" for name, which in (("old", "old"), ("new", "early"))
    )
    said = run("compare", "--scores", old, "--scores", early, *given)
    assert said.exit_code == 1
    assert "arith was stopped early by plan 3674ea11" in last(said)
    shown = run("compare", "--scores", old, "--scores", early, *given, "--allow-early-stop")
    assert shown.exit_code == 0


def test_the_score_of_a_log_that_stopped_early_says_so() -> None:
    said = run("score", logs("inspect", "early"))
    assert "lookup was stopped early by plan be570d18: 35 samples of 100 logged" in said.stderr
    assert "this interval does not know of it" in said.stderr


def test_the_doctor_reads_two_suites_and_names_the_commands() -> None:
    old, new = logs("inspect", "old"), logs("inspect", "new")
    said = run("doctor", old, new, "--json")
    found = json.loads(said.stdout)
    commands = [one["command"] for one in found["questions"] if one["command"]]
    assert [one.split()[1] for one in commands] == ["compare", "gate"]
    assert commands[0].endswith("--score-name match --score-name includes")
    assert "--margin match=0.16 --margin includes=0.16" in commands[1]
    one = json.loads(run("doctor", old, "--json").stdout)
    assert [row["command"].split()[1] for row in one["questions"] if row["command"]] == [
        "score"
    ]


def test_a_cost_that_fails_is_printed_with_digits_that_differ() -> None:
    said = run(
        "gate", logs("promptfoo", "results.json"), "--baseline", "old", "--margin", "cost=10%"
    )
    assert "fails: 0.000703 before, 0.000947 now" in " ".join(said.stdout.split())


def stopped_by_another(tmp_path: Path) -> tuple[Path, Path]:
    """Write two tasks, whole, and again with one that a manager of early stopping cut."""
    for which in ("old", "new"):
        for task, n in (("a", 120), ("b", 32 if which == "new" else 120)):
            log: dict[str, Any] = {
                "status": "success",
                "eval": {"task": task, "model": "m", "eval_id": which + task},
                "samples": [
                    {
                        "id": i,
                        "epoch": 1,
                        "scores": {"match": {"value": "CI"[(i + n) % 7 == 0]}},
                    }
                    for i in range(n)
                ],
            }
            if n < 120:
                skipped = [{"id": i, "epoch": 1, "reason": "sure"} for i in range(n, 120)]
                early = {"manager": "optstop", "early_stops": skipped, "metadata": {}}
                log["results"] = {"early_stopping": early}
            (tmp_path / which).mkdir(exist_ok=True)
            (tmp_path / which / f"{task}.json").write_text(json.dumps(log))
    return tmp_path / "old", tmp_path / "new"


def test_a_log_that_another_manager_stopped_is_refused_by_its_reason(tmp_path: Path) -> None:
    old, new = stopped_by_another(tmp_path)
    said = run("gate", new, "--baseline", old, "--margin", 0.1)
    assert said.exit_code == 1
    assert "stopped early by 'optstop' after 32 of 120 samples" in last(said)
    seen = run("gate", new, "--baseline", old, "--margin", 0.1, "--allow-early-stop", "--json")
    rows = {row["task"]: row for row in json.loads(seen.stdout)["rows"]}
    assert [rows[task]["watched"] for task in ("a", "b")] == [False, True]
    alone = run(
        *("gate", new / "b.json", "--baseline", old / "b.json", "--margin", 0.1),
        "--allow-early-stop",
    )
    assert "every task was stopped early by another manager, so no row can decide" in last(
        alone
    )
