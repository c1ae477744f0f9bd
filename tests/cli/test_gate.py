"""``detectable gate``: exit codes, files for pipelines, and what is refused."""

import csv
import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.study.gate.baseline import read_baseline
from tests.helpers import reference_data


@pytest.fixture
def _outside_of_actions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT", "GITHUB_SHA", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def run(*words: object) -> Result:
    result = CliRunner().invoke(main, ["gate", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        result.exception
    )
    return result


def write(path: str | Path, systems: dict[str, Any], **columns: list[Any]) -> Path:
    """Write scores (items, or samples by items) of systems as a table."""
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "item", "sample", "score", *columns])
        for name, scores in systems.items():
            table = np.atleast_2d(np.asarray(scores, dtype=float))
            for k, row in enumerate(table, start=1):
                writer.writerows(
                    [name, f"q{i}", k, score, *(column[i] for column in columns.values())]
                    for i, score in enumerate(row)
                )
    return Path(path)


def flips(n: int, broken: int, fixed: int = 0) -> dict[str, Any]:
    old, new = np.ones(n), np.ones(n)
    new[:broken], old[broken : broken + fixed] = 0.0, 0.0
    return {"old": old, "new": new}


@pytest.mark.usefixtures("_outside_of_actions")
def test_the_reference_data_prints_the_layout_and_exits_4() -> None:
    path = reference_data("data", "evals", "epochs.csv")
    said = run(path, "--baseline", "A", "--margin", "accuracy=0.05", "--summary", "summary.md")
    assert said.exit_code == 4
    assert said.stdout.splitlines() == [
        "Gate: inconclusive. Too few questions to decide on reading, code.",
        "B against baseline A, accuracy, non-inferiority margin 0.05, α = .05 one-sided,",
        "130 questions × 4 samples, 90 groups.",
        "reading is undecided: 50 questions in 10 groups. About 335 questions (or a",
        "margin of 0.268) would pass 4 times in 5 if nothing changed.",
        "code is undecided: 20 questions. About 339 questions (or a margin of 0.238)",
        "would pass 4 times in 5 if nothing changed.",
        "",
        "Rows",
        "task       old    new   diff.      90% interval  outcome       can pass",
        "───────────────────────────────────────────────────────────────────────",
        "math     0.629  0.688  +0.058  [−0.009, +0.126]  pass             0.103",
        "reading  0.740  0.850  +0.110  [−0.066, +0.286]  inconclusive     0.268",
        "code     0.463  0.450  −0.013  [−0.171, +0.146]  inconclusive     0.238",
        "Can pass: the smallest margin that an unchanged system passes with a chance of",
        "80%. Needs: about how many questions your margin needs for that chance.",
        "(not shown at this width: needs, questions)",
        "",
        "More with --all: losses (10 rows), tests (3 rows). Tables: --csv NAME:FILE.",
    ]
    summary = Path("summary.md").read_text()
    assert summary.startswith(
        "### detectable gate: inconclusive\nB against baseline A, accuracy"
    )
    assert "| math | .629 | .688 | +.058 | −.009 … +.126 | pass | .103 |" in summary


