"""Numbers of gold/evals.json, which stay outside the repository.

Tests ask for them here and nowhere else, each by its whole name, so that a search for the name finds
its test; test_gold_evals.py says which names stand in no test. That they are asked for indeed says

    python -m tests.gold_evals

which runs all tests that import this file, and takes minutes.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from tests.helpers import reference_data

ASKED: set[str] = set()  # by the tests that ran in this process


@cache
def all_evals() -> dict[str, Any]:
    """Return all gold numbers by name."""
    text = reference_data("gold", "evals.json").read_text(encoding="utf-8")
    return {key: entry["value"] for key, entry in json.loads(text)["values"].items()}


def evals(key: str) -> Any:
    """Return one gold number."""
    value = all_evals()[key]
    ASKED.add(key)
    return value


def epochs(name: str = "epochs") -> Scores:
    """Return the table of 130 questions with four samples each, or that with gaps."""
    return read_scores(reference_data("data", "evals", f"{name}.csv"))


def unasked(*options: str) -> set[str]:
    """Run the tests that import this file in this process, and return names they did not ask for."""
    tests = Path(__file__).parent
    users = [
        path
        for path in tests.rglob("test_*.py")
        if "tests.gold_evals" in path.read_text("utf-8")
    ]
    pytest.main(["-q", "-p", "no:cacheprovider", *options, *map(str, users)])
    return set(all_evals()) - ASKED


if __name__ == "__main__":
    from tests import gold_evals  # as the tests import it: this one is called __main__

    left = gold_evals.unasked("-m", "slow or not slow")
    click.echo(f"asked for by no test: {', '.join(sorted(left)) or 'none'}")
