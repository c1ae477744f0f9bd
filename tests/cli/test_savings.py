"""``detectable savings``."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli.audit import savings

FEW = ("--budgets", "120,240", "--step", "20", "--repeats", "20", "--looks", "6", "--seed", "1")


def rows() -> Iterator[tuple[str, str, int, str, int]]:
    """Yield judgments of two campaigns, with three and two systems."""
    rng = np.random.default_rng(1)
    for campaign, systems in (("x", "abc"), ("y", "ab")):
        for segment in range(60):
            base = rng.normal(70, 15)
            for place, system in enumerate(systems):
                score = int(np.clip(base - 4 * place + rng.normal(0, 8), 0, 100))
                yield campaign, system, segment, f"r{segment % 3}", score


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("campaign", "system", "segment", "rater", "score"))
        writer.writerows(rows())
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(savings, [*map(str, arguments)])


def test_people_see_a_sentence_and_a_table(judgments: Path) -> None:
    out = run(judgments, "--unpaired", *FEW)
    assert out.exit_code == 0, out.output
    assert "4 comparisons" in out.stdout
    assert "the powers are optimistic" in out.stdout
    assert "6 uncorrected looks 15.5%" in " ".join(out.stdout.split())
    assert "# procedures-mann-whitney|pairs:4|repeats:20|" in out.stderr


def test_programs_get_json_and_pairs(judgments: Path) -> None:
    out = run(judgments, *FEW, "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["paired"], said["n_comparisons"], said["budgets"]) == (True, 4, [120, 240])
    assert said["procedures"][2] == "default, 6 looks"
    assert {row["procedure"] for row in said["savings"]} == set(said["procedures"][1:])


def test_the_number_of_processes_does_not_matter(judgments: Path) -> None:
    one, two = (run(judgments, *FEW, "--jobs", jobs, "--json").stdout for jobs in (1, 2))
    assert one == two


def with_controls(path: Path) -> Path:
    """Return the same table with a column of kinds and degraded copies of every third row."""
    made = path.with_name("controls.csv")
    with path.open() as table, made.open("w", newline="") as out:
        writer = csv.writer(out)
        for number, row in enumerate(csv.reader(table)):
            writer.writerow([*row, "kind" if number == 0 else "system"])
            if number and number % 3 == 0:
                writer.writerow([*row[:4], 1, "degraded"])
    return made


@pytest.mark.parametrize("how", ["--paired", "--unpaired"])
def test_degraded_copies_are_no_output_of_a_system(judgments: Path, how: str) -> None:
    plain = json.loads(run(judgments, how, *FEW, "--json").stdout)
    found = json.loads(run(with_controls(judgments), how, *FEW, "--json").stdout)
    note = "100 judgments left out, not of systems' own output: 100 degraded."
    assert found.pop("notes") == [note, *plain.pop("notes")]
    assert found == plain


def test_columns_with_other_names(tmp_path: Path, judgments: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(judgments.read_text().replace("campaign,", "test_set,", 1))
    chosen = run(other, "--column", "campaign=test_set", *FEW, "--json")
    assert chosen.stdout == run(judgments, *FEW, "--json").stdout
    together = json.loads(run(other, *FEW, "--repeated", "mark", "--json").stdout)
    assert together["n_comparisons"] == 3


def test_messages(judgments: Path) -> None:
    assert run(judgments, "--budgets", "many").exit_code == 2
    lines = judgments.read_text().splitlines()
    judgments.write_text("\n".join([lines[0], *(line for line in lines if ",a," in line)]))
    assert "no two systems of one campaign" in run(judgments).stderr
