"""``detectable score``, and what people with logs of today's harnesses type, on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from tests.helpers import reference_data

INSPECT = ("data", "live_logs", "inspect")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def logs(which: str) -> Path:
    return reference_data(*INSPECT, which)


def gate(*words: object, new: str = "new") -> Result:
    return run("gate", logs(new), "--baseline", logs("old"), *words)


BOTH = ("--margin", "match=0.10", "--margin", "includes=0.10")


@pytest.mark.golden
def test_the_page_s_example_word_by_word() -> None:
    said = run("score", logs("new"))
    assert said.exit_code == 0, said.output
    assert said.stdout == (
        "mockllm/model on 2 tasks: 3 scores.\n"
        "On arith, a difference of 8.1 points from another system could be detected (80%\n"
        "power), if both agree on nine answers in ten.\n"
        "\n"
        "Scores\n"
        "task    metric     score    95% interval  questions  samples\n"
        "────────────────────────────────────────────────────────────\n"
        "arith   match      0.817  [0.737, 0.876]        120      120\n"
        "arith   closeness  0.750  [0.707, 0.794]        120      120\n"
        "lookup  includes   0.720  [0.607, 0.811]         50      100\n"
    )


@pytest.mark.golden
def test_the_last_sentence_is_the_mde_of_accuracy() -> None:
    found = json.loads(run("score", logs("new"), "--json").stdout)
    planned = run("mde", "accuracy", "--n", 120, "--agreement", 0.9, "--json")
    assert found["told_apart"] == json.loads(planned.stdout)["effect"]


@pytest.mark.golden
def test_tasks_with_different_scorers() -> None:
    said = gate(*BOTH, "--json")
    rows = json.loads(said.stdout)["rows"]
    assert [(row["task"], row["metric"]) for row in rows] == [
        ("arith", "match"),
        ("lookup", "includes"),
    ]
    assert said.exit_code == 4
    number = gate("--margin", "0.1")
    assert number.exit_code == 1
    assert number.stderr.splitlines()[-1] == (
        "Error: --margin 0.1 is one number, and the tasks are scored by several metrics (arith: "
        "match, closeness; lookup: includes). Give each its own: --margin match=0.1 --margin "
        "includes=0.1"
    )
    lacking = gate("--margin", "match=0.1")
    assert lacking.stderr.splitlines()[-1] == (
        "Error: task 'lookup' has none of match; it is scored by includes. Name that too, or choose "
        "other tasks with --task."
    )


@pytest.mark.golden
def test_a_log_against_itself_is_refused() -> None:
    said = run("gate", logs("new"), "--baseline", logs("new"), *BOTH)
    assert said.exit_code == 1
    assert "Error: NEW holds what the baseline holds" in said.stderr


@pytest.mark.golden
def test_errors_that_count_zero() -> None:
    rows = json.loads(gate(*BOTH, "--errors", "zero", "--json", new="errors").stdout)["rows"]
    assert [row["new"] for row in rows] == pytest.approx([0.75, 0.62])
    left = json.loads(gate(*BOTH, "--json", new="errors").stdout)["rows"]
    assert [row["n_items"] for row in left] == [115, 49]


@pytest.mark.golden
def test_what_samples_took() -> None:
    said = gate(*BOTH, "--margin", "tokens=10%", "--margin", "cost=10%", "--json")
    found = json.loads(said.stdout)
    tokens = next(
        row for row in found["rows"] if (row["task"], row["metric"]) == ("arith", "tokens")
    )
    assert (tokens["higher_is_better"], tokens["relative"]) == (False, True)
    assert 1.0 + tokens["difference"] == pytest.approx(0.849505, abs=1e-6)
    shown = gate(*BOTH, "--margin", "tokens=10%").stdout
    assert "−15.0%" in shown
    assert "tokens 10%" in shown


@pytest.mark.golden
def test_promptfoo_in_lines_of_json() -> None:
    path = reference_data("data", "live_logs", "promptfoo", "results.jsonl")
    said = run(
        "gate", path, "--baseline", "old", "--margin", "score=0.1", "--margin", "latency=10%"
    )
    assert said.exit_code == 4
    assert "Gate: inconclusive. Too few questions to decide on score." in said.stdout


@pytest.mark.golden
def test_every_table_of_a_comparison_says_pass_at_two() -> None:
    old, new = (next(logs(which).glob("*lookup*")) for which in ("old", "new"))
    said = run(
        "compare", "--scores", f"old={old}", "--scores", f"new={new}", "--metric", "pass@2"
    )
    assert "new and old: −0.0800 pass@2 (includes)." in said.stdout
    assert "Scores (metric pass@2 (includes))" in said.stdout
    assert "pass@2 (includes)  new     old" in said.stdout


@pytest.mark.golden
def test_a_comparison_of_tasks_with_different_scorers() -> None:
    each = ("--score-name", "match", "--score-name", "lookup=includes")
    said = run(
        "compare", "--scores", f"old={logs('old')}", "--scores", f"new={logs('new')}", *each
    )
    assert said.exit_code == 0, said.output
    assert "Undecided between new and old: −0.0292 match, includes." in said.stdout
    assert "A metric for each task: match (arith), includes (lookup)." in said.stderr


@pytest.mark.golden
def test_one_system_in_compare_is_sent_to_score() -> None:
    log = next(logs("new").glob("*lookup*"))
    said = run("compare", "--scores", log)
    assert said.exit_code == 1
    assert "What one scores, with intervals, says `detectable score`." in said.stderr


def test_a_direction_that_nothing_tells_must_be_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{system},{i},{10 + i % 3}" for system in ("old", "new") for i in range(40)]
    path.write_text("\n".join(["model,id,words", *rows, ""]))
    said = run("gate", path, "--baseline", "old", "--margin", 5)
    assert said.exit_code == 2
    assert "which way does words go? Say --lower-is-better words or" in said.stderr
    assert (
        run(
            "gate", path, "--baseline", "old", "--margin", 5, "--lower-is-better", "words"
        ).exit_code
        == 0
    )


def test_a_table_without_a_system_is_one_system_named_after_its_file(tmp_path: Path) -> None:
    for name, wrong in (("old", 3), ("new", 3)):
        rows = [f"q{i},{str(i >= wrong).lower()}" for i in range(80)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["prompt_id,passed", *rows, ""]))
    said = run("score", tmp_path / "old.csv", "--json")
    assert json.loads(said.stdout)["system"] == "old"
    gated = run(
        "gate", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv", "--margin", "0.1"
    )
    assert gated.exit_code == 1  # the same bytes under another name
    assert "NEW holds what the baseline holds" in gated.stderr
    (tmp_path / "new.csv").write_text((tmp_path / "old.csv").read_text() + "q99,true\n")
    passed = run(
        "gate", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv", "--margin", "0.1"
    )
    assert passed.exit_code == 0, passed.output
    assert "new against baseline old, passed" in passed.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--margin", "10%%"),
            "a share of the old score such as '10%', below 100%; got '10%%'",
        ),
        (("--margin", "0.1", "--decide", "slices"), "--decide slices needs --by"),
        (("--margin", "0.1", "--decide", "overall"), "--decide overall needs --overall"),
        (
            ("--margin", "0.1", "--rename", "x=y"),
            "--rename must name tasks of the baseline, all",
        ),
        (("--margin", "0.1", "--metric", "f1"), "--metric must be pass@K or pass^K"),
        (("--margin", "10%", "--self-test"), "--self-test knows gates of tasks with margins"),
        (("--margin", "0.1", "--by", "lang"), "there is no column 'lang' for the slice"),
    ],
)
def test_what_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    rows = [f"{s},{i},{int(i % 4 > 0)}" for s in ("old", "new") for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["model,id,correct", *rows, ""]))
    found = run("gate", path, "--baseline", "old", *words)
    assert found.exit_code == 1
    assert said in found.stderr.splitlines()[-1]
