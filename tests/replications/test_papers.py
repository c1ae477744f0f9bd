"""Every paper writes its table and its figures from the real data: the counts of the README."""

import contextlib
import re
import shlex
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import replications
from detectable.cli import main
from replications.listed import KINDS, Kind, Total
from replications.papers import PAPERS, Effort
from replications.rows import OUTCOMES, Row, counted, rows
from replications.rows import STATED as STATED_of_rows
from replications.totals import HERE as HERE_of_totals
from replications.totals import LISTS, added, lines, totals
from replications.write import matched, write_page
from tests.helpers import reference_data
from tests.report.charts.drawn import check

FIGURES = {
    "wei2022": ["2", "3", "4", "5", "6"],
    "estrella2007": [str(i) for i in range(1, 12)],
    "clark2011": ["1", "2"],
    "graham2020": ["1", "2", "3", "4"],
    "card2020": ["3", "4", "5", "6", "9", "17"],
}


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_is_as_its_lists_and_the_readme_say(
    paper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DETECTABLE_HASSAN2018", raising=False)
    # Simulated numbers agree within four standard errors of as many repetitions as these.
    page = PAPERS[paper](reference_data("data"), Effort(n_repeats=20))
    assert page.problems == []
    counts = totals()[paper]
    if page.not_run == 0:
        assert matched(page) == [str(counts[kind]) for kind in KINDS]
    else:  # no Java here: METEOR's thirteen; the release of Hassan et al.: two
        assert (paper, page.not_run) in {("clark2011", 13), ("graham2020", 2)}
        assert [page.total(kind).stated for kind in KINDS] == [
            counts[kind].stated for kind in KINDS
        ]
        lost = sum(counts[kind].matched - page.total(kind).matched for kind in KINDS)
        assert lost == page.not_run
    assert [one.chart.id for one in page.figures] == [f"figure-{n}" for n in FIGURES[paper]]
    check(page.blocks())
    write_page(page, tmp_path)
    pictures = {path.name for path in (tmp_path / paper).glob("*.svg")}
    assert pictures == {f"figure-{n}.svg" for n in FIGURES[paper]}
    said = (tmp_path / paper / "index.md").read_text(encoding="utf-8")
    for row in page.rows:
        if row.matches is False:
            assert row.why, f"{row.name} differs and nobody says why"
    if counts["paper"].stated:
        assert f"**{page.total('paper')} numbers printed in the paper come out" in said


# --- The table of the README counts what the lists hold ---

README = (HERE_of_totals / "README.md").read_text(encoding="utf-8").splitlines()
STATED: dict[str, tuple[Total, Total, Total]] = {
    "wei2022": (Total(46, 57), Total(0, 0), Total(0, 0)),
    "estrella2007": (Total(0, 0), Total(0, 0), Total(0, 0)),
    "clark2011": (Total(0, 0), Total(0, 0), Total(52, 52)),
    "graham2020": (Total(5, 5), Total(0, 0), Total(342, 342)),
    "card2020": (Total(36, 45), Total(8, 8), Total(0, 0)),
}


@pytest.mark.parametrize(("paper", "counts"), totals().items())
def test_the_readme_states_the_counts(paper: str, counts: dict[Kind, Total]) -> None:
    assert tuple(counts.values()) == STATED[paper]
    line = next(line for line in README if line.startswith(f"| [{paper}]("))
    assert line.endswith(f" | {' | '.join(str(counts[kind]) for kind in KINDS)} |")


def test_the_columns_are_named_and_added_up() -> None:
    whole = added(totals().values())
    assert f"| paper | {' | '.join(KINDS.values())} |" in README
    assert f"| all five | {' | '.join(str(whole[kind]) for kind in KINDS)} |" in README
    text = (HERE_of_totals.parent / "README.md").read_text(encoding="utf-8")
    said = f"[{whole['paper']}](replications/README.md) come out, of their authors' code and data {whole['authors']}, of other published results {whole['others']}."
    assert said in " ".join(text.split())


def test_the_folder_of_a_paper_states_its_count() -> None:
    for paper, counts in totals().items():
        text = (HERE_of_totals / paper / "README.md").read_text(encoding="utf-8")
        said = [str(total) for total in counts.values() if total.stated]
        assert all(one in text for one in said), paper


def test_every_folder_and_every_list_is_counted() -> None:
    folders = {path.parent.name for path in HERE_of_totals.glob("*/replicate.py")}
    assert set(totals()) == folders
    lists = {(path.parent.name, path.name) for path in HERE_of_totals.glob("*/*.toml")}
    assert lists == {(paper, name) for paper, names in LISTS.items() for name in names}


def test_they_are_printed_side_by_side() -> None:
    head, *rows, last = lines()
    assert head.split("  ")[-1] == "other published results"
    assert [row.split()[0] for row in rows] == list(totals())
    assert "87 of 107" in last


# --- Each row of the five papers that is said to work does what its commands are said to do ---

HERE = Path(replications.__file__).parent
ROWS = rows()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.slow] * row.slow, id=f"{row.paper}: {row.name}")
        for row in ROWS
        # Of what lacks data, what says what its command prints on the data that there are.
        if row.command and (row.outcome in ("works", "partly") or row.says or row.writes)
    ],
)
@pytest.mark.filterwarnings("default")  # a user sees warnings and goes on
def test_a_row_does_what_it_says(row: Row, tmp_path: Path) -> None:
    data = reference_data("data")
    said = ""
    with contextlib.chdir(tmp_path):
        for line in row.lines(data):
            program, *words = shlex.split(line)
            assert program == "detectable"
            found = CliRunner(env={"COLUMNS": "100"}).invoke(main, words)
            # A gate says its outcome by its exit code.
            assert found.exit_code in (0, 3, 4), f"{line}\n{found.output}\n{found.exception!r}"
            said += found.output
        missing = [name for name in row.writes if not Path(name).is_file()]
    absent = [text for text in row.says if not re.search(text, " ".join(said.split()))]
    assert not missing
    assert not absent, said


