"""Formats of judgments: built in, added to the table, or of another package."""

import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.core.errors import DataError, InputError
from detectable.data.files.content import FileContent
from detectable.data.human.judgments import Judgments
from detectable.data.human.preferences import NOTE, read_preferences
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import JUDGMENTS as TABLE
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.data.reader import judgment_readers
from detectable.study.ranking.rank_systems import rank_systems
from tests.data.sample_files import SAMPLES, fails, write
from tests.helpers import reference_data

PAGE = Path(__file__).parents[3] / "docs" / "judgments.md"
MODULE = "toy_judgments"
TEXT = "# toy scores\nann A 1: 70\nann B 1: 80\nben A 2: -\n"
BUILT_IN = (
    *(
        "alpaca-eval",
        "appraise",
        "arena",
        "arena-hard",
        "blind-sheets",
        "esa",
        "hassan2018",
        "label-studio",
        "mqm",
        "mt-bench",
    ),
    *("pearmut", "shipdata", "table", "wmt-da", "wmt-mteval"),
)


def block(language: str) -> str:
    """Return the first block of code in `language` on the page."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{PAGE} holds no {language}")
    return found[1]


def install(folder: Path, code: str, points: dict[str, str]) -> None:
    """Put a package where an installer would."""
    (folder / f"{MODULE}.py").write_text(code)
    info = folder / "toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    listed = "\n".join(f"{name} = {target}" for name, target in points.items())
    (info / "entry_points.txt").write_text(f"[detectable.judgments]\n{listed}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop(MODULE, None)


@pytest.fixture
def plug_in(site: Path) -> None:
    """Install the package of the page."""
    points = tomllib.loads(block("toml"))["project"]["entry-points"]["detectable.judgments"]
    install(site, block("python"), points)


@pytest.fixture
def built_in(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add one module, and one row of the table."""
    (site / f"{MODULE}.py").write_text(block("python"))
    monkeypatch.setitem(TABLE, "toy", f"{MODULE}:READER")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in arguments])


def check_toy(judgments: Judgments) -> None:
    assert judgments.rater is not None
    assert judgments.rater.levels == ("ann",)
    assert judgments.score.tolist() == [70, 80]
    assert judgments.notes == ("1 judgment left out: items that were skipped.",)


def test_the_formats_are_the_rows_of_the_table() -> None:
    assert judgment_readers().names() == BUILT_IN
    for name in BUILT_IN:
        reader = judgment_readers().get(name)
        assert (reader.name, bool(reader.about)) == (name, True)


def test_readers_are_asked_in_a_stated_order() -> None:
    asked = [(reader.name, reader.order) for reader in judgment_readers().in_order()]
    assert asked == [
        ("blind-sheets", 1),
        ("hassan2018", 5),
        ("shipdata", 10),
        ("wmt-da", 20),
        ("label-studio", 30),
        ("pearmut", 40),
        ("esa", 50),
        ("wmt-mteval", 55),
        ("mqm", 60),
        ("appraise", 70),
        ("alpaca-eval", 80),
        ("arena-hard", 81),
        ("mt-bench", 82),
        ("arena", 83),
        ("table", 1000),
    ]


def test_no_sample_is_recognised_by_two_formats() -> None:
    for path in sorted((SAMPLES / "judgments").iterdir()):
        content = FileContent(path)
        found = [
            r.name
            for r in judgment_readers().in_order()
            if r.name != "table" and r.recognise(content)
        ]
        assert found in ([], [find_reader(content).name])


def test_every_format_is_described() -> None:
    for name in BUILT_IN:
        assert f"| `{name}` |" in PAGE.read_text()


def test_a_package_is_imported_only_when_a_file_must_be_recognised(
    plug_in: None, tmp_path: Path
) -> None:
    assert judgment_readers().names() == (*BUILT_IN, "toy")
    assert MODULE not in sys.modules
    read_judgments(SAMPLES / "judgments" / "table.csv", format="table")
    assert MODULE not in sys.modules
    check_toy(read_judgments(write(tmp_path, "j.txt", TEXT)))
    assert MODULE in sys.modules


