"""``detectable power``, ``mde``, ``sample-size`` and ``power-curve``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.cli.power import scenario, scenario_names
from tests.helpers import reference_data
from tests.planning.test_likert import crossed


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
    out = run(
        "power",
        name,
        *found.example.replace("\\\n", "").split(),
        "--trials",
        "200",
        "--seed",
        "1",
    )
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
    table = tmp_path / "texts.tsv"
    head = ["ref", "hyp:new", "hyp:old"]
    rows = zip(*(lines[name] * 10 for name in ("ref", "new", "old")), strict=True)
    table.write_text("\n".join("\t".join(row) for row in [head, *rows]) + "\n")
    by_name = run(
        *("power", "bleu", "--n", "500", "--effect", "5", "--metric", "chrf"),
        *("--corpus", str(table), "--system-output", "new", "--baseline-output", "old"),
    )
    assert (by_name.exit_code, by_name.stdout) == (0, out.stdout), by_name.output
    assert by_name.stderr == out.stderr
    wrong = run(
        *("power", "bleu", "--n", "500", "--effect", "5", "--corpus", str(table)),
        *("--system-output", "mew", "--baseline-output", "old"),
    )
    assert (wrong.exit_code, "no system named 'mew'" in wrong.stderr) == (1, True)


@pytest.mark.golden
def test_pairs_of_wmt_are_like_those_of_card2020() -> None:
    """Four pairs there find one point of BLEU with about 75 % power on 2,000 segments (figure 4)."""
    folder = reference_data("data", "wmt")
    found = []
    for name, system, baseline in (
        ("wmt21_ruen", "Facebook-AI", "Online-G"),
        ("wmt21_isen", "Facebook-AI", "Online-A"),
        ("wmt22_jaen", "DLUT", "Online-G"),
    ):
        out = run(
            *("power", "bleu", "--n", "2000", "--effect", "1", "--unit", "item", "--json"),
            *("--corpus", str(folder / f"{name}_texts.parquet")),
            *("--system-output", system, "--baseline-output", baseline),
        )
        assert out.exit_code == 0, out.output
        found.append(json.loads(out.stdout)["power"])
    assert all(0.70 < power < 0.80 for power in found), found


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
        (
            "power bleu --n 9 --effect 1 --refs r --corpus c --system-output a --baseline-output b",
            2,
            "not both",
        ),
        (
            "power bleu --n 9 --effect 1 --corpus c --docs d --system-output a --baseline-output b",
            2,
            "names its documents",
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


# --- ``detectable power ratings``, ``likert`` and ``pilot``, and their like ---


@pytest.mark.golden
def test_the_lines_of_the_documentation_of_power_human() -> None:
    ratings = answer(
        "power ratings --n 600 --effect 2 --mean 80 --sd 20 --continuous --test rank-sum"
    )
    assert ratings["method"] == "simulated"
    assert ratings["power"] == pytest.approx(0.73625, abs=4 * (0.0070**2 + 0.0044**2) ** 0.5)
    assert ratings["total_judgments"] == 1200
    likert = "power likert --raters 3 --items 100 --effect .4 --preset card-high"
    assert answer(likert)["power"] == pytest.approx(0.460, abs=0.012)
    card = answer(f"{likert} --test card")
    assert card["power"] == pytest.approx(0.898, abs=4 * 0.0021)
    assert card["type_i_error"] == pytest.approx(0.214, abs=4 * 0.0029)
    keys = {"power", "type_m", "type_s", "method", "standard_error", "effect", "n_items"}
    for found in (ratings, card):
        assert keys <= found.keys()


def test_the_authors_test_prints_its_real_type_i_error() -> None:
    line = "power likert --raters 3 --items 100 --effect .4 --preset card-high --test card"
    out = run(*line.split())
    assert "type i error 0.21" in " ".join(out.stdout.split())
    assert "instead of 5%" in out.stderr


@pytest.mark.parametrize(
    "line",
    [
        "mde ratings --n 300 --mean 80 --sd 20 --method closed-form",
        "sample-size ratings --effect 2 --mean 80 --sd 20 --correlation .5 --method closed-form",
        "sample-size ratings --effect 0 --mean 80 --sd 20 --margin 3 --claim equivalent",
        "power ratings --n 99 --effect 5 --mean 80 --sd 20 --test signed-rank --correlation .5",
        "mde likert --raters 5 --n 40 --preset card-low",
        "power likert --raters 5 --items 9 --effect .3 --raters-per-item 3 --preset card-low",
    ],
)
def test_questions_of_all_kinds_run(line: str) -> None:
    found = answer(f"{line} --trials 64 --seed 1")
    assert found["power"] > 0.05


def table(path: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_pilot_ratings_from_a_file(tmp_path: Path) -> None:
    columns = crossed(1, 6, 12)
    columns["annotator"] = columns.pop("rater")
    path = table(tmp_path / "pilot.csv", columns)
    line = f"power likert --ratings {path} --column rater=annotator --items 50 --effect .5"
    assert answer(line)["n_raters"] == 6
    assert answer(f"{line} --raters 12")["n_raters"] == 12
    line = (
        f"power pilot --ratings {path} --column rater=annotator --system new --baseline old "
        "--n 20 --effect .5 --trials 100"
    )
    assert answer(line)["pilot_size"] == 12


def test_a_pilot_in_the_format_of_a_campaign_without_its_controls(tmp_path: Path) -> None:
    columns = crossed(1, 6, 12)
    score = np.round(10 * columns["score"]).astype(int)
    plain = table(tmp_path / "plain.csv", {**columns, "score": score})
    rows = [
        f"r{r},{s},{i + 1},{kind},eng,deu,{99 if kind == 'BAD' else y},news,False,1.0,2.0"
        for n, (y, r, i, s) in enumerate(
            zip(score, columns["rater"], columns["item"], columns["system"], strict=True)
        )
        for kind in (("TGT", "BAD") if n % 12 == 0 else ("TGT",))
    ]
    appraise = tmp_path / "appraise.csv"
    appraise.write_text("\n".join(rows) + "\n")
    lines = (
        "power likert --ratings {} --items 50 --effect 5 --unit item",
        "power pilot --ratings {} --system new --baseline old --n 9 --effect 5 --trials 40 --seed 1 "
        "--unit item",
    )
    for line in lines:
        assert answer(line.format(appraise)) == answer(line.format(plain))
        out = run(*line.format(appraise).split())
        assert (
            "Note: 12 judgments left out, not of systems' own output: 12 degraded."
            in out.stderr
        )


def test_a_pilot_in_several_languages_needs_a_choice(tmp_path: Path) -> None:
    columns = crossed(2, 6, 12)
    plain = table(tmp_path / "plain.csv", columns)
    both = {name: [*column, *column] for name, column in columns.items()}
    both["lp"] = ["en-de"] * 144 + ["en-cs"] * 144
    path = table(tmp_path / "both.csv", both)
    for line in (
        "power likert --items 50 --effect .5 --ratings",
        "power pilot --system new --baseline old --n 9 --effect .5 --trials 40 --seed 1 --ratings",
    ):
        out = run(*f"{line} {path}".split())
        assert (out.exit_code, "2 language pairs: en-de, en-cs" in out.stderr) == (1, True)
        assert answer(f"{line} {path} --language en-cs") == answer(f"{line} {plain}")


def test_pilot_scores_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    scores = {"new": rng.normal(1, 1, 80), "old": rng.normal(0, 1, 80)}
    path = table(tmp_path / "scores.csv", {"item": range(80), **scores})
    line = f"power pilot --scores {path} --system new --baseline old --n 50 --trials 200"
    for more in (
        "",
        " --unpaired",
        " --unpaired --test two-means",
        " --plant tilt",
        " --unit item",
    ):
        assert answer(f"{line} --effect .5{more}")["pilot_size"] == 80
    observed = float(scores["new"].mean() - scores["old"].mean())
    out = run(*f"{line} --effect {observed:.3f}".split())
    assert "optimistic" in out.stderr


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("power ratings --n 9 --effect 1 --mean 80 --sd 60", 1, "--sd must be below 40"),
        ("power ratings --n 9 --effect 0 --mean 80 --sd 9", 1, "nothing to detect"),
        ("power pilot --example --n 9 --effect 1 --unpaired --unit item", 2, "--unit has no"),
        ("power ratings --n 1 --effect 1 --mean 80 --sd 9", 1, "--n must be a whole"),
        ("power ratings --n 9 --effect 1 --mean 80 --sd 9 --claim equivalent", 2, "--margin"),
        ("power likert --items 9 --effect 1 --preset card-low", 2, "--raters is missing"),
        ("power likert --raters 3 --items 9 --effect 1", 1, "--preset must be one of"),
        (
            "power likert --raters 3 --items 9 --effect 1 --preset card-low --column rater=x",
            2,
            "without --ratings",
        ),
        (
            "power likert --ratings x --items 9 --effect 1 --preset card-low",
            2,
            "drop --preset",
        ),
        ("power likert --ratings x --items 9 --effect 1 --missing .2", 2, "and --missing"),
        ("power likert --items 9 --effect 1 --ratings x --column who=x", 2, "takes role=name"),
        (
            "power likert --raters 3 --items 9 --effect 1 --preset card-low --language de",
            2,
            "--language has no effect here: without --ratings",
        ),
        (
            "power pilot --example --n 9 --effect 1 --scale 0:5",
            2,
            "--scale has no effect here: without --ratings",
        ),
        ("power pilot --n 9 --effect 1", 2, "one of the three"),
        ("power pilot --scores x --n 9 --effect 1", 2, "give --system and --baseline"),
        ("power pilot --example --raters 3 --n 9 --effect 1", 2, "without --ratings"),
        ("power pilot --example --test two-means --n 9 --effect 1", 2, "without --unpaired"),
        (
            "power pilot --ratings x --system a --baseline b --plant tilt --n 9 --effect 1",
            2,
            "no effect on --ratings",
        ),
    ],
)
def test_what_cannot_be_done_is_said(line: str, code: int, message: str) -> None:
    out = run(*line.split())
    assert out.exit_code == code
    assert message in out.stderr


def test_assumptions_may_be_several_in_a_curve() -> None:
    words = ("power-curve", "accuracy", "--n", "500", "--effect", ".02", "--agreement")
    together = run(*words, ".7,.95")
    assert run(*words, ".7", "--agreement", ".95").output == together.output
    assert "500 items find 0.02 with 11% to 44% power, by what is assumed." in together.output
    assert "agreement 0.95" in together.output
    alone = run(*words, ".95")
    assert "assumed" not in alone.output
    assert "44%" in alone.output or "0.440" in alone.output


def test_all_combinations_of_assumptions_are_shown() -> None:
    words = ("power-curve", "likert", "--n", "100", "--effect", ".4")
    found = run(*words, "--preset", "card-high,card-low", "--raters", "3,10", "--json")
    assert json.loads(found.stdout)["names"] == [
        "card-high, 3 raters",
        "card-high, 10 raters",
        "card-low, 3 raters",
        "card-low, 10 raters",
    ]
    wrong = run(*words, "--preset", "card-high,card-middle", "--raters", "3")
    assert wrong.exit_code == 2
    assert "'card-middle' is not one of 'card-high', 'card-low'" in wrong.output