@pytest.mark.usefixtures("_outside_of_actions")
def test_the_reference_page_s_command_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """detectable gate logs/new/ --baseline evals/baseline.json … --json gate.json."""
    source = reference_data("data", "evals", "epochs.csv")
    Path("evals").mkdir()
    assert (
        run(source, "--system", "A", "--baseline", "evals/baseline.json", "--accept").exit_code
        == 0
    )
    Path("logs").mkdir()
    lines = source.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("A,")]
    Path("logs/new.csv").write_text("\n".join(kept) + "\n")
    Path("step.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "step.md")
    said = run(
        *("logs/new.csv", "--baseline", "evals/baseline.json", "--rule", "non-inferiority"),
        *("--margin", "accuracy=0.05", "--summary", os.environ["GITHUB_STEP_SUMMARY"]),
        *("--junit", "gate.xml", "--json", "gate.json"),
    )
    assert said.exit_code == 4, said.output
    found = json.loads(Path("gate.json").read_text())
    assert (found["outcome"], found["exit_code"]) == ("inconclusive", 4)
    wanted = {"task", "metric", "old", "new", "difference", "interval", "outcome"}
    assert all(wanted | {"margin_passable"} <= row.keys() for row in found["rows"])
    assert Path("step.md").read_text().startswith("before\n### detectable gate: inconclusive\n")
    assert ET.parse("gate.xml").getroot().attrib["skipped"] == "2"
    assert said.stdout.startswith("Gate: inconclusive.")


@pytest.mark.usefixtures("_outside_of_actions")
@pytest.mark.parametrize(
    ("broken", "options", "code", "outcome"),
    [
        (2, (), 0, "pass"),
        (30, (), 3, "fail"),
        (4, (), 4, "inconclusive"),
        (4, ("--inconclusive", "pass"), 0, "inconclusive"),
        (4, ("--inconclusive", "fail"), 3, "inconclusive"),
        (30, ("--inconclusive", "pass"), 3, "fail"),
    ],
)
def test_exit_codes(broken: int, options: tuple[str, ...], code: int, outcome: str) -> None:
    path = write("scores.csv", flips(300, broken))
    said = run(path, "--baseline", "old", "--margin", 0.025, "--json", *options)
    assert said.exit_code == code, said.output
    found = json.loads(said.stdout)
    assert (found["outcome"], found["exit_code"]) == (outcome, code)


@pytest.mark.usefixtures("_outside_of_actions")
def test_json_takes_a_file_or_prints() -> None:
    path = write("scores.csv", flips(300, 2))
    common = ("--baseline", "old", "--margin", 0.03)
    printed = run("--json", path, *common)
    assert json.loads(printed.stdout)["outcome"] == "pass"
    written = run(path, *common, "--json", "gate.json")
    assert written.stdout.startswith("Gate: pass.")
    assert json.loads(Path("gate.json").read_text()) == json.loads(printed.stdout)
    again = run(path, *common, "--json", "gate.json")
    assert again.exit_code == 1
    assert "gate.json exists already" in again.stderr
    assert run(path, *common, "--json", "gate.json", "--force").exit_code == 0


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_baseline_is_written_when_asked_and_never_otherwise() -> None:
    path = write("scores.csv", flips(300, 2))
    said = run(path, "--system", "old", "--baseline", "b.json", "--accept", "--commit", "3f2c")
    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("Accepted as the baseline: old, accuracy on 300 questions.")
    before = Path("b.json").read_bytes()
    assert run(path, "--system", "new", "--baseline", "b.json", "--margin", 0.03).exit_code == 0
    assert Path("b.json").read_bytes() == before
    again = run(path, "--system", "new", "--baseline", "b.json", "--accept", "--json")
    found = json.loads(again.stdout)
    assert found["system"] == "new"
    assert found["replaced"].startswith("old: accuracy on 300 questions")
    assert read_baseline("b.json").system == "new"


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_baseline_in_actions_has_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", "ab12")
    path = write("scores.csv", flips(50, 2))
    run(path, "--system", "old", "--baseline", "a.json", "--accept")
    assert read_baseline("a.json").commit == ""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run(path, "--system", "old", "--baseline", "b.json", "--accept")
    assert read_baseline("b.json").commit == "ab12"


@pytest.mark.usefixtures("_outside_of_actions")
def test_scores_of_the_old_system_are_a_baseline_too() -> None:
    both = flips(300, 2)
    write("old.csv", {"release": both["old"]})
    write("new.csv", {"night": both["new"]})
    said = run("new.csv", "--baseline", "old.csv", "--margin", 0.03, "--json")
    found = json.loads(said.stdout)
    assert (found["system"], found["baseline"], found["outcome"]) == (
        "night",
        "release",
        "pass",
    )
    write("two.csv", both)
    named = run(
        *("two.csv", "--system", "old", "--baseline", "two.csv"),
        *("--baseline-system", "new", "--margin", 0.03, "--json"),
    )
    assert json.loads(named.stdout)["system"] == "old"


@pytest.mark.usefixtures("_outside_of_actions")
def test_several_files_are_one_system() -> None:
    both = flips(300, 2)
    write("old.csv", {"x": both["old"]})
    for number in (1, 2):
        Path(f"new{number}.txt").write_text("\n".join(map(str, both["new"])) + "\n")
    said = run("night=new1.txt", "--baseline", "old.csv", "--margin", 0.03, "--json")
    assert "0 of 600 questions" in said.stderr  # lines are numbered, the table has names
    Path("old.txt").write_text("\n".join(map(str, both["old"])) + "\n")
    found = json.loads(
        run("new1.txt", "new2.txt", "--baseline", "old.txt", "--margin", 0.03, "--json").stdout
    )
    assert (found["system"], found["rows"][0]["samples_new"]) == ("new", 2.0)


@pytest.mark.usefixtures("_outside_of_actions")
def test_several_metrics_from_one_log() -> None:
    def log(path: str, right: Any, fluency: Any) -> None:
        samples = [
            {
                "id": i,
                "epoch": 1,
                "input": f"question {i}",
                "scores": {"match": {"value": float(a)}, "fluency": {"value": float(b)}},
            }
            for i, (a, b) in enumerate(zip(right, fluency, strict=True))
        ]
        content = {
            "version": 2,
            "status": "success",
            "eval": {"task": "toy", "model": path.removesuffix(".json")},
            "samples": samples,
        }
        Path(path).write_text(json.dumps(content))

    both, rng = flips(300, 2), np.random.default_rng(1)
    level = rng.normal(3.0, 1.0, 300)
    log("old.json", both["old"], level)
    log("new.json", both["new"], level - 0.5 + rng.normal(0, 0.5, 300))
    watched = run(
        *("new.json", "--baseline", "old.json", "--margin", "match=0.03"),
        *("--watch", "fluency", "--json"),
    )
    assert watched.exit_code == 0, watched.output
    rows = json.loads(watched.stdout)["rows"]
    assert [(row["metric"], row["watched"], row["outcome"]) for row in rows] == [
        ("match", False, "pass"),
        ("fluency", True, "fail"),
    ]
    accepted = run(
        *("old.json", "--baseline", "b.json", "--accept"),
        *("--score-name", "match", "--score-name", "fluency"),
    )
    assert accepted.exit_code == 0, accepted.output
    unclear = run("new.json", "--baseline", "b.json", "--margin", 0.3)
    assert unclear.exit_code == 1
    assert "Give each its margin: --margin match=0.3 --margin fluency=0.3." in unclear.stderr
    each = ("--margin", "match=0.3", "--margin", "fluency=0.3")
    gated = run("new.json", "--baseline", "b.json", *each, "--json")
    assert [row["metric"] for row in json.loads(gated.stdout)["rows"]] == ["match", "fluency"]
    # A question whose text changed under its old name is refused.
    text = Path("new.json").read_text().replace('question 7"', 'question seven"')
    Path("new.json").write_text(text)
    changed = run("new.json", "--baseline", "b.json", *each)
    assert changed.exit_code == 1
    assert "the text of 1 question changed since the baseline: 7." in changed.stderr
    unsure = run("new.json", "--baseline", "old.json", "--margin", 0.3, "--watch", "fluency")
    assert unsure.exit_code == 2
    assert "--watch needs to know what decides" in unsure.stderr


@pytest.mark.usefixtures("_outside_of_actions")
def test_attempts_are_counted_in_the_baseline_file_when_asked() -> None:
    write("old.csv", {"old": np.ones(300)})
    run("old.csv", "--baseline", "b.json", "--accept")
    numbers = []
    for broken in (5, 6, 5, 7):
        write("new.csv", {"new": flips(300, broken)["new"]})
        said = run(
            "new.csv", "--baseline", "b.json", "--margin", 0.03, "--count-attempts", "--json"
        )
        found = json.loads(said.stdout)
        numbers.append((found["attempt"], found["alpha"]))
    assert numbers == [(1, 0.025), (2, 0.0125), (1, 0.025), (3, 0.00625)]
    kept = read_baseline("b.json").attempts
    assert [len(tried) for tried in kept.values()] == [3]
    plain = json.loads(
        run("new.csv", "--baseline", "b.json", "--margin", 0.03, "--json").stdout
    )
    assert (plain["attempt"], plain["alpha"]) == (None, 0.05)
    told = json.loads(
        run(
            "new.csv", "--baseline", "b.json", "--margin", 0.03, "--attempt", 2, "--json"
        ).stdout
    )
    assert told["alpha"] == 0.0125


@pytest.mark.usefixtures("_outside_of_actions")
def test_the_self_test_is_seeded() -> None:
    path = write(
        "scores.csv", {name: np.tile(x, (3, 1)) for name, x in flips(80, 2, 3).items()}
    )
    words = (path, "--baseline", "old", "--margin", 0.1, "--self-test", "--resamples", 200)
    first, second = (json.loads(run(*words, "--seed", 1, "--json").stdout) for _ in range(2))
    assert first == second
    assert first["self_test"]["n_simulations"] == 200
    assert "seed:1" in first["signature"]
    assert "If nothing changed" in run(*words, "--seed", 1).stdout


# GitHub Actions


@pytest.mark.usefixtures("_outside_of_actions")
def test_actions_get_annotations_and_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("scores.csv", flips(300, 30))
    words = (path, "--baseline", "old", "--margin", 0.03, "--json")
    assert "::" not in run(*words).output
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    said = run(*words)
    assert said.stderr.startswith("::error title=detectable gate::all fail: −.100 [")
    assert json.loads(said.stdout)["outcome"] == "fail"
    assert Path("outputs").read_text() == "verdict=fail\nexit_code=3\n"
    assert "::" not in run(*words, "--no-github").stderr
    monkeypatch.delenv("GITHUB_ACTIONS")
    monkeypatch.delenv("GITHUB_OUTPUT")
    assert "::error" in run(*words, "--github").stderr


@pytest.mark.usefixtures("_outside_of_actions")
def test_what_could_not_run_is_said_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    path = write("scores.csv", flips(300, 2))
    said = run(
        *(path, "--baseline", "old", "--margin", 5, "--junit", "gate.xml"),
        *("--summary", "summary.md"),
    )
    assert said.exit_code == 1
    message = "--margin of accuracy must lie between 0 and 1"
    assert f"::error title=detectable gate::{message}" in said.stderr
    assert f"Error: {message}" in said.stderr
    assert Path("outputs").read_text() == "verdict=error\nexit_code=1\n"
    assert Path("summary.md").read_text().startswith("### detectable gate: could not run\n")
    root = ET.parse("gate.xml").getroot()
    assert root.attrib["errors"] == "1"
    error = root[0][0].find("error")
    assert error is not None
    assert error.attrib["message"].startswith(message)


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_junit_file_is_not_overwritten() -> None:
    path = write("scores.csv", flips(300, 2))
    Path("gate.xml").write_text("precious")
    words = (path, "--baseline", "old", "--margin", 0.03, "--junit", "gate.xml")
    said = run(*words)
    assert said.exit_code == 1
    assert "gate.xml exists already" in said.stderr
    assert Path("gate.xml").read_text() == "precious"
    assert run(*words, "--force").exit_code == 0


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_summary_that_cannot_be_written() -> None:
    path = write("scores.csv", flips(300, 2))
    said = run(path, "--baseline", "old", "--margin", 0.03, "--summary", "nowhere/s.md")
    assert said.exit_code == 1
    assert "nowhere/s.md cannot be written: No such file or directory." in said.stderr


# What is refused


@pytest.mark.usefixtures("_outside_of_actions")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--baseline", "old"), "needs --margin: the loss that you would mind"),
        (("--baseline", "older", "--margin", 0.1), "no such file, and no such system among"),
        (("--baseline", "old", "--margin", -1), "--margin must be a finite number above 0"),
        (("--baseline", "old", "--system", "x", "--margin", 0.1), "there is no system 'x'"),
        (("--baseline", "old", "--margin", 0.1, "--watch-task", "y"), "--watch-task must name"),
        (("--baseline", "old", "--margin", 0.1, "--attempt", 0), "--attempt must be a whole"),
        (("--baseline", "empty.json", "--margin", 0.1), "empty.json"),
        (("--baseline", "mean.json", "--margin", 0.1), "no items of task 'all'"),
        (
            ("--baseline", "other.json", "--system", "new", "--margin", 0.1),
            "0 of 600 questions",
        ),
        (("--baseline", "scores.csv", "--accept", "--system", "old"), "is no baseline file"),
        (("--baseline", "nowhere/b.json", "--accept", "--system", "old"), "No such file"),
    ],
)
def test_data_that_cannot_be_used_exit_1(words: tuple[object, ...], message: str) -> None:
    path = write("scores.csv", flips(300, 2))
    Path("empty.json").write_text("")
    both = {"other": np.ones(300)}
    write("renamed.csv", both)
    text = Path("renamed.csv").read_text().replace(",q", ",z")
    Path("renamed.csv").write_text(text)
    run("renamed.csv", "--baseline", "other.json", "--accept")
    content = json.loads(Path("other.json").read_text())
    content["tasks"] = {"all": {"mean": 0.9}}
    Path("mean.json").write_text(json.dumps(content))
    said = run(path, *words)
    assert said.exit_code == 1, said.output
    assert message in said.stderr
    assert "Traceback" not in said.output
    assert len([line for line in said.stderr.splitlines() if line.startswith("Error")]) == 1


