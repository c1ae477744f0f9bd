"""``detectable tasks``."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import Commands
from detectable.cli.noise import quality
from detectable.cli.tasks import tasks
from detectable.data.human.read_judgments import read_judgments

group = Commands("detectable", commands=[tasks, quality])


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    for who in ("ref", "src", "a", "b"):
        lines = [f"{who} wrote a line number {i} , in full ." for i in range(80)]
        (tmp_path / f"{who}.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "docs.txt").write_text("\n".join(f"doc{i // 8}" for i in range(80)) + "\n")
    files = {name: str(tmp_path / f"{name}.txt") for name in ("ref", "src", "a", "b", "docs")}
    return [
        *("--refs", files["ref"], "--sources", files["src"], "--documents", files["docs"]),
        *("--system", f"A={files['a']}", "--system", f"B={files['b']}"),
    ]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["tasks", *map(str, arguments)])


def test_people_see_what_is_handed_out(texts: list[str]) -> None:
    out = run(*texts, "--seed", "1")
    assert out.exit_code == 0, out.output
    assert out.stdout.startswith("3 tasks for 3 raters: 228 texts, 160 outputs of 2 systems")
    assert "Work of each rater" in out.stdout
    assert "Pairs of outputs that one rater has judged" in out.stdout
    assert "# tasks|kind:segment|assignment:paired|per-task:100" in out.stderr
    again = run(*texts, "--seed", "1", "--assignment", "random")
    assert "50 outputs are shown once more" in again.stderr


def test_size_and_overlap(texts: list[str]) -> None:
    """Documents have eight lines: six reach 42, and one of them is a tenth of 48."""
    out = run(
        *(*texts, "--n-items", "42", "--raters", "3", "--overlap", "0.1", "--seed", "1"),
        "--json",
    )
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["n_items"], said["n_shared"], said["n_raters"]) == (48, 8, 3)
    assert [after["share"] for after in said["arrival"]] == [0.25, 0.5, 0.75, 1.0]
    assert said["arrival"][-1]["n_pairs"] == 56
    assert "|items:42|raters:3|overlap:0.1|per-task:100|" in said["signature"]
    assert "48 of 80 lines were drawn: 6 whole of 10 documents" in out.stderr
    wrong = run(*texts, "--overlap", "2")
    assert (wrong.exit_code, "--overlap must lie between 0 and 1" in wrong.stderr) == (1, True)


def test_programs_get_json(texts: list[str]) -> None:
    out = run(*texts, "--kind", "document", "--assignment", "random", "--seed", "1", "--json")
    said = json.loads(out.stdout)
    assert (said["task_kind"], said["assignment"]) == ("document", "random")
    assert said["counts"]["system"] == 160
    assert "rows" not in said


def test_a_filled_in_file_goes_through_quality_control(
    texts: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "tasks"
    out = run(*texts, "--seed", "1", "--output", folder)
    assert out.exit_code == 0, out.output
    path = folder / "tasks.csv"
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 228
    given = {"system": 70, "repeat": 70, "degraded": 30, "reference": 90}
    for row in rows:
        row["score"] = str(given[row["kind"]] + int(row["position"]) % 7)
        row["seconds"] = "5"
    with path.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    judgments = read_judgments(path)
    assert judgments.n_judgments == 228
    assert judgments.column("task").n_levels == 3
    checked = CliRunner().invoke(group, ["quality", str(path), "--json"])
    assert checked.exit_code == 0, checked.output
    said = json.loads(checked.stdout)
    assert [row["verdict"] for row in said["raters"]] == ["good"] * 3
    assert [row["n_pairs"] for row in said["raters"]] == [8, 8, 7]


def test_appraise_gets_its_files(texts: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    options = [
        "--seed",
        "1",
        "--output",
        folder,
        "--appraise",
        "ces-eng",
        "--campaign",
        "Trial",
    ]
    assert run(*texts, *options).exit_code == 0
    names = {path.name for path in folder.iterdir()}
    assert names == {"tasks.csv", "batches.json", "manifest.json"}
    assert json.loads((folder / "manifest.json").read_text())["CAMPAIGN_NAME"] == "Trial"
    refused = run(*texts, *options)
    assert (refused.exit_code, "exists already" in refused.stderr) == (1, True)
    before = (folder / "batches.json").read_text()
    assert run(*texts, *options, "--force").exit_code == 0
    assert (folder / "batches.json").read_text() == before  # the seed repeats it


def test_wrong_use_is_told(texts: list[str], tmp_path: Path) -> None:
    assert run(*texts, "--appraise", "ces-eng").exit_code == 2
    assert run("--scores", "A=x.csv").exit_code in (1, 2)
    wrong = run(*texts, "--output", tmp_path / "x", "--appraise", "cs-en")
    assert (wrong.exit_code, "three letters" in wrong.stderr) == (1, True)
    assert not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("")
    nested = run(*texts, "--output", tmp_path / "file" / "x")
    assert (nested.exit_code, "cannot be made" in nested.stderr) == (1, True)


def test_scores_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("segment,A,B\n1,0.5,0.6\n2,0.4,0.3\n3,0.2,0.1\n")
    out = run("--scores", path)
    assert out.exit_code == 2
    assert "tasks are made from texts" in out.stderr
