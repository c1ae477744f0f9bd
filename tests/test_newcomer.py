"""What a newcomer adds stands in one file and one row, and appears in every form."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import copytree, ignore_patterns
from types import ModuleType
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner

import detectable
from detectable.cli import campaign_new, noise
from detectable.cli.command import command
from detectable.contrasts.contrast import Contrast
from detectable.core.options import option
from detectable.core.result import Result
from detectable.report import shown
from detectable.report.blocks import Block, Column, Table
from detectable.report.blocks_of import KINDS, Kind, blocks_of
from detectable.report.render.csv import render_csv
from detectable.report.render.latex import render_latex
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from detectable.report.shown import ranking
from detectable.study.campaign import settings
from detectable.study.campaign.settings import CampaignSettings
from detectable.study.precision import variance_components
from detectable.study.settings import VarianceSettings
from detectable.web import new_campaign
from tests.report import results
from tests.report.results import SIGNATURE


def forms(blocks: tuple[Block, ...], table: str) -> dict[str, str]:
    """Return a result in every form that shows tables."""
    return {
        "text": render_text(blocks, width=120, everything=True),
        "markdown": render_markdown(blocks),
        "latex": render_latex(blocks, everything=True),
        "page": render_page(blocks),
        "csv": render_csv(blocks, table),
    }


def test_a_column_of_the_ranking_is_declared_once_and_appears_in_all_forms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One file to touch: report/shown/ranking.py."""
    made = ranking.pairs

    def longer(result: Any) -> Table:
        table = made(result)
        column = Column("ratio", "ratio to MDE", digits=3, keep=2)
        rows = tuple(
            (*cells, pair.difference / pair.mde)
            for cells, pair in zip(table.rows, result.pairs, strict=True)
        )
        return replace(table, columns=(*table.columns, column), rows=rows)

    before = forms(blocks_of(results.ranking()), "pairs")
    monkeypatch.setattr(ranking, "pairs", longer)
    after = forms(blocks_of(results.ranking()), "pairs")
    for form in ("text", "markdown", "latex", "page"):
        assert "ratio to MDE" not in before[form]
        assert "ratio to MDE" in after[form], form
        assert "0.588" in after[form], form  # 2.5 / 4.25
    assert after["csv"].splitlines()[0].endswith(",ratio")
    assert after["csv"].splitlines()[1].endswith(f",{2.5 / 4.25!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinToss(Result):
    """A result type of a newcomer."""

    heads: int
    tails: int
    notes: tuple[str, ...] = ()


SHOW = '''"""What tosses of a coin show."""

from detectable.report.blocks import Column, Verdict, notes, table


def show(toss):
    yield Verdict("info", say(toss))
    columns = (
        Column("side", "side", "name", of=lambda row: row[0]),
        Column("n", "times", "count", of=lambda row: row[1]),
    )
    yield table("sides", "Sides", columns, [("heads", toss.heads), ("tails", toss.tails)])
    yield from notes(toss.notes)


def say(toss):
    return f"{toss.heads} heads and {toss.tails} tails."
'''


@pytest.fixture
def show_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file and one row to add; the file here in a folder of its own."""
    (tmp_path / "coin_toss.py").write_text(SHOW)
    monkeypatch.setattr(shown, "__path__", [*shown.__path__, str(tmp_path)])
    monkeypatch.setitem(KINDS, "CoinToss", Kind("of.a.newcomer", "coin_toss:show"))
    yield
    sys.modules.pop("detectable.report.shown.coin_toss", None)


TOSS = CoinToss(heads=12345, tails=7, notes=("A fair coin.",), signature=SIGNATURE)


@pytest.mark.usefixtures("show_file")
def test_a_result_type_gets_all_forms_by_one_file_and_a_row() -> None:
    assert TOSS.summary() == "12345 heads and 7 tails."
    for form, text in forms(blocks_of(TOSS), "sides").items():
        assert ("12345" if form == "csv" else "12,345") in text, form
        assert "heads" in text, form
    assert render_text(blocks_of(TOSS)) == (
        "12345 heads and 7 tails.\n\n"
        "Sides\nside    times\n─────────────\nheads  12,345\ntails       7"
    )


@pytest.mark.usefixtures("show_file")
def test_a_command_that_returns_it_has_all_options(tmp_path: Path) -> None:
    @command()
    @click.option("--coins", default=1, help="How many.")
    def toss(coins: int) -> Result:
        """Toss coins."""
        return replace(TOSS, tails=coins)

    group = click.Group("detectable", commands=[toss])
    paths = [tmp_path / name for name in ("a.md", "a.csv", "a.tex", "a.html")]
    words = ["--markdown", "--csv", "--latex", "--html"]
    typed = [str(part) for pair in zip(words, paths, strict=True) for part in pair]
    found = CliRunner().invoke(group, ["toss", "--coins", "9", *typed])
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("12345 heads and 9 tails.\n")
    assert found.stderr == f"Note: A fair coin.\n# {SIGNATURE}\n"
    assert all("heads" in path.read_text(encoding="utf-8") for path in paths)


def test_without_its_rows_only_plain_values_are_said_and_shown() -> None:
    assert TOSS.summary() == "CoinToss: heads 12345, tails 7."
    kinds = [type(block).__name__ for block in blocks_of(TOSS)]
    assert kinds == ["Verdict", "Table", "Text", "Repeat"]


# --- A setting is one declaration: help, check and function have it without another line ---


def fresh(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module as it is made anew, beside the one that others use."""
    name = f"fresh_{module.__name__.replace('.', '_')}"
    spec = spec_from_file_location(name, module.__file__)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, made)
    spec.loader.exec_module(made)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class LongerSettings(VarianceSettings):
    """One line more: the setting of a newcomer."""

    n_readings: int = option(2, "How often it is read.", flag="--readings", least=2, most=9)


