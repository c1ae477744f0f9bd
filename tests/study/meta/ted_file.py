"""TED en-de of WMT21 with three metrics: 13 systems on 529 segments."""

import functools

from detectable.data.scores.read_scores import read_scores
from detectable.data.scores.scores import Scores
from tests.helpers import reference_data

METRICS = ("chrf", "bleu", "length")


@functools.cache
def ted(column: str) -> Scores:
    path = reference_data("data", "evals", "ted_ende_metrics.csv")
    return read_scores(path, columns={"score": column})


def metrics() -> dict[str, Scores]:
    return {name: ted(name) for name in METRICS}
