"""`make replications`: what it needs, what it writes and what it returns."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from replications import __main__ as command
from replications.page import Page
from replications.papers import PAPERS, Effort
from replications.totals import totals
from tests.replications.pages import page

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
