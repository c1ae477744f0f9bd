"""``detectable report``: kept results in any form, one or several."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.report.several import report
from tests.report import results

FROZEN = Path(__file__).parents[1] / "frozen" / "data"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="detectable")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    dt.save(results.ranking(), "rank.json")
    dt.save(results.comparison(), "compare.json")
    Path("old").mkdir()
    dt.save(results.ranking(), "old/rank.json")
    return tmp_path


def test_a_kept_result_says_what_the_command_said(tmp_path: Path) -> None:
    words = ("rank", FROZEN / "controls.csv", "--seed", "1")
    first = run(*words, "--out", tmp_path / "r.json")
    again = run("report", tmp_path / "r.json")
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert run("report", tmp_path / "r.json", "--json").stdout == run(*words, "--json").stdout
    pairs = run("report", tmp_path / "r.json", "--csv", "pairs:-").stdout
    assert pairs == run(*words, "--csv", "pairs:-").stdout
    assert first.stderr.splitlines()[-1] == again.stderr.splitlines()[-1]


@pytest.mark.usefixtures("files")
def test_several_on_one_page() -> None:
    made = run("report", "rank.json", "compare.json", "-o", "page.html", "--title", "June")
    assert made.exit_code == 0, made.output
    page = Path("page.html").read_text()
    assert page == report("rank.json", "compare.json", title="June").page()
    assert made.stdout.splitlines()[:3] == [
        "June",
        "",
        "rank: 2 systems share the top cluster, above the other system: human, new.",
    ]
    assert "══" not in made.stdout
    assert "Written: page.html\n" in made.stderr
    assert made.stderr.count("# toy|n:3|seed:7|detectable:0.0\n") == 2
    assert "Note: rank: Four raters.\n" in made.stderr


@pytest.mark.usefixtures("files")
def test_without_a_file_all_of_it_is_printed() -> None:
    made = run("report", "rank.json", "compare.json")
    assert made.stdout == report("rank.json", "compare.json").text() + "\n"
    whole = run("report", "rank.json", "compare.json", "-o", "x.md", "--all")
    assert whole.stdout == report("rank.json", "compare.json").text(everything=True) + "\n"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("option", "form"), [("--html", "page"), ("--markdown", "markdown"), ("--latex", "latex")]
)
def test_the_shared_forms_are_there(option: str, form: str) -> None:
    made = run("report", "rank.json", "compare.json", "--title", "June", option, "-")
    assert made.exit_code == 0, made.output
    expected = report("rank.json", "compare.json", title="June")
    assert made.stdout == getattr(expected, form)()


@pytest.mark.usefixtures("files")
def test_values_of_several() -> None:
    made = json.loads(run("report", "rank.json", "x=compare.json", "--json").stdout)
    assert [row["name"] for row in made["results"]] == ["rank", "x"]


@pytest.mark.usefixtures("files")
def test_two_of_one_name_are_refused_and_can_be_named() -> None:
    made = run("report", "rank.json", "old/rank.json", "-o", "page.html")
    assert made.exit_code == 1
    assert made.stderr == (
        "Error: two results are called 'rank': rank.json and old/rank.json. Name them apart: "
        "NAME=FILE on the command line, names=(…) in Python.\n"
    )
    assert not Path("page.html").exists()
    assert run("report", "rank.json", "rank.json").exit_code == 1
    named = run("report", "new=rank.json", "old=old/rank.json", "-o", "page.html")
    assert named.exit_code == 0, named.output
    assert named.stdout.startswith("new: 2 systems")


@pytest.mark.usefixtures("files")
def test_a_file_with_an_equals_sign_is_a_file() -> None:
    Path("a=b.json").write_bytes(Path("rank.json").read_bytes())
    made = run("report", "a=b.json", "x=a=b.json", "--json")
    assert [row["name"] for row in json.loads(made.stdout)["results"]] == ["a=b", "x"]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("none.json",), 1, "none.json: there is no such file"),
        (("=rank.json",), 1, "=rank.json: there is no such file"),
        (
            ("rank.json", "-o", "page.png"),
            1,
            "--output must end in .html, .htm, .md, .tex, .txt",
        ),
        (("rank.json", "-o", "rank.json"), 1, "--output must end in"),
        (("rank.json", "-o", "none/page.html"), 1, "none/page.html cannot be written"),
        (("rank.json", "x=rank.json", "--csv", "-"), 1, "several tables are here"),
        (("rank.json", "--out", "x.json"), 2, "No such option"),
        (("rank.json", "--keep-draws"), 2, "No such option"),
        ((), 2, "Missing argument"),
    ],
)
def test_bad_input(words: tuple[str, ...], status: int, said: str) -> None:
    made = run("report", *words)
    assert made.exit_code == status
    assert said in made.stderr
    assert made.stdout == ""


@pytest.mark.usefixtures("files")
def test_an_existing_page_stays() -> None:
    Path("page.html").write_text("mine")
    made = run("report", "rank.json", "-o", "page.html")
    assert (made.exit_code, Path("page.html").read_text()) == (1, "mine")
    assert "exists already. Choose another name, or add --force" in made.stderr
    assert run("report", "rank.json", "-o", "page.html", "--force").exit_code == 0
    assert Path("page.html").read_text() != "mine"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"schema": 3, "detectable": "0.4"},
            "has format 3, written by detectable 0.4; this ver",
        ),
        ({"kind": "Guess"}, "'Guess' is no kind of result that this version knows"),
        ({"result": {}}, "`result` must be an object with "),
        ({"arrays": None}, "`arrays` must be an object; got None"),
    ],
)
def test_files_that_cannot_be_loaded(change: dict[str, Any], said: str, files: Path) -> None:
    made = json.loads(Path("rank.json").read_text()) | change
    Path("rank.json").write_text(json.dumps(made))
    found = run("report", "compare.json", "rank.json", "-o", "page.html")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("Error: rank.json")
    assert said in found.stderr
    assert found.stderr.count("\n") == 1
    assert not (files / "page.html").exists()


@pytest.mark.usefixtures("files")
def test_an_edited_file_is_shown_with_a_note() -> None:
    made = json.loads(Path("rank.json").read_text())
    made["result"]["alpha"] = 0.01
    Path("rank.json").write_text(json.dumps(made))
    found = run("report", "rank.json", "compare.json", "-o", "page.html")
    assert found.exit_code == 0
    assert "Note: rank.json was edited after it was written" in found.stderr
    assert "was edited after it was written" in Path("page.html").read_text()
