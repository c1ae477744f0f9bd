"""Every file that a command is given is opened once: plans, judgments, scores."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from detectable.cli import main

DATA = Path(__file__).parents[1] / "frozen" / "data"
FEW = "--budgets 120,240 --step 20 --repeats 2 --looks 6 --seed 1"
_seen: list[Counter[str]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    # Python tells of every file that it opens, by whatever function; hooks cannot be taken off.
    if event == "open" and _seen and isinstance(arguments[0], str | bytes | Path):
        _seen[-1][str(arguments[0])] += 1


sys.addaudithook(_hook)


@contextmanager
def opened() -> Iterator[Counter[str]]:
    """Count how often each file is opened."""
    _seen.append(Counter())
    try:
        yield _seen[-1]
    finally:
        _seen.pop()


def run(line: str) -> Counter[str]:
    with opened() as files:
        result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, result.output
    return files


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "ship.json"
    run(f"plan new {path} --systems new,old --n-max 60 --unit item")
    return path


def test_the_counter_counts(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with opened() as files:
        path.write_text("a")
        path.read_bytes()
        with open(path) as again:
            again.read()
    assert files[str(path)] == 3


def test_a_look_reads_its_plan_once(plan: Path) -> None:
    assert run(f"look {plan} {DATA}/ragged.csv --final")[str(plan)] == 1


def test_a_conclusion_reads_its_plan_once(plan: Path) -> None:
    run(f"look {plan} {DATA}/ragged.csv --final")
    assert run(f"conclude {plan}")[str(plan)] == 1
    assert run(f"conclude {plan} {DATA}/ragged.csv --force")[str(plan)] == 1


@pytest.mark.parametrize(
    "line",
    [
        "rank {data}",
        "quality {data}",
        "variance {data}",
        "agreement {data}",
        "control-variates {data} {metric}",
        f"savings {{data}} {FEW}",
        "look {plan} {data}",
        "conclude {plan} {data}",
    ],
    ids=lambda line: line.split()[0],
)
def test_judgments_are_read_once(line: str, plan: Path) -> None:
    data, metric = DATA / "controls.csv", DATA / "metric.csv"
    if line.startswith("conclude"):
        run(f"look {plan} {data} --final")
    files = run(line.format(data=data, metric=metric, plan=plan))
    assert files[str(data)] == 1
