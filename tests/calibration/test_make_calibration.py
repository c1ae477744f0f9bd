"""The script of the calibration page goes on where it was killed."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from detectable.core.types import FloatArray
from scripts import make_calibration
from tests.calibration.effort import Effort


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
