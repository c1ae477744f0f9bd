"""The script of the calibration page goes on where it was killed, and says why numbers are off."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.core.types import FloatArray
from scripts import make_calibration
from tests.calibration import reasons
from tests.calibration.effort import Effort
from tests.calibration.sections import SECTIONS


def _draw(scale: float, rng: np.random.Generator) -> FloatArray:
    return scale * rng.normal(size=2)


def _toy(effort: Effort) -> Iterator[str]:
    for step in ("one", "two"):
        yield f"{step}: {effort.repeat(_draw, 2.0, step).sum()!r}"


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DETECTABLE_REFERENCE_DATA", str(tmp_path))
    monkeypatch.setattr(make_calibration, "SECTIONS", {"families": _toy, "margins": _toy})


def _run(*words: str) -> tuple[str, str]:
    said = CliRunner().invoke(make_calibration.main, ["--quick", "--only", "families", *words])
    assert said.exit_code == 0, said.output
    return said.stdout, said.stderr


def test_sections_are_taken_from_the_folder(tmp_path: Path) -> None:
    plain, _ = _run("--jobs", "1")
    kept = str(tmp_path / "night")
    first, said = _run("--jobs", "1", "--checkpoint", kept)
    assert first == plain
    assert "0 blocks from" in said
    assert "4 computed" in said
    file = tmp_path / "night" / "families.blocks"
    file.write_bytes(file.read_bytes()[:-1])
    again, said = _run("--jobs", "1", "--checkpoint", kept)
    assert again == plain
    assert "3 blocks from" in said
    assert "1 computed" in said


@pytest.mark.slow
def test_a_cluster_gives_the_same_tables() -> None:
    assert _run("--scheduler", "local:1")[0] == _run("--jobs", "1")[0]


def test_jobs_and_a_scheduler_do_not_go_together() -> None:
    said = CliRunner().invoke(make_calibration.main, ["--jobs", "2", "--scheduler", "local:2"])
    assert said.exit_code == 2
    assert "takes the place of --jobs" in said.stderr


def test_an_error_is_one_sentence() -> None:
    said = CliRunner().invoke(make_calibration.main, ["--scheduler", "there"])
    assert said.exit_code == 1
    assert said.stderr.startswith("Error: `scheduler` must be an address")


# --- Every number of the page that is off says why in its own row ---

PAGE = make_calibration.PAGE


def _sections() -> list[tuple[str, str]]:
    """Return the sections of the page, and what people wrote between them."""
    text = PAGE.read_text("utf-8")
    found = [
        (re.sub(r" \d+$", "", name), body)
        for name, body in re.findall(r"<!-- tables (.+?) -->\n(.*?)<!-- end \1 -->", text, re.S)
    ]
    written = re.sub(r"<!-- tables (.+?) -->\n(.*?)<!-- end \1 -->", "", text, flags=re.S)
    return [*found, ("by hand", written)]


def test_every_number_that_is_off_says_why_in_its_own_row() -> None:
    sections = _sections()
    assert [row for name, body in sections for row in reasons.unexplained(name, body)] == []
    every = [row for name, body in sections for row in reasons.rows(name, body)]
    assert sum(row.bold for row in every) > 200
    assert sum(row.off for row in every) > 250
    # The same by the lines alone, whatever the tables are taken for.
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("|") and "**" in line:
            assert re.search(r"[a-z]{3}", line.rstrip("| ").rpartition("|")[2]), line


def test_the_page_has_the_reasons_of_today_and_no_reason_is_left_over() -> None:
    page = PAGE.read_text("utf-8")
    assert make_calibration.with_notes(page) == page
    used = set()
    for name, body in _sections():
        for row in reasons.rows(name, body):
            if row.bold and name in reasons.REASONS:
                used.add(
                    next(
                        one
                        for one in reasons.REASONS[name]
                        if one.explains(row.caption, row.name)
                    )
                )
    known = {one for several in reasons.REASONS.values() for one in several}
    assert known - used == set()
    assert set(reasons.REASONS) <= set(SECTIONS)


TABLE = (
    "Toys. 100 data sets, nominal 0.050, standard error 0.0218.\n\n"
    "|  | one |  |\n| --- | ---: | --- |\n| ours | 0.050 |  |\n| `t` | **0.100** |  |\n"
    "| careful | 0.000 | conservative |"
)


def test_a_reason_follows_its_row_into_new_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    why = reasons.Reason("Toys", "`t`", "not ours")
    monkeypatch.setitem(reasons.REASONS, "families", (why,))
    said = reasons.noted("families", TABLE)
    assert said.splitlines()[2:] == [
        "|  | one | note |",
        "| --- | ---: | --- |",
        "| ours | 0.050 |  |",
        "| `t` | **0.100** | not ours |",
        "| careful | 0.000 | conservative |",
    ]
    assert reasons.noted("families", said) == said
    assert reasons.unexplained("families", said) == []
    plain = TABLE.replace(" |  |\n", " |\n").replace(" | --- |\n", " |\n")
    plain = plain.replace(" | conservative |", " |")
    assert "| `t` | **0.100** | not ours |" in reasons.noted("families", plain)
    # A number that came right loses its reason; one that is off without bold is found too.
    right = said.replace("**0.100**", "0.060")
    assert "not ours" not in reasons.noted("families", right).replace("conservative", "")
    wrong = said.replace("| ours | 0.050 |", "| ours | 0.100 |")
    assert reasons.unexplained("families", wrong) == ["families: Toys: ours"]


def test_tables_are_written_with_reasons_and_rows_without_one_end_in_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "calibration.md"
    page.write_text("<!-- tables families -->\n\nold\n\n<!-- end families -->\n", "utf-8")
    monkeypatch.setattr(make_calibration, "PAGE", page)
    monkeypatch.setattr(make_calibration, "SECTIONS", {"families": lambda _: iter([TABLE])})
    said = CliRunner().invoke(make_calibration.main, ["--only", "families", "--jobs", "1"])
    assert said.exit_code == 1
    assert said.stderr.splitlines()[-1] == "families: Toys: `t`"
    assert "| `t` | **0.100** |  |" in page.read_text("utf-8")  # measured is kept
    monkeypatch.setitem(
        reasons.REASONS, "families", (reasons.Reason("Toys", "`t`", "not ours"),)
    )
    said = CliRunner().invoke(make_calibration.main, ["--notes"])
    assert said.exit_code == 0, said.output
    assert "| `t` | **0.100** | not ours |" in page.read_text("utf-8")
