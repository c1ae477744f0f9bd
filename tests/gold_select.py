"""Numbers of gold/select.json, which stay outside the repository, and the WMT23 scores behind them."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import detectable as dt
from detectable.core.types import FloatArray, IntArray
from tests.helpers import reference_data


@cache
def gold() -> dict[str, Any]:
    """Return all numbers."""
    text = reference_data("gold", "select.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers


@dataclass(frozen=True, slots=True)
class Wmt23:
    """People and a metric on the same lines of WMT23, systems in the rows."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    documents: tuple[str, ...]  # of every line
    unit: IntArray  # documents by number, in the order of their first lines
    human: FloatArray
    metric: FloatArray
    length: FloatArray

    def scores(self, lines: IntArray | None = None) -> dt.Scores:
        """Return the metric of all lines, or of some."""
        keep = np.arange(len(self.items)) if lines is None else lines
        return dt.Scores.build(
            {name: self.metric[s, keep] for s, name in enumerate(self.systems)},
            items=[self.items[i] for i in keep],
            documents=[self.documents[i] for i in keep],
            metric="metricx",
            lower_is_better=False,
        )

    def judgments(self, lines: IntArray, weight: FloatArray | None = None) -> dt.Judgments:
        """Return people's scores of some lines, each with what it stands for."""
        width = len(self.systems)
        columns: dict[str, Any] = {
            "system": np.repeat(self.systems, lines.size).tolist(),
            "item": [self.items[i] for i in lines] * width,
            "document": [self.documents[i] for i in lines] * width,
            "score": self.human[:, lines].ravel().tolist(),
        }
        if weight is not None:
            columns["sampling_weight"] = weight[lines].tolist() * width
        return dt.Judgments.build(columns, scale=(-np.inf, 0.0))


@cache
def wmt23(language: str, metric: str = "metricx23qe") -> Wmt23:
    """Return lines with MQM scores of all systems."""
    path = reference_data("data", "choose", "wmt23_mqm_metrics.parquet")
    rows = pl.read_parquet(path).filter(pl.col("language") == language)
    rows = rows.with_columns(pl.col("system", "document").cast(pl.String)).sort(
        "item", "system"
    )
    systems = sorted(rows["system"].unique().to_list())

    def table(name: str) -> FloatArray:
        found: FloatArray = rows[name].to_numpy().astype(float).reshape(-1, len(systems)).T
        return found

    documents = rows["document"].to_list()[:: len(systems)]
    names = {name: number for number, name in enumerate(dict.fromkeys(documents))}
    return Wmt23(
        systems=tuple(systems),
        items=tuple(map(str, rows["item"].to_list()[:: len(systems)])),
        documents=tuple(documents),
        unit=np.array([names[name] for name in documents]),
        human=table("mqm"),
        metric=table(metric),
        length=table("source_characters")[0],
    )
