"""``detectable power ratings``, ``likert`` and ``pilot``, and their like."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.test_power import answer, run
from tests.planning.test_likert import crossed


@pytest.mark.golden
def test_the_lines_of_the_documentation() -> None:
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
        "power likert --ratings {} --items 50 --effect 5",
        "power pilot --ratings {} --system new --baseline old --n 9 --effect 5 --trials 40 --seed 1",
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
