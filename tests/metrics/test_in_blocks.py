"""Statistics block by block are those of the whole corpus, bit for bit."""

import random
from typing import Any

import numpy as np
import pytest

from detectable.data.texts.corpus import Corpus
from detectable.metrics import encode as in_blocks
from detectable.metrics.base import TextMetric
from detectable.metrics.encode import statistics_in_blocks
from detectable.metrics.registry import metric

WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "and", "then", "it", "did", "not", "."]


def corpus(n: int, *, longest: int = 12, references: int = 2) -> Corpus:
    rng = random.Random(3)

    def lines() -> list[str]:
        return [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(n)]

    first: list[str | None] = [*lines()]
    second = [None if rng.random() < 0.3 else line for line in lines()]
    return Corpus.build({"A": [lines(), lines()], "B": lines()}, [first, second][:references])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_blocks, "LARGE", 20)
    monkeypatch.setattr(in_blocks, "_BLOCK_LINES", 50)
    monkeypatch.setattr(in_blocks, "_FEWEST", 3)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "name", ["bleu", "chrf", "chrf++", "ter", "mwer", "mper", "gtm", "length", "nist"]
)
def test_blocks_give_what_the_whole_gives(name: str, *, compact: bool) -> None:
    data, own = corpus(67), metric(name)
    assert isinstance(own, TextMetric)
    assert own.by_segment is (name != "nist")
    whole = own.statistics(data)
    found = statistics_in_blocks(own, data, compact=compact)
    np.testing.assert_array_equal(found, whole)
    if not compact or name in ("nist", "ter"):  # mean lengths of two references are not whole
        assert found.dtype == np.float64


def test_whole_numbers_take_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    data, bleu = corpus(67, references=1), metric("bleu")
    assert isinstance(bleu, TextMetric)
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.int16
    monkeypatch.setattr(in_blocks, "LARGE", 66)
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.int16
    monkeypatch.setattr(in_blocks, "LARGE", 67)  # small: as ever
    assert statistics_in_blocks(bleu, data, compact=True).dtype == np.float64


@pytest.mark.parametrize(
    ("large", "kind"),
    [(32_767, np.int16), (32_768, np.int32), (2**31, np.float64), (0.5, np.float64)],
)
@pytest.mark.parametrize("row", [0, 66])
def test_a_table_grows_with_what_it_holds(
    large: float, kind: type, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, bleu = corpus(67, references=1), metric("bleu")
    assert isinstance(bleu, TextMetric)
    numbers = np.arange(67.0)
    numbers[row] = large
    whole = np.stack([numbers, -numbers], axis=-1)[None]
    asked: list[int] = []

    def statistics(_: Any, part: Corpus) -> Any:
        asked.append(part.n_segments)
        start = sum(asked[:-1])
        return whole[:, start : start + part.n_segments]

    monkeypatch.setattr(type(bleu), "statistics", statistics)
    found = statistics_in_blocks(bleu, data, compact=True)
    np.testing.assert_array_equal(found, whole)
    assert found.dtype == kind
    assert sum(asked) == 67
    assert max(asked) == 12  # 50 lines of three outputs and a reference


def test_progress_counts_segments() -> None:
    told: list[Any] = []
    bleu = metric("bleu")
    assert isinstance(bleu, TextMetric)
    statistics_in_blocks(
        bleu, corpus(25), compact=True, progress=lambda *step: told.append(step)
    )
    assert told == [("bleu", 0, 25), ("bleu", 10, 25), ("bleu", 20, 25), ("bleu", 25, 25)]