def test_every_row_says_what_it_needs_to() -> None:
    names = [(row.paper, row.name) for row in ROWS]
    assert len(names) == len(set(names))
    for row in ROWS:
        assert row.paper in STATED_of_rows
        assert row.outcome in OUTCOMES, row.name
        assert row.where, row.name
        assert row.reason or row.outcome == "works", row.name
        if row.outcome == "works":
            assert row.command, row.name
            assert row.says or row.writes, row.name


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.name) for row in ROWS if row.outcome == "not at hand"]
)
def test_who_has_the_data_can_type_it(row: Row) -> None:
    assert row.command
    for line in row.lines(Path("data")):
        program, *words = shlex.split(line)
        assert program == "detectable"
        typed: click.Command = main
        while isinstance(typed, click.Group):
            name, *words = words
            typed = typed.commands[name]
        known = {flag for one in typed.params for flag in one.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_pages_state_the_counts() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    counts = counted(ROWS)
    whole = sum(counts.values(), Counter())
    for name, count in (*counts.items(), ("all five", whole)):
        assert f"| {name} | {' | '.join(str(count[one]) for one in OUTCOMES)} |" in page, name
    elsewhere = sum(row.outcome == "works" and bool(row.reason) for row in ROWS)
    assert f"says which in the list: {elsewhere} rows" in " ".join(page.split())
    front = " ".join((HERE.parent / "README.md").read_text(encoding="utf-8").split())
    needed = [row for row in ROWS if row.outcome == "not at hand"]
    assert all(f"| {row.paper} | {row.name} | " in page for row in needed)
    said = f"Of the {whole.total()} methods, figures, tables and recommendations of these papers [{whole['works']} work here]"
    assert said in front


def test_all_rows_are_there() -> None:
    assert {
        paper: sum(count.values()) for paper, count in counted(ROWS).items()
    } == STATED_of_rows