@pytest.mark.usefixtures("_outside_of_actions")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing option '--baseline'"),
        (("--baseline", "old", "--rule", "maybe"), "'maybe' is not one of"),
        (("--baseline", "old", "--margin", "x"), "--margin takes a number"),
        (("--baseline", "old", "--inconclusive", "own"), "is not one of 'pass', 'fail'"),
        (
            ("--baseline", "b.json", "--accept", "--margin", 0.1),
            "--margin has no effect on --accept. Drop it.",
        ),
        (
            ("--baseline", "b.json", "--accept", "--self-test"),
            "--self-test has no effect on --accept",
        ),
        (("--baseline", "old", "--commit", "x"), "--commit has no effect without --accept"),
        (
            ("--baseline", "old", "--margin", 0.1, "--seed", 1),
            "--seed has no effect on a gate without --self-test",
        ),
        (
            ("--baseline", "old", "--margin", 0.1, "--resamples", 10),
            "--resamples has no effect on a gate without --self-test",
        ),
        (
            ("--baseline", "old", "--margin", 0.1, "--count-attempts"),
            "--count-attempts needs a baseline file",
        ),
        (
            ("--baseline", "b.json", "--margin", 0.1, "--count-attempts", "--attempt", 1),
            "both say which try it is",
        ),
        (
            ("--baseline", "b.json", "--margin", 0.1, "--baseline-system", "x"),
            "--baseline-system has no effect on a baseline file",
        ),
    ],
)
def test_what_is_typed_wrongly_exits_2(words: tuple[object, ...], message: str) -> None:
    path = write("scores.csv", flips(300, 2))
    run(path, "--system", "old", "--baseline", "b.json", "--accept")
    said = run(path, *words)
    assert said.exit_code == 2, said.output
    assert message in said.stderr


