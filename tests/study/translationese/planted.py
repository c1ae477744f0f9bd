"""Test sets with a known effect of reverse-created data."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.data.texts.languages import LanguagePair
from detectable.data.texts.text_table import read_text_table
from detectable.study.translationese.halves import HalvedSample, halve, mean_sample, split
from tests.helpers import reference_data

ZH_EN = LanguagePair("zh", "en")


def halved(
    table: FloatArray,
    documents: list[str],
    languages: list[str],
    *,
    unit: Any = "document",
) -> HalvedSample:
    """Return scores of segments (rows) by systems (columns) as a measure of two halves."""
    names = tuple(f"S{s}" for s in range(table.shape[1]))
    parts = split("judgments", languages, documents, ZH_EN)
    return halve("raw", mean_sample(names, table), parts, unit=unit, scale="points", digits=2)


@dataclass(frozen=True)
class Noise:
    """Documents of unequal size, whose segments are alike."""

    forward: int
    reverse: int
    size: int = 8  # segments of a document, on average
    between: float = 8.0  # standard deviation of documents
    within: float = 12.0
    systems: int = 2
    skewed: bool = False

    def draw(self, rng: np.random.Generator, effects: FloatArray | None = None) -> HalvedSample:
        """Return scores with a given effect of the reverse half for each system."""
        n = self.forward + self.reverse
        sizes = 1 + rng.poisson(self.size - 1, n)
        document = np.repeat(np.arange(n), sizes)
        reverse = document >= self.forward
        level = rng.exponential(1.0, n) - 1.0 if self.skewed else rng.normal(size=n)
        shared = 60.0 + self.between * level[document]
        table = shared[:, None] + rng.normal(0, self.within, (document.size, self.systems))
        if effects is not None:
            table += np.where(reverse[:, None], effects, 0.0)
        languages = ["en" if back else "zh" for back in reverse]
        return halved(table, [f"d{d}" for d in document], languages)


@dataclass(frozen=True)
class Planted:
    """WMT21 Icelandic–English with half of its documents called reverse."""

    corpus: Corpus
    judgments: Judgments
    effects: dict[str, float]  # points that reverse data add to each system
    reverse: frozenset[str]


def wmt21_isen(seed: int, *, size: float = 6.0, spread: float = 2.0) -> Planted:
    """Call a random half of the documents reverse, and raise the scores given there.

    The recipe: δ = 6 + N(0, 2) points for each system, clipped to the scale. With `size` and
    `spread` 0 the labels mean nothing.
    """
    texts = read_text_table(reference_data("data", "wmt", "wmt21_isen_texts.parquet"))
    rows = pl.read_parquet(reference_data("data", "wmt", "wmt21_isen_da.parquet"))
    rng = np.random.default_rng(seed)
    names = sorted(set(texts.documents or ()))
    reverse = frozenset(rng.permutation(names)[: len(names) // 2].tolist())
    effects = {name: size + spread * rng.standard_normal() for name in sorted(texts.systems)}
    documents = rows["doc"].cast(pl.String).to_list()
    systems = rows["system"].cast(pl.String).to_list()
    kinds = rows["type"].cast(pl.String).to_list()
    planted = [
        effects[system] if document in reverse and kind in ("SYSTEM", "REPEAT") else 0.0
        for system, document, kind in zip(systems, documents, kinds, strict=True)
    ]
    score = rows["raw"].to_numpy().astype(float) + np.array(planted)
    judgments = Judgments.build(
        {
            "system": systems,
            "item": rows["seg"].to_list(),
            "document": documents,
            "rater": rows["worker"].cast(pl.String).to_list(),
            "task": rows["hit"].cast(pl.String).to_list(),
            "kind": kinds,
            "score": np.clip(score, 0.0, 100.0),
            "original_language": ["en" if d in reverse else "is" for d in documents],
        },
        repeated="mark",
    )
    languages = tuple("en" if d in reverse else "is" for d in texts.documents or ())
    return Planted(replace(texts, original_languages=languages), judgments, effects, reverse)


def with_copies(planted: Planted, system: str, every: int) -> Corpus:
    """Return the corpus in which a system copies one in `every` reference 4-grams of reverse text.

    Each output of the reverse half begins with that many words of its reference.
    """
    corpus = planted.corpus
    documents = corpus.documents or ()
    lines = []
    for row, line in enumerate(corpus.output(system)):
        words = (corpus.references[0][row] or "").split()
        copied = " ".join(words[: max(4, len(words) // every)])
        lines.append(f"{copied} {line}" if documents[row] in planted.reverse else line)
    return replace(corpus, systems={**corpus.systems, system: (tuple(lines),)})
