"""TED en-de of WMT21 with three metrics, and what gold/evals.json says of it."""

import functools
import json
from typing import Any

from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from tests.helpers import reference_data

METRICS = ("chrf", "bleu", "length")


@functools.cache
def gold() -> dict[str, Any]:
    content = json.loads(reference_data("gold", "evals.json").read_text())
    return {key: entry["value"] for key, entry in content["values"].items()}


@functools.cache
def ted(column: str) -> Scores:
    path = reference_data("data", "evals", "ted_ende_metrics.csv")
    return read_scores(path, columns={"score": column}).table


def metrics() -> dict[str, Scores]:
    return {name: ted(name) for name in METRICS}