@pytest.mark.usefixtures("_outside_of_actions")
def test_different_items_are_refused_unless_allowed() -> None:
    both = flips(300, 2)
    write("old.csv", {"old": both["old"][:250]})
    write("new.csv", {"new": both["new"]})
    words = ("new.csv", "--baseline", "old.csv", "--margin", 0.05)
    said = run(*words)
    assert said.exit_code == 1
    assert "250 of 300 questions are in both the baseline (250)" in said.stderr
    assert said.stderr.rstrip().endswith("or allow it with --allow-different-items.")
    allowed = run(*words, "--allow-different-items", "--json")
    assert allowed.exit_code == 0
    assert json.loads(allowed.stdout)["rows"][0]["n_items"] == 250
    assert "only those are gated" in allowed.stderr


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_kept_result_is_shown_again_and_exits_0() -> None:
    path = write("scores.csv", flips(300, 30))
    assert run(path, "--baseline", "old", "--margin", 0.03, "--out", "kept.json").exit_code == 3
    shown = CliRunner().invoke(main, ["report", "kept.json"])
    assert shown.exit_code == 0, shown.output
    assert "Gate: fail. new is worse than old on all." in shown.stdout


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_kept_gate_is_verified_whatever_its_exit_code() -> None:
    path = write("scores.csv", flips(300, 30))
    words = (path, "--baseline", "old", "--margin", 0.03, "--json", "--out", "kept.json")
    assert run(*words, "--summary", "s.md", "--junit", "g.xml").exit_code == 3
    for name in ("s.md", "g.xml"):
        Path(name).unlink()
    said = CliRunner().invoke(main, ["verify", "kept.json"])
    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("The same")
    assert not Path("s.md").exists()
    assert not Path("g.xml").exists()