@pytest.mark.usefixtures("show_file")
def test_a_setting_is_declared_once_and_reaches_the_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file to touch beside the function: the settings class."""

    def split(judgments: object, **given: Any) -> Result:
        asked = LongerSettings(**given)
        return replace(TOSS, heads=asked.n_readings)

    monkeypatch.setattr("detectable.study.settings.VarianceSettings", LongerSettings)
    monkeypatch.setattr(variance_components, "variance_components", split)
    group = click.Group("detectable", commands=[fresh(noise, monkeypatch).variance])
    path = tmp_path / "judgments.csv"
    path.write_text("system,item,rater,score\na,1,v,3\na,1,w,4\n", encoding="utf-8")

    def typed(*words: str) -> click.testing.Result:
        return CliRunner().invoke(group, ["variance", str(path), *words])

    shown = " ".join(typed("--help").stdout.split())
    assert "--readings INTEGER How often it is read. [default: 2]" in shown
    assert typed().stdout.startswith("2 heads")
    assert typed("--readings", "7").stdout.startswith("7 heads")
    wrong = typed("--readings", "10")
    assert (wrong.exit_code, wrong.stderr) == (
        1,
        "Error: --readings must be at most 9; got 10.\n",
    )
    assert "--readings" not in CliRunner().invoke(noise.variance, ["--help"]).stdout


def test_a_field_of_campaigns_is_declared_once_for_command_and_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three files to touch: the settings, the template of the form and its words."""
    ink = option(4, "Colours of the page.", most=9)
    known = [(one.name, one.type, _again(one)) for one in fields(CampaignSettings)]
    place = [name for name, _, _ in known].index("page_lines") + 1
    longer = make_dataclass("Longer", [*known[:place], ("ink", int, ink), *known[place:]])
    monkeypatch.setattr(settings, "CampaignSettings", longer)
    shown = CliRunner().invoke(fresh(campaign_new, monkeypatch).new, ["--help"]).stdout
    assert "--ink INTEGER Colours of the page. [default: 4]" in " ".join(shown.split())
    asked = fresh(new_campaign, monkeypatch).CampaignAsked
    _, schemas = msgspec.json.schema_components([asked])
    found = schemas["CampaignAsked"]["properties"]["ink"]
    assert found == {"type": "integer", "minimum": 1, "maximum": 9, "default": 4}


def _again(one: Field[Any]) -> Any:
    """Return a field that another class may have: a field belongs to one."""
    given = {
        name: value
        for name in ("default", "default_factory")
        if (value := getattr(one, name)) is not MISSING
    }
    return field(metadata=one.metadata, **given)


