"""Numbers of gold/replicate.json, which stay outside the repository, and the study behind them."""

import json
from functools import cache
from typing import Any

import polars as pl

import detectable as dt
from tests.helpers import reference_data


@cache
def replicate() -> dict[str, Any]:
    """Return all numbers."""
    text = reference_data("gold", "replicate.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers


@cache
def three_raters(language: str, most: int = 3) -> dt.Judgments:
    """Return judgments of documents by three raters each (MQM of WMT23), or by the first of them."""
    path = reference_data("data", "choose", "replicate_mqm_three_raters.parquet")
    rows = pl.read_parquet(path).filter(pl.col("language_pair") == language)
    who = rows.select("document", "rater").unique().sort("document", "rater")
    who = who.with_columns(place=pl.col("rater").cum_count().over("document"))
    kept = who.filter(pl.col("place") <= most)
    rows = rows.join(kept, on=["document", "rater"], how="semi")
    return dt.Judgments.build(
        {
            "system": rows["system"].to_list(),
            "item": (rows["document"] + "#" + rows["item"]).to_list(),
            "document": rows["document"].to_list(),
            "rater": rows["rater"].to_list(),
            "score": rows["score"].to_list(),
        },
        scale=(-500, 0),
    )