@pytest.mark.usefixtures("_outside_of_actions")
def test_accepting_is_not_repeated_by_verify() -> None:
    path = write("scores.csv", flips(300, 30))
    run(path, "--system", "old", "--baseline", "b.json", "--accept", "--out", "kept.json")
    before = Path("b.json").read_bytes()
    said = CliRunner().invoke(main, ["verify", "kept.json"])
    assert "--accept writes a file of its own" in said.output
    assert Path("b.json").read_bytes() == before


# --- What ``detectable gate`` cannot run on: one sentence, exit code 1, and the baseline as it was ---


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def run_of_gate_refusals(*words: object) -> Result:
    return CliRunner().invoke(main, ["gate", *map(str, words)])


def log(
    name: str, model: str, text: str = "What is", first: int = 0, scorer: str = "match"
) -> str:
    """Write a log of Inspect with forty questions."""
    samples = [
        {
            "id": i,
            "epoch": 1,
            "input": f"{text} {i}?",
            "scores": {scorer: {"value": "C" if i % 3 else "I"}},
        }
        for i in range(first, first + 40)
    ]
    head = {"eval": {"task": "arc", "model": model}, "status": "success"}
    Path(name).write_text(json.dumps({**head, "samples": samples}))
    return name


def without_tasks(content: dict[str, Any]) -> None:
    content["tasks"] = {}


def without_items(content: dict[str, Any]) -> None:
    for task in content["tasks"].values():
        del task["items"]


def other_metric(content: dict[str, Any]) -> None:
    content["metric"]["name"] = "f1"


def other_direction(content: dict[str, Any]) -> None:
    content["metric"]["higher_is_better"] = False


@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_tasks, "the baseline has no items of any task. A mean alone cannot be paired"),
        (
            without_items,
            "the baseline has no items of task 'arc'. A mean alone cannot be paired",
        ),
        (other_metric, "there is no metric 'f1'. Found: match."),
        (other_direction, "match: lower is better in the baseline, higher in the new scores."),
    ],
)
def test_a_baseline_that_is_none_for_these_scores(
    change: Callable[[dict[str, Any]], None], said: str
) -> None:
    run_of_gate_refusals(log("old.json", "old"), "--baseline", "base.json", "--accept")
    content = json.loads(Path("base.json").read_text())
    change(content)
    Path("base.json").write_text(json.dumps(content))
    refused(said, log("new.json", "new"))


