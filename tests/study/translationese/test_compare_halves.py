"""Metrics on the halves of a corpus: the same as comparing the rows of each half."""

from typing import Any

import numpy as np
import pytest

import detectable as dt
from detectable.core.errors import DetectableWarning
from detectable.core.execute import Engine
from detectable.core.types import silent
from detectable.metrics.registry import metric
from detectable.study.translationese.conclusions import compare_halves, text_scores
from tests.study.translationese.planted import ZH_EN

OPTIONS: dict[str, Any] = {
    "unit": "document",
    "correction": "holm",
    "alpha": 0.1,
    "power": 0.7,
    "n_resamples": 199,
}
ROWS = {"forward": range(12), "reverse": range(12, 20), "both": range(20)}


def _corpus(share: float = 0.7) -> dt.Corpus:
    rng = np.random.default_rng(5)
    words = np.array([f"w{i}" for i in range(20)])
    lines = [" ".join(rng.choice(words, 9)) for _ in range(22)]

    def output(kept: float) -> list[str]:
        return [
            " ".join(w if rng.random() < kept else "x" for w in line.split()) for line in lines
        ]

    return dt.Corpus.build(
        {"A": output(share), "B": output(0.5)},
        lines,
        documents=[f"d{i // 2}" for i in range(22)],
        original_languages=["zh"] * 12 + ["en"] * 8 + ["de"] * 2,
    )


def _engine() -> Engine:
    return Engine.start(3, n_jobs=1, executor=None, progress=silent)


def test_every_half_is_compared_as_its_rows_are() -> None:
    corpus, metrics = _corpus(), (metric("chrf"), metric("bleu"))
    texts = text_scores(corpus, metrics, ZH_EN, unit="document", engine=_engine())
    assert [(m.name, m.scale, m.digits, m.unit) for m in texts.measures] == [
        ("chrf", "chrf", metrics[0].digits, "document"),
        ("bleu", "bleu", metrics[1].digits, "document"),
    ]
    found = compare_halves(texts, _engine(), **OPTIONS)
    assert list(found) == ["forward", "reverse", "both"]
    for half, rows in ROWS.items():
        comparison = found[half]  # type: ignore[index]
        alone = dt.compare(
            corpus.select(list(rows)), metrics, runs="fixed", n_examples=0, rng=1, **OPTIONS
        )
        assert [row.difference for row in comparison.pairs] == [
            row.difference for row in alone.pairs
        ]
        assert [row.mde for row in comparison.pairs] == pytest.approx(
            [row.mde for row in alone.pairs], rel=0.05
        )
        assert [row.n_units for row in (texts.measures[0].halves[half],)] == [len(rows) // 2]  # type: ignore[index]
    apart = [found[half].pairs[0].p_value for half in ("forward", "reverse")]
    assert apart[0] != apart[1]


def test_what_is_odd_about_the_texts_is_said_of_both_halves_only() -> None:
    corpus = _corpus(share=1.0)  # the reference itself
    texts = text_scores(corpus, (metric("chrf"),), ZH_EN, unit="document", engine=_engine())
    with pytest.warns(DetectableWarning, match="equals reference 1 in 20 of 20") as said:
        compare_halves(texts, _engine(), **OPTIONS)
    assert len(said) == 1
