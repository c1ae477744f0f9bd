"""What a newcomer adds stands in one file and one row, and appears in every form."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from detectable.cli.command import command
from detectable.core.result import Result
from detectable.report.blocks import Block, Column, Table
from detectable.report.blocks_of import SHOWN, blocks_of
from detectable.report.render.csv import render_csv
from detectable.report.render.latex import render_latex
from detectable.report.render.markdown import render_markdown
from detectable.report.render.page import render_page
from detectable.report.render.text import render_text
from detectable.report.shown import ranking
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

from detectable.report.blocks import Column, Repeat, Verdict, notes, table


def show(toss):
    yield Verdict("info", say(toss))
    columns = (
        Column("side", "side", "name", of=lambda row: row[0]),
        Column("n", "times", "count", of=lambda row: row[1]),
    )
    yield table("sides", "Sides", columns, [("heads", toss.heads), ("tails", toss.tails)])
    yield from notes(toss.notes)
    yield Repeat(str(toss.signature))


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