@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"first": 100}, "0 of 80 questions are in both the baseline (40) and the new scores (40)"),
        (
            {"first": 20},
            "20 of 60 questions are in both the baseline (40) and the new scores (40), 33%; at "
            "least 90% must be.",
        ),
        (
            {"text": "What was"},
            "task 'arc': the text of 40 questions changed since the baseline: 0, 1, 2, 3, 4 and 35 "
            "more. Give changed questions new names, or accept a new baseline.",
        ),
        ({"scorer": "f1"}, "there is no metric 'match'. Found: f1."),
    ],
)  # fmt: skip
def test_scores_that_do_not_fit_the_baseline(changes: dict[str, Any], said: str) -> None:
    run_of_gate_refusals(log("old.json", "old"), "--baseline", "base.json", "--accept")
    refused(said, log("new.json", "new", **changes))


@pytest.mark.usefixtures("_alone")
def test_a_table_without_the_name_of_its_scores() -> None:
    """It takes the name of the baseline, so its scores must at least be able to be these."""
    rows = [f"q{i},{i % 2}" for i in range(40)]
    Path("old.csv").write_text("\n".join(["item,old", *rows]))
    Path("new.csv").write_text("\n".join(["item,new", *(f"q{i},{i}.5" for i in range(40))]))
    run_of_gate_refusals("old.csv", "--baseline", "base.json", "--accept")
    refused(
        "accuracy: the new scores go from 0.5 to 39.5, and the others are 0 and 1.", "new.csv"
    )


def refused(said: str, new: str) -> None:
    """Gate with all outputs: nothing but one sentence, everywhere, and the baseline untouched."""
    before = Path("base.json").read_bytes()
    found = run_of_gate_refusals(new, "--baseline", "base.json", "--margin", 0.1, "--junit", "j.xml",
                "--summary", "s.md", "--count-attempts")  # fmt: skip
    assert found.exit_code == 1
    assert found.stdout == ""
    errors = [line for line in found.stderr.splitlines() if not line.startswith("Note: ")]
    assert len(errors) == 1, found.stderr
    assert errors[0].startswith("Error: ")
    assert said in errors[0]
    assert "<error" in Path("j.xml").read_text()
    assert Path("s.md").read_text().startswith("### detectable gate: could not run\n")
    assert Path("base.json").read_bytes() == before


@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["q1,d1,1,0"], "there is one question, so nothing is known about chance."),
        (
            ["q1,d1,1,0", "q2,d1,0,1"],
            "all questions are in one group, so nothing is known about chance.",
        ),
        (
            [f"q{i},d1,{i % 2},{i % 3 % 2}" for i in range(40)],
            "all questions are in one group, so nothing is known about chance.",
        ),
        (
            [f"q{i},d{i},0.75,0.5" for i in range(40)],
            "every question has the same difference, so nothing is known about its spread.",
        ),
    ],
)
def test_what_says_nothing_about_chance_is_open(rows: list[str], said: str) -> None:
    Path("both.csv").write_text("\n".join(["item,document,new,old", *rows]))
    words = [] if rows[0].endswith(",0") else ["--higher-is-better", "score"]
    found = run_of_gate_refusals("both.csv", "--baseline", "old", "--margin", 0.1, *words)
    assert found.exit_code == 4
    assert f"all is undecided: {said}" in " ".join(found.stdout.split())


# --- Logs of several runs: nothing is pooled, and nothing is held against itself ---


def inspect_log(
    path: Path, wrong: int, *, created: str = "2026-11-01T10:00:00", **more: Any
) -> Path:
    """Write a log of 60 questions, some of them wrong."""
    log = {
        "status": "success",
        "eval": {"task": "arith", "model": "lab/m", "created": created, **more},
        "samples": [
            {"id": i, "epoch": 1, "scores": {"match": {"value": "I" if i < wrong else "C"}}}
            for i in range(60)
        ],
    }
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(log))
    return path


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_folder_with_an_old_and_a_worse_run_is_not_pooled() -> None:
    inspect_log(Path("old.json"), 2)
    inspect_log(Path("logs/1.json"), 2)
    inspect_log(Path("logs/2.json"), 14, created="2026-11-02T10:00:00")
    said = run("logs", "--baseline", "old.json", "--margin", "0.1")
    assert said.exit_code == 3, said.output
    assert "60 questions." in said.stdout  # of one sample each
    assert (
        "logs: arith: 2 logs, the newest (2.json) is read. --pool takes all as samples."
        in said.stderr
    )


