"""What a newcomer adds stands in one file and one row, and appears in every form."""

import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner

from detectable.cli import campaign_new, noise
from detectable.cli.command import command
from detectable.core.options import option
from detectable.core.result import Result
from detectable.report.blocks import Block, Column, Table
from detectable.report.blocks_of import SHOWN, blocks_of
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
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(SHOWN, "CoinToss", "coin_toss:show")
    yield
    sys.modules.pop("coin_toss", None)


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
    given = {} if one.default is MISSING else {"default": one.default}
    return field(metadata=one.metadata, **given)
