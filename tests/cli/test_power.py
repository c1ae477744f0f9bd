"""``detectable power``, ``mde``, ``sample-size`` and ``power-curve``."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli.power import scenario, scenario_names


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def answer(line: str) -> dict[str, Any]:
    out = run(*line.split(), "--json")
    assert out.exit_code == 0, out.output
    content: dict[str, Any] = json.loads(out.stdout)
    return content


@pytest.mark.golden
@pytest.mark.parametrize(
    ("line", "key", "value", "tolerance"),
    [
        ("power accuracy --n 500 --agreement .975 --effect .02", "power", 0.7976, 1e-4),
        (
            "mde accuracy --n 1725 --baseline-accuracy .92 --prior glue --method normal",
            "effect",
            0.01624,
            5e-5,
        ),
        ("power bleu --n 2000 --effect 1 --p0 .13 --b0 25.8", "power", 0.747, 0.002),
        ("power rank-sum --n 1500 --effect .47", "power", 0.812, 5e-4),
        ("power preference --n 100 --effect .65", "power", 0.8275849957487509, 1e-9),
        ("sample-size rank-sum --effect .44", "n_items", 364, 0),
        ("mde accuracy --n 1725 --baseline-accuracy .92 --unpaired", "effect", 0.024006, 1e-6),
        (
            "sample-size accuracy --agreement .95 --margin .02 --claim equivalent --effect 0",
            "n_items",
            1123,
            0,
        ),
    ],
)
def test_the_lines_of_the_documentation(
    line: str, key: str, value: float, tolerance: float
) -> None:
    found = answer(line)
    assert found[key] == pytest.approx(value, abs=tolerance)
    keys = {"power", "type_m", "type_s", "method", "standard_error", "effect", "n_items"}
    assert keys <= found.keys()


@pytest.mark.parametrize("name", scenario_names())
def test_the_example_of_every_scenario_runs(name: str) -> None:
    found = scenario(name)
    assert found.name == name  # the file is named after the scenario
    out = run("power", name, *found.example.split(), "--trials", "200", "--seed", "1")
    assert out.exit_code == 0, out.output
    first, second = out.stdout.split("\nPower ", 1)
    assert first.startswith("With ")
    assert second[0] in "01"
    assert f"detectable power {name}" in run("power", name, "--help").stdout


def test_the_effect_cannot_be_left_out() -> None:
    found = CliRunner().invoke(main, ["power", "bleu", "--n", "2000"])
    assert found.exit_code == 2
    assert "Missing option '--effect'" in found.output


def test_simulation_can_be_asked_for() -> None:
    found = answer("power preference --n 60 --effect .7 --simulate --trials 2000 --seed 3")
    assert found["method"] == "simulated"
    assert found["standard_error"] > 0
    assert found == answer(
        "power preference --n 60 --effect .7 --simulate --trials 2000 --seed 3 --jobs 1"
    )


def test_a_curve_is_a_table() -> None:
    out = run("power-curve", "rank-sum", "--n", "55,385", "--n", "1500", "--effect", ".44,.47")
    assert out.exit_code == 0, out.output
    assert "1,500" in out.stdout
    assert ".822" in out.stdout
    found = answer("power-curve rank-sum --n 55,385 --effect .44")
    assert [point["n_items"] for point in found["points"]] == [55, 385]


def test_not_attainable_is_an_answer() -> None:
    line = "mde accuracy --n 147 --baseline-accuracy .945 --prior glue"
    out = run(*line.split())
    assert out.exit_code == 0
    assert out.stdout.startswith("Not attainable: power is 0.654")
    found = answer(line)
    assert (found["attainable"], found["effect"]) == (False, None)


def test_agreement_from_files(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "new.txt", tmp_path / "old.txt"
    ours.write_text("1\n" * 80 + "0\n" * 20)
    theirs.write_text("0\n" * 10 + "1\n" * 70 + "0\n" * 20)
    found = answer(
        f"power accuracy --n 300 --effect .05 --system-scores {ours} --baseline-scores {theirs}"
    )
    assert found["agreement"] == pytest.approx(0.9)


def test_bleu_fitted_to_files(tmp_path: Path) -> None:
    lines = {
        "ref": ["the cat sat on the mat today", "a b c d e f", "we went home late at night"],
        "new": ["the cat sat on the mat now", "a b c d e g", "we went home late at night"],
        "old": ["the cat sat on a mat now", "a b c x e g", "we went home at night"],
    }
    for name, text in lines.items():
        (tmp_path / name).write_text("\n".join(text * 10) + "\n")
    out = run(
        *("power", "bleu", "--n", "500", "--effect", "5", "--metric", "chrf"),
        *("--refs", str(tmp_path / "ref")),
        *("--system-output", str(tmp_path / "new")),
        *("--baseline-output", str(tmp_path / "old")),
    )
    assert out.exit_code == 0, out.output
    assert "Fitted: p0 = 0.000" in out.stderr


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (
            "power accuracy --n 500 --agreement .975 --effect .03",
            1,
            "--effect must lie between",
        ),
        ("power accuracy --n 500 --effect .03", 1, "--agreement or --prior must say"),
        ("power accuracy --n 1 --agreement .9 --effect .03", 1, "--n must be a whole"),
        ("power accuracy --n 99 --agreement .9 --effect 0", 1, "nothing to detect"),
        ("power accuracy --n 9 --agreement .9 --effect .1 --claim equivalent", 2, "--margin"),
        ("power accuracy --n 9 --system-scores a --effect .1", 2, "together"),
        (
            "power accuracy --n 9 --system-scores a --baseline-scores b --prior glue --effect .1",
            2,
            "drop --agreement",
        ),
        (
            "power accuracy --n 9 --unpaired --agreement .9 --effect .1",
            2,
            "--baseline-accuracy",
        ),
        ("power accuracy --n 9 --unpaired --effect .1", 2, "needs --baseline-accuracy"),
        ("power bleu --n 9 --effect 1 --refs r", 2, "together"),
        (
            "power bleu --n 9 --effect 1 --refs r --system-output a --baseline-output b --p0 .1",
            2,
            "drop them",
        ),
        ("power bleu --n 9 --effect 1 --p0 2", 1, "--p0 must lie between 0 and 1"),
        ("power-curve bleu --n 9,x --effect 1", 2, "takes numbers with commas"),
        ("power rank-sum --n 9 --effect 2", 1, "probability P(A < B)"),
        ("mde rank-sum --n 9 --power 2", 1, "--power must lie strictly between 0 and 1"),
    ],
)
def test_errors_are_one_line(line: str, code: int, message: str) -> None:
    out = run(*line.split())
    assert out.exit_code == code, out.output
    assert message in out.stderr
    assert "Traceback" not in out.stderr