@pytest.mark.usefixtures("_outside_of_actions")
def test_runs_that_differ_are_systems_and_one_must_be_chosen() -> None:
    inspect_log(Path("old.json"), 2)
    for version, wrong in (("v1", 2), ("v2", 14)):
        inspect_log(Path(f"logs/{version}.json"), wrong, metadata={"prompt": version})
    said = run("logs", "--baseline", "old.json", "--margin", "0.1")
    assert said.exit_code == 1
    assert said.stderr.strip() == (
        "Error: the scores hold 2 systems: lab/m (metadata.prompt=v1), lab/m (metadata.prompt=v2). "
        "Say which one is meant with --system 'lab/m (metadata.prompt=v2)'."
    )
    chosen = run(
        "logs",
        "--baseline",
        "old.json",
        "--margin",
        "0.1",
        "--system",
        "lab/m (metadata.prompt=v2)",
    )
    assert chosen.exit_code == 3


@pytest.mark.usefixtures("_outside_of_actions")
def test_the_baseline_is_no_part_of_the_new_system() -> None:
    inspect_log(Path("old/1.json"), 2)
    inspect_log(Path("bad/2.json"), 14)
    said = run("old", "bad", "--baseline", "old", "--margin", "0.1")
    assert said.exit_code == 1
    assert said.stderr.splitlines()[-1] == (
        "Error: NEW holds what the baseline holds: old/1.json. A system that is gated against "
        "itself passes. Leave the files of the baseline out of NEW."
    )
    copied = inspect_log(Path("copy/of.json"), 2)  # the same bytes by another name
    assert run(copied, "--baseline", "old", "--margin", "0.1").exit_code == 1
    assert run("bad", "--baseline", "old", "--margin", "0.1").exit_code == 3


@pytest.mark.usefixtures("_outside_of_actions")
def test_one_table_may_hold_both_sides() -> None:
    table = write("both.csv", flips(300, 3))
    both = (table, "--baseline", table, "--margin", "0.05", "--system", "new")
    assert run(*both).exit_code == 0
    assert run(*both, "--baseline-system", "old").exit_code == 0
    itself = run(*both, "--baseline-system", "new")
    assert itself.exit_code == 1
    assert "NEW holds what the baseline holds: both.csv" in itself.stderr


@pytest.mark.usefixtures("_outside_of_actions")
def test_equal_scores_are_said() -> None:
    inspect_log(Path("old.json"), 2)
    inspect_log(Path("new.json"), 2, run_id="another")
    said = run("new.json", "--baseline", "old.json", "--margin", "0.1")
    assert (
        "Note: All 60 scores of lab/m on arith equal those of lab/m. Is it the same run?"
        in said.stderr
    )


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_direction_that_nothing_tells_must_be_said() -> None:
    rng = np.random.default_rng(1)
    words = rng.gamma(4.0, 10.0, 100)
    table = write("s.csv", {"old": words, "new": words + rng.normal(9.0, 1.0, 100)})
    gated = (table, "--baseline", "old", "--score-name", "words", "--margin", "1")
    said = run(*gated)
    assert said.exit_code == 2
    assert said.stderr.strip() == (
        "Error: which way does words go? Say --lower-is-better words or --higher-is-better words."
    )
    assert run(*gated, "--higher-is-better", "words").exit_code == 0
    assert run(*gated, "--lower-is-better", "words").exit_code == 3


@pytest.mark.usefixtures("_outside_of_actions")
def test_no_baseline_is_accepted_whose_direction_nothing_tells() -> None:
    words = np.random.default_rng(1).gamma(4.0, 10.0, 100)
    table = write("s.csv", {"old": words, "new": words + 1.0})
    accepting = (table, "--system", "old", "--score-name", "words", "--baseline", "b.json")
    said = run(*accepting, "--accept")
    assert said.exit_code == 2
    assert "which way does words go? Say --lower-is-better words" in said.stderr
    assert not Path("b.json").exists()
    assert run(*accepting, "--accept", "--lower-is-better", "words").exit_code == 0


