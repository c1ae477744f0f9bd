"""Each row of the five papers that is said to work does what its commands are said to do."""

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
from replications.rows import OUTCOMES, STATED, Row, counted, rows
from tests.helpers import reference_data

HERE = Path(replications.__file__).parent
ROWS = rows()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.slow] * row.slow, id=f"{row.paper}: {row.name}")
        for row in ROWS
        if row.command and row.outcome in ("works", "partly")
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
        assert row.paper in STATED
        assert row.outcome in OUTCOMES, row.name
        assert row.where, row.name
        assert bool(row.reason) == (row.outcome != "works"), row.name
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
    front = " ".join((HERE.parent / "README.md").read_text(encoding="utf-8").split())
    said = f"Of the {whole.total()} methods, figures, tables and recommendations of these papers [{whole['works']} work here]"
    assert said in front


def test_all_rows_are_there() -> None:
    assert {paper: sum(count.values()) for paper, count in counted(ROWS).items()} == STATED
