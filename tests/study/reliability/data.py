"""WMT21 ru-en as texts, as judgments and as score tables, and small tables with documents."""

from typing import Any

import numpy as np
import polars as pl

import detectable as dt
from detectable.core.types import IntArray
from tests.helpers import reference_data
from tests.inference.test_prefixes import merged

METRICS = ("bleu", "nist", "mwer", "mper", "gtm", "chrf")


def ruen_texts() -> pl.DataFrame:
    return pl.read_parquet(reference_data("data", "wmt", "wmt21_ruen_texts.parquet"))


def ruen_corpus(*, cesta_like: bool = False) -> dt.Corpus:
    """Return outputs and both references; `cesta_like` as 15 documents of about 53 segments."""
    texts = ruen_texts()
    names = sorted(column[4:] for column in texts.columns if column.startswith("hyp:"))
    documents = texts["doc"].to_list()
    corpus = dt.Corpus.build(
        {name: texts[f"hyp:{name}"].to_list() for name in names},
        [texts["ref:A"].to_list(), texts["ref:B"].to_list()],
        documents=documents,
    )
    if not cesta_like:
        return corpus
    made = merged(codes(documents))
    labelled = dt.Corpus.build(
        {name: list(runs[0]) for name, runs in corpus.systems.items()},
        [list(stream) for stream in corpus.references],
        documents=[f"d{i}" for i in made.tolist()],
    )
    return labelled.select(np.flatnonzero(made < 15).tolist())


def codes(labels: list[str]) -> IntArray:
    position = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    return np.array([position[label] for label in labels], dtype=np.int64)


def ruen_judgments(score: str = "raw") -> dt.Judgments:
    """Return the DA judgments of systems' own output, with the document that the file states."""
    table = pl.read_parquet(reference_data("data", "wmt", "wmt21_ruen_da.parquet"))
    table = table.filter(pl.col("type").is_in(["SYSTEM", "REPEAT"]))
    columns: dict[str, Any] = {
        "system": table["system"].cast(pl.String).to_list(),
        "item": table["line"].to_list(),
        "document": table["doc"].cast(pl.String).to_list(),
        "rater": table["worker"].cast(pl.String).to_list(),
        "task": table["hit"].cast(pl.String).to_list(),
        "score": table[score].to_list(),
    }
    scale = None if score == "raw" else (-10.0, 10.0)
    return dt.Judgments.build(columns, repeated="mark", scale=scale)


def clustered(
    n_documents: int = 20,
    size: int = 5,
    *,
    systems: int = 2,
    within: float = 5.0,
    between: float = 10.0,
    apart: float = 5.0,
    step: float = 2.0,
    seed: int = 1,
) -> dt.Scores:
    """Return scores of systems `step` points apart, with documents of their own difficulty."""
    rng = np.random.default_rng(seed)
    n = n_documents * size
    shared = np.repeat(rng.normal(0, between, n_documents), size) + rng.normal(0, within, n)
    tables = {
        f"s{s}": 60.0 + step * s + shared + rng.normal(0, apart, n) for s in range(systems)
    }
    documents = [f"d{i}" for i in range(n_documents) for _ in range(size)]
    return dt.Scores.build(tables, documents=documents)