@pytest.mark.usefixtures("_outside_of_actions")
def test_an_accepted_direction_is_kept_and_signs_are_those_of_the_scores() -> None:
    rng = np.random.default_rng(1)
    words = rng.gamma(4.0, 10.0, 100)
    table = write("s.csv", {"old": words, "new": words + rng.normal(9.0, 1.0, 100)})
    named = ("--score-name", "words")
    accepted = run(
        table,
        "--system",
        "old",
        *named,
        "--baseline",
        "b.json",
        "--accept",
        "--lower-is-better",
        "words",
    )
    assert accepted.exit_code == 0, accepted.output
    said = run(
        table, "--system", "new", *named, "--baseline", "b.json", "--margin", "1",
        "--json", "g.json", "--csv", "rows:g.csv", "--junit", "g.xml", "--summary", "g.md",
    )  # fmt: skip
    assert said.exit_code == 3
    (row,) = json.loads(Path("g.json").read_text())["rows"]
    assert row["difference"] == pytest.approx(row["new"] - row["old"])
    assert row["interval"][0] < row["difference"] < row["interval"][1]
    (line,) = csv.DictReader(Path("g.csv").read_text().splitlines())
    assert float(line["difference"]) == row["difference"]
    assert float(line["interval_low"]) == row["interval"][0]
    shown = f"+{row['difference']:.2f}"
    assert shown in said.stdout
    assert shown in Path("g.md").read_text()
    assert f'name="difference" value="{row["difference"]!r}"' in Path("g.xml").read_text()


# --- A comment on a pull request ---


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_comment_is_markdown_below_a_line_that_nobody_sees() -> None:
    inspect_log(Path("old.json"), 2)
    inspect_log(Path("new.json"), 14, run_id="b")
    said = run("new.json", "--baseline", "old.json", "--margin", "0.1", "--comment", "c.md")
    assert said.exit_code == 3
    written = Path("c.md").read_text()
    assert written.startswith("<!-- detectable:gate:gate -->\n### detectable gate: fail\n")
    assert "| arith | .967 | .767 | −.200 |" in written
    lost = written.partition("Questions that lost most")[2].partition("</details>")[0]
    assert lost.count("| arith | ") == 10  # at most, of twelve
    assert "`gate|metrics:match|" in written
    again = run("new.json", "--baseline", "old.json", "--margin", "0.1", "--comment", "c.md")
    assert (again.exit_code, "--force" in again.stderr) == (1, True)
    named = run(
        *("new.json", "--baseline", "old.json", "--margin", "0.1", "--comment", "n.md"),
        *("--comment-name", "nightly.de"),
    )
    assert named.exit_code == 3
    assert Path("n.md").read_text().startswith("<!-- detectable:gate:nightly.de -->\n")


@pytest.mark.usefixtures("_outside_of_actions")
def test_texts_of_logs_call_nobody_in_a_comment_and_end_no_line() -> None:
    task = "@team/all #12 <b> | x --> gh-3"
    for name, wrong in (("old", 2), ("new", 14)):
        log = inspect_log(Path(f"{name}.json"), wrong, run_id=name)
        content = json.loads(log.read_text())
        content["eval"]["task"] = task
        log.write_text(json.dumps(content))
    run("new.json", "--baseline", "old.json", "--margin", "0.1", "--comment", "c.md")
    written = Path("c.md").read_text()
    assert "@team" not in written
    assert "#12" not in written
    assert "gh-3" not in written
    assert "<b>" not in written
    assert written.count("-->") == 1
    assert "@\u200bteam/all" in written


@pytest.mark.usefixtures("_outside_of_actions")
def test_a_comment_stays_below_what_github_takes() -> None:
    rows = ["system,item,task,score"]
    for number in range(900):
        task = f"@a{number}-" + "long" * 20
        for system in ("old", "new"):
            rows += [f"{system},q{i},{task},{int(i % 3 > 0)}" for i in range(4)]
    Path("s.csv").write_text("\n".join(rows))
    said = run("s.csv", "--baseline", "old", "--margin", "0.5", "--comment", "c.md")
    assert said.exit_code in (0, 3, 4), said.output
    written = Path("c.md").read_text()
    assert 40_000 < len(written) < 60_000
    assert "more rows are left out here." in written


@pytest.mark.usefixtures("_outside_of_actions")
def test_what_could_not_run_is_a_comment_too() -> None:
    inspect_log(Path("old.json"), 2)
    said = run("@nowhere", "--baseline", "old.json", "--margin", "0.1", "--comment", "c.md")
    assert said.exit_code == 1
    written = Path("c.md").read_text()
    assert written.startswith(
        "<!-- detectable:gate:gate -->\n### detectable gate: could not run"
    )
    assert "@nowhere" not in written


@pytest.mark.usefixtures("_outside_of_actions")
@pytest.mark.parametrize("name", ["a b", "x-->", "", "a--b"])
def test_a_name_that_would_end_the_line_is_refused(name: str) -> None:
    inspect_log(Path("old.json"), 2)
    words = ("old.json", "--baseline", "old.json", "--margin", "0.1")
    said = run(*words, "--comment", "c.md", "--comment-name", name)
    assert said.exit_code == 2
    assert "takes letters, digits" in said.stderr
    alone = run(*words, "--comment-name", "x")
    assert alone.exit_code == 2
    assert "--comment-name has no effect on a gate without --comment" in alone.stderr
