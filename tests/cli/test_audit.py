"""``detectable audit``."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main

PAST: dict[str, list[Any]] = {
    "team": ["a", "a", "b"],
    "difference": [4.0, 2.0, 1.0],
    "n": [100, 200, 300],
    "p": [0.001, 0.04, 0.5],
}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


def test_an_archive_as_json(tmp_path: Path) -> None:
    path = write(tmp_path / "past.csv", PAST)
    result = run(path, "--by", "team", "--target-difference", 1.5, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(g["group"], g["significant"], g["total"]) for g in found["groups"]] == [
        ("a", 2, 2),
        ("b", 0, 1),
    ]
    assert [(g["observed_mde"], g["above"]) for g in found["groups"]] == [(2.0, 2), (None, 0)]
    assert found["groups"][0]["median_difference"] == 3.0
    assert (found["target_difference"], found["target_given"]) == (1.5, True)


def test_a_text_with_the_verdict_first(tmp_path: Path) -> None:
    result = run(write(tmp_path / "past.csv", PAST), "--by", "team")
    assert result.stdout.startswith("2 of 3 past comparisons (67%) were significant at 0.05.")
    assert "none" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert (
        "Note: Standard errors of 3 comparisons follow from difference and p" in result.stderr
    )
    assert "# audit-archive|comparisons:3|by:team|" in result.stderr


def test_histograms(tmp_path: Path) -> None:
    path = tmp_path / "h.npz"
    np.savez(path, all=[[9, 1], [1, 9]], campaign=[1, 1], system=[1, 2])
    found = json.loads(run(path, "--by", "campaign", "--json").stdout)
    assert found["groups"][0]["group"] == "1"
    assert found["groups"][0]["significant"] == 1


def test_errors_of_the_source_may_cost_nothing() -> None:
    path = Path(__file__).parents[1] / "data/samples/judgments/mqm_newstest2020_ende.tsv"
    found = [
        json.loads(run(path, *options, "--json").stdout)["overall"]["median_difference"]
        for options in ([], ["--source-errors", "ignore"])
    ]
    assert found[0] > found[1] > 0


def test_several_files(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, PAST) for name in ("a.csv", "b.csv"))
    found = json.loads(run(first, second, "--by", "file", "--json").stdout)
    assert [group["group"] for group in found["groups"]] == [str(first), str(second)]


def test_a_benchmark_and_a_survey(tmp_path: Path) -> None:
    tasks: dict[str, list[Any]] = {
        "task": ["x"] * 3,
        "size": [900] * 3,
        "before": [90, 91, 92],
        "gain": [1, 2, 1],
    }
    path = write(tmp_path / "tasks.csv", tasks)
    found = json.loads(run(path, "--agreement", 0.95, "--json").stdout)
    assert found["kind"] == "BenchmarkAudit"
    assert found["assumption"] == "0.95 on all tasks"
    studies = write(
        tmp_path / "s.csv", {"who": ["a", "b"], "k": [50, 90], "effect": [0.1, 0.3]}
    )
    found = json.loads(run(studies, "--column", "n=k", "--item-sd", 0.5, "--json").stdout)
    assert found["kind"] == "SurveyAudit"
    assert found["noise"] == "an SD of 0.5 of an item's difference"
    assert [band["n_studies"] for band in found["bands"]] == [1, 1]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (PAST, ["--by", "colour"], "--by must be one of team, difference, n, p; got 'colour'."),
        ({**PAST, "p": [0.1, 1.5, 0.2]}, [], "expected a p-value between 0 and 1, found '1.5'"),
        (
            {**PAST, "n": [100, -5, 3]},
            [],
            "expected a number above 0, and at most 1e12, found '-5'",
        ),
        (
            {"difference": [1], "p": [0.1]},
            [],
            "there is no column for n: on how many judgments or items per system",
        ),
        (
            {"task": ["a", "a"], "n": [9, 9], "accuracy": [91, 0.9]},
            [],
            "fractions among percent. Write all as one of them.",
        ),
        ({**{k: [] for k in PAST}}, [], "a header and no row"),
        (PAST, ["--item-sd", "1"], "--item-sd has no effect on the audit of an archive."),
        (PAST, ["--unit", "item"], "--unit has no effect on a table that holds no judgments."),
        (
            PAST,
            ["--source-errors", "ignore"],
            "--source-errors has no effect on a table that holds no judgments.",
        ),
        (
            PAST,
            ["--target-difference", "0"],
            "--target-difference must be a finite number above",
        ),
        (PAST, ["--alpha", "2"], "--alpha must lie strictly between 0 and 1; got 2.0."),
        ({"a": [1], "b": [2]}, [], "the columns do not say what this is."),
    ],
)
def test_bad_input_is_one_sentence_and_exit_1(
    tmp_path: Path, columns: dict[str, list[Any]], options: list[str], message: str
) -> None:
    result = run(write(tmp_path / "t.csv", columns), *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_files_that_are_not_there(tmp_path: Path) -> None:
    result = run(tmp_path / "none.csv")
    assert result.exit_code == 1
    assert "there is no such file" in result.stderr
    assert run().exit_code == 2