@pytest.mark.parametrize("way", ["plug_in", "built_in"])
def test_one_file_is_enough(way: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    request.getfixturevalue(way)
    path = write(tmp_path, "j.txt", TEXT)
    assert find_reader(FileContent(path)).name == "toy"
    check_toy(read_judgments(path))
    check_toy(read_judgments(path, format="toy"))
    assert read_judgments(path, scale=(0, 90)).scale == (0.0, 90.0)
    with pytest.raises(InputError, match="`columns` does not apply to the format 'toy'"):
        read_judgments(path, format="toy", columns={"rater": "x"})
    with fails("j.txt, line 2: expected a judgment, found 'ann A: 1'"):
        read_judgments(write(tmp_path, "j.txt", "# toy scores\nann A: 1\n"))
    shown = " ".join(run("rank", "--help").stdout.split())
    assert re.search(r"--format WORD Of the judgments; [^:]* One of auto, [^.]*\btoy\b", shown)
    path = write(tmp_path, "j.txt", TEXT + "ann A 3: 60\nann B 3: 65\n")
    target = tmp_path / "out.csv"
    for format in ("auto", "toy"):
        out = run("import", path, target, "--format", format, "--force")
        assert out.exit_code == 0, out.output
        assert "holds 4 judgments" in " ".join(out.stdout.split())
    out = run("rank", path, "--format", "toys")
    assert out.exit_code == 2
    assert "'toys' is not one of 'auto', 'alpaca-eval', 'appraise'" in out.stderr
    assert "'toy'" in out.stderr


def test_without_it_the_format_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"`format` must be one of auto, .*got 'toy'\."):
        read_judgments(write(tmp_path, "j.txt", TEXT), format="toy")
    assert "toy" not in run("rank", "--help").stdout


def test_a_built_in_format_cannot_be_replaced(site: Path) -> None:
    install(site, block("python"), {"esa": f"{MODULE}:READER"})
    assert judgment_readers().names() == BUILT_IN
    assert judgment_readers().get("esa").about.startswith("error span annotation")


def test_equal_numbers_are_asked_by_the_alphabet(site: Path) -> None:
    code = block("python") + (
        "\nfrom dataclasses import replace\n"
        "FIRST = replace(READER, name='a-toy')\nLAST = replace(READER, name='z-toy')\n"
    )
    points = {"z-toy": "LAST", "toy": "READER", "a-toy": "FIRST"}
    install(site, code, {name: f"{MODULE}:{thing}" for name, thing in points.items()})
    assert [reader.name for reader in judgment_readers().in_order()][len(BUILT_IN) - 1 :] == [
        *("a-toy", "toy", "z-toy", "table"),
    ]


@pytest.mark.parametrize("thing", ["read", "READER"])
def test_a_package_that_announces_something_else_is_named(thing: str, site: Path) -> None:
    install(site, block("python"), {"other": f"{MODULE}:{thing}"})
    with pytest.raises(InputError, match="'other' must be a JudgmentReader of that name; got"):
        read_judgments(SAMPLES / "judgments" / "table.csv")


@pytest.mark.parametrize("target", [f"{MODULE}:absent", "no_such_module:READER"])
def test_a_package_that_cannot_be_loaded_is_named(target: str, site: Path) -> None:
    install(site, block("python"), {"other": target})
    with pytest.raises(InputError, match=r"'other' cannot be loaded .* remove the package"):
        read_judgments(SAMPLES / "judgments" / "table.csv")


def test_a_zip_of_something_else_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    with fails("log.eval: this is a ZIP archive that holds no judgments. If it is a log"):
        read_judgments(path)


# --- Preferences between systems: AlpacaEval, Arena-Hard, MT-bench and battles of arenas ---

FOLDER = SAMPLES / "judgments"


