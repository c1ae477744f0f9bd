"""What ``detectable gate`` cannot run on: one sentence, exit code 1, and the baseline as it was."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def run(*words: object) -> Result:
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_tasks, "the baseline has no items of any task. A mean alone cannot be paired"),
        (
            without_items,
            "the baseline has no items of task 'all'. A mean alone cannot be paired",
        ),
        (other_metric, "there is no metric 'f1'. Found: match."),
        (other_direction, "match: lower is better in the baseline, higher in the new scores."),
    ],
)
def test_a_baseline_that_is_none_for_these_scores(
    change: Callable[[dict[str, Any]], None], said: str
) -> None:
    run(log("old.json", "old"), "--baseline", "base.json", "--accept")
    content = json.loads(Path("base.json").read_text())
    change(content)
    Path("base.json").write_text(json.dumps(content))
    refused(said, log("new.json", "new"))


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
            "task 'all': the text of 40 questions changed since the baseline: 0, 1, 2, 3, 4 and 35 "
            "more. Give changed questions new names, or accept a new baseline.",
        ),
        ({"scorer": "f1"}, "there is no metric 'match'. Found: f1."),
    ],
)  # fmt: skip
def test_scores_that_do_not_fit_the_baseline(changes: dict[str, Any], said: str) -> None:
    run(log("old.json", "old"), "--baseline", "base.json", "--accept")
    refused(said, log("new.json", "new", **changes))


def test_a_table_without_the_name_of_its_scores() -> None:
    """It takes the name of the baseline, so its scores must at least be able to be these."""
    rows = [f"q{i},{i % 2}" for i in range(40)]
    Path("old.csv").write_text("\n".join(["item,old", *rows]))
    Path("new.csv").write_text("\n".join(["item,new", *(f"q{i},{i}.5" for i in range(40))]))
    run("old.csv", "--baseline", "base.json", "--accept")
    refused(
        "accuracy: the new scores go from 0.5 to 39.5, and the others are 0 and 1.", "new.csv"
    )


def refused(said: str, new: str) -> None:
    """Gate with all outputs: nothing but one sentence, everywhere, and the baseline untouched."""
    before = Path("base.json").read_bytes()
    found = run(new, "--baseline", "base.json", "--margin", 0.1, "--junit", "j.xml",
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
    found = run("both.csv", "--baseline", "old", "--margin", 0.1)
    assert found.exit_code == 4
    assert f"all cannot tell: {said}" in " ".join(found.stdout.split())
