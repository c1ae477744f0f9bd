"""``detectable mixed``."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from tests.helpers import reference_data
from tests.mixed.tables import table

COLUMNS = ["--response", "score", "--system", "system", "--rater", "rater", "--item", "item"]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    made = table(5, 12, documents=3)
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(made)
        writer.writerows(zip(*made.values(), strict=True))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["mixed", *map(str, arguments)])


@pytest.mark.golden
def test_the_command_of_the_issue() -> None:
    path = reference_data("data", "card", "sim_3x100_2.csv")
    columns = ["--response", "resp", "--system", "model", "--rater", "worker", "--item", "item"]
    out = run(path, *columns, "--numeric-system", "--json")
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert said["standard_error"] == pytest.approx(0.0547435, abs=1e-5)
    assert said["df"] == pytest.approx(2.304, abs=0.01)
    assert said["criterion"] == pytest.approx(212.471286, abs=1e-5)
    assert "with 3 raters" in out.stderr
    ml = json.loads(run(path, *columns, "--numeric-system", "--ml", "--json").stdout)
    assert ml["criterion"] == pytest.approx(202.117089, abs=1e-5)


def test_people_see_sentences_and_tables(ratings: Path) -> None:
    out = run(ratings, *COLUMNS)
    assert out.exit_code == 0, out.output
    for heading in ("Differences", "Means", "Where the spread comes from"):
        assert heading in out.stdout
    assert "5 raters × 12 items" in out.stdout
    assert "# mixed|criterion:reml|" in out.stderr


def test_options_reach_the_library(ratings: Path, tmp_path: Path) -> None:
    effects = tmp_path / "effects.csv"
    out = run(
        *(ratings, *COLUMNS, "--document", "document", "--slopes", "rater", "--baseline", "s1"),
        *("--alpha", "0.1", "--effects", effects, "--json"),
    )
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert said["slopes"] == ["rater"]
    assert said["groups"] == {"rater": 5, "item": 12, "document": 3}
    assert said["contrasts"][0]["baseline"] == "s1"
    assert said["alpha"] == 0.1
    rows = list(csv.DictReader(effects.read_text().splitlines()))
    assert {row["factor"] for row in rows} == {"rater", "item", "document"}
    again = run(ratings, *COLUMNS, "--effects", effects)
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)


def test_bad_input_is_one_line(ratings: Path) -> None:
    out = run(ratings, *COLUMNS[:-1], "text")
    assert out.exit_code == 1
    assert "there is no column 'text' for the item. Found: score" in out.stderr
    out = run(ratings, *COLUMNS, "--alpha", "5")
    assert out.exit_code == 1
    assert "`alpha` must lie strictly between 0 and 1" in out.stderr
