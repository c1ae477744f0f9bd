"""Forward against reverse data over several campaigns."""

import numpy as np
import pytest

from detectable.core.errors import DataError, InputError
from detectable.data.human.judgments import Judgments
from detectable.data.texts.corpus import Corpus
from detectable.study.translationese.campaigns import translationese_campaigns
from detectable.study.translationese.translationese import translationese


def judged(pair: str, *, gains: tuple[float, ...], seed: int, halves: bool = True) -> Judgments:
    """Return judgments of three systems, with what reverse data add to each."""
    source, target = pair.split("-")
    rng = np.random.default_rng(seed)
    rows: dict[str, list[object]] = {
        name: []
        for name in ("system", "item", "document", "score", "original_language", "language")
    }
    for document in range(20):
        written = target if halves and document % 2 else source
        base = rng.normal(60, 6)
        for system, gain in zip("abc", gains, strict=True):
            for item in range(3):
                score = base + gain * (written == target) + rng.normal(0, 4)
                values = (system, f"{document}.{item}", f"d{document}", score, written, pair)
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    return Judgments.build(rows, scale=(-50.0, 150.0))


def test_each_campaign_is_what_it_is_alone() -> None:
    one, two = (
        judged("zh-en", gains=(9.0, 6.0, 1.0), seed=1),
        judged("en-zh", gains=(5.0, -5.0, 0.0), seed=2),
    )
    found = translationese_campaigns({"zh-en": one, "en-zh": two}, n_resamples=200, rng=3)
    assert [(row.campaign, row.measure) for row in found.rows] == [
        ("zh-en", "raw"),
        ("en-zh", "raw"),
    ]
    for row, data in zip(found.rows, (one, two), strict=True):
        alone = translationese(data, n_resamples=200, rng=1)
        assert row.effects == alone.effects
        assert [pair.opposite for pair in row.pairs] == [pair.opposite for pair in alone.pairs]
        # Correlations do not depend on chance, their intervals do.
        assert row.correlation("kendall") == alone.agreement[2].value
    assert (found.rows[0].n_forward, found.rows[0].n_reverse) == (30, 30)
    # a is raised and b lowered, which is planted.
    [pair] = [p for p in found.rows[1].pairs if {p.first, p.second} == {"a", "b"}]
    assert pair.opposite


def test_one_table_is_split_and_campaigns_without_halves_are_named() -> None:
    tables = [
        judged("zh-en", gains=(9.0, 6.0, 1.0), seed=1),
        judged("de-en", gains=(0.0, 0.0, 0.0), seed=2, halves=False),
    ]
    columns = {
        name: [value for table in tables for value in table.to_columns()[name]]
        for name in ("system", "document", "score", "original_language", "language")
    }
    columns["item"] = [*range(len(columns["system"]))]
    both = Judgments.build(columns, scale=(-50.0, 150.0))
    found = translationese_campaigns(both, n_resamples=200, rng=1)
    assert [row.campaign for row in found.rows] == ["zh-en"]
    assert "there is no reverse half" in found.left_out["de-en"]
    with pytest.raises(DataError, match="no campaign has a forward and a reverse half"):
        translationese_campaigns({"de-en": tables[1]}, rng=1)
    single = Judgments.build({"system": ["a"], "item": [1], "score": [3]})
    with pytest.raises(InputError, match="there is one campaign: no column names"):
        translationese_campaigns(single, rng=1)


def test_texts_too() -> None:
    rng = np.random.default_rng(4)
    lines = [" ".join(rng.choice(list("abcdefgh"), 9)) for _ in range(40)]
    corpus = Corpus.build(
        {"A": [f"{line} x" for line in lines], "B": [line[:-2] for line in lines]},
        lines,
        documents=[f"d{i // 4}" for i in range(40)],
        original_languages=["zh" if i // 4 % 2 else "en" for i in range(40)],
    )
    found = translationese_campaigns(
        {"news": corpus}, "bleu", language_pairs={"news": "zh-en"}, n_resamples=200, rng=1
    )
    assert found.rows[0].language_pair == "zh-en"
    assert found.measures == ("bleu",)
    with pytest.raises(DataError, match="must say from which language"):
        translationese_campaigns({"news": corpus}, "bleu", n_resamples=200, rng=1)