# --- Counted: each task is done in a copy of the source, and the files that it takes are counted ---

SOURCE = Path(detectable.__file__).parent


class House:
    """A copy of the source in which a newcomer works."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy" / "detectable"
        copytree(SOURCE, self.root, ignore=ignore_patterns("__pycache__"))
        self.folder = folder
        self.touched: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """Add a file."""
        assert not (self.root / name).exists()
        (self.root / name).write_text(text, encoding="utf-8")
        self.touched.add(name)

    def change(self, name: str, here: str, after: str) -> None:
        """Replace what stands once in a file."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert text.count(here) == 1, f"{name}: {here!r} stands there {text.count(here)} times"
        (self.root / name).write_text(text.replace(here, after), encoding="utf-8")
        self.touched.add(name)

    def put(self, name: str, here: str, lines: str) -> None:
        """Add lines before what stands once in a file."""
        self.change(name, here, f"{lines}{here}")

    def run(self, *words: str) -> str:
        """Return what ``python …`` prints, with the copy in place of the package."""
        paths = os.pathsep.join([str(self.root.parent), str(SOURCE.parent.parent)])
        found = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "120"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    def typed(self, *words: str) -> str:
        """Return what a command of the copy says."""
        return self.run("-m", "detectable", *words)

    def table(self, name: str, text: str) -> str:
        """Write data, and return their path."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


METRIC = '''"""How often an output has a letter."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core.types import FloatArray, Progress, silent
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric


@dataclass(frozen=True, slots=True)
class Letter(TextMetric):
    """How often an output has a letter."""

    letter: str = "a"

    name: ClassVar[str] = "letter"
    higher_is_better: ClassVar[bool | None] = True

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        found = [[line.count(self.letter), 1.0] for line in corpus.output(*corpus.outputs[0])]
        table = np.empty((len(corpus.outputs), len(found), 2))
        for row, output in enumerate(corpus.outputs):
            table[row] = [[line.count(self.letter), 1.0] for line in corpus.output(*output)]
        return table

    def score(self, sums: FloatArray) -> FloatArray:
        return sums[..., 0] / sums[..., 1]

    def signature(self) -> str:
        return f"letter:{self.letter}"
'''


def test_a_metric_takes_two_files(house: House) -> None:
    house.write("metrics/letter.py", METRIC)
    house.put(
        "metrics/registry.py",
        '    "mean": "',
        '    "letter": "detectable.metrics.letter:Letter",\n',
    )
    lines = range(12)
    texts = {
        "ref": "".join(f"one line {n}\n" for n in lines),
        "new": "".join(f"a banana {n}\n" for n in lines),
        "old": "".join(f"a plum {n}{'a' * (n % 2)}\n" for n in lines),
    }
    ref, new, old = (house.table(name, text) for name, text in texts.items())
    said = house.typed(
        *(
            "compare",
            "--refs",
            ref,
            "--system",
            f"new={new}",
            "--system",
            f"old={old}",
            "--metric",
            "letter",
            "--baseline",
            "old",
            "--json",
        )
    )
    found = json.loads(said)
    assert {row["system"]: row["score"] for row in found["systems"]} == {"new": 4.0, "old": 1.5}
    assert found["pairs"][0]["verdict"] == "better"
    assert len(house.touched) == 2


FORMAT = '''"""Scores of a tool of tomorrow: SYSTEM ITEM SCORE after a first line with its name."""

from dataclasses import replace

from detectable.data.files.content import FileContent
from detectable.data.reader import ScoreReader
from detectable.data.scores.scores import Scores


def recognise(content: FileContent) -> bool:
    return content.text.startswith("tomorrow\\n")


def read(file, *, metric=None, systems=None):
    found = {}
    for line in FileContent.of(file).text.splitlines()[1:]:
        system, item, score = line.split()
        found.setdefault(system, {})[item] = float(score)
    items = list(next(iter(found.values())))
    scores = {system: [of[item] for item in items] for system, of in found.items()}
    return Scores.build(scores, items=items, metric=metric or "tomorrow")


