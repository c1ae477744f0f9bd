"""``detectable variance``, ``agreement`` and ``control-variates``."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from tests.study.precision.crossed import crossed


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.csv"
    made = crossed(
        np.random.default_rng(1), items=150, raters=6, documents=30, systems=("old", "new")
    ).to_columns()
    made["item"] = [name.split(":")[-1] for name in made["item"]]
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(made)
        writer.writerows(zip(*made.values(), strict=True))
    return path


@pytest.fixture
def metric(tmp_path: Path) -> Path:
    path = tmp_path / "comet.csv"
    rng = np.random.default_rng(2)
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["system", "item", "score"])
        for system in ("old", "new"):
            writer.writerows([system, i, rng.normal()] for i in range(400))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_variance_says_the_verdict_first_then_tables(judgments: Path) -> None:
    out = run("variance", judgments)
    assert out.exit_code == 0, out.output
    assert "of the variance of one judgment is quality" in out.stdout.splitlines()[0]
    for heading in ("Where the spread comes from", "Quality", "spent differently"):
        assert heading in out.stdout
    assert "# variance-components|pooled:within-system|" in out.stderr


def test_options_of_variance_reach_the_library(judgments: Path) -> None:
    out = run(
        *("variance", judgments, "--pooled", "all", "--unit", "rater", "--alpha", 0.1),
        *("--repeats", "first", "--json"),
    )
    assert out.exit_code == 0, out.output
    said = json.loads(out.stdout)
    assert (said["pooled"], said["unit"], said["n_clusters"]) == ("all", "rater", 6)
    assert said["alpha"] == 0.1
    assert said["kind"] == "VarianceComponents"
    assert "repeats:first" in said["signature"]


def test_agreement(judgments: Path) -> None:
    out = run("agreement", judgments)
    assert out.exit_code == 0, out.output
    assert out.stdout.startswith("Raters agree little: Krippendorff's α = ")
    assert "Pairs of raters" in out.stdout
    few = run("agreement", judgments, "--level", "ordinal", "--min-overlap", 150, "--json")
    said = json.loads(few.stdout)
    assert (said["level"], said["pairs"], said["pearson"]) == ("ordinal", [], None)
    none = run("agreement", judgments, "--min-overlap", 150)
    assert "No two raters share 150 translations" in none.stdout


def test_control_variates(judgments: Path, metric: Path) -> None:
    out = run("control-variates", judgments, metric, "--baseline", "old", "--metric", "COMET")
    assert out.exit_code == 0, out.output
    assert out.stdout.startswith("new is better than old: +5.34 [+3.45, +7.24], p < .0001")
    assert "saves no judgments" in out.stdout
    assert "Differences" in out.stdout
    assert "Means" in out.stdout
    found = run(
        *("control-variates", judgments, metric, "--target", "test-set", "--json"),
        *("--quality-share", 0.3),
    )
    said = json.loads(found.stdout)
    assert (said["target"], said["unit"]) == ("test-set", "document")
    assert len(said["pairs"]) == 1


def test_a_single_system_has_no_differences(judgments: Path, metric: Path) -> None:
    one = judgments.with_name("one.csv")
    lines = judgments.read_text().splitlines()
    one.write_text("\n".join([lines[0], *(line for line in lines if line.startswith("old"))]))
    out = run("control-variates", one, metric)
    assert out.exit_code == 0, out.output
    assert "Differences" not in out.stdout


def test_bad_input_is_one_line(judgments: Path, metric: Path) -> None:
    out = run("variance", judgments, "--alpha", 5)
    assert out.exit_code == 1
    assert "--alpha must lie strictly between 0 and 1" in out.stderr
    out = run("control-variates", judgments, metric, "--language", "cs-en")
    assert out.exit_code == 1
    assert "there is no language" in out.stderr
    assert run("agreement", judgments, "--level", "ratio").exit_code == 2
