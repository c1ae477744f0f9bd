"""judge.csv of the reference data: two systems, a judge on all items, people on some."""

import functools
from typing import Any

from detectable.data.human.judgments import Judgments
from tests.helpers import reference_data


@functools.cache
def _rows() -> list[dict[str, Any]]:
    import polars as pl

    return pl.read_csv(reference_data("data", "evals", "judge.csv")).to_dicts()


def judge(column: str = "judge") -> dict[str, dict[str, float]]:
    return {s: {row["item"]: row[f"{column}_{s}"] for row in _rows()} for s in ("A", "B")}


def labels(*, documents: bool = False) -> Judgments:
    rows = [
        (s, row["item"], row[f"human_{s}"], row["document"])
        for s in ("A", "B")
        for row in _rows()
        if row[f"human_{s}"] is not None
    ]
    system, item, score, document = map(list, zip(*rows, strict=True))
    table = {"system": system, "item": item, "score": score}
    return Judgments.build(
        {**table, "document": document} if documents else table, scale=(0, 1)
    )
