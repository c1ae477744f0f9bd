"""`make replications`: what it needs, what it writes and what it returns."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from detectable.report.blocks import Table, Text, Verdict
from detectable.report.blocks_of import blocks_of
from replications import __main__ as command
from replications.listed import KINDS, Compared, Number
from replications.page import Page
from replications.papers import PAPERS, Effort
from replications.totals import totals
from replications.write import markdown, write_index, write_page
from tests.replications.pages import ROWS, page, power
from tests.report.charts.drawn import check

ROOT = Path(__file__).parents[2]


def invented(monkeypatch: pytest.MonkeyPatch, folder: Path, *, problem: str = "") -> list[Path]:
    seen: list[Path] = []

    def run(data: Path, effort: Effort) -> Page:
        seen.append(data)
        sys.stdout.write("not for the reader")
        effort.progress("work", 0, None)
        return page(problem=problem, paper="card2020")

    monkeypatch.setattr(command, "PAPERS", {"card2020": run})
    (folder / "data").mkdir()
    monkeypatch.setenv(command.VARIABLE, str(folder))
    return seen


@pytest.mark.parametrize("given", [None, "/nowhere/at/all"])
def test_without_reference_data_it_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    if given is None:
        monkeypatch.delenv(command.VARIABLE, raising=False)
    else:
        monkeypatch.setenv(command.VARIABLE, given)
    made = CliRunner().invoke(command.main, [])
    assert made.exit_code == 1
    [line] = made.output.splitlines()
    assert line.startswith(f"Error: {command.VARIABLE} must name the folder")
    assert ("it is not set" if given is None else given) in line


def test_every_paper_is_told_in_a_line_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    seen = invented(monkeypatch, tmp_path)
    out = tmp_path / "made"
    made = CliRunner().invoke(command.main, ["--output", str(out), "--jobs", "1"])
    assert made.exit_code == 0, made.output
    kinds, first, last = made.output.splitlines()
    assert kinds.startswith("Matched: printed in the paper; ")
    assert re.fullmatch(r"card2020 +1 of 2 +1 of 1 +1 of 2 +1 figures +\d+ s CPU", first)
    assert last == f"Open {out / 'index.html'}."
    assert seen == [tmp_path / "data"]
    assert (out / "card2020" / "index.html").exists()
    assert (out / "index.md").exists()


def test_a_number_that_is_not_as_listed_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    invented(monkeypatch, tmp_path, problem="moved: 1, expected 2")
    made = CliRunner().invoke(command.main, ["--output", str(tmp_path / "made")])
    assert made.exit_code == 1
    assert "not as listed: moved: 1, expected 2" in made.output


def test_make_runs_all_papers_that_have_a_total() -> None:
    assert list(PAPERS) == list(totals())
    made = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "replications", "ONLY=card2020"],
        cwd=ROOT,
        # Called by `make test` itself, the flags of the outer make would come along.
        env={name: text for name, text in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.splitlines()[-1] == ".venv/bin/python -m replications card2020"
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert f"{command.BUILD.relative_to(ROOT)}/" in ignored


# --- A page of a paper: counts, tables and figures as blocks ---


def tables() -> dict[str, Table]:
    return {block.id: block for block in page().blocks() if isinstance(block, Table)}


def test_what_is_matched_is_counted_with_what_could_not_be_run() -> None:
    made = page()
    assert [str(made.total(kind)) for kind in KINDS] == ["1 of 2", "1 of 1", "1 of 2"]
    assert made.not_run == 1
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.status == "info"
    assert verdict.headline == (
        "1 of 2 numbers printed in the paper come out; 1 of 1 of its authors' code and data; "
        "1 of 2 of other published results."
    )
    assert "1 could not be run here; the table says why." in verdict.detail
    assert "One more runs elsewhere." in verdict.detail


def test_a_paper_without_public_data_says_so() -> None:
    made = replace(page(), rows=ROWS[5:])
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.headline == "No number printed in the paper can be computed again."
    assert {b.id for b in made.blocks() if isinstance(b, Table)} == {
        "beside",
        "ours",
        "figure-3-numbers",
    }
    others = replace(page(), rows=ROWS[3:])
    verdict = others.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.headline == (
        "No number printed in the paper can be computed again; 1 of 2 of other published results."
    )


def test_a_number_that_is_not_as_listed_is_a_warning() -> None:
    made = page(problem="moved: 1, expected 2")
    assert made.problems == ["moved: 1, expected 2"]
    verdict = made.blocks()[0]
    assert isinstance(verdict, Verdict)
    assert verdict.status == "warning"
    assert "Not as listed: moved: 1, expected 2." in verdict.detail


def test_a_table_for_each_kind_has_the_published_number_ours_the_tolerance_and_why() -> None:
    numbers = tables()["numbers-paper"]
    keys = [column.key for column in numbers.columns]
    assert keys == ["name", "source", "published", "ours", "tolerance", "state", "why"]
    # What did not match comes first.
    assert numbers.texts() == [
        ("far | off", "section 2", "0.9", "0.1", "0.05", "differs", "its data are not public"),
        ("matched", "Table 1", "0.5", "0.501", "0.005", "matched", ""),
    ]
    assert tables()["numbers-authors"].texts() == [
        ("simulated", "BLEU.ipynb", "0.3", "0.29 ± 0.004", "0", "matched"),
    ]
    assert tables()["numbers-others"].texts() == [
        ("no Java", "MultEval", "2", "", "0.1", "not run", "METEOR left out"),
        ("a cluster", "WMT", "ranks 1 to 2", "ranks 1 to 2", "0", "matched", ""),
    ]
    assert tables()["beside"].texts() == [("a range", "3–4", "3.5")]
    assert tables()["ours"].texts() == [("ours only", "7")]


def test_a_figure_says_what_the_papers_was_and_has_its_numbers_beside() -> None:
    made = page()
    check(made.blocks())
    chart = made.figures[0].chart
    assert chart.caption.startswith("The paper's Figure 3 showed power. Lines: comparisons.")
    numbers = tables()[chart.twin]
    assert (numbers.id, numbers.title) == ("figure-3-numbers", "Numbers of figure 3")
    own = blocks_of(power())
    [twin] = [block for block in own if isinstance(block, Table) and block.id == "power"]
    assert numbers.texts() == twin.texts()
    [about] = [block for block in made.blocks() if isinstance(block, Text)]
    assert about.points == (("plain", "Not drawn, Figure 1: there are no data in it."),)


def test_a_row_says_how_it_compares() -> None:
    assert [row.state for row in ROWS] == [
        *("matched", "differs", "matched", "matched", "not run", "", ""),
    ]
    lines = [row.line() for row in ROWS]
    assert lines[0].endswith("published 0.5  matches")
    assert lines[1].endswith("DIFFERS")
    assert lines[4].endswith("not run")
    assert "0.29 ± 0.004" in lines[2]
    assert Compared("x", None, Number(None)).line().endswith("none")


# --- Pages as files: Markdown, HTML, a picture per figure, and an index that links them ---

pytest.importorskip("vl_convert")


def test_a_page_is_written_in_both_forms_with_its_pictures(tmp_path: Path) -> None:
    write_page(page(), tmp_path)
    own = tmp_path / "nobody1999"
    assert {path.name for path in own.iterdir()} == {"index.md", "index.html", "figure-3.svg"}
    picture = (own / "figure-3.svg").read_text(encoding="utf-8")
    assert "80% power is reached at 0.644" in picture
    html = (own / "index.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 2  # two widths
    assert "1 of 2 numbers printed in the paper come out;" in html


def test_markdown_holds_the_tables_and_names_the_pictures() -> None:
    said = markdown(page(problem="moved"))
    assert "](figure-3.svg)" in said
    assert (
        "| far \\| off | section 2 | 0.9 | 0.1 | 0.05 | differs | its data are not public |"
        in said
    )
    assert "## 80% power is reached at 0.644 with 100 comparisons\n" in said
    assert "\n\nThe paper's Figure 3 showed power. Lines: comparisons." in said
    assert "- Not drawn, Figure 1: there are no data in it." in said
    assert "- not as listed: moved" in said
    assert "Numbers of figure 3" not in said  # the page has them


def test_the_index_links_every_paper(tmp_path: Path) -> None:
    pages = [page(), page(paper="somebody2001")]
    write_index(pages, {"nobody1999": 3.4, "somebody2001": 61.0}, tmp_path)
    said = (tmp_path / "index.md").read_text(encoding="utf-8")
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    row = "| [nobody1999](nobody1999/index.md): Nobody (1999), On nothing. | 1 of 2 | 1 of 1 | 1 of 2 | 1 | 3 s |"
    assert row in said
    assert "| paper | printed in the paper | the authors' code and data |" in said
    assert "(somebody2001/index.md)" in said
    assert "| 61 s |" in said
    assert "  - not drawn, Figure 1: there are no data in it." in said
    assert 'href="somebody2001/index.html"' in html
    assert "<td>1 of 2</td><td>1 of 1</td><td>1 of 2</td><td>1</td><td>3 s</td>" in html
    assert "Drawn from nothing. Not drawn, Figure 1: there are no data in it." in html
