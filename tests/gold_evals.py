"""Numbers of gold/evals.json, which stay outside the repository."""

import json
from functools import cache
from typing import Any

from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from tests.helpers import reference_data


@cache
def _values() -> dict[str, Any]:
    text = reference_data("gold", "evals.json").read_text(encoding="utf-8")
    values: dict[str, Any] = json.loads(text)["values"]
    return values


def evals(key: str) -> Any:
    """Return one gold number."""
    return _values()[key]["value"]


def epochs(name: str = "epochs") -> Scores:
    """Return the table of 130 questions with four samples each, or that with gaps."""
    return read_scores(reference_data("data", "evals", f"{name}.csv")).table
