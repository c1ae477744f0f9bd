"""``detectable reliability``: from files to the answer, in one run, and messages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.cli import main
from tests.study.reliability.data import clustered
from tests.study.reliability.test_reliability import texts

QUICK = ["--orders", "100", "--resamples", "200", "--seed", "1"]


def run(*words: str) -> Any:
    return CliRunner().invoke(main, ["reliability", *words])


def said(*words: str) -> dict[str, Any]:
    result = run(*words, *QUICK, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write texts, scores and judgments of the same 60 segments in ten documents."""
    corpus = texts()
    for name, lines in (
        ("ref", corpus.references[0]),
        ("documents", corpus.documents or ()),
        ("good", corpus.output("good")),
        ("bad", corpus.output("bad")),
    ):
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, lines)) + "\n")
    table = clustered(10, 6, seed=5)
    rng = np.random.default_rng(3)
    rows = ["system,item,document,score,fluency,rater"]
    for ours, name in zip(("s0", "s1"), ("good", "bad"), strict=True):
        for i, value in enumerate(np.clip(table.systems[ours][0], 0, 100)):
            other = np.clip(value + rng.normal(0, 10), 0, 100)
            rows.append(f"{name},{i + 1},d{i // 6},{value:.1f},{other:.1f},r{i % 3}")
    (tmp_path / "judged.csv").write_text("\n".join(rows) + "\n")
    scores = [row.rsplit(",", 2)[0] for row in rows]
    (tmp_path / "scores.csv").write_text("\n".join(scores) + "\n")
    return tmp_path


def text_options(files: Path) -> list[str]:
    return [
        *("--refs", f"{files}/ref.txt", "--documents", f"{files}/documents.txt"),
        *("--system", f"good={files}/good.txt", "--system", f"bad={files}/bad.txt"),
    ]


def test_everything_in_one_run(files: Path) -> None:
    found = said(
        *text_options(files),
        *("--metric", "bleu", "--metric", "gtm", "--scores", f"comet={files}/scores.csv"),
        *("--judgments", f"adequacy={files}/judged.csv"),
        *("--judgments", f"fluency={files}/judged.csv", "--score-column", "fluency=fluency"),
        *("--half-width", "bleu=3", "--half-width", "fluency=2", "--effect", "adequacy=4"),
    )
    names = ["bleu", "gtm", "comet", "adequacy", "fluency"]
    assert list(found["icc"]) == list(found["design_effect"]) == list(found["tau"]) == names
    assert [fit["metric"] for fit in found["fits"]] == names
    assert {curve["metric"] for curve in found["curves"]} == set(names)
    asked = {(r["metric"], r["target"]): r["value"] for r in found["documents_for"]}
    assert asked["bleu", "half-width"] == 3.0
    assert asked["fluency", "half-width"] == 2.0
    assert asked["adequacy", "effect"] == 4.0
    # The same numbers as scores and as judgments; another column is another scale.
    assert found["icc"]["adequacy"] == pytest.approx(found["icc"]["comet"])
    assert found["icc"]["fluency"] != pytest.approx(found["icc"]["adequacy"])


def test_each_alone(files: Path) -> None:
    alone = said(*text_options(files), "--metric", "chrf", "--lowercase")
    assert list(alone["icc"]) == ["chrf"]
    assert list(said("--scores", f"{files}/scores.csv")["icc"]) == ["mean"]
    human = said("--judgments", f"{files}/judged.csv", "--column", "score=fluency")
    assert list(human["icc"]) == ["human"]
    assert human["icc"]["human"] != said("--judgments", f"{files}/judged.csv")["icc"]["human"]


def test_one_option_chooses_the_language_of_all(files: Path) -> None:
    lines = (files / "judged.csv").read_text().splitlines()
    both = [f"{line},{pair}" for pair in ("de-en", "en-de") for line in lines[1:]]
    (files / "two.csv").write_text("\n".join([f"{lines[0]},language", *both]))
    chosen = ("--judgments", f"{files}/two.csv", "--language", "en-de")
    alone = said("--judgments", f"{files}/judged.csv")["icc"]["human"]
    assert said(*chosen)["icc"]["human"] == alone
    assert said(*chosen, *text_options(files), "--metric", "chrf")["icc"]["human"] == alone
    assert "choose one with --language" in run("--judgments", f"{files}/two.csv").output


def test_options_reach_the_library(files: Path) -> None:
    words = ["--scores", f"{files}/scores.csv"]
    found = said(*words, "--method", "delta", "--fit", "nls", "--epsilon", ".001")
    assert (found["method"], found["fit"], found["epsilon"]) == ("delta", "nls", 0.001)
    assert (found["n_resamples"], found["orders"]) == (None, 100)
    strict = said(*words, "--alpha", ".01", "--power", ".9")
    assert strict["documents_for"][0]["documents"] > found["documents_for"][0]["documents"]


def test_the_text_leads_with_what_people_need(files: Path) -> None:
    result = run("--scores", f"{files}/scores.csv", *QUICK)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "With 10 documents (60 segments), mean is known to within ± "
    )
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


@pytest.mark.parametrize("form", ["--markdown", "--latex", "--html", "--csv"])
def test_every_form(files: Path, form: str) -> None:
    result = run("--scores", f"{files}/scores.csv", *QUICK, form, "-")
    assert result.exit_code == 0, result.output
    assert "mean" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give --refs and --system, --corpus, --scores or --judgments."),
        (["--judgments", "{f}/judged.csv", "--system", "a"], "--system has no effect on judgm"),
        (["--scores", "{f}/scores.csv", "--scale", "0:1"], "--scale has no effect here: there"),
        (
            ["--scores", "{f}/scores.csv", "--format", "esa"],
            "--format has no effect here: ther",
        ),
        (
            ["--scores", "{f}/scores.csv", "--column", "rater=x"],
            "--column rater=… is for judgm",
        ),
        (
            ["--judgments", "{f}/judged.csv", "--judgments", "{f}/judged.csv"],
            "two --judgments are called 'human'. Name them: adequacy=FILE",
        ),
        (
            ["--judgments", "a={f}/judged.csv", "--score-column", "b=fluency"],
            "--score-column takes NAME=COLUMN with NAME of --judgments; got 'b=fluency'",
        ),
    ],
)
def test_misuse_is_said(files: Path, words: list[str], message: str) -> None:
    result = run(*(word.format(f=files) for word in words))
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_bad_input_ends_with_one_sentence(files: Path) -> None:
    bare = [word for word in text_options(files) if "documents" not in word]
    (files / "one.csv").write_text("system,item,document,score\nA,1,all,3\nA,2,all,4\n")
    (files / "still.csv").write_text("system,item,document,score\nA,1,x,3\nA,2,y,3\n")
    for words, message in (
        (bare, "the outputs: the document of each segment is not known"),
        (
            ["--scores", f"{files}/scores.csv", "--language", "x"],
            "language pair",
        ),
        (
            ["--scores", f"{files}/scores.csv", "--orders", "5"],
            "--orders must be a whole number ≥ 100; got 5.",
        ),
        (
            ["--judgments", f"{files}/one.csv"],
            "there is one document, 'all', which says nothing",
        ),
        (["--scores", f"{files}/one.csv"], "the scores: there is one document, 'all'"),
        (["--judgments", f"{files}/still.csv"], "human is the same in all segments of every"),
    ):
        result = run(*words)
        assert result.exit_code == 1, result.output
        assert message in " ".join(result.output.split())
