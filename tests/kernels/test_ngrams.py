from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detectable.core.types import FloatArray, IntArray
from detectable.kernels.ngrams import (
    announce,
    ngram_information,
    ngram_totals,
    shared_ngrams,
)

Lines = list[list[int]]

words = st.integers(0, 3) | st.sampled_from([7, 2**31 - 1])
lines = st.lists(words, max_size=8)


def ragged(rows: Lines) -> tuple[Any, IntArray]:
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return np.array([x for row in rows for x in row], np.int32), offsets


def ngrams(row: list[int], n: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(row[i : i + n]) for i in range(len(row) - n + 1))


def matches(hyps: Lines, refs: list[Lines], order: int, *, pooled: bool) -> FloatArray:
    first = np.cumsum([0, *map(len, refs)], dtype=np.int64)
    flat = [row for group in refs for row in group]
    groups = first if pooled else np.arange(len(flat) + 1)
    none = np.zeros((0, order))
    counts = shared_ngrams(*ragged(hyps), *ragged(flat), first, groups, none, order)
    return np.asarray(counts)


@settings(deadline=None)
@given(st.data(), st.integers(1, 7), st.integers(1, 2))
def test_matches_are_those_of_counters(data: st.DataObject, order: int, n_outputs: int) -> None:
    refs = data.draw(st.lists(st.lists(lines, min_size=1, max_size=3), min_size=1, max_size=3))
    size = n_outputs * len(refs)
    hyps = data.draw(st.lists(lines, min_size=size, max_size=size))
    pooled = matches(hyps, refs, order, pooled=True)
    single = matches(hyps, refs, order, pooled=False)
    for output in range(n_outputs):
        position = 0
        for segment, group in enumerate(refs):
            hyp = hyps[output * len(refs) + segment]
            for n in range(1, order + 1):
                found = ngrams(hyp, n)
                union: Counter[tuple[int, ...]] = Counter()
                for k, row in enumerate(group):
                    union |= ngrams(row, n)
                    common = (found & ngrams(row, n)).total()
                    assert single[output, position + k, n - 1] == common
                assert pooled[output, segment, n - 1] == (found & union).total()
            position += len(group)


@settings(deadline=None)
@given(st.lists(lines, min_size=1, max_size=4), st.integers(1, 5))
def test_information_is_prefix_over_ngram(rows: Lines, order: int) -> None:
    ids, offsets = ragged(rows)
    information = ngram_information(ids, offsets, order, -1)
    counts: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        for n in range(1, order + 1):
            counts += ngrams(row, n)
    expected = np.zeros((ids.size, order))
    for row, start in zip(rows, offsets[:-1], strict=True):
        for i in range(len(row)):
            for n in range(1, min(order, len(row) - i) + 1):
                gram = tuple(row[i : i + n])
                before = counts[gram[:-1]] if n > 1 else ids.size
                expected[start + i, n - 1] = np.log2(before / counts[gram])
    assert information == pytest.approx(expected, rel=1e-15, abs=1e-15)


def test_an_orphan_has_no_prefix() -> None:
    ids, offsets = ragged([[5, 1, 2, 5, 3]])
    clean = ngram_information(ids, offsets, 3, -1)
    orphaned = ngram_information(ids, offsets, 3, 5)
    assert clean[0].tolist() == [np.log2(5 / 2), 1.0, 0.0]
    assert orphaned[0].tolist() == [np.log2(5 / 2), np.log2(5), 0.0]
    assert np.array_equal(clean[1:3], orphaned[1:3])


def test_weights_multiply_clipped_matches() -> None:
    refs, offsets = ragged([[1, 2, 1], [2, 2]])
    first = np.array([0, 2])
    weights = np.array([[0.5, 8.0], [0.25, 4.0], [0.5, 0.0], [0.25, 16.0], [0.25, 0.0]])
    hyps = ragged([[1, 1, 1, 2, 2, 2]])
    found = shared_ngrams(*hyps, refs, offsets, first, first, weights, 2)
    assert found.tolist() == [[[2 * 0.5 + 2 * 0.25, 8.0 + 16.0]]]


def test_many_distinct_tokens_and_long_lines() -> None:
    rng = np.random.default_rng(1)
    ref = rng.integers(0, 5000, 20_000).tolist()
    hyp = ref[10_000:] + rng.integers(0, 5000, 500).tolist()
    found = matches([hyp], [[ref]], 3, pooled=True)[0, 0]
    assert found.tolist() == [(ngrams(hyp, n) & ngrams(ref, n)).total() for n in (1, 2, 3)]


def test_totals() -> None:
    assert ngram_totals(np.array([[0, 2, 5]]), 3).tolist() == [
        [[0, 0, 0], [2, 1, 0], [5, 4, 3]]
    ]


def test_all_callers_share_one_specialisation() -> None:
    matches([[1]], [[[1]]], 1, pooled=True)
    ngram_information(*ragged([[1]]), 1, -1)
    assert len(shared_ngrams.signatures) == 1
    assert len(ngram_information.signatures) == 1


@pytest.mark.parametrize("missing", ["shared_ngrams", "ngram_information"])
def test_a_compilation_is_announced_until_it_is_done(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, int, int | None]] = []
    matches([[1]], [[[1]]], 1, pooled=True)
    ngram_information(*ragged([[1]]), 1, -1)
    announce(lambda *call: calls.append(call), information=True)
    assert calls == []
    fresh = SimpleNamespace(signatures=[])
    monkeypatch.setattr(f"detectable.kernels.ngrams.{missing}", fresh)
    announce(lambda *call: calls.append(call), information=True)
    assert calls == [("compiling n-gram kernels (first use only)", 0, None)]
