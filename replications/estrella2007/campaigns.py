"""Two WMT campaigns: outputs, references and direct assessments, with their documents."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus

ENOUGH = 50  # segments from which on merged documents are one of CESTA's, which had about 53
CESTA = 15  # documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A campaign, and what of it takes part.

    Attributes
    ----------
    references : tuple of str
        Their names in the file.
    left_out : tuple of str
        Systems that are broken.
    """

    name: str
    references: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def texts(self, folder: Path) -> pl.DataFrame:
        """Return the rows that all references cover."""
        table = pl.read_parquet(folder / f"{self.name}_texts.parquet")
        return table.drop_nulls([f"ref:{name}" for name in self.references])

    def corpus(self, folder: Path, *, like_cesta: bool) -> Corpus:
        """Return outputs and references; with 15 documents of 50 and more segments if asked."""
        table = self.texts(folder)
        documents = table["doc"].to_list()
        names = sorted(
            column[4:]
            for column in table.columns
            if column.startswith("hyp:") and column[4:] not in self.left_out
        )
        corpus = Corpus.build(
            {name: table[f"hyp:{name}"].to_list() for name in names},
            [table[f"ref:{name}"].to_list() for name in self.references],
            documents=merged(documents) if like_cesta else documents,
        )
        if not like_cesta:
            return corpus
        kept = [i for i, label in enumerate(merged(documents)) if int(label) < CESTA]
        return corpus.select(kept)

    def judgments(self, folder: Path, *, like_cesta: bool) -> Judgments:
        """Return raw scores of the systems' own output, with the document that the file states."""
        table = pl.read_parquet(folder / f"{self.name}_da.parquet")
        table = table.filter(pl.col("type").is_in(["SYSTEM", "REPEAT"]))
        table = table.with_columns(pl.col("system", "doc", "worker", "hit").cast(pl.String))
        table = table.filter(~pl.col("system").is_in(self.left_out))
        if like_cesta:
            texts = self.texts(folder)
            labels = pl.DataFrame(
                {"line": texts["line"], "merged": merged(texts["doc"].to_list())}
            )
            table = table.join(labels, on="line").with_columns(doc="merged")
            table = table.filter(pl.col("doc").cast(pl.Int64) < CESTA)
            table = table.sort("line", maintain_order=True)
        columns: dict[str, Any] = {
            "system": table["system"].to_list(),
            "item": table["line"].to_list(),
            "document": table["doc"].to_list(),
            "rater": table["worker"].to_list(),
            "task": table["hit"].to_list(),
            "score": table["raw"].to_list(),
        }
        return Judgments.build(columns, repeated="mark")


def merged(documents: list[str]) -> list[str]:
    """Return documents of 50 and more segments: consecutive ones until there are so many."""
    labels, number, size = [], 0, 0
    for _, rows in groupby(documents):
        n = len(list(rows))
        labels += [str(number)] * n
        size += n
        if size >= ENOUGH:
            number, size = number + 1, 0
    return labels


RU_EN = Campaign(name="wmt21_ruen", references=("A", "B"))
JA_EN = Campaign(name="wmt22_jaen", references=("A",), left_out=("AIST",))
CAMPAIGNS = (RU_EN, JA_EN)
