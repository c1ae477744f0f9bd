"""Formats of judgments: built in, added to the table, or of another package."""

import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main
from detectable.core.errors import InputError
from detectable.data.files.content import FileContent
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import read_judgments
from detectable.data.reader import JUDGMENTS as TABLE
from detectable.data.reader import find_judgment_reader as find_reader
from detectable.data.reader import judgment_readers
from tests.data.sample_files import SAMPLES, fails, write

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
    assert re.search(r"--format \[auto\|[^]]*\btoy\b", run("rank", "--help").stdout)
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
