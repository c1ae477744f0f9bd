"""``detectable release``: a folder that repeats its result, with raters under codes."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.core.errors import DataError

NAMES = ("ada@example.org", "ben", "cy", "dee")
SCORES = "item,new,old\n" + "".join(f"{i},{(i * 7) % 5},{(i * 3) % 4}\n" for i in range(40))


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="detectable")


def judgments() -> str:
    rows = ["system,item,rater,score,comment"]
    for item in range(24):
        for system, better in (("new", 6), ("old", 0)):
            score = 50 + better + (item * 7 + (system == "new") * item) % 23
            rows.append(f'{system},{item},{NAMES[item % 4]},{score},"a, b"')
    return "\n".join(rows) + "\n"


@pytest.fixture
def ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder with judgments that name people, and what a command kept of them."""
    monkeypatch.chdir(tmp_path)
    Path("judgments.csv").write_text(judgments())
    found = run("rank", "judgments.csv", "--seed", 1, "--out", "rank.json")
    assert found.exit_code == 0, found.output
    return tmp_path


@pytest.mark.usefixtures("ranked")
def test_a_release_repeats_its_result_and_names_nobody() -> None:
    found = run("release", "rank.json", "out", "--licence", "CC BY 4.0")
    assert found.exit_code == 0, found.output
    assert "4 raters have codes in place of names." in found.output
    made = sorted(one.name for one in Path("out").iterdir())
    assert made == ["README.md", "judgments.csv", "receipt.json", "result.json"]
    every = "".join(one.read_text() for one in Path("out").iterdir())
    assert not [name for name in NAMES if f"{name}," in every or f'"{name}"' in every]
    assert '24,"a, b"' not in every
    assert "R001" in Path("out/judgments.csv").read_text()
    assert '"a, b"' in Path("out/judgments.csv").read_text()  # other columns stay
    page = Path("out/README.md").read_text()
    assert "\nLicence: CC BY 4.0\n" in page
    assert "    detectable verify .\n    detectable rank judgments.csv --seed 1\n" in page
    assert run("verify", "out").exit_code == 0
    kept, released = dt.load("rank.json"), dt.load("out/result.json")
    assert [one.score for one in kept.systems] == [one.score for one in released.systems]  # type: ignore[attr-defined]
    receipt = dt.load("out/receipt.json")
    assert receipt.outcome == "same"  # type: ignore[attr-defined]


@pytest.mark.usefixtures("ranked")
def test_a_release_that_was_changed_is_found_out() -> None:
    assert run("release", "rank.json", "out").exit_code == 0
    text = Path("out/judgments.csv").read_text()
    Path("out/judgments.csv").write_text(text.replace("R001", "R009"))
    found = run("verify", "out")
    assert found.exit_code == 3
    assert "judgments.csv is another file now" in found.output
    assert (
        "Licence: not stated. Ask before you use these files."
        in Path("out/README.md").read_text()
    )


@pytest.mark.usefixtures("ranked")
def test_files_from_elsewhere_and_with_taken_names_get_their_own() -> None:
    Path("work").mkdir()
    shutil.move("judgments.csv", "result.json")
    Path("scores.csv").write_text(SCORES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("work")
        words = ("compare", "--scores", "../scores.csv", "--baseline", "old", "--seed", 1)
        assert run(*words, "--out", "kept.json").exit_code == 0
        receipt = dt.release("kept.json", "../out")
        assert receipt.command.endswith("--out result.json")
    assert Path("out/data/scores.csv").read_text() == SCORES
    assert dt.verify("out/result.json", folder="out").outcome == "same"
    found = run("rank", "result.json", "--seed", 1, "--out", "two.json")
    assert found.exit_code == 0, found.output
    assert run("release", "two.json", "two").exit_code == 0
    assert Path("two/data/result.json").exists()
    assert run("verify", "two").exit_code == 0


@pytest.mark.usefixtures("ranked")
def test_voters_of_battles_are_recoded() -> None:
    rows = [
        f"p{i},{NAMES[i % 4]},new,old,{'model_a' if i % 3 else 'model_b'}" for i in range(60)
    ]
    Path("b.csv").write_text("prompt,voter,model_a,model_b,winner\n" + "\n".join(rows) + "\n")
    assert run("arena", "b.csv", "--seed", 1, "--out", "arena.json").exit_code == 0
    found = run("release", "arena.json", "out")
    assert found.exit_code == 0, found.output
    assert "p0,R001,new,old,model_b" in Path("out/b.csv").read_text()
    assert run("verify", "out").exit_code == 0


@pytest.mark.usefixtures("ranked")
def test_names_are_kept_where_that_is_asked_for() -> None:
    assert run("release", "rank.json", "out", "--raters", "keep").exit_code == 0
    assert Path("out/judgments.csv").read_text() == judgments()


@pytest.mark.usefixtures("ranked")
def test_what_cannot_be_released_is_said_in_a_sentence() -> None:
    Path("full").mkdir()
    Path("full/x").touch()
    cases = {
        ("rank.json", "full"): "full exists and is not empty",
        ("rank.json", "no/where"): "no is no folder. Make it first.",
    }
    for words, message in cases.items():
        found = run("release", *words)
        assert (found.exit_code, message in found.output) == (1, True), found.output
    dt.save(dt.design(looks=3), "design.json")
    with pytest.raises(DataError, match="only what can be repeated can be released"):
        dt.release("design.json", "out")
    Path("judgments.csv").write_text(judgments().replace("ben", "bob"))
    with pytest.raises(DataError, match=r"judgments\.csv is another file now"):
        dt.release("rank.json", "out")
    assert not Path("out").exists()


def test_logs_of_other_tools_are_converted_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = Path(__file__).parent.parent / "data" / "samples" / "judgments" / "appraise_11.csv"
    shutil.copy(log, "appraise.csv")
    made = run("import", "appraise.csv", "table.csv", "--recode", "raters", "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["kind"] == "JudgmentDescription"
    plain = run("import", "appraise.csv", "plain.csv")
    assert plain.exit_code == 0
    names = set(dt.read_judgments("plain.csv").rater.levels)  # type: ignore[union-attr]
    codes = set(dt.read_judgments("table.csv").rater.levels)  # type: ignore[union-attr]
    assert len(names) == len(codes)
    assert all(code.startswith("R0") for code in codes)
    kept = run("agreement", "appraise.csv", "--out", "a.json", "--seed", 1)
    if kept.exit_code == 0:
        found = run("release", "a.json", "out")
        assert (
            "Convert it (detectable import SOURCE judgments.csv --recode raters)"
            in found.output
        )