SCORES = ScoreReader(
    name="tomorrow", about="scores of tomorrow", recognise=recognise, read=read, order=1
)
'''


def test_a_format_takes_one_file_and_a_row(house: House) -> None:
    house.write("data/formats/tomorrow.py", FORMAT)
    house.put("data/reader.py", "}\n\n\nclass Found(", f"{ROW_OF_FORMAT}\n")
    rows = [
        f"{name} i{n} {n % 3 + (name == 'new') * n}"
        for n in range(9)
        for name in ("new", "old")
    ]
    path = house.table("scores.txt", "\n".join(["tomorrow", *rows, ""]))
    found = json.loads(house.typed("compare", "--scores", path, "--baseline", "old", "--json"))
    assert found["metrics"][0]["label"] == "tomorrow"
    assert found["pairs"][0]["difference"] == 4.0
    assert "tomorrow" in house.typed("compare", "--help")
    assert house.touched == {"data/formats/tomorrow.py", "data/reader.py"}


ROW_OF_FORMAT = '    "tomorrow": "detectable.data.formats.tomorrow:SCORES",'

# In each kind of result with contrasts: the class of its rows.
SHOW_ALL = """
from detectable.contrasts.contrast import Contrast
from detectable.report.blocks_of import blocks_of
from detectable.report.render.csv import render_csv
from detectable.report.render.text import render_text
from tests.frozen.variants import VARIANTS
from tests.report.results import RESULTS

for result in (*RESULTS.values(), VARIANTS["comparison-tasks"]()):
    held = [getattr(result, name) for name in type(result).__dataclass_fields__]
    rows = [row for one in held for row in (one if isinstance(one, tuple) else getattr(one, "rows", ()))]
    kinds = sorted({type(row).__name__ for row in rows if isinstance(row, Contrast)})
    blocks = blocks_of(result)
    text = render_text(blocks, width=400, everything=True)
    tables = [block for block in blocks if "of_a_newcomer" in
              [column.key for column in getattr(block, "columns", ()) if hasattr(column, "key")]]
    assert all("of_a_newcomer" in render_csv(blocks, table.id) for table in tables)
    if kinds:
        print(*kinds, len(tables), "DIFF PER SE" in text, sep=",")
"""


def test_a_column_of_contrasts_takes_one_file_for_all_studies(house: House) -> None:
    house.change(
        "report/blocks.py",
        "OF_EVERY_CONTRAST: tuple[Column, ...] = ()",
        "OF_EVERY_CONTRAST = (\n"
        '    Column("of_a_newcomer", "DIFF PER SE", of=lambda row: row.difference / row.standard_error),\n)',
    )
    said = house.run("-c", SHOW_ALL).splitlines()
    rows = [line.split(",") for line in said]
    assert [line for line in said if not line.endswith(",True")] == []
    shown = {kind for row in rows for kind in row[:-2]}
    assert shown == {one.__name__ for one in Contrast.__subclasses__() if _is_ours(one)}
    assert [row for row in rows if int(row[-2]) < len(row) - 2] == []
    assert len(house.touched) == 1


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("detectable.")


STUDY = '''"""How often a coin shows heads."""

from dataclasses import dataclass

from detectable.core.options import check_settings, option
from detectable.core.result import Result, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinSettings:
    """What a toss takes."""

    heads: int = option(2, "How many show heads.", least=1, most=9)

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinToss(Result):
    """What came up."""

    heads: int
    tails: int
    notes: tuple[str, ...] = ()


def toss(coins: int, *, heads: int = 2) -> CoinToss:
    """Toss coins."""
    asked = CoinSettings(heads=heads)
    signature = Signature("coin-toss", {"n": coins})
    return CoinToss(heads=asked.heads, tails=coins - asked.heads, signature=signature)
'''
COMMAND = '''"""``detectable toss``."""

import click

from detectable.cli import options
from detectable.cli.command import command
from detectable.study.coins import CoinSettings


@command()
@click.argument("coins", type=int)
@options.of(CoinSettings)
def toss(coins: int, **settings: int) -> object:
    """Toss some coins."""
    from detectable.study.coins import toss as ask

    return ask(coins, **settings)