def _rows(judgments: Judgments, *roles: str) -> list[tuple[object, ...]]:
    whole = judgments.to_columns()
    return list(zip(*(whole[role] for role in roles), strict=True))


@pytest.mark.usefixtures("sound_parquet")
def test_alpaca_eval_as_preferences() -> None:
    judgments = read_judgments(FOLDER / "alpaca_eval.json")
    assert _rows(judgments, "system", "item", "score", "rater") == [
        ("mine", "own: Name a bird.", 0.75, "judge-1"),
        ("ref", "own: Name a bird.", 0.25, "judge-1"),
        ("mine", "own: Name a fish.", 0.5, "judge-1"),
        ("ref", "own: Name a fish.", 0.5, "judge-1"),
    ]
    assert judgments.scale == (0.0, 1.0)
    assert judgments.notes == (
        "1 battle left out: comparisons without an outcome.",
        NOTE,
    )


@pytest.mark.usefixtures("sound_parquet")
@pytest.mark.golden
def test_a_published_win_rate() -> None:
    path = reference_data("data", "real", "alpaca-eval", "claude-2.1.annotations.json")
    judgments = read_judgments(path)
    assert judgments.where(system="claude-2.1").n_judgments == 805
    mean = judgments.where(system="claude-2.1").score.mean()
    assert 100 * mean == pytest.approx(15.733507, abs=5e-7)
    ranking = rank_systems(judgments, rng=1, n_resamples=199)
    assert [row.system for row in ranking.systems] == ["gpt4_1106_preview", "claude-2.1"]
    assert ranking.pairs[0].verdict == "better"


@pytest.mark.usefixtures("sound_parquet")
def test_arena_hard_is_one_observation_per_question() -> None:
    judgments = read_judgments(FOLDER / "arena_hard.jsonl")
    new = judgments.where(system="new")
    # u1: won both games. u2: lost the first, tied the second. u3: lost the only one.
    assert _rows(new, "item", "score", "domain", "rater") == [
        ("u1", 1.0, "math", "j"),
        ("u2", 0.25, "code", "j"),
        ("u3", 0.0, "code", "j"),
    ]
    assert judgments.where(system="old").score.tolist() == [0.0, 0.75, 1.0]
    assert judgments.notes[0] == "1 battle left out: comparisons without an outcome."
    assert judgments.notes[-1] == "1 question with an outcome in one order only."


@pytest.mark.usefixtures("sound_parquet")
def test_an_outcome_of_arena_hard_that_is_not_known(tmp_path: Path) -> None:
    text = (FOLDER / "arena_hard.jsonl").read_text().replace("A=B", "A~B")
    with fails("a.jsonl, line 2: unknown outcome 'A~B' of a game. Known are A>>B, A>B"):
        read_judgments(write(tmp_path, "a.jsonl", text))


@pytest.mark.usefixtures("sound_parquet")
def test_grades_of_mt_bench() -> None:
    judgments = read_judgments(FOLDER / "mt_bench_single.jsonl")
    assert _rows(judgments, "system", "item", "score", "rater", "document") == [
        ("A", "81:1", 9.0, "gpt-4", "81"),
        ("B", "81:1", 7.5, "gpt-4", "81"),
    ]
    assert judgments.scale == (1.0, 10.0)
    assert judgments.notes == (
        "1 judgment left out: answers that the judge failed to grade (-1).",
    )


@pytest.mark.usefixtures("sound_parquet")
def test_pairs_of_mt_bench_that_disagree_are_ties(tmp_path: Path) -> None:
    judgments = read_judgments(FOLDER / "mt_bench_pair.jsonl")
    assert _rows(judgments, "system", "item", "score") == [
        ("A", "81:1", 1.0),
        ("B", "81:1", 0.0),
        ("A", "82:1", 0.5),
        ("B", "82:1", 0.5),
    ]
    text = (FOLDER / "mt_bench_pair.jsonl").read_text()
    with fails("p.jsonl, line 2: unknown winner 'nobody'"):
        changed = text.replace('"g2_winner": "model_2"', '"g2_winner": "nobody"')
        read_judgments(write(tmp_path, "p.jsonl", changed))
    mixed = text + (FOLDER / "mt_bench_single.jsonl").read_text()
    with fails("p.jsonl, line 4: expected g1_winner", "Do not mix single answers and pairs"):
        read_judgments(write(tmp_path, "p.jsonl", mixed))


