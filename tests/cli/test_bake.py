"""``detectable report … --bake``: the explorer with its results as one page."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import detectable as dt
from detectable.cli import main
from detectable.cli.rerun import NotRepeatable, parsed_again
from tests.report import results

FROZEN = Path(__file__).parents[1] / "frozen" / "data"
COMPARE = (
    "compare --refs ref.txt --system old=old.txt --system new=new.txt --baseline old "
    "--metric chrf --seed 1 --resamples 99"
)
LINES = {
    "ref.txt": ["the cat sat here", "a dog ran home", "one two three", "four five six"],
    "old.txt": ["the cat sat", "a dog went home", "one two three", "four five"],
    "new.txt": ["the cat sat here", "a dog ran home", "one two", "four five six"],
}


def run(line: str, *more: object) -> Result:
    words = [*line.split(), *map(str, more)]
    return CliRunner().invoke(main, words, prog_name="detectable")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in LINES.items():
        Path(name).write_text("\n".join(lines) + "\n")
    done = run(f"{COMPARE} --out r.json")
    assert done.exit_code == 0, done.output
    return tmp_path


def held(path: str | Path = "p.html") -> list[dict[str, Any]]:
    found = re.search(r'id="saved">([^<]*)</script>', Path(path).read_text())
    assert found
    made: list[dict[str, Any]] = json.loads(found[1])
    return made


@pytest.mark.usefixtures("place")
def test_the_page_holds_the_result_and_its_segments() -> None:
    done = run("report r.json --bake p.html --title June")
    assert done.exit_code == 0, done.output
    assert "Note: r: 4 segments with their texts on the page.\n" in done.stderr
    assert "Written: p.html\n" in done.stderr
    assert done.stdout.startswith("June\n\nr: ")
    [entry] = held()
    assert entry["name"] == "r"
    segments = entry["segments"]
    assert segments["outputs"] == {"old": LINES["old.txt"], "new": LINES["new.txt"]}
    assert segments["references"] == LINES["ref.txt"]
    assert segments["measures"][0]["scores"]["new"][0] == 100


@pytest.mark.usefixtures("place")
def test_scores_beside_texts_are_read_too() -> None:
    Path("comet.csv").write_text(
        "system,item,score\n"
        + "".join(f"{s},{i},{i / 10 + (s == 'new')}\n" for s in ("old", "new") for i in range(1, 5))
    )  # fmt: skip
    done = run(f"{COMPARE} --scores comet=comet.csv --out c.json")
    assert done.exit_code == 0, done.output
    assert run("report c.json --bake p.html").exit_code == 0
    measures = held()[0]["segments"]["measures"]
    assert [measure["label"] for measure in measures] == ["chrF", "comet"]
    assert measures[1]["scores"]["old"] == [0.1, 0.2, 0.3, 0.4]


def test_scores_and_judgments_have_no_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("segments.csv", "controls.csv"):
        Path(name).write_bytes((FROZEN / name).read_bytes())
    assert run("rank controls.csv --seed 1 --out a.json").exit_code == 0
    assert run("rank --segment-scores segments.csv --seed 1 --out b.json").exit_code == 0
    Path("s.csv").write_text(
        "item,old,new\n" + "".join(f"q{i},{i % 2},{i % 3 > 0:d}\n" for i in range(20))
    )
    assert run("compare --scores s.csv --seed 1 --out c.json").exit_code == 0
    done = run("report a.json b.json c.json --bake p.html")
    assert done.exit_code == 0, done.output
    a, b, c = held()
    assert all(one["segments"]["outputs"] is None for one in (a, b, c))
    assert c["segments"]["names"] == [f"q{i}" for i in range(20)]
    assert "c: 20 segments without texts on the page." in done.stderr
    ranking = dt.load("a.json")
    assert set(a["segments"]["systems"]) == {row.system for row in ranking.systems}  # type: ignore[attr-defined]
    scores = a["segments"]["measures"][0]["scores"]
    for row in ranking.systems:  # type: ignore[attr-defined]
        known = [value for value in scores[row.system] if value is not None]
        assert sum(known) / len(known) == pytest.approx(row.mean_raw, rel=1e-4)


@pytest.mark.usefixtures("place")
def test_without_segments_on_request_and_for_what_has_none() -> None:
    done = run("report r.json --bake p.html --no-segments")
    assert "segments" not in done.stderr
    assert held()[0]["segments"] is None
    assert run("power preference --n 200 --effect 0.1 --out q.json").exit_code == 0
    done = run("report q.json --bake q.html")
    assert (done.exit_code, "segments" in done.stderr) == (0, False)
    assert held("q.html")[0]["segments"] is None


@pytest.mark.usefixtures("place")
def test_segments_of_other_data_are_not_shown() -> None:
    Path("new.txt").write_text("other\n" * 4)
    done = run("report r.json --bake p.html")
    assert done.exit_code == 0
    assert (
        "Note: r: its segments are not on the page, since new.txt is another file now.\n"
        in done.stderr
    )
    assert held()[0]["segments"] is None
    Path("new.txt").unlink()
    done = run("report r.json --bake p.html --force")
    assert (
        "since new.txt is missing. Say where the command was typed (--folder).\n" in done.stderr
    )


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("secret", ["secret.txt", "pipe", "/proc/self/status"])
def test_a_result_puts_no_other_file_on_the_page(secret: str) -> None:
    """Whoever wrote the result names a file of the reader, and says nothing of it."""
    Path("secret.txt").write_text("a key\nand\nmore of\nit\n")
    os.mkfifo("pipe")
    content = json.loads(Path("r.json").read_text())
    content["command"] = [word.replace("old.txt", secret) for word in content["command"]]
    content["inputs"] = [one for one in content["inputs"] if one["path"] != "old.txt"]
    Path("r.json").write_text(json.dumps(content))
    done = run("report r.json --bake p.html")
    assert done.exit_code == 0, done.output
    assert (
        f"{secret}` is a pipe" in done.stderr or f"{secret} is none of the files" in done.stderr
    )
    assert held()[0]["segments"] is None
    assert "a key" not in Path("p.html").read_text()


def test_the_folder_of_the_command(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "else").mkdir()
    monkeypatch.chdir(place / "else")
    assert "is missing" in run("report ../r.json --bake p.html").stderr
    assert run("report ../r.json --bake p.html --force --folder ..").exit_code == 0
    assert held()[0]["segments"]["names"] == ["1", "2", "3", "4"]
    assert Path.cwd() == place / "else"


@pytest.mark.usefixtures("place")
def test_a_command_that_cannot_read_its_data_says_why() -> None:
    text = Path("r.json").read_text()
    assert '"--metric","chrf"' in text
    Path("r.json").write_text(text.replace('"--metric","chrf"', '"--metric","none"'))
    done = run("report r.json --bake p.html")
    assert done.exit_code == 0
    assert "its segments are not on the page, since the data cannot be read: " in done.stderr
    assert "'none'" in done.stderr
    assert held()[0]["segments"] is None


@pytest.mark.usefixtures("place")
def test_a_result_that_a_program_saved_says_why() -> None:
    dt.save(results.comparison(), "x.json")
    done = run("report x.json --bake p.html")
    assert "its segments are not on the page, since it was saved by a program" in done.stderr
    assert done.exit_code == 0


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("r.json --bake p.txt", 2, "--bake takes a name that ends in .html; got 'p.txt'."),
        ("r.json --no-segments", 2, "--segments has no effect without --bake. Drop it."),
        ("r.json --folder .", 2, "--folder has no effect without --bake. Drop it."),
        ("r.json --bake p.html --folder none", 2, "does not exist"),
        ("none.json --bake p.html", 1, "none.json: there is no such file"),
        ("r.json --bake none/p.html", 1, "none/p.html cannot be written"),
        ("r.json --bake mine.html", 1, "mine.html exists already. Choose another name, or add"),
        ("r.json -o p.html --bake p.html", 1, "p.html can hold only one form."),
    ],
)
def test_bad_input(words: str, status: int, said: str) -> None:
    Path("mine.html").write_text("mine")
    done = run(f"report {words}")
    assert done.exit_code == status
    assert said in done.stderr
    assert done.stdout == ""
    assert not Path("p.html").exists()
    assert Path("mine.html").read_text() == "mine"


@pytest.mark.usefixtures("place")
def test_overwriting_is_asked_for() -> None:
    Path("p.html").write_text("mine")
    assert run("report r.json --bake p.html --force").exit_code == 0
    assert len(held()) == 1


def test_commands_are_parsed_and_never_run(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    names, given = parsed_again(["detectable", *COMPARE.split(), "--out", str(out)])
    assert (names, given["references"], given["metrics"]) == (
        ["compare"],
        ("ref.txt",),
        ("chrf",),
    )
    assert not out.exists()
    for words in (["detectable", "compare", "--nonsense"], ["detectable", "compare", "--help"]):
        with pytest.raises(NotRepeatable, match="its command"):
            parsed_again(words)