'''


def test_a_command_takes_five_files(house: House) -> None:
    house.write("study/coins.py", STUDY)
    house.write(
        "report/shown/coin_toss.py",
        SHOW.replace("def say(", "def say_toss(")
        .replace("def show(", "def show_toss(")
        .replace("say(toss)", "say_toss(toss)"),
    )
    house.write("cli/toss.py", COMMAND)
    house.put(
        "report/blocks_of.py",
        '    "Comparison": Kind(',
        '    "CoinToss": Kind("study.coins", "coin_toss:show_toss"),\n',
    )
    house.put(
        "cli/command_table.py",
        '        "score": Entry(',
        '        "toss": Entry("toss:toss", "Toss some coins."),\n',
    )
    house.change(
        "cli/command_table.py", '*("design", "savings"', '*("toss", "design", "savings"'
    )
    assert "Toss some coins." in house.typed("--help")
    shown = " ".join(house.typed("toss", "--help").split())
    assert "--heads INTEGER How many show heads. [default: 2]" in shown
    assert house.typed("toss", "9", "--heads", "4").startswith("4 heads and 5 tails.")
    assert json.loads(house.typed("toss", "9", "--json"))["tails"] == 7
    paths = {
        ending: str(house.folder / f"a.{ending}") for ending in ("json", "html", "tex", "csv")
    }
    house.typed(
        "toss",
        "9",
        "--out",
        paths["json"],
        "--html",
        paths["html"],
        "--latex",
        paths["tex"],
        "--csv",
        paths["csv"],
    )
    assert all("heads" in Path(path).read_text(encoding="utf-8") for path in paths.values())
    program = (
        f"import detectable as dt; print(repr(dt.load({paths['json']!r})), dt.results.CoinToss)"
    )
    assert house.run("-c", program).startswith("<CoinToss: 2 heads and 7 tails.>")
    assert house.typed("verify", paths["json"]).startswith("The same")  # it was typed again
    assert len(house.touched) == 5


def test_the_wording_of_a_verdict_takes_one_file(house: House) -> None:
    house.change(
        "core/verdict.py",
        'return f"undecided between {system} and {baseline}"',
        'return f"no winner of {system} and {baseline}"',
    )
    assert len(house.touched) == 1
    said = house.run("-c", SAY_ALL)
    assert "ndecided between" not in said
    kinds = {line.split(":")[0] for line in said.splitlines() if "o winner of" in line}
    assert kinds >= {"Comparison", "Arena"}


SAY_ALL = """
from detectable.report.blocks_of import blocks_of
from detectable.report.render.text import render_text
from tests.frozen.variants import VARIANTS
from tests.report.results import RESULTS

for made in (*RESULTS.values(), *(make() for make in VARIANTS.values())):
    text = " ".join(render_text(blocks_of(made), width=200, everything=True).split())
    print(type(made).__name__, text.replace(":", " "), made.summary(), sep=": ")
"""


def test_a_field_of_campaigns_takes_three_files(house: House) -> None:
    house.put(
        "study/campaign/settings.py",
        "    page_language: choices.PageLanguage = option(",
        '    ink: int = option(4, "Colours of the page.", most=9)\n',
    )
    house.put(
        "web/templates/new_campaign.html.j2",
        '  {{ field("block", t("new.block")',
        """  {{ field("ink", t("new.ink"), t("new.ink_help"), "number", 'min="1" max="9" value="' ~ known.ink ~ '"') }}\n""",
    )
    house.put(
        "web/strings/en.json",
        '  "new.instructions":',
        '  "new.ink": "Colours",\n  "new.ink_help": "Of the page.",\n',
    )
    assert "--ink INTEGER" in house.typed("campaign", "new", "--help")
    said = house.run("-c", ASK_FORM)
    assert 'id="ink"' in said
    assert 'max="9" value="4"' in said
    assert "'ink': {'type': 'integer', 'minimum': 1, 'maximum': 9, 'default': 4}" in said
    assert len(house.touched) == 3


ASK_FORM = """
from pathlib import Path
from tests.web.client import client

asked = client(Path("."))
print(asked.get("/new-campaign").text)
print(asked.get("/openapi.json").json())
"""