@pytest.mark.usefixtures("sound_parquet")
def test_battles_of_an_arena() -> None:
    judgments = read_judgments(FOLDER / "arena.csv")
    assert _rows(judgments, "system", "item", "score", "rater", "language") == [
        ("A", "q1", 1.0, "v1", "English"),
        ("B", "q1", 0.0, "v1", "English"),
        ("B", "q2", 0.5, "v2", "English"),
        ("A", "q2", 0.5, "v2", "English"),
        ("A", "q3", 0.0, "v1", "English"),
        ("B", "q3", 1.0, "v1", "English"),
    ]
    assert judgments.notes[0] == (
        "1 battle left out: battles in which the names of the models were shown (anony is "
        "false)."
    )
    assert "1 battle in which both are bad counted as ties." in judgments.notes


@pytest.mark.usefixtures("sound_parquet")
def test_battles_with_a_column_for_each_outcome(tmp_path: Path) -> None:
    path = tmp_path / "kaggle.parquet"
    pl.DataFrame(
        {
            "id": [7, 8],
            "model_a": ["A", "A"],
            "model_b": ["B", "C"],
            "winner_model_a": [0, 0],
            "winner_model_b": [1, 0],
            "winner_tie": [0, 1],
        }
    ).write_parquet(path)
    judgments = read_judgments(path)
    assert _rows(judgments, "system", "item", "score") == [
        ("A", "7", 0.0),
        ("B", "7", 1.0),
        ("A", "8", 0.5),
        ("C", "8", 0.5),
    ]


@pytest.mark.usefixtures("sound_parquet")
def test_a_winner_that_is_not_known(tmp_path: Path) -> None:
    text = (FOLDER / "arena.csv").read_text().replace("tie (bothbad)", "left")
    with fails(
        "b.csv, line 3, column 'winner': expected model_a, model_b, tie", "found 'left'"
    ):
        read_judgments(write(tmp_path, "b.csv", text))


# --- Preferences as judgments ---

AB = ("A", "B")


def test_winners_become_scores(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,rater,winner\n1,x,A\n1,y,B\n2,x,tie\n3,x,\n")
    found = read_preferences(path, AB)
    assert found.score.tolist() == [1, 0, 0, 1, 0.5, 0.5, 0.5, 0.5]
    assert found.system.labels() == ["A", "B"] * 4
    assert found.rater is not None
    assert found.rater.labels() == ["x", "x", "y", "y", "x", "x", "x", "x"]
    assert found.scale == (0.0, 1.0)


@pytest.mark.parametrize("word", ["tie", "Tie", "EQUAL", "none", "neither", "both", " ", None])
def test_words_for_neither(word: str | None) -> None:
    assert read_preferences({"item": [1], "winner": [word]}, AB).score.tolist() == [0.5, 0.5]


def test_an_unknown_winner_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,winner\n1,A\n2,C\n")
    with pytest.raises(DataError, match=r"line 3.*expected 'A', 'B' or “tie”, found 'C'"):
        read_preferences(path, AB)


def test_columns_that_are_missing() -> None:
    with pytest.raises(DataError, match="winner"):
        read_preferences({"item": [1]}, AB)
    with pytest.raises(DataError, match="item"):
        read_preferences({"winner": ["A"]}, AB)


def test_preferences_are_about_two_systems() -> None:
    with pytest.raises(DataError, match="preferences compare two systems"):
        read_preferences({"item": [1], "winner": ["A"]}, ("A", "B", "C"))
