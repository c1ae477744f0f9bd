"""A file of judgments is opened once, whoever tells its format and whoever reads it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from detectable.cli import main
from detectable.core.errors import DetectableError
from detectable.data.human.read_judgments import read_judgments
from detectable.data.scores.read_scores import read_scores
from tests.data.human.xlsx import write_xlsx
from tests.data.sample_files import SAMPLES

FROZEN = Path(__file__).parents[1] / "frozen" / "data"
COMMANDS = {
    "rank": ["rank", "{file}", "--seed", "1"],
    "quality": ["quality", "{file}", "--seed", "1"],
    "variance": ["variance", "{file}"],
    "agreement": ["agreement", "{file}"],
    "control-variates": ["control-variates", "{file}", "{metric}", "--baseline", "old"],
    "look": ["look", "{plan}", "{file}"],
    "import": ["import", "{file}", "{out}"],
}
_watched: list[list[str]] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watched and isinstance(arguments[0], str):
        _watched[-1].append(arguments[0])


sys.addaudithook(
    _note
)  # which sees every file that Python opens, and cannot be taken off again


@contextmanager
def opened() -> Iterator[list[str]]:
    """Note the files that are opened."""
    seen: list[str] = []
    _watched.append(seen)
    try:
        yield seen
    finally:
        _watched.remove(seen)


@pytest.fixture
def judgments(tmp_path: Path) -> dict[str, Path]:
    frame = pl.read_csv(FROZEN / "controls.csv")
    paths = {ending: tmp_path / f"j.{ending}" for ending in ("csv", "jsonl", "parquet")}
    frame.write_csv(paths["csv"])
    frame.write_ndjson(paths["jsonl"])
    frame.write_parquet(paths["parquet"])
    return paths


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_commands_open_judgments_once(
    command: str, ending: str, judgments: dict[str, Path], tmp_path: Path
) -> None:
    names = {
        "file": str(judgments[ending]),
        "metric": str(FROZEN / "metric.csv"),
        "plan": str(tmp_path / "ship.json"),
        "out": str(tmp_path / "out.csv"),
    }
    plan = ["plan", "new", names["plan"], "--systems", "new,old", "--n-max", "60"]
    if command == "look":
        assert CliRunner().invoke(main, [*plan, "--unit", "item"]).exit_code == 0
    with opened() as seen:
        out = CliRunner().invoke(main, [word.format(**names) for word in COMMANDS[command]])
    assert out.exit_code == 0, out.output
    assert seen.count(names["file"]) == 1
    if command == "control-variates":
        assert seen.count(names["metric"]) == 1


@pytest.mark.parametrize("name", sorted(os.listdir(SAMPLES / "judgments")))
def test_every_format_is_opened_once(name: str) -> None:
    path = SAMPLES / "judgments" / name
    with opened() as seen:
        read_judgments(path)
    assert seen.count(str(path)) == 1


def test_a_spreadsheet_is_opened_once(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    header = ("Source", "Target", "User", "Segment", "Score", "valid_line")
    path = tmp_path / "c" / "s.xlsx"
    write_xlsx(path, {"hum_annotations": [header, ("ENU", "DEU", "u", "h", 50, True)]})
    with opened() as seen:
        read_judgments(path)
    assert seen.count(str(path)) == 1


@pytest.mark.parametrize("name", ["scores_wide.csv", "scores_long.jsonl", "comet_score.json",
                                  "sacrebleu_A.txt", "lines_A.txt", "inspect.json"])  # fmt: skip
def test_scores_are_opened_once(name: str) -> None:
    path = SAMPLES / name
    with opened() as seen:
        try:
            read_scores(path)
        except DetectableError as error:
            assert "metric=" in str(error)  # noqa: PT017  # it was read, and holds several
    assert seen.count(str(path)) == 1
